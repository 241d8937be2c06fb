"""Makes the homes and projects that measure.py looks at. Usage: data.py FOLDER"""

import json
import os
import random
import re
import shutil
import subprocess
import sys

WORDS = (
    "the build runs tests before each release and keeps logs never always deploy from main use "
    "cargo check open config file server port retry limit cache user value error path"
).split()


def prose(rng, size):
    """Returns Markdown of about this many bytes, in which no paragraph stands twice."""
    out, length = [], 0
    while length < size:
        part = " ".join(rng.choices(WORDS, k=30)) + f" {rng.getrandbits(40):x}.\n\n"
        out.append(part)
        length += len(part)
    return "".join(out)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def slug(path):
    return re.sub("[^A-Za-z0-9]", "-", path)


def project(root, name):
    """Returns the folders of an empty home and of a repository in it."""
    home = f"{root}/{name}"
    work = f"{home}/work"
    os.makedirs(f"{home}/.claude", exist_ok=True)
    os.makedirs(f"{work}/.git", exist_ok=True)
    write(f"{work}/.git/HEAD", "ref: refs/heads/main\n")
    return home, work


def many(root, rng):
    """1,000 rule and instruction files that load at the start, and 2,000 topic files that don't."""
    home, work = project(root, "many")
    must = []

    def put(path, text):
        write(path, text)
        must.append(path)

    put(f"{home}/.claude/CLAUDE.md", prose(rng, 2_000))
    for at in range(600):
        put(f"{work}/.claude/rules/{at % 20}/r{at}.md", f"# Rule {at}\n\n{prose(rng, 1_500)}")
    for at in range(200):
        head = f'---\npaths: "src/part{at}/**/*.rs"\n---\n'
        put(f"{work}/.claude/rules/on/p{at}.md", head + prose(rng, 1_500))
    for at in range(197):
        put(f"{work}/docs/d{at}.md", prose(rng, 1_500))
    imports = "".join(f"- See @docs/d{at}.md\n" for at in range(197))
    put(f"{work}/CLAUDE.md", f"# Project\n\n{prose(rng, 2_000)}{imports}")
    memory = f"{home}/.claude/projects/{slug(work)}/memory"
    put(f"{memory}/MEMORY.md", "".join(f"- [t{at}](t{at}.md): topic {at}\n" for at in range(150)))
    for at in range(2_000):
        write(f"{memory}/t{at}.md", prose(rng, 1_500))
    assert len(must) == 1_000
    write(f"{root}/many.list", "\n".join(must) + "\n")


def ring(root, rng):
    """Ten files that import each other in all directions."""
    _, work = project(root, "ring")
    names = ["CLAUDE.md"] + [f"docs/n{at}.md" for at in range(9)]
    for name in names:
        imports = "".join(f"@{work}/{other}\n" for other in names if other != name)
        write(f"{work}/{name}", imports + prose(rng, 1_000))


def transcripts(root, rng):
    """15 GB of sessions in 40 projects. Only their ends take room on the disk."""
    home, work = project(root, "sessions")
    write(f"{work}/CLAUDE.md", prose(rng, 2_000))
    for at in range(40):
        cwd = work if at == 0 else f"{home}/other{at}"
        os.makedirs(cwd, exist_ok=True)
        folder = f"{home}/.claude/projects/{slug(cwd)}"
        os.makedirs(folder, exist_ok=True)
        for session in range(3):
            name = f"{at:08x}-0000-4000-8000-{session:012x}"
            record = json.dumps(
                {
                    "type": "user",
                    "sessionId": name,
                    "cwd": cwd,
                    "version": "2.1.332",
                    "timestamp": "2026-11-30T12:00:00.000Z",
                    "message": {"role": "user", "content": prose(rng, 4_000)},
                }
            )
            with open(f"{folder}/{name}.jsonl", "w", encoding="utf-8") as file:
                file.write(record + "\n")
                file.truncate(125 << 20)
                file.seek(0, os.SEEK_END)
                file.write("\n" + record + "\n")


def large(root, rng):
    """A CLAUDE.md of 100 MB."""
    _, work = project(root, "large")
    part = prose(rng, 1 << 20)
    with open(f"{work}/CLAUDE.md", "w", encoding="utf-8") as file:
        for at in range(100):
            file.write(f"# Part {at}\n\n{part}")


def rules(root, _):
    """100,000 rule files."""
    _, work = project(root, "rules")
    for folder in range(100):
        os.makedirs(f"{work}/.claude/rules/{folder}", exist_ok=True)
        for at in range(1_000):
            with open(f"{work}/.claude/rules/{folder}/r{at}.md", "w", encoding="utf-8") as file:
                file.write(f"Rule {folder}-{at}: never skip step {at}.\n")


def checked(root, rng):
    """A repository that git has 1,000 instruction files of, in two commits."""
    _, work = project(root, "checked")
    if os.path.exists(f"{work}/.git/objects"):
        return
    shutil.rmtree(f"{work}/.git")
    git = ["git", "-C", work, "-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run([*git, "init", "-qb", "main"], check=True)
    for at in range(1_000):
        place = ".claude/rules" if at % 2 else f"part{at % 50}/a{at}"
        name = f"r{at}.md" if at % 2 else "CLAUDE.md"
        write(f"{work}/{place}/{name}", prose(rng, 1_500))
    write(f"{work}/coalwash.jsonc", '{"budget": {"always": 500000}}\n')
    for what in ("one", "two"):
        write(f"{work}/CLAUDE.md", f"# {what}\n")
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-qm", what], check=True)


def main():
    root = os.path.realpath(sys.argv[1])
    rng = random.Random(20261130)
    os.makedirs(f"{root}/empty/.claude", exist_ok=True)
    for part in (many, ring, transcripts, large, rules, checked):
        part(root, rng)


main()

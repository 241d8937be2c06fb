"""Times the release build on the data of data.py. Usage: measure.py FOLDER BINARY

Commands that are compared take turns, so that what else the machine does falls on all of them; a
figure is the median. Standard output goes to /dev/null, as it does for `cat`.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time

ROOT = os.path.realpath(sys.argv[1])
BINARY = os.path.realpath(sys.argv[2])
REPOSITORY = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
TIME = "/usr/bin/time"
NODE = """
const fs = require("fs");
let all = 0;
for (const path of fs.readFileSync(process.argv[1], "utf8").trim().split("\\n"))
  all += fs.readFileSync(path, "utf8").length;
process.stdout.write(String(all));
"""


class Command:
    """A command line, where it runs and whose home it sees."""

    def __init__(self, args, home="empty", folder=None):
        self.args = args
        self.folder = folder or f"{ROOT}/{home}/work"
        self.env = {"HOME": f"{ROOT}/{home}", "PATH": os.environ["PATH"], "TZ": "UTC"}

    def spawn(self):
        """Returns how many milliseconds the command took."""
        start = time.perf_counter()
        pid = os.posix_spawnp(self.args[0], self.args, self.env, file_actions=QUIET)
        _, status = os.waitpid(pid, 0)
        took = (time.perf_counter() - start) * 1e3
        if status != 0:
            sys.exit(f"{self.args[:3]} ended with {os.waitstatus_to_exitcode(status)}")
        return took

    def run(self):
        os.chdir(self.folder)
        return self.spawn()

    def peak_mib(self):
        """Returns the peak memory, or None where GNU time isn't installed."""
        if not os.path.exists(TIME):
            return None
        done = subprocess.run(
            [TIME, "-f", "%M", *self.args],
            cwd=self.folder, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            check=True, text=True,
        )
        return int(done.stderr.split()[-1]) / 1024

    def json(self):
        args = [*self.args, "--json"]
        return json.loads(subprocess.check_output(args, cwd=self.folder, env=self.env))


QUIET = [
    (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
    (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
]


def medians(runs, *commands):
    """Returns the median of each command. The first two rounds warm up the file cache."""
    for command in commands * 2:
        command.run()
    taken = [[command.run() for command in commands] for _ in range(runs)]
    return [statistics.median(column) for column in zip(*taken)]


def row(what, figure, against, limit, holds):
    print(f"| {what} | {figure} | {against} | {limit} | {holds} |", flush=True)


def yes(holds):
    return "yes" if holds else "**no**"


def main():
    coalwash = lambda home, *args, **rest: Command([BINARY, *args], home, **rest)
    repository = Command([BINARY, "context"], "empty", REPOSITORY)
    with open(f"{ROOT}/many.list", encoding="utf-8") as file:
        must = file.read().split("\n")[:-1]

    print(f"{os.cpu_count()} processors; medians of one run; "
          f"{subprocess.check_output([BINARY, '--version'], text=True).strip()}\n")
    print("| what | coalwash | against | limit | holds |\n| --- | ---: | ---: | --- | --- |")

    many = coalwash("many", "context")
    start = [e for e in many.json()["hosts"][0]["entries"] if e["tier"] == "always"]
    assert len(start) == 800, f"{len(start)} of the 1,000 files load at the start, not 800"
    cat = Command(["cat", *must], "many")
    peers = [many, cat]
    if shutil.which("node"):
        peers.append(Command(["node", "-e", NODE, f"{ROOT}/many.list"], "many"))
    ours, cats, *nodes = medians(31, *peers)
    what = "`context`, 1,000 instruction files and 2,000 topic files"
    row(what, f"{ours:.1f} ms", f"`cat` of the 1,000: {cats:.1f} ms, {ours / cats:.2f}x",
        "2.5x", yes(ours <= 2.5 * cats))
    if nodes:
        row("the same", f"{ours:.1f} ms",
            f"Node that only reads them: {nodes[0]:.1f} ms, {nodes[0] / ours:.1f}x slower",
            "3x faster", yes(nodes[0] >= 3 * ours))
    else:
        row("the same", f"{ours:.1f} ms", "Node that only reads them: n/a (no node)", "3x faster",
            "n/a")

    ring = coalwash("ring", "context")
    entries = [e["path"] for e in ring.json()["hosts"][0]["entries"]]
    once = len(entries) == len(set(entries)) == 10
    row("`context`, ten files that import each other", f"{medians(31, ring)[0]:.1f} ms",
        f"{len(entries)} entries of {len(set(entries))} files", "each once", yes(once))

    own = medians(51, repository)[0]
    row("`context` in this repository", f"{own:.1f} ms", "", "12 ms", yes(own <= 12))

    check = Command([BINARY, "check"], "empty", REPOSITORY)
    took = medians(31, check)[0]
    row("`check` in this repository", f"{took:.1f} ms", "", "20 ms", yes(took <= 20))
    check = coalwash("checked", "check")
    listed = subprocess.check_output(["git", "ls-files"], cwd=check.folder, text=True)
    files = [name for name in listed.splitlines() if name.endswith(".md")]
    ours, cats, since = medians(
        21, check, Command(["cat", *files], "checked"),
        coalwash("checked", "check", "--base", "HEAD~1"))
    row(f"`check`, {len(files):,} instruction files", f"{ours:.1f} ms",
        f"`cat`: {cats:.1f} ms, {ours / cats:.2f}x", "3x", yes(ours <= 3 * cats))
    row("the same with `--base HEAD~1`, nothing packed", f"{since:.1f} ms",
        f"without: {ours:.1f} ms, {since / ours:.2f}x", "", "")

    gauge = medians(31, coalwash("many", "gauge"))[0]
    row("`gauge`, 1,000 instruction files and 2,000 topic files", f"{gauge:.1f} ms", "", "12 ms",
        yes(gauge <= 12))

    sessions = coalwash("sessions")
    size = sum(
        os.path.getsize(os.path.join(folder, name))
        for folder, _, names in os.walk(f"{ROOT}/sessions/.claude/projects") for name in names
    )
    for what, command in [("overview", sessions), ("`--all`", coalwash("sessions", "--all"))]:
        took = medians(21, command)[0]
        row(f"{what}, {size / 1e9:.1f} GB of transcripts in 40 projects", f"{took:.1f} ms", "",
            "100 ms", yes(took <= 100))

    slow = [
        ("`context`, a CLAUDE.md of 100 MB", coalwash("large", "context"), 300),
        ("`context`, 100,000 rule files", coalwash("rules", "context"), 64),
    ]
    for what, command, _ in slow:
        took = medians(3, command)[0]
        row(what, f"{took / 1e3:.2f} s", "", "3 s", yes(took <= 3_000))
    for what, command, most in [
        ("`context`, 1,000 and 2,000 files", many, 64), ("overview, 15 GB", sessions, 64), *slow
    ]:
        peak = command.peak_mib()
        figure = "n/a (no GNU time)" if peak is None else f"{peak:.0f} MiB"
        row(f"peak memory: {what}", figure, "", f"{most} MiB",
            "n/a" if peak is None else yes(peak <= most))

    version = Command([BINARY, "--version"], "empty", REPOSITORY)
    ours, true = medians(301, version, Command(["/bin/true"], "empty", REPOSITORY))
    row("start (`--version`)", f"{ours:.2f} ms",
        f"`/bin/true`: {true:.2f} ms, {ours - true:+.2f} ms", "", "")


main()

#![expect(clippy::disallowed_methods, reason = "tests lay files out")]

use super::git::git;
use super::*;

fn empty() -> (tempfile::TempDir, Utf8PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
    (temp, root)
}

fn repository() -> (tempfile::TempDir, Utf8PathBuf) {
    let (temp, root) = empty();
    laid_out(&root);
    run(&root, &["init", "-q", "-b", "main"]);
    commit(&root, "one");
    (temp, root)
}

fn laid_out(root: &Utf8Path) {
    std::fs::create_dir_all(root.join("docs/deep")).unwrap();
    std::fs::write(root.join("CLAUDE.md"), "one").unwrap();
    std::fs::write(root.join("docs/deep/a.md"), "a\n").unwrap();
    std::os::unix::fs::symlink("docs/deep", root.join("ln")).unwrap();
    std::os::unix::fs::symlink("../outside", root.join("out")).unwrap();
    std::os::unix::fs::symlink("loop", root.join("loop")).unwrap();
}

fn command(root: &Utf8Path, args: &[&str]) -> std::process::Command {
    let mut command = git(root);
    command.env("GIT_ALLOW_PROTOCOL", "file");
    command.args(["-c", "user.name=t", "-c", "user.email=t@t.test"]).args(args);
    command
}

fn run(root: &Utf8Path, args: &[&str]) {
    assert!(command(root, args).status().unwrap().success(), "{args:?}");
}

fn bytes_of(root: &Utf8Path, args: &[&str]) -> Vec<u8> {
    let output = command(root, args).output().unwrap();
    assert!(output.status.success(), "{args:?}");
    output.stdout
}

fn commit(root: &Utf8Path, what: &str) {
    run(root, &["add", "-A"]);
    run(root, &["commit", "-q", "-m", what]);
}

/// Holds the whole tree against what git says of the same commit, and returns how many of its files
/// were listed as those of the index.
fn is_what_git_has(root: &Utf8Path, rev: &str) -> usize {
    let now = Fence::new(root);
    let tree = GitTree::merge_base(&now, rev).unwrap();
    let listed =
        String::from_utf8(bytes_of(root, &["ls-tree", "-r", "-z", tree.commit()])).unwrap();
    let mut names = Vec::new();
    for line in listed.split_terminator('\0') {
        let (head, name) = line.split_once('\t').unwrap();
        names.push(name.to_owned());
        let id = head.rsplit(' ').next().unwrap();
        match head.split(' ').next().unwrap() {
            "120000" | "160000" => {}
            _ => {
                let bytes = bytes_of(root, &["cat-file", "blob", id]);
                assert!(tree.read(&root.join(name)) == Ok(bytes), "{name}");
            }
        }
    }
    names.sort();
    assert_eq!(tree.files(), names);
    let same = tree.items.values().filter(|item| item.maybe_on_disk).count();
    assert_eq!(tree.failure().map(|error| error.to_string()), None);
    same
}

#[test]
fn a_commit_is_read_as_a_tree() {
    let (_temp, root) = repository();
    run(&root, &["checkout", "-q", "-b", "topic"]);
    std::fs::write(root.join("CLAUDE.md"), "two").unwrap();
    commit(&root, "two");
    let now = Fence::new(&root);
    let tree = GitTree::merge_base(&now, "main").unwrap();
    assert_eq!(tree.read(&root.join("CLAUDE.md")).unwrap(), b"one");
    assert_eq!(tree.read(&root.join("ln/a.md")).unwrap(), b"a\n");
    assert_eq!(tree.real(&root.join("ln/a.md")).unwrap().path, root.join("docs/deep/a.md"));
    assert_eq!(tree.node(&root.join("ln")), Ok(Node::Link));
    assert_eq!(tree.read(&root.join("out")), Err(Unreadable::Outside));
    assert_eq!(tree.read(&root.join("loop")), Err(Unreadable::Loop));
    assert_eq!(tree.read(&root.join("none")), Err(Unreadable::Missing));
    assert_eq!(tree.read(&root.join("docs")), Err(Unreadable::Folder));
    assert_eq!(tree.read(&root.join(".git/config")), Err(Unreadable::Missing));
    let names: Vec<_> =
        tree.list(&root).unwrap().into_iter().filter_map(|child| child.name).collect();
    assert_eq!(names, ["CLAUDE.md", "docs", "ln", "loop", "out"]);
    assert_eq!(tree.files().len(), 5);
}

#[test]
fn what_git_does_not_know_is_an_error() {
    let (_temp, root) = repository();
    let now = Fence::new(&root);
    let error = |rev: &str| GitTree::merge_base(&now, rev).unwrap_err().to_string();
    assert_eq!(error("nowhere"), "git knows no revision `nowhere` here");
    assert_eq!(error("--help"), "git knows no revision `--help` here");
    run(&root, &["checkout", "-q", "--orphan", "other"]);
    commit(&root, "other");
    assert!(error("main").contains("have in common"));
    let empty = tempfile::tempdir().unwrap();
    let empty = Utf8Path::from_path(empty.path()).unwrap();
    let now = Fence::new(empty);
    assert!(matches!(GitTree::merge_base(&now, "main"), Err(GitError::NoRepository { .. })));
}

#[test]
fn a_branch_of_all_kinds_of_changes_is_read_packed_or_not() {
    let (_temp, root) = repository();
    let text = |n: usize| format!("text {n}\n").repeat(n + 1);
    for n in 0..40 {
        std::fs::write(root.join(format!("docs/{n}.md")), text(n)).unwrap();
    }
    std::fs::write(root.join("docs/a name: with, \u{fc} and\nbreak.md"), "odd").unwrap();
    std::fs::write(root.join("empty.md"), "").unwrap();
    commit(&root, "more");
    run(&root, &["checkout", "-q", "-b", "topic"]);
    std::fs::write(root.join("docs/1.md"), "changed").unwrap();
    std::fs::write(root.join("docs/0.md"), "changed, too").unwrap();
    std::fs::remove_file(root.join("docs/2.md")).unwrap();
    std::fs::rename(root.join("docs/3.md"), root.join("docs/three.md")).unwrap();
    std::fs::remove_dir_all(root.join("docs/deep")).unwrap();
    std::fs::write(root.join("docs/deep"), "a file by now").unwrap();
    std::fs::remove_file(root.join("docs/4.md")).unwrap();
    std::os::unix::fs::symlink("5.md", root.join("docs/4.md")).unwrap();
    std::fs::write(root.join("new.md"), "new").unwrap();
    run(&root, &["add", "-A"]);
    run(&root, &["rm", "-q", "--cached", "docs/6.md"]);
    std::fs::write(root.join("docs/7.md"), "changed, and not added").unwrap();
    std::fs::remove_file(root.join("docs/8.md")).unwrap();
    assert_eq!(is_what_git_has(&root, "main"), 40, "all but seven of 47");
    run(&root, &["commit", "-q", "-m", "two"]);
    assert_eq!(is_what_git_has(&root, "main"), 40);
    run(&root, &["repack", "-adq"]);
    run(&root, &["pack-refs", "--all"]);
    assert_eq!(is_what_git_has(&root, "main"), 40);
    run(&root, &["checkout", "-q", "--detach"]);
    assert_eq!(is_what_git_has(&root, "topic"), 46, "against itself");
}

#[test]
fn what_a_branch_left_as_it_was_is_not_asked_of_git() {
    let (_temp, root) = repository();
    run(&root, &["checkout", "-q", "-b", "topic"]);
    std::fs::write(root.join("CLAUDE.md"), "two").unwrap();
    commit(&root, "two");
    let id = String::from_utf8(bytes_of(&root, &["rev-parse", "HEAD:docs/deep/a.md"])).unwrap();
    let (first, rest) = id.trim().split_at(2);
    std::fs::remove_file(root.join(".git/objects").join(first).join(rest)).unwrap();
    let now = Fence::new(&root);
    let tree = GitTree::merge_base(&now, "main").unwrap();
    assert_eq!(tree.read(&root.join("docs/deep/a.md")).unwrap(), b"a\n");
    assert_eq!(tree.read(&root.join("CLAUDE.md")).unwrap(), b"one");
    assert!(tree.failure().is_none());
    // With other bytes on the disk there is no one left to ask.
    std::fs::write(root.join("docs/deep/a.md"), "b\n").unwrap();
    let now = Fence::new(&root);
    let tree = GitTree::merge_base(&now, "main").unwrap();
    assert_eq!(tree.read(&root.join("docs/deep/a.md")), Err(Unreadable::Missing));
    let commit = tree.commit().to_owned();
    assert_eq!(
        tree.failure().unwrap().to_string(),
        format!("git does not have what `docs/deep/a.md` held in {commit}")
    );
}

#[test]
fn line_ends_and_filters_deceive_no_one() {
    let (_temp, root) = empty();
    run(&root, &["init", "-q", "-b", "main"]);
    run(&root, &["config", "filter.up.clean", "tr a-z A-Z"]);
    run(&root, &["config", "filter.up.smudge", "tr A-Z a-z"]);
    std::fs::write(root.join(".gitattributes"), "*.md text eol=crlf\nup.md filter=up\n").unwrap();
    for n in 0..20 {
        std::fs::write(root.join(format!("{n}.md")), format!("one\r\ntwo {n}\r\n")).unwrap();
    }
    std::fs::write(root.join("up.md"), "lower case\n").unwrap();
    commit(&root, "one");
    run(&root, &["checkout", "-q", "-b", "topic"]);
    std::fs::write(root.join("more.md"), "more\r\n").unwrap();
    commit(&root, "two");
    is_what_git_has(&root, "main");
    let now = Fence::new(&root);
    let tree = GitTree::merge_base(&now, "main").unwrap();
    assert_eq!(tree.read(&root.join("3.md")).unwrap(), b"one\ntwo 3\n");
    assert_eq!(tree.read(&root.join("up.md")).unwrap(), b"LOWER CASE\n");
    run(&root, &["config", "core.autocrlf", "true"]);
    std::fs::write(root.join(".gitattributes"), "").unwrap();
    is_what_git_has(&root, "main");
}

#[test]
fn an_index_that_says_more_than_names_is_left_to_git() {
    let (_temp, root) = repository();
    run(&root, &["checkout", "-q", "-b", "topic"]);
    std::fs::write(root.join("CLAUDE.md"), "ours").unwrap();
    commit(&root, "two");
    std::fs::write(root.join("announced.md"), "x").unwrap();
    run(&root, &["add", "-N", "announced.md"]);
    is_what_git_has(&root, "main");
    run(&root, &["rm", "-q", "--cached", "announced.md"]);
    for version in ["2", "3", "4"] {
        run(&root, &["update-index", "--index-version", version]);
        assert_eq!(is_what_git_has(&root, "main"), 4, "version {version}");
    }
    run(&root, &["update-index", "--split-index"]);
    is_what_git_has(&root, "main");
    run(&root, &["update-index", "--no-split-index"]);
    // Both sides of a conflict are in the index.
    run(&root, &["checkout", "-q", "-b", "other", "main"]);
    std::fs::write(root.join("CLAUDE.md"), "theirs").unwrap();
    commit(&root, "three");
    assert!(!command(&root, &["merge", "-q", "topic"]).status().unwrap().success());
    is_what_git_has(&root, "main");
    run(&root, &["merge", "--abort"]);
    run(&root, &["sparse-checkout", "set", "--cone", "--sparse-index", "none"]);
    is_what_git_has(&root, "main");
    run(&root, &["sparse-checkout", "disable"]);
    std::fs::remove_file(root.join(".git/index")).unwrap();
    is_what_git_has(&root, "main");
}

#[test]
fn names_of_sha_256_are_read() {
    let (_temp, root) = empty();
    laid_out(&root);
    let made = command(&root, &["init", "-q", "-b", "main", "--object-format=sha256"]);
    if !{ made }.status().unwrap().success() {
        return; // This git knows no such repositories.
    }
    commit(&root, "one");
    run(&root, &["checkout", "-q", "-b", "topic"]);
    std::fs::write(root.join("CLAUDE.md"), "two").unwrap();
    commit(&root, "two");
    assert_eq!(is_what_git_has(&root, "main"), 4);
    assert!(Fence::new(&root).is_by_index());
}

#[test]
fn worktrees_submodules_and_shallow_clones_are_read() {
    let (_temp, root) = repository();
    let (_other, other) = repository();
    run(
        &root,
        &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.as_str(), "sub"],
    );
    commit(&root, "with a submodule");
    run(&root, &["checkout", "-q", "-b", "topic"]);
    std::fs::write(root.join("CLAUDE.md"), "two").unwrap();
    commit(&root, "two");
    is_what_git_has(&root, "main");
    let now = Fence::new(&root);
    let tree = GitTree::merge_base(&now, "main").unwrap();
    assert_eq!(tree.node(&root.join("sub")), Ok(Node::Folder));
    assert_eq!(tree.read(&root.join("sub")), Err(Unreadable::Folder));
    assert_eq!(tree.read(&root.join("sub/CLAUDE.md")), Err(Unreadable::Missing));
    let (_temp, top) = empty();
    let tree = top.join("tree");
    run(&root, &["worktree", "add", "-q", "-b", "third", tree.as_str(), "main"]);
    std::fs::write(tree.join("docs/deep/a.md"), "third").unwrap();
    commit(&tree, "three");
    is_what_git_has(&tree, "topic");
    let shallow = top.join("shallow");
    let url = format!("file://{root}");
    run(&top, &["clone", "-q", "--depth", "2", "--branch", "topic", &url, shallow.as_str()]);
    is_what_git_has(&shallow, "HEAD~1");
}

#[test]
fn more_is_asked_at_once_than_a_pipe_holds() {
    let (_temp, root) = repository();
    std::fs::write(root.join("large"), "x".repeat(20_000)).unwrap();
    commit(&root, "two");
    let id = bytes_of(&root, &["rev-parse", "HEAD:large"]);
    let id = ObjectId::of_hex(id.trim_ascii()).unwrap();
    let nothing = ObjectId::new(&[1; 20]).unwrap();
    let mut ids = vec![id; 4_000];
    ids[3_000] = nothing;
    let mut blobs = Blobs::new(&root);
    let answers = blobs.ask(&ids).unwrap();
    assert_eq!(answers.iter().flatten().map(Vec::len).sum::<usize>(), 3_999 * 20_000);
    assert_eq!(answers[3_000], None);
    assert_eq!(blobs.ask(&[id]).unwrap()[0].as_ref().unwrap().len(), 20_000);
    // What is no blob ends the conversation, and the next one begins anew.
    let folder = bytes_of(&root, &["rev-parse", "HEAD:docs"]);
    ids[2_000] = ObjectId::of_hex(folder.trim_ascii()).unwrap();
    assert_eq!(blobs.ask(&ids).unwrap_err().to_string(), "no blob");
    assert_eq!(blobs.ask(&[nothing]).unwrap(), [None]);
}

//! Which version of the host is installed.

use camino::{Utf8Path, Utf8PathBuf};

/// A version, and where it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The version, as it is written there.
    pub version: String,
    /// The file or folder that says so.
    pub from: Utf8PathBuf,
}

/// Finds the version of the `claude` that a shell would start.
///
/// `path` is the value of `PATH`. The program isn't started: the version is in the name of the
/// folder it is a link into (`…/versions/2.1.332`), or in the `package.json` of its package.
pub fn installed(path: &str, home: &Utf8Path) -> Option<Installed> {
    let own = home.join(".local/bin");
    let folders = path.split(':').filter(|f| f.starts_with('/')).map(Utf8Path::new);
    folders.chain([own.as_path()]).find_map(|folder| of_program(&folder.join("claude")))
}

fn of_program(program: &Utf8Path) -> Option<Installed> {
    let real = program.as_std_path().canonicalize().ok()?;
    let real = Utf8PathBuf::from_path_buf(real).ok()?;
    if let Some(above) = real.parent()
        && above.file_name() == Some("versions")
    {
        let version = real.file_name().filter(|v| is_version(v))?;
        return Some(Installed { version: version.to_owned(), from: real.clone() });
    }
    real.ancestors().skip(1).take(4).find_map(|folder| {
        let from = folder.join("package.json");
        let bytes = crate::disk::read_file(&from, 256 * 1024).ok()?;
        let package: Package = serde_json::from_slice(&bytes).ok()?;
        let is_it = package.name.starts_with("@anthropic-ai/claude-code");
        (is_it && is_version(&package.version))
            .then_some(Installed { version: package.version, from })
    })
}

/// Returns whether a text is a version: foreign files say what it is, and it ends up on a screen.
pub(crate) fn is_version(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-');
    text.len() <= 40 && text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(plain)
}

#[derive(serde::Deserialize)]
struct Package {
    name: String,
    version: String,
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests build trees")]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_read_from_the_package_or_the_folder() {
        let temp = tempfile::tempdir().unwrap();
        let top = Utf8PathBuf::from_path_buf(temp.path().canonicalize().unwrap()).unwrap();
        let package = top.join("lib/node_modules/@anthropic-ai/claude-code");
        for folder in ["bin", "home/.local/bin", "home/.local/share/claude/versions"] {
            std::fs::create_dir_all(top.join(folder)).unwrap();
        }
        std::fs::create_dir_all(package.join("bin")).unwrap();
        std::fs::write(package.join("bin/claude.exe"), "").unwrap();
        std::fs::write(
            package.join("package.json"),
            r#"{"name":"@anthropic-ai/claude-code","version":"2.1.200"}"#,
        )
        .unwrap();
        std::os::unix::fs::symlink(package.join("bin/claude.exe"), top.join("bin/claude")).unwrap();
        let native = top.join("home/.local/share/claude/versions/2.1.332");
        std::fs::write(&native, "").unwrap();
        std::os::unix::fs::symlink(&native, top.join("home/.local/bin/claude")).unwrap();

        let path = format!("relative:{top}/bin:{top}/none");
        let home = top.join("home");
        assert_eq!(installed(&path, &home).unwrap().version, "2.1.200");
        let found = installed("", &home).unwrap();
        assert_eq!((found.version.as_str(), found.from), ("2.1.332", native));
        assert_eq!(installed("", &top), None);
    }
}

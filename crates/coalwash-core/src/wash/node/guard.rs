//! The names of copies that the write guard made before an edit.

/// Returns the folder of a session's copies.
pub fn session_name(id: &str) -> String {
    let name: String = plain(id, "_-").chars().take(120).collect();
    if name.is_empty() { "nosession".to_owned() } else { name }
}

/// Returns the name of the copy of the file at the physical path `path`.
pub fn copy_name(path: &str) -> String {
    let base = path.rsplit('/').next().unwrap_or(path);
    let base: String = plain(base, "_.-").chars().take(80).collect();
    let hash = path
        .encode_utf16()
        .fold(5381_u32, |hash, unit| hash.wrapping_mul(33).wrapping_add(u32::from(unit)));
    format!("{base}--{}", base36(hash))
}

/// Puts a hyphen in the place of every UTF-16 unit that is no ASCII letter, digit or one of `more`.
fn plain(text: &str, more: &str) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || more.contains(c);
    let mut out = String::new();
    for c in text.chars() {
        match kept(c) {
            true => out.push(c),
            false => out.push_str(&"-".repeat(c.len_utf16())),
        }
    }
    out
}

fn base36(number: u32) -> String {
    let mut rest = number;
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(rest % 36, 36).unwrap_or('0'));
        rest /= 36;
        if rest == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

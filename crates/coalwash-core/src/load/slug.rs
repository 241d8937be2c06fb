//! The folder name that Claude Code gives to a path.

use camino::Utf8Path;

/// UTF-16 units after which a name is cut and a hash is added.
const MOST_UNITS: usize = 200;

/// Returns the folder name of the physical path `path`.
///
/// Every UTF-16 unit outside ASCII letters and digits becomes `-`, so that different paths can
/// share a name. A name of more than 200 units is cut and gets a hash of the whole path.
///
/// Source: folders made by both clients.
pub fn slug(path: &Utf8Path) -> String {
    let mut out = String::with_capacity(path.as_str().len());
    let mut hash = 0i32;
    for unit in path.as_str().encode_utf16() {
        hash = hash.wrapping_mul(31).wrapping_add(i32::from(unit));
        let c = char::from_u32(u32::from(unit)).filter(char::is_ascii_alphanumeric);
        out.push(c.unwrap_or('-'));
    }
    if out.len() > MOST_UNITS {
        out.truncate(MOST_UNITS);
        out.push('-');
        out.push_str(&base36(hash.unsigned_abs()));
    }
    out
}

fn base36(mut n: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(n % 36, 36).unwrap_or('0'));
        n /= 36;
        if n == 0 {
            break;
        }
    }
    digits.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_outside_letters_and_digits_is_a_dash() {
        assert_eq!(slug("/home/u/a.b_c d".into()), "-home-u-a-b-c-d");
        assert_eq!(slug("/ก😀".into()), "----");
    }

    #[test]
    fn a_long_path_is_cut_and_hashed() {
        let path = format!("/{}", "a".repeat(300));
        let name = slug(path.as_str().into());
        assert!(name.starts_with(&format!("-{}-", "a".repeat(199))), "{name}");
        assert_eq!(name.len(), 201 + name[201..].len());
        assert_ne!(slug(format!("{path}b").as_str().into()), name);
    }
}

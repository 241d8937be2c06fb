//! One part of a glob, between two slashes.

use std::cell::Cell;

/// Steps after which a pattern that doubles its work at every star is given up.
const MOST_STEPS: u32 = 200_000;

/// The most values of a range in braces.
const MOST_VALUES: i64 = 1_000;

/// Returns whether a name is what a part asks for; a hidden name is like any other.
pub(super) fn matches(part: &str, name: &str) -> bool {
    let (part, name): (Vec<char>, Vec<char>) = (part.chars().collect(), name.chars().collect());
    let steps = Cell::new(0);
    Matcher { steps: &steps }.run(&part, &name)
}

/// Writes `{1..3}` as `{1,2,3}`, and letters likewise.
pub(super) fn ranges(glob: &str) -> String {
    let mut out = String::with_capacity(glob.len());
    let mut rest = glob;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        out.push_str(before);
        let values =
            from[1..].find('}').and_then(|end| Some((values(&from[1..=end])?, &from[end + 2..])));
        match values {
            Some((values, behind)) => {
                out.push_str(&format!("{{{}}}", values.join(",")));
                rest = behind;
            }
            None => {
                out.push('{');
                rest = &from[1..];
            }
        }
    }
    out + rest
}

fn values(range: &str) -> Option<Vec<String>> {
    let (from, to) = range.split_once("..")?;
    let between = |from: i64, to: i64| -> Option<Vec<i64>> {
        let many = (from.checked_sub(to)?).checked_abs()? < MOST_VALUES;
        let up = (from.min(to)..=from.max(to)).filter(|_| many);
        let mut all: Vec<i64> = up.collect();
        if from > to {
            all.reverse();
        }
        (all.len() > 1).then_some(all)
    };
    if let (Ok(from), Ok(to)) = (from.parse(), to.parse()) {
        return Some(between(from, to)?.iter().map(i64::to_string).collect());
    }
    let letter = |text: &str| match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(i64::from(*letter)),
        _ => None,
    };
    let letters = between(letter(from)?, letter(to)?)?;
    letters.iter().map(|it| Some(char::from(u8::try_from(*it).ok()?).to_string())).collect()
}

struct Matcher<'a> {
    steps: &'a Cell<u32>,
}

impl Matcher<'_> {
    fn run(&self, part: &[char], name: &[char]) -> bool {
        if self.steps.replace(self.steps.get() + 1) > MOST_STEPS {
            return false;
        }
        match part {
            [] => name.is_empty(),
            [mark @ ('?' | '*' | '+' | '@' | '!'), '(', rest @ ..] if close(rest).is_some() => {
                let end = close(rest).unwrap_or_default();
                self.group(*mark, &options(&rest[..end]), &rest[end + 1..], name)
            }
            ['*', rest @ ..] => (0..=name.len()).any(|n| self.run(rest, &name[n..])),
            ['?', rest @ ..] => !name.is_empty() && self.run(rest, &name[1..]),
            ['[', rest @ ..] => match (class(rest), name) {
                (Some((class, behind)), [first, after @ ..]) => {
                    holds(class, *first) && self.run(behind, after)
                }
                (Some(_), []) => false,
                (None, [first, after @ ..]) => *first == '[' && self.run(rest, after),
                (None, []) => false,
            },
            ['\\', own, rest @ ..] | [own, rest @ ..] => {
                name.first() == Some(own) && self.run(rest, &name[1..])
            }
        }
    }

    fn group(&self, mark: char, options: &[&[char]], rest: &[char], name: &[char]) -> bool {
        let one = |text: &[char]| options.iter().any(|option| self.run(option, text));
        let splits = || (0..=name.len()).map(|n| name.split_at(n));
        match mark {
            '@' => splits().any(|(own, after)| one(own) && self.run(rest, after)),
            '?' => self.run(rest, name) || self.group('@', options, rest, name),
            '*' => self.run(rest, name) || self.group('+', options, rest, name),
            '+' => splits().any(|(own, after)| {
                one(own)
                    && (self.run(rest, after)
                        || (!own.is_empty() && self.group('+', options, rest, after)))
            }),
            _ => splits().any(|(own, after)| !one(own) && self.run(rest, after)),
        }
    }
}

/// Returns where the parenthesis that is open is closed.
fn close(text: &[char]) -> Option<usize> {
    let mut open = 1_usize;
    text.iter().position(|c| {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        open == 0
    })
}

/// Splits what stands in a group at its own bars.
fn options(text: &[char]) -> Vec<&[char]> {
    let (mut open, mut start, mut out) = (0_usize, 0, Vec::new());
    for (at, c) in text.iter().enumerate() {
        match c {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            '|' if open == 0 => {
                out.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out
}

/// Splits a class, whose bracket is open, from what stands behind it.
fn class(text: &[char]) -> Option<(&[char], &[char])> {
    let first = usize::from(matches!(text.first(), Some('!' | '^')));
    let mut at = first;
    while at < text.len() {
        match &text[at..] {
            ['[', ':', named @ ..] => {
                let end = named.windows(2).position(|pair| pair == [':', ']']);
                at += end.map_or(1, |end| end + 4);
            }
            // A bracket that comes first is one of the class.
            [']', ..] if at > first => return Some((&text[..at], &text[at + 1..])),
            _ => at += 1,
        }
    }
    None
}

fn holds(class: &[char], c: char) -> bool {
    let (not, mut rest) = match class {
        ['!' | '^', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mut found = false;
    while !rest.is_empty() {
        if let ['[', ':', named @ ..] = rest
            && let Some(end) = named.windows(2).position(|pair| pair == [':', ']'])
        {
            let name: String = named[..end].iter().collect();
            found |= match name.as_str() {
                "alpha" => c.is_alphabetic(),
                "digit" => c.is_numeric(),
                "alnum" => c.is_alphanumeric(),
                "upper" => c.is_uppercase(),
                "lower" => c.is_lowercase(),
                "space" => c.is_whitespace(),
                "punct" => c.is_ascii_punctuation(),
                _ => false,
            };
            rest = &named[end + 2..];
        } else if let [from, '-', to, behind @ ..] = rest {
            found |= (*from..=*to).contains(&c);
            rest = behind;
        } else {
            found |= rest[0] == c;
            rest = &rest[1..];
        }
    }
    found != not
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_names_what_the_client_found() {
        for (part, yes, no) in [
            ("*", &["a", ".a", ""][..], &[][..]),
            ("a?.md", &["ab.md", "a..md"], &["a.md", "abc.md"]),
            ("[ab].md", &["a.md", "b.md"], &["c.md", "[ab].md"]),
            ("[!a]b.md", &["bb.md"], &["ab.md", "b.md"]),
            ("[^a]b.md", &["bb.md"], &["ab.md"]),
            ("[a-c0-9]", &["b", "7"], &["d", "-"]),
            ("[[:alpha:]]x", &["ax", "éx"], &["1x", ":x"]),
            ("[]x]", &["]", "x"], &["[", "y"]),
            ("[ab", &["[ab"], &["a"]),
            ("@(a|b).md", &["a.md"], &["ab.md", ".md"]),
            ("?(a).md", &["a.md", ".md"], &["aa.md"]),
            ("+(ab|c).md", &["ab.md", "cabc.md"], &[".md", "a.md"]),
            ("*(a).md", &[".md", "aaa.md"], &["b.md"]),
            ("!(a|b).md", &["c.md", "ab.md", ".md"], &["a.md", "b.md"]),
            ("@(a|+(b|c))d", &["ad", "bcd"], &["d", "abd"]),
            ("\\[x].md", &["[x].md"], &["x.md"]),
            ("(p).md", &["(p).md"], &["p.md"]),
        ] {
            yes.iter().for_each(|name| assert!(matches(part, name), "{part} {name}"));
            no.iter().for_each(|name| assert!(!matches(part, name), "{part} {name}"));
        }
        let bomb = "*a".repeat(60);
        assert!(!matches(&bomb, &"a".repeat(59)), "it ends");
    }

    #[test]
    fn ranges_are_written_out() {
        for (glob, expected) in [
            ("m/{1..3}.md", "m/{1,2,3}.md"),
            ("{3..1}{a..c}", "{3,2,1}{a,b,c}"),
            ("{a,b}/{..}/{1..}/{", "{a,b}/{..}/{1..}/{"),
            ("{1..100000000}", "{1..100000000}"),
            (
                "{-9223372036854775808..9223372036854775807}",
                "{-9223372036854775808..9223372036854775807}",
            ),
        ] {
            assert_eq!(ranges(glob), expected);
        }
    }
}

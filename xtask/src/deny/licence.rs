//! Licence expressions, as in `MIT OR (Apache-2.0 AND Unicode-3.0)`.

/// Says whether an expression can be met with the allowed licences; `None` if it isn't one.
///
/// The old `/` is read as `OR`. `A WITH B` is a licence of its own.
pub(super) fn allowed(expression: &str, allow: &[String]) -> Option<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let met = any(&mut rest, allow)?;
    rest.is_empty().then_some(met)
}

fn any(rest: &mut &[&str], allow: &[String]) -> Option<bool> {
    let mut met = all(rest, allow)?;
    while let Some(after) = rest.strip_prefix(&["OR"]) {
        *rest = after;
        met |= all(rest, allow)?;
    }
    Some(met)
}

fn all(rest: &mut &[&str], allow: &[String]) -> Option<bool> {
    let mut met = one(rest, allow)?;
    while let Some(after) = rest.strip_prefix(&["AND"]) {
        *rest = after;
        met &= one(rest, allow)?;
    }
    Some(met)
}

fn one(rest: &mut &[&str], allow: &[String]) -> Option<bool> {
    let (&first, after) = rest.split_first()?;
    *rest = after;
    if first == "(" {
        let met = any(rest, allow)?;
        *rest = rest.strip_prefix(&[")"])?;
        return Some(met);
    }
    if matches!(first, ")" | "OR" | "AND" | "WITH") {
        return None;
    }
    let mut name = first.to_owned();
    if let ["WITH", exception, after @ ..] = *rest {
        name = format!("{first} WITH {exception}");
        *rest = after;
    }
    Some(allow.contains(&name))
}

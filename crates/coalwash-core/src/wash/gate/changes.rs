//! What a difference between two clauses is called.

use super::{
    lexicon::{Lexicon, Role},
    report::Class,
    token::{Claim, Kind, Token},
};

/// A difference: tokens of the old clause, and those that stand in their place.
pub(super) struct Hunk<'a> {
    pub(super) old: &'a [&'a Token],
    pub(super) new: &'a [&'a Token],
    /// Their words in the texts.
    pub(super) old_words: &'a str,
    pub(super) new_words: &'a str,
    /// What stands directly before the old words.
    pub(super) before: Option<char>,
}

/// Returns the narrowest name for a difference.
pub(super) fn classify(hunk: &Hunk<'_>, lexicon: &Lexicon) -> Class {
    if let Some(class) = encoding(hunk.old_words, hunk.new_words) {
        return class;
    }
    if hunk
        .old
        .iter()
        .map(|token| token.loose ^ super::canon::STRUCK)
        .eq(hunk.new.iter().map(|token| token.loose))
        && !hunk.old.is_empty()
    {
        return if hunk.new[0].struck { Class::MovedIntoStruck } else { Class::MovedOutOf };
    }
    let values = |tokens: &[&Token]| tokens.iter().filter(|token| token.kind.is_value()).count();
    let claims = |tokens: &[&Token]| -> Vec<Claim> {
        tokens
            .iter()
            .filter_map(
                |token| if let Role::Claim(claim) = token.role { Some(claim) } else { None },
            )
            .collect()
    };
    let (old_claims, new_claims) = (claims(hunk.old), claims(hunk.new));
    let words = hunk.old.len().saturating_sub(old_claims.len() + values(hunk.old));
    if opens_exception(hunk.old) && !opens_exception(hunk.new) {
        return Class::ExceptionLost;
    }
    if let Some(class) = claim_change(&old_claims, &new_claims)
        && (words < 6 || !hunk.new.is_empty())
        && values(hunk.old) <= values(hunk.new) + usize::from(!old_claims.is_empty())
    {
        return class;
    }
    if let Some(class) = value_change(hunk) {
        return class;
    }
    let unit = |tokens: &[&Token]| tokens.first().is_some_and(|token| token.role == Role::Unit);
    if unit(hunk.old) && (unit(hunk.new) || hunk.old.len() == 1) {
        return Class::UnitChanged;
    }
    match (hunk.old.is_empty(), hunk.new.is_empty()) {
        (false, true) => {
            if matches!(hunk.before, Some('"' | '“' | '”' | '\'' | '‘' | '«' | '「'))
                && hunk.old.len() > 1
            {
                Class::DroppedQuote
            } else {
                Class::DroppedWords
            }
        }
        (true, _) => Class::TermAdded,
        _ => {
            let opposite = matches!((hunk.old, hunk.new), ([one], [other]) if lexicon.opposites(one.loose, other.loose));
            if opposite { Class::Opposite } else { Class::TermChanged }
        }
    }
}

/// Returns whether the words begin a clause such as *except …* or *only when …*.
fn opens_exception(tokens: &[&Token]) -> bool {
    let claim = |at: usize| match tokens.get(at).map(|token| token.role) {
        Some(Role::Claim(claim)) => Some(claim),
        _ => None,
    };
    let first = (0..tokens.len().min(2)).find_map(|at| claim(at).map(|claim| (at, claim)));
    match first {
        Some((_, Claim::Exception)) => true,
        Some((_, Claim::Condition)) => tokens.len() > 1,
        Some((at, Claim::Only)) => {
            matches!(claim(at + 1), Some(Claim::Condition | Claim::Order)) || tokens.len() > at + 2
        }
        _ => false,
    }
}

fn claim_change(old: &[Claim], new: &[Claim]) -> Option<Class> {
    if old.is_empty() && new.is_empty() {
        return None;
    }
    let has = |claims: &[Claim], wanted: fn(&Claim) -> bool| {
        claims.iter().filter(|claim| wanted(claim)).count()
    };
    let pair = |wanted: fn(&Claim) -> bool| (has(old, wanted), has(new, wanted));
    let level =
        |claims: &[Claim], level: fn(&Claim) -> Option<u8>| claims.iter().filter_map(level).max();
    let firm = pair(|claim| matches!(claim, Claim::Prohibition(4) | Claim::Negation));
    let soft = pair(|claim| matches!(claim, Claim::Prohibition(3)));
    let rare = pair(|claim| matches!(claim, Claim::Frequency(1)));
    if firm.0 > firm.1 && (soft.1 > soft.0 || rare.1 > rare.0) {
        return Some(Class::Weaker);
    }
    if firm.1 > firm.0 && (soft.0 > soft.1 || rare.0 > rare.1) {
        return Some(Class::Stronger);
    }
    if firm.0 + soft.0 > firm.1 + soft.1 {
        return Some(Class::NegationLost);
    }
    if firm.0 + soft.0 < firm.1 + soft.1 {
        return Some(Class::NegationAdded);
    }
    let levels: [fn(&Claim) -> Option<u8>; 3] = [
        |claim| if let Claim::Obligation(level) = claim { Some(*level) } else { None },
        |claim| if let Claim::Frequency(level) = claim { Some(*level) } else { None },
        |claim| if let Claim::Certainty(level) = claim { Some(*level) } else { None },
    ];
    for of in levels {
        match (level(old, of), level(new, of)) {
            (Some(a), Some(b)) if a > b => return Some(Class::Weaker),
            (Some(a), Some(b)) if a < b => return Some(Class::Stronger),
            (Some(_), None) => return Some(Class::Weaker),
            (None, Some(_)) => return Some(Class::Stronger),
            _ => {}
        }
    }
    let bound = pair(|claim| matches!(claim, Claim::Bound));
    if bound.0 + bound.1 > 0 {
        return Some(Class::BoundChanged);
    }
    let scope = pair(|claim| {
        matches!(claim, Claim::Only | Claim::Quantity(_) | Claim::Precision | Claim::Choice)
    });
    if scope.0 + scope.1 > 0 {
        return Some(Class::ScopeChanged);
    }
    let exception = pair(|claim| matches!(claim, Claim::Exception));
    if exception.0 > exception.1 {
        return Some(Class::ExceptionLost);
    }
    let order = pair(|claim| matches!(claim, Claim::Order | Claim::Condition | Claim::Exception));
    // Two words of one strength are two words.
    (order.0 + order.1 > 0).then_some(Class::OrderChanged)
}

fn value_change(hunk: &Hunk<'_>) -> Option<Class> {
    let kinds = |tokens: &[&Token]| -> Vec<Kind> {
        tokens.iter().map(|token| token.kind).filter(|kind| kind.is_value()).collect()
    };
    let (old, new) = (kinds(hunk.old), kinds(hunk.new));
    if let Some(kind) = old.first().filter(|_| new.is_empty()) {
        return Some(match kind {
            Kind::Number => Class::DroppedNumber,
            Kind::Date => Class::DroppedDate,
            Kind::Version => Class::DroppedVersion,
            Kind::Path => Class::DroppedPath,
            Kind::Import => Class::DroppedImport,
            Kind::Url | Kind::WikiLink => Class::DroppedLink,
            Kind::Code | Kind::Flag => Class::DroppedCode,
            _ => Class::DroppedWords,
        });
    }
    let kind = *old.first().or(new.first())?;
    if old.is_empty() {
        return Some(if hunk.old.is_empty() { Class::TermAdded } else { Class::TermChanged });
    }
    Some(match kind {
        Kind::Number => number(hunk.old_words, hunk.new_words),
        Kind::Date => Class::DateChanged,
        Kind::Version => Class::VersionChanged,
        Kind::Path | Kind::Import => Class::PathChanged,
        Kind::Flag => Class::FlagChanged,
        Kind::Url | Kind::WikiLink => Class::UrlChanged,
        Kind::Name if new.iter().all(|kind| *kind == Kind::Number) => Class::NumberChanged,
        Kind::Name => Class::TermChanged,
        _ => code(hunk.old_words, hunk.new_words),
    })
}

/// Returns what happened to a number.
fn number(old: &str, new: &str) -> Class {
    let (Some(a), Some(b)) = (Read::of(old), Read::of(new)) else { return Class::NumberChanged };
    #[expect(clippy::float_cmp, reason = "the same digits give the same value")]
    if a.value == -b.value || (a.value == b.value && a.signed != b.signed) {
        return Class::SignChanged;
    }
    if a.figures >= 2 && b.unit > a.unit && (a.value - b.value).abs() < b.unit {
        return Class::PrecisionLost;
    }
    Class::NumberChanged
}

/// A number as it was written.
struct Read {
    value: f64,
    signed: bool,
    /// The place of its last figure that is no trailing zero.
    unit: f64,
    figures: usize,
}

impl Read {
    fn of(text: &str) -> Option<Self> {
        let start = text.find(|c: char| c.is_ascii_digit())?;
        let sign = text[..start].chars().next_back().filter(|c| matches!(c, '-' | '+' | '−'));
        let digits: String = text[start..]
            .chars()
            .filter(|c| *c != ',')
            .take_while(|c| c.is_ascii_digit() || *c == '.')
            .collect();
        let digits = digits.trim_end_matches('.');
        let rest = text[start..]
            .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ',' | '.'));
        let scale = if rest.starts_with(['k', 'K']) && !rest[1..].starts_with(char::is_alphabetic) {
            1000.0
        } else {
            1.0
        };
        let value: f64 = digits.parse().ok()?;
        let unit = match digits.split_once('.') {
            Some((_, part)) => 10_f64.powi(-i32::try_from(part.len()).ok()?),
            None => {
                10_f64.powi(i32::try_from(digits.len() - digits.trim_end_matches('0').len()).ok()?)
            }
        };
        let figures = digits
            .chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
            .trim_start_matches('0')
            .len();
        let negative = matches!(sign, Some('-' | '−'));
        Some(Self {
            value: if negative { -value } else { value } * scale,
            signed: sign.is_some(),
            unit: unit * scale,
            figures,
        })
    }
}

/// Returns what kind of thing changed inside code.
pub(super) fn code(old: &str, new: &str) -> Class {
    let start = old
        .char_indices()
        .zip(new.chars())
        .find(|((_, a), b)| a != b)
        .map_or(old.len().min(new.len()), |((at, _), _)| at);
    if start >= old.len() {
        return Class::CodeChanged;
    }
    let space = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | '=');
    let from = old[..start].rfind(space).map_or(0, |at| at + 1);
    let to = old[start..].find(space).map_or(old.len(), |at| start + at);
    let word = old.get(from..to.max(from)).unwrap_or("");
    if word.contains("://") {
        Class::UrlChanged
    } else if word.starts_with('-') && !word[1..].starts_with(|c: char| c.is_ascii_digit()) {
        Class::FlagChanged
    } else if word.contains('/') {
        Class::PathChanged
    } else if old[start..].starts_with(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | ','))
    {
        if word.matches('.').count() > 1 { Class::VersionChanged } else { Class::NumberChanged }
    } else {
        Class::CodeChanged
    }
}

/// Returns how the bytes of the same text were damaged, if that is all that differs.
pub(super) fn encoding(old: &str, new: &str) -> Option<Class> {
    if old.is_empty() || new.is_empty() || (old.is_ascii() && new.is_ascii()) {
        return None;
    }
    let plain = |text: &str, fold: fn(char) -> Option<char>| {
        text.chars().filter_map(fold).collect::<String>()
    };
    let bare = |c: char| {
        (!super::encoding::is_invisible(c)).then_some(if c == '\u{a0}' { ' ' } else { c })
    };
    if old != new && plain(old, bare) == plain(new, bare) {
        return Some(Class::EncodingInvisible);
    }
    let typographic = |c: char| Some(super::encoding::straight(c));
    let dashes = |text: String| text.replace("--", "-");
    if dashes(plain(old, typographic)) == dashes(plain(new, typographic)) {
        return Some(Class::EncodingTypographic);
    }
    let look_alike = |c: char| Some(super::encoding::look_alike(c));
    if plain(old, look_alike) == plain(new, look_alike) {
        return Some(Class::EncodingLookAlike);
    }
    if super::encoding::undecomposed(new).as_deref() == Some(old)
        || super::encoding::undecomposed(old).as_deref() == Some(new)
    {
        return Some(Class::EncodingDecomposed);
    }
    (super::encoding::repaired(new).as_deref() == Some(old)).then_some(Class::EncodingDamaged)
}

//! Proofs that two clauses say the same although their words stand in another order.

use std::ops::Range;

use super::{
    lexicon::{Lexicon, Role},
    token::{Claim, Kind, Token},
};

/// What a proof compares tokens by.
type Name = fn(&Token) -> u64;

/// Returns where another particle stands than in `old`, each with the word before it.
///
/// A particle may go, but one that marks who does it may not take the place of one that marks to
/// whom it is done. Both hold the same words otherwise.
pub(super) fn exchanged(
    old: &[&Token],
    new: &[&Token],
    lexicon: &Lexicon,
) -> Option<(Range<usize>, Range<usize>)> {
    let marked = |tokens: &[&Token]| -> Vec<Option<(u64, Range<usize>)>> {
        let mut gaps = vec![None];
        let mut word = 0;
        for (at, token) in tokens.iter().enumerate() {
            if token.loose != 0 {
                gaps.push(None);
                word = at;
            } else if token.role == Role::Function
                && let Some(mark) = lexicon.marks(token.strict)
                && let Some(gap) = gaps.last_mut()
            {
                *gap = Some((mark, word..at + 1));
            }
        }
        gaps
    };
    marked(old).into_iter().zip(marked(new)).find_map(|gaps| match gaps {
        (Some((one, x)), Some((other, y))) if one != other => Some((x, y)),
        _ => None,
    })
}

/// Returns whether `new` is `old` with its two halves exchanged: "Before X, do Y" and "Do Y before X".
///
/// The half that moved has to open with a word such as *before* or *if*, and a comma, bracket or dash
/// has to stand at the cut in one of the two.
pub(super) fn rotated(old: &[&Token], new: &[&Token], lexicon: &Lexicon, name: Name) -> bool {
    old.len() == new.len() && (turned(old, new, lexicon, name) || turned(new, old, lexicon, name))
}

/// Looks for a cut of `apart`, at a comma, whose halves `other` holds the other way round.
fn turned(apart: &[&Token], other: &[&Token], lexicon: &Lexicon, name: Name) -> bool {
    let len = apart.len();
    let first = match other.first() {
        Some(token) => name(token),
        None => return false,
    };
    // Of a word that stands again and again, the first few places are tried.
    let mut tries = 0;
    for cut in 1..len {
        if !apart[cut].apart || name(apart[cut]) != first {
            continue;
        }
        tries += 1;
        if tries > 8 {
            return false;
        }
        let opens = leads(apart[0], lexicon) || leads(apart[cut], lexicon);
        let (head, tail) = apart.split_at(cut);
        if opens
            && tail
                .iter()
                .chain(head)
                .map(|token| name(token))
                .eq(other.iter().map(|token| name(token)))
        {
            return true;
        }
    }
    false
}

fn leads(token: &Token, lexicon: &Lexicon) -> bool {
    matches!(token.role, Role::Claim(Claim::Condition | Claim::Order | Claim::Exception))
        || lexicon.leads(token.strict)
}

/// Returns whether one is the passive of the other: "A reads B" and "B is read by A", or "Read B".
///
/// What both begin with, up to a comma, is not looked at.
pub(super) fn voiced(old: &[&Token], new: &[&Token], words: &Voice) -> bool {
    let head = old.iter().zip(new).take_while(|(a, b)| a.strict == b.strict).count();
    let cut = (0..=head)
        .rev()
        .find(|at| *at == 0 || old.get(*at).is_some_and(|token| token.apart))
        .unwrap_or(0);
    let (old, new) = (&old[cut..], &new[cut.min(new.len())..]);
    passive_of(old, new, words) || passive_of(new, old, words)
}

/// The words that make a passive.
pub(super) struct Voice {
    /// The words that stand before who does it.
    pub(super) by: Vec<u64>,
    /// Forms of *be*.
    pub(super) be: Vec<u64>,
}

/// Returns whether `passive` says with *is …ed by* what `active` says.
fn passive_of(active: &[&Token], passive: &[&Token], words: &Voice) -> bool {
    let Some(by) = passive.iter().position(|token| words.by.contains(&token.strict)) else {
        return commanded(active, passive, words);
    };
    let Some(be) = passive[..by].iter().rposition(|token| words.be.contains(&token.strict)) else {
        return false;
    };
    let seen = |tokens: &[&Token]| {
        tokens.iter().map(|token| token.loose).filter(|loose| *loose != 0).collect::<Vec<u64>>()
    };
    // Claims and adverbs that stand between be and the verb belong to the verb on either side.
    let object = &passive[..be];
    let middle = &passive[be + 1..by];
    let tail = seen(&passive[by + 1..]);
    let full = seen(active);
    let verb_at = middle
        .iter()
        .position(|token| token.loose != 0 && !matches!(token.role, Role::Claim(_)))
        .unwrap_or(middle.len());
    let (claims, verb) = middle.split_at(verb_at);
    // "O must be built by S": the claim stands before be.
    let (object_claims, object): (Vec<&Token>, Vec<&Token>) = {
        let split = object
            .iter()
            .rposition(|token| !matches!(token.role, Role::Claim(_)) && token.loose != 0)
            .map_or(0, |at| at + 1);
        (object[split..].to_vec(), object[..split].to_vec())
    };
    let object = seen(&object);
    let Some((verb, rest)) = verb
        .iter()
        .filter(|token| token.loose != 0)
        .map(|token| token.loose)
        .collect::<Vec<u64>>()
        .split_first()
        .map(|(verb, rest)| (*verb, rest.to_vec()))
    else {
        return false;
    };
    let claims: Vec<u64> = object_claims
        .iter()
        .chain(claims)
        .map(|token| token.loose)
        .filter(|loose| *loose != 0)
        .collect();
    if object.is_empty() {
        return false;
    }
    // active = agent + claims + verb + object + what else there is, of which the passive may hold a
    // part before *by* and a part behind the agent. "by it" names nobody.
    let said = |agent: usize, flip: bool| {
        let (doer, more) = tail.split_at(agent);
        let (one, other) = if flip { (more, &rest[..]) } else { (&rest[..], more) };
        doer.iter().chain(&claims).chain([&verb]).chain(&object).chain(one).chain(other).eq(&full)
    };
    tail.len() + claims.len() + 1 + object.len() + rest.len() == full.len()
        // The tail tells the agent as far as the active begins with it.
        && (0..=tail.iter().zip(&full).take_while(|(a, b)| a == b).count())
            .any(|agent| said(agent, false) || said(agent, true))
}

/// Returns whether `active` orders what `passive` says is done: "Clean B after A", "B is cleaned after
/// A".
fn commanded(active: &[&Token], passive: &[&Token], words: &Voice) -> bool {
    let seen = |tokens: &[&Token]| -> Vec<u64> {
        tokens.iter().map(|token| token.loose).filter(|loose| *loose != 0).collect()
    };
    let Some(be) = passive.iter().position(|token| words.be.contains(&token.strict)) else {
        return false;
    };
    let (object, rest) = (seen(&passive[..be]), &passive[be + 1..]);
    let verb =
        rest.iter().position(|token| token.loose != 0 && !matches!(token.role, Role::Claim(_)));
    let Some(verb) = verb.filter(|_| !object.is_empty()) else { return false };
    let mut want = seen(&rest[..=verb]);
    want.extend(object);
    want.extend(seen(&rest[verb + 1..]));
    // It is an order, or nobody in particular does it.
    want == seen(active)
}

/// Returns whether the words are the same and only adverbs, *A of B* for *B A*, or the order of a
/// list of like things differ.
pub(super) fn reordered(old: &[&Token], new: &[&Token]) -> bool {
    let seen = |tokens: &[&Token]| -> Vec<(u64, Role, Kind)> {
        tokens
            .iter()
            .filter(|token| token.loose != 0)
            .map(|token| (token.loose, token.role, token.kind))
            .collect()
    };
    let (a, b) = (seen(old), seen(new));
    if a.len() != b.len() {
        return false;
    }
    let sorted = |tokens: &[(u64, Role, Kind)]| {
        let mut names: Vec<u64> = tokens.iter().map(|token| token.0).collect();
        names.sort_unstable();
        names
    };
    if sorted(&a) != sorted(&b) {
        return false;
    }
    // One adverb of frequency may stand anywhere in a clause that has no parts.
    let often = |token: &(u64, Role, Kind)| matches!(token.1, Role::Claim(Claim::Frequency(_)));
    let parts = |tokens: &[&Token]| tokens.iter().skip(1).any(|token| token.apart || joins(token));
    let one = a.iter().filter(|token| often(token)).count() == 1;
    let free = one && !parts(old) && !parts(new);
    let names = |tokens: &[(u64, Role, Kind)]| -> Vec<u64> {
        tokens.iter().filter(|token| !(free && often(token))).map(|token| token.0).collect()
    };
    let (a, b) = (names(&a), names(&b));
    if a == b {
        return true;
    }
    // One exchange of two neighbours, with "of" between them on one side.
    let Some(at) = a.iter().zip(&b).position(|(a, b)| a != b) else { return false };
    at + 1 < a.len()
        && a[at] == b[at + 1]
        && a[at + 1] == b[at]
        && a[at + 2..] == b[at + 2..]
        && (of_between(old, a[at], a[at + 1]) != of_between(new, a[at + 1], a[at]))
}

/// Returns whether a word joins two things that are said.
fn joins(token: &Token) -> bool {
    const WORDS: [&str; 9] = ["and", "but", "und", "aber", "y", "e", "pero", "while", "whereas"];
    matches!(token.role, Role::Claim(Claim::Choice | Claim::Order | Claim::Condition))
        || WORDS.iter().any(|word| super::lexicon::hash_of(word) == token.strict)
}

/// Returns whether *of* stands between these two in `tokens`.
fn of_between(tokens: &[&Token], one: u64, other: u64) -> bool {
    let of = super::lexicon::hash_of("of");
    tokens.iter().enumerate().any(|(at, token)| {
        token.loose == one
            && token.kind == Kind::Word
            && tokens[at + 1..].iter().position(|next| next.loose != 0).is_some_and(|gap| {
                tokens[at + 1 + gap].loose == other
                    && tokens[at + 1..at + 1 + gap].iter().any(|token| token.strict == of)
            })
    })
}

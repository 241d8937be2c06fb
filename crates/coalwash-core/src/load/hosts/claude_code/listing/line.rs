//! One line of a list of skills and commands, and the room that a list has.

use std::borrow::Cow;
use std::cmp::Reverse;

use serde_json::Value;
use unicode_width::UnicodeWidthChar as _;

use super::super::markdown::Dialect;
use super::super::model_of;
use super::{Found, scalar};
use crate::load::hosts::ListingRules;
use crate::load::map::{Entry, Kind, Tier};
use crate::load::walk::Walk;
use crate::text::lines::{is_js_space, js_trim, utf16_len, utf16_prefix};

/// A skill or command that is listed.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) file: Found,
    /// The name it is listed under.
    pub(super) name: String,
    /// Its description; empty where only the name is listed.
    pub(super) text: String,
    pub(super) tier: Tier,
    /// The `paths` that it waits for, as they are written.
    pub(super) paths: Vec<String>,
    /// What they come to.
    pub(super) patterns: Vec<String>,
    pub(super) reason: Cow<'static, str>,
}

impl Listed {
    /// Returns the line in the list, whole or as a mere name.
    pub(super) fn line(&self, whole: bool, dialect: Dialect) -> String {
        match whole && !self.text.is_empty() {
            true => format!("- {}: {}", shown_name(&self.name, &self.file, dialect), self.text),
            false => format!("- {}", self.name),
        }
    }

    /// Returns the entry of the line.
    pub(super) fn entry(&self, whole: bool, dialect: Dialect) -> Entry {
        let cut = !whole && !self.text.is_empty();
        let reason = match cut && self.tier == Tier::Always {
            true => Cow::Borrowed("its name; the list is over the host's budget"),
            false => self.reason.clone(),
        };
        Entry {
            reason,
            paths: self.paths.clone(),
            patterns: self.patterns.clone(),
            name: Some(self.name.clone()),
            ..self.file.entry(self.tier, self.line(whole, dialect))
        }
    }

    /// Returns the columns of the line, as a mere name and whole.
    fn columns(&self, dialect: Dialect) -> (usize, usize) {
        let name = 2 + width(&self.name);
        let whole = match self.text.is_empty() {
            true => name,
            false => 4 + width(&shown_name(&self.name, &self.file, dialect)) + width(&self.text),
        };
        (name, whole)
    }
}

/// Returns which lines keep their description when the list is over the host's budget.
///
/// `host` names the lines of the host's own that stand in the same list, if any do.
pub(super) fn within_budget(
    walk: &Walk<'_>,
    lines: &[Listed],
    host: Option<&ListingRules>,
) -> Vec<bool> {
    let columns: Vec<_> = lines.iter().map(|l| l.columns(walk.profile.dialect)).collect();
    let breaks = match host {
        Some(host) => host.built_in + lines.len(),
        None => lines.len().saturating_sub(1),
    };
    let fixed = breaks + columns.iter().map(|(name, _)| name).sum::<usize>();
    let mut left = budget(walk).saturating_sub(fixed);
    // The host's own commands stand behind all others; without a line of ours, they only take room.
    let own = lines.iter().zip(&columns).enumerate();
    let own = own.map(|(i, (line, (name, whole)))| (line.name.as_str(), whole - name, Some(i)));
    let commands = host.map_or(&[][..], |host| &host.commands);
    let mut by_use: Vec<_> =
        own.chain(commands.iter().map(|(name, more)| (*name, *more, None))).collect();
    by_use.sort_by_key(|(name, ..)| Reverse(walk.scene.skill_use.get(*name).copied().unwrap_or(0)));
    let mut kept = vec![true; lines.len()];
    for (_, more, line) in by_use {
        let fits = more <= left;
        if fits {
            left -= more;
        }
        if let Some(line) = line {
            kept[line] = fits;
        }
    }
    kept
}

/// Returns the characters that the list may have.
fn budget(walk: &Walk<'_>) -> usize {
    if let Some(budget) = walk.scene.listing_budget {
        return budget;
    }
    let share = walk.scene.settings.listing_share_millionths.unwrap_or(10_000);
    let model = model_of(walk.profile, walk.scene);
    let characters = model.window_tokens * model.characters_per_token * share / 1_000_000;
    usize::try_from(characters).unwrap_or(usize::MAX)
}

/// Returns the columns that `text` takes on a terminal, which is how the host counts.
fn width(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}

/// Returns the description as it is listed. `suffix` stands behind the file's own description, and
/// before its `when_to_use`.
pub(super) fn described(file: &Found, suffix: &str, most_units: usize, dialect: Dialect) -> String {
    let mut text = scalar(&file.keys, "description").unwrap_or_else(|| first_line(file));
    text.push_str(suffix);
    match file.keys.get("when_to_use") {
        Some(Value::String(when)) if !when.is_empty() => text = format!("{text} - {when}"),
        Some(Value::Array(items)) => {
            let items: Vec<_> = items.iter().filter_map(Value::as_str).collect();
            text = format!("{text} - {}", items.join(","));
        }
        _ => {}
    }
    if dialect == Dialect::V2_1_332 {
        text = plain(&text);
    }
    if utf16_len(&text) > most_units {
        text = format!("{}…", cut_by_units(&text, most_units - 1));
    }
    text
}

/// Cuts as the host does, which sends half of a character as U+FFFD.
fn cut_by_units(text: &str, units: usize) -> String {
    let kept = utf16_prefix(text, units);
    let half = if utf16_len(kept) < units { "\u{fffd}" } else { "" };
    format!("{kept}{half}")
}

/// Makes a description one line without markup, as the newer host does.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last_was_break = false;
    for c in text.chars() {
        let is_break = matches!(c, '\n' | '\r');
        match c {
            _ if is_break && last_was_break => {}
            _ if is_break => out.push(' '),
            c if c.is_control() || c == '\u{2028}' => out.push(' '),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
        last_was_break = is_break;
    }
    out
}

fn first_line(file: &Found) -> String {
    const MOST: usize = 100;
    let line = file.body.split('\n').map(js_trim).find(|line| !line.is_empty());
    let Some(line) = line else {
        let name = if file.kind == Kind::Skill { "Skill" } else { "Custom command" };
        return name.to_owned();
    };
    let text = line.trim_start_matches('#');
    let heading = text.len() < line.len() && text.starts_with(is_js_space);
    let line = if heading { text.trim_start_matches(is_js_space) } else { line };
    if utf16_len(line) > MOST {
        format!("{}...", utf16_prefix(line, MOST - 3))
    } else {
        line.to_owned()
    }
}

/// Returns the name, with the one in the front matter behind it where that is another plain word.
fn shown_name(name: &str, file: &Found, dialect: Dialect) -> String {
    let own = match file.keys.get("name") {
        Some(Value::String(own)) => own,
        _ => return name.to_owned(),
    };
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '-');
    let differs = *own != file.name && !own.is_empty() && own.chars().all(word);
    // A name with its folder before it is shown alone.
    let alone = name != file.name;
    if dialect == Dialect::V2_1_332 && file.kind == Kind::Skill && differs && !alone {
        format!("{name} ({own})")
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_become_one_line() {
        assert_eq!(plain("a\r\n\nb<c>\td"), "a b&lt;c&gt; d");
    }
}

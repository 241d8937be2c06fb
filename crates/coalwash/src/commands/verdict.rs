//! The verdict in a person's words, where it says more than the findings do.

use coalwash_core::load::verdict::{Cap, CapacitySource, Reason};
use coalwash_core::text::Tokens;

use crate::judge::is_full;
use crate::look::Look;
use crate::ui::{kilo, plural};

/// Returns what to say of a session that is full from its start.
pub(crate) fn full(found: &Look) -> Option<String> {
    let judged = found.judged.as_ref()?;
    if judged.judgement.verdict.cap != Some(Cap::Capacity) {
        return None;
    }
    let tokens = found.tokens();
    if !is_full(tokens, &judged.capacity, found.window_tokens) {
        return None;
    }
    let source = match judged.capacity.source {
        CapacitySource::StatsCache => "by the host's own statistics",
        CapacitySource::CapacityFile => "by `capacity.json`",
        CapacitySource::ConservativeDefault => "assumed, since nothing here tells",
    };
    Some(format!(
        "Too much for one session: {} tokens load, and {} fit before it is compacted ({source}); \
         take out or defer the largest",
        kilo(tokens),
        kilo(Tokens(judged.capacity.tokens)),
    ))
}

/// Returns after how long cutting repeats has paid, where it pays.
pub(crate) fn pays(found: &Look) -> Option<String> {
    let judgement = &found.judged.as_ref()?.judgement;
    let economic = judgement.verdict.reason == Reason::Economic && judgement.break_even.economical;
    let some = found.repeats.certain_tokens().0 > 0;
    let days = judgement.break_even.break_even_days.filter(|_| economic && some)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "what pays does so within two weeks"
    )]
    let days = days.ceil() as usize;
    Some(format!("cutting them pays for itself in {}", plural(days, "day", "days")))
}

/// Returns whether a run has shown that an index which is cut has nothing left to take out.
pub(crate) fn nothing_left(found: &Look) -> bool {
    let judged = found.judged.as_ref();
    judged.is_some_and(|judged| judged.judgement.verdict.reason == Reason::Externalize)
}

/// Returns the verdict in one line, for a screen that lists no repeats.
pub(crate) fn line(found: &Look) -> Option<String> {
    let repeats = kilo(found.repeats.certain_tokens());
    full(found).or_else(|| Some(format!("{repeats} tokens of exact repeats; {}", pays(found)?)))
}

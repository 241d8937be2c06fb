//! The steps of the gate by name, so that a test can leave each out and see that an example needs it.

/// A step of the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rung {
    /// Prose that became code, and the reverse.
    Lines,
    /// Headings of other words over the same section.
    Renamed,
    /// Clauses that share words.
    Alike,
    /// Halves of a clause of which the other half is known.
    Absorbed,
    Rotated,
    Voiced,
    Reordered,
    Swapped,
    Copies,
    Moved,
    Checkboxes,
    Steps,
    Fences,
    Sequels,
    /// Damage to letters inside a clause.
    Damage,
    /// Damage to a text as a whole.
    Introduced,
    /// Quotations count as they stand.
    Quoted,
    /// Words that say as much as others.
    Phrases,
}

#[cfg(test)]
thread_local! {
    static OFF: std::cell::Cell<Option<Rung>> = const { std::cell::Cell::new(None) };
}

/// Returns whether a step is taken: always, but in the test of the steps.
#[cfg(test)]
pub(super) fn on(rung: Rung) -> bool {
    OFF.get() != Some(rung)
}

/// Returns whether a step is taken: always, but in the test of the steps.
#[cfg(not(test))]
pub(super) fn on(_: Rung) -> bool {
    true
}

/// Leaves a step out on this thread while `run` runs.
#[cfg(test)]
pub(super) fn without<T>(rung: Rung, run: impl FnOnce() -> T) -> T {
    OFF.set(Some(rung));
    let out = run();
    OFF.set(None);
    out
}

#[cfg(test)]
impl Rung {
    pub(super) const ALL: [Self; 18] = [
        Self::Lines,
        Self::Renamed,
        Self::Alike,
        Self::Absorbed,
        Self::Rotated,
        Self::Voiced,
        Self::Reordered,
        Self::Swapped,
        Self::Copies,
        Self::Moved,
        Self::Checkboxes,
        Self::Steps,
        Self::Fences,
        Self::Sequels,
        Self::Damage,
        Self::Introduced,
        Self::Quoted,
        Self::Phrases,
    ];
}

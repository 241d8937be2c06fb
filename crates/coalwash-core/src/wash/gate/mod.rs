//! The facts of a Markdown document, and what a rewrite did to them.
//!
//! A rewrite may change layout and shorten filler. It may not drop a fact, change its value, weaken
//! its claim or move it to a place where it no longer holds.
//!
//! Pure: no IO, no clock, no panics. Malformed Markdown is text, not an error. Cost is linear.
//!
//! **Not promised:** a rewording whose every claim word, value and content word is equal is reported
//! as `reworded` and passes; whether it means the same is for a reader to say.

mod align;
mod approvals;
mod canon;
mod changes;
mod chunks;
mod compare;
mod diff;
mod encoding;
mod facts;
mod lexicon;
mod pins;
mod places;
mod proofs;
mod report;
mod rungs;
mod scan;
mod side;
#[cfg(test)]
mod tests;
mod token;

#[cfg(test)]
use {canon::Memo, compare::compared};

pub use approvals::{Approval, Approvals, SCHEMA as APPROVALS_SCHEMA};
pub use compare::{Gate, MOST_BYTES, compare, distinct_facts, facts};
pub(super) use facts::body;
pub use pins::{is_pinned, kept};
pub use report::{Class, Finding, MOST_CHARS, Report, Span};

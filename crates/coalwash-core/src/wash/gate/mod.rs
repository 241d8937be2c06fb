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
mod canon;
mod changes;
mod compare;
mod encoding;
mod facts;
mod lexicon;
mod places;
mod proofs;
mod report;
mod scan;
mod side;
#[cfg(test)]
mod tests;
mod token;

pub use compare::{MOST_BYTES, compare};
pub use report::{Class, Finding, MOST_CHARS, Report, Span};

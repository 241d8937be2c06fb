//! Transcripts: the records that hosts write, read from bytes that may be damaged.
//!
//! [`split`] finds the records of a file whatever happened to it; [`claude_code`] gives them types.
//! Observation, archive, search and ledger all read through here, so that a damaged line is
//! treated, and counted, the same everywhere.

pub mod claude_code;
pub mod split;

pub use split::{Damage, Piece, pieces};

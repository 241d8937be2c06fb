//! What coding agents load into every context, worked out from values.
//!
//! Pure: no IO, no clock, no environment, no threads. What has to be read comes in through
//! [`load::Tree`], what time it is comes in as an argument. Bad input gives a value and notes,
//! never a panic.

pub mod config;
pub mod load;
pub mod text;
pub mod transcripts;
pub mod wash;

//! The IO edge of coalwash.
//!
//! Everything that reads or writes a user's file is here; what it means is worked out in
//! `coalwash-core`. Nothing here knows the command line, prints, or reads the environment.

pub mod config;
pub mod disk;
pub mod load;
pub mod transcripts;
pub mod wash;

//! Reads transcripts.

mod observe;

pub use observe::{Observed, newest_first, observe};

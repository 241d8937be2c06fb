//! Development tasks.

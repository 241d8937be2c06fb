//! The integration tests, in one binary.

mod answers;
mod load_table;

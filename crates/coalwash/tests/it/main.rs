//! The integration tests, in one binary.

mod answers;
mod goldens;
mod load_table;

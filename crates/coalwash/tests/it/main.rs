//! The integration tests, in one binary.

mod answers;
mod bad_input;
mod contract;
mod goldens;
mod home;
mod load_table;
mod screens;

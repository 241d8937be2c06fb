//! The integration tests, in one binary.

#![expect(clippy::unwrap_used, reason = "a test says what it needs by failing")]
#![expect(clippy::disallowed_methods, reason = "tests build trees")]

mod answers;
mod bad_input;
mod check;
mod config;
mod contract;
mod gauge;
mod goldens;
mod home;
mod load_table;
mod memory;
mod mutation;
mod other_hosts;
mod rows;
mod screens;

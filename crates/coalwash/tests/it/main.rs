//! The integration tests, in one binary.

#![expect(clippy::unwrap_used, reason = "a test says what it needs by failing")]
#![expect(clippy::disallowed_methods, reason = "tests build trees")]

mod answers;
mod bad_input;
mod check;
mod check_base;
mod ci;
mod config;
mod contract;
mod diff;
mod formats;
mod gauge;
mod goldens;
mod home;
mod load_table;
mod memory;
mod mutation;
mod node;
mod other_hosts;
mod quick;
mod rewrites;
mod rows;
mod runs;
mod schema;
mod screens;
mod wash;

//! Holds what we work out against what a client was seen to send, as `cargo xtask live` does.

pub(crate) use xtask::compare::{ask, order_differs, ours};

//! The tests of the crate over real files, and with real sessions.

// A test that cannot go on should say so loudly; the allowance for tests does not reach their fixtures.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod predict;
mod reload;
mod tools;
mod world;

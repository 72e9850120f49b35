//! The tests of the crate over real files.

// A test that cannot go on should say so loudly; the allowance for tests does not reach their fixtures.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod script_calls;
mod script_dspy;
mod script_hostile;
mod script_library;
mod script_tool;
mod script_world;

//! The integration tests of the model wires: thousands of histories, every wire, judged by validators that
//! were written from what the providers publish.

// A test that cannot go on should say so loudly; the allowance for tests does not reach their fixtures.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod histories;
mod histories_cast;
mod histories_dice;
mod histories_harm;
mod histories_maker;
mod histories_switch;
mod validators;

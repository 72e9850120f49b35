//! The integration tests of the model wires: one suite of scenarios on every wire, and thousands of histories
//! that are judged by validators written from what the providers publish.

// A test that cannot go on should say so loudly; the allowance for tests does not reach their fixtures.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod conformance;
mod conformance_answers;
mod conformance_cell;
mod conformance_faults;
mod conformance_requests;
mod histories;
mod histories_cast;
mod histories_dice;
mod histories_harm;
mod histories_maker;
mod histories_switch;
mod validators;

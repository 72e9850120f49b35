//! The integration tests of the core: whole runs through the pure machine, no runtime, no IO.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod loop_calls;
mod loop_context;
mod loop_correction;
mod loop_ending;
mod loop_flow;
mod loop_form;
mod loop_limits;
mod loop_model;
mod loop_order;
mod loop_permission;
mod loop_recovery;
mod loop_repeats;
mod loop_staging;
mod profile_dspy;
mod profile_edison;
mod profile_ploke;
mod profile_studio;
mod profile_zodo;
mod rehearsals;
mod sim;
mod walks;

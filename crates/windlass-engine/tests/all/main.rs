//! The integration tests of the engine: its parts through their public faces, with a real runtime.

// A test that cannot go on should say so loudly; the allowance for tests does not reach their fixtures.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod bus;
mod host;
mod host_fixture;
mod host_outside;
mod host_readers;
mod host_recovery;
mod host_steps;
mod inside;
mod journal;
mod live_values;
mod memory_store;
mod model;
mod recovery;
mod recovery_world;
mod registry;
mod session;
mod sources;
mod spans;
mod tool_run;
mod tools;

//! What the library promises, through its public interface alone.

// A test that cannot go on should say so loudly; the allowance for tests does not reach their fixtures.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod agent;
mod attribute;
mod blocking;
mod examples;
mod host;
#[cfg(feature = "models")]
mod models;
#[cfg(feature = "models")]
mod providers;
mod reading;
mod registry;
mod same_loop;
mod tool_error;
mod wrapper;

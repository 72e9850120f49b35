//! What the library promises, through its public interface alone.

// A test that cannot go on should say so loudly; the allowance for tests does not reach their fixtures.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod agent;
mod ask_user;
mod attribute;
mod blocking;
#[cfg(feature = "testing")]
mod cassettes;
#[cfg(feature = "modules")]
mod circles;
#[cfg(all(feature = "client", feature = "server"))]
mod client;
#[cfg(all(feature = "store", unix))]
mod durable;
#[cfg(feature = "modules")]
mod engine;
#[cfg(feature = "modules")]
mod engine_errors;
#[cfg(feature = "modules")]
mod engine_models;
#[cfg(feature = "modules")]
mod engine_scripts;
#[cfg(feature = "modules")]
mod engine_sync;
mod examples;
mod executors;
#[cfg(feature = "testing")]
mod expectations;
#[cfg(feature = "modules")]
mod fire;
mod host;
#[cfg(feature = "models")]
mod models;
#[cfg(all(feature = "server", feature = "store"))]
mod order_desk;
#[cfg(feature = "models")]
mod providers;
mod reading;
mod registry;
mod same_loop;
#[cfg(feature = "server")]
mod served;
#[cfg(feature = "store")]
mod sessions;
#[cfg(feature = "modules")]
mod shop;
#[cfg(feature = "modules")]
mod signature;
#[cfg(feature = "otel")]
mod spans;
mod tool_error;
mod toolkit;
mod typed;
mod typed_cases;
#[cfg(feature = "builtin")]
mod typed_in_process;
#[cfg(feature = "models")]
mod typed_matrix;
#[cfg(feature = "store")]
mod wishes;
mod wrapper;

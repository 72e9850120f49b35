//! Runs the decisions of the core: the registry of tools, validation, calls, journal and bus.
//!
//! Keeps in: the runtime and the schema library. Knows no HTTP, no SQL and no terminal.
//!
//! # Rooms
//!
//! - `session`: the handle front ends hold, the actor behind it, and what it keeps for its tools
//! - `tools`: which tools there are, whether arguments fit them, and one call from its start to its outcome
//! - `form`: whether an answer is what its run wished for
//! - `host`: all sessions of a process, as front ends see them
//! - `journal`: records and rows in memory, for sessions that need not outlive the process
//! - `policy`: remembered rules and the trail of decisions, in files
//! - `bus`: events on their way to front ends
//! - `clock`, `ids`, `jitter`: the only sources of time, of new names and of chance
//! - `limits`: every bound, with its reason

pub mod bus;
pub mod clock;
pub mod form;
pub mod host;
pub mod ids;
mod jitter;
pub mod journal;
pub mod limits;
mod policy;
pub mod session;
mod tools;

pub use journal::memory_store;
pub use policy::{audit_file, policy_file, policy_store};
pub use session::{one_call, results, tasks};
pub use tools::{cancel, executor, explain, inside, registry, sources, tool_run, validate};

//! Runs the decisions of the core: the registry of tools, validation, calls, journal and bus.
//!
//! Keeps in: the runtime and the schema library. Knows no HTTP, no SQL and no terminal.
//!
//! # Layout
//!
//! - `session`: the handle front ends hold; behind it one actor a session (`actor`, `effects`,
//!   `live_values`, `model_speech`), which can stop in the middle of a run (`park`) and take it up again (`resume`)
//! - `host`: all sessions of a process, as front ends see them; `memory_store` is a store for it
//! - `inside`: calls that a running call makes itself
//! - `executor`: tools that programs of a user's own run
//! - `one_call`, `explain`: one call from outside, and what would become of it
//! - `registry`, `validate`: which tools there are, and whether arguments fit them
//! - `tool_run`, `cancel`: one call, from its start to its outcome
//! - `bus`, `journal`: events on their way to front ends, and the copy that stays
//! - `results`, `tasks`: what a session keeps for its tools
//! - `policy_store`, `policy_file`, `audit_file`: remembered rules and the trail of decisions on disk
//! - `clock`, `ids`: the only sources of time and of new names

mod actor;
pub mod audit_file;
pub mod bus;
pub mod cancel;
pub mod clock;
mod effects;
pub mod executor;
pub mod explain;
pub mod host;
pub mod ids;
pub mod inside;
mod jitter;
pub mod journal;
pub mod limits;
mod live_values;
pub mod memory_store;
mod model_speech;
pub mod one_call;
mod output;
mod park;
pub mod policy_file;
pub mod policy_store;
pub mod registry;
pub mod results;
mod resume;
mod schema_weight;
pub mod session;
mod spans;
pub mod tasks;
pub mod tool_run;
pub mod validate;

//! Tools: which there are, whether arguments fit them, and one call from its start to its outcome.
//!
//! - `registry`, `validate`, `schema_weight`: the tools, their schemas, and how much work a schema may make
//! - `tool_run`, `alarm`, `cancel`, `output`: one call with its timeout, its cancel and its bound on output
//! - `inside`: calls that a running call makes itself
//! - `explain`: what would become of a call
//! - `sources`: tools that come from scripts and servers, and change while runs go on
//! - `executor`: tools that programs of a user's own run

pub(crate) mod alarm;
pub mod cancel;
pub mod executor;
pub mod explain;
pub mod inside;
pub(crate) mod output;
pub mod registry;
pub(crate) mod schema_weight;
pub mod sources;
pub mod tool_run;
pub mod validate;

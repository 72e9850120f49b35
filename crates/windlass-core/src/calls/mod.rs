//! From what a model writes to a call that can be judged, and from an outcome to what a model reads. Runs nothing.
//!
//! - `assemble`: deltas become a step with its calls; `dialect`: calls written as text
//! - `json`, `args`, `chain`: reading what models write
//! - `toolset`, `check`: the tools of a step, and what is believed of a call before it is judged
//! - `arg_table`: what is known of a tool's arguments before any call comes: prepared once, read by every check
//! - `envelope`, `phrase`: how outcomes are wrapped and worded for the model, profile by profile

mod arg_table;
pub mod args;
pub mod assemble;
pub mod chain;
pub mod check;
pub mod dialect;
pub mod envelope;
pub mod json;
pub mod phrase;
pub mod toolset;

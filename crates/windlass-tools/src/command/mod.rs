//! Commands: how they are written for people and rules, how dangerous they look, how they run and stop.
//!
//! Knows no tool and no schema; `execute_command.rs` has those.

pub(crate) mod capture;
pub(crate) mod danger;
pub(crate) mod environment;
pub(crate) mod line;
pub(crate) mod process;

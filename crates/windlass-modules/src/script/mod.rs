//! Scripts: tools written in Rhai, and functions for scripts of a host program.
//!
//! A script can compute, and it can ask: everything it does to the world is a call of another tool, by the way of
//! every call. It cannot load code, touch files, print or wait, and it stops at the limits of [`ScriptLimits`].
//! Knows no session and no model; a run is what its context says.
//!
//! # Layout
//!
//! - `library`, `reload`, `tool`: the scripts of a folder, how changes come in, and one of them as a tool
//! - `tool_source`: a folder for whoever registers tools
//! - `source`, `doc`, `span`: what a file says it is: its entry, its abilities, its declaration
//! - `sandbox`, `watch`, `limits`: what scripts may use up, and who stops them
//! - `host`, `state`, `hosts`: what scripts can ask for
//! - `aside`: how a script runs beside the runtime, and how it waits for what it asked
//! - `convert`, `fault`: values and errors on their way in and out
//! - `engine_functions`, `caller`, `desk`: modules for the scripts of a host program
//! - `program`: a script that is run once, by itself

mod aside;
mod caller;
mod convert;
mod desk;
mod doc;
mod engine_functions;
mod fault;
mod host;
mod hosts;
mod library;
mod limits;
mod program;
mod reload;
mod sandbox;
mod source;
mod span;
mod state;
mod tool;
mod tool_source;
mod watch;

pub use caller::{CallerError, CallerErrorType, ModuleCaller, describe_module};
pub use convert::{ConvertError, to_dynamic, to_json};
pub use engine_functions::{EngineSetup, register_dspy_engine, register_dspy_engine_with};
pub use fault::ScriptToolError;
pub use hosts::ScriptGrants;
pub use library::{ScriptLibrary, ScriptReport};
pub use limits::ScriptLimits;
pub use program::{ProgramUser, run_program};
pub use reload::ScriptWatch;
pub use tool::ScriptTool;
pub use tool_source::ScriptToolSource;

//! The vocabulary, decisions and ports of Windlass.
//!
//! This crate decides and never does: it opens no file, has no clock, no randomness and no runtime.
//! Times and ids come in as data, and everything that must happen outside goes out as an effect.
//!
//! # Layout
//!
//! - `tool`, `message`, `model`, `event`, `cause`, `command`, `task`, `ids`: the words everybody speaks
//! - `run`: the machine, the one loop of the house; `limits` has its bounds, `profile` its manners
//! - `permission`: who may run what; the only place where an approved call can be made
//! - `dialect`, `assemble`: finding calls in what a model streams
//! - `envelope`, `phrase`: how outcomes are wrapped and worded for the model, profile by profile
//! - `view`, `trace`, `step`, `frame`, `display`: what screens, files, wires and people see of the events
//! - `toolset`, `check`: the tools of a step, and what is believed of a call before it is judged
//! - `base64`: bytes in JSON
//! - `json`, `args`, `chain`, `nearest`: reading what models write, and what they may have meant
//! - `text`: cutting text without breaking characters, showing what is hidden in it; `redact`: taking secrets out of it;
//!   `secret_files`: names of files that hold them
//! - `schema`, behind a feature: the JSON Schema of records
//! - `port`: the traits by which tools, models and journals plug in
//! - `arg_table`: what is known of a tool's arguments before any call comes: prepared once, read by every check
//! - `history`: a session's past, folded from its journal: what ended runs left behind, and the run that did not end
//! - `host`: what a front end sees of a running Windlass, in this process or behind a server
//! - `rehearse`: a fresh machine is driven through the records of a run, until it stands where the run stood
//! - `search`: what is looked for, what is found, and the port by which an index is plugged in
//! - `secret`: a key that must not be shown: it prints as `***` and is never serialised
//! - `settings`: what a user sets for all runs of a session: system text, sampling, form of the answer, choice of tools
//! - `shell`: shell lines as people and models write them: which programs they run, with which arguments
//! - `store`: what a store keeps of sessions and runs, and the port by which it is plugged in
//! - `view_json`: a view as JSON

mod arg_table;
pub mod args;
pub mod assemble;
pub mod base64;
pub mod cause;
pub mod chain;
pub mod check;
pub mod command;
pub mod dialect;
pub mod display;
pub mod envelope;
pub mod event;
pub mod frame;
pub mod history;
pub mod host;
pub mod ids;
pub mod json;
pub mod limits;
pub mod message;
pub mod model;
pub mod nearest;
pub mod permission;
pub mod phrase;
pub mod port;
pub mod profile;
pub mod redact;
pub mod rehearse;
pub mod run;
#[cfg(feature = "schema")]
pub mod schema;
pub mod search;
pub mod secret;
pub mod secret_files;
pub mod settings;
pub mod shell;
pub mod step;
pub mod store;
pub mod task;
pub mod text;
pub mod tool;
pub mod toolset;
pub mod trace;
pub mod view;
mod view_json;

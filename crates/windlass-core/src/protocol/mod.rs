//! The words everybody speaks: what front ends, engine, models and tools say to each other. Decides nothing.
//!
//! - `ids`, `message`, `model`, `tool`, `task`: the nouns
//! - `event`: what a session tells, and `cause`: why a durable event was written; `command`: what a session is asked
//! - `form`: what the answer of a run must be, where its caller wishes for more than text
//! - `settings`: what a user sets for all runs of a session: system text, sampling, form of the answer, choice of tools
//! - `history`: a session's past, folded from its journal: what ended runs left behind, and the run that did not end
//! - `questions`: which of them wait for an answer
//! - `view`, `trace`, `step`, `frame`, `display`: what screens, files, wires and people see of the events
//! - `view_json`: a view as JSON
//! - `schema`, behind a feature: the JSON Schema of records

pub mod cause;
pub mod command;
pub mod display;
pub mod event;
pub mod form;
pub mod frame;
pub mod history;
pub mod ids;
pub mod message;
pub mod model;
pub mod questions;
#[cfg(feature = "schema")]
pub mod schema;
pub mod settings;
pub mod step;
pub mod task;
pub mod tool;
pub mod trace;
pub mod view;
mod view_json;

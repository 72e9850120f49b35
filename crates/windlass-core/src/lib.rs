//! The vocabulary, decisions and ports of Windlass.
//!
//! This crate decides and never does: it opens no file, has no clock, no randomness and no runtime.
//! Times and ids come in as data, and everything that must happen outside goes out as an effect.
//!
//! # Layout
//!
//! - `protocol`: the words everybody speaks: tools, messages, models, events, and what is made of events to be seen
//! - `calls`: from what a model writes to a call that can be judged, and from an outcome to what a model reads
//! - `run`: the machine, the one loop of the house; `limits` has its bounds, `profile` its manners
//! - `permission`: who may run what; the only place where an approved call can be made
//! - `rehearse`: a fresh machine is driven through the records of a run, until it stands where the run stood
//! - `ports`: the traits by which tools, models, journals, stores, indexes and hosts plug in
//! - `text`: cutting, showing, comparing and redacting text

pub mod calls;
pub mod limits;
pub mod permission;
#[warn(missing_docs)]
pub mod ports;
pub mod profile;
#[warn(missing_docs)]
pub mod protocol;
pub mod rehearse;
pub mod run;
pub mod text;

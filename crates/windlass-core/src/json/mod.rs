//! Reading JSON as models write it: strictly where it is JSON, through noise where that loses nothing.
//!
//! Everything here is a pure function of its text. It knows no tool, no dialect and no limit of a run: what
//! counts as a call, and which repairs are believed, is decided by those who ask.
//!
//! - `parse`: strict JSON to a value, or where and why it is none
//! - `skim`: whether a text is strict JSON, without building it
//! - `scan`: where a value ends, without building it; `growing`: whether one that comes in pieces has ended
//! - `repair`: strict JSON out of noise, every change named by a `note`
//! - `canonical`: one text for equal values
//! - `clip`: cutting text for people and models

pub mod canonical;
pub mod clip;
pub(crate) mod growing;
mod lenient;
pub mod note;
pub mod parse;
mod reader;
pub mod repair;
pub mod scan;
pub mod skim;

/// Values nested this deep are refused, so that no text can exhaust the stack. It is the limit that
/// `serde_json` has too: what is read here can be written and read again elsewhere.
pub const DEPTH_MAX: u8 = 128;

#[cfg(test)]
#[path = "samples_tests.rs"]
mod samples;

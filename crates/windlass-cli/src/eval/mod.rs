//! Evaluation of a model: a set of requests, what is expected of each, and how many were met.
//!
//! - `case`: reading a set
//! - `judge`: one case against what the model did
//! - `tally`: cases added up
//!
//! Pure: knows no model, no terminal and no clock. Whoever asks the model is `models_eval`.

pub(crate) mod case;
pub(crate) mod judge;
pub(crate) mod tally;

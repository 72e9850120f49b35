//! How good a module is, and how it gets better: cases, metrics, scores, examples from passing cases, new versions.
//!
//! - `case`: a file of cases, one JSON object a line
//! - `metric`: what an answer is worth beside what was expected
//! - `tally`: the scores of all cases added up
//! - `choice`: examples from cases that passed, and which cases a candidate is judged by
//! - `proposal`: other instructions, asked of a model
//! - `version`: a new version of a module in its folder; the old file stays
//!
//! Pure but for `version`, which writes files. Nothing here asks a model: whoever measures runs the module and hands in
//! what it gave.

mod case;
mod choice;
mod metric;
mod proposal;
mod tally;
mod version;

pub use case::{BadCase, ModuleCase, read_cases};
pub use choice::{PassedCase, Split, choose_demos, split_cases};
pub use metric::{JUDGE_OUTPUT, Metric, Score, judge_inputs, read_verdict};
pub use proposal::{PROPOSER, proposal_inputs, proposer, read_proposal};
pub use tally::{CaseTally, Measured};
pub use version::{WrittenVersion, next_version, write_hashes, write_version};

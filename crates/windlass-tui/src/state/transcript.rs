//! Where the transcript stands, and what of it is unfolded.

use std::collections::HashSet;

use windlass_core::ids::{CallId, RunId};

/// The transcript's own state; what it shows is the session's.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    /// Lines between the end of the transcript and the last line that is shown; 0 follows what comes.
    pub lines_back: usize,
    /// The thing that the keys mean, when they mean the transcript.
    pub focused: Option<Foldable>,
    /// What is unfolded.
    pub unfolded: HashSet<Foldable>,
    /// Whether thinking is shown unfolded.
    pub shows_thinking: bool,
}

/// A thing that can be folded and unfolded.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Foldable {
    /// A call.
    Call(RunId, CallId),
    /// A block of thinking: its place among the entries of its run.
    Thinking(RunId, usize),
}

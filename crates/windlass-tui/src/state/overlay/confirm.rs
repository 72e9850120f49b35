//! Whether something should really be done.

use windlass_core::protocol::ids::SessionId;

use super::{Overlay, StyledLine};
use crate::effect::Proposal;

/// A question of the app itself.
#[derive(Debug)]
pub struct Confirm {
    pub title: String,
    /// What there is to know before an answer.
    pub lines: Vec<StyledLine>,
    /// What yes does, in a word.
    pub verb: &'static str,
    /// What is done after a yes.
    pub deed: Deed,
    /// Rows that are scrolled away.
    pub scrolled: usize,
    /// What it lies on.
    pub under: Option<Box<Overlay>>,
}

/// What is done after a yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// A session is forgotten.
    DeleteSession(SessionId),
    /// A rule is forgotten.
    RemoveRule(String),
    /// An edit that was staged is made.
    Apply(Box<Proposal>),
    /// Everything runs without asking.
    RunAll,
    /// The folder is trusted with just the contents of this digest.
    TrustFolder(String),
}

impl Confirm {
    pub fn new(title: impl Into<String>, verb: &'static str, deed: Deed, lines: Vec<StyledLine>) -> Self {
        Self { title: title.into(), lines, verb, deed, scrolled: 0, under: None }
    }
}

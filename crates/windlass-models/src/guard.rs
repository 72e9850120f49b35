//! Guardrails: what a target does not take of a request.

use windlass_core::model::{ModelRequest, Notice, Sampling, ToolChoice};

use crate::lower::LoweredTools;
use crate::target::Target;

/// A request as the target takes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Guarded {
    /// Tool choice.
    pub choice: ToolChoice,
    /// Wishes.
    pub sampling: Sampling,
    /// Notes after the history.
    pub trailer: Vec<String>,
    /// The tools, if narrowed.
    pub tools: Option<LoweredTools>,
    /// What was changed.
    pub notices: Vec<Notice>,
}

/// Takes out what the target does not take.
pub fn guard(_target: &Target, request: &ModelRequest, _tools: &LoweredTools) -> Guarded {
    Guarded {
        choice: request.tool_choice.clone(),
        sampling: request.sampling.clone(),
        trailer: request.trailer.clone(),
        tools: None,
        notices: Vec::new(),
    }
}

//! Parameters of a tool that the model does not fill: by what the program gave, and by what is known of the call.

use std::sync::Arc;

use windlass_core::ports::ToolContext;
use windlass_core::protocol::ids::{CallId, RunId, SessionId};

use super::state::{MissingState, State, StateSet};

/// What a parameter of a tool is filled with, for the code of `#[tool]`.
pub trait ToolParameter: Sized {
    /// What is known when an agent is built.
    type Bound: Send + Sync + 'static;

    /// What is known for a tool when an agent is built.
    fn bind(states: &StateSet, tool: &str) -> Result<Self::Bound, MissingState>;

    /// The value for one call.
    fn fill(bound: &Self::Bound, context: &ToolContext) -> Self;
}

impl<T: Send + Sync + 'static> ToolParameter for State<T> {
    type Bound = Self;

    fn bind(states: &StateSet, tool: &str) -> Result<Self, MissingState> {
        states.state(tool)
    }

    fn fill(bound: &Self, _context: &ToolContext) -> Self {
        bound.clone()
    }
}

/// A parameter of a `#[tool]`: which call this is, of which run and session. Cheap to keep, where `&ToolContext` is only
/// lent.
///
/// ```
/// use windlass::prelude::*;
///
/// /// Opens a ticket for what the user said.
/// #[tool(effects = "write", risk = "safe")]
/// async fn open_ticket(run: CurrentRun) -> String {
///     format!("{} ({})", run.message, run.call_id)
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let script = "user My lamp is broken.\nmodel call 1 open_ticket\nmodel end\nmodel text Done.\n";
/// let agent = Windlass::builder().script(script)?.tool(open_ticket).build()?;
/// let answer = agent.run_sync("My lamp is broken.")?;
/// assert_eq!(answer.trace.tools[0].output_raw, "My lamp is broken. (call_1)");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CurrentRun {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The call.
    pub call_id: CallId,
    /// What the user said.
    pub message: Arc<str>,
}

impl CurrentRun {
    /// Of a call.
    pub fn of(context: &ToolContext) -> Self {
        Self {
            session_id: context.session_id.clone(),
            run_id: context.run_id.clone(),
            call_id: context.call_id.clone(),
            message: Arc::clone(&context.user_message),
        }
    }
}

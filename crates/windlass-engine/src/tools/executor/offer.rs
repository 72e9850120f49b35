//! What an executor offers, checked before anything is made of it: it comes from another program, and models and
//! people read it.

use windlass_core::ports::host::ExecutorOffer;
use windlass_core::protocol::tool::{Risk, ToolSpec};
use windlass_core::text::visible;

use crate::limits::{
    EXECUTOR_DESCRIPTION_CHARS_MAX, EXECUTOR_NAME_CHARS_MAX, EXECUTOR_TIMEOUT_MS_MAX, EXECUTOR_TOOLS_MAX,
};
use crate::registry::RegisterError;

/// Why an executor is not let in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OfferError {
    /// What it offers is wrong.
    #[error("{message}")]
    Invalid {
        field: &'static str,
        /// What is wrong with it, and what to do.
        message: String,
    },
    /// There is no place for it.
    #[error("{0}")]
    Full(String),
    /// A tool cannot be registered.
    #[error(transparent)]
    Tool(#[from] RegisterError),
}

/// The offer as it counts: its texts visible, its outputs text from outside.
pub(super) fn checked(offer: ExecutorOffer) -> Result<ExecutorOffer, OfferError> {
    let invalid = |field, message: String| Err(OfferError::Invalid { field, message });
    let ExecutorOffer { name, tools } = offer;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if !(1..=EXECUTOR_NAME_CHARS_MAX).contains(&name.len()) || !name.chars().all(is_part) {
        return invalid(
            "name",
            format!(
                "'name' must be 1 to {EXECUTOR_NAME_CHARS_MAX} characters of a-z, A-Z, 0-9, '_', '-' or '.'"
            ),
        );
    }
    if !(1..=EXECUTOR_TOOLS_MAX).contains(&tools.len()) {
        return invalid("tools", format!("'tools' must name 1 to {EXECUTOR_TOOLS_MAX} tools"));
    }
    let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    names.sort_unstable();
    if let Some([twice, _]) = names.array_windows().find(|[one, two]| one == two) {
        return invalid("tools", format!("'tools' names {twice} twice"));
    }
    let tools: Result<Vec<ToolSpec>, OfferError> =
        tools.into_iter().map(|tool| checked_tool(tool, &name)).collect();
    Ok(ExecutorOffer { tools: tools?, name })
}

fn checked_tool(tool: ToolSpec, executor: &str) -> Result<ToolSpec, OfferError> {
    let invalid = |message: String| Err(OfferError::Invalid { field: "tools", message });
    let name = &tool.name;
    let description = visible(tool.description.trim()).into_owned();
    if !(1..=EXECUTOR_DESCRIPTION_CHARS_MAX).contains(&description.chars().count()) {
        return invalid(format!(
            "tool '{name}' needs a description of 1 to {EXECUTOR_DESCRIPTION_CHARS_MAX} characters"
        ));
    }
    if tool.risk == Risk::Safe && !tool.effects.is_read_only() {
        return invalid(format!(
            "tool '{name}' changes something, so it is not safe: give it the risk low, medium, high or critical"
        ));
    }
    if tool.timeout_ms.is_some_and(|ms| !(1..=EXECUTOR_TIMEOUT_MS_MAX).contains(&ms)) {
        let most = EXECUTOR_TIMEOUT_MS_MAX / 1_000;
        return invalid(format!("tool '{name}' must have a time limit of at most {most} seconds"));
    }
    Ok(ToolSpec {
        description,
        // Who runs an executor has the server's token: the claim is the user's own.
        untrusted_output: !tool.own_output,
        // Nobody asks an executor what a call would touch: it hears of a call only when the call may run.
        inspected: false,
        executor: Some(executor.to_owned()),
        ..tool
    })
}

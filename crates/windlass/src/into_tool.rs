//! What can be given to a builder as a tool.

use std::sync::Arc;

use windlass_core::port::ToolPort;

use crate::dspy::{HostTool, Tool};

/// A tool in any of its shapes: a `#[tool]` function, a `ToolPort`, or a shared [`Tool`].
pub trait IntoTool {
    /// The tool as the engine runs it.
    fn into_tool(self) -> Arc<dyn ToolPort>;
}

impl<T: ToolPort + 'static> IntoTool for T {
    fn into_tool(self) -> Arc<dyn ToolPort> {
        Arc::new(self)
    }
}

impl IntoTool for Arc<dyn ToolPort> {
    fn into_tool(self) -> Arc<dyn ToolPort> {
        self
    }
}

impl IntoTool for Arc<dyn Tool> {
    fn into_tool(self) -> Arc<dyn ToolPort> {
        Arc::new(HostTool::new(self))
    }
}

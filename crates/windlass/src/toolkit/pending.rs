//! A tool before its state is known: what the builder and groups keep until an agent is built.

use std::sync::Arc;
use std::time::Duration;

use windlass_core::ports::ToolPort;
use windlass_core::protocol::tool::{Risk, ToolSpec};

use super::state::{MissingState, StateSet};
use crate::layers::{LayeredTool, ToolLayer};

type Binding = Box<dyn FnOnce(&StateSet) -> Result<Arc<dyn ToolPort>, MissingState> + Send>;
type SpecChange = Box<dyn Fn(&mut ToolSpec) + Send>;

/// Whatever [`Builder::tool`](crate::Builder::tool) takes: a `#[tool]` function with or without [`State`](crate::State),
/// a [`tool_fn`](crate::tool_fn), any `ToolPort`. Its methods change what the tool says of itself.
///
/// ```
/// use std::time::Duration;
/// use windlass::prelude::*;
/// use windlass::core::protocol::tool::Risk;
///
/// /// Adds two integers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let builder = Windlass::builder().tool(add.with_timeout(Duration::from_secs(2)).with_risk(Risk::Low));
/// ```
///
/// A function without `#[tool]` is no tool:
///
/// ```compile_fail
/// use windlass::prelude::*;
///
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// let builder = Windlass::builder().tool(add);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tool",
    note = "write #[tool] on the function, or use tool_fn(…), a ToolPort, or tool_group(…) for a struct with #[tools]"
)]
pub trait IntoTool: Sized {
    /// The tool, before its state is known.
    fn into_tool(self) -> PendingTool;

    /// Sets the time limit of one call.
    fn with_timeout(self, limit: Duration) -> PendingTool {
        self.changed(move |spec| spec.timeout_ms = Some(millis(limit)))
    }

    /// Sets what is asked before a call.
    fn with_risk(self, risk: Risk) -> PendingTool {
        self.changed(move |spec| spec.risk = risk)
    }

    /// Changes what the tool says of itself.
    fn changed(self, change: impl Fn(&mut ToolSpec) + Send + 'static) -> PendingTool {
        let mut tool = self.into_tool();
        tool.changes.push(Box::new(change));
        tool
    }

    /// Puts a layer around this tool alone.
    fn with_layer(self, layer: impl ToolLayer + 'static) -> PendingTool {
        self.into_tool().within(Arc::new(layer))
    }
}

impl<T: ToolPort + 'static> IntoTool for T {
    fn into_tool(self) -> PendingTool {
        PendingTool::new(move |_| Ok(Arc::new(self)))
    }
}

/// A tool before its state is known.
///
/// ```
/// use windlass::prelude::*;
/// use windlass::{IntoTool, StateSet};
///
/// /// Says the secret number.
/// #[tool(effects = "read")]
/// async fn say_number(number: State<u64>) -> u64 {
///     *number
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let port = say_number.into_tool().bind(&StateSet::new().with(7_u64))?;
/// assert_eq!(port.spec().name, "say_number");
/// assert!(port.spec().property("number").is_none());
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct PendingTool {
    binding: Binding,
    changes: Vec<SpecChange>,
    layers: Vec<Arc<dyn ToolLayer>>,
}

impl PendingTool {
    /// A tool that is made when the states are known.
    pub fn new(
        binding: impl FnOnce(&StateSet) -> Result<Arc<dyn ToolPort>, MissingState> + Send + 'static,
    ) -> Self {
        Self { binding: Box::new(binding), changes: Vec::new(), layers: Vec::new() }
    }

    pub(super) fn within(mut self, layer: Arc<dyn ToolLayer>) -> Self {
        self.layers.push(layer);
        self
    }

    /// The tool with its state, its changes and its layers; the layer that was put on last is the outermost.
    pub fn bind(self, states: &StateSet) -> Result<Arc<dyn ToolPort>, MissingState> {
        let mut tool = (self.binding)(states)?;
        if !self.changes.is_empty() {
            let mut spec = tool.spec().clone();
            self.changes.iter().for_each(|change| change(&mut spec));
            tool = LayeredTool::showing(tool, spec);
        }
        Ok(self.layers.into_iter().fold(tool, LayeredTool::around))
    }
}

impl IntoTool for PendingTool {
    fn into_tool(self) -> PendingTool {
        self
    }
}

pub(super) fn millis(limit: Duration) -> u64 {
    u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)
}

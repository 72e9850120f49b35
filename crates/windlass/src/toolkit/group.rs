//! Tools that share a prefix, limits and layers, and structs whose methods are tools.

use std::sync::Arc;
use std::time::Duration;

use windlass_core::protocol::tool::{Risk, ToolSpec};

use super::pending::{IntoTool, PendingTool, millis};
use crate::layers::ToolLayer;

/// Tools that share a prefix, limits and layers. What is said of the group holds for the tools that it has then; tools
/// that come later keep their own.
///
/// ```
/// use std::time::Duration;
/// use windlass::layers::RateLimit;
/// use windlass::prelude::*;
///
/// /// Finds a book.
/// #[tool(effects = "read", risk = "safe")]
/// async fn find(title: String) -> String {
///     format!("{title}, on the second shelf")
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let library = ToolGroup::new()
///     .with(find)
///     .prefix("library_")
///     .timeout(Duration::from_secs(2))
///     .layer(RateLimit::new(10, Duration::from_secs(1)));
/// let script = "user q\nmodel call 1 library_find {\"title\":\"Emma\"}\nmodel end\nmodel text Found.\n";
/// let agent = Windlass::builder().script(script)?.tool_group(library).build()?;
/// assert_eq!(agent.run_sync("q")?.trace.tools[0].output_raw, "Emma, on the second shelf");
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
#[must_use]
pub struct ToolGroup {
    tools: Vec<PendingTool>,
}

impl ToolGroup {
    /// A group without tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool.
    pub fn with(mut self, tool: impl IntoTool) -> Self {
        self.tools.push(tool.into_tool());
        self
    }

    /// Adds the tools of another group, or of a struct with `#[tools]`.
    pub fn with_group(mut self, group: impl IntoToolGroup) -> Self {
        self.tools.extend(group.into_group().tools);
        self
    }

    /// Puts a word before the names of all tools, and before their other names.
    pub fn prefix(self, prefix: impl Into<String>) -> Self {
        let prefix = prefix.into();
        self.changed(move |spec| {
            spec.name.insert_str(0, &prefix);
            spec.aliases.iter_mut().for_each(|alias| alias.insert_str(0, &prefix));
        })
    }

    /// Sets the time limit of one call of each tool.
    pub fn timeout(self, limit: Duration) -> Self {
        self.changed(move |spec| spec.timeout_ms = Some(millis(limit)))
    }

    /// Sets what is asked before a call of each tool.
    pub fn risk(self, risk: Risk) -> Self {
        self.changed(move |spec| spec.risk = risk)
    }

    /// Changes what all tools say of themselves.
    pub fn changed(mut self, change: impl Fn(&mut ToolSpec) + Send + Sync + 'static) -> Self {
        let change = Arc::new(change);
        let one = |tool: PendingTool| {
            let change = Arc::clone(&change);
            tool.changed(move |spec| change(spec))
        };
        self.tools = self.tools.into_iter().map(one).collect();
        self
    }

    /// Puts one layer around all tools: they share its cache or its rate.
    pub fn layer(mut self, layer: impl ToolLayer + 'static) -> Self {
        let layer: Arc<dyn ToolLayer> = Arc::new(layer);
        self.tools = self.tools.into_iter().map(|tool| tool.within(Arc::clone(&layer))).collect();
        self
    }

    pub(super) fn into_tools(self) -> Vec<PendingTool> {
        self.tools
    }
}

/// A struct whose methods are tools: `#[tools]` on an `impl` block makes one.
pub trait ToolMethods: Send + Sync + Sized + 'static {
    /// The methods, each a tool that holds the struct.
    fn tool_group(self: Arc<Self>) -> ToolGroup;
}

/// Whatever [`Builder::tool_group`](crate::Builder::tool_group) takes: a [`ToolGroup`], a struct with
/// [`#[tools]`](macro@crate::tools), or one in an `Arc`, of which the program keeps another hand.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no group of tools",
    note = "write #[tools] on an impl block of it, or put tools into a ToolGroup"
)]
pub trait IntoToolGroup {
    /// The group.
    fn into_group(self) -> ToolGroup;
}

impl IntoToolGroup for ToolGroup {
    fn into_group(self) -> ToolGroup {
        self
    }
}

impl<T: ToolMethods> IntoToolGroup for T {
    fn into_group(self) -> ToolGroup {
        Arc::new(self).tool_group()
    }
}

impl<T: ToolMethods> IntoToolGroup for Arc<T> {
    fn into_group(self) -> ToolGroup {
        self.tool_group()
    }
}

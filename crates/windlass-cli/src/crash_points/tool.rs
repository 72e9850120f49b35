//! Tools whose process dies in the middle of one call.

use std::sync::Arc;

use serde_json::{Map, Value};
use windlass_core::permission::Inspection;
use windlass_core::ports::{BoxFuture, LiveState, Probed, ToolContext, ToolPort};
use windlass_core::protocol::tool::{ToolFailure, ToolOutput, ToolSpec};

use super::append_line::AppendLine;
use super::pass_on::PassOn;
use super::{die, place};

/// The tools and two more, as mortal as the environment wants them.
pub(crate) fn mortal_tools(mut tools: Vec<Arc<dyn ToolPort>>) -> Vec<Arc<dyn ToolPort>> {
    if std::env::var_os("CRASH_TOOLS").is_some() {
        tools.push(Arc::new(AppendLine::new()));
        tools.push(Arc::new(PassOn::new()));
    }
    let Some((wanted, is_after)) = place("CRASH_IN") else { return tools };
    let mortal = |tool| Arc::new(MortalTool { tool, wanted: wanted.clone(), is_after }) as Arc<dyn ToolPort>;
    tools.into_iter().map(mortal).collect()
}

struct MortalTool {
    tool: Arc<dyn ToolPort>,
    /// A call, or a tool.
    wanted: String,
    is_after: bool,
}

impl ToolPort for MortalTool {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    fn run<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let is_it = [context.call_id.as_str(), &self.spec().name].contains(&self.wanted.as_str());
            if is_it && !self.is_after {
                die();
            }
            let result = self.tool.run(args, context).await;
            if is_it {
                die();
            }
            result
        })
    }

    fn inspect<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Inspection, ToolFailure>> {
        self.tool.inspect(args, context)
    }

    fn probe<'a>(&'a self, args: &'a Map<String, Value>, context: &'a ToolContext) -> BoxFuture<'a, Probed> {
        self.tool.probe(args, context)
    }

    fn live_values(&self, kind: &str, state: &LiveState<'_>) -> Vec<String> {
        self.tool.live_values(kind, state)
    }
}

//! Tools whose process dies in the middle of one call.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use windlass_core::permission::Inspection;
use windlass_core::ports::{LiveState, Probed, ToolContext, ToolPort};
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

#[async_trait]
impl ToolPort for MortalTool {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    async fn run(&self, args: &Map<String, Value>, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let is_it = [context.call_id.as_str(), &self.spec().name].contains(&self.wanted.as_str());
        if is_it && !self.is_after {
            die();
        }
        let result = self.tool.run(args, context).await;
        if is_it {
            die();
        }
        result
    }

    async fn inspect(
        &self,
        args: &Map<String, Value>,
        context: &ToolContext,
    ) -> Result<Inspection, ToolFailure> {
        self.tool.inspect(args, context).await
    }

    async fn probe(&self, args: &Map<String, Value>, context: &ToolContext) -> Probed {
        self.tool.probe(args, context).await
    }

    fn live_values(&self, kind: &str, state: &LiveState<'_>) -> Vec<String> {
        self.tool.live_values(kind, state)
    }
}

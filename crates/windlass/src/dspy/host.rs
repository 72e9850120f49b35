//! A host function behind the port that the engine runs tools by.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use windlass_core::ports::{ToolContext, ToolPort};
use windlass_core::protocol::tool::{Effects, Risk, ToolFailure, ToolOutput, ToolSpec};

use super::tool::Tool;

/// A [`Tool`] as the engine runs it.
///
/// Nothing is known of what a host function does, so its calls run one after another and are never
/// answered from memory. The program itself gave it to the model, so it is not asked about; a function
/// that should be is told apart by [`with_effects`](Self::with_effects).
pub struct HostTool {
    tool: Arc<dyn Tool>,
    spec: ToolSpec,
}

impl HostTool {
    /// Wraps a tool. What its schema does not name still reaches it, unless the schema says otherwise.
    pub fn new(tool: Arc<dyn Tool>) -> Self {
        let mut schema = tool.args_schema().unwrap_or_else(|| json!({}));
        if let Value::Object(keywords) = &mut schema {
            keywords.entry("type").or_insert_with(|| "object".into());
            keywords.entry("properties").or_insert_with(|| json!({}));
            keywords.entry("additionalProperties").or_insert_with(|| true.into());
        }
        let mut spec = ToolSpec::new(tool.name(), tool.description())
            .with_schema(schema)
            .with_effects(Effects::Write, Risk::Safe);
        spec.repeatable = true;
        Self { tool, spec }
    }

    /// Says what the function does to the world, and so how it is scheduled and whether it is asked about.
    #[must_use]
    pub fn with_effects(mut self, effects: Effects, risk: Risk) -> Self {
        self.spec = self.spec.with_effects(effects, risk);
        self
    }
}

#[async_trait]
impl ToolPort for HostTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(
        &self,
        args: &Map<String, Value>,
        _context: &ToolContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let value = self.tool.execute(Value::Object(args.clone())).await?;
        Ok(ToolOutput::json(value))
    }
}

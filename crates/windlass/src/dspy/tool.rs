//! A host function as a tool.

use async_trait::async_trait;
use serde_json::Value;

use super::error::ToolError;

/// A function of the host that a model may call (D-3).
#[async_trait]
pub trait Tool: Send + Sync {
    /// The name a model calls it by: 1 to 128 characters of a-z, A-Z, 0-9, `_`, `-`, `.` or `/`.
    fn name(&self) -> &str;

    /// What it does, for the model.
    fn description(&self) -> &str;

    /// JSON Schema of its arguments; without one, arguments come as the model gave them.
    fn args_schema(&self) -> Option<Value> {
        None
    }

    /// Does it. Arguments were checked against the schema before.
    async fn execute(&self, args: Value) -> Result<Value, ToolError>;
}

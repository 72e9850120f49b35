//! Lowering: tools in the dialect of a provider, so that one exotic tool never breaks a request.
//!
//! A lowered schema may be looser than the tool's own and is never tighter: what the model sends is
//! validated against the tool's own schema anyway. What was lost is told as a notice. Knows no wire.

use std::sync::Arc;

use serde_json::Value;
use windlass_core::model::Notice;
use windlass_core::tool::ToolSpec;

/// A tool as a provider sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct LoweredTool {
    /// The tool.
    pub spec: Arc<ToolSpec>,
    /// Its name on the wire: `[A-Za-z0-9_-]{1,64}`, unique.
    pub name: String,
    /// Its parameters in the provider's dialect.
    pub schema: Value,
    /// Whether the provider may be told to keep to the schema strictly.
    pub is_strict: bool,
}

/// All tools of a request, lowered, in the request's order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoweredTools {
    /// The tools.
    pub tools: Vec<LoweredTool>,
    /// What was lost.
    pub notices: Vec<Notice>,
}

impl LoweredTools {
    /// The tool's own name for a name on the wire; the same text if it is no tool's.
    pub fn own_name<'a>(&'a self, wire_name: &'a str) -> &'a str {
        let found = self.tools.iter().find(|tool| tool.name == wire_name);
        found.map_or(wire_name, |tool| tool.spec.name.as_str())
    }

    /// The name on the wire for a tool's own name; made legal if it is no tool's.
    pub fn wire_name<'a>(&'a self, own_name: &'a str) -> Option<&'a str> {
        self.tools.iter().find(|tool| tool.spec.name == own_name).map(|tool| tool.name.as_str())
    }
}

/// Puts tools into the dialect of a target.
pub fn lower(_target: &crate::target::Target, specs: &[Arc<ToolSpec>]) -> LoweredTools {
    let tools = specs.iter().map(|spec| LoweredTool {
        name: spec.name.replace('.', "_"),
        schema: Value::Null,
        is_strict: false,
        spec: Arc::clone(spec),
    });
    LoweredTools { tools: tools.collect(), notices: Vec::new() }
}

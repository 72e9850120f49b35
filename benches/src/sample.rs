//! Samples: a schema and a call of the size that editing tools have in practice (702 bytes of arguments).

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::calls::toolset::{ToolEntry, Toolset};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::tool::{ToolCall, ToolSpec};
use windlass_engine::validate::compile;

/// The schema of an editing tool: nested objects, bounds, a pattern, an enum, a default.
pub fn edit_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "minLength": 1, "maxLength": 4096, "pattern": "^[^\\u0000]+$"},
            "edits": {
                "type": "array", "minItems": 1, "maxItems": 64,
                "items": {
                    "type": "object",
                    "properties": {
                        "old": {"type": "string"}, "new": {"type": "string"},
                        "replace_all": {"type": "boolean"}, "line": {"type": "integer", "minimum": 1}
                    },
                    "required": ["old", "new"],
                    "additionalProperties": false
                }
            },
            "mode": {"enum": ["dry_run", "apply", "stage"]},
            "encoding": {"type": "string", "default": "utf-8"}
        },
        "required": ["path", "edits", "mode"],
        "additionalProperties": false
    })
}

/// Arguments of that tool: eight edits.
pub fn edit_args() -> String {
    let edits: Vec<Value> = (0..8)
        .map(|n| {
            json!({"old": format!("let x = {n};"), "new": format!("let x = {}; // changed", n + 1),
                   "replace_all": n % 2 == 0, "line": n + 1})
        })
        .collect();
    json!({"path": "src/main.rs", "edits": edits, "mode": "apply", "encoding": "utf-8"}).to_string()
}

/// A set with that tool alone.
pub fn edit_toolset() -> Option<Toolset> {
    let spec = ToolSpec::new("edit_file", "Edits a file").with_schema(edit_schema());
    let validator = compile(&spec.schema).ok()?;
    Toolset::new(vec![ToolEntry::new(Arc::new(spec), Arc::new(validator))]).ok()
}

/// A call of that tool, without its arguments.
pub fn edit_call() -> ToolCall {
    ToolCall {
        id: CallId::numbered(1),
        provider_id: None,
        step: 1,
        index: 0,
        name: "edit_file".into(),
        arguments: String::new(),
        state: None,
    }
}

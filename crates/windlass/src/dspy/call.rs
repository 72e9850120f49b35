//! A call as a structured output writes it.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// A call (D-5). Without `args` it has no arguments: `{}`, never null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The tool.
    pub name: String,
    /// Its arguments.
    #[serde(default = "no_args", deserialize_with = "read_args")]
    pub args: Value,
}

/// The arguments of a call that has none.
pub(super) fn no_args() -> Value {
    Value::Object(Map::new())
}

fn read_args<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Null => no_args(),
        args => args,
    })
}

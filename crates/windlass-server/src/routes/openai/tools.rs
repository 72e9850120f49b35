//! The caller's own tools and what the model may do with them: handed to the model, never run here.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use windlass_core::protocol::model::ToolChoice;
use windlass_core::protocol::tool::ToolSpec;

use crate::error::{Problem, RouteResult};

/// Tools of one request, as OpenAI has it.
const TOOLS_MAX: usize = 128;

/// A tool of the caller.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ChatTool {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    function: Option<ChatFunction>,
}

#[derive(Debug, Clone, Deserialize)]
struct ChatFunction {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    parameters: Option<Value>,
}

/// The tools as specs, sorted by name.
pub(super) fn read_tools(tools: Vec<ChatTool>) -> RouteResult<Vec<Arc<ToolSpec>>> {
    if tools.len() > TOOLS_MAX {
        return Err(Problem::field("tools", format!("at most {TOOLS_MAX} tools are accepted")));
    }
    let mut specs = BTreeMap::new();
    for (at, tool) in tools.into_iter().enumerate() {
        let place = format!("tools[{at}]");
        let function = match (tool.kind.as_str(), tool.function) {
            ("function", Some(function)) => function,
            _ => return Err(Problem::field(place, "only tools of type 'function' are supported")),
        };
        let mut spec = ToolSpec::new(function.name, function.description.unwrap_or_default());
        if let Some(parameters) = function.parameters.filter(|parameters| !parameters.is_null()) {
            spec = spec.with_schema(with_type(parameters));
        }
        spec.check().map_err(|error| Problem::field(place.clone(), error.to_string()))?;
        if specs.insert(spec.name.clone(), Arc::new(spec)).is_some() {
            return Err(Problem::field(place, "two tools have the same name; give each its own"));
        }
    }
    Ok(specs.into_values().collect())
}

/// `{}` is a schema too: one that takes any object.
fn with_type(mut parameters: Value) -> Value {
    if let Value::Object(fields) = &mut parameters {
        fields.entry("type").or_insert_with(|| json!("object"));
    }
    parameters
}

/// What the model may do, and with which of the tools.
pub(super) fn read_choice(
    mut tools: Vec<Arc<ToolSpec>>,
    choice: Option<&Value>,
) -> RouteResult<(Vec<Arc<ToolSpec>>, ToolChoice)> {
    let wrong = |why: &str| Err(Problem::field("tool_choice", why));
    let choice = match choice {
        None | Some(Value::Null) => ToolChoice::Auto,
        Some(Value::String(word)) => match word.as_str() {
            "auto" => ToolChoice::Auto,
            "none" => ToolChoice::Forbidden,
            "required" => ToolChoice::Required,
            _ => return wrong("'tool_choice' must be none, auto, required, or an object that names a tool"),
        },
        Some(choice) => match choice.get("type").and_then(Value::as_str) {
            Some("function") => match name_of(choice) {
                Some(name) => ToolChoice::Named(name.to_owned()),
                None => return wrong("'tool_choice.function.name' is missing"),
            },
            Some("allowed_tools") => {
                let allowed = choice.get("allowed_tools").unwrap_or(choice);
                let names: Vec<&str> = allowed
                    .get("tools")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .filter_map(name_of)
                    .collect();
                tools.retain(|tool| names.contains(&tool.name.as_str()));
                if tools.is_empty() {
                    return wrong("'tool_choice.allowed_tools.tools' names none of the tools");
                }
                match allowed.get("mode").and_then(Value::as_str) {
                    Some("required") => ToolChoice::Required,
                    _ => ToolChoice::Auto,
                }
            }
            _ => return wrong("'tool_choice.type' must be function or allowed_tools"),
        },
    };
    let is_known = match &choice {
        ToolChoice::Auto | ToolChoice::Forbidden => true,
        ToolChoice::Required => !tools.is_empty(),
        ToolChoice::Named(name) => tools.iter().any(|tool| tool.name == *name),
    };
    if !is_known {
        return wrong("'tool_choice' asks for a tool that is not among 'tools'");
    }
    Ok((tools, choice))
}

fn name_of(choice: &Value) -> Option<&str> {
    choice.get("function").unwrap_or(choice).get("name").and_then(Value::as_str)
}

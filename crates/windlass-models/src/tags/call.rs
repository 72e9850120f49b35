//! A call that was written as JSON in a text, as a call delta.

use serde_json::{Map, Value};
use windlass_core::calls::json::repair::{RepairMode, repair};
use windlass_core::protocol::model::CallDelta;

use super::element;

/// The names under which models put arguments.
const ARGS_KEYS: [&str; 3] = ["arguments", "parameters", "args"];

/// The calls that a JSON text is: one object, or a list of them. `None` if the text cannot be read without
/// guessing, or is no call.
pub(super) fn read_calls(text: &str) -> Option<Vec<CallDelta>> {
    match repair(text, RepairMode::Lossless).ok()?.value {
        Value::Array(values) if !values.is_empty() => values.into_iter().map(read_call).collect(),
        value => read_call(value).map(|call| vec![call]),
    }
}

fn read_call(value: Value) -> Option<CallDelta> {
    let Value::Object(mut fields) = value else { return None };
    let id = fields.get("id").and_then(Value::as_str).map(str::to_owned);
    // OpenAI's own form, as some models were taught it.
    if let Some(Value::Object(function)) = fields.get_mut("function") {
        fields = std::mem::take(function);
    }
    let name = fields.get("name").and_then(Value::as_str).filter(|name| !name.is_empty())?.to_owned();
    let args = ARGS_KEYS.iter().find_map(|key| fields.swap_remove(*key)).unwrap_or(Value::Null);
    Some(CallDelta { id, ..with_args(name, args) })
}

fn with_args(name: String, args: Value) -> CallDelta {
    let (args_text, args_value) = match args {
        Value::Null => (None, Some(Value::Object(Map::new()))),
        Value::String(text) => (Some(text), None),
        value => (None, Some(value)),
    };
    CallDelta { name: Some(name), args_text, args_value: args_value.map(Box::new), ..CallDelta::default() }
}

/// A call that cannot be read: its text stands for its arguments, so that it fails as what it is. A guess at
/// its name only decides what the model is told.
pub(super) fn broken_call(text: &str) -> CallDelta {
    let guess = repair(text, RepairMode::Everything).ok().map(|read| read.value);
    let name = guess.as_ref().and_then(|value| value.get("name")).and_then(Value::as_str);
    let name = name.map(str::to_owned).or_else(|| written_name(text)).or_else(|| element::written_name(text));
    CallDelta { name, args_text: Some(text.trim().to_owned()), ..CallDelta::default() }
}

/// The string that follows the word `"name"`.
fn written_name(text: &str) -> Option<String> {
    let (_, behind) = text.split_once("\"name\"")?;
    let value = behind.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let (name, _) = value.split_once('"')?;
    (!name.is_empty()).then(|| name.to_owned())
}

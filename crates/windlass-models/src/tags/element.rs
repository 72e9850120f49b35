//! Calls written as elements: `<function=NAME><parameter=KEY>VALUE</parameter></function>` (Qwen3-Coder).
//!
//! Follows one such element through the pieces of a stream; each byte is looked at once. A value reaches to
//! its own closing tag, whatever other tags are in it.

use serde_json::{Map, Value};
use windlass_core::protocol::model::CallDelta;
use windlass_core::protocol::tool::ToolSpec;

use super::extent::ValueEnd;
use super::opener::begins;

/// Opens a call; the tool's name and `>` follow.
pub(super) const FUNCTION: &str = "<function=";
const FUNCTION_CLOSE: &str = "</function>";
const PARAMETER: &str = "<parameter=";
const PARAMETER_CLOSE: &str = "</parameter>";
/// Names of tools and arguments; longer ones are text.
const NAME_BYTES_MAX: usize = 128;

/// One element, as far as it has come.
#[derive(Debug, Clone, Default)]
pub(super) struct Element {
    at: usize,
    /// How far the value was searched for its end.
    scanned: usize,
    name: Option<String>,
    key: Option<String>,
    values: Vec<(String, String)>,
}

impl Element {
    /// Looks at what has come since; `text` begins with the element and only ever grows.
    pub(super) fn advance(&mut self, text: &str) -> ValueEnd {
        loop {
            let rest = text.get(self.at..).unwrap_or_default();
            if let Some(key) = self.key.take() {
                let from = text.floor_char_boundary(self.scanned.max(self.at));
                let found = text.get(from..).and_then(|fresh| fresh.find(PARAMETER_CLOSE));
                let Some(end) = found.map(|end| from + end) else {
                    self.scanned = text.len().saturating_sub(PARAMETER_CLOSE.len());
                    self.key = Some(key);
                    return ValueEnd::Open;
                };
                self.values.push((key, text.get(self.at..end).unwrap_or_default().to_owned()));
                self.at = end + PARAMETER_CLOSE.len();
                continue;
            }
            let body = rest.trim_start();
            self.at += rest.len() - body.len();
            let opener = if self.name.is_none() { FUNCTION } else { PARAMETER };
            let is_closed = self.name.is_some() && body.starts_with(FUNCTION_CLOSE);
            if is_closed {
                return ValueEnd::Ended(self.at + FUNCTION_CLOSE.len());
            }
            match begins(body, opener) {
                Some(true) => match self.take_name(body, opener) {
                    ValueEnd::Ended(_) => {}
                    open_or_broken => return open_or_broken,
                },
                Some(false) => return ValueEnd::Open,
                None if self.name.is_some() && FUNCTION_CLOSE.starts_with(body) => return ValueEnd::Open,
                None => return ValueEnd::Broken(self.at),
            }
        }
    }

    /// Whether arguments have come: then it is a call, whatever becomes of it.
    pub(super) fn has_begun(&self) -> bool {
        self.key.is_some() || !self.values.is_empty()
    }

    fn take_name(&mut self, body: &str, opener: &str) -> ValueEnd {
        let behind = body.get(opener.len()..).unwrap_or_default();
        let Some(end) = behind.find(['>', '\n', '<']) else {
            return if behind.len() > NAME_BYTES_MAX { ValueEnd::Broken(self.at) } else { ValueEnd::Open };
        };
        let (name, more) = behind.split_at_checked(end).unwrap_or((behind, ""));
        let name = name.trim().trim_matches('"');
        let is_known = self.values.iter().any(|(key, _)| key == name);
        if !more.starts_with('>') || name.is_empty() || name.len() > NAME_BYTES_MAX || is_known {
            return ValueEnd::Broken(self.at);
        }
        self.at += opener.len() + end + 1;
        let slot = if self.name.is_none() { &mut self.name } else { &mut self.key };
        *slot = Some(name.to_owned());
        ValueEnd::Ended(self.at)
    }

    /// The call, once the element has ended. Values are text; what the tool does not declare as text and is a
    /// number, a truth, a list or an object is read as that.
    pub(super) fn into_call<'a>(self, mut specs: impl Iterator<Item = &'a ToolSpec>) -> CallDelta {
        let name = self.name.unwrap_or_default();
        let properties = specs.find(|spec| spec.name == name).and_then(|spec| spec.schema.get("properties"));
        let is_text = |key: &str| {
            let kind = properties.and_then(|all| all.get(key)).and_then(|schema| schema.get("type"));
            kind.and_then(Value::as_str) == Some("string")
        };
        let args: Map<String, Value> = self
            .values
            .into_iter()
            .map(|(key, value)| {
                let value = if is_text(&key) { Value::from(inner(&value)) } else { read_value(&value) };
                (key, value)
            })
            .collect();
        CallDelta {
            name: Some(name),
            args_value: Some(Box::new(Value::Object(args))),
            ..CallDelta::default()
        }
    }
}

/// A value without the line breaks that the form puts around it.
fn inner(value: &str) -> &str {
    let value = value.strip_prefix('\n').unwrap_or(value);
    value.strip_suffix('\n').unwrap_or(value)
}

fn read_value(value: &str) -> Value {
    let text = inner(value);
    match serde_json::from_str(text) {
        Ok(read @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_))) => read,
        Ok(Value::Null | Value::String(_)) | Err(_) => Value::from(text),
    }
}

/// The name of an element that cannot be read.
pub(super) fn written_name(text: &str) -> Option<String> {
    let (_, behind) = text.split_once(FUNCTION)?;
    let (name, _) = behind.split_once('>')?;
    let name = name.trim().trim_matches('"');
    (!name.is_empty() && name.len() <= NAME_BYTES_MAX).then(|| name.to_owned())
}

//! What a request asks, the same for all protocols, and the reasons to refuse it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::limits::NAME_CHARS_MAX;

/// A request that was found legal.
#[derive(Debug, Default)]
pub(super) struct LegalRequest {
    /// The model: the script.
    pub(super) model: String,
    /// Whether the answer is to be streamed.
    pub(super) streams: bool,
    /// Whether token counts are wanted in the stream.
    pub(super) wants_usage: bool,
    /// Names of the tools.
    pub(super) tools: BTreeSet<String>,
    /// Whether calls are forbidden.
    pub(super) forbids_calls: bool,
    /// Whether a call is demanded.
    pub(super) must_call: Option<MustCall>,
    /// The bytes of its pictures, in base64.
    pub(super) pictures: Vec<String>,
    /// What the assistant said so far.
    pub(super) exchanges: Vec<PastExchange>,
}

/// A call that is demanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MustCall {
    Any,
    Named(String),
}

impl MustCall {
    /// A call of a tool that must be there.
    pub(super) fn named(name: Option<&str>, tools: &BTreeSet<String>) -> Result<Self, VendorRefusal> {
        match name.filter(|name| tools.contains(*name)) {
            Some(name) => Ok(MustCall::Named(name.to_owned())),
            None => refuse(format!("Tool choice '{}' not found in 'tools'.", name.unwrap_or_default())),
        }
    }
}

/// One assistant message with its outcomes.
#[derive(Debug, Default, Clone)]
pub(super) struct PastExchange {
    pub(super) text: String,
    /// Its thinking, as the protocol writes it.
    pub(super) thoughts: Vec<Value>,
    pub(super) calls: Vec<PastCall>,
}

/// A call of the history.
#[derive(Debug, Default, Clone)]
pub(super) struct PastCall {
    /// Its id; empty where the protocol has none.
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: Value,
}

/// Why a vendor refuses a request, in its words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct VendorRefusal(pub(super) String);

impl<T: Into<String>> From<T> for VendorRefusal {
    fn from(words: T) -> Self {
        Self(words.into())
    }
}

/// Refuses with these words.
pub(super) fn refuse<T>(words: impl Into<String>) -> Result<T, VendorRefusal> {
    Err(VendorRefusal(words.into()))
}

/// Refuses with these words unless it is so.
pub(super) fn demand(is_so: bool, words: impl FnOnce() -> String) -> Result<(), VendorRefusal> {
    if is_so { Ok(()) } else { Err(VendorRefusal(words())) }
}

pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// A list field; empty when there is none.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The text of a content that is a string or a list of parts.
pub(super) fn content_text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| text(part, "text")).collect(),
        _ => String::new(),
    }
}

/// The bytes of a picture that is given as a `data:` address; other addresses are not looked at.
pub(super) fn picture_of(url: Option<&str>) -> Result<Option<String>, VendorRefusal> {
    let Some(url) = url else { return refuse("Invalid 'image_url': expected a string.") };
    let Some(rest) = url.strip_prefix("data:") else { return Ok(None) };
    match rest.split_once(";base64,") {
        Some((kind, bytes)) if kind.starts_with("image/") && !bytes.is_empty() => Ok(Some(bytes.to_owned())),
        _ => refuse("Invalid 'image_url': expected a base64-encoded data URL with an image MIME type."),
    }
}

/// Whether a name or an id is made of letters, digits, `_` and `-`, and not too long.
pub(super) fn is_word(word: &str, chars_max: usize) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !word.is_empty() && word.len() <= chars_max && word.chars().all(is_plain)
}

/// Names of declared tools: legal and each once.
pub(super) fn tool_names<'a>(
    names: impl Iterator<Item = Option<&'a str>>,
) -> Result<BTreeSet<String>, VendorRefusal> {
    let mut seen = BTreeSet::new();
    for (place, name) in names.enumerate() {
        let name = name.unwrap_or_default();
        demand(is_word(name, NAME_CHARS_MAX), || {
            format!(
                "Invalid 'tools[{place}].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'."
            )
        })?;
        demand(seen.insert(name.to_owned()), || "tools: Tool names must be unique.".to_owned())?;
    }
    Ok(seen)
}

/// Arguments that travel as text: they must be a document, or no later reader can use them.
pub(super) fn arguments_of(text: Option<&str>, place: &str) -> Result<Value, VendorRefusal> {
    match text.map(serde_json::from_str::<Value>) {
        Some(Ok(value)) if value.is_object() => Ok(value),
        Some(_) => refuse(format!("Invalid '{place}.arguments': not a JSON object.")),
        None => refuse(format!("Missing required parameter: '{place}.arguments'.")),
    }
}

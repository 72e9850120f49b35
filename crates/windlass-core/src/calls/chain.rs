//! References to earlier outcomes in the arguments of a call: `{"$ref":"call_2","path":"/0/url"}`.
//!
//! A reference is an object with the key `$ref` naming a call, the optional key `path` holding a JSON pointer
//! into that call's output, and no other key. It is replaced by the value it points to *before* the arguments
//! are validated and judged, so nothing is ever approved unseen. What an output contains is never resolved
//! again: a tool's text cannot pull in the outcomes of other calls. Which calls exist, the caller knows.

use std::fmt::{self, Write};

use serde_json::{Map, Value};

use crate::calls::json::clip::clip_chars;

/// References in the arguments of one call. Sixty-four outcomes are more than a run usually has.
pub const REFS_MAX: usize = 64;

/// Bytes of a call's name; longer strings name none.
const CALL_ID_BYTES_MAX: usize = 128;
/// Characters of the keys that a failed path is answered with.
const KEYS_CHARS_MAX: usize = 120;

/// What a reference points to.
#[derive(Debug, Clone, PartialEq)]
pub enum RefTarget<'a> {
    /// The output of a call that went well.
    Output(&'a Value),
    /// A call that gave no output, and why.
    Failed(String),
    /// A call that has no outcome yet.
    Pending,
    Unknown,
}

/// Why a reference could not be resolved; the texts are for the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefFailure {
    /// No call has that id.
    #[error("{at}: there is no earlier call \"{call_id}\"")]
    UnknownCall {
        /// The place of the reference in the arguments, as a JSON pointer.
        at: ArgumentPointer,
        /// The id it names.
        call_id: String,
    },
    /// The call failed, so that there is nothing to point to.
    #[error("{at}: call \"{call_id}\" has no output, it failed: {reason}")]
    CallFailed {
        /// The place of the reference in the arguments.
        at: ArgumentPointer,
        /// The id it names.
        call_id: String,
        /// Why the call failed.
        reason: String,
    },
    /// The call is still going on.
    #[error("{at}: call \"{call_id}\" has no outcome yet; refer to it in the next step")]
    CallPending {
        /// The place of the reference in the arguments.
        at: ArgumentPointer,
        /// The id it names.
        call_id: String,
    },
    /// The path is not a JSON pointer.
    #[error("{at}: the path of a reference must be a JSON pointer such as \"/0/url\", not {path}")]
    BadPath {
        /// The place of the reference in the arguments.
        at: ArgumentPointer,
        /// The path, as JSON.
        path: String,
    },
    /// The output has no such place.
    #[error("{at}: the output of \"{call_id}\" has no \"{path}\"; {found}")]
    PathNotFound {
        /// The place of the reference in the arguments.
        at: ArgumentPointer,
        /// The id it names.
        call_id: String,
        path: String,
        /// How far the path leads and what is there.
        found: String,
    },
    #[error("the arguments have more than {refs_max} references")]
    TooMany { refs_max: usize },
    /// The arguments would become too large.
    #[error(
        "{at}: with this reference the arguments have more than {bytes_max} bytes; refer to a smaller part"
    )]
    TooLarge {
        /// The place of the reference that passed the limit.
        at: ArgumentPointer,
        bytes_max: usize,
    },
}

/// A place in the arguments, as a JSON pointer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArgumentPointer(String);

impl fmt::Display for ArgumentPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "arguments{}", self.0)
    }
}

/// The ids that arguments refer to, each once, in the order of their appearance.
pub fn collect_refs(args: &Value) -> Vec<String> {
    let mut ids = Vec::new();
    collect_into(args, &mut ids);
    ids
}

fn collect_into(value: &Value, ids: &mut Vec<String>) {
    match value {
        Value::Object(fields) => match reference(fields) {
            Some(call_id) if !ids.iter().any(|id| id == call_id) => ids.push(call_id.to_owned()),
            Some(_) => {}
            None => fields.values().for_each(|field| collect_into(field, ids)),
        },
        Value::Array(items) => items.iter().for_each(|item| collect_into(item, ids)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Replaces each reference by what it points to.
///
/// What all of them bring in, written as JSON, has at most `bytes_max` bytes.
pub fn resolve_refs<'a>(
    args: &Value,
    bytes_max: usize,
    lookup: impl Fn(&str) -> RefTarget<'a>,
) -> Result<Value, RefFailure> {
    let budget = Budget { bytes_left: bytes_max };
    Resolver { lookup, refs: 0, bytes_max, budget, at: String::new() }.resolve(args)
}

/// The id that an object refers to, if it is a reference. A `$ref` of a JSON Schema (`#/$defs/…`) is none.
fn reference(fields: &Map<String, Value>) -> Option<&str> {
    let call_id = fields.get("$ref")?.as_str()?;
    let has_others = fields.len() > 1 + usize::from(fields.contains_key("path"));
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':');
    let is_id = (1..=CALL_ID_BYTES_MAX).contains(&call_id.len()) && call_id.bytes().all(is_part);
    (is_id && !has_others).then_some(call_id)
}

struct Resolver<F> {
    lookup: F,
    refs: usize,
    bytes_max: usize,
    budget: Budget,
    at: String,
}

impl<'a, F: Fn(&str) -> RefTarget<'a>> Resolver<F> {
    fn resolve(&mut self, value: &Value) -> Result<Value, RefFailure> {
        match value {
            Value::Object(fields) => match reference(fields) {
                Some(call_id) => self.follow(call_id, fields.get("path")),
                None => self.resolve_fields(fields),
            },
            Value::Array(items) => self.resolve_items(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(value.clone()),
        }
    }

    fn resolve_fields(&mut self, fields: &Map<String, Value>) -> Result<Value, RefFailure> {
        let mut resolved = Map::with_capacity(fields.len());
        for (key, field) in fields {
            let field = self.inside(&escape_token(key), field)?;
            resolved.insert(key.clone(), field);
        }
        Ok(Value::Object(resolved))
    }

    fn resolve_items(&mut self, items: &[Value]) -> Result<Value, RefFailure> {
        let resolved = items.iter().enumerate().map(|(place, item)| self.inside(&place.to_string(), item));
        resolved.collect::<Result<Vec<_>, _>>().map(Value::Array)
    }

    fn inside(&mut self, token: &str, value: &Value) -> Result<Value, RefFailure> {
        let length = self.at.len();
        self.at.push('/');
        self.at.push_str(token);
        let resolved = self.resolve(value)?;
        self.at.truncate(length);
        Ok(resolved)
    }

    fn follow(&mut self, call_id: &str, path: Option<&Value>) -> Result<Value, RefFailure> {
        self.refs += 1;
        if self.refs > REFS_MAX {
            return Err(RefFailure::TooMany { refs_max: REFS_MAX });
        }
        let at = || ArgumentPointer(self.at.clone());
        let call_id = || call_id.to_owned();
        let path = match path {
            None => "",
            Some(Value::String(path)) if path.is_empty() || path.starts_with('/') => path.as_str(),
            Some(other) => return Err(RefFailure::BadPath { at: at(), path: other.to_string() }),
        };
        let output = match (self.lookup)(&call_id()) {
            RefTarget::Output(output) => output,
            RefTarget::Failed(reason) => {
                return Err(RefFailure::CallFailed { at: at(), call_id: call_id(), reason });
            }
            RefTarget::Pending => return Err(RefFailure::CallPending { at: at(), call_id: call_id() }),
            RefTarget::Unknown => return Err(RefFailure::UnknownCall { at: at(), call_id: call_id() }),
        };
        let target = point(output, path).map_err(|found| RefFailure::PathNotFound {
            at: at(),
            call_id: call_id(),
            path: path.to_owned(),
            found,
        })?;
        if write!(self.budget, "{target}").is_err() {
            return Err(RefFailure::TooLarge { at: at(), bytes_max: self.bytes_max });
        }
        Ok(target.clone())
    }
}

/// Follows a JSON pointer, or tells how far it leads and what is there.
fn point<'v>(output: &'v Value, path: &str) -> Result<&'v Value, String> {
    let mut here = output;
    let mut walked = 0;
    for token in path.split('/').skip(1) {
        // In this order (RFC 6901): `~01` is `~1` and no slash.
        let name = token.replace("~1", "/").replace("~0", "~");
        // One token alone: the standard walk knows what an index may look like.
        let Some(next) = here.pointer(&format!("/{token}")) else {
            let place = match path.get(..walked) {
                Some("") | None => "at its top".to_owned(),
                Some(reached) => format!("at \"{reached}\""),
            };
            return Err(format!("{place} there is {}, without \"{name}\"", describe(here)));
        };
        here = next;
        walked += 1 + token.len();
    }
    Ok(here)
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "a boolean".to_owned(),
        Value::Number(_) => "a number".to_owned(),
        Value::String(_) => "a string".to_owned(),
        Value::Array(items) => format!("an array of {} items", items.len()),
        Value::Object(fields) => {
            // A few keys are enough to see the mistake.
            let keys: Vec<&str> = fields.keys().take(KEYS_CHARS_MAX / 2).map(String::as_str).collect();
            format!("an object with the keys {}", clip_chars(&keys.join(", "), KEYS_CHARS_MAX))
        }
    }
}

fn escape_token(key: &str) -> String {
    // The tilde first: the other escape begins with one.
    key.replace('~', "~0").replace('/', "~1")
}

/// Counts what is written and keeps nothing, so that a huge output is measured without being copied.
struct Budget {
    bytes_left: usize,
}

impl Write for Budget {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.bytes_left = self.bytes_left.checked_sub(piece.len()).ok_or(fmt::Error)?;
        Ok(())
    }
}

#[cfg(test)]
#[path = "chain_tests.rs"]
mod tests;

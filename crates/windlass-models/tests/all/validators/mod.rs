//! Validators: what each provider publishes about its requests, as far as a request can be judged by itself.
//!
//! They know nothing of encoders: a request is JSON, and the rules are the provider's own. What a request
//! says is read back from it too, so that one can see whether anything was lost.

use std::collections::HashSet;

use serde_json::Value;
use windlass_models::{ModelTarget, WireKind};

mod chat;
mod gemini;
mod messages;
mod ollama;
mod responses;
mod schema;

/// The result of a check: why a provider would refuse.
pub(crate) type Checked = Result<(), String>;

/// Whether the provider of a target would take a request.
pub(crate) fn validate(target: &ModelTarget, request: &Value) -> Checked {
    match target.wire {
        WireKind::Chat => chat::check(&target.provider, request),
        WireKind::Responses => responses::check(request),
        WireKind::Messages => messages::check(request),
        WireKind::Gemini => gemini::check(&target.model, request),
        WireKind::Ollama => ollama::check(request),
    }
}

/// What a request says, without blanks: wires join and split texts in different places.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Said {
    user: String,
    answers: String,
    calls: Vec<(String, Value)>,
    outcomes: Vec<String>,
    pub(crate) pictures: usize,
}

impl Said {
    pub(crate) fn add_user(&mut self, text: &str) {
        self.user.extend(text.chars().filter(|c| !c.is_whitespace()));
    }

    pub(crate) fn add_answer(&mut self, text: &str) {
        self.answers.extend(text.chars().filter(|c| !c.is_whitespace()));
    }

    pub(crate) fn add_call(&mut self, name: &str, args: &str) {
        self.calls.push((name.to_owned(), serde_json::from_str(args).unwrap()));
    }

    pub(crate) fn add_outcome(&mut self, content: &str) {
        let compact =
            serde_json::from_str::<Value>(content).map_or(content.to_owned(), |value| value.to_string());
        self.outcomes.push(compact);
    }
}

/// What a request says of its history.
pub(crate) fn said(wire: WireKind, request: &Value) -> Said {
    let mut all = Said::default();
    match wire {
        WireKind::Chat => chat::read(request, &mut all),
        WireKind::Responses => responses::read(request, &mut all),
        WireKind::Messages => messages::read(request, &mut all),
        WireKind::Gemini => gemini::read(request, &mut all),
        WireKind::Ollama => ollama::read(request, &mut all),
    }
    all
}

fn must(is_so: bool, why: impl FnOnce() -> String) -> Checked {
    if is_so { Ok(()) } else { Err(why()) }
}

/// A member that is a text and not empty.
fn text<'a>(value: &'a Value, name: &str) -> Result<&'a str, String> {
    let found = value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    found.ok_or_else(|| format!("'{name}' must be a text and not empty in {value}"))
}

/// A member that is a list and not empty.
fn list<'a>(value: &'a Value, name: &str) -> Result<&'a Vec<Value>, String> {
    let found = value.get(name).and_then(Value::as_array).filter(|list| !list.is_empty());
    found.ok_or_else(|| format!("'{name}' must be a list and not empty in {value}"))
}

/// Nothing but these members.
fn only(value: &Value, names: &[&str]) -> Checked {
    let fields = value.as_object().ok_or_else(|| format!("an object is wanted: {value}"))?;
    match fields.keys().find(|name| !names.contains(&name.as_str())) {
        Some(name) => Err(format!("unknown member '{name}' in {value}")),
        None => Ok(()),
    }
}

fn is_word(text: &str, chars_max: usize) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !text.is_empty() && text.len() <= chars_max && text.bytes().all(is_part)
}

fn must_be_blankless(text: &str) -> Checked {
    must(!text.trim().is_empty(), || "a text is blank".to_owned())
}

/// The text of one JSON object.
fn must_be_object_text(text: &str) -> Checked {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("arguments {text}: {error}"))?;
    must(value.is_object(), || format!("arguments are no object: {text}"))
}

fn must_be_new<'a>(met: &mut HashSet<&'a str>, id: &'a str) -> Checked {
    must(met.insert(id), || format!("the id {id} is there twice"))
}

fn must_be_picture(url: &str) -> Checked {
    let kinds = ["image/png", "image/jpeg", "image/gif", "image/webp"];
    let is_inline = kinds
        .iter()
        .any(|kind| url.strip_prefix(&format!("data:{kind};base64,")).is_some_and(|bytes| !bytes.is_empty()));
    must(is_inline || url.starts_with("https://"), || format!("no picture: {url}"))
}

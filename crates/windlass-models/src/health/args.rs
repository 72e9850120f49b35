//! Arguments for the wire: always the text of one JSON object, whatever the model once wrote.

use std::borrow::Cow;

use serde_json::json;
use windlass_core::calls::args::read_args;
use windlass_core::calls::json::NOT_UTF8;
use windlass_core::calls::json::clip::clip_chars;
use windlass_core::calls::json::skim::is_value;
use windlass_core::protocol::tool::RawArgs;

use super::limits::ARGS_BYTES_MAX;
use crate::limits::BROKEN_ARGS_CHARS_MAX;

/// What became of arguments.
pub(super) enum HealedArgs<'a> {
    /// They are an object.
    Sound(&'a str),
    /// They are an object inside noise, or encoded twice; this is the object.
    Noisy(String),
    /// They are no object: no tool ever ran with them.
    Unreadable(String),
}

/// Arguments as every provider takes them.
pub(super) fn sound(text: &str) -> HealedArgs<'_> {
    if text.contains(NOT_UTF8) {
        return unreadable(&text.replace(NOT_UTF8, "\u{fffd}"));
    }
    if is_object(text) {
        return HealedArgs::Sound(text);
    }
    if text.trim().is_empty() {
        return HealedArgs::Sound("{}");
    }
    match read_args(&RawArgs::Text(text.to_owned()), ARGS_BYTES_MAX) {
        Ok(read) if read.value.is_object() => HealedArgs::Noisy(read.value.to_string()),
        Ok(_) | Err(_) => unreadable(text),
    }
}

fn unreadable(text: &str) -> HealedArgs<'static> {
    let quote: Cow<'_, str> = clip_chars(text, BROKEN_ARGS_CHARS_MAX);
    HealedArgs::Unreadable(json!({"unreadable_arguments": quote}).to_string())
}

/// Whether a text is one JSON object that every reader takes.
fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && is_value(text)
}

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;

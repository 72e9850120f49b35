//! Arguments for the wire: always the text of one JSON object, whatever the model once wrote.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::json;
use windlass_core::args::read_args;
use windlass_core::json::clip::clip_chars;
use windlass_core::tool::RawArgs;

use super::limits::ARGS_BYTES_MAX;
use crate::limits::BROKEN_ARGS_CHARS_MAX;

/// What became of arguments.
pub(super) enum Args<'a> {
    /// They are an object.
    Sound(&'a str),
    /// They are an object inside noise, or encoded twice; this is the object.
    Noisy(String),
    /// They are no object: no tool ever ran with them.
    Unreadable(String),
}

/// Arguments as every provider takes them.
pub(super) fn sound(text: &str) -> Args<'_> {
    if is_object(text) {
        return Args::Sound(text);
    }
    if text.trim().is_empty() {
        return Args::Sound("{}");
    }
    match read_args(&RawArgs::Text(text.to_owned()), ARGS_BYTES_MAX) {
        Ok(read) if read.value.is_object() => Args::Noisy(read.value.to_string()),
        Ok(_) | Err(_) => {
            let quote: Cow<'_, str> = clip_chars(text, BROKEN_ARGS_CHARS_MAX);
            Args::Unreadable(json!({"unreadable_arguments": quote}).to_string())
        }
    }
}

/// Whether a text is one JSON object that every reader takes: strings and numbers are really read, nothing is
/// built.
fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str::<Read>(text).is_ok()
}

/// Any JSON value, read and thrown away.
struct Read;

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Read;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Read, E> {
        Ok(Read)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Read, E> {
        Ok(Read)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Read, E> {
        Ok(Read)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Read, E> {
        Ok(Read)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Read, E> {
        Ok(Read)
    }

    fn visit_str<E>(self, _: &str) -> Result<Read, E> {
        Ok(Read)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Read, A::Error> {
        while list.next_element::<Read>()?.is_some() {}
        Ok(Read)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Read, A::Error> {
        while fields.next_entry::<Read, Read>()?.is_some() {}
        Ok(Read)
    }
}

#[cfg(test)]
#[path = "args_tests.rs"]
mod tests;

//! The shape of a chat completion and of its chunks, borrowed from the text they came in.
//!
//! Endpoints disagree about types: a name may be null, arguments an object, a number a string. Every leaf is
//! therefore read as whatever it is and asked later; a chunk fails only if it is no JSON or its containers
//! are wrong. Knows no meaning of any field.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::usage::ChatUsage;
use crate::wire::surrogate::mend_surrogates;

/// A leaf of any type; text is borrowed where it has no escapes.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum JsonLeaf<'a> {
    #[default]
    Null,
    Text(Cow<'a, str>),
    /// A count or a place.
    Number(u64),
    /// Anything else; boxed because it is rare and large.
    Other(Box<Value>),
}

impl<'a> JsonLeaf<'a> {
    /// The text, if it is text and not empty.
    pub(super) fn filled(self) -> Option<Cow<'a, str>> {
        match self {
            JsonLeaf::Text(text) if !text.is_empty() => Some(text),
            JsonLeaf::Text(_) | JsonLeaf::Null | JsonLeaf::Number(_) | JsonLeaf::Other(_) => None,
        }
    }

    /// A slot number, also if it is written as text.
    pub(super) fn number(&self) -> Option<u32> {
        match self {
            JsonLeaf::Text(text) => text.parse().ok(),
            JsonLeaf::Number(number) => u32::try_from(*number).ok(),
            JsonLeaf::Null | JsonLeaf::Other(_) => None,
        }
    }

    /// The leaf as a value; `None` for null.
    pub(super) fn into_value(self) -> Option<Value> {
        match self {
            JsonLeaf::Null => None,
            JsonLeaf::Text(text) => Some(Value::String(text.into_owned())),
            JsonLeaf::Number(number) => Some(Value::from(number)),
            JsonLeaf::Other(value) => Some(*value),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for JsonLeaf<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LeafVisitor)
    }
}

struct LeafVisitor;

impl<'de> Visitor<'de> for LeafVisitor {
    type Value = JsonLeaf<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(JsonLeaf::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(JsonLeaf::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(JsonLeaf::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(JsonLeaf::Other(Box::new(Value::from(value))))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(JsonLeaf::Number(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(JsonLeaf::Other(Box::new(Value::from(value))))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(JsonLeaf::Other(Box::new(Value::from(value))))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(SeqAccessDeserializer::new(seq)).map(|value| JsonLeaf::Other(Box::new(value)))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(MapAccessDeserializer::new(map)).map(|value| JsonLeaf::Other(Box::new(value)))
    }
}

/// An object, if it is one: whatever else stands in its place says nothing. Boxed because it is rare and large.
#[derive(Debug)]
pub(super) struct Perhaps<T>(pub(super) Option<Box<T>>);

impl<T> Default for Perhaps<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Perhaps<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PerhapsVisitor(PhantomData)).map(Self)
    }
}

struct PerhapsVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for PerhapsVisitor<T> {
    type Value = Option<Box<T>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        // A list that is not read to its end fails the whole chunk.
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|object| Some(Box::new(object)))
    }
}

/// A chunk of a stream, a whole answer, or an error in the place of either.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct ChatChunk<'a> {
    #[serde(borrow, default)]
    pub(super) choices: Option<Vec<ChatChoice<'a>>>,
    #[serde(borrow, default)]
    pub(super) usage: Perhaps<ChatUsage<'a>>,
    #[serde(borrow, default)]
    pub(super) x_groq: JsonLeaf<'a>,
    #[serde(borrow, default)]
    pub(super) error: JsonLeaf<'a>,
    /// `error` where the error object itself stands in the place of the chunk.
    #[serde(borrow, default)]
    pub(super) object: JsonLeaf<'a>,
    #[serde(borrow, default)]
    pub(super) message: JsonLeaf<'a>,
    #[serde(borrow, default)]
    pub(super) detail: JsonLeaf<'a>,
}

/// One choice: a delta in a stream, a message in a whole answer, both from some. What a stream rarely has is
/// boxed, to keep the ordinary chunk small.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct ChatChoice<'a> {
    #[serde(borrow, default)]
    pub(super) delta: Option<ChatFields<'a>>,
    #[serde(borrow, default)]
    pub(super) message: Option<Box<ChatFields<'a>>>,
    #[serde(borrow, default)]
    pub(super) finish_reason: JsonLeaf<'a>,
    #[serde(borrow, default)]
    pub(super) native_finish_reason: JsonLeaf<'a>,
    #[serde(borrow, default)]
    pub(super) usage: Perhaps<ChatUsage<'a>>,
    #[serde(borrow, default)]
    pub(super) error: JsonLeaf<'a>,
}

/// What was said: the same fields in a delta and in a message.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct ChatFields<'a> {
    #[serde(borrow, default)]
    pub(super) content: JsonLeaf<'a>,
    #[serde(borrow, default)]
    pub(super) refusal: JsonLeaf<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning_content: JsonLeaf<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning: JsonLeaf<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning_details: JsonLeaf<'a>,
    #[serde(borrow, default)]
    pub(super) tool_calls: Option<Vec<CallPiece<'a>>>,
    #[serde(borrow, default)]
    pub(super) function_call: Option<Box<FunctionPiece<'a>>>,
}

/// A call, or a piece of one.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct CallPiece<'a> {
    #[serde(borrow, default)]
    pub(super) index: JsonLeaf<'a>,
    #[serde(borrow, default)]
    pub(super) id: JsonLeaf<'a>,
    #[serde(borrow, default)]
    pub(super) function: Option<FunctionPiece<'a>>,
    /// What some endpoints want to see again with the call (signatures).
    #[serde(borrow, default)]
    pub(super) extra_content: JsonLeaf<'a>,
}

#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct FunctionPiece<'a> {
    #[serde(borrow, default)]
    pub(super) name: JsonLeaf<'a>,
    /// As they are written: what is read of them must be what was meant.
    #[serde(borrow, default)]
    pub(super) arguments: Option<&'a RawValue>,
}

/// Reads a chunk. Halves of a character that stand alone (`\ud83d`: some servers cut an emoji between two
/// chunks) are replaced by the mark that a call does not survive; strict JSON readers would refuse the whole chunk
/// for them.
pub(super) fn read_chunk<T>(
    text: &str,
    take: impl FnOnce(ChatChunk<'_>) -> T,
) -> Result<T, serde_json::Error> {
    match serde_json::from_str(text) {
        Ok(chunk) => Ok(take(chunk)),
        // Only after a failure, so that ordinary chunks are not searched for escapes.
        Err(error) => match mend_surrogates(text) {
            Some(mended) => serde_json::from_str(&mended).map(take),
            None => Err(error),
        },
    }
}

#[cfg(test)]
#[path = "chunk_tests.rs"]
mod tests;

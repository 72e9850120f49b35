//! How an event is read: one flat object whose `type` says which of the two kinds it is.
//!
//! Serde's own untagged reading would try one kind after the other, and could not say what was wrong.

use std::fmt;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, StrDeserializer, StringDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::{DeltaEvent, DurableEvent, Event};

const TAG: &str = "type";

/// The wire's words for deltas; all others are durable.
const DELTAS: [&str; 5] =
    ["step_progressed", "reasoning_delta", "text_delta", "call_delta", "call_progressed"];

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EventVisitor)
    }
}

struct EventVisitor;

impl<'de> Visitor<'de> for EventVisitor {
    type Value = Event;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Event, A::Error> {
        let Some(first) = fields.next_key::<String>()? else { return Err(A::Error::missing_field(TAG)) };
        if first == TAG {
            // As it is written: the rest is read once, into the kind that it is.
            let tag = fields.next_value::<String>()?;
            return read(&tag.clone(), MapAccessDeserializer::new(Tagged { tag: Some(tag), rest: fields }));
        }
        let mut whole = Map::new();
        whole.insert(first, fields.next_value()?);
        while let Some((name, value)) = fields.next_entry::<String, Value>()? {
            whole.insert(name, value);
        }
        let Some(tag) = whole.get(TAG).and_then(Value::as_str).map(str::to_owned) else {
            return Err(A::Error::missing_field(TAG));
        };
        read(&tag, Value::Object(whole)).map_err(A::Error::custom)
    }
}

fn read<'de, D: Deserializer<'de>>(tag: &str, fields: D) -> Result<Event, D::Error> {
    if DELTAS.contains(&tag) {
        DeltaEvent::deserialize(fields).map(Event::Delta)
    } else {
        DurableEvent::deserialize(fields).map(Event::Durable)
    }
}

/// A tag that was read, and the fields behind it.
struct Tagged<A> {
    tag: Option<String>,
    rest: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Tagged<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match &self.tag {
            Some(_) => seed.deserialize(StrDeserializer::new(TAG)).map(Some),
            None => self.rest.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        match self.tag.take() {
            Some(tag) => seed.deserialize(StringDeserializer::new(tag)),
            None => self.rest.next_value_seed(seed),
        }
    }
}

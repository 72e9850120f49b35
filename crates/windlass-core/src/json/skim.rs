//! Whether a text is JSON, without a value: strings and numbers are really read, nothing is built.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// Whether a text is one strict JSON value.
pub fn is_value(text: &str) -> bool {
    serde_json::from_str::<Read>(text).is_ok()
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
#[path = "skim_tests.rs"]
mod tests;

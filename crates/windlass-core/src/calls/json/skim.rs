//! Whether a text is JSON, without a value: strings and numbers are really read, nothing is built.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// Whether a text is one strict JSON value.
pub fn is_value(text: &str) -> bool {
    serde_json::from_str::<SkimmedValue>(text).is_ok()
}

/// Any JSON value, read and thrown away.
struct SkimmedValue;

impl<'de> Deserialize<'de> for SkimmedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Not `IgnoredAny`: it skips strings and numbers, also some that reading refuses.
        deserializer.deserialize_any(SkimVisitor)
    }
}

struct SkimVisitor;

impl<'de> Visitor<'de> for SkimVisitor {
    type Value = SkimmedValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<SkimmedValue, E> {
        Ok(SkimmedValue)
    }

    fn visit_bool<E>(self, _: bool) -> Result<SkimmedValue, E> {
        Ok(SkimmedValue)
    }

    fn visit_i64<E>(self, _: i64) -> Result<SkimmedValue, E> {
        Ok(SkimmedValue)
    }

    fn visit_u64<E>(self, _: u64) -> Result<SkimmedValue, E> {
        Ok(SkimmedValue)
    }

    fn visit_f64<E>(self, _: f64) -> Result<SkimmedValue, E> {
        Ok(SkimmedValue)
    }

    fn visit_str<E>(self, _: &str) -> Result<SkimmedValue, E> {
        Ok(SkimmedValue)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<SkimmedValue, A::Error> {
        while list.next_element::<SkimmedValue>()?.is_some() {}
        Ok(SkimmedValue)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<SkimmedValue, A::Error> {
        while fields.next_entry::<SkimmedValue, SkimmedValue>()?.is_some() {}
        Ok(SkimmedValue)
    }
}

#[cfg(test)]
#[path = "skim_tests.rs"]
mod tests;

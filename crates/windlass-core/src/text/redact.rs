//! Taking secrets out of text that leaves the program: keys that the configuration names, and what looks like
//! a key of a well-known form.
//!
//! `Redactor` works on one text at a time. A text that comes in pieces goes through `pieces` first, so that no
//! secret stands over two of them. Which values are secret, a `registry` says, which may grow meanwhile; where they are
//! in a text, `scan` says. Knows no events and no wires.

mod pieces;
mod registry;
mod scan;

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;

pub use self::pieces::Pieces;
pub use self::registry::SecretRegistry;
use self::scan::SecretScan;
use crate::text::secret::Secret;

/// What stands instead of a secret.
const STARS: &str = "***";

/// Takes secrets out of texts. Cheap to clone; all that are made of one registry know what is registered later.
#[derive(Debug, Clone)]
pub struct Redactor {
    registry: SecretRegistry,
    /// Whether well-known forms are secrets too.
    has_forms: bool,
}

impl Default for Redactor {
    fn default() -> Self {
        SecretRegistry::default().redactor()
    }
}

impl Redactor {
    /// One that knows these secrets, and the well-known forms.
    pub fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let registry = SecretRegistry::default();
        registry.extend(secrets);
        registry.redactor()
    }

    /// One that knows the same secrets and no forms: for what must be shown complete, where nothing but a secret that is
    /// known for certain may be missing.
    pub fn known_values(&self) -> Self {
        Self { registry: self.registry.clone(), has_forms: false }
    }

    /// Whether there is anything besides the forms that it looks for.
    pub fn knows_values(&self) -> bool {
        !self.registry.is_empty()
    }

    /// Characters of secrets in a text.
    pub fn hidden_chars(&self, text: &str) -> usize {
        let found = self.find(text);
        found.into_iter().filter_map(|range| text.get(range)).map(|secret| secret.chars().count()).sum()
    }

    fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut scan = SecretScan::default();
        scan.advance(&self.registry.known(self.has_forms), text, true);
        scan.found
    }

    /// The text without secrets; borrowed when there were none.
    pub fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let found = self.find(text);
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        let (mut cleaned, mut kept) = (String::with_capacity(text.len()), 0);
        for range in found {
            cleaned.push_str(text.get(kept..range.start).unwrap_or_default());
            cleaned.push_str(STARS);
            kept = range.end;
        }
        cleaned.push_str(text.get(kept..).unwrap_or_default());
        Cow::Owned(cleaned)
    }

    /// Cleans every text in a value, names of fields too.
    pub fn clean_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(cleaned) = self.clean(text) {
                    *text = cleaned;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.clean_value(item)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|field| self.clean_value(field));
                // Names are hardly ever secret: only then the map is built anew.
                if fields.keys().any(|name| matches!(self.clean(name), Cow::Owned(_))) {
                    let cleaned = std::mem::take(fields);
                    fields.extend(
                        cleaned.into_iter().map(|(name, field)| (self.clean(&name).into_owned(), field)),
                    );
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;

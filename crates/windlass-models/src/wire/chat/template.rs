//! Chunks of one stream are alike: the same words around what was said. What stands around it is read once
//! and compared afterwards, which is several times faster than reading it again.
//!
//! Only chunks that say nothing but their delta become a template: no end, no counts, no error. A chunk that
//! differs from it by a single byte outside its delta is read whole.

use super::chunk::{Chunk, Leaf, Said};

/// Where the delta of the only choice begins, as every endpoint writes it.
const CHOICES: &str = "\"choices\":[{";
const DELTA: &str = "\"delta\":";

/// What stands before and behind the delta.
#[derive(Debug, Default)]
pub(super) struct Template {
    before: String,
    behind: String,
}

impl Template {
    /// What a chunk like the template says; `None` if it is another.
    pub(super) fn read<'a>(&self, text: &'a str) -> Option<Said<'a>> {
        if self.before.is_empty() {
            return None;
        }
        let delta = text.strip_prefix(self.before.as_str())?.strip_suffix(self.behind.as_str())?;
        serde_json::from_str(delta).ok()
    }

    /// Learns from a chunk that was read whole.
    pub(super) fn learn(&mut self, text: &str, chunk: &Chunk<'_>) {
        if self.before.is_empty() && is_plain(chunk) {
            *self = around(text).unwrap_or_default();
        }
    }
}

/// Whether a chunk says nothing but the delta of its only choice.
fn is_plain(chunk: &Chunk<'_>) -> bool {
    let Some([choice]) = chunk.choices.as_deref() else { return false };
    let leaves = [
        &chunk.usage,
        &chunk.x_groq,
        &chunk.error,
        &chunk.message,
        &chunk.detail,
        &choice.finish_reason,
        &choice.native_finish_reason,
        &choice.usage,
        &choice.error,
    ];
    choice.delta.is_some() && choice.message.is_none() && leaves.iter().all(|leaf| **leaf == Leaf::Null)
}

fn around(text: &str) -> Option<Template> {
    let choices = text.find(CHOICES)?.checked_add(CHOICES.len())?;
    let head = text.get(choices..)?;
    let start = head.find(DELTA)?.checked_add(DELTA.len())?;
    // Something nested before it may have a delta of its own.
    if head.get(..start)?.contains(['{', '}', '[', ']']) {
        return None;
    }
    let start = start.checked_add(choices)?;
    let rest = text.get(start..)?;
    let mut deltas = serde_json::Deserializer::from_str(rest).into_iter::<Said<'_>>();
    deltas.next()?.ok()?;
    let end = deltas.byte_offset();
    Some(Template { before: text.get(..start)?.to_owned(), behind: rest.get(end..)?.to_owned() })
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;

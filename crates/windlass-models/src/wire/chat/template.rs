//! Chunks of one stream are alike: the same words around what was said. What stands around it is read once
//! and compared afterwards, which is several times faster than reading it again.
//!
//! Only chunks that say nothing but their delta become a template: no end, no counts, no error. A chunk that
//! differs from it by a single byte outside its delta and the reason of its end is read whole.

use serde::de::IgnoredAny;

use super::chunk::{ChatChunk, ChatFields, JsonLeaf};

/// Where the delta of the only choice begins, as every endpoint writes it.
const CHOICES: &str = "\"choices\":";
const DELTA: &str = "\"delta\":";
/// Where the reason of the end stands.
const REASON: &str = "\"finish_reason\":";
const NO_REASON: &str = "\"finish_reason\":null";

/// What stands before and behind the delta.
#[derive(Debug, Default)]
pub(super) struct ChunkTemplate {
    before: String,
    behind: String,
}

impl ChunkTemplate {
    /// What a chunk like the template says, and why the model stopped, if it has; `None` if it is another.
    pub(super) fn read<'a>(&self, text: &'a str) -> Option<(ChatFields<'a>, Option<&'a str>)> {
        if self.before.is_empty() {
            return None;
        }
        let rest = text.strip_prefix(self.before.as_str())?;
        let (delta, reason) = match rest.strip_suffix(self.behind.as_str()) {
            Some(delta) => (delta, None),
            None => self.split_end(rest).map(|(delta, reason)| (delta, Some(reason)))?,
        };
        Some((serde_json::from_str(delta).ok()?, reason))
    }

    /// The delta and the reason of a chunk that has a reason to end where the template has none, and differs
    /// in nothing else.
    fn split_end<'a>(&self, rest: &'a str) -> Option<(&'a str, &'a str)> {
        let (between, close) = self.behind.split_once(NO_REASON)?;
        let (said, reason) = rest.strip_suffix(close)?.strip_suffix('"')?.rsplit_once('"')?;
        let delta = said.strip_suffix(REASON)?.strip_suffix(between)?;
        // A reason of something nested is not the choice's, and an escape would have to be read.
        let is_plain = !between.contains(['{', '[']) && !reason.contains('\\');
        is_plain.then_some((delta, reason))
    }

    /// Learns from a chunk that was read whole.
    pub(super) fn learn(&mut self, text: &str, chunk: &ChatChunk<'_>) {
        if self.before.is_empty() && is_plain(chunk) {
            *self = around(text).unwrap_or_default();
        }
    }
}

/// Whether a chunk says nothing but the delta of its only choice.
fn is_plain(chunk: &ChatChunk<'_>) -> bool {
    let Some([choice]) = chunk.choices.as_deref() else { return false };
    let has_counts = chunk.usage.0.is_some() || choice.usage.0.is_some();
    let leaves = [
        &chunk.x_groq,
        &chunk.error,
        &chunk.message,
        &chunk.detail,
        &choice.finish_reason,
        &choice.native_finish_reason,
        &choice.error,
    ];
    let has_more =
        has_counts || choice.message.is_some() || leaves.iter().any(|leaf| **leaf != JsonLeaf::Null);
    choice.delta.is_some() && !has_more
}

fn around(text: &str) -> Option<ChunkTemplate> {
    let mut lists = text.match_indices('[').map(|(at, _)| at);
    let list = lists.find(|at| text.get(..*at).is_some_and(|head| head.ends_with(CHOICES)))?;
    let start = list.checked_add("[{".len())?;
    let choice = text.get(list..)?.strip_prefix("[{")?;
    // The first object in the choice: something nested before it may have a delta of its own.
    let at = choice.find('{').filter(|at| choice.get(..*at).is_some_and(|head| head.ends_with(DELTA)))?;
    let (before, rest) = text.split_at_checked(start.checked_add(at)?)?;
    let mut deltas = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
    deltas.next()?.ok()?;
    Some(ChunkTemplate { before: before.to_owned(), behind: rest.get(deltas.byte_offset()..)?.to_owned() })
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;

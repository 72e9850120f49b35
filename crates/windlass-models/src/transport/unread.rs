//! Unread prompts: a server that drops what does not fit and says nothing is given away by its own count.
//!
//! Only what can hardly be otherwise is told; who counts nothing, or counts without its cache, is believed.

use std::sync::Arc;

use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::model::{Notice, NoticeKind, Usage};

use crate::target::{ModelTarget, WireKind};
use crate::wire::ollama;

/// Characters of a token at the most, averaged over a prompt.
const TOKEN_CHARS_MAX: u64 = 6;
/// Characters of a token as a rule.
const TOKEN_CHARS: u64 = 4;
/// Below this a prompt is too short to judge by.
const TOKENS_JUDGED_MIN: u64 = 2_000;

/// Characters of a body that may be judged by them; 0 for one that will not be, for counting takes its time.
pub(crate) fn chars_judged(target: &ModelTarget, body: &[u8], messages: &[Arc<Message>]) -> u64 {
    let is_judged = match target.wire {
        WireKind::Ollama => true,
        WireKind::Chat | WireKind::Responses | WireKind::Messages | WireKind::Gemini => {
            // A character is at least a byte.
            target.context_tokens().is_some() && body.len() as u64 / TOKEN_CHARS_MAX >= TOKENS_JUDGED_MIN
        }
    };
    if is_judged { chars_of(body, messages) } else { 0 }
}

/// Characters of a body that a model reads; pictures are counted in other ways.
fn chars_of(body: &[u8], messages: &[Arc<Message>]) -> u64 {
    let is_start = |byte: &&u8| **byte & 0b1100_0000 != 0b1000_0000;
    let chars = body.iter().filter(is_start).count();
    let pictures: usize = messages
        .iter()
        .map(|message| match message.as_ref() {
            Message::User { parts } => parts.iter().map(picture_bytes).sum(),
            Message::Assistant { .. } | Message::Tool(_) | Message::Note { .. } => 0,
        })
        .sum();
    chars.saturating_sub(pictures) as u64
}

fn picture_bytes(part: &Part) -> usize {
    match part {
        Part::Image { url, .. } => url.len(),
        Part::Text { .. } | Part::Reasoning(_) | Part::Call(_) => 0,
    }
}

/// What to tell if a server must have left out much of what it was sent.
pub(crate) fn notice(target: &ModelTarget, sent_chars: u64, usage: &Usage) -> Option<Notice> {
    let (is_cut, remedy) = match target.wire {
        WireKind::Ollama => {
            let context = ollama::context_tokens(target);
            let is_cut = usage.input > 0 && ollama::is_truncated(sent_chars, usage.input, context);
            (is_cut, "give it more context (num_ctx)")
        }
        WireKind::Chat | WireKind::Responses | WireKind::Messages | WireKind::Gemini => {
            let tokens_min = sent_chars / TOKEN_CHARS_MAX;
            let is_judged = target.context_tokens().is_some() && tokens_min >= TOKENS_JUDGED_MIN;
            let is_counted = usage.input > 0 && usage.cached == 0;
            let is_cut = is_judged && is_counted && usage.input.saturating_mul(2) < tokens_min;
            (is_cut, "say how much it really holds")
        }
    };
    is_cut.then(|| Notice {
        kind: NoticeKind::Trimmed,
        rule: "provider_truncated".to_owned(),
        message: format!(
            "{} read {} of about {} tokens and dropped the rest without a word: {remedy} with \
             providers.{}.context_tokens",
            target.name,
            usage.input,
            sent_chars / TOKEN_CHARS,
            target.provider
        ),
    })
}

#[cfg(test)]
#[path = "unread_tests.rs"]
mod tests;

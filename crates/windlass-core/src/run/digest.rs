//! What stands in the place of messages that were left out: a few words of each exchange, by rule and not by
//! a model, so that the same history always reads the same.

use std::fmt::Write;
use std::sync::Arc;

use crate::calls::json::clip::clip_chars;
use crate::limits::TOOL_NAME_CHARS_MAX;
use crate::protocol::message::Message;
use crate::text::cut_chars;

/// Characters of a whole digest: it is sent with every request from then on.
pub(super) const DIGEST_CHARS_MAX: usize = 2_000;
/// Characters of the user's words and of the answer in one exchange.
const USER_CHARS_MAX: usize = 80;
const ANSWER_CHARS_MAX: usize = 120;
/// Characters of a text that are looked at to find those: it may begin with blanks.
const LOOKED_CHARS_MAX: usize = 1_000;
/// Room for the end of the first line.
const FIRST_LINE_CHARS_MAX: usize = 60;
/// Tools named in one exchange.
const TOOLS_MAX: usize = 8;

/// The digest of messages that were left out, oldest first; the newest exchanges are told if not all fit.
pub(super) fn digest(left_out: &[Arc<Message>]) -> String {
    let is_next = |_: &Arc<Message>, next: &Arc<Message>| !matches!(next.as_ref(), Message::User { .. });
    let mut lines: Vec<String> = left_out.chunk_by(is_next).map(exchange_line).collect();
    let head = format!("{} earlier messages were left out to fit the context.", left_out.len());
    let room = DIGEST_CHARS_MAX.saturating_sub(head.len()).saturating_sub(FIRST_LINE_CHARS_MAX);
    let mut used = 0_usize;
    let told = lines.iter().rev().take_while(|line| {
        used = used.saturating_add(line.chars().count()).saturating_add(1);
        used <= room
    });
    let told = told.count();
    let untold = lines.len().saturating_sub(told);
    lines.drain(..untold);
    let title = match untold {
        0 => " In short:".to_owned(),
        _ => format!(" In short, without the oldest {untold}:"),
    };
    std::iter::once(head + &title).chain(lines).collect::<Vec<_>>().join("\n")
}

/// One exchange in a line: what was asked, which tools were called, what was answered.
fn exchange_line(exchange: &[Arc<Message>]) -> String {
    let asked = exchange.iter().find_map(|message| match message.as_ref() {
        Message::User { .. } => Some(format!("user: {}", in_short(&message.text(), USER_CHARS_MAX))),
        Message::Assistant { .. } | Message::Tool(_) | Message::Note { .. } => None,
    });
    let tools = Some(tools_of(exchange)).filter(|tools| !tools.is_empty());
    let answered = exchange.iter().rev().find_map(|message| match message.as_ref() {
        Message::Assistant { .. } => {
            Some(in_short(&message.text(), ANSWER_CHARS_MAX)).filter(|text| !text.is_empty())
        }
        Message::User { .. } | Message::Tool(_) | Message::Note { .. } => None,
    });
    let pieces = [
        asked,
        tools.map(|tools| format!("tools: {tools}")),
        answered.map(|answer| format!("answer: {answer}")),
    ];
    format!("- {}", pieces.into_iter().flatten().collect::<Vec<_>>().join("; "))
}

/// The tools that were called, in the order of their first call, with how often.
fn tools_of(exchange: &[Arc<Message>]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for call in exchange.iter().flat_map(|message| message.calls()) {
        match counts.iter_mut().find(|(name, _)| *name == call.name) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => counts.push((&call.name, 1)),
        }
    }
    let mut text = String::new();
    for (index, (name, count)) in counts.iter().take(TOOLS_MAX).enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        // Writing to a text cannot fail.
        let _ = match count {
            1 => write!(text, "{comma}{}", clip_chars(name, TOOL_NAME_CHARS_MAX)),
            _ => write!(text, "{comma}{} ×{count}", clip_chars(name, TOOL_NAME_CHARS_MAX)),
        };
    }
    if counts.len() > TOOLS_MAX {
        text.push_str(", …");
    }
    text
}

/// The beginning of a text in one line.
fn in_short(text: &str, chars_max: usize) -> String {
    let words: Vec<&str> = cut_chars(text.trim_start(), LOOKED_CHARS_MAX).split_whitespace().collect();
    clip_chars(&words.join(" "), chars_max).into_owned()
}

#[cfg(test)]
#[path = "digest_tests.rs"]
mod tests;

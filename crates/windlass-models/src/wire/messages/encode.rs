//! Requests: the head with what rarely changes, each turn as one or two messages, the tail.
//!
//! Breakpoints of the provider's cache (at most four are taken) stand on the last tool, on the system text
//! and on the last block of the history.

use std::borrow::Cow;

use serde_json::Value;
use windlass_core::protocol::message::Part;
use windlass_core::protocol::model::StepPurpose;

use super::wishes::HeadWishes;
use crate::health::{CallExchange, CallItem, OutcomeItem, Turn, TurnItem};
use crate::lower::LoweredTool;
use crate::quirks::ReasoningEcho;
use crate::wire::picture::split_base64;
use crate::wire::{RequestPlan, TurnBefore, TurnPosition, write_comma, write_json, write_text};

const MARK: &[u8] = br#","cache_control":{"type":"ephemeral"}"#;

/// A history must begin with the user.
const BEGINNING: &str = "(The beginning of this conversation was left out.)";

/// A history must end with the user: a last assistant message would be a prefill, which thinking and newer
/// models refuse.
const GO_ON: &str = "Go on.";

pub(super) fn write_head(plan: &RequestPlan<'_>, out: &mut Vec<u8>) {
    let wishes = HeadWishes::of(plan);
    out.extend_from_slice(b"{\"model\":");
    write_text(out, &plan.target.model);
    out.extend_from_slice(b",\"max_tokens\":");
    write_json(out, &wishes.output_tokens_max());
    out.extend_from_slice(if plan.target.quirks.streams {
        b",\"stream\":true"
    } else {
        b",\"stream\":false"
    });
    if !plan.system.trim().is_empty() {
        out.extend_from_slice(b",\"system\":[");
        write_text_block(out, plan.system, true);
        out.push(b']');
    }
    if let Some((last, others)) = plan.tools.tools.split_last() {
        out.extend_from_slice(b",\"tools\":[");
        for tool in others {
            write_tool(out, tool, false);
        }
        write_tool(out, last, true);
        out.push(b']');
    }
    wishes.write(out);
    out.extend_from_slice(b",\"messages\":[");
}

fn write_tool(out: &mut Vec<u8>, tool: &LoweredTool, is_marked: bool) {
    write_comma(out);
    out.extend_from_slice(b"{\"name\":");
    write_text(out, &tool.name);
    if !tool.spec.description.is_empty() {
        out.extend_from_slice(b",\"description\":");
        write_text(out, &tool.spec.description);
    }
    out.extend_from_slice(b",\"input_schema\":");
    write_json(out, &tool.schema);
    close_block(out, is_marked);
}

pub(super) fn write_turn(plan: &RequestPlan<'_>, turn: &Turn<'_>, place: TurnPosition, out: &mut Vec<u8>) {
    match turn {
        Turn::User(parts) => write_user(out, parts, place.is_last),
        Turn::Note(text) => write_texts(out, std::iter::once(text.as_ref()), place.is_last),
        Turn::Exchange(exchange) => write_exchange(plan, exchange, place, out),
    }
}

pub(super) fn write_tail(plan: &RequestPlan<'_>, before: TurnBefore, out: &mut Vec<u8>) {
    let is_silent = plan.trailer.iter().all(|note| note.trim().is_empty());
    match (is_silent, before) {
        (false, _) => write_texts(out, plan.trailer.iter().map(String::as_str), false),
        // A model that paused goes on from its own words, and from nothing else.
        (true, TurnBefore::Assistant) if plan.purpose == StepPurpose::Continuation => {}
        (true, TurnBefore::Assistant | TurnBefore::Nothing) => {
            write_texts(out, std::iter::once(GO_ON), false)
        }
        (true, TurnBefore::User | TurnBefore::Outcomes) => {}
    }
    out.extend_from_slice(b"]}");
}

fn open_message(out: &mut Vec<u8>, role: &str) {
    write_comma(out);
    out.extend_from_slice(b"{\"role\":\"");
    out.extend_from_slice(role.as_bytes());
    out.extend_from_slice(b"\",\"content\":[");
}

fn close_message(out: &mut Vec<u8>) {
    out.extend_from_slice(b"]}");
}

fn close_block(out: &mut Vec<u8>, is_marked: bool) {
    if is_marked {
        out.extend_from_slice(MARK);
    }
    out.push(b'}');
}

fn write_text_block(out: &mut Vec<u8>, text: &str, is_marked: bool) {
    write_comma(out);
    out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
    write_text(out, text);
    close_block(out, is_marked);
}

/// A user message of texts alone; blank ones are refused by the provider and left out.
fn write_texts<'a>(out: &mut Vec<u8>, texts: impl Iterator<Item = &'a str>, is_marked: bool) {
    let mut texts = texts.filter(|text| !text.trim().is_empty()).peekable();
    if texts.peek().is_none() {
        return;
    }
    open_message(out, "user");
    while let Some(text) = texts.next() {
        write_text_block(out, text, is_marked && texts.peek().is_none());
    }
    close_message(out);
}

fn write_user(out: &mut Vec<u8>, parts: &[Cow<'_, Part>], is_marked: bool) {
    let is_shown = |part: &Part| match part {
        Part::Text { text } => !text.trim().is_empty(),
        Part::Image { .. } => true,
        Part::Reasoning(_) | Part::Call(_) => false,
    };
    let mut parts = parts.iter().map(AsRef::as_ref).filter(|part| is_shown(part)).peekable();
    if parts.peek().is_none() {
        return;
    }
    open_message(out, "user");
    while let Some(part) = parts.next() {
        let is_marked = is_marked && parts.peek().is_none();
        match part {
            Part::Text { text } => write_text_block(out, text, is_marked),
            Part::Image { media_type, url } => write_image(out, media_type, url, is_marked),
            Part::Reasoning(_) | Part::Call(_) => {}
        }
    }
    close_message(out);
}

fn write_image(out: &mut Vec<u8>, media_type: &str, url: &str, is_marked: bool) {
    write_comma(out);
    out.extend_from_slice(b"{\"type\":\"image\",\"source\":");
    match split_base64(url) {
        Some((kind, bytes)) => {
            out.extend_from_slice(b"{\"type\":\"base64\",\"media_type\":");
            write_text(out, if media_type.is_empty() { kind } else { media_type });
            out.extend_from_slice(b",\"data\":");
            write_text(out, bytes);
        }
        None => {
            out.extend_from_slice(b"{\"type\":\"url\",\"url\":");
            write_text(out, url);
        }
    }
    out.push(b'}');
    close_block(out, is_marked);
}

fn write_exchange(
    plan: &RequestPlan<'_>,
    exchange: &CallExchange<'_>,
    place: TurnPosition,
    out: &mut Vec<u8>,
) {
    let mut items: Vec<&TurnItem<'_>> = exchange.items.iter().filter(|item| is_sent(plan, item)).collect();
    let is_answered = !exchange.outcomes.is_empty();
    // A message may not end in thinking. Without calls nothing depends on it.
    while !is_answered && items.last().is_some_and(|item| is_thinking(item)) {
        items.pop();
    }
    let Some((last, others)) = items.split_last() else { return };
    if place.before == TurnBefore::Nothing {
        write_texts(out, std::iter::once(BEGINNING), false);
    }
    open_message(out, "assistant");
    for item in others {
        write_item(out, item, false);
    }
    match last {
        // White space at the end of a last answer is refused.
        TurnItem::Text(text) if !is_answered => write_text_block(out, text.trim_end(), place.is_last),
        TurnItem::Text(_) | TurnItem::Reasoning { .. } | TurnItem::Call(_) => write_item(out, last, false),
    }
    close_message(out);
    // All outcomes of a turn must stand in the very next message, before anything else in it.
    if let Some((last, others)) = exchange.outcomes.split_last() {
        open_message(out, "user");
        for outcome in others {
            write_outcome(out, outcome, false);
        }
        write_outcome(out, last, place.is_last);
        close_message(out);
    }
}

fn write_item(out: &mut Vec<u8>, item: &TurnItem<'_>, is_marked: bool) {
    match item {
        TurnItem::Text(text) => write_text_block(out, text, is_marked),
        TurnItem::Reasoning { text, state } => write_reasoning(out, text, *state),
        TurnItem::Call(call) => write_call(out, call),
    }
}

fn kind_of(state: Option<&Value>) -> &str {
    state.and_then(|state| state.get("type")).and_then(Value::as_str).unwrap_or_default()
}

fn is_thinking(item: &TurnItem<'_>) -> bool {
    match item {
        TurnItem::Reasoning { state, .. } => matches!(kind_of(*state), "" | "thinking" | "redacted_thinking"),
        TurnItem::Text(_) | TurnItem::Call(_) => false,
    }
}

fn is_sent(plan: &RequestPlan<'_>, item: &TurnItem<'_>) -> bool {
    let (text, state) = match item {
        TurnItem::Text(text) => return !text.trim().is_empty(),
        TurnItem::Call(_) => return true,
        TurnItem::Reasoning { text, state } => (*text, *state),
    };
    let signature = state.and_then(|state| state.get("signature")).and_then(Value::as_str);
    let (echoes_state, echoes_text) = match plan.target.quirks.echo {
        ReasoningEcho::Never => (false, false),
        ReasoningEcho::State => (true, false),
        ReasoningEcho::Text | ReasoningEcho::Always => (true, true),
    };
    match (kind_of(state), signature) {
        ("thinking", Some(signature)) if !signature.is_empty() => echoes_state,
        // Anthropic refuses thinking without a signature; imitations of the wire may want its text.
        ("thinking" | "", _) => echoes_text && !text.is_empty(),
        ("redacted_thinking", _) => echoes_state,
        // Calls that the provider answered itself, and their results.
        _ => true,
    }
}

fn write_reasoning(out: &mut Vec<u8>, text: &str, state: Option<&Value>) {
    write_comma(out);
    let fields = match (kind_of(state), state) {
        ("thinking", Some(state)) => state.as_object(),
        ("", _) | (_, None) => None,
        // Hidden thinking and the provider's own calls go back as they came, or are refused.
        (_, Some(block)) => return write_json(out, block),
    };
    out.extend_from_slice(b"{\"type\":\"thinking\",\"thinking\":");
    write_text(out, text);
    for (name, value) in fields.into_iter().flatten().filter(|(name, _)| *name != "type") {
        out.push(b',');
        write_text(out, name);
        out.push(b':');
        write_json(out, value);
    }
    out.push(b'}');
}

fn write_call(out: &mut Vec<u8>, call: &CallItem<'_>) {
    write_comma(out);
    out.extend_from_slice(b"{\"type\":\"tool_use\",\"id\":");
    write_text(out, &call.id);
    out.extend_from_slice(b",\"name\":");
    write_text(out, &call.name);
    out.extend_from_slice(b",\"input\":");
    // Already the text of a JSON object: `health` saw to it.
    out.extend_from_slice(call.args.as_bytes());
    out.push(b'}');
}

fn write_outcome(out: &mut Vec<u8>, outcome: &OutcomeItem<'_>, is_marked: bool) {
    write_comma(out);
    out.extend_from_slice(b"{\"type\":\"tool_result\",\"tool_use_id\":");
    write_text(out, &outcome.id);
    out.extend_from_slice(b",\"content\":");
    write_text(out, &outcome.content);
    if !outcome.is_ok {
        out.extend_from_slice(b",\"is_error\":true");
    }
    close_block(out, is_marked);
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;

//! Requests: one object with options, tools and messages.

use std::borrow::Cow;

use serde_json::{Map, Value};
use windlass_core::protocol::message::Part;
use windlass_core::protocol::model::{Effort, ToolChoice};

use crate::health::{CallExchange, Turn, TurnItem};
use crate::quirks::{IdRule, ReasoningAsk, ReasoningEcho};
use crate::target::ModelTarget;
use crate::wire::picture::split_base64;
use crate::wire::{RequestPlan, write_comma, write_json, write_text};

/// Context that is asked for when nothing is known: the daemon's own default holds less than a few outcomes.
const CONTEXT_TOKENS_DEFAULT: u64 = 16_384;
/// Context that is asked for at the most unless the user says more: it is paid in memory of the machine.
const CONTEXT_TOKENS_MAX: u64 = 32_768;

pub(super) fn write_head(plan: &RequestPlan<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"model\":");
    write_text(out, &plan.target.model);
    out.extend_from_slice(if plan.target.quirks.streams {
        b",\"stream\":true"
    } else {
        b",\"stream\":false"
    });
    if let Some(think) = think_of(plan) {
        out.extend_from_slice(b",\"think\":");
        write_json(out, &think);
    }
    out.extend_from_slice(b",\"options\":");
    write_json(out, &options_of(plan));
    if let Some(format) = plan.sampling.response_format.as_ref().and_then(format_of) {
        out.extend_from_slice(b",\"format\":");
        write_json(out, &format);
    }
    write_tools(plan, out);
    out.extend_from_slice(b",\"messages\":[");
    if !plan.system.trim().is_empty() {
        write_message(out, "system", plan.system);
    }
}

/// Most models are switched, some take a level.
fn think_of(plan: &RequestPlan<'_>) -> Option<Value> {
    let effort = plan.sampling.reasoning_effort?;
    let has_levels = plan.target.model.contains("gpt-oss");
    match (plan.target.quirks.ask, effort) {
        (ReasoningAsk::Absent, _) => None,
        (_, Effort::Off) => Some(false.into()),
        (ReasoningAsk::Effort, Effort::Low | Effort::Medium | Effort::High) => Some(effort.word().into()),
        (_, Effort::Low | Effort::Medium | Effort::High) if has_levels => Some(effort.word().into()),
        (
            ReasoningAsk::Effort
            | ReasoningAsk::Object
            | ReasoningAsk::EnableThinking
            | ReasoningAsk::TemplateArgs
            | ReasoningAsk::ThinkingType
            | ReasoningAsk::Think,
            _,
        ) => Some(true.into()),
    }
}

/// Tokens of context that the daemon is asked for.
pub fn context_tokens(target: &ModelTarget) -> u64 {
    let known = target.abilities.context_tokens.map(|tokens| tokens.min(CONTEXT_TOKENS_MAX));
    target.quirks.context_tokens_asked.or(known).unwrap_or(CONTEXT_TOKENS_DEFAULT)
}

fn options_of(plan: &RequestPlan<'_>) -> Map<String, Value> {
    let (target, sampling) = (plan.target, plan.sampling);
    let wishes: [(&str, Option<Value>); 5] = [
        // Always said: the daemon's default is small, and it cuts the front of a prompt without a word.
        ("num_ctx", Some(context_tokens(target).into())),
        ("temperature", sampling.temperature.map(Into::into)),
        ("top_p", sampling.top_p.map(Into::into)),
        ("num_predict", sampling.output_tokens_max.map(Into::into)),
        ("seed", sampling.seed.map(Into::into)),
    ];
    wishes.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// The form of an answer: any JSON, or a schema.
fn format_of(format: &Value) -> Option<Value> {
    match format.get("type").and_then(Value::as_str) {
        Some("json_object") => Some("json".into()),
        Some("json_schema") => {
            let inner = format.get("json_schema").and_then(|inner| inner.get("schema"));
            inner.or_else(|| format.get("schema")).cloned()
        }
        _ => None,
    }
}

/// The protocol has no word for a choice: tools that must not be called are not shown.
fn write_tools(plan: &RequestPlan<'_>, out: &mut Vec<u8>) {
    if plan.tools.tools.is_empty() || *plan.choice == ToolChoice::Forbidden {
        return;
    }
    out.extend_from_slice(b",\"tools\":[");
    for tool in &plan.tools.tools {
        write_comma(out);
        out.extend_from_slice(b"{\"type\":\"function\",\"function\":{\"name\":");
        write_text(out, &tool.name);
        out.extend_from_slice(b",\"description\":");
        write_text(out, &tool.spec.description);
        out.extend_from_slice(b",\"parameters\":");
        write_json(out, &tool.schema);
        out.extend_from_slice(b"}}");
    }
    out.push(b']');
}

pub(super) fn write_turn(plan: &RequestPlan<'_>, turn: &Turn<'_>, out: &mut Vec<u8>) {
    match turn {
        Turn::User(parts) => write_user(out, parts),
        Turn::Note(text) => write_message(out, note_role(plan), text),
        Turn::Exchange(exchange) => write_exchange(plan, exchange, out),
    }
}

pub(super) fn write_tail(plan: &RequestPlan<'_>, out: &mut Vec<u8>) {
    for note in plan.trailer.iter().filter(|note| !note.trim().is_empty()) {
        write_message(out, note_role(plan), note);
    }
    out.extend_from_slice(b"]}");
}

fn note_role(plan: &RequestPlan<'_>) -> &'static str {
    if plan.target.quirks.has_notes { "system" } else { "user" }
}

fn open_message(out: &mut Vec<u8>, role: &str, content: &str) {
    write_comma(out);
    out.extend_from_slice(b"{\"role\":\"");
    out.extend_from_slice(role.as_bytes());
    out.extend_from_slice(b"\",\"content\":");
    write_text(out, content);
}

fn write_message(out: &mut Vec<u8>, role: &str, content: &str) {
    open_message(out, role, content);
    out.push(b'}');
}

/// Pictures travel beside the text, as bare base64; one that is only an address is named in the text.
fn write_user(out: &mut Vec<u8>, parts: &[Cow<'_, Part>]) {
    let mut text = String::new();
    let mut images = Vec::new();
    for part in parts {
        let piece = match part.as_ref() {
            Part::Text { text } => Cow::Borrowed(text.as_str()),
            Part::Image { url, .. } => match split_base64(url) {
                Some((_, bytes)) => {
                    images.push(bytes);
                    continue;
                }
                None => Cow::Owned(format!("[picture: {url}]")),
            },
            Part::Reasoning(_) | Part::Call(_) => continue,
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&piece);
    }
    open_message(out, "user", &text);
    if !images.is_empty() {
        out.extend_from_slice(b",\"images\":");
        write_json(out, &images);
    }
    out.push(b'}');
}

fn write_exchange(plan: &RequestPlan<'_>, exchange: &CallExchange<'_>, out: &mut Vec<u8>) {
    let has_ids = plan.target.quirks.ids != IdRule::Absent;
    open_message(out, "assistant", &exchange.text());
    let thinking = thinking_of(plan, exchange);
    if !thinking.is_empty() {
        out.extend_from_slice(b",\"thinking\":");
        write_text(out, &thinking);
    }
    if exchange.calls().next().is_some() {
        out.extend_from_slice(b",\"tool_calls\":[");
        for (index, call) in exchange.calls().enumerate() {
            write_comma(out);
            out.push(b'{');
            if has_ids && !call.id.is_empty() {
                out.extend_from_slice(b"\"id\":");
                write_text(out, &call.id);
                out.push(b',');
            }
            out.extend_from_slice(b"\"type\":\"function\",\"function\":{\"index\":");
            write_json(out, &index);
            out.extend_from_slice(b",\"name\":");
            write_text(out, &call.name);
            out.extend_from_slice(b",\"arguments\":");
            // Already the text of a JSON object: `health` saw to it.
            out.extend_from_slice(call.args.as_bytes());
            out.extend_from_slice(b"}}");
        }
        out.push(b']');
    }
    out.push(b'}');
    for outcome in &exchange.outcomes {
        open_message(out, "tool", &outcome.content);
        // Older daemons know no ids: there the name is what joins an outcome to its call.
        out.extend_from_slice(b",\"tool_name\":");
        write_text(out, &outcome.name);
        if has_ids && !outcome.id.is_empty() {
            out.extend_from_slice(b",\"tool_call_id\":");
            write_text(out, &outcome.id);
        }
        out.push(b'}');
    }
}

fn thinking_of(plan: &RequestPlan<'_>, exchange: &CallExchange<'_>) -> String {
    match plan.target.quirks.echo {
        ReasoningEcho::Never | ReasoningEcho::State => String::new(),
        ReasoningEcho::Text | ReasoningEcho::Always => exchange
            .items
            .iter()
            .filter_map(|item| match item {
                TurnItem::Reasoning { text, .. } => Some(*text),
                TurnItem::Text(_) | TurnItem::Call(_) => None,
            })
            .collect(),
    }
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;

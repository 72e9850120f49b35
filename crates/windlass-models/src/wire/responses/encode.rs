//! Writes Responses requests. The order of members keeps what changes from step to step at the end.

use std::borrow::Cow;

use serde_json::{Map, Value};
use windlass_core::protocol::message::Part;
use windlass_core::protocol::model::{Effort, ToolChoice};

use super::super::{
    Encode, RequestPlan, TurnBefore, TurnPosition, write_comma, write_json, write_member, write_text,
};
use crate::health::{CallExchange, CallItem, OutcomeItem, Turn, TurnItem};
use crate::quirks::{AnswerForms, ChoiceForm, ParallelCalls, ReasoningAsk, ReasoningEcho};

/// Fewer output tokens than this are refused.
const OUTPUT_TOKENS_MIN: u32 = 16;

#[derive(Debug, Clone, Copy, Default)]
pub struct ResponsesWire;

impl Encode for ResponsesWire {
    fn path(&self, _plan: &RequestPlan<'_>) -> String {
        "/responses".to_owned()
    }

    fn head(&self, plan: &RequestPlan<'_>, out: &mut Vec<u8>) {
        out.push(b'{');
        write_member(out, "model");
        write_text(out, &plan.target.model);
        write_member(out, "stream");
        write_json(out, &plan.target.quirks.streams);
        // The protocol's own default is to keep everything that is sent.
        write_member(out, "store");
        write_json(out, &false);
        if thinks(plan) {
            write_member(out, "include");
            out.extend_from_slice(br#"["reasoning.encrypted_content"]"#);
        }
        if !plan.system.is_empty() {
            write_member(out, "instructions");
            write_text(out, plan.system);
        }
        write_tools(plan, out);
        write_wishes(plan, out);
        write_member(out, "input");
        out.push(b'[');
    }

    fn turn(&self, plan: &RequestPlan<'_>, turn: &Turn<'_>, _place: TurnPosition, out: &mut Vec<u8>) {
        match turn {
            Turn::User(parts) => write_user(parts, out),
            Turn::Note(text) => write_note(plan, text, out),
            Turn::Exchange(exchange) => write_exchange(plan, exchange, out),
        }
    }

    fn tail(&self, plan: &RequestPlan<'_>, _before: TurnBefore, out: &mut Vec<u8>) {
        for note in plan.trailer {
            write_note(plan, note, out);
        }
        out.extend_from_slice(b"]}");
    }
}

/// Whether encrypted thinking is asked for and sent back: a model that does not think refuses the wish.
fn thinks(plan: &RequestPlan<'_>) -> bool {
    plan.target.quirks.echo != ReasoningEcho::Never && plan.target.abilities.reasons != Some(false)
}

fn write_tools(plan: &RequestPlan<'_>, out: &mut Vec<u8>) {
    let quirks = &plan.target.quirks;
    let is_silenced = *plan.choice == ToolChoice::Forbidden && !quirks.has_none_with_tools;
    if plan.tools.tools.is_empty() || is_silenced {
        return;
    }
    write_member(out, "tools");
    out.push(b'[');
    for tool in &plan.tools.tools {
        write_comma(out);
        out.extend_from_slice(br#"{"type":"function","name":"#);
        write_text(out, &tool.name);
        write_member(out, "description");
        write_text(out, &tool.spec.description);
        write_member(out, "parameters");
        write_json(out, &tool.schema);
        // Left out it would mean true.
        write_member(out, "strict");
        write_json(out, &tool.is_strict);
        out.push(b'}');
    }
    out.push(b']');
    if quirks.choice != ChoiceForm::Absent {
        write_member(out, "tool_choice");
        write_choice(plan, out);
    }
    let parallel = match quirks.parallel {
        ParallelCalls::Unsaid => return,
        ParallelCalls::Off => false,
        ParallelCalls::On => true,
    };
    write_member(out, "parallel_tool_calls");
    write_json(out, &parallel);
}

fn write_choice(plan: &RequestPlan<'_>, out: &mut Vec<u8>) {
    match plan.choice {
        ToolChoice::Auto => write_text(out, "auto"),
        ToolChoice::Required => write_text(out, "required"),
        ToolChoice::Forbidden => write_text(out, "none"),
        ToolChoice::Named(name) => {
            out.extend_from_slice(br#"{"type":"function","name":"#);
            write_text(out, plan.tools.wire_name(name).unwrap_or(name));
            out.push(b'}');
        }
    }
}

fn write_wishes(plan: &RequestPlan<'_>, out: &mut Vec<u8>) {
    let (sampling, quirks) = (plan.sampling, &plan.target.quirks);
    let effort = sampling.reasoning_effort.filter(|_| quirks.ask != ReasoningAsk::Absent);
    if let Some(effort) = effort {
        write_member(out, "reasoning");
        out.push(b'{');
        if effort != Effort::Auto {
            write_member(out, "effort");
            write_text(out, effort.word());
        }
        write_member(out, "summary");
        write_text(out, "auto");
        out.push(b'}');
    }
    let is_thinking = effort.map_or(quirks.thinks_unasked, |effort| effort != Effort::Off);
    if quirks.samples_while_thinking || !is_thinking {
        if let Some(temperature) = sampling.temperature {
            write_member(out, "temperature");
            write_json(out, &temperature);
        }
        if let Some(top_p) = sampling.top_p {
            write_member(out, "top_p");
            write_json(out, &top_p);
        }
    }
    if let Some(tokens) = sampling.output_tokens_max {
        write_member(out, "max_output_tokens");
        write_json(out, &tokens.max(OUTPUT_TOKENS_MIN));
    }
    let has_forms = quirks.response_format != AnswerForms::Absent;
    if let Some(format) = sampling.response_format.as_ref().filter(|_| has_forms) {
        write_member(out, "text");
        out.push(b'{');
        write_member(out, "format");
        write_json(out, &flat_format(format));
        out.push(b'}');
    }
}

/// Chat's `response_format` has a level more: what is under `json_schema` there stands beside `type` here.
fn flat_format(format: &Value) -> Cow<'_, Value> {
    let Some(Value::Object(schema)) = format.get("json_schema") else { return Cow::Borrowed(format) };
    let mut flat = Map::from_iter([("type".to_owned(), Value::from("json_schema"))]);
    flat.extend(schema.clone());
    Cow::Owned(Value::Object(flat))
}

fn write_user(parts: &[Cow<'_, Part>], out: &mut Vec<u8>) {
    write_comma(out);
    out.extend_from_slice(br#"{"type":"message","role":"user","content":["#);
    for part in parts {
        match part.as_ref() {
            Part::Text { text } => {
                write_comma(out);
                write_input_text(text, out);
            }
            Part::Image { url, .. } => {
                write_comma(out);
                out.extend_from_slice(br#"{"type":"input_image","detail":"auto","image_url":"#);
                write_text(out, url);
                out.push(b'}');
            }
            // A user neither thinks nor calls on any wire.
            Part::Reasoning(_) | Part::Call(_) => {}
        }
    }
    out.extend_from_slice(b"]}");
}

fn write_note(plan: &RequestPlan<'_>, text: &str, out: &mut Vec<u8>) {
    write_comma(out);
    let role = if plan.target.quirks.has_notes { "developer" } else { "user" };
    out.extend_from_slice(br#"{"type":"message","role":"#);
    write_text(out, role);
    out.extend_from_slice(br#","content":["#);
    write_input_text(text, out);
    out.extend_from_slice(b"]}");
}

fn write_input_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"type":"input_text","text":"#);
    write_text(out, text);
    out.push(b'}');
}

fn write_exchange(plan: &RequestPlan<'_>, exchange: &CallExchange<'_>, out: &mut Vec<u8>) {
    // Ids stand and fall with the thinking that belongs to them: one without the other is refused.
    let keeps = thinks(plan);
    let mut rest = exchange.items.as_slice();
    while let Some((item, after)) = rest.split_first() {
        rest = after;
        match item {
            TurnItem::Reasoning { state: Some(state), .. } => {
                if keeps && is_of_kind(state, "reasoning") && after.iter().any(is_output) {
                    write_comma(out);
                    write_json(out, state);
                }
            }
            TurnItem::Reasoning { state: None, .. } => {}
            TurnItem::Text(text) => write_message(text, message_state(after).filter(|_| keeps), out),
            TurnItem::Call(call) => write_call(call, call.state.filter(|_| keeps), out),
        }
    }
    // In the order of the calls, on which xAI insists.
    for (call, outcome) in exchange.calls().zip(&exchange.outcomes) {
        write_outcome(call.state.filter(|_| keeps), outcome, out);
    }
}

fn is_of_kind(state: &Value, kind: &str) -> bool {
    state.get("type").and_then(Value::as_str) == Some(kind)
}

/// Whether an item is what thinking leads to: thinking that leads to nothing is refused.
fn is_output(item: &TurnItem<'_>) -> bool {
    match item {
        TurnItem::Text(_) | TurnItem::Call(_) => true,
        TurnItem::Reasoning { .. } => false,
    }
}

/// The state of the message that a text was, from what stands behind it.
fn message_state<'a>(after: &[TurnItem<'a>]) -> Option<&'a Value> {
    match after.first() {
        Some(TurnItem::Reasoning { state: Some(state), .. }) if is_of_kind(state, "message") => Some(state),
        Some(TurnItem::Text(_) | TurnItem::Reasoning { .. } | TurnItem::Call(_)) | None => None,
    }
}

/// A message with its id is the provider's own item; one without is a plain text of the assistant, because
/// an item without an id is no legal item.
fn write_message(text: &str, state: Option<&Value>, out: &mut Vec<u8>) {
    write_comma(out);
    out.extend_from_slice(br#"{"type":"message","role":"assistant""#);
    if let Some(id) = state.and_then(|state| state.get("id")) {
        write_member(out, "id");
        write_json(out, id);
        out.extend_from_slice(br#","status":"completed","content":[{"type":"output_text","text":"#);
        write_text(out, text);
        out.extend_from_slice(br#","annotations":[]}]"#);
    } else {
        write_member(out, "content");
        write_text(out, text);
    }
    if let Some(phase) = state.and_then(|state| state.get("phase")) {
        write_member(out, "phase");
        write_json(out, phase);
    }
    out.push(b'}');
}

fn is_custom(state: Option<&Value>) -> bool {
    state.is_some_and(|state| is_of_kind(state, "custom_tool_call"))
}

fn write_call(call: &CallItem<'_>, state: Option<&Value>, out: &mut Vec<u8>) {
    write_comma(out);
    let kind = if is_custom(state) { "custom_tool_call" } else { "function_call" };
    out.extend_from_slice(br#"{"type":"#);
    write_text(out, kind);
    for name in ["id", "namespace"] {
        if let Some(value) = state.and_then(|state| state.get(name)) {
            write_member(out, name);
            write_json(out, value);
        }
    }
    write_member(out, "call_id");
    write_text(out, &call.id);
    write_member(out, "name");
    write_text(out, &call.name);
    if is_custom(state) {
        let args: Value = serde_json::from_str(&call.args).unwrap_or_default();
        write_member(out, "input");
        write_text(out, args.get("input").and_then(Value::as_str).unwrap_or_default());
    } else {
        write_member(out, "arguments");
        write_text(out, &call.args);
    }
    out.push(b'}');
}

fn write_outcome(state: Option<&Value>, outcome: &OutcomeItem<'_>, out: &mut Vec<u8>) {
    write_comma(out);
    let kind = if is_custom(state) { "custom_tool_call_output" } else { "function_call_output" };
    out.extend_from_slice(br#"{"type":"#);
    write_text(out, kind);
    write_member(out, "call_id");
    write_text(out, &outcome.id);
    write_member(out, "output");
    write_text(out, &outcome.content);
    out.push(b'}');
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;

//! Writes chat completion requests: head, turns, tail.
//!
//! Everything here obeys the quirks of the target. Order in the head is fixed, so that the same request has
//! the same bytes. Whether a history is legal is `health`'s business, whether a wish can be granted `guard`'s.

use std::borrow::Cow;

use serde_json::{Value, json};
use windlass_core::protocol::message::Part;
use windlass_core::protocol::model::{Effort, Sampling, ToolChoice};

use super::reasoning::{Echo, ReasoningSite};
use crate::health::{CallExchange, CallItem, OutcomeItem, Turn};
use crate::lower::LoweredTool;
use crate::quirks::{
    AnswerForms, ChoiceForm, EmptyContent, IdRule, ParallelCalls, Quirks, ReasoningAsk, SystemRole,
};
use crate::target::ModelTarget;
use crate::wire::{RequestPlan, TurnBefore, write_comma, write_json, write_text};

const PATH: &str = "/chat/completions";
/// What the assistant says between an outcome and the user where the two may not meet.
const BRIDGE: &str = "Done.";

/// The path, with the query that the base URL carries (Azure's API version).
pub(super) fn path(target: &ModelTarget) -> String {
    match target.base_url.split_once('?') {
        Some((_, query)) => format!("{PATH}?{query}"),
        None => PATH.to_owned(),
    }
}

/// Everything before the first turn.
pub(super) fn write_head(plan: &RequestPlan<'_>, out: &mut Vec<u8>) {
    let quirks = &plan.target.quirks;
    out.extend_from_slice(b"{\"model\":");
    write_text(out, &plan.target.model);
    write_field(out, "stream", &quirks.streams);
    if quirks.streams && quirks.has_stream_usage {
        write_field(out, "stream_options", &json!({"include_usage": true}));
    }
    write_wishes(quirks, plan.sampling, out);
    write_tools(plan, out);
    out.extend_from_slice(b",\"messages\":[");
    match quirks.system_role {
        SystemRole::System | SystemRole::Developer if !plan.system.is_empty() => {
            write_message(out, system_role(quirks), plan.system);
        }
        // In front of the first user message, which is written later.
        SystemRole::System | SystemRole::Developer | SystemRole::User => {}
    }
}

/// One turn, with the comma before it.
pub(super) fn write_turn(plan: &RequestPlan<'_>, turn: &Turn<'_>, before: TurnBefore, out: &mut Vec<u8>) {
    let quirks = &plan.target.quirks;
    let mut preface = preface(plan, before);
    let is_from_user = matches!(turn, Turn::User(_));
    // Only a user message can carry the system text in front of its own; others get it as a message.
    if !is_from_user && let Some(system) = preface.take() {
        write_message(out, "user", system);
    }
    match turn {
        Turn::User(parts) => {
            write_bridge(quirks, before, out);
            write_user(preface, parts, out);
        }
        Turn::Note(text) => {
            write_bridge(quirks, before, out);
            write_message(out, note_role(quirks), text);
        }
        Turn::Exchange(exchange) => {
            write_assistant(quirks, exchange, out);
            exchange.outcomes.iter().for_each(|outcome| write_outcome(quirks, outcome, out));
        }
    }
}

/// The trailer and the end of the body.
pub(super) fn write_tail(plan: &RequestPlan<'_>, before: TurnBefore, out: &mut Vec<u8>) {
    let quirks = &plan.target.quirks;
    // A history without turns has not written it yet.
    if let Some(system) = preface(plan, before) {
        write_message(out, "user", system);
    }
    if !plan.trailer.is_empty() {
        write_bridge(quirks, before, out);
        write_message(out, note_role(quirks), &plan.trailer.join("\n\n"));
    }
    out.extend_from_slice(b"]}");
}

/// The system text, where it has no message of its own and nothing was written yet.
fn preface<'a>(plan: &RequestPlan<'a>, before: TurnBefore) -> Option<&'a str> {
    let is_due = before == TurnBefore::Nothing && plan.target.quirks.system_role == SystemRole::User;
    Some(plan.system).filter(|system| is_due && !system.is_empty())
}

fn system_role(quirks: &Quirks) -> &'static str {
    match quirks.system_role {
        SystemRole::System => "system",
        SystemRole::Developer => "developer",
        SystemRole::User => "user",
    }
}

fn note_role(quirks: &Quirks) -> &'static str {
    if quirks.has_notes { system_role(quirks) } else { "user" }
}

fn write_field<T: serde::Serialize + ?Sized>(out: &mut Vec<u8>, name: &str, value: &T) {
    out.push(b',');
    write_text(out, name);
    out.push(b':');
    write_json(out, value);
}

fn write_wish<T: serde::Serialize>(out: &mut Vec<u8>, name: &str, value: Option<&T>) {
    if let Some(value) = value {
        write_field(out, name, value);
    }
}

fn write_wishes(quirks: &Quirks, sampling: &Sampling, out: &mut Vec<u8>) {
    let effort = sampling.reasoning_effort;
    let is_thinking = effort.is_some_and(|effort| effort != Effort::Off);
    if quirks.samples_while_thinking || !is_thinking {
        write_wish(out, "temperature", sampling.temperature.as_ref());
        write_wish(out, "top_p", sampling.top_p.as_ref());
    }
    let tokens_field = if quirks.has_completion_tokens { "max_completion_tokens" } else { "max_tokens" };
    write_wish(out, tokens_field, sampling.output_tokens_max.as_ref());
    if let Some(effort) = effort {
        write_reasoning_wish(quirks.ask, effort, out);
    }
    write_wish(out, "seed", sampling.seed.as_ref().filter(|_| quirks.has_seed));
    let has_forms = quirks.response_format != AnswerForms::Absent;
    write_wish(out, "response_format", sampling.response_format.as_ref().filter(|_| has_forms));
    if quirks.says_store {
        write_field(out, "store", &false);
    }
}

/// Asks for thinking. `auto` is what an endpoint does when it is only told to think, or nothing.
fn write_reasoning_wish(ask: ReasoningAsk, effort: Effort, out: &mut Vec<u8>) {
    let is_on = effort != Effort::Off;
    match ask {
        ReasoningAsk::Absent => {}
        ReasoningAsk::Effort if effort == Effort::Auto => {}
        ReasoningAsk::Effort => write_field(out, "reasoning_effort", effort.word()),
        ReasoningAsk::Object if effort == Effort::Auto => {
            write_field(out, "reasoning", &json!({"enabled": true}));
        }
        ReasoningAsk::Object => write_field(out, "reasoning", &json!({"effort": effort.word()})),
        ReasoningAsk::EnableThinking => write_field(out, "enable_thinking", &is_on),
        ReasoningAsk::TemplateArgs => {
            write_field(out, "chat_template_kwargs", &json!({"enable_thinking": is_on}));
        }
        ReasoningAsk::ThinkingType => {
            let word = if is_on { "enabled" } else { "disabled" };
            write_field(out, "thinking", &json!({"type": word}));
        }
        ReasoningAsk::Think => write_field(out, "think", &is_on),
    }
}

fn write_tools(plan: &RequestPlan<'_>, out: &mut Vec<u8>) {
    let quirks = &plan.target.quirks;
    // Tools stay when they are forbidden, so that the prompt's beginning stays the same.
    let is_barred = *plan.choice == ToolChoice::Forbidden && !quirks.has_none_with_tools;
    if plan.tools.tools.is_empty() || is_barred {
        return;
    }
    out.extend_from_slice(b",\"tools\":[");
    plan.tools.tools.iter().for_each(|tool| write_tool(tool, out));
    out.push(b']');
    if let Some(choice) = choice_value(plan) {
        write_field(out, "tool_choice", &choice);
    }
    match quirks.parallel {
        ParallelCalls::Unsaid => {}
        ParallelCalls::Off => write_field(out, "parallel_tool_calls", &false),
        ParallelCalls::On => write_field(out, "parallel_tool_calls", &true),
    }
    if quirks.requires_parameters {
        write_field(out, "provider", &json!({"require_parameters": true}));
    }
}

fn write_tool(tool: &LoweredTool, out: &mut Vec<u8>) {
    write_comma(out);
    out.extend_from_slice(b"{\"type\":\"function\",\"function\":{\"name\":");
    write_text(out, &tool.name);
    write_field(out, "description", &tool.spec.description);
    write_field(out, "parameters", &tool.schema);
    if tool.is_strict {
        write_field(out, "strict", &true);
    }
    out.extend_from_slice(b"}}");
}

/// The choice in a form that the endpoint takes; a stronger one than it takes is said as far as it can be.
fn choice_value(plan: &RequestPlan<'_>) -> Option<Value> {
    let quirks = &plan.target.quirks;
    let required = if quirks.says_any { "any" } else { "required" };
    let word = match (quirks.choice, plan.choice) {
        (ChoiceForm::Absent, _) => return None,
        (ChoiceForm::Full, ToolChoice::Named(name)) => {
            let name = plan.tools.wire_name(name).unwrap_or(name);
            return Some(json!({"type": "function", "function": {"name": name}}));
        }
        (_, ToolChoice::Auto) => "auto",
        (_, ToolChoice::Forbidden) => "none",
        (ChoiceForm::AutoOrNone, ToolChoice::Required | ToolChoice::Named(_)) => "auto",
        (ChoiceForm::Full | ChoiceForm::Words, ToolChoice::Required) => required,
        // An object in this place is read as `auto` (llama.cpp), so that the word says more.
        (ChoiceForm::Words, ToolChoice::Named(_)) => required,
    };
    Some(Value::from(word))
}

fn write_message(out: &mut Vec<u8>, role: &str, content: &str) {
    write_comma(out);
    out.extend_from_slice(b"{\"role\":");
    write_text(out, role);
    write_field(out, "content", content);
    out.push(b'}');
}

fn write_bridge(quirks: &Quirks, before: TurnBefore, out: &mut Vec<u8>) {
    if quirks.bridges_outcomes && before == TurnBefore::Outcomes {
        write_message(out, "assistant", BRIDGE);
    }
}

/// A user message: plain text where it has no pictures, which every endpoint takes.
fn write_user(preface: Option<&str>, parts: &[Cow<'_, Part>], out: &mut Vec<u8>) {
    let texts: Vec<&str> = parts.iter().filter_map(|part| text_of(part)).collect();
    let has_pictures = texts.len() < parts.len();
    if !has_pictures {
        let text = texts.join("\n");
        match preface {
            Some(preface) => write_message(out, "user", &format!("{preface}\n\n{text}")),
            None => write_message(out, "user", &text),
        }
        return;
    }
    write_comma(out);
    out.extend_from_slice(b"{\"role\":\"user\",\"content\":[");
    preface.into_iter().for_each(|preface| write_item(out, &json!({"type": "text", "text": preface})));
    for part in parts {
        match part.as_ref() {
            Part::Text { text } => write_item(out, &json!({"type": "text", "text": text})),
            Part::Image { url, .. } => {
                write_item(out, &json!({"type": "image_url", "image_url": {"url": url}}));
            }
            Part::Reasoning(_) | Part::Call(_) => {}
        }
    }
    out.extend_from_slice(b"]}");
}

fn write_item(out: &mut Vec<u8>, item: &Value) {
    write_comma(out);
    write_json(out, item);
}

fn text_of(part: &Part) -> Option<&str> {
    match part {
        Part::Text { text } => Some(text),
        Part::Image { .. } | Part::Reasoning(_) | Part::Call(_) => None,
    }
}

fn write_assistant(quirks: &Quirks, exchange: &CallExchange<'_>, out: &mut Vec<u8>) {
    let echo = Echo::of(quirks, exchange);
    let has_calls = exchange.calls().next().is_some();
    write_comma(out);
    out.extend_from_slice(b"{\"role\":\"assistant\",\"content\":");
    write_content(quirks, &exchange.text(), &echo, has_calls, out);
    if !echo.details.is_empty() {
        write_field(out, "reasoning_details", echo.details.as_ref());
    }
    match &echo.text {
        Some((
            place @ (ReasoningSite::ReasoningContent | ReasoningSite::Reasoning | ReasoningSite::Thinking),
            text,
        )) => {
            write_field(out, place.word(), text);
        }
        Some((ReasoningSite::Tags | ReasoningSite::Parts, _)) | None => {}
    }
    if has_calls {
        out.extend_from_slice(b",\"tool_calls\":[");
        exchange.calls().enumerate().for_each(|(index, call)| write_call(quirks, index, call, out));
        out.push(b']');
    }
    out.push(b'}');
}

/// The content, with the thinking that stood in it.
fn write_content(quirks: &Quirks, text: &str, echo: &Echo<'_>, has_calls: bool, out: &mut Vec<u8>) {
    match &echo.text {
        Some((ReasoningSite::Tags, thought)) => {
            // Blanks behind the closing tag were counted to the thinking; they go back to where they stood.
            let tail = thought.len().saturating_sub(echo.tail_bytes);
            let (thought, blanks) = thought.split_at_checked(tail).unwrap_or((thought, ""));
            write_text(out, &format!("<think>{thought}</think>{blanks}{text}"));
        }
        Some((ReasoningSite::Parts, thought)) => {
            let thinking =
                json!({"type": "thinking", "thinking": [{"type": "text", "text": thought.as_ref()}]});
            out.push(b'[');
            write_item(out, &thinking);
            if !text.is_empty() {
                write_item(out, &json!({"type": "text", "text": text}));
            }
            out.push(b']');
        }
        Some((ReasoningSite::ReasoningContent | ReasoningSite::Reasoning | ReasoningSite::Thinking, _))
        | None => {
            // Null is only ever legal beside calls.
            let is_null = text.is_empty() && has_calls && quirks.empty_content == EmptyContent::Null;
            if is_null { out.extend_from_slice(b"null") } else { write_text(out, text) }
        }
    }
}

fn write_call(quirks: &Quirks, index: usize, call: &CallItem<'_>, out: &mut Vec<u8>) {
    write_comma(out);
    out.push(b'{');
    if quirks.echoes_index {
        out.extend_from_slice(format!("\"index\":{index},").as_bytes());
    }
    if quirks.ids != IdRule::Absent {
        out.extend_from_slice(b"\"id\":");
        write_text(out, &call.id);
        out.push(b',');
    }
    out.extend_from_slice(b"\"type\":\"function\",\"function\":{\"name\":");
    write_text(out, &call.name);
    write_field(out, "arguments", &call.args);
    out.push(b'}');
    if let Some(extra) = call.state.and_then(|state| state.get("extra_content")) {
        write_field(out, "extra_content", extra);
    }
    out.push(b'}');
}

fn write_outcome(quirks: &Quirks, outcome: &OutcomeItem<'_>, out: &mut Vec<u8>) {
    write_comma(out);
    out.extend_from_slice(b"{\"role\":\"tool\"");
    if quirks.ids != IdRule::Absent {
        write_field(out, "tool_call_id", &outcome.id);
    }
    if quirks.names_outcomes {
        write_field(out, "name", &outcome.name);
    }
    write_field(out, "content", &outcome.content);
    out.push(b'}');
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;

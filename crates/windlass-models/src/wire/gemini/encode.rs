//! Writes generateContent requests. The history stands last, so that it can be appended to.

use std::borrow::Cow;

use serde_json::Value;
use windlass_core::protocol::message::Part;
use windlass_core::protocol::model::{Effort, ToolChoice};

use super::super::{
    Encode, RequestPlan, TurnBefore, TurnPosition, write_comma, write_json, write_member, write_text,
};
use super::signature::{Carrier, SENTINEL, of_state, signature_of, split_end};
use crate::health::{CallExchange, CallItem, OutcomeItem, Turn, TurnItem};
use crate::lower::LoweredTool;
use crate::quirks::{AnswerForms, ChoiceForm, ReasoningAsk, SchemaDialect, SystemRole};

/// The first generation that checks signatures and is told how hard to think in words.
const WORDS_SINCE: u32 = 3;

/// What stands between two contents of the model: calls must follow a user or an outcome.
const GO_ON: &str = "Go on.";

/// Writes generateContent requests.
#[derive(Debug, Clone, Copy, Default)]
pub struct GeminiWire;

impl Encode for GeminiWire {
    fn path(&self, plan: &RequestPlan<'_>) -> String {
        let model = &plan.target.model;
        let folder = if model.contains('/') { "" } else { "models/" };
        let verb =
            if plan.target.quirks.streams { "streamGenerateContent?alt=sse" } else { "generateContent" };
        format!("/{folder}{model}:{verb}")
    }

    fn head(&self, plan: &RequestPlan<'_>, out: &mut Vec<u8>) {
        out.push(b'{');
        let is_first_user = plan.target.quirks.system_role == SystemRole::User;
        if !plan.system.is_empty() && !is_first_user {
            write_member(out, "systemInstruction");
            out.extend_from_slice(br#"{"parts":["#);
            write_text_part(plan.system, out);
            out.extend_from_slice(b"]}");
        }
        write_tools(plan, out);
        write_wishes(plan, out);
        write_member(out, "contents");
        out.push(b'[');
        if !plan.system.is_empty() && is_first_user {
            write_remark(plan.system, out);
        }
    }

    fn turn(&self, plan: &RequestPlan<'_>, turn: &Turn<'_>, place: TurnPosition, out: &mut Vec<u8>) {
        match turn {
            Turn::User(parts) => write_user(parts, out),
            Turn::Note(text) => write_remark(text, out),
            Turn::Exchange(exchange) => {
                if place.before == TurnBefore::Assistant && exchange.calls().next().is_some() {
                    write_remark(GO_ON, out);
                }
                write_exchange(plan, exchange, out);
            }
        }
    }

    fn tail(&self, plan: &RequestPlan<'_>, _before: TurnBefore, out: &mut Vec<u8>) {
        for note in plan.trailer {
            write_remark(note, out);
        }
        out.extend_from_slice(b"]}");
    }
}

/// The generation of a Gemini model; 0 for others. A name that always means the newest is a new one.
fn generation(model: &str) -> u32 {
    let name = model.rsplit('/').next().unwrap_or(model);
    let Some(version) = name.strip_prefix("gemini-") else { return 0 };
    let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
    match digits.parse() {
        Ok(number) => number,
        Err(_) if version.ends_with("latest") => WORDS_SINCE,
        Err(_) => 0,
    }
}

fn write_tools(plan: &RequestPlan<'_>, out: &mut Vec<u8>) {
    let quirks = &plan.target.quirks;
    let is_silenced = *plan.choice == ToolChoice::Forbidden && !quirks.has_none_with_tools;
    if plan.tools.tools.is_empty() || is_silenced {
        return;
    }
    write_member(out, "tools");
    out.extend_from_slice(br#"[{"functionDeclarations":["#);
    for tool in &plan.tools.tools {
        write_tool(tool, quirks.schema, out);
    }
    out.extend_from_slice(b"]}]");
    if quirks.choice == ChoiceForm::Absent {
        return;
    }
    let (mode, named) = match plan.choice {
        ToolChoice::Auto => ("AUTO", None),
        ToolChoice::Required => ("ANY", None),
        ToolChoice::Forbidden => ("NONE", None),
        ToolChoice::Named(name) => ("ANY", Some(plan.tools.wire_name(name).unwrap_or(name))),
    };
    write_member(out, "toolConfig");
    out.extend_from_slice(br#"{"functionCallingConfig":{"mode":"#);
    write_text(out, mode);
    if let Some(name) = named {
        write_member(out, "allowedFunctionNames");
        write_json(out, &[name]);
    }
    out.extend_from_slice(b"}}");
}

fn write_tool(tool: &LoweredTool, dialect: SchemaDialect, out: &mut Vec<u8>) {
    write_comma(out);
    out.push(b'{');
    write_member(out, "name");
    write_text(out, &tool.name);
    write_member(out, "description");
    write_text(out, &tool.spec.description);
    let has_properties = tool
        .schema
        .get("properties")
        .and_then(Value::as_object)
        .is_some_and(|properties| !properties.is_empty());
    match dialect {
        SchemaDialect::Full | SchemaDialect::Strict | SchemaDialect::Moonshot => {
            write_member(out, "parametersJsonSchema");
            write_json(out, &tool.schema);
        }
        SchemaDialect::Gemini if has_properties => {
            write_member(out, "parameters");
            write_json(out, &tool.schema);
        }
        // An object without properties is refused, and all tools with it.
        SchemaDialect::Gemini => {}
    }
    out.push(b'}');
}

fn write_wishes(plan: &RequestPlan<'_>, out: &mut Vec<u8>) {
    let (sampling, quirks) = (plan.sampling, &plan.target.quirks);
    let mut wishes = vec![b'{'];
    let effort = sampling.reasoning_effort.filter(|_| quirks.ask != ReasoningAsk::Absent);
    if quirks.samples_while_thinking || effort.is_none() {
        if let Some(temperature) = sampling.temperature {
            write_member(&mut wishes, "temperature");
            write_json(&mut wishes, &temperature);
        }
        if let Some(top_p) = sampling.top_p {
            write_member(&mut wishes, "topP");
            write_json(&mut wishes, &top_p);
        }
    }
    if let Some(tokens) = sampling.output_tokens_max {
        write_member(&mut wishes, "maxOutputTokens");
        write_json(&mut wishes, &tokens);
    }
    if let Some(seed) = sampling.seed.filter(|_| quirks.has_seed) {
        write_member(&mut wishes, "seed");
        write_json(&mut wishes, &seed);
    }
    let has_forms = quirks.response_format != AnswerForms::Absent;
    if let Some(format) = sampling.response_format.as_ref().filter(|_| has_forms) {
        write_format(format, &mut wishes);
    }
    if let Some(effort) = effort {
        write_thinking(&plan.target.model, effort, &mut wishes);
    }
    if wishes.len() > 1 {
        write_member(out, "generationConfig");
        wishes.push(b'}');
        out.append(&mut wishes);
    }
}

/// OpenAI's `response_format` as Gemini says it.
fn write_format(format: &Value, out: &mut Vec<u8>) {
    let kind = format.get("type").and_then(Value::as_str).unwrap_or_default();
    if !matches!(kind, "json_object" | "json_schema") {
        return;
    }
    write_member(out, "responseMimeType");
    write_text(out, "application/json");
    if let Some(schema) = format.get("json_schema").and_then(|wish| wish.get("schema")) {
        write_member(out, "responseJsonSchema");
        write_json(out, schema);
    }
}

/// Newer models take a word, older ones a number of tokens; both at once are refused. Without either the
/// model decides.
fn write_thinking(model: &str, effort: Effort, out: &mut Vec<u8>) {
    write_member(out, "thinkingConfig");
    out.extend_from_slice(br#"{"includeThoughts":true"#);
    if generation(model) >= WORDS_SINCE {
        let level = match effort {
            Effort::Low => Some("LOW"),
            // The first of them knew no middle.
            Effort::Medium if model.contains("gemini-3-pro") => Some("HIGH"),
            Effort::Medium => Some("MEDIUM"),
            Effort::High => Some("HIGH"),
            Effort::Off | Effort::Minimal | Effort::XHigh | Effort::Max | Effort::Auto => None,
        };
        if let Some(level) = level {
            write_member(out, "thinkingLevel");
            write_text(out, level);
        }
    } else {
        let budget = match effort {
            Effort::Low => Some(1_024),
            Effort::Medium => Some(8_192),
            Effort::High => Some(24_576),
            Effort::Off | Effort::Minimal | Effort::XHigh | Effort::Max | Effort::Auto => None,
        };
        if let Some(budget) = budget {
            write_member(out, "thinkingBudget");
            write_json(out, &budget);
        }
    }
    out.push(b'}');
}

fn write_text_part(text: &str, out: &mut Vec<u8>) {
    write_comma(out);
    out.extend_from_slice(br#"{"text":"#);
    write_text(out, text);
    out.push(b'}');
}

/// A text of the user; several of them in a row are fine.
fn write_remark(text: &str, out: &mut Vec<u8>) {
    write_comma(out);
    out.extend_from_slice(br#"{"role":"user","parts":["#);
    write_text_part(text, out);
    out.extend_from_slice(b"]}");
}

fn write_user(parts: &[Cow<'_, Part>], out: &mut Vec<u8>) {
    write_comma(out);
    out.extend_from_slice(br#"{"role":"user","parts":["#);
    for part in parts {
        match part.as_ref() {
            Part::Text { text } => write_text_part(text, out),
            Part::Image { media_type, url } => write_image(media_type, url, out),
            // A user neither thinks nor calls on any wire.
            Part::Reasoning(_) | Part::Call(_) => {}
        }
    }
    out.extend_from_slice(b"]}");
}

fn write_image(media_type: &str, url: &str, out: &mut Vec<u8>) {
    write_comma(out);
    let inline = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let (kind, place, content) = match inline {
        Some((_, content)) => ("inlineData", "data", content),
        None => ("fileData", "fileUri", url),
    };
    out.push(b'{');
    write_member(out, kind);
    out.push(b'{');
    write_member(out, "mimeType");
    write_text(out, media_type);
    write_member(out, place);
    write_text(out, content);
    out.extend_from_slice(b"}}");
}

fn write_exchange(plan: &RequestPlan<'_>, exchange: &CallExchange<'_>, out: &mut Vec<u8>) {
    // Written apart: unsigned thinking leaves no part at all, and then there must be no content.
    let mut parts = vec![b'['];
    let mut rest = exchange.items.as_slice();
    // Of calls made together only the first is signed.
    let mut lacks_signature = generation(&plan.target.model) >= WORDS_SINCE;
    while let Some((item, after)) = rest.split_first() {
        rest = after;
        match item {
            TurnItem::Reasoning { text, state } => write_reasoning(text, *state, &mut parts),
            TurnItem::Text(text) => write_signed_text(text, after.first(), &mut parts),
            TurnItem::Call(call) => {
                write_call(call, lacks_signature, &mut parts);
                lacks_signature = false;
            }
        }
    }
    if parts.len() > 1 {
        write_comma(out);
        out.extend_from_slice(br#"{"role":"model","parts":"#);
        out.append(&mut parts);
        out.extend_from_slice(b"]}");
    }
    if !exchange.outcomes.is_empty() {
        write_comma(out);
        out.extend_from_slice(br#"{"role":"user","parts":["#);
        // `health` gave every call its outcome, in the order of the calls.
        for (call, outcome) in exchange.calls().zip(&exchange.outcomes) {
            write_outcome(call, outcome, out);
        }
        out.extend_from_slice(b"]}");
    }
}

/// Thinking comes back only where it is signed; a signature on a text was written with that text.
fn write_reasoning(text: &str, state: Option<&Value>, out: &mut Vec<u8>) {
    match state.and_then(of_state) {
        Some((Carrier::Thought(bytes), signature)) => {
            write_comma(out);
            out.extend_from_slice(br#"{"text":"#);
            write_text(out, split_end(text, bytes).1);
            out.extend_from_slice(br#","thought":true"#);
            write_signature(signature, out);
        }
        Some((Carrier::Nothing, signature)) => {
            write_comma(out);
            out.extend_from_slice(br#"{"text":"""#);
            write_signature(signature, out);
        }
        Some((Carrier::Text(_), _)) | None => {}
    }
}

/// A text, in two parts if only its end was signed.
fn write_signed_text(text: &str, next: Option<&TurnItem<'_>>, out: &mut Vec<u8>) {
    let state = match next {
        Some(TurnItem::Reasoning { state, .. }) => state.and_then(of_state),
        Some(TurnItem::Text(_) | TurnItem::Call(_)) | None => None,
    };
    let Some((Carrier::Text(bytes), signature)) = state else { return write_text_part(text, out) };
    let (plain, signed) = split_end(text, bytes);
    if !plain.is_empty() {
        write_text_part(plain, out);
    }
    write_comma(out);
    out.extend_from_slice(br#"{"text":"#);
    write_text(out, signed);
    write_signature(signature, out);
}

/// Ends a part with its signature.
fn write_signature(signature: &str, out: &mut Vec<u8>) {
    write_member(out, "thoughtSignature");
    write_text(out, signature);
    out.push(b'}');
}

/// The id that the provider itself gave; a minted one would mean nothing to it.
fn own_id<'a>(call: &CallItem<'a>) -> Option<&'a str> {
    call.state?.get("id")?.as_str()
}

fn write_call(call: &CallItem<'_>, needs_signature: bool, out: &mut Vec<u8>) {
    write_comma(out);
    out.extend_from_slice(br#"{"functionCall":{"#);
    if let Some(id) = own_id(call) {
        write_member(out, "id");
        write_text(out, id);
    }
    write_member(out, "name");
    write_text(out, &call.name);
    write_member(out, "args");
    // Already the text of a JSON object.
    out.extend_from_slice(call.args.as_bytes());
    out.push(b'}');
    match call.state.and_then(signature_of).or(needs_signature.then_some(SENTINEL)) {
        Some(signature) => write_signature(signature, out),
        None => out.push(b'}'),
    }
}

fn write_outcome(call: &CallItem<'_>, outcome: &OutcomeItem<'_>, out: &mut Vec<u8>) {
    write_comma(out);
    out.extend_from_slice(br#"{"functionResponse":{"#);
    if let Some(id) = own_id(call) {
        write_member(out, "id");
        write_text(out, id);
    }
    write_member(out, "name");
    write_text(out, &outcome.name);
    write_member(out, "response");
    out.push(b'{');
    write_member(out, if outcome.is_ok { "output" } else { "error" });
    let content = outcome.content.trim();
    if outcome.is_ok && serde_json::from_str::<Value>(content).is_ok_and(|value| value.is_object()) {
        out.extend_from_slice(content.as_bytes());
    } else {
        write_text(out, &outcome.content);
    }
    out.extend_from_slice(b"}}}");
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;

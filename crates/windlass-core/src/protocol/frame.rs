//! SSE v1.1: how events look on the wire (S-4…S-13, requirements §6.7).
//!
//! One payload an event, each with `type` and `ts`; `windlass run --json` prints the same payloads, one a
//! line. Clients ignore fields and types they do not know (S-13).

use std::io::Write;

use serde_json::{Map, Value, json};

use crate::permission::Question;
use crate::protocol::event::{DeltaEvent, DurableEvent, Event, Record};
use crate::protocol::ids::RunId;
use crate::protocol::model::Usage;
use crate::protocol::tool::ToolOutcome;
use crate::text::redact::Redactor;

/// The version of the contract.
pub const VERSION: &str = "1.1";

/// The payload of an event; `None` for events that have no frame of their own.
pub fn payload(record: &Record) -> Option<Value> {
    let (kind, fields) = match &record.event {
        Event::Durable(event) => durable_payload(record, event)?,
        Event::Delta(delta) => delta_payload(delta),
    };
    Some(with_type(kind, record, fields))
}

fn durable_payload(record: &Record, event: &DurableEvent) -> Option<(&'static str, Value)> {
    Some(match event {
        DurableEvent::RunStarted { model, profile, .. } => (
            "run_started",
            json!({
                "run_id": record.run_id, "v": VERSION, "session_id": record.session_id,
                "parent_id": record.parent_id, "model": model, "profile": profile,
            }),
        ),
        DurableEvent::RunResumed { .. } => ("run_resumed", resumption_of(record, event)),
        DurableEvent::EditApplied { call_id, note } => ("edit_applied", json!({"id": call_id, "note": note})),
        DurableEvent::TasksChanged { tasks } => ("tasks", json!({"tasks": tasks})),
        DurableEvent::StepDelayed { step, attempt, attempts_max, delay_ms, code, message, .. } => (
            "waiting",
            json!({
                "step": step, "attempt": attempt, "attempts_max": attempts_max, "delay_ms": delay_ms,
                "code": code, "message": message,
            }),
        ),
        DurableEvent::RequestAdjusted { step, kind, rule, message } => {
            ("request_adjusted", json!({"step": step, "kind": kind, "rule": rule, "message": message}))
        }
        DurableEvent::CallRequested { call, .. } => (
            "tool_calls",
            json!({"calls": [{"id": call.id, "name": call.name, "arguments": call.arguments}]}),
        ),
        DurableEvent::PermissionRequested { question } => {
            ("permission_request", question_of(&record.run_id, question))
        }
        DurableEvent::PermissionDecided { .. } => ("permission_decision", decision_of(event)),
        DurableEvent::CallStarted { call_id, name, category, visibility, .. } => (
            "tool_executing",
            json!({"id": call_id, "name": name, "category": category, "visibility": visibility}),
        ),
        DurableEvent::InnerCallStarted { .. } => ("inner_tool_executing", inner_of(event)),
        DurableEvent::InnerCallEnded { .. } => ("inner_tool_result", inner_of(event)),
        DurableEvent::CallEnded { call_id, name, outcome, category, visibility, .. } => (
            "tool_result",
            json!({
                "id": call_id, "name": name, "result": result_of(outcome),
                "duration_ms": outcome.meta.duration_ms, "cached": outcome.meta.is_cached,
                "category": category, "visibility": visibility,
                "staged": outcome.meta.proposal.as_deref().map(|staged| question_of(&record.run_id, staged)),
            }),
        ),
        DurableEvent::WarningRaised { code, message } => {
            ("warning", json!({"message": message, "code": code}))
        }
        DurableEvent::ErrorRaised { code, message } => ("error", json!({"message": message, "code": code})),
        DurableEvent::StepEnded { step, usage: Some(usage), .. } => ("usage", usage_of(*step, usage)),
        DurableEvent::RunEnded { outcome, reason, .. } => {
            ("done", json!({"done": true, "outcome": outcome, "reason": reason, "run_id": record.run_id}))
        }
        DurableEvent::StepStarted { .. }
        | DurableEvent::StepEnded { usage: None, .. }
        | DurableEvent::NoteAdded { .. } => {
            return None;
        }
    })
}

fn delta_payload(delta: &DeltaEvent) -> (&'static str, Value) {
    match delta {
        DeltaEvent::ReasoningDelta { phase, text } => ("reasoning", json!({"content": text, "phase": phase})),
        DeltaEvent::StepProgressed { tokens_read, tokens_total, remaining_ms } => (
            "step_progress",
            json!({"tokens_read": tokens_read, "tokens_total": tokens_total, "remaining_ms": remaining_ms}),
        ),
        DeltaEvent::TextDelta { text } => ("content", json!({"content": text})),
        DeltaEvent::CallDelta { index, name, chars } => {
            ("tool_call_delta", json!({"index": index, "name": name, "chars": chars}))
        }
        DeltaEvent::CallProgressed { call_id, line } => {
            ("tool_progress", json!({"id": call_id, "line": line}))
        }
    }
}

fn resumption_of(record: &Record, event: &DurableEvent) -> Value {
    let DurableEvent::RunResumed { interrupted, repeated, grants } = event else { return Value::Null };
    json!({"run_id": record.run_id, "interrupted": interrupted, "repeated": repeated, "grants": grants})
}

fn decision_of(event: &DurableEvent) -> Value {
    let DurableEvent::PermissionDecided { call_id, decision, by, rule, problem, denied_by, message } = event
    else {
        return Value::Null;
    };
    json!({
        "id": call_id, "decision": decision, "by": by, "rule": rule, "problem": problem,
        "denied_by": denied_by, "message": message,
    })
}

fn inner_of(event: &DurableEvent) -> Value {
    match event {
        DurableEvent::InnerCallStarted { call_id, path, name, arguments, .. } => {
            json!({"id": call_id, "path": path, "name": name, "arguments": arguments})
        }
        DurableEvent::InnerCallEnded { call_id, path, status, said, duration_ms, .. } => {
            json!({
                "id": call_id, "path": path, "status": status, "said": said, "duration_ms": duration_ms,
            })
        }
        other => other.ignored(),
    }
}

fn usage_of(step: u32, usage: &Usage) -> Value {
    json!({
        "step": step, "input": usage.input, "output": usage.output, "total": usage.total(),
        "cached": usage.cached, "reasoning": usage.reasoning, "cost_usd": usage.cost_usd,
    })
}

fn question_of(run_id: &RunId, question: &Question) -> Value {
    let question = question.clone().sealed(run_id);
    json!({
        "id": question.call_id, "name": question.tool, "arguments": question.arguments,
        "risk": question.risk, "preview": question.preview, "targets": question.targets,
        "folder": question.folder, "caution": question.caution, "sandbox": question.sandbox,
        "rule": question.rule, "confirm_word": question.confirm_word, "digest": question.digest,
        "position": question.position, "total": question.total, "hidden_chars": question.hidden_chars,
    })
}

/// `{success:true,result}` or `{success:false,error,…}` (S-8).
fn result_of(outcome: &ToolOutcome) -> Value {
    match &outcome.body {
        Ok(output) => {
            let mut result = json!({"success": true, "result": output.json});
            if let (Value::Object(fields), false) = (&mut result, output.links.is_empty()) {
                fields.insert("links".into(), json!(output.links));
            }
            result
        }
        Err(failure) => {
            let (kind, denied_by) = (failure.kind.word(), failure.denied_by);
            let mut result =
                json!({"success": false, "error": failure.message, "error_type": kind, "hint": failure.hint});
            if let (Value::Object(fields), Some(denied_by)) = (&mut result, denied_by) {
                fields.insert("denied_by".into(), denied_by.word().into());
            }
            result
        }
    }
}

/// `type` first, then the fields that have a value, then `ts`.
fn with_type(kind: &str, record: &Record, fields: Value) -> Value {
    let mut payload = Map::new();
    payload.insert("type".into(), kind.into());
    if let Value::Object(fields) = fields {
        payload.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
    }
    payload.insert("ts".into(), record.ts_ms.into());
    Value::Object(payload)
}

/// One SSE frame: an id line for durable events, then the payload (S-4, interface §3).
pub fn sse(record: &Record) -> Option<String> {
    let payload = payload(record)?;
    let id = if record.event.is_durable() { format!("id: {}\n", record.seq) } else { String::new() };
    Some(format!("{id}data: {payload}\n\n"))
}

/// Writes the frame of a record without secrets; nothing for events that have none. Pieces of text and thinking, which are nearly all there is, are written without
/// building a tree first. What `out` cannot take is lost: it should be memory.
pub fn write_sse(record: &Record, redactor: &Redactor, out: &mut impl Write) {
    let written = match &record.event {
        Event::Delta(DeltaEvent::TextDelta { text }) => {
            write_piece(record, "content", &redactor.clean(text), None, out)
        }
        Event::Delta(DeltaEvent::ReasoningDelta { phase, text }) => {
            write_piece(record, "reasoning", &redactor.clean(text), Some(*phase), out)
        }
        Event::Durable(_)
        | Event::Delta(
            DeltaEvent::CallDelta { .. }
            | DeltaEvent::StepProgressed { .. }
            | DeltaEvent::CallProgressed { .. },
        ) => write_whole(record, redactor, out),
    };
    debug_assert!(written.is_ok(), "frames are written to memory");
}

fn write_piece(
    record: &Record,
    kind: &str,
    text: &str,
    phase: Option<u32>,
    out: &mut impl Write,
) -> std::io::Result<()> {
    out.write_all(b"data: {\"type\":\"")?;
    out.write_all(kind.as_bytes())?;
    out.write_all(b"\",\"content\":")?;
    serde_json::to_writer(&mut *out, text)?;
    if let Some(phase) = phase {
        out.write_all(b",\"phase\":")?;
        serde_json::to_writer(&mut *out, &phase)?;
    }
    out.write_all(b",\"ts\":")?;
    serde_json::to_writer(&mut *out, &record.ts_ms)?;
    out.write_all(b"}\n\n")
}

/// The payload of an event without secrets. Questions are complete, but for known secret values.
pub fn shown_payload(record: &Record, redactor: &Redactor) -> Option<Value> {
    let mut payload = payload(record)?;
    redactor.clean_value(&mut payload);
    match &record.event {
        Event::Durable(DurableEvent::PermissionRequested { question }) => {
            let question = question_of(&record.run_id, &question.shown(redactor));
            payload = with_type("permission_request", record, question);
        }
        Event::Durable(DurableEvent::CallEnded { outcome, .. }) => {
            if let (Some(staged), Some(place)) = (&outcome.meta.proposal, payload.pointer_mut("/staged")) {
                *place = question_of(&record.run_id, &staged.shown(redactor));
            }
        }
        Event::Durable(other) => other.ignored(),
        Event::Delta(_) => {}
    }
    Some(payload)
}

fn write_whole(record: &Record, redactor: &Redactor, out: &mut impl Write) -> std::io::Result<()> {
    let Some(payload) = shown_payload(record, redactor) else { return Ok(()) };
    if record.event.is_durable() {
        writeln!(out, "id: {}", record.seq)?;
    }
    out.write_all(b"data: ")?;
    serde_json::to_writer(&mut *out, &payload)?;
    out.write_all(b"\n\n")
}

#[cfg(test)]
#[path = "frame_tests.rs"]
mod tests;

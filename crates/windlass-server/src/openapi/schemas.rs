//! The schemas of answers, by name. Integration tests hold every answer of the server against them.

use serde_json::{Map, Value, json};

use super::{count, flag, named, object, text};
use crate::routes::{documents, executors, models, modules, records, search, steps};

pub(crate) fn all() -> Map<String, Value> {
    let groups = [
        session_rows(),
        records::schemas(),
        trace(),
        questions(),
        executors::schemas(),
        models::schemas(),
        modules::schemas(),
        search::schemas(),
        documents::schemas(),
        tool_rows(),
        crate::routes::compat_schemas(),
    ];
    groups.into_iter().flatten().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

/// The same with its meaning.
pub(crate) fn said(schema: &Value, meaning: &str) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(fields) = &mut schema {
        fields.insert("description".into(), meaning.into());
    }
    schema
}

/// One of these words.
pub(crate) fn one_of(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}

fn outcome() -> Value {
    one_of(&["completed", "limit_reached", "cancelled", "failed"])
}

fn or_null(schema: &Value) -> Value {
    json!({"anyOf": [schema, {"type": "null"}]})
}

/// A list of such.
pub(crate) fn list(schema: &Value) -> Value {
    json!({"type": "array", "items": schema})
}

fn usage() -> Value {
    object([
        ("input", count()),
        ("output", count()),
        ("cached?", count()),
        ("reasoning?", count()),
        ("cost_usd?", json!({"type": ["number", "null"]})),
    ])
}

fn problem() -> Value {
    object([
        ("type", text()),
        ("title", text()),
        ("status", count()),
        ("code", said(&text(), "Stable.")),
        ("detail", said(&text(), "What was wrong, where, what to do.")),
        ("field?", text()),
        (
            "subject?",
            said(
                &text(),
                "What it is about: the id of what is missing, the run that goes on, who holds the session.",
            ),
        ),
    ])
}

fn session_rows() -> Vec<(&'static str, Value)> {
    let ms = || said(&count(), "Milliseconds since the Unix epoch.");
    vec![
        ("Problem", problem()),
        (
            "Session",
            object([
                ("session_id", text()),
                ("title", text()),
                ("key?", text()),
                ("origin", text()),
                ("root", text()),
                ("profile", text()),
                ("model", text()),
                ("approve", super::approve()),
                ("settings?", super::named("Settings")),
                ("history?", json!({"type": "array", "items": {"type": "object"}})),
                ("fork?", object([("session_id", text()), ("run_id", text()), ("step", count())])),
                ("created_ms", ms()),
                ("updated_ms", ms()),
                ("last_seq", count()),
                ("runs", count()),
            ]),
        ),
        ("Usage", usage()),
        (
            "Run",
            object([
                ("run_id", text()),
                ("session_id", text()),
                ("message", said(&text(), "What the user said, cut short.")),
                ("model", text()),
                ("profile", text()),
                ("started_ms", ms()),
                ("ended_ms?", ms()),
                ("outcome?", outcome()),
                ("reason?", said(&text(), "Why it stopped.")),
                ("first_seq", count()),
                ("last_seq", count()),
                ("steps", count()),
                ("calls", count()),
                ("questions", said(&count(), "Questions that wait for an answer.")),
                ("usage", named("Usage")),
            ]),
        ),
        ("Task", object([("task_id", text()), ("status", text()), ("content", text())])),
        (
            "StartedRun",
            object([("run_id", text()), ("session_id", text()), ("after_seq", count()), ("events", text())]),
        ),
        (
            "ReplayReport",
            object([
                ("run_id", text()),
                ("same", said(&count(), "Durable records that came out the same.")),
                ("divergence?", object([("seq", count()), ("recorded", text()), ("replayed", text())])),
            ]),
        ),
        ("StepReport", steps::schema()),
    ]
}

fn trace() -> Vec<(&'static str, Value)> {
    let tool = object([
        ("id", text()),
        ("name", text()),
        ("displayName", text()),
        ("status", one_of(&["queued", "running", "completed", "failed"])),
        ("startedAt", text()),
        ("endedAt", text()),
        ("durationMs", count()),
        ("parameters", json!({})),
        ("outputSummary", text()),
        ("links", list(&json!({"type": "object"}))),
        ("outputRaw", json!({})),
        ("error", or_null(&object([("message", text()), ("code", text())]))),
        ("category", one_of(&["search", "utility", "other"])),
        ("visibility", one_of(&["primary", "secondary", "hidden"])),
        ("cached", flag()),
        ("droppedArgs", list(&text())),
        ("repairs", list(&json!({}))),
        ("decision", or_null(&text())),
    ]);
    let tokens = object([
        ("input", count()),
        ("output", count()),
        ("total", count()),
        ("costUsd", json!({"type": ["number", "null"]})),
    ]);
    let trace = object([
        ("runId", text()),
        ("model", text()),
        ("startedAt", text()),
        ("endedAt", said(&text(), "Empty while the run goes on.")),
        ("totalDurationMs", count()),
        ("tokens", tokens),
        ("tools", list(&named("ToolTrace"))),
        ("reasoning", list(&object([("id", text()), ("content", text()), ("timestamp", text())]))),
        ("warnings", list(&object([("code", text()), ("message", text())]))),
        ("adjustments", list(&json!({"type": "object"}))),
        ("delays", list(&json!({"type": "object"}))),
        ("outcome", or_null(&outcome())),
        ("stopReason", or_null(&text())),
        ("answer", text()),
    ]);
    vec![("ToolTrace", tool), ("RunTrace", trace)]
}

fn questions() -> Vec<(&'static str, Value)> {
    vec![(
        "Question",
        object([
            ("tool", text()),
            ("arguments", said(&text(), "Complete arguments, as they will be used.")),
            ("risk", text()),
            ("targets?", list(&json!({"type": "object"}))),
            ("preview?", json!({"type": "object"})),
            ("folder?", said(&text(), "The folder it would run in.")),
            ("caution?", said(&text(), "What its tool warns of, in words of the program alone.")),
            ("rule", said(&text(), "The narrowest rule that would cover the call.")),
            ("confirm_word?", said(&text(), "The word to type for a critical call.")),
            ("hidden_chars", said(&count(), "Characters of known secrets in it, shown as ***.")),
            ("call_id", text()),
            ("digest", said(&text(), "Binds an answer to exactly this question: an answer must name it.")),
            (
                "position",
                said(&count(), "Its place among the questions of its step, from 1; 0 of a call by hand."),
            ),
            ("total", said(&count(), "How many questions its step is expected to have; it may grow.")),
        ]),
    )]
}

/// Why a call failed.
fn call_error() -> Value {
    let maybe = || or_null(&text());
    object([
        ("kind", text()),
        ("message", text()),
        ("hint?", maybe()),
        ("field?", maybe()),
        ("expected?", maybe()),
        ("received?", maybe()),
    ])
}

fn tool() -> Value {
    object([
        ("name", text()),
        ("aliases?", list(&text())),
        ("description", text()),
        ("schema", said(&json!({"type": "object"}), "The JSON Schema of its arguments.")),
        ("effects", one_of(&["pure", "read", "write", "external"])),
        ("idempotent", flag()),
        ("risk", one_of(&["safe", "low", "medium", "high", "critical"])),
        ("scopes?", list(&text())),
        ("category", one_of(&["search", "utility", "other"])),
        ("visibility", one_of(&["primary", "secondary", "hidden"])),
        ("executor?", said(&text(), "The executor of a user's own that runs it; none: this server does.")),
    ])
}

fn tool_rows() -> Vec<(&'static str, Value)> {
    vec![
        ("Tool", tool()),
        (
            "ToolAnswer",
            object([
                ("status", one_of(&["ok", "failed", "denied", "cancelled", "interrupted"])),
                ("content", said(&text(), "The envelope of the profile, as a model would see it.")),
                ("duration_ms", count()),
                ("result?", json!({})),
                ("error?", call_error()),
                ("outcome", said(&json!({"type": "object"}), "The outcome whole, as a record has it.")),
            ]),
        ),
        (
            "Rule",
            object([
                ("id", text()),
                ("effect", one_of(&["allow", "ask", "deny"])),
                ("rule", text()),
                ("created_ms", count()),
                ("source", one_of(&["user", "project", "flag", "grant"])),
                ("session_id?", said(&text(), "The session that it was granted to.")),
            ]),
        ),
        (
            "AuditEntry",
            object([
                ("ts_ms", count()),
                (
                    "decision",
                    one_of(&[
                        "auto_approved",
                        "user_approved",
                        "denied_by_policy",
                        "denied_by_user",
                        "failed_validation",
                    ]),
                ),
                ("tool", text()),
                ("reason", said(&text(), "Why, or by whom.")),
                ("user?", text()),
                ("args", said(&text(), "Arguments as JSON text: secrets struck out, long values cut.")),
            ]),
        ),
        (
            "Gate",
            object([
                ("gate", text()),
                ("opinion", one_of(&["silent", "allow", "ask", "stage", "deny"])),
                ("reason", text()),
                ("decides", flag()),
            ]),
        ),
    ]
}

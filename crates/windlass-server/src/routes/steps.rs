//! The steps of a run: what was asked of the model, and what that answered.

use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};
use windlass_core::protocol::ids::RunId;

use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult, SuccessKind};
use crate::extract::PathOf;
use crate::openapi::{count, named, object, text};
use crate::shown::show;
use crate::state::ServerApp;

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/runs/{id}/steps/{step}", get)
            .about("runs", "The exact request and response of a model step")
            .notes(
                "The request is made again from the record, as the run machine made it and as the model's adapter \
                 writes it, without key and headers. The system text and the descriptions of tools are not on \
                 record: those of today are shown. Where the record shows that something is another today, \
                 `problem` says what, and what is on record is still there.",
            )
            .path_param("id", "The run.")
            .path_param_of("step", json!({"type": "integer", "minimum": 1, "maximum": u32::MAX}), "The step, from 1.")
            .answers(SuccessKind::Ok, named("StepReport"), "The step.")
            .problems(&[ProblemKind::Missing]),
    ]
}

async fn get(
    State(app): State<ServerApp>,
    PathOf((id, step)): PathOf<(String, String)>,
) -> RouteResult<Response> {
    // As it is written in the document: digits, no sign.
    let is_number = step.bytes().all(|byte| byte.is_ascii_digit());
    let Some(step) = step.parse::<u32>().ok().filter(|step| is_number && *step > 0) else {
        return Err(Problem::field("step", "the step must be a whole number from 1"));
    };
    show(&app, SuccessKind::Ok, &app.host.step_report(&RunId::new(id), step).await?)
}

/// The schema of a step.
pub(crate) fn schema() -> Value {
    let list = |items: Value| json!({"type": "array", "items": items});
    let any = || json!({"type": "object"});
    let attempt = object([
        ("attempt", count()),
        ("purpose", json!({"type": "string", "enum": ["work", "correction", "continuation", "finalise"]})),
        ("started_ms", count()),
        ("ended_ms?", count()),
        ("delay_ms?", count()),
        ("failure?", object([("code", text()), ("message", text())])),
    ]);
    let request = object([
        ("system", text()),
        ("messages", list(any())),
        ("trailer", list(text())),
        ("tools", list(named("Tool"))),
        ("tool_choice", json!({"anyOf": [text(), any()]})),
        ("sampling", any()),
    ]);
    let response = object([
        ("message", any()),
        ("finish", json!({"anyOf": [text(), any()]})),
        ("usage?", named("Usage")),
    ]);
    object([
        ("step", count()),
        ("attempts", list(attempt)),
        ("request?", request),
        ("wire?", object([("method", text()), ("url", text()), ("body", json!({}))])),
        ("response?", response),
        (
            "problem?",
            json!({"type": "string", "description": "Why the request is missing, or may not be as it was."}),
        ),
    ])
}

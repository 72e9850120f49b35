//! Snapshots: whatever a front end wants to find again, with the complete trace of its run (R-29, S-31).

use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::ports::store::Save;
use windlass_core::protocol::ids::RunId;

use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult, SuccessKind};
use crate::extract::{JsonBody, PathOf};
use crate::limits::ROWS_MAX;
use crate::openapi::{count, list_of, named, object, text};
use crate::routes::runs::trace_of;
use crate::shown::{done, show};
use crate::state::{ServerApp, now_ms};

const TAG: &str = "saves";
/// Characters of a title, as Prompt Studio has it.
const SAVE_TITLE_CHARS_MAX: usize = 80;
/// What may be saved.
const KINDS: [&str; 4] = ["system", "user", "prompt", "state"];

/// Numbers the saves of this process, so that two in one millisecond have two names.
static SAVES: AtomicU64 = AtomicU64::new(0);

pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/saves", list).about(TAG, "Snapshots, newest first").answers(
            SuccessKind::Ok,
            object([("saves", list_of("Save"))]),
            "The snapshots.",
        ),
        Endpoint::post("/api/saves", put)
            .about(TAG, "Keeps a snapshot")
            .notes("With `run_id`, the complete trace of that run is kept in `data.runTrace`.")
            .body_as(named("NewSave"))
            .answers(SuccessKind::Created, named("Save"), "It is kept.")
            .problems(&[ProblemKind::Missing]),
        Endpoint::get("/api/saves/{id}", get)
            .about(TAG, "One snapshot")
            .path_param("id", "The snapshot.")
            .answers(SuccessKind::Ok, named("Save"), "The snapshot.")
            .problems(&[ProblemKind::Missing]),
        Endpoint::delete("/api/saves/{id}", delete)
            .about(TAG, "Forgets a snapshot")
            .path_param("id", "The snapshot.")
            .answers_nothing("It is gone.")
            .problems(&[ProblemKind::Missing]),
    ]
}

/// Schemas of their bodies, by name.
pub(super) fn schemas() -> Vec<(&'static str, Value)> {
    let kind = json!({"type": "string", "enum": KINDS});
    let title =
        json!({"type": "string", "minLength": 1, "maxLength": SAVE_TITLE_CHARS_MAX, "pattern": "\\S"});
    vec![
        (
            "NewSave",
            object([
                ("title", title),
                ("kind?", kind.clone()),
                ("provider?", json!({"type": ["string", "null"]})),
                ("model?", json!({"type": ["string", "null"]})),
                ("data?", json!({"type": "object"})),
                ("run_id?", json!({"type": ["string", "null"]})),
            ]),
        ),
        (
            "Save",
            object([
                ("id", text()),
                ("title", text()),
                ("kind", kind),
                ("provider?", json!({"type": ["string", "null"]})),
                ("model?", json!({"type": ["string", "null"]})),
                ("created_ms", count()),
                ("data", json!({"type": "object"})),
            ]),
        ),
    ]
}

#[derive(Deserialize)]
struct SaveBody {
    title: String,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    provider: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    data: Map<String, Value>,
    #[serde(default)]
    run_id: Option<String>,
}

async fn put(State(app): State<ServerApp>, JsonBody(body): JsonBody<SaveBody>) -> RouteResult<Response> {
    if body.title.trim().is_empty() || body.title.chars().count() > SAVE_TITLE_CHARS_MAX {
        return Err(Problem::field(
            "title",
            format!("'title' must have 1 to {SAVE_TITLE_CHARS_MAX} characters"),
        ));
    }
    let kind = body.kind.unwrap_or_else(|| "state".to_owned());
    if !KINDS.contains(&kind.as_str()) {
        return Err(Problem::field("kind", format!("'kind' must be {}", KINDS.join(", "))));
    }
    let mut data = body.data;
    if let Some(run_id) = &body.run_id {
        let trace = trace_of(&app, &RunId::new(run_id.as_str())).await?;
        let trace = serde_json::to_value(trace).map_err(|_| Problem::invalid("the run has no trace"))?;
        data.insert("runTrace".into(), trace);
    }
    let number = SAVES.fetch_add(1, Ordering::Relaxed);
    let now = now_ms();
    let save = Save {
        save_id: format!("save_{now:x}_{number:x}"),
        name: body.title,
        created_ms: now,
        body: json!({"kind": kind, "provider": body.provider, "model": body.model, "data": data}),
    };
    let shown = shape(&save);
    app.host.put_save(save).await?;
    show(&app, SuccessKind::Created, &shown)
}

async fn list(State(app): State<ServerApp>) -> RouteResult<Response> {
    let saves: Vec<Value> = app.host.saves(ROWS_MAX).await?.iter().map(shape).collect();
    show(&app, SuccessKind::Ok, &json!({"saves": saves}))
}

async fn get(State(app): State<ServerApp>, PathOf(id): PathOf<String>) -> RouteResult<Response> {
    show(&app, SuccessKind::Ok, &shape(&app.host.save(&id).await?))
}

async fn delete(State(app): State<ServerApp>, PathOf(id): PathOf<String>) -> RouteResult<Response> {
    app.host.delete_save(&id).await?;
    Ok(done())
}

fn shape(save: &Save) -> Value {
    let field = |name: &str| save.body.get(name).cloned().unwrap_or_default();
    json!({
        "id": save.save_id, "title": save.name, "kind": field("kind"), "provider": field("provider"),
        "model": field("model"), "created_ms": save.created_ms, "data": field("data"),
    })
}

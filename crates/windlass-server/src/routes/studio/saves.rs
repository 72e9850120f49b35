//! Snapshots: whatever a front end wants to find again, with the complete trace of its run (R-29, S-31).

use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::State;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use windlass_core::ports::store::Save;
use windlass_core::protocol::ids::{Millis, RunId};

use crate::answer::{Created, Nothing, Shown};
use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::extract::{JsonBody, PathOf};
use crate::limits::ROWS_MAX;
use crate::openapi::{one_of, or_null};
use crate::routes::runs::trace_of;
use crate::shown::show;
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
        Endpoint::get("/api/saves", list).about(TAG, "Snapshots, newest first").answers("The snapshots."),
        Endpoint::post("/api/saves", put)
            .about(TAG, "Keeps a snapshot")
            .notes("With `run_id`, the complete trace of that run is kept in `data.runTrace`.")
            .body::<SaveBody>()
            .answers("It is kept.")
            .problems(&[ProblemKind::Missing]),
        Endpoint::get("/api/saves/{id}", get)
            .about(TAG, "One snapshot")
            .path_param("id", "The snapshot.")
            .answers("The snapshot.")
            .problems(&[ProblemKind::Missing]),
        Endpoint::delete("/api/saves/{id}", delete)
            .about(TAG, "Forgets a snapshot")
            .path_param("id", "The snapshot.")
            .answers("It is gone.")
            .problems(&[ProblemKind::Missing]),
    ]
}

fn kind_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "enum": KINDS})
}

fn maybe_kind(_: &mut SchemaGenerator) -> Schema {
    or_null(one_of(&KINDS))
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "NewSave")]
struct SaveBody {
    #[schemars(length(min = 1, max = SAVE_TITLE_CHARS_MAX), regex(pattern = r"\S"))]
    title: String,
    #[serde(default)]
    #[schemars(schema_with = "maybe_kind")]
    kind: Option<String>,
    provider: Option<String>,
    model: Option<String>,
    #[serde(default)]
    data: Map<String, Value>,
    run_id: Option<String>,
}

/// A snapshot as it is shown. What was saved is shown as it was.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Save")]
struct ShownSave {
    id: String,
    title: String,
    #[schemars(schema_with = "kind_schema")]
    kind: Value,
    #[schemars(with = "Option<String>")]
    provider: Value,
    #[schemars(with = "Option<String>")]
    model: Value,
    created_ms: Millis,
    #[schemars(with = "Map<String, Value>")]
    data: Value,
}

impl From<Save> for ShownSave {
    fn from(save: Save) -> Self {
        let field = |name: &str| save.body.get(name).cloned().unwrap_or_default();
        Self {
            kind: field("kind"),
            provider: field("provider"),
            model: field("model"),
            data: field("data"),
            id: save.save_id,
            title: save.name,
            created_ms: save.created_ms,
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct SaveList {
    saves: Vec<ShownSave>,
}

async fn put(
    State(app): State<ServerApp>,
    JsonBody(body): JsonBody<SaveBody>,
) -> RouteResult<Created<ShownSave>> {
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
    app.host.put_save(save.clone()).await?;
    Ok(Created(show(&app, &save.into())?))
}

async fn list(State(app): State<ServerApp>) -> RouteResult<Shown<SaveList>> {
    let saves = app.host.saves(ROWS_MAX).await?.into_iter().map(ShownSave::from).collect();
    show(&app, &SaveList { saves })
}

async fn get(State(app): State<ServerApp>, PathOf(id): PathOf<String>) -> RouteResult<Shown<ShownSave>> {
    show(&app, &app.host.save(&id).await?.into())
}

async fn delete(State(app): State<ServerApp>, PathOf(id): PathOf<String>) -> RouteResult<Nothing> {
    app.host.delete_save(&id).await?;
    Ok(Nothing)
}

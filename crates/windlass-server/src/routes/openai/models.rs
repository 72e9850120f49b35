//! Models, as OpenAI lists them.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use windlass_core::ports::host::HostError;

use super::error::of_host;
use super::request::OWN_MODEL;
use crate::error::RouteResult;
use crate::extract::PathOf;
use crate::state::ServerApp;

/// Names of all models: the default one by our own name first.
async fn names(app: &ServerApp) -> RouteResult<Vec<String>> {
    let rows = app.host.models().await.map_err(of_host)?;
    let ready = rows.into_iter().filter(|row| row.is_ready).map(|row| row.name);
    Ok(std::iter::once(OWN_MODEL.to_owned()).chain(ready).collect())
}

fn model(name: &str) -> Value {
    let owner = name.split_once('/').map_or(OWN_MODEL, |(provider, _)| provider);
    // Nobody knows when a model was made; clients want a number.
    json!({"id": name, "object": "model", "created": 0, "owned_by": owner})
}

pub(super) async fn list(State(app): State<ServerApp>) -> RouteResult<Json<Value>> {
    let models: Vec<Value> = names(&app).await?.iter().map(|name| model(name)).collect();
    Ok(Json(json!({"object": "list", "data": models})))
}

pub(super) async fn show(
    State(app): State<ServerApp>,
    PathOf(id): PathOf<String>,
) -> RouteResult<Json<Value>> {
    match names(&app).await?.iter().find(|name| **name == id) {
        Some(name) => Ok(Json(model(name))),
        None => Err(of_host(HostError::Missing { what: "model", id })),
    }
}

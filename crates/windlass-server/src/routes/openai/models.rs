//! Models, as OpenAI lists them.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::ports::host::HostError;

use super::error::of_host;
use super::request::OWN_MODEL;
use crate::answer::Shown;
use crate::error::RouteResult;
use crate::extract::PathOf;
use crate::shown::show_exact;
use crate::state::ServerApp;

/// Names of all models: the default one by our own name first.
async fn names(app: &ServerApp) -> RouteResult<Vec<String>> {
    let rows = app.host.models().await.map_err(of_host)?;
    let ready = rows.into_iter().filter(|row| row.is_ready).map(|row| row.name);
    Ok(std::iter::once(OWN_MODEL.to_owned()).chain(ready).collect())
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OpenaiModel")]
pub(super) struct ShownModel {
    id: String,
    #[schemars(extend("const" = "model"))]
    object: &'static str,
    /// Nobody knows when a model was made; clients want a number.
    created: u64,
    owned_by: String,
}

impl ShownModel {
    fn new(name: String) -> Self {
        let owner = name.split_once('/').map_or(OWN_MODEL, |(provider, _)| provider).to_owned();
        Self { id: name, object: "model", created: 0, owned_by: owner }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct OpenaiModels {
    object: &'static str,
    data: Vec<ShownModel>,
}

pub(super) async fn list(State(app): State<ServerApp>) -> RouteResult<Shown<OpenaiModels>> {
    let data = names(&app).await?.into_iter().map(ShownModel::new).collect();
    show_exact(&OpenaiModels { object: "list", data })
}

pub(super) async fn show(
    State(app): State<ServerApp>,
    PathOf(id): PathOf<String>,
) -> RouteResult<Shown<ShownModel>> {
    match names(&app).await?.into_iter().find(|name| *name == id) {
        Some(name) => show_exact(&ShownModel::new(name)),
        None => Err(of_host(HostError::Missing { what: "model", id })),
    }
}

//! Models, what is known of them, and what the server does where nobody chooses.

use axum::extract::State;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use windlass_core::permission::ApproveMode;
use windlass_core::ports::host::{HostDefaults, ModelFindings, ModelRow};
use windlass_core::profile::ProfileName;
use windlass_core::protocol::model::Sampling;
use windlass_core::protocol::settings::{EFFORTS, SessionSettings};

use crate::answer::Shown;
use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::extract::JsonBody;
use crate::openapi::one_of;
use crate::shown::show;
use crate::state::ServerApp;

const TAG: &str = "models";

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/about", about)
            .about(TAG, "What this server is, and what holds where nobody chooses")
            .answers("Its version, root, usual model and profile, and what can be chosen."),
        Endpoint::get("/api/models", list)
            .about(TAG, "Models that can be chosen")
            .answers("The models."),
        Endpoint::post("/api/models/doctor", examine)
            .about(TAG, "Ask a model's endpoint what it can really do")
            .notes(
                "Sends about twenty small requests and waits for them, minutes if need be; ends when the client \
                 goes away. What is found is kept, and the next session with that model obeys it.",
            )
            .waits()
            .body::<DoctorBody>()
            .answers("What was found, which may be that it does not answer.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
    ]
}

#[derive(Serialize, JsonSchema)]
struct About {
    version: String,
    root: String,
    model: String,
    #[schemars(with = "ProfileName")]
    profile: String,
    approve: ApproveMode,
    approve_modes: Vec<Choice<ApproveMode>>,
    profiles: Vec<Choice<ProfileName>>,
    #[schemars(schema_with = "efforts")]
    reasoning_efforts: [&'static str; EFFORTS.len()],
    #[schemars(with = "SessionSettings")]
    settings: Sampling,
    tool_loop_v2: bool,
    /// What the folder of the project brings of its own that does not count, because nobody trusts it or because it has
    /// changed since; nothing where all of it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    folder_notice: Option<String>,
}

fn efforts(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": one_of(&EFFORTS)})
}

/// What can be chosen, and what that means.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Choice<T> {
    name: T,
    about: &'static str,
}

async fn about(State(app): State<ServerApp>) -> RouteResult<Shown<About>> {
    let HostDefaults { root, model, profile, executes_while_streaming, approve, sampling } =
        app.host.defaults()?;
    let modes = ApproveMode::CHOICES.map(|name| Choice { name, about: name.about() });
    let profiles = ProfileName::ALL.map(|name| Choice { name, about: name.about() });
    let shown = About {
        version: app.config.version.clone(),
        root,
        model,
        profile,
        approve,
        approve_modes: modes.into(),
        profiles: profiles.into(),
        reasoning_efforts: EFFORTS,
        settings: sampling,
        tool_loop_v2: executes_while_streaming,
        folder_notice: app.config.folder_notice.clone(),
    };
    show(&app, &shown)
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ModelList {
    models: Vec<ModelRow>,
}

async fn list(State(app): State<ServerApp>) -> RouteResult<Shown<ModelList>> {
    show(&app, &ModelList { models: app.host.models().await? })
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ModelExamination")]
struct DoctorBody {
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    name: String,
}

async fn examine(
    State(app): State<ServerApp>,
    JsonBody(body): JsonBody<DoctorBody>,
) -> RouteResult<Shown<ModelFindings>> {
    if body.name.trim().is_empty() {
        return Err(Problem::field("name", "name the model as PROVIDER/MODEL"));
    }
    show(&app, &app.host.examine_model(body.name.trim()).await?)
}

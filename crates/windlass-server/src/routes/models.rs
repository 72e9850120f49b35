//! Models, what is known of them, and what the server does where nobody chooses.

use axum::extract::State;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use windlass_core::permission::ApproveMode;
use windlass_core::ports::host::HostDefaults;
use windlass_core::profile::ProfileName;
use windlass_core::protocol::settings::EFFORTS;

use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult, SuccessKind};
use crate::extract::JsonBody;
use crate::openapi::{approve, count, flag, list_of, named, object, profile, text};
use crate::shown::{show, show_list};
use crate::state::ServerApp;

const TAG: &str = "models";

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/about", about)
            .about(TAG, "What this server is, and what holds where nobody chooses")
            .answers(SuccessKind::Ok, named("About"), "Its version, root, usual model and profile, and what can be chosen."),
        Endpoint::get("/api/models", list)
            .about(TAG, "Models that can be chosen")
            .answers(SuccessKind::Ok, object([("models", list_of("Model"))]), "The models."),
        Endpoint::post("/api/models/doctor", examine)
            .about(TAG, "Ask a model's endpoint what it can really do")
            .notes(
                "Sends about twenty small requests and waits for them, minutes if need be; ends when the client \
                 goes away. What is found is kept, and the next session with that model obeys it.",
            )
            .waits()
            .body::<DoctorBody>()
            .answers(SuccessKind::Ok, named("Findings"), "What was found, which may be that it does not answer.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
    ]
}

async fn about(State(app): State<ServerApp>) -> RouteResult<Response> {
    let HostDefaults { root, model, profile, executes_while_streaming, approve: mode, sampling } =
        app.host.defaults()?;
    let profiles: Vec<Value> =
        ProfileName::ALL.iter().map(|name| json!({"name": name.word(), "about": name.about()})).collect();
    let modes = ApproveMode::CHOICES.map(|mode| json!({"name": mode.word(), "about": mode.about()}));
    let shown = json!({
        "version": app.config.version, "root": root, "model": model, "profile": profile,
        "approve": mode, "approve_modes": modes, "profiles": profiles, "reasoning_efforts": EFFORTS,
        "settings": sampling,
        "tool_loop_v2": executes_while_streaming,
    });
    show(&app, SuccessKind::Ok, &shown)
}

async fn list(State(app): State<ServerApp>) -> RouteResult<Response> {
    show_list(&app, "models", &app.host.models().await?)
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
) -> RouteResult<Response> {
    if body.name.trim().is_empty() {
        return Err(Problem::field("name", "name the model as PROVIDER/MODEL"));
    }
    show(&app, SuccessKind::Ok, &app.host.examine_model(body.name.trim()).await?)
}

/// The bodies of these routes, for the API document.
pub(crate) fn schemas() -> Vec<(&'static str, Value)> {
    let price = object(["input", "cached", "output"].map(|name| (name, json!({"type": "number"}))));
    let verdict = json!({"type": "string", "enum": ["pass", "fail", "unsure", "skipped"]});
    let finding = object([
        ("probe", text()),
        ("title", text()),
        ("verdict", verdict),
        ("meaning", text()),
        ("detail?", text()),
    ]);
    vec![
        (
            "About",
            object([
                ("version", text()),
                ("root", text()),
                ("model", text()),
                ("profile", profile()),
                ("approve", approve()),
                (
                    "approve_modes",
                    json!({"type": "array", "items": object([("name", approve()), ("about", text())])}),
                ),
                (
                    "profiles",
                    json!({"type": "array", "items": object([("name", profile()), ("about", text())])}),
                ),
                ("reasoning_efforts", json!({"type": "array", "items": {"type": "string", "enum": EFFORTS}})),
                ("tool_loop_v2", flag()),
                ("settings", named("Settings")),
            ]),
        ),
        (
            "Model",
            object([
                ("name", text()),
                ("provider", text()),
                ("is_default", flag()),
                ("is_ready", flag()),
                ("context_tokens?", count()),
                ("has_tools?", flag()),
                ("has_reasoning?", flag()),
                ("source?", text()),
                ("price?", price),
                ("doctor?", named("Findings")),
            ]),
        ),
        (
            "Findings",
            object([("checked_ms", count()), ("findings", json!({"type": "array", "items": finding}))]),
        ),
    ]
}

//! Modules: what there is, what each takes and gives, and what it would ask a model. A module is run as any model is, by a
//! run with the model `module/ID`.

use axum::extract::State;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::endpoint::Endpoint;
use crate::error::{ProblemKind, RouteResult, SuccessKind};
use crate::extract::{JsonBody, PathOf};
use crate::openapi::{count, flag, list_of, named, object, text};
use crate::shown::show;
use crate::state::ServerApp;

const TAG: &str = "modules";

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/modules", list)
            .about(TAG, "Modules, and files of modules that are wrong")
            .notes(
                "A changed file is taken in while the server runs; one that is wrong is told here, and the version from \
                 before still counts.",
            )
            .answers(SuccessKind::Ok, named("Modules"), "The modules by id, what is wrong, and where modules are looked for."),
        Endpoint::get("/api/modules/{id}", one)
            .about(TAG, "One module with its signature")
            .path_param("id", "The module.")
            .answers(SuccessKind::Ok, named("Module"), "The module.")
            .problems(&[ProblemKind::Missing]),
        Endpoint::post("/api/modules/{id}/prompt", prompt)
            .about(TAG, "What a module would ask a model")
            .notes("Nothing is asked. To run the module, start a run whose `model` is that of the module and whose `message` is the inputs as a JSON object.")
            .path_param("id", "The module.")
            .body::<PromptBody>()
            .answers(SuccessKind::Ok, named("ModulePrompt"), "The system text, the examples and the inputs as messages.")
            .problems(&[ProblemKind::Missing]),
    ]
}

async fn list(State(app): State<ServerApp>) -> RouteResult<Response> {
    show(&app, SuccessKind::Ok, &app.host.modules().await?)
}

async fn one(State(app): State<ServerApp>, PathOf(id): PathOf<String>) -> RouteResult<Response> {
    show(&app, SuccessKind::Ok, &app.host.module(&id).await?)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ModuleInputs")]
struct PromptBody {
    inputs: Map<String, Value>,
}

async fn prompt(
    State(app): State<ServerApp>,
    PathOf(id): PathOf<String>,
    JsonBody(body): JsonBody<PromptBody>,
) -> RouteResult<Response> {
    show(&app, SuccessKind::Ok, &app.host.module_prompt(&id, body.inputs).await?)
}

/// The bodies of these routes, for the API document.
pub(crate) fn schemas() -> Vec<(&'static str, Value)> {
    let kinds = ["string", "integer", "number", "boolean", "array", "object", "json"];
    let predictors = ["predict", "chain_of_thought", "react"];
    let texts = || json!({"type": "array", "items": text()});
    let schema = || json!({"type": "object", "additionalProperties": true});
    let role = json!({"type": "string", "enum": ["user", "assistant"]});
    let fault = object([("path", text()), ("message", text())]);
    vec![
        (
            "Modules",
            object([
                ("modules", list_of("Module")),
                ("faults", json!({"type": "array", "items": fault})),
                ("folders", texts()),
            ]),
        ),
        (
            "Module",
            object([
                ("module_id", text()),
                ("model", text()),
                ("predictor", json!({"type": "string", "enum": predictors})),
                ("instruction", text()),
                ("inputs", list_of("ModuleField")),
                ("outputs", list_of("ModuleField")),
                ("inputs_schema", schema()),
                ("outputs_schema", schema()),
                ("demos", count()),
                ("has_tools", flag()),
                ("tools?", texts()),
                ("tags", texts()),
                ("version", text()),
                ("optimizer", text()),
                ("metric_score?", json!({"type": "number"})),
            ]),
        ),
        (
            "ModuleField",
            object([
                ("name", text()),
                ("field_type", json!({"type": "string", "enum": kinds})),
                ("description?", text()),
            ]),
        ),
        (
            "ModulePrompt",
            object([
                ("system", text()),
                ("messages", json!({"type": "array", "items": object([("role", role), ("text", text())])})),
                ("response_format?", json!({})),
            ]),
        ),
    ]
}

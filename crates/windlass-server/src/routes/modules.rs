//! Modules: what there is, what each takes and gives, and what it would ask a model. A module is run as any model is, by a
//! run with the model `module/ID`.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use windlass_core::ports::host::{ModulePrompt, ModuleRow, ModuleShelf};

use crate::answer::Shown;
use crate::endpoint::Endpoint;
use crate::error::{ProblemKind, RouteResult};
use crate::extract::{JsonBody, PathOf};
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
            .answers("The modules by id, what is wrong, and where modules are looked for."),
        Endpoint::get("/api/modules/{id}", one)
            .about(TAG, "One module with its signature")
            .path_param("id", "The module.")
            .answers("The module.")
            .problems(&[ProblemKind::Missing]),
        Endpoint::post("/api/modules/{id}/prompt", prompt)
            .about(TAG, "What a module would ask a model")
            .notes("Nothing is asked. To run the module, start a run whose `model` is that of the module and whose `message` is the inputs as a JSON object.")
            .path_param("id", "The module.")
            .body::<PromptBody>()
            .answers("The system text, the examples and the inputs as messages.")
            .problems(&[ProblemKind::Missing]),
    ]
}

async fn list(State(app): State<ServerApp>) -> RouteResult<Shown<ModuleShelf>> {
    show(&app, &app.host.modules().await?)
}

async fn one(State(app): State<ServerApp>, PathOf(id): PathOf<String>) -> RouteResult<Shown<ModuleRow>> {
    show(&app, &app.host.module(&id).await?)
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
) -> RouteResult<Shown<ModulePrompt>> {
    show(&app, &app.host.module_prompt(&id, body.inputs).await?)
}

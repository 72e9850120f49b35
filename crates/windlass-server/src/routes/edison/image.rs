//! `/generate-image`: renders a picture through the tool `generate_image`, where an image server is set up (E-23).

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use windlass_core::ports::host::{HostError, OutsideCall};
use windlass_core::protocol::tool::{Effects, ErrorKind, ToolFailure};

use crate::answer::Shown;
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::extract::JsonBody;
use crate::shown::show;
use crate::state::ServerApp;

const TOOL: &str = "generate_image";

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Picture {
    #[schemars(extend("const" = true))]
    ok: bool,
    data: Value,
}

pub(super) async fn generate(
    State(app): State<ServerApp>,
    JsonBody(args): JsonBody<Map<String, Value>>,
) -> RouteResult<Shown<Picture>> {
    // Without a server the tool only says what a front end should do, which is to come here.
    let is_set_up =
        app.host.tools().iter().any(|spec| spec.name == TOOL && spec.effects == Effects::External);
    if !is_set_up {
        return Err(Problem::new(
            ProblemKind::NotImplemented,
            "image_server_missing",
            "no image server is set up; set image.base_url and image.model in the configuration",
        ));
    }
    let call = OutsideCall { name: TOOL.into(), args, session_id: None, consent: None };
    let answer = match app.host.call_tool(call).await {
        Ok(answer) => answer,
        Err(HostError::NeedsConsent(_)) => {
            let failure = ToolFailure::new(
                ErrorKind::PermissionDenied,
                "a picture may cost money, and nobody has allowed it",
            );
            return Err(problem_of(&failure));
        }
        Err(error) => return Err(error.into()),
    };
    match &answer.outcome.body {
        Ok(output) => show(&app, &Picture { ok: true, data: output.json.clone() }),
        Err(failure) => Err(problem_of(failure)),
    }
}

fn problem_of(failure: &ToolFailure) -> Problem {
    let kind = match failure.kind {
        ErrorKind::InvalidArgs | ErrorKind::ParseError => ProblemKind::Invalid,
        ErrorKind::PermissionDenied | ErrorKind::SandboxDenied => ProblemKind::Forbidden,
        ErrorKind::Timeout => ProblemKind::TimedOut,
        ErrorKind::LimitExceeded | ErrorKind::Unavailable | ErrorKind::Cancelled => ProblemKind::Unavailable,
        ErrorKind::UnknownTool | ErrorKind::NotFound => ProblemKind::Missing,
        ErrorKind::IoError | ErrorKind::Interrupted | ErrorKind::Internal => ProblemKind::Upstream,
    };
    let advice = match kind {
        ProblemKind::Forbidden => "; allow it with a rule for generate_image",
        _ => "",
    };
    Problem::new(kind, failure.kind.word(), format!("{}{advice}", failure.message))
}

//! The steps of a run: what was asked of the model, and what that answered.

use axum::extract::State;
use serde_json::json;
use windlass_core::protocol::ids::RunId;
use windlass_core::protocol::step::StepReport;

use crate::answer::Shown;
use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::extract::PathOf;
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
            .answers("The step.")
            .problems(&[ProblemKind::Missing]),
    ]
}

async fn get(
    State(app): State<ServerApp>,
    PathOf((id, step)): PathOf<(String, String)>,
) -> RouteResult<Shown<StepReport>> {
    // As it is written in the document: digits, no sign.
    let is_number = step.bytes().all(|byte| byte.is_ascii_digit());
    let Some(step) = step.parse::<u32>().ok().filter(|step| is_number && *step > 0) else {
        return Err(Problem::field("step", "the step must be a whole number from 1"));
    };
    show(&app, &app.host.step_report(&RunId::new(id), step).await?)
}

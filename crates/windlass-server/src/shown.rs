//! JSON answers: everything that the server shows goes out through here, without secrets.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use windlass_core::permission::Question;

use crate::endpoint::JSON;
use crate::error::{Problem, ProblemKind, RouteResult, SuccessKind};
use crate::state::ServerApp;

/// An answer in JSON.
pub(crate) fn show(app: &ServerApp, said: SuccessKind, shown: &impl Serialize) -> RouteResult<Response> {
    show_asking(app, said, shown, [])
}

/// An answer in JSON with questions in it, each at its place: they are complete, but for known secret values.
pub(crate) fn show_asking<'a>(
    app: &ServerApp,
    said: SuccessKind,
    shown: &impl Serialize,
    questions: impl IntoIterator<Item = (&'a str, &'a Question)>,
) -> RouteResult<Response> {
    let mut value = serde_json::to_value(shown).map_err(|error| {
        tracing::error!(%error, "an answer could not be written");
        Problem::new(ProblemKind::Broken, "internal", "internal error; the server's log has more")
    })?;
    app.redactor.clean_value(&mut value);
    for (pointer, question) in questions {
        question.put_shown(&app.redactor, &mut value, pointer);
    }
    Ok(write(said, &value))
}

/// A list under a name, so that more can stand beside it one day.
pub(crate) fn show_list(app: &ServerApp, name: &str, rows: &[impl Serialize]) -> RouteResult<Response> {
    show(app, SuccessKind::Ok, &serde_json::json!({ name: rows }))
}

fn write(said: SuccessKind, value: &Value) -> Response {
    let headers = [(header::CONTENT_TYPE, HeaderValue::from_static(JSON))];
    (said.status(), headers, value.to_string()).into_response()
}

/// The answer to what is done and needs no words.
pub(crate) fn done() -> Response {
    SuccessKind::Nothing.status().into_response()
}

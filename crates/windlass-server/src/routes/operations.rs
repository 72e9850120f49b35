//! Routes for those who run the server: whether it lives, whether it is ready, what it counts, what it offers.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use windlass_core::ports::store::SessionQuery;

use crate::answer::{AnsweringRoute, Shown};
use crate::endpoint::{Endpoint, HTML, JSON};
use crate::error::{RouteResult, SuccessKind};
use crate::metrics::TEXT_FORMAT;
use crate::openapi::text;
use crate::shown::show;
use crate::state::ServerApp;

const TAG: &str = "operations";

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/healthz", healthz).about(TAG, "Whether the server lives").answers("It lives."),
        Endpoint::get("/readyz", readyz)
            .about(TAG, "Whether the server can do its work")
            .answers("The store answers."),
        Endpoint::get("/metrics", metrics).about(TAG, "Counts, for Prometheus").answers_as(
            SuccessKind::Ok,
            "text/plain",
            text(),
            "The counts, in the text form 0.0.4.",
        ),
        Endpoint::get("/openapi.json", openapi).about(TAG, "This document").answers_as(
            SuccessKind::Ok,
            JSON,
            json!({"type": "object"}),
            "The document.",
        ),
        asset("/docs", docs, HTML, "This document, to read"),
        asset("/docs.js", script, "text/javascript", "The script of that page"),
        asset("/page.css", style, "text/css", "The style of that page"),
    ]
}

fn asset<H: AnsweringRoute<T>, T: 'static>(
    path: &'static str,
    handler: H,
    media_type: &'static str,
    summary: &'static str,
) -> Endpoint {
    // Browsers ask for scripts and pages with headers of their own.
    Endpoint::get(path, handler).about(TAG, summary).lenient().answers_as(
        SuccessKind::Ok,
        media_type,
        text(),
        "Here.",
    )
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct Condition {
    status: &'static str,
}

async fn healthz(State(app): State<ServerApp>) -> RouteResult<Shown<Condition>> {
    show(&app, &Condition { status: "ok" })
}

async fn readyz(State(app): State<ServerApp>) -> RouteResult<Shown<Condition>> {
    app.host.sessions(SessionQuery { rows_max: 1, ..SessionQuery::default() }).await?;
    show(&app, &Condition { status: "ready" })
}

async fn metrics(State(app): State<ServerApp>) -> Response {
    let text = app.metrics.text(app.open_streams(), app.open_requests());
    ([(header::CONTENT_TYPE, TEXT_FORMAT)], text).into_response()
}

async fn openapi(State(app): State<ServerApp>) -> Response {
    ([(header::CONTENT_TYPE, JSON)], app.document.clone()).into_response()
}

async fn docs() -> Response {
    let page = include_str!("../assets/docs.html");
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response()
}

async fn script() -> Response {
    let script = include_str!("../assets/docs.js");
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], script).into_response()
}

async fn style() -> Response {
    let style = include_str!("../assets/page.css");
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], style).into_response()
}

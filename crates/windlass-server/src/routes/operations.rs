//! Routes for those who run the server: whether it lives, whether it is ready, what it counts, what it offers.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use crate::endpoint::{Endpoint, JSON};
use crate::error::Said;
use crate::openapi::{object, text};
use crate::state::App;

/// The endpoints.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/healthz", healthz).about("operations", "Whether the server lives").answers(
            Said::Ok,
            object([("status", text())]),
            "It lives.",
        ),
        Endpoint::get("/openapi.json", openapi).about("operations", "This document").answers(
            Said::Ok,
            serde_json::json!({"type": "object"}),
            "The document.",
        ),
    ]
}

async fn healthz() -> axum::Json<serde_json::Value> {
    axum::Json(serde_json::json!({"status": "ok"}))
}

async fn openapi(State(app): State<App>) -> Response {
    ([(header::CONTENT_TYPE, JSON)], app.document.clone()).into_response()
}

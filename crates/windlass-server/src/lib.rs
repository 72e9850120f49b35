//! Windlass over HTTP: sessions, runs and their events, and the interfaces that other clients know.
//!
//! Knows a [`ServedPort`] and nothing of who stands behind it; reads no file and
//! no environment. Everything that it shows of a run is made of the run's records.
//!
//! # Layout
//!
//! - `routes`: one module a subject; `endpoint` joins a route and its words in the API document (`openapi`), `answer` has
//!   the types of answers, of which the document is made
//! - `stream`: from records to the bytes of an event stream
//! - `guard`, `token`, `sign_in`, `rate`: who may ask what, and how often; `body_time`: how long; `limits` has the bounds
//! - `error`: problem documents, and the only status codes of the house
//! - `metrics`: what is counted; `serve`, `tls`, `shutdown`: connections and their end
//! - `within`: the routes for a server of somebody else, in the runtime of the host
//! - `config`: what the server is told by the binary: it reads no file and no environment itself
//! - `extract`: what axum reads, with problems instead of its own refusals
//! - `folder_trust`: the folder of the project as it is shown before it is trusted, and the port behind which it is
//! - `shown`: everything that the server shows goes out through here, without secrets
//! - `state`: what all routes share

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::Uri;
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use bytes::Bytes;
use windlass_core::ports::host::ServedPort;

mod answer;
mod body_time;
mod config;
mod endpoint;
mod error;
mod extract;
mod folder_trust;
mod guard;
pub mod limits;
mod metrics;
mod openapi;
mod rate;
mod routes;
mod serve;
mod shown;
mod shutdown;
mod sign_in;
mod state;
mod stream;
mod tls;
mod token;
mod within;

/// The version of axum whose router this is.
pub use axum;
pub use config::{ServerConfig, UnsafeAddress};
pub use folder_trust::{
    FolderState, FolderTrustFault, FolderTrustPort, SeenFolder, SeenFolderFile, SeenSetting, TrustedRoot,
};
pub use limits::{Rate, ServerLimits};
pub use serve::{serve, serve_with};
pub use sign_in::sign_in_code;
pub use tls::{TlsFault, TlsIdentity};
pub use within::within;

use error::{Problem, ProblemKind, RouteResult};
use metrics::Metrics;
use state::ServerApp;

/// Everything that the server answers. Must be called within a runtime: what is counted is followed from now on.
pub fn app(host: Arc<dyn ServedPort>, config: ServerConfig) -> Router {
    let mut endpoints = routes::endpoints();
    if !config.has_web_app {
        endpoints.retain(|endpoint| !routes::app::is_of_app(endpoint));
    }
    let document = openapi_text(&openapi::document(&endpoints, &config.version));
    let body_bytes_max = config.limits.body_bytes_max;
    let metrics = Arc::new(Metrics::default());
    metrics::follow(&metrics, &*host);
    let app = ServerApp::new(host, config, metrics, Bytes::from(document));
    endpoint::assemble(&app, endpoints)
        .fallback(missing)
        .method_not_allowed_fallback(method_refused)
        .layer(DefaultBodyLimit::max(body_bytes_max))
        // Around the fallbacks too: what is no route is guarded as well.
        .layer(from_fn_with_state(app.clone(), guard::guard))
        .with_state(app)
}

/// The API document, as it is committed and served.
pub fn openapi_document(version: &str) -> String {
    openapi_text(&openapi::document(&routes::endpoints(), version))
}

fn openapi_text(document: &serde_json::Value) -> String {
    format!("{document:#}\n")
}

async fn missing(State(app): State<ServerApp>, request: Request) -> RouteResult<Response> {
    if app.config.has_web_app && routes::app::is_unknown_page(&request) {
        return routes::app::unknown_page(request.headers());
    }
    let path: String = request.uri().path().chars().take(80).collect();
    Err(Problem::new(
        ProblemKind::Missing,
        "route_not_found",
        format!("there is no route '{path}'; /openapi.json lists all of them"),
    ))
}

async fn method_refused(uri: Uri) -> Problem {
    let path: String = uri.path().chars().take(80).collect();
    Problem::new(
        ProblemKind::Method,
        "method_not_allowed",
        format!("'{path}' does not support this method; see the Allow header"),
    )
}

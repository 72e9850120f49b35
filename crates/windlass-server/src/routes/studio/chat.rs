//! `/api/chat/stream`: a prompt in, SSE v1.1 out. Whatever goes wrong, the stream ends with exactly one `done`
//!
//!
//! Closing the connection does not cancel, and coming back never runs anything again: with a `request_id` the
//! same run is read on, without one there is nothing to come back to.

use axum::Extension;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Map, Value, json};
use windlass_core::ports::host::{HostError, StartedRun};
use windlass_core::ports::store::{NewSession, RunQuery};
use windlass_core::protocol::ids::{RunId, SessionId};

use super::frames::StudioFrames;
use super::params::{Params, StudioWish};
use crate::answer::{Either, EventStream, Nothing};
use crate::endpoint::EVENT_STREAM;
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::extract::JsonBody;
use crate::guard::MayBegin;
use crate::routes::attended::Unasked;
use crate::routes::events;
use crate::shutdown::Closing;
use crate::state::{ServerApp, now_ms};
use crate::stream::{BoxProjection, StreamStart, respond, stream_response};

/// The header with which an EventSource comes back.
const LAST_EVENT_ID: &str = "last-event-id";

/// `GET /api/chat/stream`. An EventSource reads no body of a refusal: what is wrong is told in the stream. A GET that
/// another page or a link could have made begins nothing: it only reads on.
pub(super) async fn get(
    State(app): State<ServerApp>,
    Extension(may_begin): Extension<MayBegin>,
    closing: Option<Extension<Closing>>,
    headers: HeaderMap,
    query: Result<Query<Map<String, Value>>, axum::extract::rejection::QueryRejection>,
) -> Either<EventStream, Nothing> {
    let params = match query {
        Ok(Query(params)) => params,
        Err(rejection) => return Either::One(told_as_stream(&Problem::from(rejection))),
    };
    let closing = closing.map(|Extension(closing)| closing).unwrap_or_default();
    stream(&app, &params, &headers, may_begin, closing)
        .await
        .unwrap_or_else(|problem| Either::One(told_as_stream(&problem)))
}

/// `POST /api/chat/stream`: the same, with a body. What is wrong with the request has its own status too.
pub(super) async fn post(
    State(app): State<ServerApp>,
    closing: Option<Extension<Closing>>,
    headers: HeaderMap,
    body: Result<JsonBody<Map<String, Value>>, Problem>,
) -> Result<Either<EventStream, Nothing>, Response> {
    let refused = |problem: Problem| problem.respond_as(EVENT_STREAM, ending(&problem));
    let JsonBody(params) = body.map_err(refused)?;
    let closing = closing.map(|Extension(closing)| closing).unwrap_or_default();
    stream(&app, &params, &headers, MayBegin(true), closing).await.map_err(refused)
}

async fn stream(
    app: &ServerApp,
    params: &Map<String, Value>,
    headers: &HeaderMap,
    MayBegin(may_begin): MayBegin,
    closing: Closing,
) -> RouteResult<Either<EventStream, Nothing>> {
    let wanted = Params(params).read(&app.host.tools())?;
    if let Some((run_id, after)) = earlier(app, &wanted, headers).await? {
        let run = app.host.run(&run_id).await?;
        if run.ended_ms.is_some() && after >= run.last_seq {
            return Ok(Either::Other(Nothing));
        }
        return follow(app, &wanted, &run_id, after, closing).await.map(Either::One);
    }
    // Without a name the run cannot be found again, and another one is not what was asked for.
    if headers.contains_key(LAST_EVENT_ID) {
        return Ok(Either::Other(Nothing));
    }
    if !may_begin {
        let detail = "a run begins with the token or from the server's own page; send a POST, or a request_id to read on";
        return Err(Problem::new(ProblemKind::Forbidden, "begin_refused", detail));
    }
    let started = match begin(app, &wanted).await {
        Ok(started) => started,
        Err(HostError::Unkeyed { variables, .. }) => {
            return Ok(Either::One(stream_response(Body::from(without_key(&variables)))));
        }
        Err(error) => return Err(error.into()),
    };
    follow(app, &wanted, &started.run_id, started.after_seq, closing).await.map(Either::One)
}

/// The run of a request that was made before, and the last event that was seen of it.
async fn earlier(
    app: &ServerApp,
    wanted: &StudioWish,
    headers: &HeaderMap,
) -> RouteResult<Option<(RunId, u64)>> {
    let Some(key) = key_of(wanted) else { return Ok(None) };
    let Some(session) = app.host.session_by_key(&key).await? else { return Ok(None) };
    let query = RunQuery { session_id: Some(session.session_id), rows_max: 1, ..RunQuery::default() };
    let run = app.host.runs(query).await?.into_iter().next();
    let after = events::after(headers, None)?;
    Ok(run.map(|run| (run.run_id, after.max(run.first_seq.saturating_sub(1)))))
}

fn key_of(wanted: &StudioWish) -> Option<String> {
    wanted.request_id.as_ref().map(|id| format!("studio:{id}"))
}

async fn follow(
    app: &ServerApp,
    wanted: &StudioWish,
    run_id: &RunId,
    after: u64,
    closing: Closing,
) -> RouteResult<EventStream> {
    let reading = StreamStart { after, cancels: wanted.cancels, closing };
    let frames = StudioFrames::new(app);
    let projection: BoxProjection =
        if wanted.asks { Box::new(frames) } else { Box::new(Unasked::new(&app.host, frames)) };
    respond(app, run_id, reading, projection).await
}

async fn begin(app: &ServerApp, wanted: &StudioWish) -> Result<StartedRun, HostError> {
    let session_id = session_of(app, wanted).await?;
    app.host.start_run(&session_id, wanted.start.clone()).await
}

async fn session_of(app: &ServerApp, wanted: &StudioWish) -> Result<SessionId, HostError> {
    if let Some(id) = &wanted.session_id {
        return Ok(app.host.session(&SessionId::new(id.as_str())).await?.session_id);
    }
    let begin = NewSession {
        key: key_of(wanted),
        origin: "studio".into(),
        profile: "studio".into(),
        model: wanted.start.model.clone().unwrap_or_default(),
        ..NewSession::default()
    };
    Ok(app.host.create_session(begin).await?.session_id)
}

/// The frames of a stream that had no key (A.3).
fn without_key(variables: &[String]) -> String {
    let message = format!("Set {} to enable streaming.", variables.join(" or "));
    let warning = json!({"type": "warning", "message": message, "code": "NO_KEY", "ts": now_ms()});
    format!("data: {warning}\n\n{}", done_frame())
}

/// The frames of a stream that could not begin.
fn ending(problem: &Problem) -> String {
    let error = json!({
        "type": "error", "message": problem.detail(), "code": problem.code(), "field": problem.wrong_field(),
        "ts": now_ms(),
    });
    format!("data: {error}\n\n{}", done_frame())
}

fn done_frame() -> String {
    format!("data: {}\n\n", json!({"type": "done", "done": true, "outcome": "failed", "ts": now_ms()}))
}

fn told_as_stream(problem: &Problem) -> EventStream {
    stream_response(Body::from(ending(problem)))
}

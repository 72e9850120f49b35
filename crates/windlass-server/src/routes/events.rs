//! The events of a run: any number of readers, from any event on, while it goes on and afterwards.

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName};
use serde::Deserialize;
use serde_json::{Value, json};
use windlass_core::protocol::ids::RunId;

use crate::answer::{Either, EventStream, Nothing};
use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::extract::{PathOf, QueryOf};
use crate::openapi::{count_to, flag};
use crate::routes::edison::EdisonFrames;
use crate::shutdown::Closing;
use crate::state::ServerApp;
use crate::stream::{BoxProjection, SseFrames, StreamStart, respond};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The largest number of an event: a database counts with a sign.
pub(super) const SEQ_MAX: u64 = i64::MAX.unsigned_abs();

/// Forms of events, by the word in the query.
const FORMATS: [&str; 2] = ["v1.1", "edison"];

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/runs/{id}/events", events)
            .about("runs", "The events of a run")
            .notes(
                "Frames of `data: <json>`; durable events have an `id`. A reader that comes back sends the last id \
                 it saw, drops what it saw after that, and gets the rest: byte for byte what it would have got.",
            )
            .path_param("id", "The run.")
            .header_param("Last-Event-ID", count_to(SEQ_MAX), "The last event that was seen; counts before `after`.")
            .query_param("after", count_to(SEQ_MAX), "The last event that was seen.")
            .query_param("cancel_on_disconnect", flag(), "Cancel the run when this reader goes away.")
            .query_param("format", format_schema(), "The form of the events.")
            .answers("The events; the last is `done`.")
            .answers("The run has ended, and its last event was seen: there is nothing to come back for.")
            .problems(&[ProblemKind::Missing]),
    ]
}

#[derive(Deserialize)]
struct EventsQuery {
    after: Option<String>,
    cancel_on_disconnect: Option<String>,
    format: Option<String>,
}

async fn events(
    State(app): State<ServerApp>,
    PathOf(id): PathOf<String>,
    QueryOf(query): QueryOf<EventsQuery>,
    closing: Option<Extension<Closing>>,
    headers: HeaderMap,
) -> RouteResult<Either<EventStream, Nothing>> {
    let after = after(&headers, query.after.as_deref())?;
    let cancels = flag_of("cancel_on_disconnect", query.cancel_on_disconnect.as_deref())?;
    let projection = projection(&app, query.format.as_deref())?;
    let run_id = RunId::new(id);
    let run = app.host.run(&run_id).await?;
    // An EventSource comes back until it hears that there is no more.
    if run.ended_ms.is_some() && after >= run.last_seq {
        return Ok(Either::Other(Nothing));
    }
    let closing = closing.map(|Extension(closing)| closing).unwrap_or_default();
    respond(&app, &run_id, StreamStart { after, cancels, closing }, projection).await.map(Either::One)
}

/// The number after which a reader wants events: the header, which a browser sends when it comes back, before
/// the query, which it repeats from the first time.
pub(crate) fn after(headers: &HeaderMap, query: Option<&str>) -> RouteResult<u64> {
    let header = headers.get(LAST_EVENT_ID).map(|value| value.to_str().unwrap_or("?"));
    let header = header.map(|text| number_of("Last-Event-ID", text)).transpose()?;
    // Wrong is wrong, also where the header counts.
    let query = query.map(|text| number_of("after", text)).transpose()?;
    Ok(header.or(query).unwrap_or(0))
}

fn number_of(name: &str, text: &str) -> RouteResult<u64> {
    // `parse` would take a sign as well.
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|number| is_number && *number <= SEQ_MAX);
    number.ok_or_else(|| {
        let detail = format!("'{name}' must be the number of an event, from its id line");
        Problem::new(ProblemKind::Invalid, "bad_event_id", detail)
    })
}

/// `true`, `false`, `1` or `0`.
pub(crate) fn flag_of(name: &'static str, text: Option<&str>) -> RouteResult<bool> {
    match text {
        None | Some("0" | "false") => Ok(false),
        Some("1" | "true") => Ok(true),
        Some(_) => Err(Problem::field(name, format!("'{name}' must be true or false"))),
    }
}

/// How events are shown.
pub(crate) fn projection(app: &ServerApp, format: Option<&str>) -> RouteResult<BoxProjection> {
    match format {
        None | Some("v1.1") => Ok(Box::new(SseFrames::new(app))),
        Some("edison") => Ok(Box::new(EdisonFrames::new(app))),
        Some(_) => Err(Problem::field("format", format!("'format' must be {}", FORMATS.join(" or ")))),
    }
}

/// The schema of `format`.
pub(crate) fn format_schema() -> Value {
    json!({"type": "string", "enum": FORMATS})
}

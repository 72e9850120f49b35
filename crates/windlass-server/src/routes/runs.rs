//! Runs: starting them, looking at them, and what can be done with them afterwards.

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use windlass_core::host::{ForkWish, HostError, ResumeWish, RunStart, RunWishes, StartedRun};
use windlass_core::ids::{CallId, RunId, SessionId};
use windlass_core::limits::WISHED_STEPS_MAX;
use windlass_core::message::{Message, Part};
use windlass_core::settings::SessionSettings;
use windlass_core::store::RunQuery;
use windlass_core::trace::RunTrace;

use super::page::{before_schema, cursor, rows, rows_schema};
use super::sessions::{check_profile, read_approve};
use super::settings::{self, SettingsBody};
use crate::endpoint::{EVENT_STREAM, Endpoint};
use crate::error::{Answer, Kind, Problem, Said};
use crate::extract::{JsonBody, OptionalBody, PathOf, QueryOf, wants, whole};
use crate::openapi::{approve, flag, frame, list_of, named, object, profile, text, wish};
use crate::routes::events;
use crate::shown::show;
use crate::shutdown::Closing;
use crate::state::App;
use crate::stream::{Reading, respond};

const TAG: &str = "runs";

/// The endpoints.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        start_endpoint(),
        Endpoint::get("/api/runs", list)
            .about(TAG, "Runs, newest first")
            .query_param("session_id", text(), "Only those of this session.")
            .query_param("unfinished", flag(), "Only those that have not ended.")
            .query_param("before", before_schema(), "The next page: `next` of the page before.")
            .query_param("rows", rows_schema(), "At most so many.")
            .answers(Said::Ok, object([("runs", list_of("Run")), ("next?", text())]), "A page of runs."),
        Endpoint::get("/api/runs/{id}", get)
            .about(TAG, "One run")
            .path_param("id", "The run.")
            .answers(Said::Ok, named("Run"), "The run as it is now.")
            .problems(&[Kind::Missing]),
        Endpoint::get("/api/runs/{id}/trace", trace)
            .about(TAG, "The trace of a run")
            .notes("Every call with its arguments, outcome and duration, and every block of thinking.")
            .path_param("id", "The run.")
            .answers(Said::Ok, named("RunTrace"), "The trace so far.")
            .problems(&[Kind::Missing]),
        Endpoint::post("/api/runs/{id}/cancel", cancel)
            .about(TAG, "Stop a run")
            .notes("What was done is kept. A run that has ended stays as it is.")
            .path_param("id", "The run.")
            .answers(Said::Ok, named("Run"), "The run; its end may come a moment later.")
            .problems(&[Kind::Missing, Kind::Conflict]),
        Endpoint::post("/api/runs/{id}/resume", resume)
            .about(TAG, "Take up a run that stopped in the middle")
            .path_param("id", "The run.")
            .optional_body(named("ResumeRun"))
            .answers(Said::Accepted, named("StartedRun"), "It goes on.")
            .problems(&[Kind::Missing, Kind::Conflict]),
        Endpoint::post("/api/runs/{id}/fork", fork)
            .about(TAG, "Copy a run up to a step into a new session, and go on there")
            .path_param("id", "The run.")
            .body(named("ForkRun"))
            .answers(Said::Accepted, named("StartedRun"), "The new run.")
            .problems(&[Kind::Missing, Kind::Conflict]),
        Endpoint::post("/api/runs/{id}/replay", replay)
            .about(TAG, "Play a run again from its record and compare")
            .path_param("id", "The run.")
            .answers(Said::Ok, named("ReplayReport"), "What was found.")
            .problems(&[Kind::Missing, Kind::Conflict]),
    ]
}

fn start_endpoint() -> Endpoint {
    Endpoint::post("/api/sessions/{id}/runs", start)
        .about(TAG, "Start a run")
        .notes(
            "Answers at once with the run's id, or with the run's events if `Accept` asks for an event stream. \
             The run goes on when the connection ends, unless `cancel_on_disconnect` is set.",
        )
        .path_param("id", "The session.")
        .query_param("cancel_on_disconnect", flag(), "Cancel the run when the reader of its events goes away.")
        .query_param("format", events::format_schema(), "The form of the events.")
        .body(named("StartRun"))
        .answers(Said::Accepted, named("StartedRun"), "The run began.")
        .answers_as(Said::Ok, EVENT_STREAM, frame(), "The run's events, as they come.")
        .problems(&[Kind::Missing, Kind::Conflict])
}

#[derive(Deserialize)]
struct StartBody {
    message: String,
    model: Option<String>,
    profile: Option<String>,
    tools: Option<Vec<String>>,
    tools_allowed: Option<bool>,
    tool_choice: Option<Value>,
    reasoning_effort: Option<String>,
    temperature: Option<f64>,
    top_p: Option<f64>,
    #[serde(default, deserialize_with = "whole")]
    output_tokens_max: Option<u32>,
    #[serde(default, deserialize_with = "whole")]
    seed: Option<u64>,
    context: Option<String>,
    executes_while_streaming: Option<bool>,
    images: Option<Vec<ImageBody>>,
    system: Option<String>,
    finalize_hint: Option<String>,
    #[serde(default, deserialize_with = "whole")]
    steps_max: Option<u32>,
    approve: Option<String>,
    response_format: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct ImageBody {
    media_type: String,
    url: String,
}

impl ImageBody {
    fn part(self) -> Answer<Part> {
        let Self { media_type, url } = self;
        let is_image = media_type.starts_with("image/");
        if is_image && (url.starts_with("https://") || url.starts_with("data:image/")) {
            return Ok(Part::Image { media_type, url });
        }
        let detail =
            "an image needs a 'media_type' of image/… and a 'url' that begins with https:// or data:image/";
        Err(Problem::field("images", detail))
    }
}

impl StartBody {
    fn wish(self) -> Answer<RunStart> {
        if self.message.trim().is_empty() {
            return Err(Problem::field("message", "the message is empty"));
        }
        if self.steps_max.is_some_and(|steps| !(1..=WISHED_STEPS_MAX).contains(&steps)) {
            let detail = format!("'steps_max' must be from 1 to {WISHED_STEPS_MAX}");
            return Err(Problem::field("steps_max", detail));
        }
        check_profile(self.profile.as_deref())?;
        let mut parts = vec![Part::text(self.message)];
        for image in self.images.unwrap_or_default() {
            parts.push(image.part()?);
        }
        let settings = SettingsBody {
            system: self.system,
            tool_choice: self.tool_choice,
            reasoning_effort: self.reasoning_effort,
            temperature: self.temperature,
            top_p: self.top_p,
            output_tokens_max: self.output_tokens_max,
            seed: self.seed,
            response_format: self.response_format,
        };
        let SessionSettings { system, tool_choice, sampling } = settings.read()?;
        Ok(RunStart {
            message: Message::User { parts },
            wishes: RunWishes {
                context: self.context,
                tools_allowed: self.tools_allowed.unwrap_or(true),
                tools: self.tools,
                tool_choice,
                sampling,
                system,
                finalize_hint: self.finalize_hint,
                steps_max: self.steps_max,
                approve: read_approve(self.approve.as_deref())?,
                ..RunWishes::default()
            },
            model: self.model,
            profile: self.profile,
            executes_while_streaming: self.executes_while_streaming,
        })
    }
}

#[derive(Deserialize)]
struct StartQuery {
    cancel_on_disconnect: Option<String>,
    format: Option<String>,
}

async fn start(
    State(app): State<App>,
    PathOf(id): PathOf<String>,
    QueryOf(query): QueryOf<StartQuery>,
    closing: Option<Extension<Closing>>,
    headers: HeaderMap,
    JsonBody(body): JsonBody<StartBody>,
) -> Answer<Response> {
    let cancels = events::flag_of("cancel_on_disconnect", query.cancel_on_disconnect.as_deref())?;
    let projection = events::projection(&app, query.format.as_deref())?;
    let started = app.host.start_run(&SessionId::new(id), body.wish()?).await?;
    if !wants(&headers, EVENT_STREAM) {
        return show_started(&app, &started);
    }
    let closing = closing.map(|Extension(closing)| closing).unwrap_or_default();
    let reading = Reading { after: started.after_seq, cancels, closing };
    respond(&app, &started.run_id, reading, projection).await
}

/// What a client needs to follow a run.
#[derive(Serialize)]
struct Started<'a> {
    run_id: &'a RunId,
    session_id: &'a SessionId,
    after_seq: u64,
    events: String,
}

fn show_started(app: &App, started: &StartedRun) -> Answer<Response> {
    let StartedRun { run_id, session_id, after_seq } = started;
    let events = format!("/api/runs/{run_id}/events");
    let shown = Started { run_id, session_id, after_seq: *after_seq, events };
    let mut response = show(app, Said::Accepted, &shown)?;
    if let Ok(place) = HeaderValue::from_str(&format!("/api/runs/{run_id}")) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response)
}

#[derive(Deserialize)]
struct ListQuery {
    session_id: Option<String>,
    unfinished: Option<String>,
    before: Option<String>,
    rows: Option<String>,
}

async fn list(State(app): State<App>, QueryOf(query): QueryOf<ListQuery>) -> Answer<Response> {
    let rows_max = rows(query.rows.as_deref())?;
    let runs = app
        .host
        .runs(RunQuery {
            session_id: query.session_id.map(SessionId::new),
            is_unfinished: events::flag_of("unfinished", query.unfinished.as_deref())?,
            before: cursor(query.before.as_deref())?.map(|(ms, id)| (ms, RunId::new(id))),
            rows_max,
        })
        .await?;
    let next = runs.last().filter(|_| runs.len() == rows_max);
    let next = next.map(|row| format!("{}:{}", row.started_ms, row.run_id));
    let mut shown = json!({ "runs": runs });
    if let (Value::Object(fields), Some(next)) = (&mut shown, next) {
        fields.insert("next".into(), next.into());
    }
    show(&app, Said::Ok, &shown)
}

async fn get(State(app): State<App>, PathOf(id): PathOf<String>) -> Answer<Response> {
    show(&app, Said::Ok, &app.host.run(&id.into()).await?)
}

async fn trace(State(app): State<App>, PathOf(id): PathOf<String>) -> Answer<Response> {
    show(&app, Said::Ok, &trace_of(&app, &id.into()).await?)
}

/// The trace of a run, from its records.
pub(crate) async fn trace_of(app: &App, run_id: &RunId) -> Answer<RunTrace> {
    let run = app.host.run(run_id).await?;
    let records = app.host.records(&run.session_id, run.first_seq.saturating_sub(1)).await?;
    Ok(RunTrace::fold(records.iter().map(|record| &**record).filter(|record| record.run_id == *run_id)))
}

async fn cancel(State(app): State<App>, PathOf(id): PathOf<String>) -> Answer<Response> {
    let id = RunId::new(id);
    app.host.cancel(&id).await?;
    show(&app, Said::Ok, &app.host.run(&id).await?)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ResumeBody {
    retry: Option<Vec<CallId>>,
}

async fn resume(
    State(app): State<App>,
    PathOf(id): PathOf<String>,
    OptionalBody(body): OptionalBody<ResumeBody>,
) -> Answer<Response> {
    let wish = ResumeWish { retry: body.retry.unwrap_or_default(), ..ResumeWish::default() };
    let started = app.host.resume(&id.into(), wish).await?;
    show_started(&app, &started)
}

#[derive(Deserialize)]
struct ForkBody {
    #[serde(deserialize_with = "whole")]
    step: Option<u32>,
    model: Option<String>,
    message: Option<String>,
    outcome: Option<ForkOutcome>,
}

#[derive(Deserialize)]
struct ForkOutcome {
    call_id: CallId,
    json: Value,
}

async fn fork(
    State(app): State<App>,
    PathOf(id): PathOf<String>,
    JsonBody(body): JsonBody<ForkBody>,
) -> Answer<Response> {
    let ForkBody { step, model, message, outcome } = body;
    let Some(step) = step else {
        return Err(Problem::field("step", "give the step as a number from 0"));
    };
    let outcome = outcome.map(|outcome| (outcome.call_id, outcome.json));
    let forked = app.host.fork(&id.into(), ForkWish { step, model, message, outcome }).await;
    let started = forked.map_err(|error| match error {
        // The request is right; the run has not come as far.
        HostError::Invalid { field: Some("step"), message } => {
            Problem::new(Kind::Conflict, "step_missing", message)
        }
        other => other.into(),
    })?;
    show_started(&app, &started)
}

async fn replay(State(app): State<App>, PathOf(id): PathOf<String>) -> Answer<Response> {
    show(&app, Said::Ok, &app.host.replay(&id.into()).await?)
}

/// The body of a start, for the API document.
pub(crate) fn start_schema() -> Value {
    let image = object([
        ("media_type", json!({"type": "string", "pattern": "^image/"})),
        ("url", json!({"type": "string", "pattern": "^(https://|data:image/)"})),
    ]);
    let mut start = wish([
        ("message", json!({"type": "string", "minLength": 1, "pattern": "\\S"})),
        ("model?", text()),
        ("profile?", profile()),
        ("tools?", json!({"type": "array", "items": text(), "description": "Only these tools."})),
        ("tools_allowed?", flag()),
        ("context?", json!({"type": "string", "description": "Background for the message."})),
        ("executes_while_streaming?", flag()),
        (
            "images?",
            json!({"type": "array", "items": image, "description": "Pictures that come after the text."}),
        ),
        ("approve?", approve()),
        (
            "finalize_hint?",
            json!({"type": "string", "description": "What the model is told in a last step without tools, beside the usual."}),
        ),
        ("steps_max?", json!({"type": "integer", "minimum": 1, "maximum": WISHED_STEPS_MAX})),
    ]);
    // What a session can have set, a run can wish for itself.
    if let (Some(Value::Object(own)), Value::Object(mut set)) =
        (start.get_mut("properties"), wish(settings::fields()))
        && let Some(Value::Object(set)) = set.remove("properties")
    {
        own.extend(set);
    }
    start
}

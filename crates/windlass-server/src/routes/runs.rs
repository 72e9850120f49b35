//! Runs: starting them, looking at them, and what can be done with them afterwards.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use windlass_core::limits::{
    WISHED_CALLS_MAX, WISHED_COST_USD_MAX, WISHED_STEPS_MAX, WISHED_TIMEOUT_MS_MAX, WISHED_TOKENS_MAX,
};
use windlass_core::ports::host::{
    ForkWish, HostError, ReplayReport, ResumeWish, RunStart, RunWishes, StartedRun,
};
use windlass_core::ports::store::{RunQuery, RunRow};
use windlass_core::protocol::form::WishedForm;
use windlass_core::protocol::ids::{CallId, RunId, SessionId};
use windlass_core::protocol::message::{Message, Part};
use windlass_core::protocol::settings::{SEED_MAX, SessionSettings};
use windlass_core::protocol::trace::RunTrace;

use super::page::{before_schema, cursor, rows, rows_schema};
use super::sessions::{check_profile, read_approve};
use super::settings::{SettingsBody, maybe_effort, maybe_tool_choice};
use crate::answer::{Begun, Either, EventStream, Shown};
use crate::endpoint::{EVENT_STREAM, Endpoint};
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::extract::{JsonBody, OptionalBody, PathOf, QueryOf, wants, whole};
use crate::openapi::{flag, maybe_approve, maybe_profile, text};
use crate::routes::events;
use crate::shown::show;
use crate::shutdown::Closing;
use crate::state::ServerApp;
use crate::stream::{StreamStart, respond};

const TAG: &str = "runs";

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        start_endpoint(),
        Endpoint::get("/api/runs", list)
            .about(TAG, "Runs, newest first")
            .query_param("session_id", text(), "Only those of this session.")
            .query_param("unfinished", flag(), "Only those that have not ended.")
            .query_param("before", before_schema(), "The next page: `next` of the page before.")
            .query_param("rows", rows_schema(), "At most so many.")
            .answers("A page of runs."),
        Endpoint::get("/api/runs/{id}", get)
            .about(TAG, "One run")
            .path_param("id", "The run.")
            .answers("The run as it is now.")
            .problems(&[ProblemKind::Missing]),
        Endpoint::get("/api/runs/{id}/trace", trace)
            .about(TAG, "The trace of a run")
            .notes("Every call with its arguments, outcome and duration, and every block of thinking.")
            .path_param("id", "The run.")
            .answers("The trace so far.")
            .problems(&[ProblemKind::Missing]),
        Endpoint::post("/api/runs/{id}/cancel", cancel)
            .about(TAG, "Stop a run")
            .notes("What was done is kept. A run that has ended stays as it is.")
            .path_param("id", "The run.")
            .answers("The run; its end may come a moment later.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
        Endpoint::post("/api/runs/{id}/resume", resume)
            .about(TAG, "Take up a run that stopped in the middle")
            .path_param("id", "The run.")
            .optional_body::<ResumeBody>()
            .answers("It goes on.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
        Endpoint::post("/api/runs/{id}/fork", fork)
            .about(TAG, "Copy a run up to a step into a new session, and go on there")
            .path_param("id", "The run.")
            .body::<ForkBody>()
            .answers("The new run.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
        Endpoint::post("/api/runs/{id}/replay", replay)
            .about(TAG, "Play a run again from its record and compare")
            .path_param("id", "The run.")
            .answers("What was found.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
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
        .body::<StartBody>()
        .answers("The run began.")
        .answers("The run's events, as they come.")
        .problems(&[ProblemKind::Missing, ProblemKind::Conflict])
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "StartRun")]
struct StartBody {
    #[schemars(length(min = 1), regex(pattern = r"\S"))]
    message: String,
    model: Option<String>,
    #[serde(default)]
    #[schemars(schema_with = "maybe_profile")]
    profile: Option<String>,
    /// Only these tools.
    tools: Option<Vec<String>>,
    tools_allowed: Option<bool>,
    /// Background for the message.
    context: Option<String>,
    /// Where the background was taken from: the answer cites it.
    context_sources: Option<Vec<String>>,
    executes_while_streaming: Option<bool>,
    /// Pictures that come after the text.
    images: Option<Vec<ImageBody>>,
    /// What the model is told in a last step without tools, beside the usual.
    finalize_hint: Option<String>,
    #[serde(default, deserialize_with = "whole")]
    #[schemars(range(min = 1, max = WISHED_STEPS_MAX))]
    steps_max: Option<u32>,
    /// Most calls of the run, where the profile allows more.
    #[serde(default, deserialize_with = "whole")]
    #[schemars(range(min = 1, max = WISHED_CALLS_MAX))]
    calls_max: Option<u32>,
    /// Most tokens of the run, those of all steps together, where the profile allows more.
    #[serde(default, deserialize_with = "whole")]
    #[schemars(range(min = 1, max = WISHED_TOKENS_MAX))]
    tokens_max: Option<u64>,
    /// Most US dollars of the run, where the profile allows more. Steps whose cost is not known are warned of and do not
    /// count.
    #[schemars(range(max = WISHED_COST_USD_MAX), extend("exclusiveMinimum" = 0))]
    cost_usd_max: Option<f64>,
    /// How long the run may take, where the profile allows longer, not counting the time that questions wait for their
    /// answers.
    #[serde(default, deserialize_with = "whole")]
    #[schemars(range(min = 1, max = WISHED_TIMEOUT_MS_MAX))]
    run_timeout_ms: Option<u64>,
    /// What the answer must be: one JSON value that fits the schema. One that does not is asked for once more; then the
    /// run fails.
    form: Option<FormBody>,
    #[serde(default)]
    #[schemars(schema_with = "maybe_approve")]
    approve: Option<String>,
    // What a session can have set, a run can wish for itself. Not flattened: a reader of flattened fields forgets
    // which of them was wrong.
    /// What the model is told after the usual system text.
    system: Option<String>,
    /// What the model may do with tools until it has called one.
    #[serde(default)]
    #[schemars(schema_with = "maybe_tool_choice")]
    tool_choice: Option<Value>,
    #[serde(default)]
    #[schemars(schema_with = "maybe_effort")]
    reasoning_effort: Option<String>,
    #[schemars(range(min = 0.0, max = 2.0))]
    temperature: Option<f64>,
    #[schemars(range(min = 0.0, max = 1.0))]
    top_p: Option<f64>,
    /// Most tokens of one answer.
    #[serde(default, deserialize_with = "whole")]
    #[schemars(range(min = 1, max = u32::MAX))]
    output_tokens_max: Option<u32>,
    #[serde(default, deserialize_with = "whole")]
    #[schemars(range(min = 0, max = SEED_MAX))]
    seed: Option<u64>,
    /// The form of the answer, as OpenAI's field of that name says it; {"type": "text"} is plain text.
    response_format: Option<Map<String, Value>>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
struct FormBody {
    /// What the value is called.
    name: String,
    /// A JSON Schema of the value, which is complete in itself.
    schema: Map<String, Value>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
struct ImageBody {
    #[schemars(regex(pattern = "^image/"))]
    media_type: String,
    #[schemars(regex(pattern = "^(https://|data:image/)"))]
    url: String,
}

impl ImageBody {
    fn part(self) -> RouteResult<Part> {
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
    fn wish(self) -> RouteResult<RunStart> {
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
                context_sources: self.context_sources.unwrap_or_default(),
                tools_allowed: self.tools_allowed.unwrap_or(true),
                tools: self.tools,
                tool_choice,
                sampling,
                system,
                finalize_hint: self.finalize_hint,
                steps_max: self.steps_max,
                calls_max: self.calls_max,
                tokens_max: self.tokens_max,
                cost_usd_max: self.cost_usd_max,
                run_timeout_ms: self.run_timeout_ms,
                form: self
                    .form
                    .map(|FormBody { name, schema }| Arc::new(WishedForm::new(name, schema.into()))),
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
    State(app): State<ServerApp>,
    PathOf(id): PathOf<String>,
    QueryOf(query): QueryOf<StartQuery>,
    closing: Option<Extension<Closing>>,
    headers: HeaderMap,
    JsonBody(body): JsonBody<StartBody>,
) -> RouteResult<Either<Begun<StartedRunBody>, EventStream>> {
    let cancels = events::flag_of("cancel_on_disconnect", query.cancel_on_disconnect.as_deref())?;
    // Before the run begins: a request that is wrong must not start one.
    let projection = events::projection(&app, query.format.as_deref())?;
    let started = app.host.start_run(&SessionId::new(id), body.wish()?).await?;
    if !wants(&headers, EVENT_STREAM) {
        return show_started(&app, started).map(Either::One);
    }
    let closing = closing.map(|Extension(closing)| closing).unwrap_or_default();
    let reading = StreamStart { after: started.after_seq, cancels, closing };
    respond(&app, &started.run_id, reading, projection).await.map(Either::Other)
}

/// What a client needs to follow a run.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StartedRun")]
struct StartedRunBody {
    run_id: RunId,
    session_id: SessionId,
    after_seq: u64,
    events: String,
}

fn show_started(app: &ServerApp, started: StartedRun) -> RouteResult<Begun<StartedRunBody>> {
    let StartedRun { run_id, session_id, after_seq } = started;
    let place = format!("/api/runs/{run_id}");
    let shown = StartedRunBody { run_id, session_id, after_seq, events: format!("{place}/events") };
    Ok(Begun { shown: show(app, &shown)?, place })
}

#[derive(Deserialize)]
struct RunListQuery {
    session_id: Option<String>,
    unfinished: Option<String>,
    before: Option<String>,
    rows: Option<String>,
}

/// A page of runs, and where the next one begins.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ListedRuns {
    runs: Vec<RunRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

async fn list(
    State(app): State<ServerApp>,
    QueryOf(query): QueryOf<RunListQuery>,
) -> RouteResult<Shown<ListedRuns>> {
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
    show(&app, &ListedRuns { runs, next })
}

async fn get(State(app): State<ServerApp>, PathOf(id): PathOf<String>) -> RouteResult<Shown<RunRow>> {
    show(&app, &app.host.run(&id.into()).await?)
}

async fn trace(State(app): State<ServerApp>, PathOf(id): PathOf<String>) -> RouteResult<Shown<RunTrace>> {
    show(&app, &trace_of(&app, &id.into()).await?)
}

/// The trace of a run, from its records (R-29).
pub(crate) async fn trace_of(app: &ServerApp, run_id: &RunId) -> RouteResult<RunTrace> {
    let run = app.host.run(run_id).await?;
    let records = app.host.records(&run.session_id, run.first_seq.saturating_sub(1)).await?;
    Ok(RunTrace::fold(records.iter().map(|record| &**record).filter(|record| record.run_id == *run_id)))
}

async fn cancel(State(app): State<ServerApp>, PathOf(id): PathOf<String>) -> RouteResult<Shown<RunRow>> {
    let id = RunId::new(id);
    app.host.cancel(&id).await?;
    show(&app, &app.host.run(&id).await?)
}

#[derive(Deserialize, Default, JsonSchema)]
#[serde(default)]
#[schemars(rename = "ResumeRun")]
struct ResumeBody {
    /// Calls that may run again although nobody knows whether they happened.
    #[schemars(with = "Option<Vec<String>>")]
    retry: Option<Vec<CallId>>,
}

async fn resume(
    State(app): State<ServerApp>,
    PathOf(id): PathOf<String>,
    OptionalBody(body): OptionalBody<ResumeBody>,
) -> RouteResult<Begun<StartedRunBody>> {
    let wish = ResumeWish { retry: body.retry.unwrap_or_default(), ..ResumeWish::default() };
    let started = app.host.resume(&id.into(), wish).await?;
    show_started(&app, started)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ForkRun")]
struct ForkBody {
    /// The last step that is taken over; 0 for the message alone.
    #[serde(deserialize_with = "whole")]
    #[schemars(required, range(min = 0, max = u32::MAX))]
    step: Option<u32>,
    model: Option<String>,
    /// Another message, with step 0.
    message: Option<String>,
    outcome: Option<ForkOutcome>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
struct ForkOutcome {
    #[schemars(with = "String")]
    call_id: CallId,
    json: Value,
}

async fn fork(
    State(app): State<ServerApp>,
    PathOf(id): PathOf<String>,
    JsonBody(body): JsonBody<ForkBody>,
) -> RouteResult<Begun<StartedRunBody>> {
    let ForkBody { step, model, message, outcome } = body;
    let Some(step) = step else {
        return Err(Problem::field("step", "give the step as a number from 0"));
    };
    let outcome = outcome.map(|outcome| (outcome.call_id, outcome.json));
    let forked = app.host.fork(&id.into(), ForkWish { step, model, message, outcome }).await;
    let started = forked.map_err(|error| match error {
        // The request is right; the run has not come as far.
        HostError::Invalid { field: Some("step"), message } => {
            Problem::new(ProblemKind::Conflict, "step_missing", message)
        }
        other => other.into(),
    })?;
    show_started(&app, started)
}

async fn replay(
    State(app): State<ServerApp>,
    PathOf(id): PathOf<String>,
) -> RouteResult<Shown<ReplayReport>> {
    show(&app, &app.host.replay(&id.into()).await?)
}

//! Executors: programs of a user's own that offer tools, take calls of them and answer (decision 0029).
//!
//! A thin front of the host's executors: what a call may do was decided before one of them hears of it. Nothing here
//! is asked with GET, since asking for calls takes them.

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use windlass_core::ports::host::{
    ExecutorBadge, ExecutorNews, ExecutorOffer, ExecutorRow, ExecutorTicket, HostError,
};
use windlass_core::protocol::tool::{Effects, ErrorKind, Risk, ToolFailure, ToolOutput, ToolSpec};
use windlass_core::text::secret::Secret;

use crate::answer::{Created, Nothing, Shown};
use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::extract::{JsonBody, PathOf, whole};
use crate::limits::{EXECUTOR_LEASE_S, EXECUTOR_WAIT_S_MAX};
use crate::openapi::{count, text};
use crate::shown::{show, show_exact};
use crate::shutdown::Closing;
use crate::state::ServerApp;

/// The header in which an executor shows its secret.
const SECRET: &str = "x-executor-secret";

pub(crate) fn endpoints() -> Vec<Endpoint> {
    let own = |endpoint: Endpoint| {
        endpoint
            .path_param("id", "The executor.")
            .needed_header_param(SECRET, text(), "What the executor was given when it was let in.")
            .problems(&[ProblemKind::Missing])
    };
    vec![
        Endpoint::get("/api/executors", show_all)
            .about("executors", "The executors that are there")
            .answers("Who they are and what they run."),
        Endpoint::post("/api/executors", register)
            .about("executors", "Offer tools whose calls this client runs")
            .notes("The tools are those of every session from now on, until the executor says goodbye or was silent for `lease_s` seconds. No name may be that of another tool. Calls are validated, judged by rules, asked about and limited before the executor gets them; what it gives is text from outside.")
            .body::<OfferBody>()
            .answers("It is let in.")
            .problems(&[ProblemKind::Conflict]),
        own(Endpoint::post("/api/executors/{id}/poll", poll)
            .about("executors", "Wait for calls")
            .notes("Also the sign that the executor is there. `after` is what the last answer said, 0 or nothing at first: what came later is given again until it is named, so nothing is lost with a connection. One request at a time; a newer one ends an older one.")
            .body::<PollBody>()
            .answers("Calls to run, and calls that nobody waits for any more; both may be empty.")),
        own(Endpoint::post("/api/executors/{id}/calls/{call}", answer)
            .about("executors", "Answer a call")
            .notes("With `output`, or with `error`. A call takes one answer; one that was answered, cancelled or is out of time takes none, and nothing changes.")
            .body::<ExecutorAnswerBody>()
            .answers("The run goes on with it.")
            .problems(&[ProblemKind::Conflict]))
            .path_param_of("call", count(), "The number of the call."),
        own(Endpoint::delete("/api/executors/{id}", leave)
            .about("executors", "Say goodbye")
            .answers("Its tools are gone, and calls that it ran have ended.")),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ExecutorOffer")]
struct OfferBody {
    #[schemars(regex(pattern = "^[A-Za-z0-9_.-]{1,64}$"))]
    name: String,
    /// Seconds of silence after which it counts as gone; 30 unless given.
    #[serde(default, deserialize_with = "whole")]
    #[schemars(range(min = 1, max = 300))]
    lease_s: Option<u32>,
    #[schemars(length(min = 1, max = 64))]
    tools: Vec<OfferedTool>,
}

#[derive(Deserialize, JsonSchema)]
struct OfferedTool {
    name: String,
    /// What it does, for models.
    description: String,
    /// The JSON Schema of its arguments; it takes none unless given.
    #[schemars(with = "Option<Map<String, Value>>")]
    schema: Option<Value>,
    /// What a call may change; external unless given.
    effects: Option<Effects>,
    /// Medium unless given.
    risk: Option<Risk>,
    /// Whether the same call twice does no more than once.
    idempotent: Option<bool>,
    /// Whether its output is made of the arguments alone, with nothing in it that others wrote. Unless this is claimed, it
    /// is text from outside.
    own_output: Option<bool>,
    /// The profile's unless given.
    #[serde(default, deserialize_with = "whole")]
    #[schemars(range(min = 1, max = 300))]
    timeout_s: Option<u32>,
}

impl OfferedTool {
    /// What nobody says is taken for the worst: it reaches beyond this machine, must not run twice, and is asked about.
    fn spec(self) -> ToolSpec {
        let (effects, risk) = (self.effects.unwrap_or(Effects::External), self.risk.unwrap_or(Risk::Medium));
        let mut spec = ToolSpec::new(self.name, self.description).with_effects(effects, risk);
        spec.idempotent = self.idempotent.unwrap_or(false);
        spec.own_output = self.own_output.unwrap_or(false);
        spec.timeout_ms = self.timeout_s.map(|seconds| u64::from(seconds).saturating_mul(1_000));
        match self.schema {
            Some(schema) => spec.with_schema(schema),
            None => spec,
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExecutorTicket")]
struct ShownTicket {
    executor_id: String,
    /// For the header X-Executor-Secret; told once.
    secret: String,
    lease_s: u64,
}

async fn register(
    State(app): State<ServerApp>,
    JsonBody(body): JsonBody<OfferBody>,
) -> RouteResult<Created<ShownTicket>> {
    let lease_s = body.lease_s.unwrap_or(EXECUTOR_LEASE_S);
    let offer =
        ExecutorOffer { name: body.name, tools: body.tools.into_iter().map(OfferedTool::spec).collect() };
    let ticket = app.host.executors().register(offer, u64::from(lease_s).saturating_mul(1_000))?;
    let ExecutorTicket { executor_id, secret, lease_ms } = ticket;
    let own = Secret::new(secret.as_str());
    let answer = show(&app, &ShownTicket { executor_id, secret, lease_s: lease_ms / 1_000 })?;
    // For whoever asked, this once: from now on it is struck out like every other.
    app.config.secrets.add(own);
    Ok(Created(answer))
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ExecutorList {
    executors: Vec<ExecutorRow>,
}

async fn show_all(State(app): State<ServerApp>) -> RouteResult<Shown<ExecutorList>> {
    show(&app, &ExecutorList { executors: app.host.executors().list() })
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ExecutorPoll")]
struct PollBody {
    #[serde(default, deserialize_with = "whole")]
    after: Option<u64>,
    #[serde(default, deserialize_with = "whole")]
    #[schemars(range(min = 0, max = EXECUTOR_WAIT_S_MAX))]
    wait_s: Option<u32>,
}

async fn poll(
    State(app): State<ServerApp>,
    PathOf(id): PathOf<String>,
    headers: HeaderMap,
    closing: Option<Extension<Closing>>,
    JsonBody(body): JsonBody<PollBody>,
) -> RouteResult<Shown<ExecutorNews>> {
    let wait_s = body.wait_s.unwrap_or(EXECUTOR_WAIT_S_MAX);
    if wait_s > EXECUTOR_WAIT_S_MAX {
        let message = format!("'wait_s' must be a whole number from 0 to {EXECUTOR_WAIT_S_MAX}");
        return Err(Problem::field("wait_s", message));
    }
    let badge = badge(&id, &headers)?;
    let wait_ms = u64::from(wait_s).saturating_mul(1_000);
    let Extension(closing) = closing.unwrap_or_default();
    tokio::select! {
        // Calls go out exactly as they were judged: one with something struck out would be another call.
        news = app.host.executors().poll(badge, body.after.unwrap_or(0), wait_ms) => show_exact(&news?),
        // A request that waits would hold up the end of the server.
        () = closing.wait() => Err(HostError::Closing.into()),
    }
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ExecutorAnswer")]
struct ExecutorAnswerBody {
    // Nothing is an output too.
    #[serde(default, deserialize_with = "given")]
    output: Option<Value>,
    /// Why it failed, for the model.
    error: Option<String>,
    kind: Option<FailureKind>,
}

fn given<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(input).map(Some)
}

/// The kinds of failure that an executor can know of; the others are for the host to say.
#[derive(Deserialize, Clone, Copy, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum FailureKind {
    InvalidArgs,
    NotFound,
    IoError,
    Unavailable,
    Internal,
}

impl FailureKind {
    fn kind(self) -> ErrorKind {
        match self {
            FailureKind::InvalidArgs => ErrorKind::InvalidArgs,
            FailureKind::NotFound => ErrorKind::NotFound,
            FailureKind::IoError => ErrorKind::IoError,
            FailureKind::Unavailable => ErrorKind::Unavailable,
            FailureKind::Internal => ErrorKind::Internal,
        }
    }
}

async fn answer(
    State(app): State<ServerApp>,
    PathOf((id, call)): PathOf<(String, String)>,
    headers: HeaderMap,
    JsonBody(body): JsonBody<ExecutorAnswerBody>,
) -> RouteResult<Nothing> {
    // `parse` would take a sign as well.
    let is_number = call.bytes().all(|byte| byte.is_ascii_digit());
    let Some(call) = call.parse().ok().filter(|_| is_number) else {
        return Err(Problem::field("call", "the call must be the number that was given with it"));
    };
    let answer = match (body.output, body.error) {
        (Some(output), None) => Ok(ToolOutput::json(output)),
        (None, Some(error)) => {
            Err(ToolFailure::new(body.kind.unwrap_or(FailureKind::Internal).kind(), error))
        }
        (Some(_), Some(_)) | (None, None) => {
            return Err(Problem::field("output", "send either 'output' or 'error'"));
        }
    };
    app.host.executors().answer(badge(&id, &headers)?, call, answer)?;
    Ok(Nothing)
}

async fn leave(
    State(app): State<ServerApp>,
    PathOf(id): PathOf<String>,
    headers: HeaderMap,
) -> RouteResult<Nothing> {
    app.host.executors().leave(badge(&id, &headers)?)?;
    Ok(Nothing)
}

fn badge<'a>(executor_id: &'a str, headers: &'a HeaderMap) -> RouteResult<ExecutorBadge<'a>> {
    let secret = headers.get(SECRET).and_then(|value| value.to_str().ok());
    let missing = || Problem::field(SECRET, "send the executor's secret in the header X-Executor-Secret");
    Ok(ExecutorBadge { executor_id, secret: secret.ok_or_else(missing)? })
}

//! Tools and policies: the same as the commands.

use std::sync::Arc;

use axum::extract::State;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use windlass_core::calls::json::parse::parse_value;
use windlass_core::permission::{AuditEntry, Question, Rule, RuleEffect, RuleSource};
use windlass_core::ports::host::{
    AuditQuery, Consent, ExplainedGate, Explanation, HostError, OutsideCall, ToolAnswer,
};
use windlass_core::protocol::ids::{Millis, SessionId};
use windlass_core::protocol::tool::{ErrorKind, OutcomeStatus, ToolFailure, ToolOutcome, ToolSpec};

use super::page::{rows, rows_schema};
use crate::answer::{Created, Nothing, Shown};
use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::extract::{JsonBody, PathOf, QueryOf};
use crate::openapi::{one_of, or_null, text};
use crate::shown::{show, show_asking};
use crate::state::ServerApp;

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/tools", list)
            .about("tools", "The tools")
            .answers("Their specs."),
        Endpoint::get("/api/tools/{name}", one)
            .about("tools", "One tool")
            .path_param("name", "The tool.")
            .answers("Its spec.")
            .problems(&[ProblemKind::Missing]),
        Endpoint::post("/api/tools/{name}/call", call)
            .about("tools", "Call a tool")
            .notes("Through the same validation, permission and limits as a model's call. What needs asking is answered with 409 and the `question`; the same call with `approve` and the question's `digest` says that somebody looked at it. Rules that deny it still do.")
            .path_param("name", "The tool.")
            .body::<CallBody>()
            .answers("The outcome, which may be a failure.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
        Endpoint::get("/api/policies", rules)
            .about("policies", "The rules that hold, and what sessions are granted")
            .answers("The rules; a grant names its session."),
        Endpoint::post("/api/policies", add_rule)
            .about("policies", "Store a rule")
            .body::<RuleBody>()
            .answers("The rule.")
            .problems(&[ProblemKind::Conflict]),
        Endpoint::delete("/api/policies/{id}", remove_rule)
            .about("policies", "Forget a rule, or take a grant back")
            .path_param("id", "The rule or the grant.")
            .answers("It is forgotten: the next call is judged without it.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
        Endpoint::post("/api/policies/explain", explain)
            .about("policies", "Which gate decides a call, and why")
            .body::<ExplainBody>()
            .answers("What each gate says, in their order; and what the user would be asked.")
            .problems(&[ProblemKind::Missing]),
        Endpoint::get("/api/policies/audit", audit)
            .about("policies", "Decisions about calls, newest first")
            .notes("From the audit log: secrets are struck out and long values cut.")
            .query_param("tool", text(), "Only those about this tool.")
            .query_param("rows", rows_schema(), "At most so many.")
            .answers("The decisions."),
    ]
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ToolList {
    tools: Vec<Arc<ToolSpec>>,
}

async fn list(State(app): State<ServerApp>) -> RouteResult<Shown<ToolList>> {
    show(&app, &ToolList { tools: app.host.tools() })
}

async fn one(
    State(app): State<ServerApp>,
    PathOf(name): PathOf<String>,
) -> RouteResult<Shown<Arc<ToolSpec>>> {
    let found = app.host.tools().into_iter().find(|spec| spec.name == name);
    show(&app, &found.ok_or(HostError::Missing { what: "tool", id: name })?)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ToolCallWish")]
struct CallBody {
    #[schemars(with = "Option<Map<String, Value>>")]
    arguments: Option<Box<RawValue>>,
    session_id: Option<String>,
    /// Somebody looked at it and wants it.
    #[serde(default)]
    #[schemars(schema_with = "maybe_once")]
    approve: Option<String>,
    /// What was looked at: the digest of the question, or of the staged edit.
    #[schemars(length(min = 1))]
    digest: Option<String>,
    /// The word to type for a critical call.
    confirmation: Option<String>,
}

fn maybe_once(_: &mut SchemaGenerator) -> Schema {
    or_null(one_of(&["once"]))
}

impl CallBody {
    fn wish(self, name: String) -> RouteResult<OutsideCall> {
        if self.digest.as_deref() == Some("") {
            return Err(Problem::field("digest", "'digest' must be that of a question, or be left out"));
        }
        let consent = match self.approve.as_deref() {
            None => None,
            Some("once") => {
                let Some(digest) = self.digest else {
                    return Err(Problem::field(
                        "digest",
                        "'approve' needs the 'digest' of the question that was seen",
                    ));
                };
                Some(Consent { digest, confirmation: self.confirmation })
            }
            Some(_) => return Err(Problem::field("approve", "'approve' must be once, or be left out")),
        };
        let args = self.arguments.map(|text| exact(&text)).transpose()?.unwrap_or_default();
        let session_id = self.session_id.map(SessionId::new);
        Ok(OutsideCall { name, args, session_id, consent })
    }
}

/// Arguments with every number as it was written, or not at all.
fn exact(text: &RawValue) -> RouteResult<Map<String, Value>> {
    match parse_value(text.get()) {
        Ok(Value::Object(args)) => Ok(args),
        Ok(_) => Err(Problem::field("arguments", "'arguments' must be an object")),
        Err(failure) => Err(Problem::field("arguments", format!("the arguments cannot be used: {failure}"))),
    }
}

async fn call(
    State(app): State<ServerApp>,
    PathOf(name): PathOf<String>,
    JsonBody(body): JsonBody<CallBody>,
) -> RouteResult<Shown<ShownAnswer>> {
    let answer = app.host.call_tool(body.wish(name)?).await.map_err(|error| {
        let question = match &error {
            HostError::NeedsConsent(question) => Some(question.shown(&app.redactor)),
            _ => None,
        };
        let problem = Problem::from(error);
        match question {
            Some(question) => problem.asking(question),
            None => problem,
        }
    })?;
    show_answer(&app, answer)
}

/// What a call gave.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ToolAnswer")]
pub(super) struct ShownAnswer {
    status: OutcomeStatus,
    /// The envelope of the profile, as a model would see it.
    content: String,
    duration_ms: u64,
    /// The outcome whole, as a record has it.
    outcome: Arc<ToolOutcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ShownFailure>,
}

/// Why a call failed.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ShownFailure {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
    field: Option<String>,
    expected: Option<String>,
    received: Option<String>,
}

pub(super) fn show_answer(app: &ServerApp, answer: ToolAnswer) -> RouteResult<Shown<ShownAnswer>> {
    let ToolAnswer { outcome, content } = answer;
    let error = outcome.failure().cloned().map(|failure| {
        let ToolFailure { kind, message, hint, field, expected, received, .. } = failure;
        ShownFailure { kind, message, hint, field, expected, received }
    });
    let shown = ShownAnswer {
        status: outcome.status(),
        content,
        duration_ms: outcome.meta.duration_ms,
        result: outcome.output().map(|output| output.json.clone()),
        error,
        outcome,
    };
    show(app, &shown)
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct RuleList {
    rules: Vec<RuleRow>,
}

async fn rules(State(app): State<ServerApp>) -> RouteResult<Shown<RuleList>> {
    let rules = app.host.rules().await?.into_iter().map(RuleRow::from).collect();
    show(&app, &RuleList { rules })
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Rule")]
struct RuleRow {
    id: String,
    effect: RuleEffect,
    rule: String,
    created_ms: Millis,
    source: RuleSource,
    /// The session that it was granted to.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<SessionId>,
    /// The project root that it belongs to; a stored rule without one holds everywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<String>,
}

impl From<Rule> for RuleRow {
    fn from(rule: Rule) -> Self {
        let Rule { id, effect, pattern, created_ms, source, session_id, root } = rule;
        Self { id, effect, rule: pattern.to_string(), created_ms, source, session_id, root }
    }
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "NewRule")]
struct RuleBody {
    #[schemars(extend("enum" = ["allow", "deny", "ask"]))]
    effect: String,
    /// It holds in the server's root, or in all with `everywhere ` in front.
    #[schemars(
        regex(pattern = r"^(everywhere )?(\*|[A-Za-z0-9_./-]{1,128})(\([A-Za-z0-9_/*-]+\))?$"),
        extend("examples" = ["read_file(src/**)"])
    )]
    rule: String,
}

async fn add_rule(
    State(app): State<ServerApp>,
    JsonBody(body): JsonBody<RuleBody>,
) -> RouteResult<Created<RuleRow>> {
    if !["allow", "deny", "ask"].contains(&body.effect.as_str()) {
        return Err(Problem::field("effect", "'effect' must be allow, deny or ask"));
    }
    let rule = app.host.add_rule(&body.effect, &body.rule).await?;
    Ok(Created(show(&app, &rule.into())?))
}

async fn remove_rule(State(app): State<ServerApp>, PathOf(id): PathOf<String>) -> RouteResult<Nothing> {
    app.host.remove_rule(&id).await?;
    Ok(Nothing)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ExplainWish")]
struct ExplainBody {
    tool: String,
    arguments: Option<Map<String, Value>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ShownExplanation {
    gates: Vec<ExplainedGate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<Question>,
}

async fn explain(
    State(app): State<ServerApp>,
    JsonBody(body): JsonBody<ExplainBody>,
) -> RouteResult<Shown<ShownExplanation>> {
    let Explanation { gates, question } =
        app.host.explain(&body.tool, body.arguments.unwrap_or_default()).await?;
    let shown = ShownExplanation { gates, question };
    show_asking(&app, &shown, shown.question.iter().map(|question| ("/question", question)))
}

#[derive(Deserialize)]
struct AuditWish {
    tool: Option<String>,
    rows: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct AuditList {
    entries: Vec<AuditEntry>,
}

async fn audit(
    State(app): State<ServerApp>,
    QueryOf(wish): QueryOf<AuditWish>,
) -> RouteResult<Shown<AuditList>> {
    let query = AuditQuery { tool: wish.tool, rows_max: rows(wish.rows.as_deref())? };
    show(&app, &AuditList { entries: app.host.audit(query).await? })
}

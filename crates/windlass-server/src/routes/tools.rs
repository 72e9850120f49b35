//! Tools and policies: the same as the commands.

use axum::extract::State;
use axum::response::Response;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use windlass_core::calls::json::parse::parse_value;
use windlass_core::permission::Rule;
use windlass_core::ports::host::{AuditQuery, Consent, HostError, OutsideCall, ToolAnswer};
use windlass_core::protocol::ids::SessionId;

use super::page::{rows, rows_schema};
use crate::endpoint::Endpoint;
use crate::error::{Problem, ProblemKind, RouteResult, SuccessKind};
use crate::extract::{JsonBody, PathOf, QueryOf};
use crate::openapi::{list_of, named, object, one_of, or_null, text};
use crate::shown::{done, show, show_asking, show_list};
use crate::state::ServerApp;

pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/tools", list)
            .about("tools", "The tools")
            .answers(SuccessKind::Ok, object([("tools", list_of("Tool"))]), "Their specs."),
        Endpoint::post("/api/tools/{name}/call", call)
            .about("tools", "Call a tool")
            .notes("Through the same validation, permission and limits as a model's call. What needs asking is answered with 409 and the `question`; the same call with `approve` and the question's `digest` says that somebody looked at it. Rules that deny it still do.")
            .path_param("name", "The tool.")
            .body::<CallBody>()
            .answers(SuccessKind::Ok, named("ToolAnswer"), "The outcome, which may be a failure.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
        Endpoint::get("/api/policies", rules)
            .about("policies", "The rules that hold, and what sessions are granted")
            .answers(SuccessKind::Ok, object([("rules", list_of("Rule"))]), "The rules; a grant names its session."),
        Endpoint::post("/api/policies", add_rule)
            .about("policies", "Store a rule")
            .body::<RuleBody>()
            .answers(SuccessKind::Created, named("Rule"), "The rule.")
            .problems(&[ProblemKind::Conflict]),
        Endpoint::delete("/api/policies/{id}", remove_rule)
            .about("policies", "Forget a rule, or take a grant back")
            .path_param("id", "The rule or the grant.")
            .answers_nothing("It is forgotten: the next call is judged without it.")
            .problems(&[ProblemKind::Missing, ProblemKind::Conflict]),
        Endpoint::post("/api/policies/explain", explain)
            .about("policies", "Which gate decides a call, and why")
            .body::<ExplainBody>()
            .answers(
                SuccessKind::Ok,
                object([("gates", list_of("Gate")), ("question?", named("Question"))]),
                "What each gate says, in their order; and what the user would be asked.",
            )
            .problems(&[ProblemKind::Missing]),
        Endpoint::get("/api/policies/audit", audit)
            .about("policies", "Decisions about calls, newest first")
            .notes("From the audit log: secrets are struck out and long values cut.")
            .query_param("tool", text(), "Only those about this tool.")
            .query_param("rows", rows_schema(), "At most so many.")
            .answers(SuccessKind::Ok, object([("entries", list_of("AuditEntry"))]), "The decisions."),
    ]
}

async fn list(State(app): State<ServerApp>) -> RouteResult<Response> {
    let tools = app.host.tools();
    show_list(&app, "tools", &tools)
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
) -> RouteResult<Response> {
    let answer = app.host.call_tool(body.wish(name)?).await.map_err(|error| {
        let question = match &error {
            HostError::NeedsConsent(question) => Some(json!(question.shown(&app.redactor))),
            _ => None,
        };
        let problem = Problem::from(error);
        match question {
            Some(question) => problem.asking(question),
            None => problem,
        }
    })?;
    show_answer(&app, &answer)
}

/// What a call gave.
pub(super) fn show_answer(app: &ServerApp, answer: &ToolAnswer) -> RouteResult<Response> {
    let mut shown = json!({
        "status": answer.outcome.status(),
        "content": answer.content,
        "duration_ms": answer.outcome.meta.duration_ms,
        "outcome": answer.outcome,
    });
    if let Value::Object(fields) = &mut shown {
        match &answer.outcome.body {
            Ok(output) => fields.insert("result".into(), output.json.clone()),
            Err(failure) => fields.insert(
                "error".into(),
                json!({
                    "kind": failure.kind.word(), "message": failure.message, "hint": failure.hint,
                    "field": failure.field, "expected": failure.expected, "received": failure.received,
                }),
            ),
        };
    }
    show(app, SuccessKind::Ok, &shown)
}

async fn rules(State(app): State<ServerApp>) -> RouteResult<Response> {
    let rules: Vec<Value> = app.host.rules().await?.iter().map(rule_value).collect();
    show_list(&app, "rules", &rules)
}

fn rule_value(rule: &Rule) -> Value {
    let mut value = json!({
        "id": rule.id, "effect": rule.effect.word(), "rule": rule.pattern.to_string(),
        "created_ms": rule.created_ms, "source": rule.source.word(),
    });
    if let (Value::Object(fields), Some(session_id)) = (&mut value, &rule.session_id) {
        fields.insert("session_id".into(), json!(session_id));
    }
    value
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "NewRule")]
struct RuleBody {
    #[schemars(extend("enum" = ["allow", "deny", "ask"]))]
    effect: String,
    #[schemars(
        regex(pattern = r"^(\*|[A-Za-z0-9_./-]{1,128})(\([A-Za-z0-9_/*-]+\))?$"),
        extend("examples" = ["read_file(src/**)"])
    )]
    rule: String,
}

async fn add_rule(State(app): State<ServerApp>, JsonBody(body): JsonBody<RuleBody>) -> RouteResult<Response> {
    if !["allow", "deny", "ask"].contains(&body.effect.as_str()) {
        return Err(Problem::field("effect", "'effect' must be allow, deny or ask"));
    }
    show(&app, SuccessKind::Created, &rule_value(&app.host.add_rule(&body.effect, &body.rule).await?))
}

async fn remove_rule(State(app): State<ServerApp>, PathOf(id): PathOf<String>) -> RouteResult<Response> {
    app.host.remove_rule(&id).await?;
    Ok(done())
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ExplainWish")]
struct ExplainBody {
    tool: String,
    arguments: Option<Map<String, Value>>,
}

async fn explain(
    State(app): State<ServerApp>,
    JsonBody(body): JsonBody<ExplainBody>,
) -> RouteResult<Response> {
    let explanation = app.host.explain(&body.tool, body.arguments.unwrap_or_default()).await?;
    let mut shown = json!({"gates": explanation.gates});
    let Some(question) = &explanation.question else { return show(&app, SuccessKind::Ok, &shown) };
    if let Value::Object(fields) = &mut shown {
        fields.insert("question".into(), Value::Null);
    }
    show_asking(&app, SuccessKind::Ok, &shown, [("/question", question)])
}

#[derive(Deserialize)]
struct AuditWish {
    tool: Option<String>,
    rows: Option<String>,
}

async fn audit(State(app): State<ServerApp>, QueryOf(wish): QueryOf<AuditWish>) -> RouteResult<Response> {
    let query = AuditQuery { tool: wish.tool, rows_max: rows(wish.rows.as_deref())? };
    show_list(&app, "entries", &app.host.audit(query).await?)
}

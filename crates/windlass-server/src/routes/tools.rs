//! Tools, models and policies: the same as the commands.

use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::host::OutsideCall;
use windlass_core::ids::SessionId;
use windlass_core::permission::Rule;

use crate::endpoint::Endpoint;
use crate::error::{Answer, Kind, Problem, Said};
use crate::extract::{JsonBody, PathOf};
use crate::openapi::{list_of, named, object, text, wish};
use crate::shown::{done, show, show_list};
use crate::state::App;

/// The endpoints.
pub(crate) fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::get("/api/tools", list)
            .about("tools", "The tools")
            .answers(Said::Ok, object([("tools", list_of("Tool"))]), "Their specs."),
        Endpoint::post("/api/tools/{name}/call", call)
            .about("tools", "Call a tool")
            .notes("Through the same validation, permission and limits as a model's call; what would need asking is refused.")
            .path_param("name", "The tool.")
            .body(named("ToolCallWish"))
            .answers(Said::Ok, named("ToolAnswer"), "The outcome, which may be a failure.")
            .problems(&[Kind::Missing, Kind::Conflict]),
        Endpoint::get("/api/models", models)
            .about("models", "Models that can be chosen")
            .answers(Said::Ok, object([("models", list_of("Model"))]), "The models."),
        Endpoint::get("/api/policies", rules)
            .about("policies", "The stored rules")
            .answers(Said::Ok, object([("rules", list_of("Rule"))]), "The rules."),
        Endpoint::post("/api/policies", add_rule)
            .about("policies", "Store a rule")
            .body(named("NewRule"))
            .answers(Said::Created, named("Rule"), "The rule.")
            .problems(&[Kind::Conflict]),
        Endpoint::delete("/api/policies/{id}", remove_rule)
            .about("policies", "Forget a rule")
            .path_param("id", "The rule.")
            .answers_nothing("It is forgotten.")
            .problems(&[Kind::Missing, Kind::Conflict]),
        Endpoint::post("/api/policies/explain", explain)
            .about("policies", "Which gate decides a call, and why")
            .body(named("ExplainWish"))
            .answers(Said::Ok, object([("gates", list_of("Gate"))]), "What each gate says, in their order.")
            .problems(&[Kind::Missing]),
    ]
}

async fn list(State(app): State<App>) -> Answer<Response> {
    let tools = app.host.tools();
    show_list(&app, "tools", &tools)
}

#[derive(Deserialize)]
struct CallBody {
    arguments: Option<Map<String, Value>>,
    session_id: Option<String>,
}

async fn call(
    State(app): State<App>,
    PathOf(name): PathOf<String>,
    JsonBody(body): JsonBody<CallBody>,
) -> Answer<Response> {
    let session_id = body.session_id.map(SessionId::new);
    let answer = app
        .host
        .call_tool(OutsideCall { name, args: body.arguments.unwrap_or_default(), session_id })
        .await?;
    let mut shown = json!({
        "status": answer.outcome.status(),
        "content": answer.content,
        "duration_ms": answer.outcome.meta.duration_ms,
    });
    if let Value::Object(fields) = &mut shown {
        match &answer.outcome.body {
            Ok(output) => fields.insert("result".into(), output.json.clone()),
            Err(failure) => fields.insert(
                "error".into(),
                json!({"kind": failure.kind.word(), "message": failure.message, "hint": failure.hint}),
            ),
        };
    }
    show(&app, Said::Ok, &shown)
}

async fn models(State(app): State<App>) -> Answer<Response> {
    show_list(&app, "models", &app.host.models().await?)
}

async fn rules(State(app): State<App>) -> Answer<Response> {
    let rules: Vec<Value> = app.host.rules().iter().map(rule_value).collect();
    show_list(&app, "rules", &rules)
}

fn rule_value(rule: &Rule) -> Value {
    json!({
        "id": rule.id, "effect": rule.effect.word(), "rule": rule.pattern.to_string(),
        "created_ms": rule.created_ms, "source": rule.source.word(),
    })
}

#[derive(Deserialize)]
struct RuleBody {
    effect: String,
    rule: String,
}

async fn add_rule(State(app): State<App>, JsonBody(body): JsonBody<RuleBody>) -> Answer<Response> {
    if !["allow", "deny", "ask"].contains(&body.effect.as_str()) {
        return Err(Problem::field("effect", "'effect' must be allow, deny or ask"));
    }
    show(&app, Said::Created, &rule_value(&app.host.add_rule(&body.effect, &body.rule).await?))
}

async fn remove_rule(State(app): State<App>, PathOf(id): PathOf<String>) -> Answer<Response> {
    app.host.remove_rule(&id).await?;
    Ok(done())
}

#[derive(Deserialize)]
struct ExplainBody {
    tool: String,
    arguments: Option<Map<String, Value>>,
}

async fn explain(State(app): State<App>, JsonBody(body): JsonBody<ExplainBody>) -> Answer<Response> {
    let gates = app.host.explain(&body.tool, body.arguments.unwrap_or_default()).await?;
    show_list(&app, "gates", &gates)
}

/// The bodies of these routes, for the API document.
pub(crate) fn schemas() -> Vec<(&'static str, Value)> {
    let arguments = || json!({"type": "object"});
    let rule = json!({
        "type": "string", "pattern": "^(\\*|[A-Za-z0-9_-]{1,64})(\\([A-Za-z0-9_/*-]+\\))?$",
        "examples": ["read_file(src/**)"],
    });
    vec![
        ("ToolCallWish", wish([("arguments?", arguments()), ("session_id?", text())])),
        ("ExplainWish", wish([("tool", text()), ("arguments?", arguments())])),
        (
            "NewRule",
            object([("effect", json!({"type": "string", "enum": ["allow", "deny", "ask"]})), ("rule", rule)]),
        ),
    ]
}

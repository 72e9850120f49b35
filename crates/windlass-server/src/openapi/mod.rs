//! The API document (OpenAPI 3.1), made of the endpoints themselves: what is served is described, and what is
//! described is served. Schemas of bodies are in `schemas`.

use serde_json::{Map, Value, json};
use windlass_core::permission::ApproveMode;
use windlass_core::profile::ProfileName;

use crate::endpoint::{EVENT_STREAM, Endpoint, Operation, ParamPlace};
use crate::error::{PROBLEM_TYPE, ProblemKind};

pub(crate) mod schemas;

pub(crate) use schemas::{list, one_of, said};

/// A schema by its name.
pub(crate) fn named(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// A list of what a name means.
pub(crate) fn list_of(name: &str) -> Value {
    json!({"type": "array", "items": named(name)})
}

/// Any text.
pub(crate) fn text() -> Value {
    json!({"type": "string"})
}

/// A whole number from 0.
pub(crate) fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

/// `true` or `false`.
pub(crate) fn flag() -> Value {
    json!({"type": "boolean"})
}

/// A whole number in a request, from 0.
pub(crate) fn count_to(max: u64) -> Value {
    json!({"type": "integer", "minimum": 0, "maximum": max})
}

/// One frame of an event stream: how tools that know event streams read it.
pub(crate) fn frame() -> Value {
    let payload = json!({"type": "string", "contentMediaType": "application/json"});
    object([("data", payload), ("id?", text()), ("event?", text())])
}

/// The name of a profile.
pub(crate) fn profile() -> Value {
    let names: Vec<&str> = ProfileName::ALL.iter().map(|name| name.word()).collect();
    json!({"type": "string", "enum": names})
}

/// How calls are approved that need asking.
pub(crate) fn approve() -> Value {
    json!({"type": "string", "enum": ApproveMode::ALL.map(ApproveMode::word)})
}

/// An object of a request: what may be missing may be `null` too.
pub(crate) fn wish<const N: usize>(fields: [(&str, Value); N]) -> Value {
    object(fields.map(|(name, schema)| {
        let schema = if name.ends_with('?') { json!({"anyOf": [schema, {"type": "null"}]}) } else { schema };
        (name, schema)
    }))
}

/// An object with fields; those whose name ends with `?` may be missing.
pub(crate) fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let required: Vec<&str> =
        fields.iter().map(|(name, _)| *name).filter(|name| !name.ends_with('?')).collect();
    let properties: Map<String, Value> =
        fields.iter().map(|(name, schema)| (name.trim_end_matches('?').to_owned(), schema.clone())).collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if let (Value::Object(schema), false) = (&mut schema, required.is_empty()) {
        schema.insert("required".into(), json!(required));
    }
    schema
}

/// The document of all endpoints.
pub(crate) fn document(endpoints: &[Endpoint], version: &str) -> Value {
    let mut paths = Map::new();
    for endpoint in endpoints {
        // The document does not know that a name may take in slashes.
        let path = paths.entry(endpoint.path.replace("{*", "{")).or_insert_with(|| json!({}));
        if let Value::Object(methods) = path {
            methods.insert(endpoint.method.as_str().to_ascii_lowercase(), operation(endpoint));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Windlass", "version": version,
            "summary": "The tool-calling runtime over HTTP",
            "description": "Sessions, runs and their events. Errors are problem documents (RFC 9457) with a stable `code`.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {
                "type": "http", "scheme": "bearer",
                "description": "Needed when the server listens on an address that other machines can reach.",
            }},
            "schemas": schemas::all(),
        },
    })
}

fn operation(endpoint: &Endpoint) -> Value {
    let Operation { summary, notes, tag, params, body, .. } = &endpoint.operation;
    let mut operation = Map::new();
    operation.insert("operationId".into(), operation_id(endpoint).into());
    operation.insert("tags".into(), json!([tag]));
    operation.insert("summary".into(), json!(summary));
    if !notes.is_empty() {
        operation.insert("description".into(), json!(notes));
    }
    if !params.is_empty() {
        let params: Vec<Value> = params
            .iter()
            .map(|param| {
                let place = match param.place {
                    ParamPlace::Path => "path",
                    ParamPlace::Query => "query",
                    ParamPlace::Header => "header",
                };
                json!({
                    "name": param.name, "in": place, "required": param.is_required,
                    "description": param.meaning, "schema": param.schema,
                })
            })
            .collect();
        operation.insert("parameters".into(), params.into());
    }
    if let Some((schema, is_required)) = body {
        let content = json!({"application/json": {"schema": schema}});
        operation.insert("requestBody".into(), json!({"required": is_required, "content": content}));
    }
    operation.insert("responses".into(), responses(endpoint));
    Value::Object(operation)
}

/// `get_api_sessions_id_runs`, unique because method and path are.
fn operation_id(endpoint: &Endpoint) -> String {
    let words = endpoint.path.split(['/', '{', '}', '-', '.', '*']).filter(|word| !word.is_empty());
    let mut id = endpoint.method.as_str().to_ascii_lowercase();
    for word in words {
        id.push('_');
        id.push_str(word);
    }
    id
}

fn responses(endpoint: &Endpoint) -> Value {
    let mut responses = Map::new();
    for answer in &endpoint.operation.answers {
        let response = responses
            .entry(answer.said.status().as_str())
            .or_insert_with(|| json!({"description": answer.meaning}));
        if let (Value::Object(response), false) = (response, answer.media_type.is_empty()) {
            let content = response.entry("content").or_insert_with(|| json!({}));
            if let Value::Object(content) = content {
                content.insert(answer.media_type.into(), json!({"schema": answer.schema}));
            }
        }
    }
    for kind in endpoint.all_problems() {
        responses.insert(kind.status().as_str().to_owned(), problem_response(kind, endpoint));
    }
    Value::Object(responses)
}

fn problem_response(kind: ProblemKind, endpoint: &Endpoint) -> Value {
    let mut content = match &endpoint.operation.error_schema {
        Some(schema) => json!({"application/json": {"schema": schema}}),
        None => json!({PROBLEM_TYPE: {"schema": named("Problem")}}),
    };
    if let (Value::Object(content), true) = (&mut content, endpoint.operation.has_error_stream) {
        content.insert(EVENT_STREAM.into(), json!({"schema": frame()}));
    }
    let mut response = json!({"description": kind.title(), "content": content});
    let retries = matches!(kind, ProblemKind::TooMany | ProblemKind::Unavailable);
    if let (Value::Object(response), true) = (&mut response, retries) {
        let header = json!({"description": "Seconds to wait.", "schema": count()});
        response.insert("headers".into(), json!({"Retry-After": header}));
    }
    response
}

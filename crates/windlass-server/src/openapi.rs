//! The API document (OpenAPI 3.1), made of the endpoints themselves: what is served is described, and what is
//! described is served. Bodies of requests have the schemas of the types that read them, answers those of the types that
//! are written; by hand is only what is read or written without a type.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use windlass_core::permission::ApproveMode;
use windlass_core::profile::ProfileName;
use windlass_core::protocol::schema as plain;

use crate::endpoint::{EVENT_STREAM, Endpoint, JSON, Operation, ParamPlace};
use crate::error::{PROBLEM_TYPE, ProblemKind, WrittenProblem};

/// What references to named schemas begin with.
const PLACE: &str = "#/components/schemas/";

/// Where the schema of a body comes from.
pub(crate) enum SchemaSource {
    /// The type that reads or writes it.
    Typed(fn(&mut SchemaGenerator) -> Schema),
    /// Written by hand, for what has no type.
    Written(Value),
    /// The same under a name.
    Named(&'static str, Value),
}

impl SchemaSource {
    pub(crate) fn of<T: JsonSchema>() -> Self {
        Self::Typed(SchemaGenerator::subschema_for::<T>)
    }

    fn schema(&self, types: &mut SchemaGenerator) -> Value {
        match self {
            Self::Typed(make) => make(types).to_value(),
            Self::Written(schema) => schema.clone(),
            Self::Named(name, schema) => {
                types.definitions_mut().insert((*name).to_owned(), schema.clone());
                json!({"$ref": format!("{PLACE}{name}")})
            }
        }
    }
}

/// Makes the schemas of an API document; those with a name stand among its components.
struct SchemaMaker {
    /// Of types that are read.
    requests: SchemaGenerator,
    /// Of types that are written.
    answers: SchemaGenerator,
}

impl SchemaMaker {
    fn new() -> Self {
        let maker = |settings: SchemaSettings| {
            settings
                .with(|settings| settings.definitions_path = "/components/schemas".into())
                .into_generator()
        };
        Self {
            requests: maker(SchemaSettings::draft2020_12().for_deserialize()),
            answers: maker(SchemaSettings::draft2020_12().for_serialize()),
        }
    }

    fn request(&mut self, source: &SchemaSource) -> Value {
        let mut schema = source.schema(&mut self.requests);
        simplify(&mut schema);
        schema
    }

    fn answer(&mut self, source: &SchemaSource) -> Value {
        let mut schema = source.schema(&mut self.answers);
        plain::simplify(&mut schema);
        schema
    }

    /// The schemas of all named types that were seen so far.
    fn named(mut self) -> Map<String, Value> {
        let mut named = self.requests.take_definitions(true);
        named.values_mut().for_each(simplify);
        for (name, schema) in plain::plain_definitions(&self.answers.take_definitions(true), PLACE) {
            let read = named.insert(name, schema.clone());
            debug_assert!(read.is_none_or(|read| read == schema), "one name for two schemas: {schema}");
        }
        named
    }
}

/// Takes out what says nothing to clients: sizes of Rust's numbers, and defaults that mean "not given".
fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.retain(|name, value| match name.as_str() {
                "format" => !value.is_string(),
                "default" => !value.is_null(),
                _ => true,
            });
            if let Some(Value::Object(properties)) = fields.get_mut("properties") {
                // Anything at all, in the form that other tools read too.
                properties.values_mut().filter(|any| **any == true).for_each(|any| *any = json!({}));
            }
            plain::collapse_words(fields);
            fields.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// One of these words.
pub(crate) fn one_of(words: &[&str]) -> Value {
    json!({"type": "string", "enum": words})
}

/// What a schema means, or nothing: for fields of requests whose words are checked apart from reading them.
pub(crate) fn or_null(schema: Value) -> Schema {
    let mut wish = Map::new();
    wish.insert("anyOf".to_owned(), json!([schema, {"type": "null"}]));
    wish.into()
}

pub(crate) fn text() -> Value {
    json!({"type": "string"})
}

/// A whole number from 0.
pub(crate) fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

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

/// The name of a profile, in a request that may leave it out.
pub(crate) fn maybe_profile(_: &mut SchemaGenerator) -> Schema {
    or_null(one_of(&ProfileName::ALL.map(ProfileName::word)))
}

/// How calls are approved, in a request that may leave it out.
pub(crate) fn maybe_approve(_: &mut SchemaGenerator) -> Schema {
    or_null(one_of(&ApproveMode::ALL.map(ApproveMode::word)))
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
    let (mut paths, mut schemas) = (Map::new(), SchemaMaker::new());
    for endpoint in endpoints {
        // The document does not know that a name may take in slashes.
        let path = paths.entry(endpoint.path.replace("{*", "{")).or_insert_with(|| json!({}));
        if let Value::Object(methods) = path {
            methods.insert(endpoint.method.as_str().to_ascii_lowercase(), operation(endpoint, &mut schemas));
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
                "description": "What `windlass token` prints. Browsers that signed in send a cookie instead; a server that was started with --no-token wants neither.",
            }},
            "schemas": schemas.named(),
        },
    })
}

fn operation(endpoint: &Endpoint, schemas: &mut SchemaMaker) -> Value {
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
    if let Some((source, is_required)) = body {
        let content = json!({JSON: {"schema": schemas.request(source)}});
        operation.insert("requestBody".into(), json!({"required": is_required, "content": content}));
    }
    operation.insert("responses".into(), responses(endpoint, schemas));
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

fn responses(endpoint: &Endpoint, schemas: &mut SchemaMaker) -> Value {
    let mut responses = Map::new();
    for (form, meaning) in &endpoint.operation.answers {
        let response =
            responses.entry(form.said.status().as_str()).or_insert_with(|| json!({"description": meaning}));
        if let (Value::Object(response), false) = (response, form.media_type.is_empty()) {
            let content = response.entry("content").or_insert_with(|| json!({}));
            if let Value::Object(content) = content {
                content.insert(form.media_type.into(), json!({"schema": schemas.answer(&form.schema)}));
            }
        }
    }
    for kind in endpoint.all_problems() {
        responses.insert(kind.status().as_str().to_owned(), problem_response(kind, endpoint, schemas));
    }
    Value::Object(responses)
}

fn problem_response(kind: ProblemKind, endpoint: &Endpoint, schemas: &mut SchemaMaker) -> Value {
    let mut content = match &endpoint.operation.error_schema {
        Some(schema) => json!({JSON: {"schema": schemas.answer(schema)}}),
        None => {
            let schema = schemas.answer(&SchemaSource::of::<WrittenProblem<'_>>());
            json!({PROBLEM_TYPE: {"schema": schema}})
        }
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

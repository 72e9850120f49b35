//! Full JSON Schema validation of arguments: compiled once when a tool is registered.
//!
//! Owns the schema library: nobody else names it. Schemas are taken for hostile, since they come from
//! modules and other servers: their size, depth, weight and patterns are bounded, and nothing is ever
//! fetched.
//! Draft 2020-12 unless `$schema` says otherwise.

use std::collections::HashMap;
use std::error::Error;
use std::sync::OnceLock;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{PatternOptions, Retrieve, Uri, ValidationError, Validator};
use serde_json::Value;
use windlass_core::ports::{ArgsValidator, Violation};
use windlass_core::text::{cut_chars, json_short};

use crate::limits::{
    PATTERN_BYTES_MAX, PATTERN_STEPS_BACK_MAX, SCHEMA_BYTES_MAX, SCHEMA_DEPTH_MAX, VIOLATION_CHARS_MAX,
    VIOLATIONS_MAX,
};
use crate::tools::schema_weight::{TooHeavy, weigh};

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    #[error("the schema has {bytes} bytes; at most {SCHEMA_BYTES_MAX} are allowed")]
    TooLarge { bytes: usize },
    /// It is nested too deeply.
    #[error("the schema is nested more than {SCHEMA_DEPTH_MAX} levels deep")]
    TooDeep,
    /// Its references fan out so far that a check could take for ever.
    #[error("the references of the schema fan out too far; write fewer or simpler ones")]
    TooHeavy,
    /// It is not a JSON Schema, or refers to something that is not there.
    #[error("the schema is not valid at '{place}': {message}")]
    Invalid {
        /// JSON pointer into the schema.
        place: String,
        /// What is wrong there.
        message: String,
    },
}

/// A compiled argument schema.
#[derive(Debug)]
pub struct SchemaValidator {
    validator: Validator,
    /// Whether all violations are collected, or only the first.
    collects_all: bool,
}

/// Compiles a schema that stands alone.
pub fn compile(schema: &Value) -> Result<SchemaValidator, SchemaError> {
    compile_among(schema, [])
}

/// Compiles a schema that stands alone and whose formats bind, such as `email`: by the standard they are remarks.
pub fn compile_with_formats(schema: &Value) -> Result<SchemaValidator, SchemaError> {
    compiled(schema, HashMap::new(), true)
}

/// Compiles a schema that may refer to the given documents by their addresses, and to nothing else.
pub fn compile_among<'a>(
    schema: &Value,
    documents: impl IntoIterator<Item = (&'a str, &'a Value)>,
) -> Result<SchemaValidator, SchemaError> {
    let documents =
        documents.into_iter().map(|(address, document)| (address.to_owned(), document.clone())).collect();
    compiled(schema, documents, false)
}

fn compiled(
    schema: &Value,
    documents: HashMap<String, Value>,
    has_formats: bool,
) -> Result<SchemaValidator, SchemaError> {
    measure(schema)?;
    let weight = weigh(schema).map_err(|TooHeavy| SchemaError::TooHeavy)?;
    // Patterns of JSON Schema may look around and refer back, which only an engine that steps back can do.
    let patterns = PatternOptions::fancy_regex()
        .backtrack_limit(PATTERN_STEPS_BACK_MAX)
        .size_limit(PATTERN_BYTES_MAX)
        .dfa_size_limit(PATTERN_BYTES_MAX);
    jsonschema::options()
        .with_retriever(NoDocuments(documents))
        .with_pattern_options(patterns)
        .should_validate_formats(has_formats)
        .build(schema)
        .map(|validator| SchemaValidator { validator, collects_all: weight.is_light() })
        .map_err(|error| SchemaError::Invalid {
            place: cut_chars(error.instance_path().as_str(), VIOLATION_CHARS_MAX).to_owned(),
            message: message_of(&error),
        })
}

/// All that a schema may refer to outside itself: nothing is fetched.
struct NoDocuments(HashMap<String, Value>);

impl Retrieve for NoDocuments {
    fn retrieve(&self, address: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        let document = self.0.get(address.as_str()).cloned();
        document.ok_or_else(|| format!("{address} is outside the schema, and nothing is fetched").into())
    }
}

/// Refuses what is too large or too deep, without descending by recursion.
fn measure(schema: &Value) -> Result<(), SchemaError> {
    let mut open = vec![(schema, 1)];
    let mut bytes = 0;
    while let Some((value, depth)) = open.pop() {
        if depth > SCHEMA_DEPTH_MAX {
            return Err(SchemaError::TooDeep);
        }
        bytes += match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => 8,
            Value::String(text) => text.len() + 2,
            Value::Array(items) => {
                open.extend(items.iter().map(|item| (item, depth + 1)));
                items.len() + 2
            }
            Value::Object(fields) => {
                open.extend(fields.values().map(|field| (field, depth + 1)));
                fields.keys().map(|name| name.len() + 4).sum::<usize>() + 2
            }
        };
    }
    if bytes > SCHEMA_BYTES_MAX { Err(SchemaError::TooLarge { bytes }) } else { Ok(()) }
}

impl ArgsValidator for SchemaValidator {
    fn check(&self, args: &Value) -> Vec<Violation> {
        // Nearly all calls are right, and finding that out is much cheaper than explaining errors.
        if self.validator.is_valid(args) {
            return Vec::new();
        }
        let ranked_of = |error: ValidationError<'_>| (rank(error.kind()), violation_of(&error));
        let mut ranked: Vec<(u8, Violation)> = if self.collects_all {
            self.validator.iter_errors(args).take(VIOLATIONS_MAX).map(ranked_of).collect()
        } else {
            self.validator.validate(args).err().map(ranked_of).into_iter().collect()
        };
        ranked.sort_by_key(|(rank, _)| *rank);
        if ranked.is_empty() {
            // The two paths of the library disagree: the refusal counts.
            ranked.push((0, refusal(args)));
        }
        ranked.into_iter().map(|(_, violation)| violation).collect()
    }
}

/// A schema that is compiled when it is first needed.
#[derive(Debug)]
pub(crate) struct LateValidator {
    schema: Value,
    compiled: OnceLock<Result<SchemaValidator, SchemaError>>,
}

impl LateValidator {
    pub(crate) fn new(schema: &Value) -> Self {
        Self { schema: schema.clone(), compiled: OnceLock::new() }
    }
}

impl ArgsValidator for LateValidator {
    fn check(&self, args: &Value) -> Vec<Violation> {
        match self.compiled.get_or_init(|| compile(&self.schema)) {
            Ok(validator) => validator.check(args),
            // What cannot be checked does not run.
            Err(error) => {
                tracing::error!("a schema of this program is broken: {error}");
                vec![refusal(args)]
            }
        }
    }
}

/// What is missing comes before what is of the wrong type, and that before what is too much.
fn rank(kind: &ValidationErrorKind) -> u8 {
    match kind {
        ValidationErrorKind::Required { .. } => 0,
        ValidationErrorKind::Type { .. } => 1,
        ValidationErrorKind::AdditionalProperties { .. }
        | ValidationErrorKind::UnevaluatedProperties { .. } => 3,
        _ => 2,
    }
}

fn violation_of(error: &ValidationError<'_>) -> Violation {
    let place = error.instance_path().as_str();
    let received = json_short(error.instance(), VIOLATION_CHARS_MAX);
    let (path, received) = match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default().replace('~', "~0").replace('/', "~1");
            (format!("{place}/{name}"), "nothing".to_owned())
        }
        _ => (place.to_owned(), received),
    };
    let expected = expected_of(error.kind()).unwrap_or_else(|| error.kind().keyword().to_owned());
    Violation {
        path: cut_chars(&path, VIOLATION_CHARS_MAX).to_owned(),
        message: message_of(error),
        expected: cut_chars(&expected, VIOLATION_CHARS_MAX).to_owned(),
        received,
    }
}

/// The library's sentence, with the value at fault cut short in it.
fn message_of(error: &ValidationError<'_>) -> String {
    let value = json_short(error.instance(), 80);
    let message = error.masked_with(value).to_string();
    cut_chars(&message, VIOLATION_CHARS_MAX).to_owned()
}

fn refusal(args: &Value) -> Violation {
    Violation {
        path: String::new(),
        message: "the arguments do not fit the schema".into(),
        expected: "arguments that fit the schema".into(),
        received: json_short(args, VIOLATION_CHARS_MAX),
    }
}

/// What would have been right, in a few words; `None` where the keyword says it all.
fn expected_of(kind: &ValidationErrorKind) -> Option<String> {
    use ValidationErrorKind as Kind;
    Some(match kind {
        Kind::Type { kind: TypeKind::Single(name) } => name.to_string(),
        Kind::Type { kind: TypeKind::Multiple(names) } => {
            names.iter().map(|name| name.to_string()).collect::<Vec<_>>().join(" or ")
        }
        Kind::Required { property } => format!("{} to be given", property.as_str().unwrap_or_default()),
        Kind::Enum { options } => format!("one of {}", json_short(options, VIOLATION_CHARS_MAX)),
        Kind::Constant { expected_value } => json_short(expected_value, VIOLATION_CHARS_MAX),
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("at least {limit} characters"),
        Kind::MaxLength { limit } => format!("at most {limit} characters"),
        Kind::MinItems { limit } => format!("at least {limit} items"),
        Kind::MaxItems { limit } => format!("at most {limit} items"),
        Kind::MinProperties { limit } => format!("at least {limit} fields"),
        Kind::MaxProperties { limit } => format!("at most {limit} fields"),
        Kind::Pattern { pattern } => format!("text that matches {pattern}"),
        Kind::Format { format } => format!("a text of the format {format}"),
        Kind::UniqueItems => "items that differ from each other".into(),
        Kind::AdditionalProperties { .. } | Kind::UnevaluatedProperties { .. } => "no other fields".into(),
        Kind::AdditionalItems { .. } | Kind::UnevaluatedItems { .. } => "no other items".into(),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            format!("one of {} forms", context.len())
        }
        Kind::OneOfMultipleValid { .. } => "exactly one of the forms".into(),
        Kind::FalseSchema => "nothing here".into(),
        _ => return None,
    })
}

#[cfg(test)]
#[path = "validate_tests.rs"]
mod tests;

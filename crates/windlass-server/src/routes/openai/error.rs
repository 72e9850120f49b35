//! Problems in OpenAI's shape: `{"error":{message,type,param,code}}`. Which status they have is not known here.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use windlass_core::ports::host::HostError;
use windlass_core::protocol::model::{ModelFailure, ModelFailureKind};

use crate::error::{Problem, ProblemKind};

/// How long a client should wait when a provider is full and did not say.
const RETRY_AFTER_USUAL_MS: u64 = 5_000;

/// The body of an error.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct ErrorBody<'a> {
    error: OpenaiError<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct OpenaiError<'a> {
    message: &'a str,
    r#type: &'static str,
    param: Option<&'a str>,
    code: Option<&'a str>,
}

impl<'a> From<&'a Problem> for ErrorBody<'a> {
    fn from(problem: &'a Problem) -> Self {
        let error = OpenaiError {
            message: problem.detail(),
            r#type: kind_word(problem.kind()),
            param: problem.wrong_field(),
            code: Some(problem.code()),
        };
        Self { error }
    }
}

fn kind_word(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::Invalid
        | ProblemKind::Missing
        | ProblemKind::Method
        | ProblemKind::NotAcceptable
        | ProblemKind::Conflict
        | ProblemKind::TooLarge
        | ProblemKind::TooSlow
        | ProblemKind::MediaType => "invalid_request_error",
        ProblemKind::Unauthorised => "authentication_error",
        ProblemKind::Forbidden => "permission_error",
        ProblemKind::TooMany => "rate_limit_error",
        ProblemKind::Broken
        | ProblemKind::Upstream
        | ProblemKind::NotImplemented
        | ProblemKind::Unavailable
        | ProblemKind::TimedOut => "server_error",
    }
}

/// What a client is told of a model's failure. Where the provider is and what is wrong with the server's own key
/// is the operator's business, who finds it in the log.
pub(crate) fn told_of(failure: &ModelFailure) -> String {
    let ModelFailure { kind, message, detail, .. } = failure;
    tracing::warn!(code = kind.word(), message, detail, "a model failed");
    match kind {
        ModelFailureKind::Network => {
            "the model's provider cannot be reached; try again later, or tell the operator".to_owned()
        }
        ModelFailureKind::Timeout => "the model's provider took too long; try again later".to_owned(),
        ModelFailureKind::Auth => {
            "the model's provider refused this server's own key; tell the operator".to_owned()
        }
        ModelFailureKind::Quota => {
            "this server's account at the model's provider is used up; tell the operator".to_owned()
        }
        _ => without_addresses(message),
    }
}

/// A text whose addresses are struck out: one of them may be the provider's.
fn without_addresses(text: &str) -> String {
    text.split_inclusive(char::is_whitespace).map(without_address).collect()
}

fn without_address(word: &str) -> Cow<'_, str> {
    let Some(at) = word.find("http://").or_else(|| word.find("https://")) else { return Cow::Borrowed(word) };
    let (head, address) = word.split_at_checked(at).unwrap_or((word, ""));
    let end = address.find([')', ']', '\'', '"', ',', ';']).unwrap_or(address.trim_end().len());
    Cow::Owned([head, "[address]", address.get(end..).unwrap_or_default()].concat())
}

/// A model's failure, by its stable word.
pub(crate) fn of_failure(failure: &ModelFailure) -> Problem {
    let kind = match failure.kind {
        ModelFailureKind::RateLimit => ProblemKind::TooMany,
        ModelFailureKind::Overloaded => ProblemKind::Unavailable,
        ModelFailureKind::Timeout => ProblemKind::TimedOut,
        ModelFailureKind::Journal => ProblemKind::Broken,
        ModelFailureKind::BadRequest
        | ModelFailureKind::ContextOverflow
        | ModelFailureKind::NoToolSupport
        | ModelFailureKind::Filtered => ProblemKind::Invalid,
        _ => ProblemKind::Upstream,
    };
    let code = match &failure.kind {
        ModelFailureKind::RateLimit => "rate_limit_exceeded",
        ModelFailureKind::ContextOverflow => "context_length_exceeded",
        ModelFailureKind::Filtered => "content_filter",
        // The caller's own token was right: the provider refused the server's key.
        ModelFailureKind::Auth => "provider_auth",
        other => other.word(),
    };
    let problem = Problem::new(kind, code.to_owned(), told_of(failure));
    match (kind, failure.retry_after_ms) {
        (_, Some(ms)) => problem.retry_after(ms),
        (ProblemKind::TooMany | ProblemKind::Unavailable, None) => problem.retry_after(RETRY_AFTER_USUAL_MS),
        (_, None) => problem,
    }
}

/// What a host refuses, in the words that OpenAI's clients know.
pub(super) fn of_host(error: HostError) -> Problem {
    match error {
        HostError::Missing { what: "model", id } => Problem::new(
            ProblemKind::Missing,
            "model_not_found",
            format!("The model '{id}' does not exist here; GET /v1/models lists those that do"),
        ),
        // A name that cannot be a model's is no model either.
        HostError::Invalid { field: Some("model"), message } => {
            Problem::new(ProblemKind::Missing, "model_not_found", message)
        }
        other => other.into(),
    }
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;

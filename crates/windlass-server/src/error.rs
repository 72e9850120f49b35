//! What goes wrong, as the client sees it: problem documents (RFC 9457), and the only place of the house that
//! knows HTTP status codes.
//!
//! A `Kind` is what the client can do about it; its `code` is stable, its `detail` says what was wrong, where,
//! and what to do. What broke inside goes to the log, never to the client.

use std::borrow::Cow;

use axum::extract::rejection::{BytesRejection, JsonRejection, PathRejection, QueryRejection};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use windlass_core::permission::Question;
use windlass_core::ports::host::HostError;

use crate::body_time::is_too_slow;
use crate::limits::BODY_TIMEOUT;

/// The media type of problem documents.
pub(crate) const PROBLEM_TYPE: &str = "application/problem+json";

/// How an answer that is no problem is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SuccessKind {
    Ok,
    Created,
    /// It began and goes on.
    Accepted,
    /// It is done, and there is nothing to say.
    Nothing,
    /// It is as the client knows it.
    Unchanged,
}

impl SuccessKind {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            SuccessKind::Ok => StatusCode::OK,
            SuccessKind::Created => StatusCode::CREATED,
            SuccessKind::Accepted => StatusCode::ACCEPTED,
            SuccessKind::Nothing => StatusCode::NO_CONTENT,
            SuccessKind::Unchanged => StatusCode::NOT_MODIFIED,
        }
    }
}

/// What a client can do about a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ProblemKind {
    Invalid,
    Unauthorised,
    /// Use a name or page that is allowed.
    Forbidden,
    /// Look at the list.
    Missing,
    Method,
    /// Ask for what there is.
    NotAcceptable,
    /// Send the body faster.
    TooSlow,
    /// Look at how things are now.
    Conflict,
    TooLarge,
    MediaType,
    TooMany,
    /// It broke inside: tell the operator.
    Broken,
    /// The model's provider failed.
    Upstream,
    /// It does not exist here.
    NotImplemented,
    Unavailable,
    /// It took too long.
    TimedOut,
}

impl ProblemKind {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            ProblemKind::Invalid => StatusCode::BAD_REQUEST,
            ProblemKind::Unauthorised => StatusCode::UNAUTHORIZED,
            ProblemKind::Forbidden => StatusCode::FORBIDDEN,
            ProblemKind::Missing => StatusCode::NOT_FOUND,
            ProblemKind::Method => StatusCode::METHOD_NOT_ALLOWED,
            ProblemKind::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
            ProblemKind::TooSlow => StatusCode::REQUEST_TIMEOUT,
            ProblemKind::Conflict => StatusCode::CONFLICT,
            ProblemKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            ProblemKind::MediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ProblemKind::TooMany => StatusCode::TOO_MANY_REQUESTS,
            ProblemKind::Broken => StatusCode::INTERNAL_SERVER_ERROR,
            ProblemKind::Upstream => StatusCode::BAD_GATEWAY,
            ProblemKind::NotImplemented => StatusCode::NOT_IMPLEMENTED,
            ProblemKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            ProblemKind::TimedOut => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    /// What the kind means, for the API document.
    pub(crate) fn title(self) -> &'static str {
        match self {
            ProblemKind::Invalid => "Invalid request",
            ProblemKind::Unauthorised => "Token required",
            ProblemKind::Forbidden => "Not allowed",
            ProblemKind::Missing => "Not found",
            ProblemKind::Method => "Method not allowed",
            ProblemKind::NotAcceptable => "Format not available",
            ProblemKind::TooSlow => "Body too slow",
            ProblemKind::Conflict => "Conflict",
            ProblemKind::TooLarge => "Too large",
            ProblemKind::MediaType => "JSON required",
            ProblemKind::TooMany => "Too many requests",
            ProblemKind::Broken => "Internal error",
            ProblemKind::Upstream => "Model error",
            ProblemKind::NotImplemented => "Not supported",
            ProblemKind::Unavailable => "Try again later",
            ProblemKind::TimedOut => "Timed out",
        }
    }
}

/// An answer, or a problem.
pub(crate) type RouteResult<T> = Result<T, Problem>;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    kind: ProblemKind,
    code: Cow<'static, str>,
    detail: String,
    field: Option<String>,
    subject: Option<String>,
    retry_after_s: Option<u64>,
    question: Option<Box<Question>>,
}

impl Problem {
    /// A problem: what was wrong, where, what to do.
    pub(crate) fn new(
        kind: ProblemKind,
        code: impl Into<Cow<'static, str>>,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            code: code.into(),
            detail: detail.into(),
            field: None,
            subject: None,
            retry_after_s: None,
            question: None,
        }
    }

    /// A request that must be changed.
    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(ProblemKind::Invalid, "invalid_request", detail)
    }

    /// A field of a request that must be changed.
    pub(crate) fn field(field: impl Into<String>, detail: impl Into<String>) -> Self {
        let mut problem = Self::invalid(detail);
        problem.field = Some(field.into());
        problem
    }

    /// Something that is not there.
    pub(crate) fn missing(what: &str, id: &str) -> Self {
        // The client's own text goes back to it and into logs, however long it was.
        let id: String = id.chars().take(80).collect();
        Self::new(ProblemKind::Missing, format!("{what}_not_found"), format!("there is no {what} '{id}'"))
            .about(id)
    }

    /// What it is about, for programs: the id of what is missing, the run that goes on, who holds a session.
    pub(crate) fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// What somebody has to say yes to.
    pub(crate) fn asking(mut self, question: Question) -> Self {
        self.question = Some(Box::new(question));
        self
    }

    /// When to come back.
    pub(crate) fn retry_after(mut self, ms: u64) -> Self {
        // The header knows whole seconds; rounded down, clients would come back too early.
        self.retry_after_s = Some(ms.div_ceil(1_000).max(1));
        self
    }

    /// What the client can do.
    pub(crate) fn kind(&self) -> ProblemKind {
        self.kind
    }

    pub(crate) fn code(&self) -> &str {
        &self.code
    }

    /// What was wrong, where, what to do.
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    /// The field that was wrong.
    pub(crate) fn wrong_field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// The answer with a body of another shape, for clients that know no problem documents.
    pub(crate) fn respond_as(&self, media_type: &'static str, body: String) -> Response {
        let headers = [(header::CONTENT_TYPE, HeaderValue::from_static(media_type))];
        let mut response = (self.kind.status(), headers, body).into_response();
        if let Some(seconds) = self.retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        if self.kind == ProblemKind::Unauthorised {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }

    fn document(&self) -> WrittenProblem<'_> {
        WrittenProblem {
            r#type: "about:blank",
            title: self.kind.title(),
            status: self.kind.status().as_u16(),
            code: &self.code,
            detail: &self.detail,
            field: self.field.as_deref(),
            subject: self.subject.as_deref(),
            question: self.question.as_deref(),
        }
    }
}

/// A problem as it is written (RFC 9457).
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(crate) struct WrittenProblem<'a> {
    r#type: &'static str,
    title: &'static str,
    status: u16,
    /// Stable.
    code: &'a str,
    /// What was wrong, where, what to do.
    detail: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    /// What it is about: the id of what is missing, the run that goes on, who holds the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
    /// What somebody has to say yes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<&'a Question>,
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.respond_as(PROBLEM_TYPE, json!(self.document()).to_string());
        // For clients that know another shape.
        response.extensions_mut().insert(self);
        response
    }
}

impl From<HostError> for Problem {
    fn from(error: HostError) -> Self {
        let said = error.to_string();
        match error {
            HostError::Missing { what, id } => Problem::missing(what, &id),
            HostError::Invalid { field: Some(field), .. } => Problem::field(field, said),
            HostError::Invalid { field: None, .. } => Problem::invalid(said),
            HostError::Unkeyed { variables, .. } => {
                let mut problem = Problem::field("model", said).about(variables.join(" "));
                problem.code = "model_key_missing".into();
                problem
            }
            HostError::Busy(run_id) => {
                Problem::new(ProblemKind::Conflict, "run_goes_on", said).about(run_id.as_str())
            }
            HostError::Held(holder) => Problem::new(
                ProblemKind::Conflict,
                "session_held",
                format!("{said}; end that process, or use another session"),
            )
            .about(holder),
            HostError::Stale(_) => Problem::new(ProblemKind::Conflict, "question_stale", said),
            HostError::NeedsConsent(_) => Problem::new(ProblemKind::Conflict, "needs_consent", said),
            HostError::Conflict(_) => Problem::new(ProblemKind::Conflict, "conflict", said),
            HostError::Overloaded { retry_after_ms, .. } => {
                Problem::new(ProblemKind::Unavailable, "overloaded", said).retry_after(retry_after_ms)
            }
            HostError::Closing => Problem::new(ProblemKind::Unavailable, "closing", said).retry_after(5_000),
            // Those of a host behind another server: nothing that this server's clients could do.
            HostError::Broken(reason)
            | HostError::Unreachable(reason)
            | HostError::Unauthorised(reason)
            | HostError::Incompatible(reason) => {
                tracing::error!(reason, "a request failed inside");
                Problem::new(ProblemKind::Broken, "internal", "internal error; the server's log has more")
            }
        }
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        match rejection {
            JsonRejection::MissingJsonContentType(_) => Problem::new(
                ProblemKind::MediaType,
                "not_json",
                "send JSON, with Content-Type: application/json",
            ),
            JsonRejection::JsonDataError(error) => wrong_data(&error.body_text()),
            JsonRejection::JsonSyntaxError(error) => Problem::new(
                ProblemKind::Invalid,
                "bad_json",
                format!("the body is not valid JSON: {}", after_colon(&error.body_text())),
            ),
            JsonRejection::BytesRejection(error) => error.into(),
            other => Problem::invalid(other.body_text()),
        }
    }
}

impl From<BytesRejection> for Problem {
    fn from(rejection: BytesRejection) -> Self {
        if is_too_slow(&rejection) {
            too_slow()
        } else if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
            Problem::new(
                ProblemKind::TooLarge,
                "body_too_large",
                "the body is larger than the server accepts",
            )
        } else {
            Problem::invalid("the body could not be read to the end; send it again")
        }
    }
}

/// A body that did not come in time.
pub(crate) fn too_slow() -> Problem {
    let detail = format!("the body did not come within {} s; send it again", BODY_TIMEOUT.as_secs());
    Problem::new(ProblemKind::TooSlow, "body_too_slow", detail)
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Self {
        Problem::invalid(format!("the query is wrong: {}", after_colon(&rejection.body_text())))
    }
}

impl From<PathRejection> for Problem {
    fn from(rejection: PathRejection) -> Self {
        Problem::invalid(format!("the path is wrong: {}", rejection.body_text()))
    }
}

/// `Failed to …: field.path: message at line 1 column 2` names the field and says the rest.
fn wrong_data(text: &str) -> Problem {
    let said = after_colon(text);
    match said.split_once(": ") {
        Some((field, rest)) if !field.contains(' ') => {
            Problem::field(field, format!("the field '{field}' is wrong: {rest}"))
        }
        _ => Problem::invalid(format!("the body is wrong: {said}")),
    }
}

fn after_colon(text: &str) -> &str {
    text.split_once(": ").map_or(text, |(_, rest)| rest)
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;

//! What went wrong, in words: statuses, error objects and broken streams become model failures.
//!
//! The user is told what happened and what to do, the operator the provider's own words. No key is in
//! either. Statuses lie and vendors differ, so what a provider says counts before the status it says it with.

use std::borrow::Cow;

use serde_json::Value;
use windlass_core::json::clip::clip_chars;
use windlass_core::model::{ModelFailure, ModelFailureKind};
use windlass_core::secret::Secret;

use crate::frame::FrameTooLong;
use crate::limits::{FRAME_BYTES_MAX, QUOTE_CHARS_MAX};
use crate::overflow::is_overflow;
use crate::report::Report;
use crate::target::Target;
use crate::wait;

/// What a refusal means for the one who asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Overflow,
    NoTools,
    Quota,
    Filtered,
    Auth,
    ModelUnknown,
    NothingThere,
    RateLimit,
    Overloaded,
    Timeout,
    BadRequest,
    Elsewhere,
}

/// An answer whose status is no success.
pub fn of_status(target: &Target, status: u16, retry_after_ms: Option<u64>, body: &str) -> ModelFailure {
    let report = Report::of_body(body);
    let mut failure = describe(target, kind_of(target, Some(status), &report), Some(status), &report);
    if failure.is_retryable {
        failure.retry_after_ms = retry_after_ms.or(failure.retry_after_ms);
    }
    failure
}

/// An error object inside an answer that began well.
pub fn in_band(target: &Target, error: &Value) -> ModelFailure {
    let report = Report::of_error(error);
    let status = report.status();
    describe(target, kind_of(target, status, &report), status, &report)
}

/// A piece of a stream that cannot be read: nothing of the stream can be believed any more.
pub fn malformed(target: &Target, piece: &str, why: &str) -> ModelFailure {
    let mut failure = ModelFailure::passing(
        ModelFailureKind::Malformed,
        format!("{} sent something that cannot be read: {}", target.provider, redact(target, why)),
    );
    failure.detail = Some(quote(target, piece));
    failure
}

/// A page where an answer should be: a proxy, a login or a wrong address answered instead of the model.
pub fn of_page(target: &Target, page: &str) -> ModelFailure {
    malformed(target, page, "a web page instead of an answer; check base_url, and any proxy in between")
}

/// Nothing where an answer should be.
pub fn of_nothing(target: &Target) -> ModelFailure {
    ModelFailure::passing(
        ModelFailureKind::Malformed,
        format!(
            "{} sent an empty answer: success, and not a single byte; check base_url, and any proxy in between",
            target.provider
        ),
    )
}

/// An event that is larger than any honest one.
impl From<FrameTooLong> for ModelFailure {
    fn from(_: FrameTooLong) -> Self {
        ModelFailure::fatal(
            ModelFailureKind::Malformed,
            format!(
                "the answer has an event of more than {} MiB, which is not believed",
                FRAME_BYTES_MAX >> 20
            ),
        )
    }
}

/// A text from outside without the target's secrets.
pub fn redact<'a>(target: &Target, text: &'a str) -> Cow<'a, str> {
    let mut clean = Cow::Borrowed(text);
    let headers = target.headers.iter().filter(|(name, value)| is_secret(name) && !value.is_empty());
    let headers = headers.map(|(_, value)| Secret::new(value.trim_start_matches("Bearer ")));
    for secret in target.key.iter().cloned().chain(headers) {
        if secret.is_distinct() && clean.contains(secret.expose()) {
            clean = Cow::Owned(secret.redacted(&clean));
        }
    }
    clean
}

fn is_secret(header: &str) -> bool {
    let name = header.to_ascii_lowercase();
    ["auth", "key", "token", "secret", "cookie"].iter().any(|word| name.contains(word))
}

fn quote(target: &Target, text: &str) -> String {
    clip_chars(&redact(target, text), QUOTE_CHARS_MAX).into_owned()
}

/// Texts of providers and servers that cannot call tools with this model; all words of a line must be there.
const NO_TOOLS: &[&[&str]] = &[
    &["does not support tools"],
    &["does not support tool"],
    &["support tool use", "no endpoints found"],
    &["does not support function"],
    &["tool calling", "not supported"],
    &["tool use", "not supported"],
    &["function calling", "not supported"],
    &["function calling is not enabled"],
    &["function calling is not available"],
    &["tools is not supported"],
    &["tools are not supported"],
    &["'tools' is not supported"],
    &["`tools` is not supported"],
    &["requires --enable-auto-tool-choice"],
    &["--tool-call-parser to be set"],
    &["tools param requires --jinja"],
];

const QUOTA: &[&str] = &[
    "insufficient_quota",
    "insufficient balance",
    "insufficient credit",
    "credit balance is too low",
    "exceeded your current quota",
    "payment required",
    "billing_hard_limit",
    "requires more credits",
    "out of credits",
];

const FILTERED: &[&str] =
    &["content_filter", "content management policy", "content_policy_violation", "flagged for", "moderation"];

const AUTH: &[&str] = &[
    "invalid_api_key",
    "api_key_invalid",
    "api key not valid",
    "incorrect api key",
    "invalid api key",
    "authentication_error",
    "unauthenticated",
    "permission_denied",
    "permission_error",
];

const MODEL_UNKNOWN: &[&[&str]] = &[
    &["model_not_found"],
    &["model", "does not exist"],
    &["model not exist"],
    &["model", "not found"],
    &["is not a valid model"],
    &["invalid model"],
    &["models/", "is not found"],
    &["not_found_error", "model"],
    &["unknown model"],
];

/// Words that stand for a status where none is given.
const WORDS: &[(&str, Kind)] = &[
    ("rate_limit", Kind::RateLimit),
    ("rate limit", Kind::RateLimit),
    ("resource_exhausted", Kind::RateLimit),
    ("too many requests", Kind::RateLimit),
    ("too_many_requests", Kind::RateLimit),
    ("timeout_error", Kind::Timeout),
    ("deadline_exceeded", Kind::Timeout),
    // The server failed to read what its model wrote, which is another text each time (llama.cpp).
    ("peg-native format", Kind::Overloaded),
    ("overloaded", Kind::Overloaded),
    ("unavailable", Kind::Overloaded),
    ("server_error", Kind::Overloaded),
    ("api_error", Kind::Overloaded),
    ("invalid_request", Kind::BadRequest),
    ("invalid_argument", Kind::BadRequest),
];

fn kind_of(target: &Target, status: Option<u16>, report: &Report) -> Kind {
    let words = report.words.as_str();
    let has_all = |all: &&[&str]| all.iter().all(|word| words.contains(word));
    let has_any = |any: &[&str]| any.iter().any(|word| words.contains(word));
    // Cerebras says nothing at all when a request is too long.
    let is_mute = status == Some(400) && words.trim().is_empty() && target.provider == "cerebras";
    if is_mute || is_overflow(status, words) {
        return Kind::Overflow;
    }
    let is_refusal = status.is_none_or(|status| status < 500 && status != 429);
    if status != Some(429) && NO_TOOLS.iter().any(has_all) {
        return Kind::NoTools;
    }
    // Gemini says "quota" for limits that are lifted in seconds, and then says in how many.
    if status == Some(402) || (has_any(QUOTA) && wait::of_text(words).is_none()) {
        return Kind::Quota;
    }
    if is_refusal && has_any(FILTERED) {
        return Kind::Filtered;
    }
    if is_refusal && has_any(AUTH) {
        return Kind::Auth;
    }
    if is_refusal && MODEL_UNKNOWN.iter().any(has_all) && status.is_none_or(|s| matches!(s, 400 | 404 | 422))
    {
        return Kind::ModelUnknown;
    }
    let by_words = || WORDS.iter().find(|(word, _)| words.contains(word)).map(|(_, kind)| *kind);
    status.and_then(kind_of_status).or_else(by_words).unwrap_or(match status {
        Some(400..=499) => Kind::BadRequest,
        Some(_) | None => Kind::Overloaded,
    })
}

fn kind_of_status(status: u16) -> Option<Kind> {
    match status {
        300..=399 => Some(Kind::Elsewhere),
        401 | 403 => Some(Kind::Auth),
        404 | 405 | 410 => Some(Kind::NothingThere),
        408 => Some(Kind::Timeout),
        429 => Some(Kind::RateLimit),
        409 | 425 => Some(Kind::Overloaded),
        501 | 505 => Some(Kind::BadRequest),
        500..=599 => Some(Kind::Overloaded),
        _ => None,
    }
}

fn describe(target: &Target, kind: Kind, status: Option<u16>, report: &Report) -> ModelFailure {
    let (failed, is_passing) = match kind {
        Kind::Overflow => (ModelFailureKind::ContextOverflow, false),
        Kind::NoTools => (ModelFailureKind::NoToolSupport, false),
        Kind::Quota => (ModelFailureKind::Quota, false),
        Kind::Filtered => (ModelFailureKind::Filtered, false),
        Kind::Auth => (ModelFailureKind::Auth, false),
        Kind::ModelUnknown => (ModelFailureKind::ModelUnknown, false),
        Kind::NothingThere | Kind::BadRequest | Kind::Elsewhere => (ModelFailureKind::BadRequest, false),
        Kind::RateLimit => (ModelFailureKind::RateLimit, true),
        Kind::Overloaded => (ModelFailureKind::Overloaded, true),
        Kind::Timeout => (ModelFailureKind::Timeout, true),
    };
    let mut failure = ModelFailure::fatal(failed, message_of(target, kind, &said(target, status, report)));
    failure.is_retryable = is_passing;
    if is_passing {
        failure.retry_after_ms = wait::of_text(&report.words);
    }
    failure.detail = (!report.raw.is_empty()).then(|| quote(target, &report.raw));
    failure
}

/// What happened, what the provider `said`, and what to do.
fn message_of(target: &Target, kind: Kind, said: &str) -> String {
    let Target { provider, model, name, .. } = target;
    match kind {
        Kind::Overflow => format!(
            "the conversation is longer than {model} can read{said}; shorten it, or take a model with more context"
        ),
        Kind::NoTools => format!(
            "{model} at {provider} cannot call tools{said}; take another model, set calls = \"tags\" for this one, \
             or see what it can do with `windlass models doctor {name}`"
        ),
        Kind::Quota => {
            format!("the account at {provider} has no credit left{said}; top it up, or take another provider")
        }
        Kind::Filtered => format!("{provider} refused the request for its content{said}; say it differently"),
        Kind::Auth if target.key.is_none() => {
            format!("{provider} wants a key and none is set{said}; set the key of {provider}")
        }
        Kind::Auth => format!("{provider} refused the key{said}; check the key of {provider}"),
        Kind::ModelUnknown => format!(
            "{provider} does not know the model '{model}'{said}; check its name, or see `windlass models list`"
        ),
        Kind::NothingThere => format!(
            "{provider} has nothing at {}{said}; check base_url and the name of the model '{model}'",
            shown_url(&target.base_url)
        ),
        Kind::RateLimit => format!("{provider} asks to wait{said}"),
        Kind::Overloaded => format!("{provider} gave an error instead of an answer{said}"),
        Kind::Timeout => format!("{provider} took too long by its own clock{said}"),
        Kind::BadRequest => format!("{provider} refused the request{said}"),
        Kind::Elsewhere => format!(
            "{provider} sends requests elsewhere{said}; a key is not carried along: set base_url to the new address"
        ),
    }
}

/// The provider's own words, to stand behind ours.
fn said(target: &Target, status: Option<u16>, report: &Report) -> String {
    let words = quote(target, report.message.trim());
    match (status, words.is_empty()) {
        (Some(status), true) => format!(" (status {status})"),
        (Some(status), false) => format!(" (status {status}: {words})"),
        (None, true) => String::new(),
        (None, false) => format!(": {words}"),
    }
}

/// An address without what may be secret in it: user, password and query.
pub fn shown_url(url: &str) -> String {
    let plain = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = plain.split_once("://") else { return plain.to_owned() };
    let (host, path) = rest.split_at_checked(rest.find('/').unwrap_or(rest.len())).unwrap_or((rest, ""));
    let host = host.rsplit('@').next().unwrap_or(host);
    format!("{scheme}://{host}{path}")
}

#[cfg(test)]
#[path = "failure_tests.rs"]
mod tests;

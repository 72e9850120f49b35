//! What went wrong, in words: statuses, error objects and broken streams become model failures.
//!
//! The user is told what happened and what to do, the operator the provider's own words. No key is in
//! either. Statuses lie and vendors differ, so what a provider says counts before the status it says it with.

use std::borrow::Cow;

use serde_json::Value;
use windlass_core::calls::json::clip::clip_chars;
use windlass_core::protocol::model::{ModelFailure, ModelFailureKind};
use windlass_core::text::secret::Secret;

use self::overflow::is_overflow;
use self::report::Report;
use crate::frame::FrameTooLong;
use crate::limits::{FRAME_BYTES_MAX, QUOTE_CHARS_MAX};
use crate::target::ModelTarget;
use crate::transport::wait;

pub mod overflow;
mod report;

/// What a refusal means for the one who asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RefusalKind {
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
pub fn of_status(target: &ModelTarget, status: u16, retry_after_ms: Option<u64>, body: &str) -> ModelFailure {
    let report = Report::of_body(body);
    let mut failure = describe(target, kind_of(target, Some(status), &report), Some(status), &report);
    if failure.is_retryable {
        failure.retry_after_ms = retry_after_ms.or(failure.retry_after_ms);
    }
    failure
}

/// An error object inside an answer that began well.
pub fn in_band(target: &ModelTarget, error: &Value) -> ModelFailure {
    let report = Report::of_error(error);
    let status = report.status();
    describe(target, kind_of(target, status, &report), status, &report)
}

/// A piece of a stream that cannot be read: nothing of the stream can be believed any more.
pub fn malformed(target: &ModelTarget, piece: &str, why: &str) -> ModelFailure {
    let mut failure = ModelFailure::passing(
        ModelFailureKind::Malformed,
        format!("{} sent something that cannot be read: {}", target.provider, redact(target, why)),
    );
    failure.detail = Some(quote(target, piece));
    failure
}

/// A page where an answer should be: a proxy, a login or a wrong address answered instead of the model.
pub fn of_page(target: &ModelTarget, page: &str) -> ModelFailure {
    malformed(target, page, "a web page instead of an answer; check base_url, and any proxy in between")
}

/// Nothing where an answer should be.
pub fn of_nothing(target: &ModelTarget) -> ModelFailure {
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
pub fn redact<'a>(target: &ModelTarget, text: &'a str) -> Cow<'a, str> {
    let mut clean = Cow::Borrowed(text);
    let headers = target.headers.iter().filter(|(name, value)| is_secret(name) && !value.is_empty());
    // A provider may quote the secret without the word in front of it.
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

fn quote(target: &ModelTarget, text: &str) -> String {
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
const WORDS: &[(&str, RefusalKind)] = &[
    ("rate_limit", RefusalKind::RateLimit),
    ("rate limit", RefusalKind::RateLimit),
    ("resource_exhausted", RefusalKind::RateLimit),
    ("too many requests", RefusalKind::RateLimit),
    ("too_many_requests", RefusalKind::RateLimit),
    ("timeout_error", RefusalKind::Timeout),
    ("deadline_exceeded", RefusalKind::Timeout),
    // The server failed to read what its model wrote, which is another text each time (llama.cpp).
    ("peg-native format", RefusalKind::Overloaded),
    ("overloaded", RefusalKind::Overloaded),
    ("unavailable", RefusalKind::Overloaded),
    ("server_error", RefusalKind::Overloaded),
    ("api_error", RefusalKind::Overloaded),
    ("invalid_request", RefusalKind::BadRequest),
    ("invalid_argument", RefusalKind::BadRequest),
];

fn kind_of(target: &ModelTarget, status: Option<u16>, report: &Report) -> RefusalKind {
    let words = report.words.as_str();
    let has_all = |all: &&[&str]| all.iter().all(|word| words.contains(word));
    let has_any = |any: &[&str]| any.iter().any(|word| words.contains(word));
    // Cerebras says nothing at all when a request is too long.
    let is_mute = status == Some(400) && words.trim().is_empty() && target.provider == "cerebras";
    if is_mute || is_overflow(status, words) {
        return RefusalKind::Overflow;
    }
    let is_refusal = status.is_none_or(|status| status < 500 && status != 429);
    if status != Some(429) && NO_TOOLS.iter().any(has_all) {
        return RefusalKind::NoTools;
    }
    // Gemini says "quota" for limits that are lifted in seconds, and then says in how many.
    if status == Some(402) || (has_any(QUOTA) && wait::of_text(words).is_none()) {
        return RefusalKind::Quota;
    }
    if is_refusal && has_any(FILTERED) {
        return RefusalKind::Filtered;
    }
    if is_refusal && has_any(AUTH) {
        return RefusalKind::Auth;
    }
    if is_refusal && MODEL_UNKNOWN.iter().any(has_all) && status.is_none_or(|s| matches!(s, 400 | 404 | 422))
    {
        return RefusalKind::ModelUnknown;
    }
    let by_words = || WORDS.iter().find(|(word, _)| words.contains(word)).map(|(_, kind)| *kind);
    status.and_then(kind_of_status).or_else(by_words).unwrap_or(match status {
        Some(400..=499) => RefusalKind::BadRequest,
        Some(_) | None => RefusalKind::Overloaded,
    })
}

fn kind_of_status(status: u16) -> Option<RefusalKind> {
    match status {
        300..=399 => Some(RefusalKind::Elsewhere),
        401 | 403 => Some(RefusalKind::Auth),
        404 | 405 | 410 => Some(RefusalKind::NothingThere),
        408 => Some(RefusalKind::Timeout),
        429 => Some(RefusalKind::RateLimit),
        409 | 425 => Some(RefusalKind::Overloaded),
        // Apart from the others of their hundred: a server does not learn by being asked again.
        501 | 505 => Some(RefusalKind::BadRequest),
        500..=599 => Some(RefusalKind::Overloaded),
        _ => None,
    }
}

fn describe(target: &ModelTarget, kind: RefusalKind, status: Option<u16>, report: &Report) -> ModelFailure {
    let (failed, is_passing) = match kind {
        RefusalKind::Overflow => (ModelFailureKind::ContextOverflow, false),
        RefusalKind::NoTools => (ModelFailureKind::NoToolSupport, false),
        RefusalKind::Quota => (ModelFailureKind::Quota, false),
        RefusalKind::Filtered => (ModelFailureKind::Filtered, false),
        RefusalKind::Auth => (ModelFailureKind::Auth, false),
        RefusalKind::ModelUnknown => (ModelFailureKind::ModelUnknown, false),
        RefusalKind::NothingThere | RefusalKind::BadRequest | RefusalKind::Elsewhere => {
            (ModelFailureKind::BadRequest, false)
        }
        RefusalKind::RateLimit => (ModelFailureKind::RateLimit, true),
        RefusalKind::Overloaded => (ModelFailureKind::Overloaded, true),
        RefusalKind::Timeout => (ModelFailureKind::Timeout, true),
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
fn message_of(target: &ModelTarget, kind: RefusalKind, said: &str) -> String {
    let ModelTarget { provider, model, name, .. } = target;
    match kind {
        RefusalKind::Overflow => format!(
            "the conversation is longer than {model} can read{said}; shorten it, or take a model with more context"
        ),
        RefusalKind::NoTools => format!(
            "{model} at {provider} cannot call tools{said}; take another model, set calls = \"tags\" for this one, \
             or see what it can do with `windlass models doctor {name}`"
        ),
        RefusalKind::Quota => {
            format!("the account at {provider} has no credit left{said}; top it up, or take another provider")
        }
        RefusalKind::Filtered => {
            format!("{provider} refused the request for its content{said}; say it differently")
        }
        RefusalKind::Auth if target.key.is_none() => {
            format!("{provider} wants a key and none is set{said}; set the key of {provider}")
        }
        RefusalKind::Auth => format!("{provider} refused the key{said}; check the key of {provider}"),
        RefusalKind::ModelUnknown => format!(
            "{provider} does not know the model '{model}'{said}; check its name, or see `windlass models list`"
        ),
        RefusalKind::NothingThere => format!(
            "{provider} has nothing at {}{said}; check base_url and the name of the model '{model}'",
            shown_url(&target.base_url)
        ),
        RefusalKind::RateLimit => format!("{provider} asks to wait{said}"),
        RefusalKind::Overloaded => format!("{provider} gave an error instead of an answer{said}"),
        RefusalKind::Timeout => format!("{provider} took too long by its own clock{said}"),
        RefusalKind::BadRequest => format!("{provider} refused the request{said}"),
        RefusalKind::Elsewhere => format!(
            "{provider} sends requests elsewhere{said}; a key is not carried along: set base_url to the new address"
        ),
    }
}

/// The provider's own words, to stand behind ours.
fn said(target: &ModelTarget, status: Option<u16>, report: &Report) -> String {
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

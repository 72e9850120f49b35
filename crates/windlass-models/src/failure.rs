//! What went wrong, in words: statuses, error objects and broken streams become model failures.
//!
//! The user is told what happened and what to do, the operator the provider's own words. No key is in
//! either.

use serde_json::Value;
use windlass_core::json::clip::clip_chars;
use windlass_core::model::ModelFailure;

use crate::limits::QUOTE_CHARS_MAX;
use crate::target::Target;

/// An error object inside an answer that began well.
pub fn in_band(target: &Target, error: &Value) -> ModelFailure {
    let message =
        error.get("message").and_then(Value::as_str).map_or_else(|| error.to_string(), str::to_owned);
    let quote = clip_chars(&message, QUOTE_CHARS_MAX);
    ModelFailure::passing(
        "overloaded",
        format!("{} gave an error instead of an answer: {quote}", target.provider),
    )
}

/// A piece of a stream that cannot be read: nothing of the stream can be believed any more.
pub fn malformed(target: &Target, piece: &str, why: &str) -> ModelFailure {
    let mut failure = ModelFailure::passing(
        "malformed",
        format!("{} sent something that cannot be read: {why}", target.provider),
    );
    failure.detail = Some(clip_chars(piece, QUOTE_CHARS_MAX).into());
    failure
}

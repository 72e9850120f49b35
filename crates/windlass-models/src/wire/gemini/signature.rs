//! Signatures: which part of an answer one sits on, and which of them may be sent back.

use serde_json::{Value, json};

/// What a model that checks signatures takes for a call that has none because another model made it.
pub(super) const SENTINEL: &str = "skip_thought_signature_validator";

/// The part that a signature sits on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carrier {
    /// The last bytes of the thinking.
    Thought(usize),
    /// The last bytes of the text.
    Text(usize),
    /// A part without text.
    Nothing,
}

pub(super) fn to_state(carrier: Carrier, signature: &str) -> Value {
    match carrier {
        Carrier::Thought(bytes) => json!({ "on": "thought", "bytes": bytes, "signature": signature }),
        Carrier::Text(bytes) => json!({ "on": "text", "bytes": bytes, "signature": signature }),
        Carrier::Nothing => json!({ "on": "nothing", "signature": signature }),
    }
}

/// The signature in a state and the part it sits on.
pub(super) fn of_state(state: &Value) -> Option<(Carrier, &str)> {
    let signature = signature_of(state)?;
    let bytes = state.get("bytes").and_then(Value::as_u64).and_then(|bytes| usize::try_from(bytes).ok());
    // Without a length the whole text counts as signed: `split_end` takes it so.
    let bytes = bytes.unwrap_or(usize::MAX);
    match state.get("on").and_then(Value::as_str)? {
        "thought" => Some((Carrier::Thought(bytes), signature)),
        "text" => Some((Carrier::Text(bytes), signature)),
        "nothing" => Some((Carrier::Nothing, signature)),
        _ => None,
    }
}

/// The signature in a state, if it may be sent.
pub(super) fn signature_of(state: &Value) -> Option<&str> {
    state.get("signature").and_then(Value::as_str).filter(|signature| is_base64(signature))
}

/// Anything else is refused together with the whole request.
pub(super) fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let is_padded_well = text.len().saturating_sub(body.len()) <= 2;
    let is_legal =
        body.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_'));
    !body.is_empty() && is_padded_well && is_legal
}

/// A text in two: what stands before its last bytes, and these.
pub(super) fn split_end(text: &str, bytes: usize) -> (&str, &str) {
    text.len().checked_sub(bytes).and_then(|at| text.split_at_checked(at)).unwrap_or(("", text))
}

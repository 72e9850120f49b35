//! What binds an answer to its question: a digest over the run, the call, the tool and the exact arguments.

use sha2::{Digest, Sha256};
use windlass_core::ids::RunId;
use windlass_core::json::canonical::canonical_text;
use windlass_core::permission::Question;

/// The digest of a question, in hex. Arguments count in canonical form, so that spacing makes no difference.
pub(crate) fn digest(run_id: &RunId, question: &Question) -> String {
    let arguments = serde_json::from_str(&question.arguments)
        .map_or_else(|_| question.arguments.clone(), |value| canonical_text(&value));
    let mut hash = Sha256::new();
    for piece in [run_id.as_str(), question.call_id.as_str(), &question.tool, &arguments] {
        // The length first: no two lists of pieces run together to the same bytes.
        hash.update(u64::try_from(piece.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(piece.as_bytes());
    }
    hex(&hash.finalize())
}

/// Bytes in hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        for half in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(half), 16).unwrap_or('0'));
        }
        text
    })
}

#[cfg(test)]
#[path = "approval_tests.rs"]
mod tests;

//! The project's files, as the file tools see them: everything below the root and nothing else.
//!
//! Owns containment, secrets, walking, text encodings, the read ledger, atomic writes and undo copies.
//! Knows no tool, no schema and no permission: those are in the tools' own files.

pub(crate) mod args;
pub(crate) mod change;
pub(crate) mod diff;
pub(crate) mod ignored;
pub(crate) mod ledger;
pub(crate) mod limits;
pub(crate) mod offload;
pub(crate) mod patch;
pub(crate) mod place;
pub(crate) mod root;
pub(crate) mod secrets;
pub(crate) mod text;
pub(crate) mod undo;
pub(crate) mod walk;
pub(crate) mod workspace;
pub(crate) mod write;

use sha2::{Digest, Sha256};

/// The SHA-256 of bytes, in lower-case hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        for nibble in [byte >> 4, byte & 15] {
            hex.push(char::from_digit(u32::from(nibble), 16).unwrap_or('0'));
        }
        hex
    })
}

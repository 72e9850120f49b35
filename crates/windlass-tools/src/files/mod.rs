//! The project's files: everything below the root and nothing else. The tools are `get_file_tree`, `read_file`,
//! `search_text`, `write_file`, `edit_file` and `undo_edit`; the rest is what they stand on: containment (`root`, `file_place`), secrets,
//! walking, text encodings, the read ledger, changes with their diff, atomic writes and undo copies.

pub(crate) mod change;
pub(crate) mod diff;
pub(crate) mod edit_file;
pub(crate) mod file_place;
pub(crate) mod get_file_tree;
pub(crate) mod ignored;
pub(crate) mod ledger;
pub(crate) mod limits;
pub(crate) mod offload;
pub(crate) mod patch;
pub(crate) mod read_file;
pub(crate) mod root;
pub(crate) mod search_text;
pub(crate) mod secrets;
pub(crate) mod text;
pub(crate) mod undo;
pub(crate) mod undo_edit;
pub(crate) mod walk;
pub(crate) mod workspace;
pub(crate) mod write;
pub(crate) mod write_file;

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

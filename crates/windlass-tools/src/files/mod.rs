//! The project's files: everything below the root and nothing else. The tools are `get_file_tree`, `read_file`,
//! `search_text`, `write_file`, `edit_file` and `undo_edit`; the rest is what they stand on: containment (`root`, `file_place`), secrets,
//! walking, text encodings, the read ledger, changes with their diff, atomic writes and undo copies.
//!
//! - `change`: a change of a file from plan to report: shown before as a question, made, told after as an outcome
//! - `diff`: what a change would do, for the question, and what it did, for the outcome
//! - `ignored`: what a walk leaves out
//! - `ledger`: who has read what: the hash of each file as a session last saw it
//! - `limits`: the limits of the file and command tools, each with its reason
//! - `offload`: blocking work away from the async threads, with an end in sight
//! - `patch`: edits of a text: exact replacements and line ranges, all or none
//! - `secrets`: how tools refuse files that hold secrets by their name; which those are, the core says
//! - `text`: bytes to text and back: UTF-8 and UTF-16 with their marks, and the old Western encoding
//! - `undo`: what a file was before it was written, kept on disk or, without a folder, in memory
//! - `walk`: walking the project, level by level, so that what is near the top comes first
//! - `workspace`: what the file tools share: the read ledger, the undo copies and the one way in which files change
//! - `write`: writing a file whole or not at all: a temporary file beside it, synced, then put in its place

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

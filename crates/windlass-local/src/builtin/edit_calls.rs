//! The calls that make a change which a request spelled out: the file is read, then edited.
//!
//! Such a request leaves nothing to decide, so nobody is asked; the change is made of the request's own words.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::edit::{Change, Edit};
use super::outcome::AnsweredCall;

/// The tool that changes parts of a file.
pub(super) const EDIT_FILE: &str = "edit_file";
/// The tool that writes all of it.
const WRITE_FILE: &str = "write_file";
/// The tool that has to look at it first.
pub(super) const READ_FILE: &str = "read_file";

/// What comes next of a change.
#[derive(Debug, PartialEq)]
pub(super) enum NextOfEdit {
    Call(&'static str, Value),
    /// Nothing: it was made, or it cannot be.
    End,
}

/// The next call after a file that exists was to be overwritten unread: it is read, and written then.
pub(super) fn next_of_write(calls: &[AnsweredCall]) -> Option<NextOfEdit> {
    let is_refused = |call: &AnsweredCall| call.result.as_ref().is_err_and(|complaint| !complaint.is_denied);
    match calls {
        [write] if write.tool == WRITE_FILE && is_refused(write) => {
            Some(NextOfEdit::Call(READ_FILE, json!({ "path": write.args.get("path") })))
        }
        [write, read]
            if write.tool == WRITE_FILE
                && is_refused(write)
                && read.tool == READ_FILE
                && read.result.is_ok() =>
        {
            Some(NextOfEdit::Call(WRITE_FILE, Value::Object(write.args.clone())))
        }
        [write, _, _] if write.tool == WRITE_FILE && is_refused(write) => Some(NextOfEdit::End),
        _ => None,
    }
}

impl Edit {
    /// The next call after those that were made.
    pub(super) fn next(&self, calls: &[AnsweredCall]) -> NextOfEdit {
        match calls {
            [] => NextOfEdit::Call(READ_FILE, json!({ "path": self.path })),
            [read] if read.tool == READ_FILE => match &read.result {
                Ok(content) => NextOfEdit::Call(EDIT_FILE, self.arguments(content)),
                Err(_) => NextOfEdit::End,
            },
            _ => NextOfEdit::End,
        }
    }

    fn arguments(&self, content: &Value) -> Value {
        let path = &self.path;
        match &self.change {
            Change::Replace { old, new, is_everywhere: false } => {
                json!({ "path": path, "edits": [{ "old": old, "new": new }] })
            }
            Change::Replace { old, new, is_everywhere: true } => {
                json!({ "path": path, "edits": [{ "old": old, "new": new, "replace_all": true }] })
            }
            Change::Prepend(text) => {
                json!({ "path": path, "edits": [{ "start_line": 1, "end_line": 0, "new": format!("{text}\n") }] })
            }
            Change::Append(text) => {
                let seen = content.as_str().unwrap_or_default();
                let lines = seen.split_inclusive('\n').count();
                // What was cut on its way here has another hash: then nothing is put in a wrong place.
                let sha256 = format!("{:x}", Sha256::digest(seen.as_bytes()));
                json!({
                    "path": path,
                    "edits": [{ "start_line": lines + 1, "end_line": lines, "new": format!("{text}\n") }],
                    "expected_sha256": sha256,
                })
            }
        }
    }
}

#[cfg(test)]
#[path = "edit_calls_tests.rs"]
mod tests;

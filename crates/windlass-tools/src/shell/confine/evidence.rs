//! Whether a command that failed was held back by its sandbox: told from what it printed, so it is a guess, and said as one.
//!
//! Some words are only printed inside a sandbox; others are said of any file that one may not have, and count only where
//! they name a place that the sandbox closes.

use std::path::{Path, PathBuf};

use super::plan::ConfinePlan;

/// Words that a command outside of the sandbox rarely has a reason for.
const SURE: [&str; 8] = [
    "read-only file system",
    "network is unreachable",
    "temporary failure in name resolution",
    "could not resolve host",
    "name or service not known",
    "getaddrinfo eai_again",
    "enetunreach",
    "erofs",
];

/// Words that are also said of files that belong to somebody else, are in use, or lie on another disk.
const MAYBE: [&str; 8] = [
    "permission denied",
    "operation not permitted",
    "device or resource busy",
    "invalid cross-device link",
    "eacces",
    "eperm",
    "ebusy",
    "exdev",
];

/// Words of programs that were refused a socket of this machine.
const SOCKETS: [&str; 3] = ["docker.sock", "socket", "dbus"];

/// Lines of output that are looked at, from the end: what stopped a command stands there.
const LINES_MAX: usize = 400;

/// The line that shows it, if there is one.
pub(crate) fn find(plan: &ConfinePlan, folder: &Path, printed: [&str; 2]) -> Option<String> {
    let lines = printed.into_iter().flat_map(|text| text.lines().rev().take(LINES_MAX));
    let mut lines = lines.filter(|line| !line.trim().is_empty());
    lines.find(|line| shows_it(plan, folder, line)).map(|line| line.trim().to_owned())
}

fn shows_it(plan: &ConfinePlan, folder: &Path, line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|words| lower.contains(words));
    if says(&SURE) {
        return true;
    }
    let is_closed = || places(line, folder).iter().any(|place| !plan.may_write(place));
    says(&MAYBE) && (says(&SOCKETS) || is_closed())
}

/// What in a line looks like a path, absolute.
fn places(line: &str, folder: &Path) -> Vec<PathBuf> {
    let is_around = |c: char| c.is_whitespace() || "'\"`():;,[]<>‘’“”".contains(c);
    let words = line.split(is_around).filter(|word| word.contains('/') || word.starts_with('.'));
    words.map(|word| flat(&folder.join(word))).collect()
}

/// A path without `.` and `..`, by its text.
fn flat(path: &Path) -> PathBuf {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                flat.pop();
            }
            std::path::Component::CurDir => {}
            std::path::Component::Normal(_)
            | std::path::Component::RootDir
            | std::path::Component::Prefix(_) => flat.push(part),
        }
    }
    flat
}

#[cfg(test)]
#[path = "evidence_tests.rs"]
mod tests;

//! The list of exceptions, `xtask/tidy-exceptions.txt`: it may only shrink.
//!
//! One line is `RULE PATH REASON`. A line that excuses nothing any more is itself untidy, so whoever cleans a file up
//! also shortens the list.

use std::path::Path;

use anyhow::{Context as _, Result};

use super::TidyFinding;

/// Where the list is.
const PATH: &str = "xtask/tidy-exceptions.txt";

pub(super) struct Exceptions {
    lines: Vec<Exception>,
}

struct Exception {
    line: usize,
    rule: String,
    path: String,
    reason: String,
}

impl Exceptions {
    /// Reads the list; no file is an empty list.
    pub(super) fn read(root: &Path) -> Result<Self> {
        match std::fs::read_to_string(root.join(PATH)) {
            Ok(text) => Ok(Self::parse(&text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self { lines: Vec::new() }),
            Err(error) => Err(error).context(format!("cannot read {PATH}")),
        }
    }

    fn parse(text: &str) -> Self {
        let entries =
            text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let lines = entries.map(|(index, line)| {
            let mut words = line.split_whitespace();
            let (rule, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let reason = words.collect::<Vec<_>>().join(" ");
            Exception { line: index + 1, rule: rule.to_owned(), path: path.to_owned(), reason }
        });
        Self { lines: lines.collect() }
    }

    /// Takes away what is excused; adds what is wrong with the list itself.
    pub(super) fn apply(&self, findings: Vec<TidyFinding>) -> Vec<TidyFinding> {
        let excuses = |exception: &Exception, finding: &TidyFinding| {
            exception.rule == finding.rule && exception.path == finding.path
        };
        let mut wrong = Vec::new();
        for exception in &self.lines {
            if !findings.iter().any(|finding| excuses(exception, finding)) {
                wrong.push(TidyFinding::new(
                    "exception",
                    PATH,
                    exception.line,
                    "excuses nothing any more: remove the line",
                ));
            }
            if exception.reason.is_empty() {
                wrong.push(TidyFinding::new("exception", PATH, exception.line, "gives no reason"));
            }
        }
        let kept = findings
            .into_iter()
            .filter(|finding| !self.lines.iter().any(|exception| excuses(exception, finding)));
        kept.chain(wrong).collect()
    }
}

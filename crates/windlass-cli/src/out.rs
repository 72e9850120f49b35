//! Standard output and standard error. Nobody listening any more is no error of ours.

use std::io::{self, Write};
use std::sync::{PoisonError, RwLock};

use console::style;
use serde::Serialize;
use windlass_core::redact::Redactor;
use windlass_core::secret::Secret;

use crate::complaint::{Complaint, Result};
use crate::visible::visible;

/// Writes to stdout.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        // `windlass … | head` has what it wanted.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Complaint::failed(format!("stdout could not be written: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// Writes a line to stdout.
pub(crate) fn print_line(line: &str) -> Result<()> {
    print(&format!("{line}\n"))
}

/// Writes a value to stdout as one document of JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Complaint::failed(format!("the JSON could not be written: {error}")))?;
    print_line(&text)
}

/// Writes to stderr. That stderr is gone must not stop a run.
pub(crate) fn tell(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// Writes a line to stderr.
pub(crate) fn tell_line(line: &str) {
    tell(&format!("{line}\n"));
}

/// Secrets that no error, warning or line of the log may show.
static SECRETS: RwLock<Option<Redactor>> = RwLock::new(None);

/// From now on these keys, and what looks like one, stand in no error, warning or line of the log.
pub(crate) fn keep_secret(keys: impl IntoIterator<Item = Secret>) {
    *SECRETS.write().unwrap_or_else(PoisonError::into_inner) = Some(Redactor::new(keys));
}

/// A text from outside without secrets.
pub(crate) fn without_secrets(text: &str) -> String {
    let secrets = SECRETS.read().unwrap_or_else(PoisonError::into_inner);
    match secrets.as_ref() {
        Some(redactor) => redactor.clean(text).into_owned(),
        None => Redactor::default().clean(text).into_owned(),
    }
}

/// Writes a warning to stderr.
pub(crate) fn warn(warning: &str) {
    let warning = without_secrets(warning);
    tell_line(&format!("{} {}", style("warning:").for_stderr().yellow().bold(), visible(&warning)));
}

/// Writes an error to stderr.
pub(crate) fn complain(error: &str) {
    let error = without_secrets(error);
    tell_line(&format!("{} {}", style("error:").for_stderr().red().bold(), visible(&error)));
}

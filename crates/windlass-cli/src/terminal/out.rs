//! Standard output and standard error. Nobody listening any more is no error of ours.
//!
//! Here text of models, tools and files becomes harmless to a terminal: plain text is made visible on its way out.
//! Only what has colours of ours was made visible by whoever coloured it.

use std::io::{self, IsTerminal, Write};
use std::sync::{PoisonError, RwLock};

use console::style;
use serde::Serialize;
use windlass_core::text::redact::{Redactor, SecretRegistry};
use windlass_core::text::visible;

use crate::complaint::{CommandError, Result};
use crate::terminal::quote::{TerminalSize, hang};

/// Writes plain text for people to stdout.
pub(crate) fn print(text: &str) -> Result<()> {
    print_coloured(&visible(text))
}

/// Writes an answer or a document to stdout: exactly as it is, unless a terminal would obey it.
pub(crate) fn print_exact(text: &str) -> Result<()> {
    if io::stdout().is_terminal() { print(text) } else { print_coloured(text) }
}

/// Writes text to stdout whose colours are ours; what others say in it was made visible before.
pub(crate) fn print_coloured(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        // `windlass … | head` has what it wanted.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(CommandError::failed(format!("stdout could not be written: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// Writes a line of plain text to stdout.
pub(crate) fn print_line(line: &str) -> Result<()> {
    print(&format!("{line}\n"))
}

/// Writes a value to stdout as one document of JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| CommandError::failed(format!("the JSON could not be written: {error}")))?;
    print_exact(&format!("{text}\n"))
}

/// Writes to stderr, with colours of ours; what others say in it was made visible before. That stderr is gone must not
/// stop a run.
pub(crate) fn tell(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// Writes a line of plain text to stderr.
pub(crate) fn tell_line(line: &str) {
    tell(&format!("{}\n", visible(line)));
}

/// Writes a line about a run to stderr, coloured as for `tell`: no row but its first begins at the edge.
pub(crate) fn tell_progress(line: &str) {
    let terminal = console::Term::stderr();
    let columns = terminal.is_term().then(|| TerminalSize::of(&terminal).columns);
    tell(&format!("{}\n", hang(line, columns)));
}

/// Secrets that no error, warning or line of the log may show.
static SECRETS: RwLock<Option<Redactor>> = RwLock::new(None);

/// From now on what is in this registry, and what looks like a key, stands in no error, warning or line of the log.
pub(crate) fn keep_secret(secrets: &SecretRegistry) {
    *SECRETS.write().unwrap_or_else(PoisonError::into_inner) = Some(secrets.redactor());
}

/// What takes secrets out in this process.
pub(crate) fn redactor() -> Redactor {
    SECRETS.read().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
}

/// A text from outside without secrets.
pub(crate) fn without_secrets(text: &str) -> String {
    redactor().clean(text).into_owned()
}

/// Writes a warning to stderr.
pub(crate) fn warn(warning: &str) {
    tell_labelled(&style("warning:").for_stderr().yellow().bold().to_string(), warning);
}

/// Writes an error to stderr.
pub(crate) fn complain(error: &str) {
    tell_labelled(&style("error:").for_stderr().red().bold().to_string(), error);
}

/// What there is to try is copied from here: rows are left to the terminal.
fn tell_labelled(label: &str, text: &str) {
    tell(&format!("{}\n", hang(&format!("{label} {}", visible(&without_secrets(text))), None)));
}

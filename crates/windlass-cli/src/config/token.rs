//! Tokens of servers, in files that only their owner should read.

use std::fs::File;
use std::path::Path;

use windlass_core::text::secret::Secret;

use crate::commands::run::read_bounded;
use crate::complaint::{CommandError, Result};
use crate::terminal::out::warn;

/// Shortest token that is worth the name.
const CHARS_MIN: usize = 16;

/// Reads a token; a file that others can read is told.
pub(crate) fn read(file: &Path) -> Result<Secret> {
    let opened = File::open(file).map_err(|error| CommandError::file(file, "read", &error).into_usage())?;
    warn_if_open(file, &opened);
    let text = read_bounded(opened, &file.display().to_string())?;
    let token = text.trim();
    if token.len() < CHARS_MIN || token.contains(char::is_whitespace) {
        let what =
            format!("{} has no token in it: one word of at least {CHARS_MIN} characters", file.display());
        return Err(CommandError::usage(what));
    }
    Ok(Secret::new(token))
}

#[cfg(unix)]
fn warn_if_open(path: &Path, file: &File) {
    use std::os::unix::fs::PermissionsExt;
    if file.metadata().is_ok_and(|facts| facts.permissions().mode() & 0o077 != 0) {
        warn(&format!("{} can be read by others on this machine; chmod 600 closes it", path.display()));
    }
}

#[cfg(not(unix))]
fn warn_if_open(_path: &Path, _file: &File) {}

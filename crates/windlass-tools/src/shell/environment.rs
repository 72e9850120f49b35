//! Which variables a command inherits: all that the tools were given but those that look like secrets.

use std::ffi::OsString;
use std::fmt;

/// Pieces of names that mean a secret.
const PIECES: [&str; 10] = [
    "API_KEY",
    "APIKEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "PRIVATE_KEY",
    "ACCESS_KEY",
];
/// Endings of names that mean a secret, or an address that often has a password in it.
const ENDINGS: [&str; 6] = ["_KEY", "_PAT", "_PWD", "_DSN", "_AUTH", "DATABASE_URL"];
/// Beginnings of names of a whole family.
const BEGINNINGS: [&str; 3] = ["AWS_", "AZURE_", "GOOGLE_APPLICATION_"];

/// Whether a variable is kept from commands.
fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    PIECES.iter().any(|piece| name.contains(piece))
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

/// Variables that commands inherit. Secrets are not even kept, so they cannot be shown by mistake.
#[derive(Clone, Default)]
pub struct Environment(Vec<(OsString, OsString)>);

impl Environment {
    /// Takes variables, such as those of the process, without those whose names look like secrets.
    pub fn without_secrets(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let is_kept = |(name, _): &(OsString, OsString)| !is_secret_name(&name.to_string_lossy());
        Self(variables.into_iter().filter(is_kept).collect())
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.0.iter().map(|(name, value)| (name, value))
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// What is set for every command: its output is read by a program, not by a terminal.
pub(crate) const FIXED: [(&str, &str); 4] =
    [("NO_COLOR", "1"), ("TERM", "dumb"), ("PAGER", "cat"), ("GIT_TERMINAL_PROMPT", "0")];

#[cfg(test)]
#[path = "environment_tests.rs"]
mod tests;

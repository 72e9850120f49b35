//! Which variables a command inherits: all but those whose names look like secrets.

use std::ffi::OsString;

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
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    PIECES.iter().any(|piece| name.contains(piece))
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

/// The variables of this process that a command may see.
pub(crate) fn inherited() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| !is_secret_name(&name.to_string_lossy()))
}

/// What is set for every command: its output is read by a program, not by a terminal.
pub(crate) const FIXED: [(&str, &str); 4] =
    [("NO_COLOR", "1"), ("TERM", "dumb"), ("PAGER", "cat"), ("GIT_TERMINAL_PROMPT", "0")];

#[cfg(test)]
#[path = "environment_tests.rs"]
mod tests;

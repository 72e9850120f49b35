//! Which variables a command inherits: those that every program needs, and those that the user names. Also of these none whose
//! value is a secret.
//!
//! A list of what is kept back would have to know every program's secrets; a list of what is given need not.

use std::ffi::{OsStr, OsString};
use std::fmt;

use windlass_core::text::address_password::address_secrets;
use windlass_core::text::redact::Redactor;

/// What every program may know.
const NAMES: [&str; 9] = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TZ", "TMPDIR"];

/// The family of variables about language.
const LANGUAGE: &str = "LC_";

/// Lists of folders: without them nothing works, and folders can be named like keys. They are left out for known values alone.
const PLACES: [&str; 4] = ["PATH", "HOME", "SHELL", "TMPDIR"];

/// Variables that commands inherit. Others are not even kept, so they cannot be shown by mistake.
#[derive(Clone, Default)]
pub struct Environment {
    variables: Vec<(OsString, OsString)>,
    left_out: Vec<String>,
}

impl Environment {
    /// Takes from variables, such as those of the process, what every program may know and what `named` names. Left out is a
    /// value that `secrets` knows, one with the form of a key, and an address with a password.
    pub fn allowed(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        named: &[String],
        secrets: &Redactor,
    ) -> Self {
        let mut environment = Self::default();
        for (name, value) in variables {
            let is_named = named.iter().any(|other| name == OsStr::new(other));
            if !is_named && !is_usual(&name) {
                continue;
            }
            if is_secret(&name, &value.to_string_lossy(), secrets) {
                environment.left_out.push(name.to_string_lossy().into_owned());
            } else {
                environment.variables.push((name, value));
            }
        }
        environment
    }

    /// Names that were wanted and are left out because of their values.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// The variables with their values.
    pub fn variables(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.variables.iter().map(|(name, value)| (name, value))
    }
}

fn is_usual(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| NAMES.contains(&name) || name.starts_with(LANGUAGE))
}

fn is_secret(name: &OsStr, value: &str, secrets: &Redactor) -> bool {
    let is_place = name.to_str().is_some_and(|name| PLACES.contains(&name));
    let known = if is_place { &secrets.known_values() } else { secrets };
    known.hidden_chars(value) > 0 || !address_secrets(value).is_empty()
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.variables.iter().map(|(name, _)| name)).finish()
    }
}

/// What is set for every command: its output is read by a program, not by a terminal.
pub(crate) const FIXED: [(&str, &str); 4] =
    [("NO_COLOR", "1"), ("TERM", "dumb"), ("PAGER", "cat"), ("GIT_TERMINAL_PROMPT", "0")];

#[cfg(test)]
#[path = "environment_tests.rs"]
mod tests;

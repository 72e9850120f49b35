//! What went wrong, as a user of the command reads it: what, where, and what to do. Never a backtrace.

use std::fmt;
use std::path::Path;

use crate::exit::Exit;

/// The end of a command that could not do its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandError {
    what: String,
    place: Option<String>,
    cure: Option<String>,
    exit: Exit,
    missing_key: Option<MissingKey>,
}

/// A key that is wanted and not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MissingKey {
    /// The model that wants it.
    pub(crate) model: String,
    /// Environment variables that may hold it, the nearest first.
    pub(crate) variables: Vec<String>,
}

/// What most functions of this crate give.
pub(crate) type Result<T> = std::result::Result<T, CommandError>;

impl CommandError {
    /// The user asked for something that cannot be, or configured it so.
    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self { what: what.into(), place: None, cure: None, exit: Exit::Usage, missing_key: None }
    }

    /// What was asked is right, but could not be done.
    pub(crate) fn failed(what: impl Into<String>) -> Self {
        Self { exit: Exit::Failed, ..Self::usage(what) }
    }

    /// A file could not be used.
    pub(crate) fn file(path: &Path, verb: &str, error: &std::io::Error) -> Self {
        Self::failed(format!("{} could not be {verb}: {error}", path.display()))
    }

    pub(crate) fn at(mut self, place: impl fmt::Display) -> Self {
        self.place = Some(place.to_string());
        self
    }

    /// Adds what to do.
    pub(crate) fn cure(mut self, cure: impl Into<String>) -> Self {
        self.cure = Some(cure.into());
        self
    }

    /// Says that a key is missing, and nothing else.
    pub(crate) fn for_want_of(mut self, key: MissingKey) -> Self {
        self.missing_key = Some(key);
        self
    }

    /// The key for want of which it came to this.
    pub(crate) fn missing_key(&self) -> Option<&MissingKey> {
        self.missing_key.as_ref()
    }

    /// Makes it a matter of usage or configuration.
    pub(crate) fn into_usage(mut self) -> Self {
        self.exit = Exit::Usage;
        self
    }

    /// What went wrong, without where and what to do.
    pub(crate) fn what(&self) -> &str {
        &self.what
    }

    /// The exit code it leads to.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.what)?;
        if let Some(place) = &self.place {
            write!(f, "\n  {place}")?;
        }
        if let Some(cure) = &self.cure {
            write!(f, "\n  try: {cure}")?;
        }
        Ok(())
    }
}

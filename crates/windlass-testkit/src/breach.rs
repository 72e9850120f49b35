//! A broken promise of a port.

use std::fmt;

/// What a port promised and did not do.
#[derive(Clone, PartialEq, Eq)]
pub struct Breach(String);

impl Breach {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The same text: a test that unwraps shows it as it is.
impl fmt::Debug for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Breach {}

/// Goes on only if the promise was kept.
pub(crate) fn ensure(is_kept: bool, promise: impl FnOnce() -> String) -> Result<(), Breach> {
    if is_kept { Ok(()) } else { Err(Breach(promise())) }
}

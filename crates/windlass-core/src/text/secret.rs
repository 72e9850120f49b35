//! A key that must not be shown: it prints as `***` and is never serialised.

use std::fmt;
use std::sync::Arc;

/// Characters that a key has at least to be taken out of texts: shorter ones would take ordinary words apart.
pub const SECRET_CHARS_MIN: usize = 6;

/// An API key. Reading it takes a call to [`Secret::expose`], so that every use can be found.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    pub fn new(key: impl Into<Arc<str>>) -> Self {
        Self(key.into())
    }

    /// The key itself, for the one request that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether it is long enough to be told from ordinary words.
    pub fn is_distinct(&self) -> bool {
        self.0.len() >= SECRET_CHARS_MIN
    }

    /// A text from outside without the key, if that is long enough to be told from ordinary words.
    pub fn redacted(&self, text: &str) -> String {
        if !self.is_distinct() { text.to_owned() } else { text.replace(&*self.0, "***") }
    }

    /// The key as an HTTP bearer token.
    pub fn bearer(&self) -> Self {
        Self::new(format!("Bearer {}", self.0))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl From<String> for Secret {
    fn from(key: String) -> Self {
        Self::new(key)
    }
}

impl From<&str> for Secret {
    fn from(key: &str) -> Self {
        Self::new(key)
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_secret_prints_as_stars() {
        let key = Secret::new("tvly-abc");
        assert_eq!(format!("{key:?} {:?}", Some(key.bearer())), "*** Some(***)");
        assert_eq!(key.bearer().expose(), "Bearer tvly-abc");
    }
}

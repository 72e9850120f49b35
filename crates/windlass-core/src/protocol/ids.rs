//! Names for things: sessions, runs, messages and calls.
//!
//! Ids come in as data: this crate never invents a random one. Call ids are counted, so that a
//! model can write them (`call_2`) and a test can predict them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

macro_rules! id_type {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Wraps an id that was made elsewhere.
            pub fn new(id: impl Into<Arc<str>>) -> Self {
                Self(id.into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), &self.0)
            }
        }

        impl From<&str> for $name {
            fn from(id: &str) -> Self {
                Self::new(id)
            }
        }

        impl From<String> for $name {
            fn from(id: String) -> Self {
                Self::new(id)
            }
        }
    };
}

id_type!(
    /// A conversation and its history.
    SessionId
);
id_type!(
    /// Everything from one user message to its end.
    RunId
);
id_type!(
    /// One user message; the parent of everything that the run does.
    MessageId
);
id_type!(
    /// One call. Unique in its session, whatever the provider sent.
    CallId
);

impl CallId {
    /// The id of the `number`th call of a session, counted from 1.
    pub fn numbered(number: u64) -> Self {
        Self::new(format!("call_{number}"))
    }

    /// The number in a counted id, if it is one.
    pub fn number(&self) -> Option<u64> {
        self.as_str().strip_prefix("call_")?.parse().ok()
    }
}

/// Milliseconds since the Unix epoch. The core has no clock: every time comes in with an input.
pub type Millis = u64;

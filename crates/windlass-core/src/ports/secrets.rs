//! Secrets that tools use and nobody sees: lent for one request to a host that the user has bound them to.

use std::fmt::Debug;

use async_trait::async_trait;

use crate::text::secret::Secret;

/// Why a secret is not lent. Says nothing of its value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LendRefusal {
    /// There is none of that name.
    #[error("there is no secret '{0}'")]
    Unknown(String),
    /// It is for other hosts.
    #[error("the secret '{name}' is not for {host}")]
    OtherHost {
        /// The secret.
        name: String,
        /// The host that it was wanted for.
        host: String,
    },
    /// It is kept somewhere that does not answer.
    #[error("the secret '{name}' cannot be read: {why}")]
    Unreadable {
        /// The secret.
        name: String,
        /// What happened, without anything that was said.
        why: String,
    },
}

/// Who keeps secrets for tools.
#[async_trait]
pub trait SecretsPort: Send + Sync + Debug {
    /// The secret of that name, for a request to that host: `api.example.com`, or `127.0.0.1:8080` where the port is not the
    /// usual one of its scheme. What is lent is a registered secret from then on.
    async fn lend(&self, name: &str, host: &str) -> Result<Secret, LendRefusal>;
}

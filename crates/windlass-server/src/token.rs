//! Who may come in: the token of a request beside that of the configuration.

use axum::http::{HeaderMap, header};
use sha2::{Digest, Sha256};

use crate::config::ServerConfig;
use crate::error::{Problem, ProblemKind, RouteResult};

/// Checks tokens. Only the hash of the right one is kept.
pub(crate) struct TokenCheck {
    hash: Option<[u8; 32]>,
    is_needed: bool,
}

impl TokenCheck {
    /// The check that a configuration asks for.
    pub(crate) fn new(config: &ServerConfig) -> Self {
        let hash = config.token.as_ref().map(|token| Sha256::digest(token.expose()).into());
        // Also without one to compare with: then nobody comes in from another machine.
        Self { is_needed: hash.is_some() || !config.is_loopback, hash }
    }

    /// Whether a request brings the token.
    pub(crate) fn check(&self, headers: &HeaderMap) -> RouteResult<()> {
        if !self.is_needed {
            return Ok(());
        }
        let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = sent.and_then(|sent| {
            let (scheme, token) = sent.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
        });
        match (token, &self.hash) {
            (Some(token), Some(hash)) if is_same(&Sha256::digest(token).into(), hash) => Ok(()),
            (Some(_), _) => Err(refused("wrong token; check the file given to --token-file")),
            (None, _) => Err(refused("send the token, as Authorization: Bearer TOKEN")),
        }
    }
}

fn refused(detail: &str) -> Problem {
    Problem::new(ProblemKind::Unauthorised, "unauthorized", detail)
}

/// Compares all bytes, whatever the first ones are: how long it takes says nothing. That hashes are compared
/// hides the length of the token too.
fn is_same(one: &[u8; 32], other: &[u8; 32]) -> bool {
    let difference = one.iter().zip(other).fold(0, |difference, (one, other)| difference | (one ^ other));
    std::hint::black_box(difference) == 0
}

#[cfg(test)]
#[path = "token_tests.rs"]
mod tests;

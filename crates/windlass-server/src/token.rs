//! Who may come in: the token of a request, or the cookie of a browser, beside the token of the configuration.

use axum::http::{HeaderMap, header};
use windlass_core::protocol::ids::Millis;

use crate::config::ServerConfig;
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::sign_in::{TokenHash, UsedCodes, has_cookie, hash_of, is_same, write_cookie};

/// By what a request came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryProof {
    /// By the token, which no page of another origin can send.
    Token,
    /// By the cookie, which a browser sends along by itself.
    Cookie,
    /// By nothing: none is wanted.
    Unneeded,
}

/// Checks tokens. Only the hash of the right one is kept.
pub(crate) struct TokenCheck {
    hash: Option<TokenHash>,
    is_needed: bool,
    is_tls: bool,
    codes: UsedCodes,
}

impl TokenCheck {
    /// The check that a configuration asks for.
    pub(crate) fn new(config: &ServerConfig, now_ms: Millis) -> Self {
        let hash = config.token.as_ref().map(|token| hash_of(token.expose()));
        // Also without one to compare with: then nobody comes in from another machine.
        let is_needed = hash.is_some() || !config.is_loopback;
        Self { is_needed, hash, is_tls: config.is_tls, codes: UsedCodes::new(now_ms) }
    }

    /// By what a request comes in.
    pub(crate) fn check(&self, headers: &HeaderMap, now_ms: Millis) -> RouteResult<EntryProof> {
        if !self.is_needed {
            return Ok(EntryProof::Unneeded);
        }
        let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = sent.and_then(|sent| {
            let (scheme, token) = sent.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
        });
        match (token, &self.hash) {
            (Some(token), Some(hash)) if is_same(&hash_of(token), hash) => Ok(EntryProof::Token),
            (Some(_), _) => Err(refused("wrong token; `windlass token` prints the right one")),
            (None, Some(hash)) if has_cookie(hash, headers, now_ms) => Ok(EntryProof::Cookie),
            (None, _) => {
                Err(refused("send the token that `windlass token` prints, as Authorization: Bearer TOKEN"))
            }
        }
    }

    /// The cookie for a browser that brings a code or the token; none where none is wanted.
    pub(crate) fn sign_in(&self, proof: &SignInProof, now_ms: Millis) -> RouteResult<Option<String>> {
        let Some(hash) = &self.hash else {
            return if self.is_needed { Err(refused("this server lets nobody in")) } else { Ok(None) };
        };
        match proof {
            SignInProof::Code(code) => self.codes.take(hash, code, now_ms)?,
            SignInProof::Token(token) if is_same(&hash_of(token.trim()), hash) => {}
            SignInProof::Token(_) => {
                return Err(refused("wrong token; `windlass token` prints the right one"));
            }
        }
        Ok(Some(write_cookie(hash, now_ms, self.is_tls)))
    }
}

/// What a browser brings to be signed in.
pub(crate) enum SignInProof {
    /// Of a link.
    Code(String),
    Token(String),
}

fn refused(detail: &str) -> Problem {
    Problem::new(ProblemKind::Unauthorised, "unauthorized", detail)
}

#[cfg(test)]
#[path = "token_tests.rs"]
mod tests;

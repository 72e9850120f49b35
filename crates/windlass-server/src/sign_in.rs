//! Signing a browser in: one-time codes that links carry, and the cookie that a code or the token becomes.
//!
//! Both are made of the token's hash. So a cookie holds over restarts of the server, a new token makes all of them void,
//! and nothing has to be kept but which codes were used. Knows no route.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::http::{HeaderMap, header};
use sha2::{Digest, Sha256};
use windlass_core::protocol::ids::Millis;
use windlass_core::text::secret::Secret;

use crate::error::{Problem, ProblemKind, RouteResult};
use crate::limits::{COOKIE_LIFETIME, SIGN_IN_CODE_LIFETIME, SIGN_IN_CODES_MAX};

/// A hash, of the token or of what is made of it.
pub(crate) type TokenHash = [u8; 32];

/// What a link has behind its address to sign a browser in: `#sign-in=CODE`. It works once, soon, and only at a server
/// that has this token and was started before. The nonce must be one that nobody can guess or has used.
pub fn sign_in_code(token: &Secret, nonce: &str, issued_ms: Millis) -> String {
    write_code(&hash_of(token.expose()), nonce, issued_ms)
}

fn write_code(hash: &TokenHash, nonce: &str, issued_ms: Millis) -> String {
    format!("{issued_ms:x}.{nonce}.{}", seal("code", &format!("{issued_ms:x}.{nonce}"), hash))
}

pub(crate) fn hash_of(text: &str) -> TokenHash {
    Sha256::digest(text).into()
}

/// Says that these words were written by somebody who has the token. The hash comes last and has one length: words
/// cannot be added to what was sealed.
fn seal(purpose: &str, words: &str, hash: &TokenHash) -> String {
    let sealed = Sha256::new().chain_update(format!("windlass {purpose}\n{words}\n")).chain_update(hash);
    sealed.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares all bytes, whatever the first ones are: how long it takes says nothing. That hashes are compared
/// hides the length of the texts too.
pub(crate) fn is_same(one: &TokenHash, other: &TokenHash) -> bool {
    let difference = one.iter().zip(other).fold(0, |difference, (one, other)| difference | (one ^ other));
    std::hint::black_box(difference) == 0
}

/// The codes that were used, as long as they would still work otherwise.
pub(crate) struct UsedCodes {
    /// Codes of before are refused: they may have been used at the server that was here then.
    started_ms: Millis,
    used: Mutex<HashMap<String, Millis>>,
}

impl UsedCodes {
    pub(crate) fn new(started_ms: Millis) -> Self {
        Self { started_ms, used: Mutex::default() }
    }

    /// Takes a code, if it is one that works.
    pub(crate) fn take(&self, hash: &TokenHash, code: &str, now_ms: Millis) -> RouteResult<()> {
        let lifetime_ms = Millis::try_from(SIGN_IN_CODE_LIFETIME.as_millis()).unwrap_or(Millis::MAX);
        let mut parts = code.split('.');
        let issued_ms = parts.next().and_then(|issued| Millis::from_str_radix(issued, 16).ok());
        let (Some(issued_ms), Some(nonce)) = (issued_ms, parts.next()) else { return Err(refused()) };
        let right = write_code(hash, nonce, issued_ms);
        if !is_same(&hash_of(code), &hash_of(&right)) {
            return Err(refused());
        }
        let ends_ms = issued_ms.saturating_add(lifetime_ms);
        if issued_ms < self.started_ms || issued_ms > now_ms || ends_ms < now_ms {
            return Err(refused());
        }
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|_, ends_ms| *ends_ms >= now_ms);
        if used.contains_key(nonce) || used.len() >= SIGN_IN_CODES_MAX {
            return Err(refused());
        }
        used.insert(nonce.to_owned(), ends_ms);
        Ok(())
    }
}

fn refused() -> Problem {
    let detail = "this sign-in link was used or is too old; `windlass token --link` prints another one";
    Problem::new(ProblemKind::Unauthorised, "code_refused", detail)
}

/// The name of the cookie. Browsers send one of another port along: each token has a name of its own.
fn cookie_name(hash: &TokenHash) -> String {
    format!("windlass-{}", seal("cookie name", "", hash).get(..16).unwrap_or_default())
}

/// The header that gives a browser its cookie.
pub(crate) fn write_cookie(hash: &TokenHash, now_ms: Millis, is_tls: bool) -> String {
    let ends_s = (now_ms / 1_000).saturating_add(COOKIE_LIFETIME.as_secs());
    let (name, mark) = (cookie_name(hash), seal("cookie", &format!("{ends_s:x}"), hash));
    let secure = if is_tls { "; Secure" } else { "" };
    let seconds = COOKIE_LIFETIME.as_secs();
    format!("{name}={ends_s:x}.{mark}; Path=/; Max-Age={seconds}; SameSite=Strict; HttpOnly{secure}")
}

/// Whether a request brings a cookie of this token that still holds.
pub(crate) fn has_cookie(hash: &TokenHash, headers: &HeaderMap, now_ms: Millis) -> bool {
    let name = cookie_name(hash);
    let sent = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    sent.flat_map(|value| value.split(';')).any(|cookie| {
        let value = cookie.trim().split_once('=').filter(|(own, _)| *own == name).map(|(_, value)| value);
        let Some((ends, mark)) = value.and_then(|value| value.split_once('.')) else { return false };
        let Ok(ends_s) = Millis::from_str_radix(ends, 16) else { return false };
        let right = seal("cookie", &format!("{ends_s:x}"), hash);
        ends_s >= now_ms / 1_000 && is_same(&hash_of(mark), &hash_of(&right))
    })
}

#[cfg(test)]
#[path = "sign_in_tests.rs"]
mod tests;

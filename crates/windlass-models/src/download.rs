//! A file of the web, opened at any byte: how large it is, how it is marked, and its bytes as they come.
//!
//! Owns which addresses are safe, redirects and ranges. No key goes along, so that a redirect can carry none away.
//! Knows no files: who opens one writes it where it likes.

use std::future::poll_fn;

use thiserror::Error;
use windlass_core::protocol::model::{ModelFailure, ModelFailureKind};

use crate::failure::shown_url;
use crate::limits::ExchangeLimits;
use crate::quirks::Quirks;
use crate::target::{Abilities, AuthForm, ModelTarget, WireKind};
use crate::transport::address::ServerAddress;
use crate::transport::http1::head::ResponseHead;
use crate::transport::{Method, ReplyBody, TargetRequest, Transport, is_loopback};

/// A large file over a slow line takes days; what is silent is given up much earlier.
const TOTAL_TIMEOUT_MS: u64 = 30 * 24 * 3_600_000;
/// Hubs send to a store, and stores to a mirror.
const REDIRECTS_MAX: usize = 8;
/// The mark by which the Hugging Face hub names the SHA-256 of a large file.
const LINKED_ETAG: &str = "x-linked-etag";

/// Where a file is gone on with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DownloadStart {
    /// The first byte that is wanted.
    pub byte: u64,
    /// The mark that the file had when its beginning was read; one with another mark is sent whole.
    pub etag: Option<String>,
}

/// A file that begins to come.
#[derive(Debug)]
pub struct OpenDownload {
    /// The first byte that comes: what was wanted, or 0 if the server sends the whole.
    pub first_byte: u64,
    /// Its size, if the server says so.
    pub bytes_total: Option<u64>,
    pub etag: Option<String>,
    /// The SHA-256 that the server announces, as hexadecimal digits.
    pub sha256: Option<String>,
    body: ReplyBody,
}

/// Why a file does not come.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DownloadError {
    /// It is no address of a file.
    #[error("'{0}' is no https address")]
    Address(String),
    /// Anybody on the way could exchange the file.
    #[error("'{0}' is not encrypted: plain http is taken from this machine alone")]
    Unsafe(String),
    /// There is no such file.
    #[error("there is nothing at {0}")]
    NotThere(String),
    /// The server does not give it.
    #[error("{place} answers with status {status}")]
    Refused { place: String, status: u16 },
    /// The file ends before the byte that was wanted.
    #[error("the file has no byte {byte}")]
    Past {
        byte: u64,
        /// Its size, if the server says so.
        bytes_total: Option<u64>,
    },
    /// One address leads to the next without end.
    #[error("{0} sends from one address to the next, more than {REDIRECTS_MAX} times")]
    Redirects(String),
    /// No connection, or one that broke.
    #[error("{place}: {what}")]
    Broken {
        place: String,
        what: String,
        /// Whether it may go better the next time.
        is_passing: bool,
    },
}

impl DownloadError {
    /// Whether asking again may help.
    pub fn is_passing(&self) -> bool {
        match self {
            DownloadError::Broken { is_passing, .. } => *is_passing,
            DownloadError::Refused { status, .. } => matches!(status, 408 | 425 | 429 | 500..=599),
            DownloadError::Address(_)
            | DownloadError::Unsafe(_)
            | DownloadError::NotThere(_)
            | DownloadError::Past { .. }
            | DownloadError::Redirects(_) => false,
        }
    }
}

/// Opens a file at a byte.
pub async fn open(
    transport: &Transport,
    address: &str,
    start: &DownloadStart,
    limits: &ExchangeLimits,
) -> Result<OpenDownload, DownloadError> {
    let mut url = safe_url(address)?;
    let mut sha256 = None;
    for _ in 0..=REDIRECTS_MAX {
        let place = shown_url(url.as_str());
        let ask = TargetRequest {
            method: Method::Get,
            body: Vec::new(),
            accept: "*/*",
            limits: ExchangeLimits {
                total_timeout_ms: TOTAL_TIMEOUT_MS,
                answer_bytes_max: u64::MAX,
                ..limits.clone()
            },
        };
        let target = target(&url, start);
        let asked = transport.ask_looking(&target, "", ask, DownloadHead::of).await;
        let (opening, body) = asked.map_err(|failure| broken(&place, &failure))?;
        // The hub says it where it redirects; the store that has the file need not.
        sha256 = sha256.or_else(|| opening.sha256.clone());
        match opening.status {
            301 | 302 | 303 | 307 | 308 => {
                let next = opening.location.as_deref().and_then(|location| url.join(location));
                let status = opening.status;
                // Every hop is judged anew, for one may lead to plain http.
                url = safe_url(next.ok_or(DownloadError::Refused { place, status })?.as_str())?;
            }
            _ => return opening.judge(place, start, sha256, body),
        }
    }
    Err(DownloadError::Redirects(shown_url(address)))
}

impl OpenDownload {
    /// Hands the next piece to `sink`; whether there was one.
    pub async fn read(&mut self, mut sink: impl FnMut(&[u8])) -> Result<bool, DownloadError> {
        match poll_fn(|cx| self.body.poll_read(cx, &mut sink)).await {
            Some(Ok(())) => Ok(true),
            None => Ok(false),
            Some(Err(failure)) => Err(broken("the download", &failure)),
        }
    }
}

/// What is kept of the head of an answer.
struct DownloadHead {
    status: u16,
    location: Option<String>,
    length: Option<u64>,
    /// The first byte and the size that a range says.
    range: Option<(Option<u64>, Option<u64>)>,
    etag: Option<String>,
    sha256: Option<String>,
}

impl DownloadHead {
    fn of(head: &ResponseHead<'_>) -> Self {
        let text = |name: &str| head.field(name).map(|value| value.trim().to_owned());
        let digits = text(LINKED_ETAG).map(|mark| mark.trim_matches('"').to_ascii_lowercase());
        let is_sha256 = |mark: &String| mark.len() == 64 && mark.chars().all(|c| c.is_ascii_hexdigit());
        Self {
            status: head.status,
            location: text("location"),
            length: text("content-length").and_then(|length| length.parse().ok()),
            range: text("content-range").as_deref().and_then(read_range),
            // A weak mark does not promise the same bytes.
            etag: text("etag").filter(|mark| !mark.starts_with("W/")),
            sha256: digits.filter(is_sha256),
        }
    }

    fn judge(
        self,
        place: String,
        start: &DownloadStart,
        sha256: Option<String>,
        body: ReplyBody,
    ) -> Result<OpenDownload, DownloadError> {
        let (first_byte, bytes_total) = match (self.status, self.range) {
            (200, _) => (0, self.length),
            (206, Some((Some(first), total))) if first == start.byte => (first, total),
            (206, _) => {
                let what = "it sends another part of the file than was asked for".to_owned();
                return Err(DownloadError::Broken { place, what, is_passing: false });
            }
            (416, range) => {
                let bytes_total = range.and_then(|(_, total)| total);
                return Err(DownloadError::Past { byte: start.byte, bytes_total });
            }
            (404 | 410, _) => return Err(DownloadError::NotThere(place)),
            (status, _) => return Err(DownloadError::Refused { place, status }),
        };
        Ok(OpenDownload { first_byte, bytes_total, etag: self.etag, sha256, body })
    }
}

/// Reads `bytes FIRST-LAST/SIZE`; either side of the slash may be a star.
fn read_range(text: &str) -> Option<(Option<u64>, Option<u64>)> {
    let (part, size) = text.strip_prefix("bytes")?.trim().split_once('/')?;
    let first = part.split_once('-').and_then(|(first, _)| first.trim().parse().ok());
    Some((first, size.trim().parse().ok()))
}

/// An address that a file may be taken from.
fn safe_url(address: &str) -> Result<ServerAddress, DownloadError> {
    let url = ServerAddress::parse(address).ok_or_else(|| DownloadError::Address(shown_url(address)))?;
    if url.is_safe() || is_loopback(&url) { Ok(url) } else { Err(DownloadError::Unsafe(shown_url(address))) }
}

/// The file as something that the transport can ask.
fn target(url: &ServerAddress, start: &DownloadStart) -> ModelTarget {
    let mut headers = Vec::new();
    if start.byte > 0 {
        headers.push(("range".to_owned(), format!("bytes={}-", start.byte)));
        headers.extend(start.etag.clone().map(|etag| ("if-range".to_owned(), etag)));
    }
    let host = url.host().to_owned();
    ModelTarget {
        name: host.clone(),
        provider: host,
        model: String::new(),
        wire: WireKind::Chat,
        base_url: url.as_str().to_owned(),
        auth: AuthForm::Open,
        key: None,
        headers,
        quirks: Quirks::default(),
        abilities: Abilities::default(),
    }
}

/// The transport speaks of models and their settings; here only what happened counts.
fn broken(place: &str, failure: &ModelFailure) -> DownloadError {
    let what = match (&failure.kind, &failure.detail) {
        (ModelFailureKind::Cut, _) => "the connection broke".to_owned(),
        (ModelFailureKind::Network, Some(detail)) => format!("no connection ({detail})"),
        _ => failure.message.clone(),
    };
    DownloadError::Broken { place: place.to_owned(), what, is_passing: failure.is_retryable }
}

#[cfg(test)]
#[path = "download_tests.rs"]
mod tests;

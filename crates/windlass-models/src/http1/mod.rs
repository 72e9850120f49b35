//! A small client for HTTP/1.1: one request out, one answer in.
//!
//! Made for very many answers at a time: who waits for one holds a socket and no buffer. Owns connections,
//! TLS, proxies and the form of a message. Speaks no HTTP/2, follows no redirect, unpacks nothing, and knows
//! no model and no failure of one: `transport` finds the words.

mod connect;
mod exchange;
pub mod head;
pub mod payload;
mod pool;
mod proxy;
mod request;
mod socket;
mod trust;

use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

pub(crate) use self::exchange::{Body, Exchange};
pub(crate) use self::proxy::Proxies;
pub(crate) use self::request::{Fields, Request};
pub(crate) use self::trust::Trust;

use self::connect::Way;
use self::pool::{Place, Pool};

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Fault {
    /// Asking again as it is would be of no use.
    #[error("{0}")]
    Unusable(String),
    /// No connection in time.
    #[error("no connection in time")]
    Timeout,
    /// The certificate is not believed.
    #[error("{0}")]
    Untrusted(String),
    /// No connection.
    #[error("{0}")]
    Unreachable(String),
    /// The connection ended before the answer began.
    #[error("{0}")]
    Closed(String),
    /// What came is no answer: the reason, and how it begins.
    #[error("{0}")]
    Malformed(String, String),
}

/// Sends requests; keeps connections open between them.
#[derive(Debug, Default)]
pub(crate) struct Client {
    pool: Arc<Pool>,
    proxies: Option<Proxies>,
}

impl Client {
    /// Opens nothing yet.
    pub(crate) fn new(proxies: Option<Proxies>) -> Self {
        Self { pool: Arc::default(), proxies }
    }

    /// Prepares a request; `trust` is asked for if it is needed.
    pub(crate) fn begin(
        &self,
        request: Request<'_>,
        trust: impl FnOnce() -> Result<Trust, String>,
        connect_timeout: Duration,
    ) -> Result<Exchange, Fault> {
        let place = Place::of(&request.url).ok_or_else(|| Fault::Unusable("it has no host".to_owned()))?;
        let proxy = self.proxies.as_ref().map(|proxies| proxies.find(&place)).transpose();
        let proxy = proxy.map_err(Fault::Unusable)?.flatten();
        let trust = place.is_safe.then(trust).transpose().map_err(Fault::Unusable)?;
        let head = request.head(if place.is_safe { None } else { proxy.as_ref() });
        let way = Way { place: Arc::new(place), proxy, trust, timeout: connect_timeout };
        Ok(Exchange::new(Arc::clone(&self.pool), way, head, request.body.unwrap_or_default()))
    }
}

#[cfg(test)]
#[path = "http1_tests.rs"]
mod tests;

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

pub(crate) use self::exchange::{HttpBody, HttpExchange};
pub(crate) use self::proxy::Proxies;
pub use self::request::Method;
pub(crate) use self::request::{HeaderFields, HttpRequest};
pub(crate) use self::trust::TrustRoots;

use self::connect::ConnectRoute;
use self::pool::{ConnectionKey, Pool};
use self::request::end_head;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum HttpFault {
    /// Asking again as it is would be of no use.
    #[error("{0}")]
    Unusable(String),
    /// No connection in time.
    #[error("no connection in time")]
    Timeout,
    /// The certificate is not believed.
    #[error("{0}")]
    Untrusted(String),
    #[error("{0}")]
    Unreachable(String),
    /// The connection ended before the answer began.
    #[error("{0}")]
    Closed(String),
    /// What came is no answer: the reason, and how it begins.
    #[error("{0}")]
    Malformed(String, String),
}

/// Room for the line that says how long a body is, and the empty one.
const LENGTH_LINE_BYTES: usize = 48;

/// All that requests of one kind have in common: the way there, and the head but for its end.
pub(crate) struct RequestEnvelope {
    way: Arc<ConnectRoute>,
    head: Vec<u8>,
    method: Method,
}

/// Sends requests; keeps connections open between them.
#[derive(Debug, Default)]
pub(crate) struct Http1Client {
    pool: Arc<Pool>,
    proxies: Option<Proxies>,
}

impl Http1Client {
    pub(crate) fn new(proxies: Option<Proxies>) -> Self {
        Self { pool: Arc::default(), proxies }
    }

    /// Prepares requests of one kind; `trust` is asked for if it is needed.
    pub(crate) fn address(
        &self,
        request: &HttpRequest<'_>,
        trust: impl FnOnce() -> Result<TrustRoots, String>,
        connect_timeout: Duration,
    ) -> Result<RequestEnvelope, HttpFault> {
        let place = ConnectionKey::of(&request.url);
        let proxy = self.proxies.as_ref().map(|proxies| proxies.find(&place)).transpose();
        let proxy = proxy.map_err(HttpFault::Unusable)?.flatten();
        let trust = place.is_safe.then(trust).transpose().map_err(HttpFault::Unusable)?;
        let head = request.head(if place.is_safe { None } else { proxy.as_ref() });
        let way = Arc::new(ConnectRoute { place: Arc::new(place), proxy, trust, timeout: connect_timeout });
        Ok(RequestEnvelope { way, head, method: request.method })
    }

    pub(crate) fn begin(&self, envelope: &RequestEnvelope, body: Vec<u8>) -> HttpExchange {
        let mut head = Vec::with_capacity(envelope.head.len().saturating_add(LENGTH_LINE_BYTES));
        head.extend_from_slice(&envelope.head);
        end_head(&mut head, envelope.method.has_body().then_some(&body));
        HttpExchange::new(Arc::clone(&self.pool), Arc::clone(&envelope.way), head, body)
    }
}

#[cfg(test)]
#[path = "http1_tests.rs"]
mod tests;

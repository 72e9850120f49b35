//! The ledger: everything that reached the server, and when.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::http::Incoming;

#[derive(Debug, Clone)]
pub struct Received {
    /// The connection it came on, from 0.
    pub connection: usize,
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, byte for byte.
    pub body: Vec<u8>,
    /// When it was complete.
    pub at: Instant,
    /// Why a strict vendor refuses it, in the vendor's words.
    pub refusal: Option<String>,
    /// The bytes of its pictures, in base64.
    pub pictures: Vec<String>,
}

impl Received {
    /// The body as a document; null when it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

#[derive(Debug, Clone)]
pub struct Connection {
    /// When it was taken.
    pub opened: Instant,
    /// When it was over.
    pub closed: Option<Instant>,
    /// Whether the client ended it.
    pub is_closed_by_client: bool,
}

/// What reached the server so far.
#[derive(Debug, Clone, Default)]
pub struct RequestLedger {
    /// All requests, in the order in which they were complete.
    pub requests: Vec<Received>,
    pub connections: Vec<Connection>,
}

impl RequestLedger {
    /// What strict vendors refused.
    pub fn refusals(&self) -> Vec<&str> {
        self.requests.iter().filter_map(|request| request.refusal.as_deref()).collect()
    }

    /// The bodies as documents.
    pub fn bodies(&self) -> Vec<Value> {
        self.requests.iter().map(Received::json).collect()
    }
}

/// What a strict vendor made of a request.
#[derive(Debug, Default)]
pub(super) struct HeardRequest {
    pub(super) refusal: Option<String>,
    pub(super) pictures: Vec<String>,
}

/// A ledger that the server writes and a test watches.
#[derive(Debug, Default)]
pub(super) struct SharedLedger {
    ledger: Mutex<RequestLedger>,
    changed: Condvar,
}

impl SharedLedger {
    fn lock(&self) -> MutexGuard<'_, RequestLedger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn snapshot(&self) -> RequestLedger {
        self.lock().clone()
    }

    /// Waits until the ledger looks as wished; `None` when it does not in time.
    pub(super) fn wait_until(
        &self,
        patience: Duration,
        wish: impl Fn(&RequestLedger) -> bool,
    ) -> Option<RequestLedger> {
        let (ledger, waited) = self
            .changed
            .wait_timeout_while(self.lock(), patience, |ledger| !wish(ledger))
            .unwrap_or_else(PoisonError::into_inner);
        (!waited.timed_out()).then(|| ledger.clone())
    }

    pub(super) fn open(&self) -> usize {
        let mut ledger = self.lock();
        ledger.connections.push(Connection {
            opened: Instant::now(),
            closed: None,
            is_closed_by_client: false,
        });
        self.changed.notify_all();
        ledger.connections.len() - 1
    }

    pub(super) fn close(&self, connection: usize, is_closed_by_client: bool) {
        if let Some(entry) = self.lock().connections.get_mut(connection) {
            entry.closed = Some(Instant::now());
            entry.is_closed_by_client = is_closed_by_client;
        }
        self.changed.notify_all();
    }

    pub(super) fn receive(&self, connection: usize, request: &Incoming, answer: HeardRequest) {
        self.lock().requests.push(Received {
            connection,
            method: request.method.clone(),
            path: request.path.clone(),
            headers: request.headers.clone(),
            body: request.body.clone(),
            at: Instant::now(),
            refusal: answer.refusal,
            pictures: answer.pictures,
        });
        self.changed.notify_all();
    }
}

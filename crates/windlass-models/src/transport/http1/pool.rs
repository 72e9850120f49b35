//! Connections that wait for the next request to the same place.
//!
//! The youngest goes first, so that the others can grow old and be closed. A connection that waits holds
//! no buffer. Knows no HTTP.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::{Handle, Id};
use tokio::time::Instant;

use super::socket::Socket;
use crate::limits::{IDLE_CONNECTION_MS_MAX, IDLE_CONNECTIONS_MAX};
use crate::transport::address::ServerAddress;

/// Where a request goes. Which proxy leads there is settled for each client, so it is no part of this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConnectionKey {
    pub(super) is_safe: bool,
    /// A name or a bare address.
    pub(super) host: String,
    pub(super) port: u16,
}

impl ConnectionKey {
    pub(super) fn of(url: &ServerAddress) -> Self {
        let host = url.host().trim_matches(['[', ']']).to_owned();
        Self { is_safe: url.is_safe(), host, port: url.port() }
    }
}

impl fmt::Display for ConnectionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, .. } = self;
        if host.contains(':') { write!(f, "[{host}]:{port}") } else { write!(f, "{host}:{port}") }
    }
}

struct Idle {
    socket: Socket,
    since: Instant,
    /// Another runtime may not be running, and then nothing would ever be heard of the connection.
    runtime: Option<Id>,
}

/// The connections of a client, by place. Places are few, and the same one is nearly always the very same.
#[derive(Default)]
pub(super) struct Pool {
    idle: Mutex<Vec<(Arc<ConnectionKey>, VecDeque<Idle>)>>,
}

impl Pool {
    /// The connection that was used last, if it still seems good.
    pub(super) fn take(&self, place: &Arc<ConnectionKey>) -> Option<Socket> {
        let mut all = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, idle) = all.iter_mut().find(|(own, _)| own == place)?;
        let runtime = runtime();
        let now = Instant::now();
        while let Some(mut last) = idle.pop_back() {
            // What came while it waited is its end, or an answer that nobody asked for.
            if !is_old(&last, now) && last.runtime == runtime && last.socket.is_quiet() {
                return Some(last.socket);
            }
        }
        None
    }

    /// Keeps a connection that has nothing more to say.
    pub(super) fn give(&self, place: Arc<ConnectionKey>, socket: Socket) {
        let mut all = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let since = Instant::now();
        let Some((_, idle)) = all.iter_mut().find(|(own, _)| *own == place) else {
            all.push((place, VecDeque::from([Idle { socket, since, runtime: runtime() }])));
            return;
        };
        while idle.len() >= IDLE_CONNECTIONS_MAX || idle.front().is_some_and(|first| is_old(first, since)) {
            idle.pop_front();
        }
        idle.push_back(Idle { socket, since, runtime: runtime() });
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").finish_non_exhaustive()
    }
}

fn is_old(idle: &Idle, now: Instant) -> bool {
    now.saturating_duration_since(idle.since) > Duration::from_millis(IDLE_CONNECTION_MS_MAX)
}

fn runtime() -> Option<Id> {
    Handle::try_current().ok().map(|handle| handle.id())
}

//! Which hosts a call has reached: on record with its outcome, however it ended.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// Hosts that are kept of one call: a fetch reaches a handful, with all its redirects. What is beyond counts with the last.
const REACHED_MAX: usize = 64;

/// A host that a call has sent something to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReachedHost {
    /// Its name and port, as the address of the request had it.
    pub host: String,
    /// The address that was connected to; nothing where no answer came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Requests that were sent to it.
    pub requests: u32,
    /// Bytes of these: lines, headers that the tool wrote, bodies.
    pub bytes_out: u64,
    /// Bytes of bodies that were read.
    pub bytes_in: u64,
}

/// What one call has reached so far. Clones are the same log.
#[derive(Debug, Clone, Default)]
pub struct ReachLog(Arc<Mutex<Vec<ReachedHost>>>);

impl ReachLog {
    /// Notes a request, or what came of it: equal hosts at equal addresses are one line.
    pub fn note(&self, reached: ReachedHost) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = all.len() >= REACHED_MAX;
        let same = all.iter().position(|own| own.host == reached.host && own.address == reached.address);
        let place = same.or_else(|| is_full.then_some(REACHED_MAX - 1));
        match place.and_then(|place| all.get_mut(place)) {
            Some(own) => {
                own.requests = own.requests.saturating_add(reached.requests);
                own.bytes_out = own.bytes_out.saturating_add(reached.bytes_out);
                own.bytes_in = own.bytes_in.saturating_add(reached.bytes_in);
            }
            None => all.push(reached),
        }
    }

    /// Everything that was noted; the log is empty then.
    pub fn take(&self) -> Vec<ReachedHost> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl std::fmt::Display for ReachedHost {
    /// `example.com (93.184.215.14): 1 request, 210 bytes sent, 5120 received`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { host, address, requests, bytes_out, bytes_in } = self;
        let address = address.as_deref().unwrap_or("no answer");
        let noun = if *requests == 1 { "request" } else { "requests" };
        write!(f, "{host} ({address}): {requests} {noun}, {bytes_out} bytes sent, {bytes_in} received")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(host: &str, bytes_in: u64) -> ReachedHost {
        ReachedHost { host: host.into(), address: None, requests: 1, bytes_out: 10, bytes_in }
    }

    #[test]
    fn equal_hosts_are_one_line_and_a_log_has_a_bound() {
        let log = ReachLog::default();
        [reached("a", 1), reached("b", 2), reached("a", 3)].into_iter().for_each(|one| log.note(one));
        let all = log.take();
        assert_eq!(all.len(), 2);
        assert_eq!(all[0].to_string(), "a (no answer): 2 requests, 20 bytes sent, 4 received");
        (0..100).for_each(|number| log.note(reached(&number.to_string(), 0)));
        let all = log.take();
        assert_eq!((all.len(), all.iter().map(|one| one.requests).sum::<u32>()), (REACHED_MAX, 100));
    }
}

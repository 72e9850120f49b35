//! How often a client may ask: one bucket of requests for each address, filled by time.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::error::{Problem, ProblemKind, RouteResult};
use crate::limits::{CLIENTS_MAX, Rate, ServerLimits};

/// Counts requests by address.
pub(crate) struct RateLimiter {
    near: Rate,
    far: Rate,
    buckets: Mutex<HashMap<IpAddr, Bucket>>,
}

struct Bucket {
    /// Requests that may still come at once.
    left: f64,
    filled_at: Instant,
}

impl RateLimiter {
    /// One with these limits.
    pub(crate) fn new(limits: &ServerLimits) -> Self {
        Self { near: limits.near_rate, far: limits.far_rate, buckets: Mutex::default() }
    }

    /// Counts a request of an address.
    pub(crate) fn admit(&self, address: IpAddr, now: Instant) -> RouteResult<()> {
        let rate = if address.is_loopback() { self.near } else { self.far };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= CLIENTS_MAX && !buckets.contains_key(&address) {
            let full = |bucket: &Bucket| bucket.level(self.far, now) >= f64::from(self.far.burst);
            // A bucket that is full again says nothing that a new one would not.
            buckets.retain(|_, bucket| !full(bucket));
            if buckets.len() >= CLIENTS_MAX {
                return Err(refused("too many clients ask at once", Duration::from_secs(1)));
            }
        }
        let bucket = buckets.entry(address).or_insert(Bucket { left: f64::from(rate.burst), filled_at: now });
        bucket.left = bucket.level(rate, now);
        bucket.filled_at = now;
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return Ok(());
        }
        let wait = (1.0 - bucket.left) / f64::from(rate.per_second.max(1));
        Err(refused(
            &format!("more than {} requests a second from this address", rate.per_second),
            Duration::from_secs_f64(wait),
        ))
    }
}

impl Bucket {
    fn level(&self, rate: Rate, now: Instant) -> f64 {
        let filled = now.saturating_duration_since(self.filled_at).as_secs_f64() * f64::from(rate.per_second);
        (self.left + filled).min(f64::from(rate.burst))
    }
}

fn refused(what: &str, wait: Duration) -> Problem {
    let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
    Problem::new(ProblemKind::TooMany, "too_many_requests", format!("{what}; slow down and try again"))
        .retry_after(wait_ms)
}

#[cfg(test)]
#[path = "rate_tests.rs"]
mod tests;

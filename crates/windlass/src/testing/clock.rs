//! A clock that does not tick: times in records and traces are the same in every run of a test. Decides no deadline.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use windlass_core::protocol::ids::Millis;
use windlass_engine::clock::Clock;

/// When a fixed clock stands unless a test says otherwise: 1 January 2030.
const USUAL_MS: Millis = 1_893_456_000_000;

/// A clock that stands still until it is put forward; clones tell the same time. Give it to
/// [`Builder::clock`](crate::Builder::clock). Limits of time still run by the machine's own clock.
#[derive(Debug, Clone)]
pub struct FixedClock(Arc<AtomicU64>);

impl FixedClock {
    /// One that stands at this time, in milliseconds since the Unix epoch.
    pub fn at_ms(now_ms: Millis) -> Self {
        Self(Arc::new(AtomicU64::new(now_ms)))
    }

    /// Puts it forward.
    pub fn advance_ms(&self, by_ms: u64) {
        self.0.fetch_add(by_ms, Ordering::SeqCst);
    }

    /// What it shows.
    pub fn now_ms(&self) -> Millis {
        self.0.load(Ordering::SeqCst)
    }
}

impl Default for FixedClock {
    fn default() -> Self {
        Self::at_ms(USUAL_MS)
    }
}

impl From<FixedClock> for Clock {
    fn from(clock: FixedClock) -> Self {
        Clock::from_fn(move || clock.now_ms())
    }
}

//! Stopping a call from outside: a signal that async code waits for and threads look at.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Asks everything that listens to it to stop; clones are the same signal.
#[derive(Debug, Clone, Default)]
pub struct CancelSignal(Arc<Signal>);

#[derive(Debug, Default)]
struct Signal {
    is_given: AtomicBool,
    given: Notify,
}

impl CancelSignal {
    /// A signal that was not given yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the signal; once given it stays.
    pub fn cancel(&self) {
        self.0.is_given.store(true, Ordering::Release);
        self.0.given.notify_waiters();
    }

    /// Whether it was given.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_given.load(Ordering::Acquire)
    }

    /// Returns when it is given.
    pub async fn cancelled(&self) {
        // Made before the look: a signal that is given in between is heard.
        let given = self.0.given.notified();
        if !self.is_cancelled() {
            given.await;
        }
    }
}

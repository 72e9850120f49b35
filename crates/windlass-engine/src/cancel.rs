//! Stopping a call from outside: a signal that async code waits for and threads look at.

use tokio::sync::watch;

/// Asks everything that listens to it to stop; clones are the same signal.
#[derive(Debug, Clone)]
pub struct CancelSignal {
    sender: watch::Sender<bool>,
}

impl CancelSignal {
    /// A signal that was not given yet.
    pub fn new() -> Self {
        Self { sender: watch::Sender::new(false) }
    }

    /// Gives the signal; once given it stays.
    pub fn cancel(&self) {
        self.sender.send_replace(true);
    }

    /// Whether it was given.
    pub fn is_cancelled(&self) -> bool {
        *self.sender.borrow()
    }

    /// Returns when it is given.
    pub async fn cancelled(&self) {
        let mut receiver = self.sender.subscribe();
        // `self` holds the sender, so waiting ends only with the signal.
        let _ = receiver.wait_for(|is_given| *is_given).await;
    }
}

impl Default for CancelSignal {
    fn default() -> Self {
        Self::new()
    }
}

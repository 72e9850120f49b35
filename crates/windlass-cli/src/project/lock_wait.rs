//! Waiting for what another process holds: one that was just killed lets go of it within moments.

use std::time::{Duration, Instant};

use crate::terminal::out::tell_line;

/// How long a lock is waited for.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// How long it takes until the user is told.
const QUIET_MAX: Duration = Duration::from_secs(1);
/// How often it is tried.
const PAUSE: Duration = Duration::from_millis(50);

/// One wait.
pub(crate) struct LockWait {
    since: Instant,
    /// What the user is told, until that was done.
    words: Option<String>,
}

impl LockWait {
    /// Begins to wait; the words are told if it takes a while.
    pub(crate) fn begin(words: String) -> Self {
        Self { since: Instant::now(), words: Some(words) }
    }

    /// Waits a moment; whether another try is worth it.
    pub(crate) async fn goes_on(&mut self) -> bool {
        let waited = self.since.elapsed();
        if waited >= WAIT_MAX {
            return false;
        }
        if waited >= QUIET_MAX
            && let Some(words) = self.words.take()
        {
            tell_line(&words);
        }
        tokio::time::sleep(PAUSE).await;
        true
    }
}

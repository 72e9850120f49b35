//! The only clock of the engine; replaceable, so that tests and replays have their own time.

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use windlass_core::protocol::ids::Millis;

/// Tells the time; clones tell the same one.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Millis + Send + Sync>);

impl Clock {
    /// The clock of this machine.
    pub fn system() -> Self {
        Self::from_fn(|| {
            let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX)
        })
    }

    /// A clock of one's own.
    pub fn from_fn(now: impl Fn() -> Millis + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Milliseconds since the Unix epoch.
    pub fn now_ms(&self) -> Millis {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now_ms())
    }
}

//! Running a script beside the runtime, on a thread of its own, and waiting there for what runs on the runtime.
//!
//! A script blocks; no thread of the runtime does. When nobody wants the script any more, the thread hears it, and
//! what the thread waits for is given up.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use futures::future::{Either, select};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::watch;
use windlass_core::ports::CancelFlag;
use windlass_core::protocol::tool::{ErrorKind, ToolFailure};

use super::limits::{SCRIPTS_AT_ONCE_MAX, STACK_BYTES, THREAD_IDLE_MS};

/// Tells a script's thread that nobody wants it any more.
pub(crate) struct StopSignal {
    /// That of the call.
    cancel: CancelFlag,
    given: watch::Sender<bool>,
}

impl StopSignal {
    pub(crate) fn new(cancel: CancelFlag) -> Arc<Self> {
        Arc::new(Self { cancel, given: watch::Sender::new(false) })
    }

    pub(crate) fn is_given(&self) -> bool {
        *self.given.borrow() || self.cancel.is_cancelled()
    }

    async fn given(&self) {
        // The sender lives as long as this.
        let _ = self.given.subscribe().wait_for(|given| *given).await;
    }
}

/// Gives the signal when the call is given up.
struct StopOnDrop(Arc<StopSignal>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.given.send_replace(true);
    }
}

/// How many scripts run in this process.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// One of the places for running scripts.
struct ThreadPermit;

impl ThreadPermit {
    fn take() -> Option<Self> {
        let free = |running: usize| (running < SCRIPTS_AT_ONCE_MAX).then_some(running.saturating_add(1));
        RUNNING.fetch_update(Ordering::AcqRel, Ordering::Acquire, free).ok().map(|_| Self)
    }
}

impl Drop for ThreadPermit {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Threads for scripts, with room for deep values. They are kept for a moment: making one costs ten times what a small
/// script does.
static THREADS: LazyLock<std::io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_current_thread()
        .thread_name("script")
        .thread_stack_size(STACK_BYTES)
        .max_blocking_threads(SCRIPTS_AT_ONCE_MAX)
        .thread_keep_alive(Duration::from_millis(THREAD_IDLE_MS))
        .build()
});

/// Runs the work of a script on a thread of its own. Dropping the future tells the work to stop.
pub(crate) async fn run_aside<T: Send + 'static>(
    script: &str,
    stop: Arc<StopSignal>,
    work: impl FnOnce() -> Result<T, ToolFailure> + Send + 'static,
) -> Result<T, ToolFailure> {
    let Some(place) = ThreadPermit::take() else {
        let message = format!(
            "Script '{script}' was not run: {SCRIPTS_AT_ONCE_MAX} scripts run already; try again later"
        );
        return Err(ToolFailure::new(ErrorKind::LimitExceeded, message));
    };
    let threads = THREADS.as_ref().map_err(|error| {
        let message = format!("Script '{script}' was not run: there is no thread for it");
        ToolFailure::unavailable(message).detail(error.to_string())
    })?;
    let _leash = StopOnDrop(stop);
    let running = threads.spawn_blocking(move || {
        let _place = place;
        work()
    });
    running.await.unwrap_or_else(|_| {
        Err(ToolFailure::internal(format!("Script '{script}' broke its interpreter"))
            .hint("The fault is in the script; do not send the call again."))
    })
}

/// Why waiting ended without what was waited for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// Nobody wants it any more.
    Stopped,
    /// It broke, or the runtime went down.
    Broken,
}

/// Runs something on the runtime and blocks this thread, which is none of the runtime's workers, until it is done or given up.
pub(crate) fn wait<T: Send + 'static>(
    runtime: &Handle,
    stop: &StopSignal,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, Lost> {
    let mut task = runtime.spawn(work);
    let ended = runtime.block_on(async {
        match select(&mut task, pin!(stop.given())).await {
            Either::Left((done, _)) => Some(done),
            Either::Right(((), _)) => None,
        }
    });
    match ended {
        Some(done) => done.map_err(|_| Lost::Broken),
        None => {
            task.abort();
            Err(Lost::Stopped)
        }
    }
}

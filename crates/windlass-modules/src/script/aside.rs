//! Running a script beside the runtime, on a thread of its own, and waiting there for what runs on the runtime.
//!
//! A script blocks; no thread of the runtime does. When nobody wants the script any more, the thread hears it, and
//! what the thread waits for is given up.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use futures::future::{Either, select};
use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};
use windlass_core::port::CancelFlag;
use windlass_core::tool::{ErrorKind, ToolFailure};

use super::limits::{SCRIPTS_AT_ONCE_MAX, STACK_BYTES};

/// Tells a script's thread that nobody wants it any more.
pub(crate) struct Stop {
    /// That of the call.
    cancel: CancelFlag,
    given: watch::Sender<bool>,
}

impl Stop {
    /// Not given yet.
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
struct Leash(Arc<Stop>);

impl Drop for Leash {
    fn drop(&mut self) {
        self.0.given.send_replace(true);
    }
}

/// How many scripts run in this process.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// One of the places for running scripts.
struct Place;

impl Place {
    fn take() -> Option<Self> {
        let free = |running: usize| (running < SCRIPTS_AT_ONCE_MAX).then_some(running.saturating_add(1));
        RUNNING.fetch_update(Ordering::AcqRel, Ordering::Acquire, free).ok().map(|_| Self)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Runs the work of a script on a thread of its own, with room for deep values. Dropping the future tells the work to
/// stop.
pub(crate) async fn run_aside<T: Send + 'static>(
    script: &str,
    stop: Arc<Stop>,
    work: impl FnOnce() -> Result<T, ToolFailure> + Send + 'static,
) -> Result<T, ToolFailure> {
    let Some(place) = Place::take() else {
        let message = format!(
            "Script '{script}' was not run: {SCRIPTS_AT_ONCE_MAX} scripts run already; try again later"
        );
        return Err(ToolFailure::new(ErrorKind::LimitExceeded, message));
    };
    let _leash = Leash(stop);
    let (tell, told) = oneshot::channel();
    let thread = thread::Builder::new().name("script".to_owned()).stack_size(STACK_BYTES).spawn(move || {
        let _place = place;
        // Who does not listen any more needs no answer.
        let _ = tell.send(work());
    });
    if let Err(error) = thread {
        let message = format!("Script '{script}' was not run: there is no thread for it");
        return Err(ToolFailure::unavailable(message).detail(error.to_string()));
    }
    match told.await {
        Ok(result) => result,
        Err(_) => Err(ToolFailure::internal(format!("Script '{script}' broke its interpreter"))
            .hint("The fault is in the script; do not send the call again.")),
    }
}

/// Why waiting ended without what was waited for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// Nobody wants it any more.
    Stopped,
    /// It broke, or the runtime went down.
    Broken,
}

/// Runs something on the runtime and blocks this thread, which is none of the runtime's, until it is done or given up.
pub(crate) fn wait<T: Send + 'static>(
    runtime: &Handle,
    stop: &Stop,
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

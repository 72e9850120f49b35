//! Blocking work away from the async threads, with an end in sight.
//!
//! A thread cannot be dropped: the work looks at `StopFlag`, which turns true when the call is cancelled
//! and when its future is dropped.

use windlass_core::ports::{CancelFlag, ToolContext};
use windlass_core::protocol::tool::{ErrorKind, ToolFailure};

/// Whether the work must end.
pub(crate) struct StopFlag {
    cancel: CancelFlag,
    dropped: CancelFlag,
}

impl StopFlag {
    /// Whether to end now.
    pub(crate) fn is_set(&self) -> bool {
        self.cancel.is_cancelled() || self.dropped.is_cancelled()
    }

    /// Ends the work with a failure when it must end.
    pub(crate) fn check(&self) -> Result<(), ToolFailure> {
        if self.is_set() {
            return Err(ToolFailure::new(ErrorKind::Cancelled, "The call was cancelled."));
        }
        Ok(())
    }
}

/// Sets the flag when the future that waits is dropped.
struct DropSignal(CancelFlag);

impl Drop for DropSignal {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs blocking work on a thread that may block.
pub(crate) async fn offload<T: Send + 'static>(
    context: &ToolContext,
    work: impl FnOnce(&StopFlag) -> Result<T, ToolFailure> + Send + 'static,
) -> Result<T, ToolFailure> {
    let signal = DropSignal(CancelFlag::default());
    let stop = StopFlag { cancel: context.cancel.clone(), dropped: signal.0.clone() };
    let done = tokio::task::spawn_blocking(move || work(&stop)).await;
    // Held until here: letting go of it tells the work to stop.
    drop(signal);
    done.unwrap_or_else(|error| {
        Err(ToolFailure::internal("The tool broke off by a fault of its own.").detail(error.to_string()))
    })
}

//! Sessions are closed: idle ones after a while, all of them when the host closes.

use std::sync::{Arc, Weak};
use std::time::Duration;

use windlass_core::ports::host::HostError;

use super::Host;
use super::slot::SessionSlot;
use crate::bus::LogPart;
use crate::limits::SWEEP_MS;

/// Closes idle sessions from time to time, as long as the host lives.
pub(super) async fn sweep(host: Weak<Host>) {
    loop {
        tokio::time::sleep(Duration::from_millis(SWEEP_MS)).await;
        // Held for one round alone, or this task would keep the host alive.
        let Some(host) = host.upgrade() else { return };
        host.close_idle().await;
    }
}

impl Host {
    /// Closes the sessions in which nothing has happened for a while; gives how many. A run that only waits for
    /// an answer is parked, and goes on with it.
    pub async fn close_idle(&self) -> usize {
        let idle_ms = self.parts.limits.session_idle_ms;
        let mut closed = 0_usize;
        for slot in self.slots.all() {
            let now = self.parts.clock.now_ms();
            if !self.may_close(&slot) || now.saturating_sub(slot.used_ms()) < idle_ms {
                continue;
            }
            // Whoever holds the lock is about to use the session.
            let Ok(_change) = slot.change.try_lock() else { continue };
            // Asked again: a run may have begun between the look and the lock.
            if self.may_close(&slot) {
                self.park(&slot).await;
                closed = closed.saturating_add(1);
            }
        }
        self.slots.forget_unused();
        closed
    }

    /// Whether a session is open and nothing goes on in it but waiting for the user.
    fn may_close(&self, slot: &SessionSlot) -> bool {
        match slot.run() {
            None => slot.is_open(),
            Some(run_id) => self.live_runs.questions(&run_id).is_some_and(|questions| !questions.is_empty()),
        }
    }

    /// Stops a session at a safe point; a run that goes on in it stays unfinished. The caller holds the slot's
    /// lock.
    async fn park(&self, slot: &SessionSlot) {
        if let (Some(run_id), Some(open)) = (slot.run(), slot.open()) {
            open.session.park().await;
            // A parked run has no end on record that would take it off the list.
            self.live_runs.leave(&run_id);
        }
        self.shut(slot).await;
    }

    /// Ends a session's actor and lets go of it; the caller holds the slot's lock.
    pub(super) async fn shut(&self, slot: &SessionSlot) {
        let Some(open) = slot.take() else { return };
        // Before the handle goes: closing the log is the actor's last deed, and only after it may another
        // process write the session.
        let mut tail = open.log.subscribe();
        drop(open);
        while !matches!(tail.next_here().await, LogPart::Closed) {}
        self.release(slot).await;
    }

    /// Is the writer of a session no longer.
    pub(super) async fn release(&self, slot: &SessionSlot) {
        if let Err(failure) = self.parts.store.release(&slot.session_id).await {
            tracing::warn!(session = %slot.session_id, "the session could not be released: {failure}");
        }
    }

    /// Takes no more runs, brings those that go on to a safe point, and lets go of all sessions.
    pub(super) async fn close_all(&self) -> Result<(), HostError> {
        if !self.shutdown.tell() {
            return Ok(());
        }
        let all: Vec<Arc<SessionSlot>> = self.slots.all();
        // At the same time, so that the grace is the slowest session's and not shared by all.
        let closing = futures::future::join_all(all.iter().map(|slot| self.close_one(slot)));
        let grace = Duration::from_millis(self.parts.limits.close_grace_ms);
        if tokio::time::timeout(grace, closing).await.is_err() {
            tracing::warn!(
                "some sessions did not stop in time; they go on from their record at the next start"
            );
        }
        self.slots.forget_unused();
        Ok(())
    }

    async fn close_one(&self, slot: &SessionSlot) {
        let _change = slot.change.lock().await;
        self.park(slot).await;
    }
}

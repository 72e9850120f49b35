//! Sessions are closed: idle ones after a while, all of them when the host closes.

use std::sync::{Arc, Weak};
use std::time::Duration;

use windlass_core::host::HostError;

use super::Host;
use super::berth::Berth;
use crate::bus::Here;
use crate::limits::SWEEP_MS;

/// Closes idle sessions from time to time, as long as the host lives.
pub(super) async fn sweep(host: Weak<Host>) {
    loop {
        tokio::time::sleep(Duration::from_millis(SWEEP_MS)).await;
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
        for berth in self.berths.all() {
            let now = self.parts.clock.now_ms();
            if !self.may_close(&berth) || now.saturating_sub(berth.used_ms()) < idle_ms {
                continue;
            }
            // Whoever holds the lock is about to use the session.
            let Ok(_change) = berth.change.try_lock() else { continue };
            if self.may_close(&berth) {
                self.park(&berth).await;
                closed = closed.saturating_add(1);
            }
        }
        self.berths.forget_unused();
        closed
    }

    /// Whether a session is open and nothing goes on in it but waiting for the user.
    fn may_close(&self, berth: &Berth) -> bool {
        match berth.run() {
            None => berth.is_open(),
            Some(run_id) => self.ledger.questions(&run_id).is_some_and(|questions| !questions.is_empty()),
        }
    }

    /// Stops a session at a safe point; a run that goes on in it stays unfinished. The caller holds the berth's
    /// lock.
    async fn park(&self, berth: &Berth) {
        if let (Some(run_id), Some(open)) = (berth.run(), berth.open()) {
            open.session.park().await;
            self.ledger.leave(&run_id);
        }
        self.shut(berth).await;
    }

    /// Ends a session's actor and lets go of it; the caller holds the berth's lock.
    pub(super) async fn shut(&self, berth: &Berth) {
        let Some(open) = berth.take() else { return };
        let mut tail = open.log.subscribe();
        drop(open);
        while !matches!(tail.next_here().await, Here::Closed) {}
        self.release(berth).await;
    }

    /// Is the writer of a session no longer.
    pub(super) async fn release(&self, berth: &Berth) {
        if let Err(failure) = self.parts.store.release(&berth.session_id).await {
            tracing::warn!(session = %berth.session_id, "the session could not be released: {failure}");
        }
    }

    /// Takes no more runs, brings those that go on to a safe point, and lets go of all sessions.
    pub(super) async fn close_all(&self) -> Result<(), HostError> {
        if !self.dusk.tell() {
            return Ok(());
        }
        let all: Vec<Arc<Berth>> = self.berths.all();
        let closing = futures::future::join_all(all.iter().map(|berth| self.close_one(berth)));
        let grace = Duration::from_millis(self.parts.limits.close_grace_ms);
        if tokio::time::timeout(grace, closing).await.is_err() {
            tracing::warn!(
                "some sessions did not stop in time; they go on from their record at the next start"
            );
        }
        self.berths.forget_unused();
        Ok(())
    }

    async fn close_one(&self, berth: &Berth) {
        let _change = berth.change.lock().await;
        self.park(berth).await;
    }
}

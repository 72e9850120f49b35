//! Parking: a session stops at a safe point and leaves its run unfinished, to be taken up again later.
//!
//! What is on record when it stops is what `resume` begins with. The model and calls that change nothing are
//! dropped, since asking again costs nothing; a call that changes something is waited for, so that nobody has
//! to wonder whether it happened.

use std::sync::Arc;
use std::time::Duration;

use windlass_core::protocol::cause::Cause;
use windlass_core::run::{Effect, World};

use crate::limits::PARK_GRACE_MS;
use crate::session::actor::{ActiveRun, Actor, WorkDone};

impl Actor {
    /// Brings the run to a point from which it can be taken up again, and forgets it.
    pub(crate) async fn park(&mut self) {
        let Some(active) = self.active.as_mut() else { return };
        active.model = None;
        let grace = Duration::from_millis(PARK_GRACE_MS);
        if let Ok(Some(done)) = tokio::time::timeout(grace, self.last_change()).await {
            self.record_outcome(done).await;
        }
        self.active = None;
    }

    /// Waits for the end of the call that changes something, and writes down what calls inside it do. Such calls run
    /// alone: there is at most one.
    async fn last_change(&mut self) -> Option<WorkDone> {
        loop {
            let active = self.active.as_mut().filter(|active| !active.effectful.is_empty())?;
            tokio::select! {
                biased;
                // First, so that what the call did inside itself is on record before its outcome.
                Some(note) = active.notes.recv() => self.note_inside(*note).await,
                done = active.work.next() => match done? {
                    WorkDone::Ended { call_id, outcome } if active.effectful.contains(&call_id) => {
                        return Some(WorkDone::Ended { call_id, outcome });
                    }
                    WorkDone::Ended { .. } | WorkDone::Inspected { .. } => {}
                },
            }
        }
    }

    /// Writes the outcome down and nothing that would come after it: the next start finds that by itself.
    async fn record_outcome(&mut self, done: WorkDone) {
        let now = self.parts.clock.now_ms();
        let Some(ActiveRun { machine, shelf, .. }) = self.active.as_mut() else { return };
        let is_audited = self.parts.audit.is_some();
        let mut world = World { tools: &shelf.toolset, permissions: &mut self.permissions, is_audited };
        let input = done.into_input();
        let cause = Arc::new(Cause::of(&input));
        let effects = machine.handle(now, &mut world, input);
        let mut records = Vec::new();
        if let Some(Effect::Emit(event)) = effects.into_iter().next() {
            self.write_down(now, event, &cause, &mut records);
        }
        // A journal that fails now leaves the call without an outcome, as a crash would.
        let _ = self.publish(records).await;
    }
}

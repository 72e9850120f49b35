//! Staged edits are made, one at a time and in any order, and the session is told of each.

use std::sync::Arc;

use serde_json::{Map, Value};
use windlass_core::permission::{Question, Target};
use windlass_core::ports::JournalPort as _;
use windlass_core::ports::host::{Consent, EditApproval, HostError, OutsideCall, ToolAnswer};
use windlass_core::ports::store::RunRow;
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::CallId;
use windlass_core::text::cut_chars;

use super::{Host, broken, failed};

/// Characters of what the tool said that the model is told again.
const SAID_CHARS_MAX: usize = 300;

impl Host {
    /// Makes a staged edit. A session in which a run goes on is not written to by anybody else.
    pub(super) async fn make_edit(&self, approval: EditApproval) -> Result<ToolAnswer, HostError> {
        let EditApproval { run_id, call_id, consent } = approval;
        self.check_open()?;
        let row = self.run_row(&run_id).await?;
        let slot = self.slots.at(&row.session_id);
        let _change = slot.change.lock().await;
        if let Some(run_id) = slot.run() {
            return Err(HostError::Busy(run_id));
        }
        // An open actor counts its records by itself: one written beside it would have a number twice.
        self.shut(&slot).await;
        self.claim(&slot).await?;
        let made = async {
            let records = self.parts.store.load(&row.session_id, 0).await.map_err(broken)?;
            let own: Vec<_> = records.iter().filter(|record| record.run_id == run_id).collect();
            let proposal = waiting_edit(&own, &call_id)?;
            if !consent.digest.eq_ignore_ascii_case(&proposal.digest) {
                return Err(HostError::Stale(format!("what was shown is not edit {call_id} of this run")));
            }
            let args: Map<String, Value> = serde_json::from_str(&proposal.arguments).map_err(broken)?;
            let (name, session_id) = (proposal.tool.clone(), Some(row.session_id.clone()));
            // The digest that the user saw names the run; the call is made outside of it, under another one.
            let consent = Consent { digest: proposal.digest_by_hand(), ..consent };
            let call = OutsideCall { name, args, session_id, consent: Some(consent) };
            let answer = self.call_outside(call).await?;
            // an edit is called applied only when its bytes were written.
            if let Ok(output) = &answer.outcome.body {
                let note = note_of(proposal, &output.readable());
                self.tell_applied(&row, &own, &call_id, note).await?;
            }
            Ok(answer)
        };
        let made = made.await;
        // Also after a failure: nobody works in the session, so nobody may hold it.
        self.release(&slot).await;
        made
    }

    async fn tell_applied(
        &self,
        row: &RunRow,
        own: &[&Arc<Record>],
        call_id: &CallId,
        note: String,
    ) -> Result<(), HostError> {
        let session = self.parts.store.session(&row.session_id).await;
        let session = session.map_err(failed("session", row.session_id.as_str()))?;
        let parent_id = own.first().map(|record| record.parent_id.clone());
        let record = Record {
            seq: session.last_seq.saturating_add(1),
            ts_ms: self.parts.clock.now_ms(),
            session_id: row.session_id.clone(),
            run_id: row.run_id.clone(),
            parent_id: parent_id.ok_or_else(|| broken("the run has no records"))?,
            event: Event::Durable(DurableEvent::EditApplied { call_id: call_id.clone(), note }),
            cause: None,
        };
        self.journal.append(&[Arc::new(record)]).await.map_err(broken)
    }
}

/// The edit of a run that awaits approval.
fn waiting_edit<'a>(own: &[&'a Arc<Record>], call_id: &CallId) -> Result<&'a Question, HostError> {
    let mut found = None;
    for record in own {
        match &record.event {
            Event::Durable(DurableEvent::CallEnded { call_id: ended, outcome, .. }) if ended == call_id => {
                found = outcome.meta.proposal.as_deref();
            }
            Event::Durable(DurableEvent::EditApplied { call_id: applied, .. }) if applied == call_id => {
                return Err(HostError::Conflict(format!("edit {call_id} was applied already")));
            }
            Event::Durable(other) => other.ignored(),
            Event::Delta(_) => {}
        }
    }
    found.ok_or_else(|| HostError::Missing { what: "staged edit", id: call_id.to_string() })
}

/// What the model is told.
fn note_of(proposal: &Question, said: &str) -> String {
    let paths = proposal.targets.iter().map(|target| match target {
        Target::Path(text) | Target::Host(text) | Target::Command(text) => text.as_str(),
    });
    let (paths, said) = (paths.collect::<Vec<_>>().join(", "), said.lines().next().unwrap_or_default());
    let said = cut_chars(said, SAID_CHARS_MAX);
    format!("The user applied the staged edit {} ({} {paths}): {said}", proposal.call_id, proposal.tool)
}

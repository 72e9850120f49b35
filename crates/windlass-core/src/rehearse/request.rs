//! What a step asked of its model: not on record, but the machine makes it again.

use std::sync::Arc;

use super::{Divergence, RunningRehearsal, divergence};
use crate::calls::toolset::Toolset;
use crate::permission::Permissions;
use crate::protocol::event::{DurableEvent, Event, Record};
use crate::protocol::model::ModelRequest;
use crate::run::{BUDGET_RULE, Recorded, RunSettings, Start};

/// The request of the last try of a step, made again from the records of its run. The same goes in as into
/// `rehearse`; what comes after the request is not played.
pub fn recall_request(
    settings: &Arc<RunSettings>,
    start: Start,
    records: &[Arc<Record>],
    tools: &Toolset,
    permissions: &mut Permissions,
    step: u32,
) -> Result<Box<ModelRequest>, Divergence> {
    let settings = &settings.wished(&start.send.wishes);
    let mut stage = RunningRehearsal::new(settings, records, tools, permissions);
    stage.run.recall(Recorded::of(records).checked_anew());
    stage.wanted = Some(WantedRequest::new(step, records));
    stage.perform(settings, start)?;
    let last = || records.last().map_or(0, |record| record.seq);
    stage.wanted.and_then(|wanted| wanted.found).ok_or_else(|| Divergence {
        seq: last(),
        recorded: format!("that step {step} was asked for"),
        replayed: "a run without that step".to_owned(),
    })
}

/// A request that is looked for while a run is rehearsed.
pub(super) struct WantedRequest {
    step: u32,
    /// Tries of the step that are still to come.
    tries: usize,
    found: Option<Box<ModelRequest>>,
}

impl WantedRequest {
    fn new(step: u32, records: &[Arc<Record>]) -> Self {
        let is_try = |record: &&Arc<Record>| matches!(record.event, Event::Durable(DurableEvent::StepStarted { step: own, .. }) if own == step);
        Self { step, tries: records.iter().filter(is_try).count(), found: None }
    }

    pub(super) fn look_at(&mut self, request: &ModelRequest) {
        if request.step != self.step || self.tries == 0 {
            return;
        }
        self.tries = self.tries.saturating_sub(1);
        if self.tries == 0 {
            self.found = Some(Box::new(request.clone()));
        }
    }

    pub(super) fn is_found(&self) -> bool {
        self.found.is_some()
    }

    /// A history that was shortened then and is not now makes other requests, although the run may go on.
    pub(super) fn check(&self, next: &Record) -> Result<(), Divergence> {
        if let Event::Durable(DurableEvent::RequestAdjusted { rule, .. }) = &next.event
            && rule == BUDGET_RULE
        {
            return Err(divergence(next, "a request with more of its history".to_owned()));
        }
        Ok(())
    }
}

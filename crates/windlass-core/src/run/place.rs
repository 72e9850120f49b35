//! Where a run is, for those who drive it through its own past.

use std::sync::Arc;

use super::batch::{CallBatch, SlotState};
use super::{Goal, Phase, Run, RunSettings, Taint};
use crate::protocol::ids::{CallId, Millis};
use crate::protocol::model::Usage;

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunPosition {
    Ready,
    Thinking { is_final: bool },
    Settling,
    Ended,
}

/// What a call waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallPosition {
    Turn,
    Inspection,
    Answer,
    Outcome,
    Nothing,
}

impl Run {
    /// What its context has from outside.
    pub fn taint(&self) -> &Taint {
        &self.taint
    }

    pub(crate) fn place(&self) -> RunPosition {
        match &self.phase {
            Phase::Ready => RunPosition::Ready,
            Phase::Thinking(thinking) => {
                RunPosition::Thinking { is_final: matches!(thinking.goal, Goal::Finalise(_)) }
            }
            Phase::Settling(_) => RunPosition::Settling,
            Phase::Ended => RunPosition::Ended,
        }
    }

    /// What a call of the current step waits for.
    pub(crate) fn call_place(&self, call_id: &CallId) -> Option<CallPosition> {
        let batch = self.batch()?;
        let slot = batch.slots.get(batch.find(call_id)?)?;
        Some(match slot.state {
            SlotState::Unresolved(_)
            | SlotState::Queued(_)
            | SlotState::Held(_)
            | SlotState::Ready(_)
            | SlotState::Moving => CallPosition::Turn,
            SlotState::Inspecting(_) => CallPosition::Inspection,
            SlotState::Asking(_) => CallPosition::Answer,
            SlotState::Running => CallPosition::Outcome,
            SlotState::Settled(_) => CallPosition::Nothing,
        })
    }

    /// Whether calls of a step came in that the model has not ended.
    pub(crate) fn is_mid_step(&self) -> bool {
        matches!(&self.phase, Phase::Thinking(thinking) if !thinking.early.slots.is_empty())
    }

    /// From now on these settings hold.
    pub(crate) fn go_by(&mut self, settings: Arc<RunSettings>) {
        self.settings = settings;
    }

    /// The time between two moments did not pass for the run: nobody was there to wait.
    pub(crate) fn skip_time(&mut self, from: Millis, to: Millis) {
        // A question that waited over the gap keeps what it waited before, and waits on behind it.
        if let Some(since) = self.patience.since {
            self.patience.waited_ms = self.patience.waited_ms.saturating_add(from.saturating_sub(since));
            self.patience.since = Some(to);
        }
        self.work_until = self.work_until.saturating_add(to.saturating_sub(from));
    }

    /// What was counted between now and a later sum, if anything was.
    pub(crate) fn usage_since(&self, sum: &Usage) -> Option<Usage> {
        let counted = Usage {
            input: sum.input.saturating_sub(self.usage.input),
            output: sum.output.saturating_sub(self.usage.output),
            cached: sum.cached.saturating_sub(self.usage.cached),
            reasoning: sum.reasoning.saturating_sub(self.usage.reasoning),
            cost_usd: sum.cost_usd.map(|cost| cost - self.usage.cost_usd.unwrap_or(0.0)),
        };
        (*sum != self.usage).then_some(counted)
    }

    fn batch(&self) -> Option<&CallBatch> {
        match &self.phase {
            Phase::Thinking(thinking) => Some(&thinking.early),
            Phase::Settling(batch) => Some(batch),
            Phase::Ready | Phase::Ended => None,
        }
    }
}

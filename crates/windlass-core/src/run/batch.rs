//! The calls of one step, each on its way to exactly one outcome.

use std::sync::Arc;

use serde_json::Value;

use super::guard::Ticket;
use crate::calls::json::note::RepairNote;
use crate::permission::{ApprovedCall, PendingQuestion};
use crate::protocol::event::StopReason;
use crate::protocol::ids::CallId;
use crate::protocol::message::Message;
use crate::protocol::tool::{Category, CheckedCall, ToolCall, ToolOutcome, ToolSpec, Visibility};

/// Where a call is.
#[derive(Debug)]
pub(super) enum SlotState {
    /// Its arguments refer to calls that have no outcome yet.
    Unresolved(Value),
    /// Valid; waits for its turn.
    Queued(Box<CheckedCall>),
    /// The tool is asked what it would touch.
    Inspecting(Box<CheckedCall>),
    /// The user must be asked, when the calls before it are judged: questions come in call order.
    Held(Box<PendingQuestion>),
    /// The user is asked.
    Asking(Box<PendingQuestion>),
    /// Approved; waits for a free place.
    Ready(Box<ApprovedCall>),
    Running,
    /// It has its outcome.
    Settled(Box<Settled>),
    /// Being moved from one state to the next; never seen between two inputs.
    Moving,
}

/// An outcome and the message made of it.
#[derive(Debug)]
pub(super) struct Settled {
    pub(super) outcome: Arc<ToolOutcome>,
    pub(super) message: Arc<Message>,
}

/// One call of a step.
#[derive(Debug)]
pub(super) struct CallSlot {
    pub(super) call: ToolCall,
    /// How many text and reasoning parts of its step came before it.
    pub(super) after_parts: usize,
    pub(super) category: Category,
    pub(super) visibility: Visibility,
    pub(super) result_chars_max: Option<usize>,
    /// Whether it may change the world: such calls run alone and in order.
    pub(super) is_effectful: bool,
    /// What the guard knows it by, once it may run.
    pub(super) ticket: Option<Ticket>,
    /// Arguments that were dropped (E-16).
    pub(super) dropped_args: Vec<String>,
    /// What had to be changed to read its arguments.
    pub(super) repairs: Vec<RepairNote>,
    pub(super) decision: Option<String>,
    pub(super) state: SlotState,
}

impl CallSlot {
    pub(super) fn is_settled(&self) -> bool {
        matches!(self.state, SlotState::Settled(_))
    }

    /// Whether it is not known yet if the user must be asked about it, or they are not asked yet.
    pub(super) fn is_unjudged(&self) -> bool {
        match self.state {
            SlotState::Unresolved(_)
            | SlotState::Queued(_)
            | SlotState::Inspecting(_)
            | SlotState::Held(_) => true,
            SlotState::Asking(_)
            | SlotState::Ready(_)
            | SlotState::Running
            | SlotState::Settled(_)
            | SlotState::Moving => false,
        }
    }

    /// Takes the state out, to be replaced by the next one.
    pub(super) fn take(&mut self) -> SlotState {
        std::mem::replace(&mut self.state, SlotState::Moving)
    }
}

/// What stands before a slot in its batch.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ahead {
    pub(super) has_unsettled: bool,
    pub(super) has_effectful: bool,
    pub(super) has_unjudged: bool,
}

impl Ahead {
    /// Whether a call may go on past the queue: effects alone and in order, reads side by side but
    /// never past an effect that comes before them.
    pub(super) fn allows(self, is_effectful: bool, is_open: bool) -> bool {
        // While the model speaks its step may still come to nothing, and must have changed nothing then.
        if is_effectful { !self.has_unsettled && !is_open } else { !self.has_effectful }
    }
}

/// The calls of one step.
#[derive(Debug, Default)]
pub(super) struct CallBatch {
    pub(super) slots: Vec<CallSlot>,
    /// Whether the model still speaks, so that more calls may come.
    pub(super) is_open: bool,
    /// A reason to bring the run to its answer once all calls are settled.
    pub(super) stop: Option<StopReason>,
    /// What was wrong with the first bad call, if there was one.
    pub(super) bad_call: Option<String>,
    /// How many questions were asked.
    pub(super) questions: u32,
    /// How many were expected when the last one was.
    questions_expected: u32,
}

impl CallBatch {
    pub(super) fn open() -> Self {
        Self { is_open: true, ..Self::default() }
    }

    /// The calls that run or have run, and those that have not come so far.
    pub(super) fn split_begun(mut self) -> (Self, Self) {
        let has_begun = |slot: &CallSlot| matches!(slot.state, SlotState::Running | SlotState::Settled(_));
        let (begun, waiting) = self.slots.drain(..).partition(has_begun);
        let waiting = Self { slots: waiting, is_open: self.is_open, ..Self::default() };
        (Self { slots: begun, ..self }, waiting)
    }

    pub(super) fn is_settled(&self) -> bool {
        !self.is_open && self.slots.iter().all(CallSlot::is_settled)
    }

    pub(super) fn find(&self, call_id: &CallId) -> Option<usize> {
        self.slots.iter().position(|slot| slot.call.id == *call_id)
    }

    pub(super) fn running(&self) -> usize {
        self.slots.iter().filter(|slot| matches!(slot.state, SlotState::Running)).count()
    }

    pub(super) fn is_asking(&self) -> bool {
        self.slots.iter().any(|slot| matches!(slot.state, SlotState::Asking(_)))
    }

    /// The place of the next question, which is about this slot, and how many there will be as far as is known.
    pub(super) fn count_question(&mut self, index: usize, expects: impl Fn(&ToolSpec) -> bool) -> (u32, u32) {
        self.questions = self.questions.saturating_add(1);
        let later = self.slots.iter().skip(index.saturating_add(1)).filter(|slot| match &slot.state {
            SlotState::Held(_) => true,
            SlotState::Queued(call) | SlotState::Inspecting(call) => expects(&call.spec),
            SlotState::Unresolved(_)
            | SlotState::Asking(_)
            | SlotState::Ready(_)
            | SlotState::Running
            | SlotState::Settled(_)
            | SlotState::Moving => false,
        });
        let expected = self.questions.saturating_add(u32::try_from(later.count()).unwrap_or(u32::MAX));
        // A rule may settle a question that was counted: a total that people saw never falls.
        self.questions_expected = self.questions_expected.max(expected);
        (self.questions, self.questions_expected)
    }

    pub(super) fn outcomes(&self) -> impl Iterator<Item = (&CallSlot, &Settled)> {
        self.slots.iter().filter_map(|slot| match &slot.state {
            SlotState::Settled(settled) => Some((slot, settled.as_ref())),
            SlotState::Unresolved(_)
            | SlotState::Queued(_)
            | SlotState::Inspecting(_)
            | SlotState::Held(_)
            | SlotState::Asking(_)
            | SlotState::Ready(_)
            | SlotState::Running
            | SlotState::Moving => None,
        })
    }
}

//! What is on record of a run's calls and notes, for a machine that is driven through its own past.
//!
//! What the model was told stays what it was told, whatever the words of today are; a call that was found right
//! stays right, although its tool may be gone or another one now. The machine still makes every decision itself:
//! an outcome on record counts only where it decides for one of the same kind.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::Run;
use crate::calls::check::check_call;
use crate::calls::toolset::Toolset;
use crate::protocol::cause::Cause;
use crate::protocol::command::RunSetup;
use crate::protocol::event::{DurableEvent, Event, Record};
use crate::protocol::ids::CallId;
use crate::protocol::message::Message;
use crate::protocol::tool::{
    Category, CheckedCall, Effects, ErrorKind, ToolCall, ToolFailure, ToolOutcome, ToolSpec, Visibility,
};

/// What is on record of a run.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    calls: HashMap<CallId, RecordedCall>,
    notes: VecDeque<String>,
    setup: Option<Arc<RunSetup>>,
    /// The calls that the input on its way started, where that is known.
    starting: Option<HashSet<CallId>>,
}

/// What is on record of a call.
#[derive(Debug)]
struct RecordedCall {
    name: String,
    category: Category,
    visibility: Visibility,
    check: Check,
    was_inspected: bool,
    end: Option<(Arc<ToolOutcome>, Arc<Message>)>,
}

/// Whether a call was found right, as far as the record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Check {
    Unknown,
    Passed,
    Failed,
}

impl Recorded {
    /// Gathers it from the records of a run.
    pub(crate) fn of(records: &[Arc<Record>]) -> Self {
        let mut recorded = Self::default();
        for record in records {
            recorded.take(record);
        }
        recorded
    }

    /// The same without what is known of checks: the tools of today have to find calls right.
    pub(crate) fn checked_anew(mut self) -> Self {
        // Without setup and checks there are no stand-ins: a tool that is gone shows as a divergence.
        self.setup = None;
        for call in self.calls.values_mut() {
            call.check = Check::Unknown;
        }
        self
    }

    fn take(&mut self, record: &Record) {
        let Event::Durable(event) = &record.event else { return };
        match event {
            DurableEvent::RunStarted { wishes, .. } => self.setup.clone_from(&wishes.setup),
            DurableEvent::NoteAdded { text } => self.notes.push_back(text.clone()),
            DurableEvent::CallRequested { call, category, visibility, .. } => {
                let own = RecordedCall {
                    name: call.name.clone(),
                    category: *category,
                    visibility: *visibility,
                    check: Check::Unknown,
                    was_inspected: false,
                    end: None,
                };
                self.calls.insert(call.id.clone(), own);
            }
            DurableEvent::PermissionRequested { question } => self.pass(&question.call_id, record),
            DurableEvent::CallStarted { call_id, .. } => self.pass(call_id, record),
            DurableEvent::CallEnded { call_id, outcome, message, .. } => {
                let kind = outcome.failure().map(|failure| failure.kind);
                // Whatever stopped a call while it waited says nothing of it.
                let is_judged =
                    matches!(kind, None | Some(ErrorKind::PermissionDenied | ErrorKind::LimitExceeded));
                if is_judged || is_inspection_of(call_id, record) {
                    self.pass(call_id, record);
                }
                let is_bad = record.cause.is_some() && kind.is_some_and(ErrorKind::is_correctable);
                if let Some(call) = self.calls.get_mut(call_id) {
                    // One that started was right: what its tool said of the arguments is an outcome.
                    if is_bad && call.check == Check::Unknown {
                        call.check = Check::Failed;
                    }
                    call.end = Some((Arc::clone(outcome), Arc::clone(message)));
                }
            }
            other => other.ignored(),
        }
    }

    fn pass(&mut self, call_id: &CallId, record: &Record) {
        if let Some(call) = self.calls.get_mut(call_id) {
            call.check = Check::Passed;
            call.was_inspected |= is_inspection_of(call_id, record);
        }
    }

    /// Whether the input on its way started the call: what let it run may not have been known before.
    pub(super) fn may_start(&self, call_id: &CallId) -> bool {
        self.starting.as_ref().is_none_or(|starting| starting.contains(call_id))
    }

    /// What the model was told next by the runtime.
    pub(super) fn next_note(&mut self) -> Option<String> {
        self.notes.pop_front()
    }

    /// What a call gave, if it gave that kind of thing.
    pub(super) fn end_of(
        &self,
        call_id: &CallId,
        outcome: &ToolOutcome,
    ) -> Option<(Arc<ToolOutcome>, Arc<Message>)> {
        let (recorded, message) = self.calls.get(call_id)?.end.as_ref()?;
        let kind = |outcome: &ToolOutcome| (outcome.status(), outcome.failure().map(|failure| failure.kind));
        (kind(recorded) == kind(outcome)).then(|| (Arc::clone(recorded), Arc::clone(message)))
    }

    /// A stand-in for the tool of a call that was found right, or had a tool and came to its end.
    fn stand_in(&self, call_id: &CallId) -> Option<Arc<ToolSpec>> {
        let call = self.calls.get(call_id)?;
        let effects = self.setup.as_ref().and_then(|setup| setup.tools.get(&call.name)).copied();
        let is_meant = match call.check {
            Check::Passed => true,
            Check::Unknown => effects.is_some() && call.end.is_some(),
            Check::Failed => false,
        };
        is_meant.then_some(())?;
        let executed = self.setup.as_ref().and_then(|setup| setup.executed.get(&call.name));
        Some(Arc::new(ToolSpec {
            // Not known means the worst: such a call is never repeated on its own.
            effects: effects.unwrap_or(Effects::External),
            idempotent: executed.is_some_and(|tool| tool.idempotent),
            executor: executed.map(|tool| tool.executor.clone()),
            untrusted_output: executed.is_some(),
            category: call.category,
            visibility: call.visibility,
            inspected: call.was_inspected,
            ..ToolSpec::new(call.name.clone(), "")
        }))
    }
}

fn is_inspection_of(call_id: &CallId, record: &Record) -> bool {
    matches!(record.cause.as_deref(), Some(Cause::CallInspected { call_id: own }) if own == call_id)
}

impl Run {
    /// Says which calls the next input started.
    pub(crate) fn recall_starts(&mut self, starting: Option<HashSet<CallId>>) {
        if let Some(recorded) = &mut self.recorded {
            recorded.starting = starting;
        }
    }

    /// From now on what is on record counts.
    pub(crate) fn recall(&mut self, recorded: Recorded) {
        self.recorded = Some(Box::new(recorded));
    }

    /// From now on nothing is on record any more.
    pub(crate) fn forget_recorded(&mut self) {
        self.recorded = None;
    }

    /// The name of a call: the tool's own, or the one on record.
    pub(super) fn name_of(&self, tools: &Toolset, call_id: &CallId, said: String) -> String {
        let recorded = self.recorded.as_ref().and_then(|recorded| recorded.calls.get(call_id));
        match recorded {
            // What was an alias then may name another tool today.
            Some(call) => call.name.clone(),
            None => tools.find(&said).map_or(said, |entry| entry.spec.name.clone()),
        }
    }

    /// The tool of a call, or what stands in for it.
    pub(super) fn spec_of(&self, tools: &Toolset, call: &ToolCall) -> Option<Arc<ToolSpec>> {
        let known = tools.find(&call.name).map(|entry| Arc::clone(&entry.spec));
        known.or_else(|| self.recorded.as_ref()?.stand_in(&call.id))
    }

    /// Checks a call, or recalls what the check gave.
    pub(super) fn check(
        &self,
        tools: &Toolset,
        call: ToolCall,
        args: Value,
    ) -> Result<CheckedCall, ToolFailure> {
        let known =
            self.recorded.as_ref().and_then(|recorded| Some((recorded, recorded.calls.get(&call.id)?)));
        let Some((recorded, known)) = known else {
            return check_call(tools, call, args).map_err(|(_, failure)| failure);
        };
        let failure = known.end.as_ref().and_then(|(outcome, _)| outcome.failure());
        match (known.check, failure) {
            (Check::Failed, Some(failure)) => return Err(failure.clone()),
            (Check::Failed, None) => {
                return check_call(tools, call, args).map_err(|(_, failure)| failure);
            }
            // The record does not say, and the tool is still there to be asked.
            (Check::Unknown, _) if tools.find(&call.name).is_some() => {
                return check_call(tools, call, args).map_err(|(_, failure)| failure);
            }
            (Check::Passed | Check::Unknown, _) => {}
        }
        let given = match &args {
            Value::Object(given) => given.clone(),
            _ => Map::new(),
        };
        let spec = recorded.stand_in(&call.id);
        let mut checked = match (check_call(tools, call, args), spec) {
            (Ok(checked), _) => checked,
            (Err((call, _)), Some(spec)) => {
                CheckedCall { call, spec, args: given, dropped_args: Vec::new(), is_fresh: false }
            }
            (Err((_, failure)), None) => return Err(failure),
        };
        // The record has an inspection: the machine has to wait for it to come out the same.
        if known.was_inspected && !checked.spec.inspected {
            checked.spec = Arc::new(ToolSpec { inspected: true, ..ToolSpec::clone(&checked.spec) });
        }
        if let Some((outcome, _)) = &known.end {
            // What the model was told was dropped, not what today's schema would drop.
            checked.dropped_args.clone_from(&outcome.meta.dropped_args);
        }
        Ok(checked)
    }

    /// The failure of a call in the words that it was told in.
    pub(super) fn worded(&self, call_id: &CallId, failure: ToolFailure) -> ToolFailure {
        let Some(recorded) = &self.recorded else { return failure };
        let outcome = ToolOutcome::failed(failure);
        let told = recorded.end_of(call_id, &outcome).and_then(|(told, _)| told.failure().cloned());
        match (told, outcome.body) {
            (Some(told), _) | (None, Err(told)) => told,
            (None, Ok(_)) => ToolFailure::internal("a failure stayed one until here"),
        }
    }
}

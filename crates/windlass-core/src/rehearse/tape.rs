//! The records of one run as a tape: what comes next, what comes after that, and what was only for the eye.

use std::collections::HashMap;
use std::sync::Arc;

use crate::permission::Question;
use crate::protocol::event::{DeltaEvent, DurableEvent, Event, Record};
use crate::protocol::ids::{CallId, Millis};
use crate::protocol::message::{Message, Part};
use crate::protocol::tool::ToolOutcome;

/// A tape, and how far it has been played.
pub(super) struct Tape<'a> {
    records: &'a [Arc<Record>],
    /// Places of the events of the machine.
    machine: Vec<usize>,
    at: usize,
    outcomes: HashMap<&'a CallId, &'a ToolOutcome>,
}

impl<'a> Tape<'a> {
    pub(super) fn new(records: &'a [Arc<Record>]) -> Self {
        let is_own = |(_, record): &(usize, &Arc<Record>)| record.event.is_of_machine();
        let machine = records.iter().enumerate().filter(is_own).map(|(place, _)| place).collect();
        let mut outcomes = HashMap::new();
        for record in records {
            if let Event::Durable(DurableEvent::CallEnded { call_id, outcome, .. }) = &record.event {
                outcomes.insert(call_id, outcome.as_ref());
            }
        }
        Self { records, machine, at: 0, outcomes }
    }

    /// The next record of the machine.
    pub(super) fn next(&self) -> Option<&'a Record> {
        self.record(0)
    }

    /// The event of the machine that comes after so many others.
    pub(super) fn event(&self, ahead: usize) -> Option<&'a DurableEvent> {
        self.record(ahead)?.event.durable()
    }

    fn record(&self, ahead: usize) -> Option<&'a Record> {
        let place = self.machine.get(self.at.saturating_add(ahead))?;
        self.records.get(*place).map(AsRef::as_ref)
    }

    /// The records that come of the next input: they have one cause. Those of the first release have none, and all count.
    pub(super) fn of_input(&self) -> impl Iterator<Item = &'a Record> {
        let cause = self.next().and_then(|record| record.cause.as_ref());
        (0..).map_while(|ahead| self.record(ahead)).take_while(move |record| record.cause.as_ref() == cause)
    }

    /// The events of the machine from here on.
    pub(super) fn ahead(&self) -> impl Iterator<Item = &'a DurableEvent> {
        (0..).map_while(|ahead| self.event(ahead))
    }

    /// How many come before the first that is not like that.
    pub(super) fn count_while(&self, from: usize, is_like: impl Fn(&DurableEvent) -> bool) -> usize {
        (from..).take_while(|ahead| self.event(*ahead).is_some_and(&is_like)).count().saturating_add(from)
    }

    pub(super) fn advance(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    /// How many events of the machine were played.
    pub(super) fn played(&self) -> u64 {
        self.at as u64
    }

    /// What a call gave, wherever that stands.
    pub(super) fn outcome(&self, call_id: &CallId) -> Option<&'a ToolOutcome> {
        self.outcomes.get(call_id).copied()
    }

    /// What was asked about a call.
    pub(super) fn question(&self, call_id: &CallId) -> Option<Question> {
        self.records.iter().find_map(|record| match &record.event {
            Event::Durable(DurableEvent::PermissionRequested { question })
                if question.call_id == *call_id =>
            {
                // Older records have no digest, and could not be answered without one (decision 0023).
                Some(question.as_ref().clone().sealed(&record.run_id))
            }
            Event::Durable(other) => other.ignored(),
            Event::Delta(_) => None,
        })
    }

    /// Times during which nobody was there, between the last event that was played and the next: from, to.
    pub(super) fn pauses(&self) -> Vec<(Millis, Millis)> {
        let (from, to) = self.gap();
        let mut last_ms = self.records.get(from).map_or(0, |record| record.ts_ms);
        let mut pauses = Vec::new();
        for record in self.records.iter().take(to).skip(from) {
            if matches!(record.event, Event::Durable(DurableEvent::RunResumed { .. })) {
                pauses.push((last_ms, record.ts_ms));
            }
            last_ms = record.ts_ms;
        }
        pauses
    }

    /// Places of the last record that was played, and of the next one.
    fn gap(&self) -> (usize, usize) {
        let last = self.at.checked_sub(1).and_then(|at| self.machine.get(at)).copied().unwrap_or(0);
        (last, self.machine.get(self.at).copied().unwrap_or(self.records.len()))
    }

    /// The text that the model had given of the step before the next record.
    pub(super) fn heard(&self) -> Vec<Part> {
        let (_, to) = self.gap();
        let step = self.records.iter().take(to).rev();
        let step = step
            .take_while(|record| !matches!(record.event, Event::Durable(DurableEvent::StepStarted { .. })));
        let mut pieces: Vec<&str> = step
            .filter_map(|record| match &record.event {
                Event::Delta(DeltaEvent::TextDelta { text }) => Some(text.as_str()),
                Event::Durable(_) => None,
                Event::Delta(other) => other.ignored(),
            })
            .collect();
        pieces.reverse();
        let text = pieces.concat();
        if text.is_empty() { Vec::new() } else { vec![Part::text(text)] }
    }

    /// How many parts of its step stand before a call that came while the model spoke. If its step never
    /// ended, the text that was heard so far is one part.
    pub(super) fn parts_before(&self, call_id: &CallId) -> usize {
        let mut same_step =
            self.ahead().take_while(|event| !matches!(event, DurableEvent::StepStarted { .. }));
        let message = same_step.find_map(|event| match event {
            DurableEvent::StepEnded { message, .. } => Some(message),
            other => other.ignored(),
        });
        let Some(Message::Assistant { parts }) = message.map(AsRef::as_ref) else {
            return self.heard().len();
        };
        let before = parts.iter().take_while(|part| !matches!(part, Part::Call(call) if call.id == *call_id));
        before.filter(|part| !matches!(part, Part::Call(_))).count()
    }
}

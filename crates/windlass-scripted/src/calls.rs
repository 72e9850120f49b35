//! Which call of a run is meant by a number in a script.

use std::collections::BTreeMap;

use windlass_core::event::Event;
use windlass_core::ids::CallId;

use crate::beat::BeatKind;
use crate::script::Script;
use crate::step::StepEnding;

/// Learns from events which call has which number. A call is known by its provider id; calls with the
/// same id, or none, are known by their order.
#[derive(Debug, Clone)]
pub struct CallBook {
    /// Numbers and provider ids of calls that were not requested yet, in order.
    waiting: Vec<(u32, Option<String>)>,
    ids: BTreeMap<u32, CallId>,
    numbers: BTreeMap<CallId, u32>,
}

impl CallBook {
    /// The calls of a script. Those of steps that never finish are left out: nobody requests them.
    pub fn new(script: &Script) -> Self {
        let mut waiting = Vec::new();
        for beat in script.beats() {
            if let BeatKind::Step(step) = beat.kind
                && matches!(step.ending, StepEnding::Finish(_))
            {
                waiting.extend(step.calls().map(|call| (call.number, call.provider_id())));
            }
        }
        Self { waiting, ids: BTreeMap::new(), numbers: BTreeMap::new() }
    }

    /// Learns from an event.
    pub fn see(&mut self, event: &Event) {
        let Event::CallRequested { call, .. } = event else { return };
        if self.numbers.contains_key(&call.id) {
            return;
        }
        let exact = self.waiting.iter().position(|(_, id)| *id == call.provider_id);
        // An id that the runtime made up stands for one that the script did not send.
        let place = exact.or_else(|| self.waiting.iter().position(|(_, id)| id.is_none()));
        let number = match place {
            Some(place) => Some(self.waiting.remove(place).0),
            // A call that was written as text has no line of its own: it is known by its count.
            None => call.id.number().and_then(|number| u32::try_from(number).ok()),
        };
        if let Some(number) = number {
            self.ids.insert(number, call.id.clone());
            self.numbers.insert(call.id.clone(), number);
        }
    }

    /// The call of that number, once it was requested.
    pub fn id(&self, number: u32) -> Option<&CallId> {
        self.ids.get(&number)
    }

    /// The number of a call, once it was requested.
    pub fn number(&self, id: &CallId) -> Option<u32> {
        self.numbers.get(id).copied()
    }
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;

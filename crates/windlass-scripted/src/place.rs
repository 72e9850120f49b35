//! How far a script is, for each run that it serves.
//!
//! A run that was served before goes on at its next step, failed tries counted. One that comes in the middle
//! (after a restart, from a fork, from a caller who keeps the history) is placed by what its request says.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use windlass_core::protocol::ids::RunId;
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::ModelRequest;

use crate::limits::RUNS_REMEMBERED_MAX;
use crate::step::{ScriptedStep, StepEnding};

/// The runs that are being served, or were lately.
#[derive(Default)]
pub(crate) struct ServedRuns {
    places: HashMap<RunId, RunProgress>,
    /// Oldest first: the first to be forgotten.
    order: VecDeque<RunId>,
    /// The section for the next session, where each begins with another.
    next_section: Option<usize>,
}

/// How far one run is.
pub(crate) struct RunProgress {
    /// Which `user` section serves it, from 0.
    pub(crate) run: usize,
    /// The step of the section that comes next, from 0.
    pub(crate) next: usize,
    /// The request before, as far as it was seen.
    pub(crate) last: Option<ModelRequest>,
    /// Whether there were requests before it that nobody here saw.
    pub(crate) is_recalled: bool,
    /// The step that was asked for last, from 1.
    step: u32,
    /// What the user said, to know the session again.
    said: Option<Arc<Message>>,
}

impl ServedRuns {
    /// Places for sessions of one run each: every one that begins gets the next section.
    pub(crate) fn in_turn() -> Self {
        Self { next_section: Some(0), ..Self::default() }
    }

    /// The place of the run that asks.
    pub(crate) fn of(
        &mut self,
        request: &ModelRequest,
        sections: &[Vec<Arc<ScriptedStep>>],
    ) -> &mut RunProgress {
        let is_known = self.places.get(&request.run_id).is_some_and(|place| request.step >= place.step);
        if !is_known {
            let place = self.find(request, sections);
            self.remember(&request.run_id, place);
        }
        let place =
            self.places.entry(request.run_id.clone()).or_insert_with(|| RunProgress::begin(request, 0));
        place.step = request.step;
        place
    }

    fn find(&mut self, request: &ModelRequest, sections: &[Vec<Arc<ScriptedStep>>]) -> RunProgress {
        if let Some(section) = self.next_section.as_mut().filter(|_| users(request).count() == 1) {
            let place = RunProgress::begin(request, *section);
            *section = section.saturating_add(1);
            return place;
        }
        let before = self.before(request);
        let run = match before {
            Some(before) => before.run.saturating_add(1),
            None => users(request).count().saturating_sub(1),
        };
        let mut place = RunProgress::begin(request, run);
        place.last = before.and_then(|before| before.last.clone());
        let ended = steps_ended(request);
        if let Some(section) = sections.get(run).filter(|_| ended > 0) {
            place.next = after_ended(section, ended);
        }
        place.is_recalled = ended > 0 || (run > 0 && before.is_none());
        place
    }

    /// The run before, in the same session, if it was served here.
    fn before(&self, request: &ModelRequest) -> Option<&RunProgress> {
        let earlier: Vec<&Arc<Message>> = users(request).rev().skip(1).collect();
        let last = earlier.first()?;
        self.places.values().find(|place| place.said.as_ref().is_some_and(|said| Arc::ptr_eq(said, last)))
    }

    fn remember(&mut self, run_id: &RunId, place: RunProgress) {
        if self.places.insert(run_id.clone(), place).is_none() {
            self.order.push_back(run_id.clone());
        }
        if self.order.len() > RUNS_REMEMBERED_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.places.remove(&oldest);
        }
    }
}

impl RunProgress {
    fn begin(request: &ModelRequest, run: usize) -> Self {
        let said = users(request).next_back().cloned();
        Self { run, next: 0, last: None, is_recalled: false, step: request.step, said }
    }
}

fn users(request: &ModelRequest) -> impl DoubleEndedIterator<Item = &Arc<Message>> {
    let said = request.messages.iter().skip(request.examples);
    said.filter(|message| matches!(message.as_ref(), Message::User { .. }))
}

/// Steps of the run that came to their end before this request. A long history may have lost some of them,
/// and a caller who runs tools itself counts none.
fn steps_ended(request: &ModelRequest) -> usize {
    let is_user = |message: &&Arc<Message>| matches!(message.as_ref(), Message::User { .. });
    let since = request.messages.iter().rev().take_while(|message| !is_user(message));
    let said = since.filter(|message| matches!(message.as_ref(), Message::Assistant { .. })).count();
    let counted = usize::try_from(request.step.saturating_sub(1)).unwrap_or(usize::MAX);
    said.max(counted)
}

/// The step that follows when so many have ended; tries that failed are not among those.
fn after_ended(section: &[Arc<ScriptedStep>], ended: usize) -> usize {
    let is_ended = |step: &ScriptedStep| match step.ending {
        StepEnding::Finish(_) => true,
        StepEnding::Cut | StepEnding::Hang | StepEnding::Fail(_) => false,
    };
    let mut left = ended;
    let place = section.iter().position(|step| {
        let is_next = left == 0;
        left = left.saturating_sub(usize::from(is_ended(step)));
        is_next
    });
    place.unwrap_or_else(|| section.len().saturating_add(left))
}

#[cfg(test)]
#[path = "place_tests.rs"]
mod tests;

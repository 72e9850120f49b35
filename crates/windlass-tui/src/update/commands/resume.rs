//! `/resume`: takes up runs that stopped in the middle.
//!
//! A host lists runs that have not ended, and does not say which of them move: one that does is refused when it is to
//! be taken up again.

use windlass_core::ports::host::ResumeWish;
use windlass_core::ports::store::RunRow;
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::{CallId, RunId};
use windlass_core::protocol::view::{Entry, RunView};
use windlass_core::text::time::ago;

use super::open;
use crate::command::SlashCommand;
use crate::effect::AppEffect;
use crate::figures::plural;
use crate::state::TuiState;
use crate::state::overlay::{Picker, PickerKind, PickerRow};
use crate::text::one_line;

/// How long a run that has not ended stays still before `/resume` is offered.
const STILL_MS: u64 = 5_000;

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["continue"],
    arguments: "[RUN]",
    ..SlashCommand::new("resume", "continue a run that was interrupted", run)
};

/// Lists the runs that have not ended, or takes up the one that is named.
fn run(state: &mut TuiState, rest: &str) -> Vec<AppEffect> {
    if !rest.is_empty() {
        return choose(state, rest);
    }
    let picker = Picker::loading(PickerKind::Unfinished, "Runs that have not ended")
        .with_words("resume", "every run has ended: there is nothing to resume");
    open(state, picker);
    vec![AppEffect::ListUnfinished]
}

/// The runs were listed.
pub(in crate::update) fn fill(state: &mut TuiState, runs: &[RunRow]) {
    let shown = state.session.as_ref().map(|session| session.row.session_id.clone());
    let now_ms = state.now_ms;
    let row = |run: &RunRow| {
        let mut facts =
            vec![run.model.clone(), plural(number(run.steps), "step"), plural(number(run.calls), "call")];
        if run.questions > 0 {
            facts.push(format!("waits for {}", plural(number(run.questions), "answer")));
        }
        PickerRow::new(run.run_id.as_str(), &run.message, facts.join(" · "))
            .with_badge(ago(now_ms, run.started_ms))
            .current(shown.as_ref() == Some(&run.session_id))
    };
    if let Some(picker) = state.overlay.as_mut().and_then(|over| over.picker_mut(PickerKind::Unfinished)) {
        picker.pending = 0;
        picker.set_rows(runs.iter().map(row).collect());
    }
}

/// A row was chosen.
pub(in crate::update) fn choose(state: &mut TuiState, run_id: &str) -> Vec<AppEffect> {
    state.overlay = None;
    state.still_since = None;
    vec![AppEffect::Resume { run_id: RunId::new(run_id), wish: ResumeWish::default() }]
}

/// A session was opened: whether its last run moves will be seen.
pub(in crate::update) fn begin_watch(state: &mut TuiState) {
    let waits = state.session.as_ref().and_then(|session| session.newest()).is_some_and(|run| {
        // A run that waits for an answer stands still with good reason, and the answer takes it up.
        run.ended.is_none() && run.questions.is_empty()
    });
    state.still_since = waits.then_some(state.now_ms);
}

/// Time passed: a run of which nothing has come for a while may be one that stopped in the middle.
pub(in crate::update) fn watch(state: &mut TuiState) {
    let Some(since) = state.still_since else { return };
    if state.now_ms.saturating_sub(since) < STILL_MS {
        return;
    }
    state.still_since = None;
    if state.running().is_some() {
        state.tell(
            "the last run has not ended, and nothing has come of it for 5 s: /resume continues it if it stopped \
             in the middle, Esc ends it",
        );
    }
}

/// A record came: whatever it is, something moves. What a run that was taken up again left open is said.
pub(in crate::update) fn see(state: &mut TuiState, record: &Record) {
    state.still_since = None;
    let Event::Durable(DurableEvent::RunResumed { interrupted, repeated, grants }) = &record.event else {
        return;
    };
    let run = state.session.as_ref().and_then(|session| session.newest());
    let names = |ids: &[CallId]| ids.iter().map(|id| name_of(run, id)).collect::<Vec<_>>().join(", ");
    let mut text = "the run goes on".to_owned();
    if !interrupted.is_empty() {
        text = format!(
            "{text}; nobody knows whether these happened, so they were not repeated: {}",
            names(interrupted)
        );
    }
    if !repeated.is_empty() {
        text = format!("{text}; run again: {}", names(repeated));
    }
    if !grants.is_empty() {
        text = format!("{text}; still allowed in this session: {} (/policy)", one_line(&grants.join(", ")));
    }
    state.tell(text);
}

fn number(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn name_of(run: Option<&RunView>, call_id: &CallId) -> String {
    let mut entries = run.into_iter().flat_map(|run| &run.entries);
    let name = entries.find_map(|entry| match entry {
        Entry::Call(call) if call.call.id == *call_id => Some(one_line(&call.call.name)),
        Entry::Call(_) | Entry::Text(_) | Entry::Reasoning { .. } => None,
    });
    name.unwrap_or_else(|| call_id.to_string())
}

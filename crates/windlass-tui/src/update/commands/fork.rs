//! `/fork`: goes on from a step of a run in a session of its own.

use windlass_core::ports::host::ForkWish;
use windlass_core::protocol::ids::RunId;

use super::{open, refuse};
use crate::command::{Needs, SlashCommand};
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::overlay::{Overlay, Picker, PickerKind, PickerRow};
use crate::state::steps::StepNote;
use crate::state::transcript::Foldable;
use crate::text::one_line;

pub(super) const COMMAND: SlashCommand = SlashCommand {
    arguments: "[STEP [MESSAGE]]",
    needs: Needs::Session,
    ..SlashCommand::new("fork", "continue from a step in a new session", run)
};

/// Lists the steps, or forks at the one that is named, with another message if there is one.
fn run(state: &mut TuiState, rest: &str) -> Vec<AppEffect> {
    let Some(run_id) = meant(state) else {
        state.complain("there is no run to fork yet");
        return Vec::new();
    };
    if rest.is_empty() {
        return list(state, &run_id);
    }
    let (number, message) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let (line, message) = (format!("/fork {rest}"), message.trim());
    let last = steps(state, &run_id).last().map_or(0, |step| step.step);
    match number.parse::<u32>() {
        Ok(step) if step > last => {
            refuse(state, &line, format!("the run has {last} complete steps; /fork lists them"))
        }
        Ok(step) if step > 0 && !message.is_empty() => {
            refuse(state, &line, "another message needs step 0: later steps answer the message that was")
        }
        Ok(step) => {
            let message = (!message.is_empty()).then(|| message.to_owned());
            fork(state, run_id, step, message)
        }
        Err(_) => {
            refuse(state, &line, "/fork STEP, or /fork 0 MESSAGE: steps are numbers, 0 is the message alone")
        }
    }
}

/// The run that is meant: the one that is looked at, else the newest.
fn meant(state: &TuiState) -> Option<RunId> {
    let session = state.session.as_ref()?;
    let focused = state.transcript.focused.as_ref().map(|focused| match focused {
        Foldable::Call(run_id, _) | Foldable::Thinking(run_id, _) => run_id,
    });
    let is_here = |run_id: &&RunId| session.view.runs.iter().any(|run| run.run_id == **run_id);
    focused.filter(is_here).or_else(|| session.newest().map(|run| &run.run_id)).cloned()
}

fn steps<'a>(state: &'a TuiState, run_id: &RunId) -> &'a [StepNote] {
    state.session.as_ref().map_or(&[], |session| session.steps.of(run_id))
}

fn list(state: &mut TuiState, run_id: &RunId) -> Vec<AppEffect> {
    let runs = state.session.iter().flat_map(|session| &session.view.runs);
    let message = runs.filter(|run| run.run_id == *run_id).map(|run| one_line(&run.user)).next();
    let mut rows = vec![PickerRow::new("0", "0  the message alone", message.unwrap_or_default())];
    rows.extend(steps(state, run_id).iter().map(|note| {
        let calls = note.calls.join(", ");
        let detail = match (note.words.is_empty(), calls.is_empty()) {
            (false, false) => format!("{} · {calls}", note.words),
            (false, true) => note.words.clone(),
            (true, _) => calls,
        };
        PickerRow::new(note.step.to_string(), format!("{}  up to step {}", note.step, note.step), detail)
    }));
    let mut picker =
        Picker::new(PickerKind::Steps, "Fork: copy up to which step", rows).with_words("fork", "");
    picker.about = run_id.to_string();
    picker.jump(true);
    open(state, picker);
    Vec::new()
}

/// A row was chosen.
pub(in crate::update) fn choose(state: &mut TuiState, step: &str) -> Vec<AppEffect> {
    let Some(Overlay::Picker(picker)) = state.overlay.take() else { return Vec::new() };
    let step = step.parse().unwrap_or(0);
    fork(state, RunId::new(picker.about.as_str()), step, None)
}

fn fork(state: &mut TuiState, run_id: RunId, step: u32, message: Option<String>) -> Vec<AppEffect> {
    state.tell("forking …");
    let wish = ForkWish { step, message, model: state.about.model.clone(), outcome: None };
    vec![AppEffect::Fork { run_id, wish }]
}

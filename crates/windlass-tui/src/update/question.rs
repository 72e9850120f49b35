//! Keys while a question waits (Z-14).

use crossterm::event::{KeyCode, KeyEvent};
use windlass_core::permission::{Decision, PermissionAnswer, Question};

use super::stop;
use crate::effect::Effect;
use crate::state::State;

/// Whether keys go to a question.
pub(super) fn is_heard(state: &State) -> bool {
    chosen(state).is_some()
}

/// A key while a question waits.
pub(super) fn press(state: &mut State, key: KeyEvent) -> Vec<Effect> {
    match key.code {
        KeyCode::Esc => stop::press_escape(state),
        KeyCode::Char(sign) => match Decision::from_word(sign.encode_utf8(&mut [0; 4])) {
            Some(decision) => answer(state, PermissionAnswer::new(decision)),
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Questions come and go with records: the one that is looked at stays, if it can.
pub(super) fn keep_place(state: &mut State) {
    let waiting =
        state.session.as_ref().and_then(|session| session.newest()).map_or(0, |run| run.questions.len());
    state.asking.chosen = state.asking.chosen.min(waiting.saturating_sub(1));
}

fn chosen(state: &State) -> Option<&Question> {
    state.session.as_ref()?.newest()?.questions.get(state.asking.chosen)
}

fn answer(state: &State, answer: PermissionAnswer) -> Vec<Effect> {
    let (Some(question), Some(run_id)) = (chosen(state), state.running()) else { return Vec::new() };
    vec![Effect::Answer {
        run_id: run_id.clone(),
        call_id: question.call_id.clone(),
        arguments: question.arguments.clone(),
        answer,
    }]
}

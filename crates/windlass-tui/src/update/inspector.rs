//! Keys in the inspector.

use crossterm::event::{KeyCode, KeyEvent};

use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::inspector::{Inspector, Jump};
use crate::state::overlay::Overlay;
use crate::state::transcript::{Foldable, TranscriptSight};
use crate::transcript_text::run_markdown;

/// Opens the inspector: at the thing that has the focus, else at the run that is looked at.
pub(crate) fn open(state: &mut TuiState) {
    let Some(session) = &state.session else { return state.tell("there is nothing to inspect yet") };
    let Some(last) = session.view.runs.len().checked_sub(1) else {
        return state.tell("there is nothing to inspect yet");
    };
    let mut inspector = match &state.transcript.focused {
        Some(Foldable::Call(run_id, call_id)) => {
            let run = session.run_at(run_id).unwrap_or(last);
            Inspector { reveal: Some(call_id.clone()), ..Inspector::new(run) }
        }
        Some(Foldable::Thinking(run_id, _)) => Inspector::new(session.run_at(run_id).unwrap_or(last)),
        None => {
            let sight = &state.transcript.sight;
            let seen = sight.top.filter(|_| sight.end.is_none()).map(|top| top.cell.run);
            Inspector::new(seen.unwrap_or(last))
        }
    };
    inspector.run = inspector.run.min(last);
    state.overlay = Some(Overlay::Inspector(inspector));
}

/// Takes what a frame showed of it.
pub(super) fn see(state: &mut TuiState, sight: &TranscriptSight) {
    let (Some(Overlay::Inspector(inspector)), Some(seen)) = (&mut state.overlay, sight.inspected) else {
        return;
    };
    (inspector.scrolled, inspector.reveal, inspector.jump) = (seen.scrolled, None, None);
    if seen.is_missing {
        let text = format!("not found: {}", inspector.sought);
        state.tell(text);
    }
}

/// A key while the inspector lies over the screen.
pub(super) fn press(state: &mut TuiState, key: KeyEvent) -> Vec<AppEffect> {
    let rows = state.transcript.sight.inspected.map_or(1, |seen| seen.rows);
    let page = i64::try_from(rows).unwrap_or(i64::MAX).saturating_sub(2).max(1);
    let runs = state.session.as_ref().map_or(0, |session| session.view.runs.len());
    let Some(Overlay::Inspector(inspector)) = &mut state.overlay else { return Vec::new() };
    if inspector.is_typing {
        type_into(inspector, key);
        return Vec::new();
    }
    match key.code {
        KeyCode::Esc | KeyCode::Char('q') => state.overlay = None,
        KeyCode::Down | KeyCode::Char('j') => inspector.scroll(1),
        KeyCode::Up | KeyCode::Char('k') => inspector.scroll(-1),
        KeyCode::PageDown | KeyCode::Char(' ') => inspector.scroll(page),
        KeyCode::PageUp => inspector.scroll(-page),
        KeyCode::Home | KeyCode::Char('g') => inspector.scrolled = 0,
        KeyCode::End | KeyCode::Char('G') => inspector.scrolled = usize::MAX,
        KeyCode::Left => go_to(inspector, inspector.run.checked_sub(1)),
        KeyCode::Right => go_to(inspector, Some(inspector.run + 1).filter(|run| *run < runs)),
        KeyCode::Char('/') => (inspector.is_typing, inspector.sought) = (true, String::new()),
        KeyCode::Char('n') if !inspector.sought.is_empty() => inspector.jump = Some(Jump::Next),
        KeyCode::Char('N') if !inspector.sought.is_empty() => inspector.jump = Some(Jump::Previous),
        KeyCode::Char('y') => return copy(state),
        _ => {}
    }
    Vec::new()
}

fn type_into(inspector: &mut Inspector, key: KeyEvent) {
    match key.code {
        KeyCode::Esc => (inspector.is_typing, inspector.sought) = (false, String::new()),
        KeyCode::Enter => {
            inspector.is_typing = false;
            inspector.jump = (!inspector.sought.is_empty()).then_some(Jump::Here);
        }
        KeyCode::Backspace => {
            inspector.sought.pop();
        }
        KeyCode::Char(sign) => inspector.sought.push(sign),
        _ => {}
    }
}

fn go_to(inspector: &mut Inspector, run: Option<usize>) {
    if let Some(run) = run {
        let sought = std::mem::take(&mut inspector.sought);
        *inspector = Inspector { sought, ..Inspector::new(run) };
    }
}

fn copy(state: &mut TuiState) -> Vec<AppEffect> {
    let (Some(Overlay::Inspector(inspector)), Some(session)) = (&state.overlay, &state.session) else {
        return Vec::new();
    };
    let Some(run) = session.view.runs.get(inspector.run) else { return Vec::new() };
    let text = run_markdown(run, session.timing.run(&run.run_id));
    state.tell("the run is copied as Markdown");
    vec![AppEffect::Copy(text)]
}

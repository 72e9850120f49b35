//! Keys while a question waits (Z-13, Z-14). When it hears them at all is `state::question`'s rule.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Style;
use ratatui_textarea::{CursorMove, TextArea};
use windlass_core::permission::{Decision, PermissionAnswer, RulePattern, read_reach};
use windlass_core::ports::host::HostError;
use windlass_core::protocol::ids::CallId;
use windlass_core::text::visible_line;

use super::stop;
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::question::{SETTLE_MS, ShownQuestion, Writing};
use crate::text::one_line;
use crate::view;

/// The answers in the order of their keys.
const ANSWERS: [Decision; 4] = [Decision::Once, Decision::Session, Decision::Remember, Decision::Deny];

/// A key that a question hears; nothing if it has no use for it.
pub(super) fn press(state: &mut TuiState, key: KeyEvent) -> Option<Vec<AppEffect>> {
    match lines_of(state, key) {
        // Where nothing is hidden, pages are the transcript's.
        Some(_) if is_page(key) && view::question_hidden_lines(state) == 0 => return None,
        Some(lines) => {
            scroll(state, lines);
            return Some(Vec::new());
        }
        None => {}
    }
    match state.asking.writing {
        Writing::Nothing => press_answer(state, key),
        Writing::Rule(_) | Writing::Reason(_) | Writing::Word(..) => Some(press_writing(state, key)),
    }
}

/// Pasted text: goes into what is typed for the question. Whether it had a use for it.
pub(super) fn paste(state: &mut TuiState, text: &str) -> bool {
    match &mut state.asking.writing {
        Writing::Nothing => false,
        Writing::Rule(area) | Writing::Reason(area) | Writing::Word(_, area) => {
            area.insert_str(one_line(text))
        }
    }
}

/// Scrolls by lines; down is positive.
pub(super) fn scroll(state: &mut TuiState, lines: isize) {
    let lines_max = view::question_hidden_lines(state);
    state.asking.scrolled = state.asking.scrolled.saturating_add_signed(lines).min(lines_max);
}

/// Looks after every input which question can be seen: the one that is looked at stays, if it can.
pub(super) fn watch(state: &mut TuiState) {
    let place_of = |state: &TuiState, call_id: &CallId| {
        state.questions().iter().position(|question| question.call_id == *call_id)
    };
    let mut answering = std::mem::take(&mut state.asking.answering);
    answering.retain(|call_id| place_of(state, call_id).is_some());
    state.asking.answering = answering;
    let before = state.asking.shown.take();
    let kept = before.as_ref().and_then(|shown| place_of(state, &shown.call_id));
    let last = state.questions().len().saturating_sub(1);
    state.asking.chosen = kept.unwrap_or(state.asking.chosen).min(last);
    let is_visible = state.overlay.is_none() && !state.is_too_small();
    let seen = state.question().filter(|_| is_visible).map(|question| question.call_id.clone());
    state.asking.shown = match (seen, before) {
        (Some(call_id), Some(before)) if before.call_id == call_id => Some(before),
        (Some(call_id), before) => {
            begin(state);
            Some(ShownQuestion { call_id, since_ms: state.now_ms, is_next: before.is_some() })
        }
        (None, _) => {
            begin(state);
            None
        }
    };
}

/// The host did not take an answer: the question says why, and can be answered again.
pub(super) fn refuse(state: &mut TuiState, call_id: &CallId, error: &HostError) {
    state.asking.answering.retain(|sent| sent != call_id);
    if state.question().is_some_and(|question| question.call_id == *call_id) {
        state.asking.problem = Some(error.to_string());
        return;
    }
    match error {
        // The run went on meanwhile, and its records say how.
        HostError::Stale(_) | HostError::Conflict(_) => {}
        HostError::Missing { .. }
        | HostError::Invalid { .. }
        | HostError::Unkeyed { .. }
        | HostError::Busy(_)
        | HostError::NeedsConsent(_)
        | HostError::Held(_)
        | HostError::Unreachable(_)
        | HostError::Unauthorised(_)
        | HostError::Incompatible(_)
        | HostError::Overloaded { .. }
        | HostError::Closing
        | HostError::Broken(_) => state.complain(error.to_string()),
    }
}

/// Nothing is done yet about the question that is looked at.
fn begin(state: &mut TuiState) {
    let asking = &mut state.asking;
    (asking.scrolled, asking.picked, asking.problem) = (0, None, None);
    asking.writing = Writing::Nothing;
    asking.is_whole = false;
}

fn is_page(key: KeyEvent) -> bool {
    matches!(key.code, KeyCode::PageUp | KeyCode::PageDown)
}

/// How far a key scrolls, if it does.
fn lines_of(state: &TuiState, key: KeyEvent) -> Option<isize> {
    let page = || isize::try_from(view::question_page(state)).unwrap_or(isize::MAX);
    match key.code {
        KeyCode::Up => Some(-1),
        KeyCode::Down => Some(1),
        KeyCode::PageUp => Some(page().saturating_neg()),
        KeyCode::PageDown => Some(page()),
        _ => None,
    }
}

fn press_answer(state: &mut TuiState, key: KeyEvent) -> Option<Vec<AppEffect>> {
    let is_plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    match key.code {
        KeyCode::Esc => return Some(stop::press_escape(state)),
        KeyCode::Tab => look_further(state, 1),
        KeyCode::BackTab => look_further(state, -1),
        KeyCode::Home => scroll(state, isize::MIN),
        KeyCode::End => scroll(state, isize::MAX),
        KeyCode::Char('v') if is_plain => {
            state.asking.is_whole = !state.asking.is_whole;
            scroll(state, 0);
        }
        _ if state.is_answering() => {}
        KeyCode::Left => pick(state, -1),
        KeyCode::Right => pick(state, 1),
        KeyCode::Enter => {
            return Some(state.asking.picked.map_or_else(Vec::new, |picked| decide(state, picked)));
        }
        KeyCode::Char('e') if is_plain => edit_rule(state),
        KeyCode::Char('5') if is_plain => write(state, Writing::Reason(line_of(""))),
        KeyCode::Char(sign) if is_plain => {
            let decision = Decision::from_word(sign.encode_utf8(&mut [0; 4]));
            return Some(decision.map_or_else(Vec::new, |decision| decide(state, decision)));
        }
        _ => return None,
    }
    Some(Vec::new())
}

/// Keys in the rule or in the word.
fn press_writing(state: &mut TuiState, key: KeyEvent) -> Vec<AppEffect> {
    let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    match (key.code, &mut state.asking.writing) {
        (KeyCode::Esc, _) => {
            state.asking.writing = Writing::Nothing;
            state.asking.problem = None;
        }
        (KeyCode::Enter, _) => return submit(state),
        // There is but one line.
        (KeyCode::Char('j' | 'm'), _) if is_ctrl => {}
        (KeyCode::Tab | KeyCode::BackTab, _) | (_, Writing::Nothing) => {}
        (_, Writing::Rule(area) | Writing::Reason(area) | Writing::Word(_, area)) => {
            area.input(key);
        }
    }
    Vec::new()
}

fn submit(state: &mut TuiState) -> Vec<AppEffect> {
    match &state.asking.writing {
        Writing::Nothing => Vec::new(),
        Writing::Rule(area) => {
            let typed = area.lines().join(" ");
            store(state, &typed)
        }
        Writing::Reason(area) => {
            let typed = area.lines().join(" ").trim().to_owned();
            let message = (!typed.is_empty()).then_some(typed);
            send(state, PermissionAnswer { message, ..PermissionAnswer::new(Decision::Deny) })
        }
        Writing::Word(answer, area) => {
            let (answer, typed) = (answer.clone(), area.lines().join(" ").trim().to_owned());
            let is_it =
                state.question().is_some_and(|question| question.confirm_word.as_ref() == Some(&typed));
            if is_it {
                return send(state, PermissionAnswer { confirmation: Some(typed), ..answer });
            }
            state.asking.problem = Some("that is another word; nothing was allowed".to_owned());
            Vec::new()
        }
    }
}

/// Answers with a rule of the user's own, if it is one.
fn store(state: &mut TuiState, typed: &str) -> Vec<AppEffect> {
    let is_unchanged = state.question().is_some_and(|question| visible_line(&question.rule) == typed);
    let mut answer = PermissionAnswer::new(Decision::Remember);
    if !is_unchanged {
        let (is_everywhere, rule) = read_reach(typed);
        match rule.parse::<RulePattern>() {
            Ok(_) if is_everywhere => answer.rule = Some(typed.to_owned()),
            Ok(pattern) => answer.rule = Some(pattern.to_string()),
            Err(error) => {
                state.asking.problem = Some(error.to_string());
                return Vec::new();
            }
        }
    }
    confirm(state, answer)
}

fn decide(state: &mut TuiState, decision: Decision) -> Vec<AppEffect> {
    let answer = PermissionAnswer::new(decision);
    match decision {
        Decision::Deny => send(state, answer),
        Decision::Once | Decision::Session | Decision::Remember => confirm(state, answer),
    }
}

/// A critical call needs a typed word.
fn confirm(state: &mut TuiState, answer: PermissionAnswer) -> Vec<AppEffect> {
    if state.question().is_some_and(|question| question.confirm_word.is_some()) {
        write(state, Writing::Word(answer, line_of("")));
        return Vec::new();
    }
    send(state, answer)
}

fn send(state: &mut TuiState, answer: PermissionAnswer) -> Vec<AppEffect> {
    let (Some(question), Some(run_id)) = (state.question(), state.running()) else { return Vec::new() };
    let (run_id, call_id) = (run_id.clone(), question.call_id.clone());
    let digest = question.digest.clone();
    state.asking.answering.push(call_id.clone());
    (state.asking.picked, state.asking.problem) = (None, None);
    state.asking.writing = Writing::Nothing;
    vec![AppEffect::Answer { run_id, call_id, digest, answer }]
}

fn edit_rule(state: &mut TuiState) {
    let Some(question) = state.question() else { return };
    let rule = line_of(&visible_line(&question.rule));
    write(state, Writing::Rule(rule));
}

/// Begins to type something for the question.
fn write(state: &mut TuiState, writing: Writing) {
    state.asking.writing = writing;
    state.asking.problem = None;
}

fn line_of(text: &str) -> Box<TextArea<'static>> {
    let mut area = TextArea::new(vec![text.replace('\n', " ")]);
    area.set_cursor_line_style(Style::new());
    area.move_cursor(CursorMove::End);
    Box::new(area)
}

/// The next answer to the left or to the right.
fn pick(state: &mut TuiState, step: isize) {
    let at = state.asking.picked.and_then(|picked| ANSWERS.iter().position(|answer| *answer == picked));
    let next = match at {
        Some(at) => at.saturating_add_signed(step).min(ANSWERS.len() - 1),
        None if step < 0 => ANSWERS.len() - 1,
        None => 0,
    };
    state.asking.picked = ANSWERS.get(next).copied();
}

/// Looks at another question. Whoever asks for it has seen it come: it listens at once.
fn look_further(state: &mut TuiState, step: isize) {
    let waiting = isize::try_from(state.questions().len()).unwrap_or(isize::MAX);
    let at = isize::try_from(state.asking.chosen).unwrap_or(0);
    let next = at.saturating_add(step).checked_rem_euclid(waiting).unwrap_or(0);
    state.asking.chosen = usize::try_from(next).unwrap_or(0);
    let Some(call_id) = state.question().map(|question| question.call_id.clone()) else { return };
    begin(state);
    let since_ms = state.now_ms.saturating_sub(SETTLE_MS);
    state.asking.shown = Some(ShownQuestion { call_id, since_ms, is_next: false });
}

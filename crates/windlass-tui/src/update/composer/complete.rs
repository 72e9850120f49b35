//! The list over the message: when it opens, what is in it, and what taking a row of it does.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::submit;
use crate::command::find;
use crate::effect::AppEffect;
use crate::fuzzy::Pattern;
use crate::state::TuiState;
use crate::state::composer::Composer;
use crate::state::composer::popup::{Popup, Suggestion, Topic, TypedToken};
use crate::update::offer;

/// Rows that are offered at most: nobody looks further than that.
const ROWS_MAX: usize = 50;

/// A key while the list is open; nothing if it is not meant for it.
pub(super) fn press(state: &mut TuiState, key: KeyEvent) -> Option<Vec<AppEffect>> {
    let popup = state.composer.popup.as_mut()?;
    let is_ctrl = key.modifiers == KeyModifiers::CONTROL;
    match key.code {
        KeyCode::Down | KeyCode::Up => popup.choose(key.code == KeyCode::Down),
        KeyCode::Char('n' | 'p') if is_ctrl => popup.choose(key.code == KeyCode::Char('n')),
        KeyCode::Esc => {
            state.composer.dismissed = Some(popup.token);
            state.composer.popup = None;
        }
        KeyCode::Tab => {
            let chosen = popup.chosen.or((!popup.rows.is_empty()).then_some(0));
            return Some(take(state, chosen, false));
        }
        KeyCode::Enter if key.modifiers.is_empty() => {
            let chosen = popup.chosen.filter(|_| popup.chosen_row().is_some())?;
            // What is written already needs no taking: Enter means the message.
            if popup.topic == Topic::Paths && is_written(state) {
                state.composer.popup = None;
                return None;
            }
            return Some(take(state, Some(chosen), true));
        }
        _ => return None,
    }
    Some(Vec::new())
}

fn is_written(state: &TuiState) -> bool {
    let Some(popup) = &state.composer.popup else { return false };
    let written: String = state
        .composer
        .line(popup.token.line)
        .chars()
        .skip(popup.token.start)
        .take(popup.token.end.saturating_sub(popup.token.start))
        .collect();
    popup.chosen_row().is_some_and(|row| row.text == written)
}

/// Takes a row. With Enter a line that is whole is carried out at once; with Tab it can be gone on with.
fn take(state: &mut TuiState, chosen: Option<usize>, is_enter: bool) -> Vec<AppEffect> {
    let Some(popup) = state.composer.popup.take() else { return Vec::new() };
    let Some(row) = chosen.and_then(|chosen| popup.rows.get(chosen)) else { return Vec::new() };
    let is_sent = is_enter && row.is_whole && popup.topic != Topic::Paths;
    let goes_on = !is_enter && popup.topic == Topic::Paths && row.text.ends_with('/');
    let needs_space = !(is_sent || goes_on || has_space_behind(&state.composer, popup.token));
    let space = if needs_space { " " } else { "" };
    state.composer.replace_token(popup.token, &format!("{}{space}", row.text));
    state.composer.walk.is_fresh = false;
    if is_sent {
        return submit(state);
    }
    // Behind the word something else may be offered: its arguments, or what is in the folder.
    refresh(state, goes_on || popup.topic != Topic::Paths)
}

fn has_space_behind(composer: &Composer, token: TypedToken) -> bool {
    composer.line(token.line).chars().nth(token.end).is_some_and(char::is_whitespace)
}

/// The text changed or the cursor moved: the list opens, follows or closes. It only opens for what was typed.
pub(super) fn refresh(state: &mut TuiState, may_open: bool) -> Vec<AppEffect> {
    let was_open = state.composer.popup.is_some();
    let wanted = wanted_at_cursor(&state.composer);
    let Some(wanted) = wanted else {
        state.composer.popup = None;
        state.composer.dismissed = None;
        return Vec::new();
    };
    let is_same = |token: TypedToken| (token.line, token.start) == (wanted.token.line, wanted.token.start);
    if !state.composer.dismissed.is_some_and(is_same) {
        state.composer.dismissed = None;
    }
    if state.composer.dismissed.is_some() || !(was_open || may_open) {
        state.composer.popup = None;
        return Vec::new();
    }
    let mut effects = Vec::new();
    if matches!(wanted.subject, CompletionSubject::Path) && state.composer.paths.ask(state.now_ms) {
        effects.push(AppEffect::ListPaths);
    }
    let chosen = state.composer.popup.as_ref().filter(|popup| popup.token == wanted.token);
    let chosen = chosen.and_then(|popup| popup.chosen);
    state.composer.popup = open(state, &wanted, chosen);
    effects
}

/// Opens the list for the word at the cursor although it was closed; whether there is something to offer.
pub(super) fn reopen(state: &mut TuiState) -> bool {
    state.composer.dismissed = None;
    let Some(wanted) = wanted_at_cursor(&state.composer) else { return false };
    state.composer.popup = open(state, &wanted, None);
    state.composer.popup.is_some()
}

/// The paths of the project are here.
pub(in crate::update) fn take_paths(state: &mut TuiState, paths: Vec<String>) {
    let now_ms = state.now_ms;
    state.composer.paths.take(paths, now_ms);
    if state.composer.popup.as_ref().is_some_and(|popup| popup.topic == Topic::Paths) {
        refresh(state, true);
    }
}

fn open(state: &TuiState, wanted: &WantedCompletion, chosen: Option<usize>) -> Option<Popup> {
    let (topic, candidates) = match &wanted.subject {
        CompletionSubject::Command => (Topic::Commands, offer::commands(state)),
        CompletionSubject::Argument { word, earlier } => {
            let (title, candidates) = (find(word)?.offer)(state, earlier)?;
            (Topic::Arguments(title), candidates)
        }
        CompletionSubject::Path => return open_paths(state, wanted, chosen),
    };
    let mut rows = narrow(candidates, &wanted.query);
    if topic == Topic::Commands {
        offer::put_meant_first(&mut rows, &wanted.query, state);
    }
    // A word that is all there is to choose from is chosen already.
    let is_done = topic != Topic::Commands && rows.iter().any(|row| row.text == wanted.query);
    if rows.is_empty() || is_done {
        return None;
    }
    let chosen = chosen.or((topic == Topic::Commands).then_some(0));
    let chosen = chosen.map(|chosen| chosen.min(rows.len() - 1));
    Some(Popup { topic, token: wanted.token, rows, chosen, is_loading: false })
}

/// The candidates that fit what is typed, the best first; all of them in their own order before anything is.
fn narrow(candidates: Vec<Suggestion>, query: &str) -> Vec<Suggestion> {
    if query.is_empty() {
        return candidates;
    }
    let names: Vec<&str> = candidates.iter().map(|row| row.label.as_str()).collect();
    let fitting = Pattern::new(query).best(names, ROWS_MAX).into_iter();
    fitting
        .filter_map(|found| Some(Suggestion { places: found.places, ..candidates.get(found.index)?.clone() }))
        .collect()
}

fn open_paths(state: &TuiState, wanted: &WantedCompletion, chosen: Option<usize>) -> Option<Popup> {
    let paths = &state.composer.paths;
    let found = Pattern::new(&wanted.query).best(paths.all.iter().map(String::as_str), ROWS_MAX);
    let rows: Vec<Suggestion> = found
        .into_iter()
        .filter_map(|found| {
            let path = paths.all.get(found.index)?;
            let text = mention(path);
            let label = path.clone();
            let row =
                Suggestion { text, label, places: found.places, is_possible: true, ..Suggestion::default() };
            Some(row)
        })
        .collect();
    let is_loading = paths.are_unknown();
    if rows.is_empty() && !is_loading {
        return None;
    }
    let chosen = chosen.unwrap_or(0).min(rows.len().saturating_sub(1));
    Some(Popup { topic: Topic::Paths, token: wanted.token, rows, chosen: Some(chosen), is_loading })
}

/// A path as it is written in a message.
fn mention(path: &str) -> String {
    if path.contains(char::is_whitespace) { format!("@\"{path}\"") } else { format!("@{path}") }
}

/// A word at the cursor that can be completed.
struct WantedCompletion {
    subject: CompletionSubject,
    token: TypedToken,
    /// What is typed of it before the cursor.
    query: String,
}

enum CompletionSubject {
    Command,
    Argument { word: String, earlier: Vec<String> },
    Path,
}

fn wanted_at_cursor(composer: &Composer) -> Option<WantedCompletion> {
    let (line, column) = composer.cursor();
    let signs: Vec<char> = composer.line(line).chars().collect();
    wanted_path(line, column, &signs).or_else(|| wanted_command(line, column, &signs))
}

fn wanted_command(line: usize, column: usize, signs: &[char]) -> Option<WantedCompletion> {
    if line != 0 || signs.first() != Some(&'/') || column == 0 {
        return None;
    }
    let text = |from: usize, to: usize| signs.get(from..to).unwrap_or_default().iter().collect::<String>();
    let word_end = end_of_word(signs, 0);
    let word = text(1, word_end);
    if word.contains('/') {
        return None;
    }
    if column <= word_end {
        let token = TypedToken { line, start: 0, end: word_end };
        return Some(WantedCompletion { subject: CompletionSubject::Command, token, query: text(1, column) });
    }
    let before = signs.get(..column).unwrap_or_default();
    let start = before.iter().rposition(|sign| sign.is_whitespace()).map_or(0, |space| space + 1);
    let earlier = text(word_end, start).split_whitespace().map(str::to_owned).collect();
    let token = TypedToken { line, start, end: end_of_word(signs, column) };
    Some(WantedCompletion {
        subject: CompletionSubject::Argument { word, earlier },
        token,
        query: text(start, column),
    })
}

/// `@` at the beginning of a word, and what is typed of the path behind it; a quote lets the path have spaces.
fn wanted_path(line: usize, column: usize, signs: &[char]) -> Option<WantedCompletion> {
    let before = signs.get(..column)?;
    let begins = |at: usize| match at.checked_sub(1).and_then(|at| signs.get(at)) {
        None => true,
        Some(sign) => sign.is_whitespace() || matches!(sign, '(' | '[' | '{' | ',' | ';' | ':' | '\'' | '`'),
    };
    let start = before.iter().enumerate().rposition(|(at, sign)| *sign == '@' && begins(at))?;
    let typed = before.get(start + 1..)?;
    let token = |end: usize| TypedToken { line, start, end };
    if typed.first() == Some(&'"') {
        let typed = typed.get(1..)?;
        let is_open = !typed.contains(&'"');
        let rest = signs.get(column..)?;
        // The closing quote goes with the word, if it is there.
        let end = rest.iter().position(|sign| *sign == '"').map_or(column, |quote| column + quote + 1);
        return is_open.then(|| WantedCompletion {
            subject: CompletionSubject::Path,
            token: token(end),
            query: typed.iter().collect(),
        });
    }
    let is_word = !typed.iter().any(|sign| sign.is_whitespace());
    is_word.then(|| WantedCompletion {
        subject: CompletionSubject::Path,
        token: token(end_of_word(signs, column)),
        query: typed.iter().collect(),
    })
}

fn end_of_word(signs: &[char], from: usize) -> usize {
    let rest = signs.get(from..).unwrap_or_default();
    from + rest.iter().position(|sign| sign.is_whitespace()).unwrap_or(rest.len())
}

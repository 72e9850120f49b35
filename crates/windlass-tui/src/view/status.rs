//! The last lines: what goes on, with which model, at what cost, and which keys help now.
//!
//! Two lines where there is room, else one. What does not fit goes, the least important first; what goes on never does.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use windlass_core::permission::ApproveMode;
use windlass_core::ports::search::IndexProgress;
use windlass_core::protocol::event::RunOutcome;
use windlass_core::protocol::model::Usage;
use windlass_core::protocol::view::{CallState, Entry, RunView};
use windlass_core::text::time::elapsed;

use super::figures::{dollars, gauge, tokens};
use crate::state::question::{KeyTarget, Writing};
use crate::state::session::OpenSession;
use crate::state::{Focus, Tone, TuiState};
use crate::text::{cut, one_line, width};
use crate::theme::{TextRole, spinner};

/// Below so many rows there is one line.
const TWO_LINES_ROWS: u16 = 14;

/// Columns of a session's title.
const TITLE_COLUMNS: usize = 32;

/// From here on the context is nearly full.
const CONTEXT_WARN_PERCENT: u64 = 80;

const BETWEEN: &str = " · ";

/// A part of a line, and how much it matters: the least goes first.
struct StatusPart {
    text: String,
    role: TextRole,
    weight: u8,
}

impl StatusPart {
    fn new(text: impl Into<String>, role: TextRole, weight: u8) -> Self {
        Self { text: text.into(), role, weight }
    }
}

/// Rows that it takes.
pub(super) fn rows(screen_rows: u16) -> u16 {
    if screen_rows < TWO_LINES_ROWS { 1 } else { 2 }
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &TuiState) {
    let first = Rect { height: 1, ..area };
    if area.height < 2 {
        let mut left = going_on(state);
        let right = match notice(state) {
            Some(notice) => {
                left.push(mode(state));
                vec![notice]
            }
            None => {
                left.push(mode(state));
                left.extend(model(state));
                context(state).into_iter().collect()
            }
        };
        draw_line(frame, first, state, left, right);
        return;
    }
    draw_line(frame, first, state, going_on(state), spent(state));
    let second = Rect { y: area.y.saturating_add(1), height: 1, ..area };
    match notice(state) {
        Some(mut notice) if width(&notice.text) + 2 > usize::from(area.width) / 2 => {
            // The mode stays in view, and as much of a long notice as there is room for.
            let mode = mode(state);
            let taken = width(&mode.text) + width(BETWEEN) + 2;
            notice.text = cut(&notice.text, usize::from(area.width).saturating_sub(taken)).into_owned();
            draw_line(frame, second, state, vec![mode, notice], Vec::new());
        }
        Some(notice) => draw_line(frame, second, state, place(state), vec![notice]),
        None => draw_line(frame, second, state, place(state), hints(state)),
    }
}

/// Parts at both ends of a line, as far as they fit.
fn draw_line(
    frame: &mut Frame<'_>,
    area: Rect,
    state: &TuiState,
    mut left: Vec<StatusPart>,
    mut right: Vec<StatusPart>,
) {
    let room = usize::from(area.width).saturating_sub(2);
    let columns = |parts: &[StatusPart]| {
        let texts: usize = parts.iter().map(|part| width(&part.text)).sum();
        texts + parts.len().saturating_sub(1) * width(BETWEEN)
    };
    let gap = |right: &[StatusPart]| if right.is_empty() { 0 } else { 2 };
    while columns(&left) + gap(&right) + columns(&right) > room && left.len() + right.len() > 1 {
        let least = left.iter().chain(&right).map(|part| part.weight).min().unwrap_or_default();
        // Of equals the last goes, and it goes from the right.
        match right.iter().rposition(|part| part.weight == least) {
            Some(at) => drop(right.remove(at)),
            None => match left.iter().rposition(|part| part.weight == least) {
                Some(at) => drop(left.remove(at)),
                None => break,
            },
        }
    }
    let blank = room.saturating_sub(columns(&left) + columns(&right));
    let mut spans = vec![Span::raw(" ")];
    spans.extend(joined(&left, state, room));
    spans.push(Span::raw(" ".repeat(blank)));
    spans.extend(joined(&right, state, room));
    frame.render_widget(Line::from(spans), area);
}

fn joined(parts: &[StatusPart], state: &TuiState, room: usize) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    for part in parts {
        if !spans.is_empty() {
            spans.push(Span::styled(BETWEEN, state.theme.style(TextRole::Muted)));
        }
        spans.push(Span::styled(cut(&part.text, room).into_owned(), state.theme.style(part.role)));
    }
    spans
}

fn notice(state: &TuiState) -> Option<StatusPart> {
    let notice = state.notice.as_ref()?;
    let (sign, role) = match notice.tone {
        Tone::Plain => ("", TextRole::Text),
        Tone::Bad => ("✗ ", TextRole::Bad),
    };
    Some(StatusPart::new(format!("{sign}{}", one_line(&notice.text)), role, 200))
}

/// What goes on, and the index beside it.
fn going_on(state: &TuiState) -> Vec<StatusPart> {
    let mut parts = run_or_rest(state);
    parts.extend(state.indexing.map(|IndexProgress { done, total }| {
        let text = if total == 0 { "indexing".to_owned() } else { format!("indexing {done}/{total}") };
        StatusPart::new(text, TextRole::Muted, 110)
    }));
    parts
}

fn run_or_rest(state: &TuiState) -> Vec<StatusPart> {
    let Some(session) = &state.session else {
        return match &state.sending {
            Some((_, since_ms)) => vec![moving(state, "sending", *since_ms)],
            None => vec![StatusPart::new("ready", TextRole::Muted, 255)],
        };
    };
    let mut parts = Vec::new();
    if session.is_cut {
        parts.push(StatusPart::new("connection lost, trying again", TextRole::Warn, 255));
    } else if session.is_loading {
        parts.push(StatusPart::new(
            format!("{} reading the session", spinner(state.now_ms)),
            TextRole::Accent,
            255,
        ));
    }
    match (session.newest(), &state.sending) {
        (_, Some((_, since_ms))) => parts.push(moving(state, "sending", *since_ms)),
        (Some(run), None) => parts.extend(run_parts(state, session, run)),
        (None, None) if parts.is_empty() => parts.push(StatusPart::new("ready", TextRole::Muted, 255)),
        (None, None) => {}
    }
    parts
}

fn moving(state: &TuiState, word: &str, since_ms: u64) -> StatusPart {
    let time = elapsed(state.now_ms.saturating_sub(since_ms));
    StatusPart::new(format!("{} {word} {time}", spinner(state.now_ms)), TextRole::Accent, 254)
}

fn run_parts(state: &TuiState, session: &OpenSession, run: &RunView) -> Vec<StatusPart> {
    let timing = session.timing.run(&run.run_id);
    let started_ms = timing.map_or(state.now_ms, |timing| timing.started_ms);
    if let Some((outcome, _)) = &run.ended {
        let took = timing.and_then(|timing| timing.ended_ms).map(|ended| ended.saturating_sub(started_ms));
        return vec![ended(*outcome, took)];
    }
    let word = match (&state.cancelling, &run.waiting) {
        (Some(_), _) => "cancelling".to_owned(),
        (None, _) if !run.questions.is_empty() => {
            let time = elapsed(state.now_ms.saturating_sub(started_ms));
            return vec![StatusPart::new(format!("? asks for permission {time}"), TextRole::Warn, 254)];
        }
        (None, Some(waiting)) => format!("waiting for try {} of {}", waiting.attempt, waiting.attempts_max),
        (None, None) => doing(run).to_owned(),
    };
    let mut parts = vec![moving(state, &word, started_ms)];
    let step = timing.map_or(0, |timing| timing.step);
    if step > 0 {
        parts.push(StatusPart::new(format!("step {step}"), TextRole::Muted, 120));
    }
    match running_calls(run) {
        0 => {}
        1 => parts.push(StatusPart::new("1 call runs", TextRole::Muted, 130)),
        calls => parts.push(StatusPart::new(format!("{calls} calls run"), TextRole::Muted, 130)),
    }
    parts
}

fn ended(outcome: RunOutcome, took_ms: Option<u64>) -> StatusPart {
    let (text, role) = match outcome {
        RunOutcome::Completed => ("✓ done", TextRole::Good),
        RunOutcome::LimitReached => ("! limit reached", TextRole::Warn),
        RunOutcome::Cancelled => ("○ cancelled", TextRole::Muted),
        RunOutcome::Failed => ("✗ failed", TextRole::Bad),
    };
    let time = took_ms.map(|ms| format!(" in {}", elapsed(ms))).unwrap_or_default();
    StatusPart::new(format!("{text}{time}"), role, 254)
}

fn doing(run: &RunView) -> &'static str {
    if running_calls(run) > 0 {
        return "running";
    }
    match run.entries.last() {
        Some(Entry::Reasoning { .. }) => "thinking",
        Some(Entry::Text(_)) => "answering",
        Some(Entry::Call(_)) | None => "working",
    }
}

fn running_calls(run: &RunView) -> usize {
    let is_running = |entry: &&Entry| match entry {
        Entry::Call(call) => matches!(call.state, CallState::Running),
        Entry::Reasoning { .. } | Entry::Text(_) => false,
    };
    run.entries.iter().filter(is_running).count()
}

/// What was spent, and how full the context is.
fn spent(state: &TuiState) -> Vec<StatusPart> {
    let Some(session) = &state.session else { return Vec::new() };
    let mut usage = Usage::default();
    session.view.runs.iter().for_each(|run| usage.add(&run.usage));
    let mut parts = Vec::new();
    if usage.total() > 0 {
        let text = format!("↑ {} ↓ {}", tokens(usage.input), tokens(usage.output));
        parts.push(StatusPart::new(text, TextRole::Muted, 60));
    }
    parts.extend(cost(state, session).map(|cost| StatusPart::new(dollars(cost), TextRole::Muted, 70)));
    parts.extend(context(state));
    parts
}

/// What the session cost so far; nothing as long as that is not known of all of it.
fn cost(state: &TuiState, session: &OpenSession) -> Option<f64> {
    let mut sum = None;
    let mut known: Option<(&str, Option<windlass_core::ports::host::ModelPrice>)> = None;
    for run in session.view.runs.iter().filter(|run| run.usage.total() > 0) {
        let cost = match run.usage.cost_usd {
            Some(cost) => cost,
            None => {
                let model = session.timing.run(&run.run_id)?.model.as_str();
                let price = match known {
                    Some((name, price)) if name == model => price,
                    Some(_) | None => state.about.model_row(model).and_then(|row| row.price),
                };
                known = Some((model, price));
                let price = price?;
                let fresh = run.usage.input.saturating_sub(run.usage.cached);
                let parts = [
                    (fresh, price.input),
                    (run.usage.cached, price.cached),
                    (run.usage.output, price.output),
                ];
                parts.iter().map(|(tokens, dollars)| *tokens as f64 * dollars / 1e6).sum()
            }
        };
        sum = Some(sum.unwrap_or(0.0) + cost);
    }
    sum
}

/// How full the model's context is: what it read and wrote in the last step is what the next one begins with.
fn context(state: &TuiState) -> Option<StatusPart> {
    let session = state.session.as_ref()?;
    let timings = session.view.runs.iter().rev().map(|run| session.timing.run(&run.run_id));
    let usage = timings.flatten().find_map(|timing| timing.last_step)?;
    let running = session.running().and_then(|run_id| session.timing.run(run_id));
    let model = running.map_or_else(|| state.model(), |timing| timing.model.as_str());
    let whole = state.about.model_row(model)?.context_tokens.filter(|tokens| *tokens > 0)?;
    let (text, percent) = gauge(usage.total(), whole);
    let role = if percent > CONTEXT_WARN_PERCENT { TextRole::Warn } else { TextRole::Muted };
    Some(StatusPart::new(text, role, 140))
}

/// The model, by its short name if it must be.
fn model(state: &TuiState) -> Option<StatusPart> {
    let name = one_line(state.model());
    let short = name.rsplit('/').next().unwrap_or(&name).to_owned();
    (!short.is_empty()).then(|| StatusPart::new(short, TextRole::Muted, 150))
}

/// What runs without asking; nothing but what goes on matters more.
fn mode(state: &TuiState) -> StatusPart {
    let approve = state.approve();
    let role = match approve {
        ApproveMode::All => TextRole::Warn,
        ApproveMode::ReadOnly
        | ApproveMode::Ask
        | ApproveMode::Edit
        | ApproveMode::Never
        | ApproveMode::Safe
        | ApproveMode::EditOnly
        | ApproveMode::Stage
        | ApproveMode::StageOnly => TextRole::Text,
    };
    StatusPart::new(format!("mode {}", approve.word()), role, 253)
}

/// Where this is: mode, model, profile, session, host.
fn place(state: &TuiState) -> Vec<StatusPart> {
    let mut parts = vec![mode(state)];
    parts.extend(model(state));
    parts.push(StatusPart::new(one_line(state.profile()), TextRole::Muted, 90));
    if let Some(place) = &state.about.place {
        parts.push(StatusPart::new(one_line(place), TextRole::Muted, 80));
    }
    let title = state.session.as_ref().map(|session| one_line(session.title()));
    if let Some(title) = title.filter(|title| !title.is_empty()) {
        parts.push(StatusPart::new(cut(&title, TITLE_COLUMNS).into_owned(), TextRole::Muted, 85));
    }
    parts
}

/// Keys that help now, the most useful first.
fn hints(state: &TuiState) -> Vec<StatusPart> {
    let words: &[&str] = match (state.overlay.is_some(), state.ear(), &state.asking.writing, state.focus) {
        (true, ..) => &[],
        (false, KeyTarget::Question | KeyTarget::Nobody, Writing::Nothing, _)
            if state.questions().len() > 1 =>
        {
            &["Esc cancels", "e edits the rule", "Tab next question"]
        }
        (false, KeyTarget::Question | KeyTarget::Nobody, Writing::Nothing, _) => {
            &["Esc cancels", "e edits the rule", "Left/Right, Enter"]
        }
        (
            false,
            KeyTarget::Question | KeyTarget::Nobody,
            Writing::Rule(_) | Writing::Reason(_) | Writing::Word(..),
            _,
        ) => &["Ctrl-C cancels"],
        (false, KeyTarget::Others, _, _) if state.asking.shown.is_some() => &["keys count when you pause"],
        (false, KeyTarget::Others, _, Focus::Transcript) => &["Enter unfolds", "Esc back"],
        (false, KeyTarget::Others, _, Focus::Composer) if state.running().is_some() => {
            &["Esc cancels", "Ctrl-O thinking", "Ctrl-T inspector", "? help"]
        }
        (false, KeyTarget::Others, _, Focus::Composer) => {
            &["Enter sends", "/ commands", "Ctrl-T inspector", "? help"]
        }
    };
    let weights = (20..=50).rev();
    words.iter().zip(weights).map(|(word, weight)| StatusPart::new(*word, TextRole::Muted, weight)).collect()
}

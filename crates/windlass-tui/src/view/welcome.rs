//! What is seen before the first message: what this is, with what it would answer, where it works, and how to begin.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::state::TuiState;
use crate::text::{clean, cut, one_line, wrap_spans};
use crate::theme::TextRole;

const TIPS: [(&str, &str); 5] = [
    ("Enter", "sends a message, Ctrl-J begins a new line in it"),
    ("@", "names a file of the project"),
    ("/", "lists the commands, such as /model and /resume"),
    ("Tab", "goes to the transcript; Enter unfolds an entry"),
    ("Esc", "stops a run; what was done stays done"),
];

/// Columns of the words at the left.
const LABEL_COLUMNS: usize = 9;

/// Draws it; what has no room goes, tips first.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &TuiState) {
    let columns = usize::from(area.width).saturating_sub(4).max(1);
    let rows = usize::from(area.height);
    let name = wordmark(state);
    let (facts, advice, tips) = (facts(state, columns), advice(state, columns), tips(state, columns));
    let is_airy = facts.len() + advice.len() + tips.len() + 5 <= rows;
    let blank = || is_airy.then(Line::default);
    let mut lines: Vec<Line<'static>> = blank().into_iter().collect();
    lines.push(name);
    for block in [facts, advice, tips] {
        if lines.len() + block.len() > rows || block.is_empty() {
            continue;
        }
        lines.extend(blank());
        lines.extend(block);
    }
    let inner = Rect { x: area.x.saturating_add(2), width: area.width.saturating_sub(2), ..area };
    frame.render_widget(Paragraph::new(lines), inner.intersection(area));
}

fn wordmark(state: &TuiState) -> Line<'static> {
    Line::from(vec![
        Span::styled("─●─ ", state.theme.style(TextRole::Accent)),
        Span::styled("Windlass", state.theme.style(TextRole::Heading)),
        Span::styled(format!(" {}", one_line(&state.about.version)), state.theme.style(TextRole::Muted)),
    ])
}

fn facts(state: &TuiState, columns: usize) -> Vec<Line<'static>> {
    let host = state.about.place.as_deref().unwrap_or("in this process");
    let root = state.about.defaults.root.as_str();
    let facts = [("model", state.model()), ("profile", state.profile()), ("project", root), ("host", host)];
    facts.iter().map(|(label, text)| pair(state, TextRole::Muted, label, &one_line(text), columns)).collect()
}

/// What must be done before anything else, if something must.
fn advice(state: &TuiState, columns: usize) -> Vec<Line<'static>> {
    let is_ready = state.about.model_row(state.model()).is_none_or(|row| row.is_ready);
    let text = match &state.opening {
        Some(opening) => clean(opening).into_owned(),
        None if is_ready => return Vec::new(),
        None => "This model cannot be used yet: its key is missing. /model lists those that can; \
                 `windlass models doctor` says what is wrong."
            .to_owned(),
    };
    wrap_spans(&[Span::styled(text, state.theme.style(TextRole::Warn))], columns, &[], &[])
}

fn tips(state: &TuiState, columns: usize) -> Vec<Line<'static>> {
    TIPS.iter().map(|(key, text)| pair(state, TextRole::Accent, key, text, columns)).collect()
}

fn pair(state: &TuiState, role: TextRole, label: &str, text: &str, columns: usize) -> Line<'static> {
    let room = columns.saturating_sub(LABEL_COLUMNS);
    Line::from(vec![
        Span::styled(format!("{label:<LABEL_COLUMNS$}"), state.theme.style(role)),
        Span::raw(cut(text, room).into_owned()),
    ])
}

//! The message that is being written, and what waits to be sent after the run.

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph};
use unicode_segmentation::UnicodeSegmentation as _;

use super::popup;
use crate::command::find;
use crate::state::composer::history::HistoryLookup;
use crate::state::composer::rows::{ComposerRow, lay_out, shown};
use crate::state::composer::{MARGIN_COLUMNS, scrolled_to, text_columns, text_rows_max};
use crate::state::{Focus, TuiState};
use crate::text::{clean, cut, one_line, width};
use crate::theme::TextRole;

/// Stands where nothing is written.
const PLACEHOLDER: &str = "Ask anything · / for commands · @ for files";

/// Stands before the text.
const PROMPT: &str = "› ";

const PROMPT_COLUMNS: u16 = 2;

/// Messages that wait and are shown.
const WAITING_ROWS_MAX: usize = 3;

/// Rows that it takes.
pub(super) fn rows(state: &TuiState) -> u16 {
    let columns = text_columns(state.size.0);
    let text = lay_out(&lines(state), columns).len().clamp(1, text_rows_max(state.size.1));
    u16::try_from(text + waiting_rows(state) + 2).unwrap_or(u16::MAX)
}

fn waiting_rows(state: &TuiState) -> usize {
    state.waiting.len().min(WAITING_ROWS_MAX) + usize::from(state.background.is_some())
}

/// The lines that are shown: what is looked up in the history stands in place of what is written.
fn lines(state: &TuiState) -> Vec<String> {
    match &state.composer.lookup {
        Some(_) => {
            state.composer.looked_up().unwrap_or_default().split('\n').map(|line| line.to_owned()).collect()
        }
        None => state.composer.area.lines().to_vec(),
    }
}

/// Draws it, and the list that lies over it.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &TuiState) {
    if area.is_empty() {
        return;
    }
    let has_top = area.height >= 2;
    let has_bottom = area.height >= 3;
    let mut borders = Borders::NONE;
    borders.set(Borders::TOP, has_top);
    borders.set(Borders::BOTTOM, has_bottom);
    let muted = state.theme.style(TextRole::Muted);
    let mut block = Block::new().borders(borders).border_style(muted);
    if let Some(marker) = marker(state).filter(|_| has_top) {
        let marker = cut(&marker, usize::from(area.width.saturating_sub(5))).into_owned();
        block = block.title_top(Line::styled(format!(" {marker} ─"), muted).right_aligned());
    }
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let waiting = waiting_rows(state).min(usize::from(inner.height.saturating_sub(1)));
    let waiting = u16::try_from(waiting).unwrap_or_default();
    draw_waiting(frame, Rect { height: waiting, ..inner }, state);
    let text = Rect { y: inner.y + waiting, height: inner.height - waiting, ..inner };
    match &state.composer.lookup {
        Some(lookup) => {
            let below = Rect { y: area.bottom() - 1, height: 1, ..area };
            if below.y >= text.bottom() {
                draw_text(frame, text, state);
            }
            draw_lookup(frame, below, state, lookup);
        }
        None => draw_text(frame, text, state),
    }
    popup::draw(frame, area, state);
}

/// What becomes of the message while a run goes on.
fn marker(state: &TuiState) -> Option<String> {
    let is_busy = state.running().is_some() || state.sending.is_some();
    match (state.waiting.len(), is_busy) {
        (0, false) => None,
        (0, true) => Some("still running: Enter queues".to_owned()),
        (1, _) => Some("1 message waits · Up takes it back".to_owned()),
        (count, _) => Some(format!("{count} messages wait · Up takes the last one back")),
    }
}

/// The last messages that wait: they are the ones that can be taken back. Before them, what goes with the next one.
fn draw_waiting(frame: &mut Frame<'_>, area: Rect, state: &TuiState) {
    let background = state
        .background
        .as_ref()
        .map(|background| format!("  context: {} · /context removes it", one_line(&background.label)));
    let room = usize::from(area.height).saturating_sub(usize::from(background.is_some()));
    let skipped = state.waiting.len().saturating_sub(room);
    let columns = usize::from(area.width);
    let style = state.theme.style(TextRole::Muted);
    let line = |text: &String| {
        Line::styled(cut(&format!("  queued · {}", one_line(text)), columns).into_owned(), style)
    };
    let lines = background.iter().map(|text| Line::styled(cut(text, columns).into_owned(), style));
    let lines: Vec<Line<'_>> = lines.chain(state.waiting.iter().skip(skipped).map(line)).collect();
    frame.render_widget(Paragraph::new(lines), area);
}

fn draw_text(frame: &mut Frame<'_>, area: Rect, state: &TuiState) {
    let columns = text_columns(area.width);
    let height = usize::from(area.height);
    let has_keys = state.focus == Focus::Composer && state.overlay.is_none();
    let lines = lines(state);
    let rows = lay_out(&lines, columns);
    let is_written = state.composer.lookup.is_none();
    let (row, column) = if is_written { state.composer.cursor_cell(&rows, columns) } else { (0, 0) };
    let skipped = if is_written { scrolled_to(state.composer.scrolled, row, rows.len(), height) } else { 0 };
    let prompt = state.theme.style(if has_keys { TextRole::Accent } else { TextRole::Muted });
    let mut shown_lines: Vec<Line<'_>> = Vec::new();
    for (place, row) in rows.iter().enumerate().skip(skipped).take(height) {
        let sign = if place == 0 { Span::styled(PROMPT, prompt) } else { Span::raw("  ") };
        let mut line = Line::from(sign);
        let text = lines.get(row.line).map_or("", String::as_str);
        line.spans.extend(spans(state, row, text, is_written));
        shown_lines.push(line);
    }
    if let (true, Some(last)) = (is_written, shown_lines.last_mut()) {
        let room = columns.saturating_sub(column);
        let ghost = cut(ghost(state), room).into_owned();
        last.spans.push(Span::styled(ghost, state.theme.style(TextRole::Muted)));
    }
    frame.render_widget(Paragraph::new(shown_lines), area);
    if has_keys && is_written {
        put_cursor(frame, area, PROMPT_COLUMNS + short(column), short(row.saturating_sub(skipped)));
    }
}

/// What could be written next: anything, or what a command takes.
fn ghost(state: &TuiState) -> &'static str {
    if state.composer.is_empty() {
        return PLACEHOLDER;
    }
    let [line] = state.composer.area.lines() else { return "" };
    match line.strip_prefix('/').and_then(|line| line.strip_suffix(' ')) {
        Some(word) => find(word).map_or("", |row| row.arguments),
        None => "",
    }
}

/// A row of the text; names of pastes and the word of a command stand out.
fn spans(state: &TuiState, row: &ComposerRow, line: &str, is_written: bool) -> Vec<Span<'static>> {
    let mut marked: Vec<Range<usize>> = Vec::new();
    if is_written {
        marked = state.composer.pastes.places(line);
        let word = line.split(char::is_whitespace).next().unwrap_or_default();
        if row.line == 0 && word.strip_prefix('/').is_some_and(|word| find(word).is_some()) {
            marked.push(0..word.len());
        }
    }
    let mut spans: Vec<Span<'static>> = Vec::new();
    let mut last_role = TextRole::Text;
    for (at, sign) in row.of(line).grapheme_indices(true) {
        let place = row.start + at;
        let is_marked = marked.iter().any(|range| range.contains(&place));
        let role = if is_marked { TextRole::Accent } else { TextRole::Text };
        match spans.last_mut().filter(|_| role == last_role) {
            Some(span) => span.content.to_mut().push_str(&shown(sign)),
            None => spans.push(Span::styled(shown(sign).into_owned(), state.theme.style(role))),
        }
        last_role = role;
    }
    spans
}

/// What is looked for in the history, in place of the lower edge.
fn draw_lookup(frame: &mut Frame<'_>, area: Rect, state: &TuiState, lookup: &HistoryLookup) {
    let is_missing = lookup.found.is_none() && !lookup.query.is_empty();
    let label = if is_missing { "not in the history: " } else { "history: " };
    let room = usize::from(area.width).saturating_sub(width(label) + 1);
    let query = clean(&lookup.query);
    let query = cut(&query, room);
    let label_style = state.theme.style(if is_missing { TextRole::Warn } else { TextRole::Accent });
    let typed = width(label) + width(&query);
    let hint = "  Ctrl-R older · Enter takes it · Esc back";
    let hint = if typed + width(hint) <= usize::from(area.width) { hint } else { "" };
    let line = Line::from(vec![
        Span::styled(label, label_style),
        Span::styled(query.into_owned(), state.theme.style(TextRole::Text)),
        Span::raw(" "),
        Span::styled(hint, state.theme.style(TextRole::Muted)),
    ]);
    frame.render_widget(ratatui::widgets::Clear, area);
    frame.render_widget(line, area);
    if state.focus == Focus::Composer && state.overlay.is_none() {
        put_cursor(frame, area, short(typed), 0);
    }
}

fn put_cursor(frame: &mut Frame<'_>, area: Rect, column: u16, row: u16) {
    let x = area.x.saturating_add(column).min(area.right().saturating_sub(1));
    let y = area.y.saturating_add(row).min(area.bottom().saturating_sub(1));
    if !area.is_empty() {
        frame.set_cursor_position(Position { x, y });
    }
}

fn short(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

const _: () = assert!(PROMPT_COLUMNS < MARGIN_COLUMNS, "a cursor behind a full row has a column of its own");

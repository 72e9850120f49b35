//! What was said and done: the cells of the session that the screen has room for.
//!
//! Lays out from the place on which the user looks, never the whole: what a frame costs depends on the screen and
//! not on the session.

mod cache;
mod call;
mod cell;
mod foot;
mod window;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

pub(super) use cache::{Laid, Transcribed};

use super::Cache;
use crate::figures::plural;
use crate::state::cells::Cells;
use crate::state::transcript::{CellLine, Foldable, TranscriptSight};
use crate::state::{Focus, TuiState};
use crate::text::width;
use crate::theme::TextRole;
use window::TranscriptWindow;

/// Columns before the transcript: there stands the mark of what has the focus.
const GUTTER_COLUMNS: u16 = 1;

/// Columns from which on there is a scroll bar.
const BAR_COLUMNS_MIN: u16 = 50;

/// The mark of what has the focus.
const FOCUS_MARK: &str = ">";

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &TuiState, cache: &mut Cache) {
    let has_bar = area.width >= BAR_COLUMNS_MIN;
    let taken = GUTTER_COLUMNS + u16::from(has_bar) * 2;
    let inner = Rect { x: area.x + GUTTER_COLUMNS, width: area.width.saturating_sub(taken), ..area };
    let inner = inner.intersection(area);
    if inner.is_empty() {
        cache.sight = TranscriptSight::default();
        return;
    }
    cache.transcribed.begin(state, inner.width);
    let mut window = TranscriptWindow::new(state, &mut cache.transcribed, inner.width);
    let Some(found) = window.find(usize::from(inner.height)) else {
        cache.sight = TranscriptSight::default();
        return;
    };
    let rows = draw_rows(frame, inner, state, &mut window, found.top, found.rows);
    if !found.is_at_end {
        let news = window.count_new();
        draw_hint(frame, inner, state, news);
    }
    if has_bar {
        draw_bar(frame, area, state, &mut window, &found);
    }
    cache.sight = TranscriptSight {
        top: Some(found.top),
        end: if found.is_at_end { window.end() } else { None },
        corner: (area.x, area.y),
        columns: area.width,
        rows,
        inspected: None,
    };
    cache.transcribed.forget();
}

/// Draws lines from a spot on; what each row folds.
fn draw_rows(
    frame: &mut Frame<'_>,
    inner: Rect,
    state: &TuiState,
    window: &mut TranscriptWindow<'_>,
    top: CellLine,
    rows: usize,
) -> Vec<Option<Foldable>> {
    let cells = Cells::new(state);
    let focused = state.transcript.focused.as_ref().filter(|_| state.focus == Focus::Transcript);
    let mut folds = Vec::with_capacity(rows);
    let mut skipped = usize::try_from(top.line).unwrap_or(0);
    let mut next = Some(top.cell);
    while let Some(cell) = next
        && folds.len() < rows
    {
        let gap = window.gap(cell);
        let laid = window.lay(cell);
        let foldable = cells.foldable(cell);
        let is_focused = focused.is_some() && foldable.as_ref() == focused;
        for line in skipped..gap + laid.len() {
            if folds.len() >= rows {
                break;
            }
            let y = inner.y.saturating_add(u16::try_from(folds.len()).unwrap_or(u16::MAX));
            let is_head = line >= gap && line - gap < laid.head_len();
            if let Some((text, indent, tone)) = line.checked_sub(gap).and_then(|line| laid.line(line)) {
                let row =
                    Rect { x: inner.x.saturating_add(indent), y, height: 1, ..inner }.intersection(inner);
                frame.buffer_mut().set_line(row.x, y, text, row.width);
                frame.buffer_mut().set_style(row, tone.unwrap_or_default());
            }
            if is_head && is_focused {
                mark(frame, inner, y, state);
            }
            folds.push(foldable.clone().filter(|_| is_head));
        }
        skipped = 0;
        next = cells.next(cell);
    }
    folds
}

fn mark(frame: &mut Frame<'_>, inner: Rect, y: u16, state: &TuiState) {
    let row = Rect { y, height: 1, ..inner };
    frame.buffer_mut().set_style(row, state.theme.style(TextRole::Chosen));
    let x = inner.x.saturating_sub(GUTTER_COLUMNS);
    frame.buffer_mut().set_string(x, y, FOCUS_MARK, state.theme.style(TextRole::Accent));
}

/// Says in the last row that this is not the end.
fn draw_hint(frame: &mut Frame<'_>, inner: Rect, state: &TuiState, news: Option<usize>) {
    // In a message that is being written, the key alone goes to the end of its line.
    let is_free = state.focus == Focus::Transcript || state.composer.is_empty();
    let key = if is_free { "End" } else { "Ctrl-End" };
    let text = match news {
        Some(0) => format!("↓ {key}"),
        Some(lines) => format!("↓ {} · {key}", plural(lines, "new line")),
        None => format!("↓ many new lines · {key}"),
    };
    let columns = u16::try_from(width(&text)).unwrap_or(u16::MAX).min(inner.width);
    let x = inner.right().saturating_sub(columns);
    let line = Line::from(Span::styled(text, state.theme.style(TextRole::Muted)));
    frame.buffer_mut().set_line(x, inner.bottom().saturating_sub(1), &line, columns);
}

/// Where in the whole the screen stands, counted in cells: the lines of what is not shown are not known.
fn draw_bar(
    frame: &mut Frame<'_>,
    area: Rect,
    state: &TuiState,
    window: &mut TranscriptWindow<'_>,
    found: &window::ShownWindow,
) {
    let (from, to) = window.share(found);
    if from <= 0.0 && to >= 1.0 {
        return;
    }
    let rows = f64::from(area.height);
    let first = (from * rows).floor().min(rows - 1.0).max(0.0);
    let last = (to * rows).ceil().max(first + 1.0).min(rows);
    let x = area.right().saturating_sub(1);
    let style = state.theme.style(TextRole::Muted);
    for row in 0..area.height {
        let is_thumb = f64::from(row) >= first && f64::from(row) < last;
        if is_thumb {
            frame.buffer_mut().set_string(x, area.y + row, "█", style);
        }
    }
}

//! The list over the message: what the word at the cursor can become.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Clear, Paragraph};

use crate::state::TuiState;
use crate::state::composer::popup::{Popup, Suggestion, Topic};
use crate::text::{clean, cut, width};
use crate::theme::{TextRole, Theme};

/// Rows that are shown at once.
const ROWS_MAX: u16 = 8;

/// Widest row: the eye does not find from one end of a wide screen to the other.
const COLUMNS_MAX: usize = 100;

/// Between the columns of a row.
const GAP: usize = 2;

/// Draws the list above the message, if it is open and there is room.
pub(super) fn draw(frame: &mut Frame<'_>, message: Rect, state: &TuiState) {
    let screen = frame.area();
    let room = message.y.saturating_sub(screen.y);
    let (Some(popup), true) = (&state.composer.popup, room >= 2) else { return };
    let count = u16::try_from(popup.rows.len().max(1)).unwrap_or(u16::MAX);
    let height = count.min(ROWS_MAX).min(room - 1) + 1;
    let area = Rect { y: message.y - height, height, ..message };
    let muted = state.theme.style(TextRole::Muted);
    let title = format!("─ {} ", popup.topic.title());
    let mut block = Block::new().borders(Borders::TOP).border_style(muted);
    let hint = hint(popup);
    if width(&title) + width(hint) + 2 <= usize::from(area.width) {
        block = block.title_top(Line::styled(hint, muted).right_aligned());
    }
    let block = block.title_top(Line::styled(title, muted));
    let inner = block.inner(area);
    frame.render_widget(Clear, area);
    frame.render_widget(block, area);
    frame.render_widget(Paragraph::new(lines(popup, inner, state.theme)), inner);
}

fn label_columns(popup: &Popup, most: usize) -> usize {
    let widest = popup.rows.iter().map(|row| width(&row.label)).max().unwrap_or(0);
    let has_details = popup.rows.iter().any(|row| !row.detail.is_empty());
    // Where more is said about rows, their names leave room for it.
    widest.min(if has_details { most / 2 } else { most })
}

fn hint(popup: &Popup) -> &'static str {
    match popup.topic {
        Topic::Commands => " Tab completes · Enter runs · Esc closes ─",
        Topic::Arguments(_) => " Tab completes · Esc closes ─",
        Topic::Paths => " Tab or Enter completes · Esc closes ─",
    }
}

fn lines(popup: &Popup, area: Rect, theme: Theme) -> Vec<Line<'static>> {
    if popup.rows.is_empty() {
        return vec![Line::styled("  reading the project's paths …", theme.style(TextRole::Muted))];
    }
    let height = usize::from(area.height);
    let columns = usize::from(area.width).min(COLUMNS_MAX);
    let first = popup.chosen.map_or(0, |chosen| (chosen + 1).saturating_sub(height));
    let label = label_columns(popup, columns.saturating_sub(GAP)).min(columns.saturating_sub(GAP));
    let rows = popup.rows.iter().enumerate().skip(first).take(height);
    rows.map(|(place, row)| line(popup, row, popup.chosen == Some(place), (label, columns), theme)).collect()
}

fn line(
    popup: &Popup,
    row: &Suggestion,
    is_chosen: bool,
    (label, columns): (usize, usize),
    theme: Theme,
) -> Line<'static> {
    let plain = theme.style(if row.is_possible { TextRole::Text } else { TextRole::Muted });
    let muted = theme.style(TextRole::Muted);
    let mut spans = vec![Span::styled(if is_chosen { "› " } else { "  " }, theme.style(TextRole::Accent))];
    let marked = theme.style(TextRole::Accent).patch(theme.style(TextRole::Strong));
    let name = match popup.topic {
        Topic::Paths => cut_front(&row.label, &row.places, label),
        Topic::Commands | Topic::Arguments(_) => {
            (cut(&clean(&row.label), label).into_owned(), row.places.clone())
        }
    };
    spans.extend(highlighted(&name.0, &name.1, plain, marked));
    let mut taken = 2 + width(&name.0);
    let detail_at = 2 + label + GAP;
    let keys = if detail_at + width(&row.detail) + GAP + width(row.keys) <= columns { row.keys } else { "" };
    let room = columns.saturating_sub(detail_at + if keys.is_empty() { 0 } else { width(keys) + GAP });
    if room > 3 && !row.detail.is_empty() {
        let detail = cut(&row.detail, room).into_owned();
        spans.push(Span::raw(" ".repeat(detail_at.saturating_sub(taken))));
        taken = detail_at + width(&detail);
        spans.push(Span::styled(detail, muted));
    }
    if !keys.is_empty() {
        spans.push(Span::raw(" ".repeat(columns.saturating_sub(taken + width(keys)))));
        spans.push(Span::styled(keys, muted));
        taken = columns;
    }
    if !is_chosen {
        return Line::from(spans);
    }
    spans.push(Span::raw(" ".repeat(columns.saturating_sub(taken))));
    Line::from(spans).patch_style(theme.style(TextRole::Chosen))
}

/// The end of a path, which says more than its beginning, and where the letters are then.
fn cut_front(path: &str, places: &[usize], columns: usize) -> (String, Vec<usize>) {
    let path = clean(path);
    if width(&path) <= columns {
        return (path.into_owned(), places.to_vec());
    }
    let mut dropped = 0;
    let mut rest: &str = &path;
    while width(rest) + 1 > columns {
        let mut signs = rest.chars();
        if signs.next().is_none() {
            break;
        }
        rest = signs.as_str();
        dropped += 1;
    }
    // The ellipsis stands where the last sign was that went.
    let moved = places.iter().filter(|place| **place >= dropped).map(|place| place + 1 - dropped).collect();
    (format!("…{rest}"), moved)
}

fn highlighted(text: &str, places: &[usize], plain: Style, marked: Style) -> Vec<Span<'static>> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    let mut was_marked = None;
    for (place, sign) in text.chars().enumerate() {
        let is_marked = places.contains(&place);
        match spans.last_mut().filter(|_| was_marked == Some(is_marked)) {
            Some(span) => span.content.to_mut().push(sign),
            None => spans.push(Span::styled(sign.to_string(), if is_marked { marked } else { plain })),
        }
        was_marked = Some(is_marked);
    }
    spans
}

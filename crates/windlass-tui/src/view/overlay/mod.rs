//! What lies over the screen.

mod confirm;
mod pager;
mod picker;
mod prompt;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Padding};

use crate::state::TuiState;
use crate::state::overlay::{Overlay, OverlayBox};
use crate::text::{clean, cut, width};
use crate::theme::TextRole;

/// Draws it, if there is something.
pub(super) fn draw(frame: &mut Frame<'_>, state: &TuiState) {
    match &state.overlay {
        Some(Overlay::Picker(picker)) => picker::draw(frame, state, picker),
        Some(Overlay::Pager(pager)) => pager::draw(frame, state, pager),
        Some(Overlay::Confirm(confirm)) => confirm::draw(frame, state, confirm),
        Some(Overlay::Prompt(prompt)) => prompt::draw(frame, state, prompt),
        // Drawn by itself: it keeps what it laid out.
        Some(Overlay::Inspector(_)) | None => {}
    }
}

/// Draws a box with its title and its line of keys; gives the place for what is in it.
fn frame_box(
    frame: &mut Frame<'_>,
    state: &TuiState,
    room: OverlayBox,
    title: &str,
    keys: &[(&str, &str)],
) -> Rect {
    let screen = frame.area();
    let area = Rect::new(room.x, room.y, room.columns, room.rows).intersection(screen);
    let theme = state.theme;
    let title = cut(&clean(title), room.text_columns().saturating_sub(2)).into_owned();
    let block = Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(theme.style(TextRole::Muted))
        .title(Span::styled(format!(" {title} "), theme.style(TextRole::Heading)))
        .padding(Padding::horizontal(1));
    let inner = block.inner(area);
    frame.render_widget(Clear, area);
    frame.render_widget(block, area);
    let (rows, foot) = (inner.height.saturating_sub(1), inner.y + inner.height.saturating_sub(1));
    if inner.height > 0 {
        let line = key_line(state, keys, usize::from(inner.width));
        frame.render_widget(line, Rect::new(inner.x, foot, inner.width, 1).intersection(screen));
    }
    Rect::new(inner.x, inner.y, inner.width, rows)
}

/// The keys that fit, the first ones first. A question that waits behind the overlay is said before them.
fn key_line(state: &TuiState, keys: &[(&str, &str)], columns: usize) -> Line<'static> {
    let theme = state.theme;
    let mut spans = Vec::new();
    let mut taken = 0;
    let asks = state
        .session
        .as_ref()
        .and_then(|session| session.newest())
        .is_some_and(|run| run.ended.is_none() && !run.questions.is_empty());
    if asks {
        let text = "● a question waits ";
        taken += width(text);
        spans.push(Span::styled(text, theme.style(TextRole::Warn)));
    }
    for (key, verb) in keys {
        let gap = if spans.is_empty() { "" } else { "  " };
        let columns_of_it = gap.len() + width(key) + 1 + width(verb);
        if taken + columns_of_it > columns {
            break;
        }
        taken += columns_of_it;
        spans.push(Span::styled(format!("{gap}{key}"), theme.style(TextRole::Accent)));
        spans.push(Span::styled(format!(" {verb}"), theme.style(TextRole::Muted)));
    }
    Line::from(spans)
}

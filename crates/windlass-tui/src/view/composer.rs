//! The message that is being written.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Borders};

use crate::state::State;
use crate::theme::Role;

/// Rows that it takes.
pub(super) fn rows(state: &State) -> u16 {
    let lines = u16::try_from(state.composer.area.lines().len()).unwrap_or(u16::MAX);
    lines.clamp(1, 8).saturating_add(2)
}

/// Draws it.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let block =
        Block::new().borders(Borders::TOP | Borders::BOTTOM).border_style(state.theme.style(Role::Muted));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    frame.render_widget(&state.composer.area, inner);
}

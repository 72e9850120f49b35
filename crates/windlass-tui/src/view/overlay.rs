//! What lies over the screen.

use ratatui::Frame;
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph};

use crate::state::State;
use crate::state::overlay::Overlay;

/// Draws it, if there is something.
pub(super) fn draw(frame: &mut Frame<'_>, state: &State) {
    let Some(Overlay::Pager(pager)) = &state.overlay else { return };
    let area = frame.area();
    let lines: Vec<Line<'_>> =
        pager.lines.iter().skip(pager.scrolled).map(|line| Line::raw(line.as_str())).collect();
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(Block::bordered().title(pager.title.as_str())), area);
}

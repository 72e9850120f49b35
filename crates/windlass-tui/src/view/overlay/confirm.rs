//! Whether something should really be done.

use ratatui::Frame;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::frame_box;
use crate::state::TuiState;
use crate::state::overlay::{Confirm, OverlayBox};

pub(super) fn draw(frame: &mut Frame<'_>, state: &TuiState, confirm: &Confirm) {
    let room = OverlayBox::on(state.size);
    let columns = room.text_columns();
    let rows: Vec<_> = confirm.lines.iter().flat_map(|line| line.rows(columns, state.theme)).collect();
    let room = room.lowered(rows.len());
    let top = confirm.scrolled.min(rows.len().saturating_sub(room.text_rows()));
    let mut keys = vec![("y", confirm.verb), ("n", "leave it")];
    if rows.len() > room.text_rows() {
        keys.push(("↑↓", "scroll"));
    }
    let area = frame_box(frame, state, room, &confirm.title, &keys);
    let lines: Vec<Line<'_>> = rows.into_iter().skip(top).take(usize::from(area.height)).collect();
    frame.render_widget(Paragraph::new(lines), area);
}

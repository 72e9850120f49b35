//! One line to be written.

use ratatui::Frame;

use super::frame_box;
use crate::state::TuiState;
use crate::state::overlay::{LinePrompt, OverlayBox};

pub(super) fn draw(frame: &mut Frame<'_>, state: &TuiState, prompt: &LinePrompt) {
    let room = OverlayBox::on(state.size).lowered(1);
    let area = frame_box(frame, state, room, &prompt.title, &[("Enter", "keep"), ("Esc", "leave it")]);
    frame.render_widget(&prompt.area, area);
}

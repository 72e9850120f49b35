//! The task list beside the transcript.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Paragraph};
use windlass_core::task::Task;

use crate::state::State;
use crate::text::one_line;

/// Columns that it takes, if there is something to show and room for it.
pub(super) fn columns(state: &State) -> Option<u16> {
    (state.shows_tasks && state.size.0 >= 100 && !tasks(state).is_empty()).then_some(30)
}

fn tasks(state: &State) -> &[Task] {
    state.session.as_ref().and_then(|session| session.newest()).map_or(&[], |run| &run.tasks)
}

/// Draws it.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let lines: Vec<Line<'_>> = tasks(state)
        .iter()
        .map(|task| Line::raw(format!("{} {}", task.status.word(), one_line(&task.content))))
        .collect();
    frame.render_widget(Paragraph::new(lines).block(Block::new().borders(Borders::LEFT)), area);
}

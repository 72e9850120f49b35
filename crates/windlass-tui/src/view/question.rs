//! A question to the user (Z-14).

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Paragraph};
use windlass_core::permission::Question;

use crate::state::State;
use crate::text::clean;
use crate::theme::Role;

/// Rows that it takes, if there is one.
pub(super) fn rows(state: &State) -> Option<u16> {
    chosen(state).map(|_| 8)
}

fn chosen(state: &State) -> Option<&Question> {
    state.session.as_ref()?.newest()?.questions.get(state.asking.chosen)
}

/// Draws it.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let Some(question) = chosen(state) else { return };
    let lines = vec![
        Line::styled(
            format!("{} · {}", question.tool, question.risk.label()),
            state.theme.style(Role::Strong),
        ),
        Line::raw(clean(&question.arguments).into_owned()),
        Line::raw("[1] Allow Once  [2] Session  [3] Remember  [4] Deny"),
    ];
    frame.render_widget(Paragraph::new(lines).block(Block::new().borders(Borders::TOP)), area);
}

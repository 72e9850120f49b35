//! The last line: what goes on, with which model, at what cost.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::state::{State, Tone};
use crate::theme::Role;

/// Draws it.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let line = match &state.notice {
        Some(notice) => {
            let role = match notice.tone {
                Tone::Plain => Role::Text,
                Tone::Bad => Role::Bad,
            };
            Line::styled(notice.text.as_str(), state.theme.style(role))
        }
        None => {
            Line::styled(format!("{} · {}", state.model(), state.profile()), state.theme.style(Role::Muted))
        }
    };
    frame.render_widget(line, area);
}

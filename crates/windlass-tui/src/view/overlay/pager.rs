//! A text to read.

use ratatui::Frame;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::frame_box;
use crate::state::TuiState;
use crate::state::overlay::{OverlayBox, Pager};
use crate::text::one_line;
use crate::theme::TextRole;

pub(super) fn draw(frame: &mut Frame<'_>, state: &TuiState, pager: &Pager) {
    let room = OverlayBox::on(state.size);
    let rows = pager.rows(room.text_columns(), state.theme);
    let last = rows.len().saturating_sub(room.text_rows());
    let top = pager.scrolled.min(last);
    let title = match rows.len() {
        all if all <= room.text_rows() => pager.title.clone(),
        all => format!("{} · {} of {all}", pager.title, (top + room.text_rows()).min(all)),
    };
    let searched = pager.search.as_deref().map(|search| {
        let found = rows.iter().filter(|row| row.is_found).count();
        (one_line(search), format!("{found} found"))
    });
    let mut keys = Vec::new();
    match &searched {
        Some((search, found)) if pager.is_searching => {
            keys.extend([("/", search.as_str()), ("·", found.as_str()), ("Enter", "done"), ("Esc", "none")]);
        }
        Some((search, found)) => {
            keys.extend([
                ("/", search.as_str()),
                ("·", found.as_str()),
                ("n N", "next, last"),
                ("Esc", "none"),
            ]);
        }
        None => {
            keys.extend(pager.actions.iter().map(|action| (action.name, action.verb)));
            keys.extend([("Esc", "close"), ("↑↓", "scroll"), ("/", "search"), ("Space", "page")]);
        }
    }
    let area = frame_box(frame, state, room, &title, &keys);
    if pager.is_loading {
        frame.render_widget(Line::styled("… loading", state.theme.style(TextRole::Muted)), area);
        return;
    }
    let shown = rows.into_iter().skip(top).take(usize::from(area.height));
    let lines: Vec<Line<'_>> = shown.map(|row| row.line).collect();
    frame.render_widget(Paragraph::new(lines), area);
}

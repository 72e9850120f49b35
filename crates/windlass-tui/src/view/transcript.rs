//! What was said and done.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Wrap};
use windlass_core::view::Entry;

use super::Cache;
use crate::state::State;
use crate::text::clean;

/// Draws it.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &State, _cache: &mut Cache) {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for run in state.session.iter().flat_map(|session| &session.view.runs) {
        lines.push(Line::raw(format!("› {}", clean(&run.user))));
        for entry in &run.entries {
            match entry {
                Entry::Reasoning { .. } => lines.push(Line::raw("thinking")),
                Entry::Text(text) => {
                    lines.extend(clean(text).lines().map(|line| Line::raw(line.to_owned())));
                }
                Entry::Call(call) => lines.push(Line::raw(format!("● {}", call.call.name))),
            }
        }
    }
    let skipped = lines.len().saturating_sub(usize::from(area.height));
    let shown: Vec<Line<'_>> = lines.into_iter().skip(skipped).collect();
    frame.render_widget(Paragraph::new(shown).wrap(Wrap { trim: false }), area);
}

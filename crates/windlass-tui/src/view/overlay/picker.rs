//! A list to choose from.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::frame_box;
use crate::state::TuiState;
use crate::state::overlay::{OverlayBox, Picker, PickerRow, StyledLine};
use crate::text::{cut, one_line, width};
use crate::theme::{TextRole, Theme};

/// Rows under the list, for what is known of the chosen row.
const NOTE_ROWS: usize = 2;

/// Below so many rows of text there is no room for a note.
const NOTE_FROM_ROWS: usize = 8;

/// Columns that are worth a detail.
const DETAIL_COLUMNS_MIN: usize = 10;

pub(super) fn draw(frame: &mut Frame<'_>, state: &TuiState, picker: &Picker) {
    let room = OverlayBox::on(state.size).lowered(picker.rows().len().max(6) + 2 + NOTE_ROWS);
    let count = match (picker.fitting().len(), picker.rows().len()) {
        (_, 0) => String::new(),
        (fitting, all) if fitting == all => format!(" · {all}"),
        (fitting, all) => format!(" · {fitting} of {all}"),
    };
    let title = format!("{}{count}", picker.title);
    let area = frame_box(frame, state, room, &title, &keys(picker));
    let mut rows = area.rows();
    if let Some(line) = rows.next() {
        frame.render_widget(filter_line(picker, state.theme), line);
    }
    let list_rows: Vec<Rect> = rows.collect();
    if let Some(text) = nothing(picker) {
        let role = if picker.problem.is_some() { TextRole::Bad } else { TextRole::Muted };
        let lines = StyledLine::new(role, &text).rows(usize::from(area.width), state.theme);
        let below = Rect::new(area.x, area.y.saturating_add(1), area.width, area.height.saturating_sub(1));
        frame.render_widget(Paragraph::new(lines), below.intersection(frame.area()));
        return;
    }
    draw_rows(frame, state.theme, picker, &list_rows);
}

/// What is said where rows would be.
fn nothing(picker: &Picker) -> Option<String> {
    if picker.fitting().len() > 0 {
        return None;
    }
    Some(match &picker.problem {
        _ if picker.pending > 0 => "… loading".to_owned(),
        Some(problem) => format!("✗ {problem}"),
        None if picker.rows().is_empty() => picker.empty.clone(),
        None => format!("nothing fits '{}'", picker.filter),
    })
}

fn keys(picker: &Picker) -> Vec<(&'static str, &'static str)> {
    let mut keys = vec![("Enter", picker.verb)];
    keys.extend(picker.actions.iter().map(|action| (action.name, action.verb)));
    if !picker.actions.is_empty() && !picker.is_filtering {
        keys.push(("/", "filter"));
    }
    let leaves = picker.filter.is_empty() && !picker.is_filtering;
    keys.extend([("Esc", if leaves { "close" } else { "all" }), ("↑↓", "move")]);
    keys
}

fn filter_line(picker: &Picker, theme: Theme) -> Line<'static> {
    let muted = theme.style(TextRole::Muted);
    if picker.filter.is_empty() && !picker.takes_letters() {
        return Line::styled("", muted);
    }
    let mut spans = vec![Span::styled("/ ", theme.style(TextRole::Accent))];
    spans.push(Span::raw(one_line(&picker.filter)));
    spans.push(Span::styled("█", theme.style(TextRole::Accent)));
    if picker.filter.is_empty() {
        spans.push(Span::styled(" type to filter", muted));
    }
    Line::from(spans)
}

fn draw_rows(frame: &mut Frame<'_>, theme: Theme, picker: &Picker, places: &[Rect]) {
    let columns = places.first().map_or(0, |place| usize::from(place.width));
    let has_note = places.len() >= NOTE_FROM_ROWS;
    let shown = if has_note { places.len() - NOTE_ROWS } else { places.len() };
    let top = picker.chosen().saturating_sub(shown / 2).min(picker.fitting().len().saturating_sub(shown));
    let plan = PickerPlan::of(picker, columns);
    for ((at, row), place) in picker.fitting().enumerate().skip(top).take(shown).zip(places) {
        frame.render_widget(plan.line(row, at == picker.chosen(), theme), *place);
    }
    let note = picker.chosen_row().filter(|row| has_note && !plan.shows_all(row));
    if let Some(row) = note {
        let text = [&row.label, &row.detail].map(|text| one_line(text)).join(" · ");
        let lines = StyledLine::new(TextRole::Muted, &text).rows(columns, theme);
        for (line, place) in lines.into_iter().zip(places.iter().skip(shown)) {
            frame.render_widget(line, *place);
        }
    }
}

/// How the columns of a list are shared out.
struct PickerPlan {
    label: usize,
    detail: usize,
    badge: usize,
}

impl PickerPlan {
    fn of(picker: &Picker, columns: usize) -> Self {
        let widest = |text: fn(&PickerRow) -> &str| {
            picker.rows().iter().map(|row| width(&one_line(text(row)))).max().unwrap_or(0)
        };
        let free = columns.saturating_sub(4);
        let badge = widest(|row| &row.badge).min(free / 3);
        let free = free.saturating_sub(if badge > 0 { badge + 1 } else { 0 });
        let has_detail = picker.rows().iter().any(|row| !row.detail.is_empty());
        let label_max = if has_detail && free >= 3 * DETAIL_COLUMNS_MIN { free * 3 / 5 } else { free };
        let label = widest(|row| &row.label).min(label_max);
        let detail = free.saturating_sub(label + 2);
        let detail = if has_detail && detail >= DETAIL_COLUMNS_MIN { detail } else { 0 };
        // Without details the labels have the room.
        let label = if detail == 0 { free } else { label };
        Self { label, detail, badge }
    }

    fn shows_all(&self, row: &PickerRow) -> bool {
        width(&one_line(&row.label)) <= self.label && width(&one_line(&row.detail)) <= self.detail
    }

    fn line(&self, row: &PickerRow, is_chosen: bool, theme: Theme) -> Line<'static> {
        // The chosen row is one bar: what is muted elsewhere is not readable on it.
        let style = |role| if is_chosen { theme.style(TextRole::Chosen) } else { theme.style(role) };
        let mark = if is_chosen { "› " } else { "  " };
        let current = if row.is_current { "● " } else { "  " };
        let mut spans = vec![
            Span::styled(mark, style(TextRole::Accent)),
            Span::styled(current, style(TextRole::Good)),
            fill(&row.label, self.label, style(TextRole::Text)),
        ];
        if self.detail > 0 {
            spans.push(Span::styled("  ", style(TextRole::Text)));
            spans.push(fill(&row.detail, self.detail, style(TextRole::Muted)));
        }
        if self.badge > 0 {
            let badge = cut(&one_line(&row.badge), self.badge).into_owned();
            let blanks = self.badge.saturating_sub(width(&badge)) + 1;
            spans.push(Span::styled(format!("{}{badge}", " ".repeat(blanks)), style(TextRole::Accent)));
        }
        Line::from(spans)
    }
}

/// A text in a column, cut or filled up with blanks.
fn fill(text: &str, columns: usize, style: Style) -> Span<'static> {
    let text = cut(&one_line(text), columns).into_owned();
    let blanks = columns.saturating_sub(width(&text));
    Span::styled(format!("{text}{}", " ".repeat(blanks)), style)
}

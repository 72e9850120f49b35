//! The task list: beside the transcript where the screen is wide, in a few rows over the message where it is not.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Padding, Paragraph};
use windlass_core::protocol::task::{Task, TaskStatus};

use crate::state::TuiState;
use crate::text::{clean, cut, one_line, width, wrap_spans};
use crate::theme::TextRole;

/// From so many columns on it stands beside the transcript.
const SIDE_FROM_COLUMNS: u16 = 100;

/// Columns that it takes there.
const SIDE_COLUMNS: u16 = 30;

/// Rows that it takes elsewhere, at most, and from which height on that many.
const ROWS_MAX: usize = 4;
const ROWS_FROM: u16 = 30;

/// Columns that it takes beside the transcript, if it stands there.
pub(super) fn columns(state: &TuiState) -> Option<u16> {
    (state.size.0 >= SIDE_FROM_COLUMNS && is_shown(state)).then_some(SIDE_COLUMNS)
}

/// Rows that it takes over the message, if it stands there.
pub(super) fn rows(state: &TuiState) -> Option<u16> {
    if state.size.0 >= SIDE_FROM_COLUMNS || !is_shown(state) || state.question().is_some() {
        return None;
    }
    u16::try_from(few_lines(state, usize::from(state.size.0)).len()).ok()
}

/// A list of which nothing is left to do goes with the run that did the last of it.
fn is_shown(state: &TuiState) -> bool {
    let Some(session) = state.session.as_ref().filter(|_| state.shows_tasks) else { return false };
    let is_fresh = session.newest().is_some_and(|run| !run.tasks.is_empty());
    let is_open = session.tasks.iter().any(|task| task.status != TaskStatus::Completed);
    !session.tasks.is_empty() && (is_fresh || is_open)
}

fn tasks(state: &TuiState) -> &[Task] {
    state.session.as_ref().map_or(&[], |session| &session.tasks)
}

/// Draws it beside the transcript.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, state: &TuiState) {
    let block = Block::new()
        .borders(Borders::LEFT)
        .border_style(state.theme.style(TextRole::Muted))
        .padding(Padding::horizontal(1));
    let inner = block.inner(area);
    let lines = all_lines(state, usize::from(inner.width), usize::from(inner.height));
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

/// Draws it over the message.
pub(super) fn draw_few(frame: &mut Frame<'_>, area: Rect, state: &TuiState) {
    frame.render_widget(Paragraph::new(few_lines(state, usize::from(area.width))), area);
}

fn heading(state: &TuiState) -> String {
    let done = tasks(state).iter().filter(|task| task.status == TaskStatus::Completed).count();
    format!("Tasks {done}/{}", tasks(state).len())
}

fn sign(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Pending => "○",
        TaskStatus::InProgress => "▸",
        TaskStatus::Completed => "✓",
    }
}

fn role(status: TaskStatus) -> TextRole {
    match status {
        TaskStatus::Pending => TextRole::Text,
        TaskStatus::InProgress => TextRole::Accent,
        TaskStatus::Completed => TextRole::Muted,
    }
}

/// The whole list; where it is longer than its place, what is done gives way first, then what comes last.
fn all_lines(state: &TuiState, columns: usize, rows: usize) -> Vec<Line<'static>> {
    let mut lines = vec![Line::styled(heading(state), state.theme.style(TextRole::Strong))];
    let rows = rows.saturating_sub(1);
    let all: Vec<Line<'static>> =
        tasks(state).iter().flat_map(|task| task_lines(state, task, columns)).collect();
    if all.len() <= rows {
        lines.extend(all);
        return lines;
    }
    let muted = state.theme.style(TextRole::Muted);
    let is_done = |task: &&Task| task.status == TaskStatus::Completed;
    let done = tasks(state).iter().filter(is_done).count();
    if done > 0 {
        lines.push(Line::styled(format!("✓ {done} completed"), muted));
    }
    let open: Vec<&Task> = tasks(state).iter().filter(|task| !is_done(task)).collect();
    let room = rows.saturating_sub(usize::from(done > 0));
    let laid: Vec<Vec<Line<'static>>> = open.iter().map(|task| task_lines(state, task, columns)).collect();
    let needed: usize = laid.iter().map(Vec::len).sum();
    let room = if needed > room { room.saturating_sub(1) } else { room };
    let (mut taken, mut left) = (0, open.len());
    for task in laid {
        if taken + task.len() > room {
            break;
        }
        taken += task.len();
        left -= 1;
        lines.extend(task);
    }
    if left > 0 {
        lines.push(Line::styled(format!("… {left} more"), muted));
    }
    lines
}

fn task_lines(state: &TuiState, task: &Task, columns: usize) -> Vec<Line<'static>> {
    let style = state.theme.style(role(task.status));
    let lead = [Span::styled(format!("{} ", sign(task.status)), style)];
    wrap_spans(&[Span::styled(clean(&task.content), style)], columns, &lead, &[Span::raw("  ")])
}

/// How far the list is, and what comes now and next.
fn few_lines(state: &TuiState, columns: usize) -> Vec<Line<'static>> {
    let columns = columns.saturating_sub(2);
    let open = |status| tasks(state).iter().filter(move |task| task.status == status);
    let mut next = open(TaskStatus::InProgress).chain(open(TaskStatus::Pending));
    let heading = format!(" {}", heading(state));
    let first = next.next().map(|task| {
        let text = format!(" · {} {}", sign(task.status), one_line(&task.content));
        let room = columns.saturating_sub(width(&heading));
        Span::styled(cut(&text, room).into_owned(), state.theme.style(role(task.status)))
    });
    let mut spans = vec![Span::styled(heading, state.theme.style(TextRole::Strong))];
    spans.extend(first);
    let mut lines = vec![Line::from(spans)];
    let more = if state.size.1 >= ROWS_FROM { ROWS_MAX - 1 } else { 0 };
    lines.extend(next.take(more).map(|task| {
        let text = format!(" {} {}", sign(task.status), one_line(&task.content));
        Line::styled(cut(&text, columns).into_owned(), state.theme.style(role(task.status)))
    }));
    lines
}

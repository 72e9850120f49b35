//! `/tasks`: shows or hides the task list; where it has no place of its own, it is a text.

use windlass_core::protocol::task::TaskStatus;

use super::open_text;
use crate::command::SlashCommand;
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::overlay::{Pager, StyledLine};
use crate::theme::TextRole;

/// Below so many columns the list has no place beside the transcript.
const NARROW_COLUMNS: u16 = 100;

pub(super) const COMMAND: SlashCommand =
    SlashCommand { aliases: &["todo"], ..SlashCommand::new("tasks", "show or hide the task list", run) };

/// Shows or hides it.
fn run(state: &mut TuiState, _rest: &str) -> Vec<AppEffect> {
    let tasks = state.session.as_ref().map_or(&[][..], |session| &session.tasks);
    if tasks.is_empty() {
        state.tell("No tasks yet");
        return Vec::new();
    }
    if state.size.0 >= NARROW_COLUMNS {
        state.shows_tasks = !state.shows_tasks;
        return Vec::new();
    }
    let lines = tasks
        .iter()
        .map(|task| {
            let (sign, role) = match task.status {
                TaskStatus::Pending => ("○ ", TextRole::Text),
                TaskStatus::InProgress => ("▸ ", TextRole::Accent),
                TaskStatus::Completed => ("✓ ", TextRole::Muted),
            };
            StyledLine::new(role, sign).and(role, &task.content)
        })
        .collect();
    let done = tasks.iter().filter(|task| task.status == TaskStatus::Completed).count();
    let title = format!("Tasks {done}/{}", tasks.len());
    open_text(state, Pager::new(title, lines));
    Vec::new()
}

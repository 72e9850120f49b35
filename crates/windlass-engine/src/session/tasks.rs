//! The task list of one session, in memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_core::ports::TasksPort;
use windlass_core::protocol::task::{Task, TaskStatus};
use windlass_core::text::cut_chars;

use crate::limits::{TASK_CHARS_MAX, TASKS_MAX};

/// The tasks of one session, named `task_1`, `task_2`, … in the order of their making; a name is
/// never used again.
#[derive(Debug, Default)]
pub struct SessionTasks {
    list: Mutex<TaskList>,
}

#[derive(Debug, Default)]
struct TaskList {
    tasks: Vec<Task>,
    last_number: u64,
    is_changed: bool,
}

impl SessionTasks {
    pub fn new() -> Self {
        Self::default()
    }

    /// A list as it was left earlier.
    pub fn restore(tasks: Vec<Task>) -> Self {
        let number = |task: &Task| task.task_id.strip_prefix("task_")?.parse::<u64>().ok();
        let last_number = tasks.iter().filter_map(number).max().unwrap_or(0);
        Self { list: Mutex::new(TaskList { tasks, last_number, is_changed: false }) }
    }

    /// The list, if it has changed since the last call of this function.
    pub fn take_change(&self) -> Option<Arc<[Task]>> {
        let mut list = self.lock();
        std::mem::take(&mut list.is_changed).then(|| list.tasks.as_slice().into())
    }

    fn lock(&self) -> MutexGuard<'_, TaskList> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TasksPort for SessionTasks {
    fn add(&self, content: &str) -> Task {
        let mut list = self.lock();
        if list.tasks.len() >= TASKS_MAX {
            // What is done is forgotten first; a list of nothing but open tasks loses its oldest.
            let done = list.tasks.iter().position(|task| task.status == TaskStatus::Completed);
            list.tasks.remove(done.unwrap_or(0));
        }
        list.is_changed = true;
        list.last_number += 1;
        let task = Task {
            task_id: format!("task_{}", list.last_number),
            status: TaskStatus::Pending,
            content: cut_chars(content, TASK_CHARS_MAX).to_owned(),
        };
        list.tasks.push(task.clone());
        task
    }

    fn list(&self) -> Vec<Task> {
        self.lock().tasks.clone()
    }

    fn update(&self, id: &str, status: TaskStatus) -> Option<Task> {
        let mut list = self.lock();
        let task = list.tasks.iter_mut().find(|task| task.task_id == id)?;
        task.status = status;
        let task = task.clone();
        list.is_changed = true;
        Some(task)
    }
}

#[cfg(test)]
#[path = "tasks_tests.rs"]
mod tests;

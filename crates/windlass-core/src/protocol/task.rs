//! Tasks: the list a model keeps to track its progress (Z-6…Z-8).

use serde::{Deserialize, Serialize};

/// One entry of the task list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Task {
    /// `task_1`, `task_2`, …
    pub task_id: String,
    /// How far it is.
    pub status: TaskStatus,
    /// What is to be done.
    pub content: String,
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not begun.
    Pending,
    /// Being worked on.
    InProgress,
    /// Done.
    Completed,
}

impl TaskStatus {
    /// Reads the word of a call.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "pending" => Some(TaskStatus::Pending),
            "in_progress" => Some(TaskStatus::InProgress),
            "completed" => Some(TaskStatus::Completed),
            _ => None,
        }
    }

    /// The word of calls and outcomes.
    pub fn word(self) -> &'static str {
        match self {
            TaskStatus::Pending => "pending",
            TaskStatus::InProgress => "in_progress",
            TaskStatus::Completed => "completed",
        }
    }
}

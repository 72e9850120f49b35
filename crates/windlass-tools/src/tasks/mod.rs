//! The session's task list: the tools `add_task`, `list_tasks` and `update_task`.

pub(crate) mod add_task;
pub(crate) mod list_tasks;
pub(crate) mod update_task;

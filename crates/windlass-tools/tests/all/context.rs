//! A tool context without an engine around it.

use std::path::Path;
use std::sync::Arc;

use windlass_core::ids::{CallId, RunId, SessionId};
use windlass_core::port::{CancelFlag, ProgressPort, ResultsPort, TasksPort, ToolContext};
use windlass_core::task::{Task, TaskStatus};
use windlass_core::tool::ToolOutcome;

/// A context whose ports do nothing.
pub(crate) fn context(root: &Path) -> ToolContext {
    ToolContext {
        call_id: CallId::numbered(1),
        run_id: RunId::from("run"),
        session_id: SessionId::from("session"),
        root: root.to_path_buf(),
        deadline_ms: u64::MAX,
        output_bytes_max: 1024 * 1024,
        cancel: CancelFlag::default(),
        progress: Arc::new(Nothing),
        results: Arc::new(Nothing),
        tasks: Arc::new(Nothing),
    }
}

struct Nothing;

impl ProgressPort for Nothing {
    fn report(&self, _call_id: &CallId, _line: &str) {}
}

impl ResultsPort for Nothing {
    fn find(&self, _reference: &str) -> Option<Arc<ToolOutcome>> {
        None
    }
}

impl TasksPort for Nothing {
    fn add(&self, content: &str) -> Task {
        Task { task_id: "task_1".into(), status: TaskStatus::Pending, content: content.into() }
    }

    fn list(&self) -> Vec<Task> {
        Vec::new()
    }

    fn update(&self, _id: &str, _status: TaskStatus) -> Option<Task> {
        None
    }
}

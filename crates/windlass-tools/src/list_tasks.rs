//! `list_tasks`: the session's task list (Z-7).
//!
//! Owns the spec and the answer; the list belongs to the session.

use serde_json::{Map, Value, json};
use windlass_core::port::{BoxFuture, ToolContext, ToolPort};
use windlass_core::task::Task;
use windlass_core::tool::{Effects, Risk, Scope, ToolFailure, ToolOutput, ToolSpec};

use crate::summary::summarized;

/// The tool's name.
const NAME: &str = "list_tasks";

const ABOUT: &str = "View all current tasks with their task_id and status. Use it before update_task when a task_id is \
                     not known.";

/// The tool.
#[derive(Debug)]
pub(crate) struct ListTasks {
    spec: ToolSpec,
}

impl ListTasks {
    pub(crate) fn new() -> Self {
        let mut spec = ToolSpec::new(NAME, ABOUT)
            .with_effects(Effects::Read, Risk::Safe)
            .with_scopes([Scope::TaskManagement]);
        spec.idempotent = true;
        // Between two looks at the list it may have changed.
        spec.repeatable = true;
        spec.examples = vec![json!({})];
        Self { spec }
    }
}

impl ToolPort for ListTasks {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(
        &'a self,
        _args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let tasks: Vec<Value> = context.tasks.list().iter().map(entry).collect();
            Ok(summarized(NAME, ToolOutput::json(Value::Array(tasks))))
        })
    }
}

fn entry(task: &Task) -> Value {
    json!({"task_id": task.task_id, "status": task.status.word(), "content": task.content})
}

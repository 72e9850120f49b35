//! `list_tasks`: the session's task list (Z-7).
//!
//! Owns the spec and the answer; the list belongs to the session.

use serde_json::{Value, json};
use windlass_core::port::ToolContext;
use windlass_core::task::Task;
use windlass_core::tool::{Effects, Risk, Scope, ToolFailure, ToolOutput, ToolSpec};

use crate::typed::{NoArgs, TypedTool};

pub(crate) struct ListTasks;

impl TypedTool for ListTasks {
    const NAME: &'static str = "list_tasks";
    const ABOUT: &'static str = "View all current tasks with their task_id and status. Use it before update_task when a \
                                 task_id is not known.";
    type Args = NoArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        ToolSpec {
            idempotent: true,
            // Between two looks at the list it may have changed.
            repeatable: true,
            examples: vec![json!({})],
            ..spec.with_effects(Effects::Read, Risk::Safe).with_scopes([Scope::TaskManagement])
        }
    }

    async fn run(&self, _args: NoArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        Ok(ToolOutput::json(context.tasks.list().iter().map(entry).collect()))
    }
}

fn entry(task: &Task) -> Value {
    json!({"task_id": task.task_id, "status": task.status.word(), "content": task.content})
}

//! `list_tasks`: the session's task list (Z-7).
//!
//! Owns the spec and the answer; the list belongs to the session.

use serde_json::{Map, Value, json};
use windlass_core::ports::ToolContext;
use windlass_core::protocol::task::Task;
use windlass_core::protocol::tool::{Effects, Risk, Scope, ToolFailure, ToolOutput, ToolSpec};
use windlass_core::text::markdown::{code_block, code_span, escape, readable};

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
            own_output: true,
            examples: vec![json!({})],
            ..spec.with_effects(Effects::Read, Risk::Safe).with_scopes([Scope::TaskManagement])
        }
    }

    async fn run(&self, _args: NoArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        Ok(ToolOutput::json(context.tasks.list().iter().map(entry).collect()))
    }

    fn display(&self, _args: &Map<String, Value>, value: &Value) -> Option<String> {
        let Some(tasks) = value.as_array() else { return Some(code_block("", &readable(value))) };
        if tasks.is_empty() {
            return Some("There are no tasks.".to_owned());
        }
        let word = |task: &Value, names: &[&str]| {
            let found = names.iter().find_map(|name| task.get(*name).and_then(Value::as_str));
            found.unwrap_or_default().to_owned()
        };
        let line = |task: &Value| {
            // Profiles have either word for the id.
            let (id, content) = (word(task, &["task_id", "id"]), word(task, &["content"]));
            let status = word(task, &["status"]).replace('_', " ");
            format!("- {} {} ({})", code_span(&id), escape(&content), escape(&status))
        };
        Some(tasks.iter().map(line).collect::<Vec<_>>().join("\n"))
    }
}

fn entry(task: &Task) -> Value {
    json!({"task_id": task.task_id, "status": task.status.word(), "content": task.content})
}

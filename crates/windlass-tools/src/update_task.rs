//! `update_task`: sets how far a task is (Z-8).
//!
//! Owns the spec, the answer and the exact texts of its refusals; the list belongs to the session.

use serde_json::{Map, Value, json};
use windlass_core::port::{BoxFuture, LiveState, ToolContext, ToolPort};
use windlass_core::task::TaskStatus;
use windlass_core::tool::{Effects, LIVE_KEYWORD, Risk, Scope, ToolFailure, ToolOutput, ToolSpec};

use crate::argument;
use crate::summary::{cut, summarized};

/// The tool's name.
const NAME: &str = "update_task";

/// The kind of value that a task id is.
const TASKS: &str = "tasks";

const ABOUT: &str = "Update the status of a task: when its work begins, and when it is done. list_tasks gives the \
                     task_id; do not guess it.";
/// How much of an unknown task id is quoted.
const ID_CHARS_MAX: usize = 64;

/// The tool.
#[derive(Debug)]
pub(crate) struct UpdateTask {
    spec: ToolSpec,
}

impl UpdateTask {
    pub(crate) fn new() -> Self {
        // The words of `status` are not an `enum` of the schema: the refusal has a fixed text (A.5),
        // and a schema would answer first with another.
        let mut spec = ToolSpec::new(NAME, ABOUT)
            .with_schema(json!({
                "type": "object",
                "properties": {
                    "task_id": {"type": "string", "description": "For example 'task_1'", LIVE_KEYWORD: TASKS},
                    "status": {"type": "string", "description": "'pending', 'in_progress' or 'completed'"}
                },
                "required": ["task_id", "status"],
                "additionalProperties": false
            }))
            .with_effects(Effects::Write, Risk::Safe)
            .with_scopes([Scope::TaskManagement])
            .with_alias("complete_task")
            .with_arg_alias("id", "task_id");
        spec.idempotent = true;
        spec.examples = vec![json!({"task_id": "task_1", "status": "completed"})];
        Self { spec }
    }
}

impl ToolPort for UpdateTask {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let id = argument::text(args, "task_id")?.trim();
            if id.is_empty() {
                return Err(ToolFailure::invalid_args(
                    "task_id cannot be empty. Use list_tasks to see available task IDs.",
                )
                .at("task_id", "a task id such as 'task_1'", "an empty text"));
            }
            let word = argument::text(args, "status")?;
            let Some(status) = TaskStatus::from_word(word) else {
                return Err(ToolFailure::invalid_args(
                    "Invalid status. Must be 'pending', 'in_progress', or 'completed'",
                )
                .at(
                    "status",
                    "'pending', 'in_progress' or 'completed'",
                    cut(word, ID_CHARS_MAX),
                ));
            };
            let Some(task) = context.tasks.update(id, status) else {
                return Err(ToolFailure::not_found(format!(
                    "Task '{}' not found. Use list_tasks to see available task IDs.",
                    cut(id, ID_CHARS_MAX)
                )));
            };
            let json = json!({"task_id": task.task_id, "status": task.status.word()});
            Ok(summarized(NAME, ToolOutput::json(json)))
        })
    }

    fn live_values(&self, kind: &str, state: &LiveState<'_>) -> Vec<String> {
        if kind != TASKS {
            return Vec::new();
        }
        state.tasks.list().into_iter().map(|task| task.task_id).collect()
    }
}

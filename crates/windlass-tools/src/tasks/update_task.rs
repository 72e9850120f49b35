//! `update_task`: sets how far a task is (Z-8).
//!
//! Owns the spec, the answer and the exact texts of its refusals; the list belongs to the session.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::ports::{LiveState, ToolContext};
use windlass_core::protocol::task::TaskStatus;
use windlass_core::protocol::tool::{Effects, Risk, Scope, ToolFailure, ToolOutput, ToolSpec};
use windlass_core::text::markdown::{code_span, escape};

use crate::summary::cut;
use crate::typed::{TypedTool, text_arg};

/// The kind of value that a task id is.
const TASKS: &str = "tasks";
/// How much of an unknown task id is quoted.
const ID_CHARS_MAX: usize = 64;

pub(crate) struct UpdateTask;

// The words of `status` are not an `enum` of the schema: the refusal has a fixed text (A.5), and a schema would answer
// first with another.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct UpdateTaskArgs {
    /// For example 'task_1'
    #[schemars(extend("x-windlass-live" = TASKS))]
    task_id: String,
    /// 'pending', 'in_progress' or 'completed'
    status: String,
}

impl TypedTool for UpdateTask {
    const NAME: &'static str = "update_task";
    const ABOUT: &'static str = "Update the status of a task: when its work begins, and when it is done. list_tasks gives \
                                 the task_id; do not guess it.";
    type Args = UpdateTaskArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        let spec = spec
            .with_effects(Effects::Write, Risk::Safe)
            .with_scopes([Scope::TaskManagement])
            .with_alias("complete_task")
            .with_arg_alias("id", "task_id");
        let examples = vec![json!({"task_id": "task_1", "status": "completed"})];
        ToolSpec { idempotent: true, own_output: true, examples, ..spec }
    }

    async fn run(&self, args: UpdateTaskArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let id = args.task_id.trim();
        if id.is_empty() {
            return Err(ToolFailure::invalid_args(
                "task_id cannot be empty. Use list_tasks to see available task IDs.",
            )
            .at("task_id", "a task id such as 'task_1'", "an empty text"));
        }
        let Some(status) = TaskStatus::from_word(&args.status) else {
            return Err(ToolFailure::invalid_args(
                "Invalid status. Must be 'pending', 'in_progress', or 'completed'",
            )
            .at(
                "status",
                "'pending', 'in_progress' or 'completed'",
                cut(&args.status, ID_CHARS_MAX),
            ));
        };
        let Some(task) = context.tasks.update(id, status) else {
            return Err(ToolFailure::not_found(format!(
                "Task '{}' not found. Use list_tasks to see available task IDs.",
                cut(id, ID_CHARS_MAX)
            )));
        };
        Ok(ToolOutput::json(json!({"task_id": task.task_id, "status": task.status.word()})))
    }

    fn live_values(&self, kind: &str, state: &LiveState<'_>) -> Vec<String> {
        if kind != TASKS {
            return Vec::new();
        }
        state.tasks.list().into_iter().map(|task| task.task_id).collect()
    }

    fn display(&self, args: &Map<String, Value>, _value: &Value) -> Option<String> {
        let status = text_arg(args, "status").replace('_', " ");
        Some(format!("{} is now {}.", code_span(text_arg(args, "task_id")), escape(&status)))
    }
}

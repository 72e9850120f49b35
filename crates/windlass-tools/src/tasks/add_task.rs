//! `add_task`: puts a task on the session's list (Z-6).
//!
//! Owns the spec and the answer; the list and its numbering belong to the session.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::ports::{Probed, ToolContext};
use windlass_core::protocol::task::Task;
use windlass_core::protocol::tool::{Effects, Risk, Scope, ToolFailure, ToolOutput, ToolSpec};
use windlass_core::text::markdown::{code_span, escape};

use crate::typed::{TypedTool, text_arg};

/// Longest task: it is a line of a list, not a document.
const CONTENT_CHARS_MAX: usize = 2_000;

pub(crate) struct AddTask;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct AddTaskArgs {
    /// What is to be done
    #[schemars(length(max = CONTENT_CHARS_MAX))]
    content: String,
}

fn output(task: &Task) -> ToolOutput {
    ToolOutput::json(json!({"task_id": task.task_id}))
}

impl TypedTool for AddTask {
    const NAME: &'static str = "add_task";
    const ABOUT: &'static str = "Add a new task to track progress; gives its task_id. Use it for work of several steps, not \
                                 for a single call.";
    type Args = AddTaskArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        let spec = spec
            .with_effects(Effects::Write, Risk::Safe)
            .with_scopes([Scope::TaskManagement])
            .with_alias("create_task")
            .with_arg_alias("title", "content")
            .with_arg_alias("task", "content")
            .with_arg_alias("description", "content");
        ToolSpec { own_output: true, examples: vec![json!({"content": "Read the configuration"})], ..spec }
    }

    async fn run(&self, args: AddTaskArgs, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let content = args.content.trim();
        if content.is_empty() {
            return Err(ToolFailure::invalid_args("content cannot be empty. Say what is to be done.").at(
                "content",
                "what is to be done",
                "an empty text",
            ));
        }
        Ok(output(&context.tasks.add(content)))
    }

    /// The list is as it is on record: a task that is not there was never added.
    async fn probe(&self, args: AddTaskArgs, context: &ToolContext) -> Probed {
        let content = args.content.trim();
        match context.tasks.list().iter().rfind(|task| task.content == content) {
            Some(task) => Probed::Happened(Box::new(output(task))),
            None => Probed::NotHappened,
        }
    }

    fn display(&self, args: &Map<String, Value>, value: &Value) -> Option<String> {
        let id = value.get("task_id").and_then(Value::as_str).unwrap_or("the task");
        Some(format!("Added {}: {}", code_span(id), escape(text_arg(args, "content"))))
    }
}

//! `add_task`: puts a task on the session's list (Z-6).
//!
//! Owns the spec and the answer; the list and its numbering belong to the session.

use serde_json::{Map, Value, json};
use windlass_core::port::{BoxFuture, Probed, ToolContext, ToolPort};
use windlass_core::task::Task;
use windlass_core::tool::{Effects, Risk, Scope, ToolFailure, ToolOutput, ToolSpec};

use crate::argument;
use crate::summary::summarized;

/// The tool's name.
const NAME: &str = "add_task";

const ABOUT: &str = "Add a new task to track progress; gives its task_id. Use it for work of several steps, not for a \
                     single call.";
/// Longest task: it is a line of a list, not a document.
const CONTENT_CHARS_MAX: usize = 2_000;

/// The tool.
#[derive(Debug)]
pub(crate) struct AddTask {
    spec: ToolSpec,
}

impl AddTask {
    pub(crate) fn new() -> Self {
        let mut spec = ToolSpec::new(NAME, ABOUT)
            .with_schema(json!({
                "type": "object",
                "properties": {
                    "content": {
                        "type": "string",
                        "description": "What is to be done",
                        "maxLength": CONTENT_CHARS_MAX
                    }
                },
                "required": ["content"],
                "additionalProperties": false
            }))
            .with_effects(Effects::Write, Risk::Safe)
            .with_scopes([Scope::TaskManagement])
            .with_alias("create_task")
            .with_arg_alias("title", "content")
            .with_arg_alias("task", "content")
            .with_arg_alias("description", "content");
        spec.examples = vec![json!({"content": "Read the configuration"})];
        Self { spec }
    }
}

fn output(task: &Task) -> ToolOutput {
    summarized(NAME, ToolOutput::json(json!({"task_id": task.task_id})))
}

impl ToolPort for AddTask {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let content = argument::text(args, "content")?.trim();
            if content.is_empty() {
                return Err(ToolFailure::invalid_args("content cannot be empty. Say what is to be done.")
                    .at("content", "what is to be done", "an empty text"));
            }
            Ok(output(&context.tasks.add(content)))
        })
    }

    /// The list is as it is on record: a task that is not there was never added.
    fn probe<'a>(&'a self, args: &'a Map<String, Value>, context: &'a ToolContext) -> BoxFuture<'a, Probed> {
        Box::pin(async move {
            let content = argument::text(args, "content").map(str::trim).unwrap_or_default();
            match context.tasks.list().iter().rfind(|task| task.content == content) {
                Some(task) => Probed::Happened(Box::new(output(task))),
                None => Probed::NotHappened,
            }
        })
    }
}

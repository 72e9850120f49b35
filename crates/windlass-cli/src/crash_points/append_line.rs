//! A tool that writes its call's key to the end of a file, and can find out later whether it did.

use std::fs::{OpenOptions, read_to_string};
use std::io::Write;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use windlass_core::ports::{Probed, ToolContext, ToolPort};
use windlass_core::protocol::tool::{Effects, Risk, ToolFailure, ToolOutput, ToolSpec};

pub(super) struct AppendLine {
    spec: ToolSpec,
}

impl AppendLine {
    pub(super) fn new() -> Self {
        let spec = ToolSpec::new("append_line", "Append the call's key to a file below the root.")
            .with_schema(json!({
                "type": "object",
                "properties": {"file": {"type": "string", "description": "The file"}},
                "required": ["file"],
                "additionalProperties": false
            }))
            .with_effects(Effects::External, Risk::Safe);
        Self { spec }
    }
}

fn output() -> ToolOutput {
    ToolOutput::text("appended")
}

fn path_of(args: &Map<String, Value>, context: &ToolContext) -> std::path::PathBuf {
    context.root.join(args.get("file").and_then(Value::as_str).unwrap_or_default())
}

#[async_trait]
impl ToolPort for AppendLine {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, args: &Map<String, Value>, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let line = format!("{}\n", context.idempotency_key());
        let opened = OpenOptions::new().append(true).create(true).open(path_of(args, context));
        let written = opened.and_then(|mut file| file.write_all(line.as_bytes()));
        written.map(|()| output()).map_err(|error| ToolFailure::io_error(error.to_string()))
    }

    async fn probe(&self, args: &Map<String, Value>, context: &ToolContext) -> Probed {
        let text = read_to_string(path_of(args, context)).unwrap_or_default();
        match text.lines().any(|line| line == context.idempotency_key()) {
            true => Probed::Happened(Box::new(output())),
            false => Probed::NotHappened,
        }
    }
}

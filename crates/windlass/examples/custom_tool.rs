//! A tool written by hand, for what `#[tool]` cannot say: it reports how far it is, stops when it is told
//! to, and says before it runs what it would touch.
//!
//! `cargo run -p windlass --features scripted --example custom_tool`

use std::time::Duration;

use serde_json::{Map, Value, json};
use windlass::async_trait;
use windlass::core::permission::{Inspection, Preview, Target};
use windlass::core::ports::{ToolContext, ToolPort};
use windlass::core::protocol::tool::{Effects, ErrorKind, Risk, Scope, ToolFailure, ToolOutput, ToolSpec};
use windlass::prelude::*;

/// Copies pages of a book, one by one.
struct CopyPages {
    spec: ToolSpec,
}

impl CopyPages {
    fn new() -> Self {
        let mut spec = ToolSpec::new("copy_pages", "Copies pages of the book into a file.")
            .with_schema(json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Where the copy goes."},
                    "pages": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 3},
                },
                "required": ["path"],
                "additionalProperties": false,
            }))
            .with_effects(Effects::Write, Risk::High)
            .with_scopes([Scope::WriteFiles]);
        // Without this, `inspect` is never asked.
        spec.inspected = true;
        Self { spec }
    }
}

#[async_trait]
impl ToolPort for CopyPages {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// Targets are what permission rules are about, and the preview is what a user reads before saying yes.
    async fn inspect(
        &self,
        args: &Map<String, Value>,
        _context: &ToolContext,
    ) -> Result<Inspection, ToolFailure> {
        let path = args.get("path").and_then(Value::as_str).unwrap_or_default();
        if path.contains("..") {
            return Err(ToolFailure::denied(format!("'{path}' leaves the project")));
        }
        Ok(Inspection {
            targets: vec![Target::Path(path.to_owned())],
            preview: Some(Preview::Text(format!("copy into {path}"))),
            ..Inspection::default()
        })
    }

    async fn run(&self, args: &Map<String, Value>, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        // The schema was checked and its defaults were put in.
        let pages = args.get("pages").and_then(Value::as_u64).unwrap_or_default();
        for page in 1..=pages {
            // At every await the call can be dropped; work without one looks at the flag.
            if context.cancel.is_cancelled() {
                return Err(ToolFailure::new(ErrorKind::Cancelled, format!("stopped before page {page}")));
            }
            context.progress.report(&context.call_id, &format!("page {page} of {pages}"));
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(ToolOutput::json(json!({"pages": pages})).with_text(format!("{pages} pages are copied")))
    }
}

const SCRIPT: &str = r#"
user Copy the book.
model call 1 copy_pages {"path": "../../elsewhere.txt"}
model call 2 copy_pages {"path": "copies/book.txt", "pages": 2}
model end
model text Two pages are copied.

user Now all of it.
model call 3 copy_pages {"path": "copies/book.txt", "pages": 1000}
model end
model text That was long.
"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    use futures::StreamExt;

    let agent = Windlass::builder()
        .script(SCRIPT)?
        .tool(CopyPages::new())
        // This program trusts its own tool; what `inspect` refuses stays refused.
        .approve(ApproveMode::All)
        .build()?;

    let mut events = agent.stream("Copy the book.");
    while let Some(event) = events.next().await {
        match event {
            Event::Delta(DeltaEvent::CallProgressed { call_id, line }) => println!("{call_id}: {line}"),
            Event::Durable(DurableEvent::CallEnded { call_id, outcome, .. }) => match &outcome.body {
                Ok(output) => println!("{call_id}: {}", output.readable()),
                Err(failure) => println!("{call_id}: refused, {failure}"),
            },
            Event::Durable(DurableEvent::RunEnded { answer, .. }) => println!("{answer}"),
            _ => {}
        }
    }

    // A run can be stopped while its tool works; the call still gets its outcome.
    let mut events = agent.stream("Now all of it.");
    while let Some(event) = events.next().await {
        match event {
            Event::Delta(DeltaEvent::CallProgressed { .. }) => agent.cancel().await?,
            Event::Durable(DurableEvent::RunEnded { outcome, .. }) => println!("{outcome:?}"),
            _ => {}
        }
    }
    Ok(())
}

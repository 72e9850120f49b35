//! Tools for the tests: each does one thing that a tool may do.

use std::future::pending;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use windlass_core::permission::{ApproveMode, ApprovedCall, Inspection, Judgement, Permissions, Target};
use windlass_core::ports::{BoxFuture, ToolContext, ToolPort};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::tool::{CheckedCall, ToolCall, ToolFailure, ToolOutput, ToolSpec};

type Work = dyn Fn(Map<String, Value>, ToolContext) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>>
    + Send
    + Sync;

struct FnTool {
    spec: ToolSpec,
    work: Box<Work>,
}

/// Makes a tool of a spec and a closure.
pub(crate) fn tool<F>(
    spec: ToolSpec,
    work: impl Fn(Map<String, Value>, ToolContext) -> F + Send + Sync + 'static,
) -> Arc<dyn ToolPort>
where
    F: Future<Output = Result<ToolOutput, ToolFailure>> + Send + 'static,
{
    Arc::new(FnTool { spec, work: Box::new(move |args, context| Box::pin(work(args, context))) })
}

#[async_trait]
impl ToolPort for FnTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, args: &Map<String, Value>, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        (self.work)(args.clone(), context.clone()).await
    }

    /// Says the argument `path`; hangs on `hang` and breaks on `break`.
    async fn inspect(
        &self,
        args: &Map<String, Value>,
        _context: &ToolContext,
    ) -> Result<Inspection, ToolFailure> {
        match args.get("path").and_then(Value::as_str) {
            Some("hang") => pending().await,
            Some("break") => panic!("cannot look"),
            Some("outside") => Err(ToolFailure::denied("outside the root")),
            path => {
                let targets = path.map(|path| Target::Path(path.into())).into_iter().collect();
                Ok(Inspection { targets, ..Inspection::default() })
            }
        }
    }
}

/// A tool that gives its arguments back.
pub(crate) fn echo(name: &str) -> Arc<dyn ToolPort> {
    tool(spec(name), |args, _| async move { Ok(ToolOutput::json(Value::Object(args))) })
}

pub(crate) fn spec(name: &str) -> ToolSpec {
    ToolSpec::new(name, "A tool of the tests.").with_schema(json!({
        "type": "object",
        "properties": {"path": {"type": "string"}}
    }))
}

pub(crate) fn call(tool: &dyn ToolPort, args: Value) -> CheckedCall {
    let Value::Object(args) = args else { panic!("arguments are an object") };
    let call = ToolCall {
        id: CallId::numbered(1),
        provider_id: None,
        step: 1,
        index: 0,
        name: tool.spec().name.clone(),
        arguments: Value::Object(args.clone()).to_string(),
        state: None,
    };
    let spec = Arc::new(tool.spec().clone());
    CheckedCall { call, spec, args, dropped_args: vec!["extra".into()], is_fresh: false }
}

/// A call that the permission module let pass.
pub(crate) fn approved(call: CheckedCall) -> ApprovedCall {
    let permissions = Permissions::new(Arc::default(), ApproveMode::All);
    match permissions.judge(call, Inspection::default()) {
        Judgement::Approved(call) => call,
        judgement => panic!("a safe call passes: {judgement:?}"),
    }
}

//! A tool of an executor, behind the port that every tool stands behind.

use std::sync::{Arc, Weak};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, Value};
use windlass_core::ports::host::RequestedCall;
use windlass_core::ports::{ToolContext, ToolPort};
use windlass_core::protocol::tool::{ErrorKind, ToolFailure, ToolOutput, ToolSpec};

use super::ExecutorTable;
use super::queue::{CallQueue, QueuedEnd};
use crate::limits::{EXECUTOR_RETURN_MS, EXECUTOR_RETURN_SPARE_MS};

pub(super) struct ExecutorTool {
    spec: ToolSpec,
    queue: Arc<CallQueue>,
    executors: Weak<ExecutorTable>,
}

impl ExecutorTool {
    pub(super) fn new(spec: ToolSpec, queue: Arc<CallQueue>, executors: Weak<ExecutorTable>) -> Self {
        Self { spec, queue, executors }
    }

    /// The executor went away. A call that it never had, or that may run twice, goes to it when it comes back in time.
    async fn go_on(
        &self,
        args: &Map<String, Value>,
        context: &ToolContext,
        was_handed: bool,
    ) -> Result<ToolOutput, ToolFailure> {
        let may_repeat = self.spec.effects.is_read_only() || self.spec.idempotent;
        let returned =
            if may_repeat || !was_handed { self.returned(context.deadline_ms).await } else { None };
        match returned {
            Some(port) => port.run(args, context).await,
            None => Err(gone(&self.spec, was_handed)),
        }
    }

    /// The same tool of the same executor, once it is there again.
    async fn returned(&self, deadline_ms: u64) -> Option<Arc<dyn ToolPort>> {
        let executors = self.executors.upgrade()?;
        let left_ms = deadline_ms.saturating_sub(executors.clock.now_ms());
        let wait_ms = left_ms.saturating_sub(EXECUTOR_RETURN_SPARE_MS).min(EXECUTOR_RETURN_MS);
        let registry = executors.registry.clone();
        // Not held while waiting: executors that are dropped meanwhile are to go.
        drop(executors);
        let same = registry.wait_for(&self.spec.name, |spec| *spec == self.spec);
        tokio::time::timeout(Duration::from_millis(wait_ms), same).await.ok()
    }
}

/// What is told of a call whose executor went away and did not come back.
pub(crate) fn gone(spec: &ToolSpec, was_handed: bool) -> ToolFailure {
    let (tool, executor) = (&spec.name, spec.executor.as_deref().unwrap_or_default());
    let unavailable =
        |message: String| ToolFailure::unavailable(message).hint("Use another tool, or answer without it.");
    if !was_handed {
        return unavailable(format!(
            "The executor '{executor}' went away before it took the call of {tool}; nothing happened"
        ));
    }
    if spec.effects.is_read_only() {
        return unavailable(format!(
            "The executor '{executor}' went away while {tool} ran, and did not come back"
        ));
    }
    let message = format!(
        "The executor '{executor}' went away while {tool} ran; whether it happened is not known, and it was not run again"
    );
    ToolFailure::new(ErrorKind::Interrupted, message)
        .hint("Look whether it happened before you repeat the call.")
}

#[async_trait]
impl ToolPort for ExecutorTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, args: &Map<String, Value>, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let call = RequestedCall {
            call: 0,
            tool: self.spec.name.clone(),
            arguments: args.clone(),
            session_id: context.session_id.clone(),
            run_id: context.run_id.clone(),
            call_id: context.call_id.clone(),
            idempotency_key: context.idempotency_key(),
            deadline_ms: context.deadline_ms,
        };
        match self.queue.request(call).await {
            QueuedEnd::Answered(answer) => *answer,
            QueuedEnd::Gone { was_handed } => self.go_on(args, context, was_handed).await,
            QueuedEnd::Full => Err(ToolFailure::unavailable(format!(
                "Too many calls wait for the executor '{}' already",
                self.queue.name
            ))
            .hint("Wait for other calls to end, or do without this one.")),
        }
    }
}

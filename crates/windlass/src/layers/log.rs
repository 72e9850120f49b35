//! What ran and how long, as `tracing` events. Arguments, outputs and texts are not logged: they may hold secrets.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use futures::StreamExt;
use serde_json::{Map, Value};
use windlass_core::ports::{BoxStream, ModelPort, ToolContext, ToolPort};
use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelRequest};
use windlass_core::protocol::tool::{ToolFailure, ToolOutput};

use super::{ModelLayer, ToolLayer};

/// Says by `tracing` which calls and requests ended, how, and how long they took; what was stopped in its middle too.
/// Arguments, outputs and texts stay out of the log.
///
/// ```
/// use windlass::layers::CallLog;
/// use windlass::prelude::*;
///
/// let builder = Windlass::builder().tool_layer(CallLog).model_layer(CallLog);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct CallLog;

#[async_trait]
impl ToolLayer for CallLog {
    async fn run(
        &self,
        inner: &dyn ToolPort,
        args: &Map<String, Value>,
        context: &ToolContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let call = format!("{} {}", inner.spec().name, context.call_id);
        let mut watch = WorkWatch::new("tool", call);
        let result = inner.run(args, context).await;
        watch.ended(match &result {
            Ok(_) => "ok",
            Err(failure) => failure.kind.word(),
        });
        result
    }
}

impl ModelLayer for CallLog {
    fn stream(
        &self,
        inner: &Arc<dyn ModelPort>,
        request: ModelRequest,
    ) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let mut watch = WorkWatch::new("model", format!("{} step {}", inner.name(), request.step));
        Box::pin(inner.stream(request).inspect(move |delta| match delta {
            Ok(ModelDelta::Finish(_)) => watch.ended("ok"),
            Ok(_) => {}
            Err(failure) => watch.ended(failure.kind.word()),
        }))
    }
}

/// Speaks when the work is over, however it ended.
struct WorkWatch {
    what: &'static str,
    work: String,
    begun: Instant,
    end: String,
}

impl WorkWatch {
    fn new(what: &'static str, work: String) -> Self {
        Self { what, work, begun: Instant::now(), end: "stopped".to_owned() }
    }

    fn ended(&mut self, word: &str) {
        word.clone_into(&mut self.end);
    }
}

impl Drop for WorkWatch {
    fn drop(&mut self) {
        let elapsed_ms = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::info!(target: "windlass::calls", kind = self.what, work = self.work, end = self.end, elapsed_ms);
    }
}

//! What went into calls and requests and what came out, told to the program. Unlike the log, the record has everything:
//! arguments, outputs and texts as they are.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures::StreamExt;
use serde_json::{Map, Value};
use windlass_core::ports::{BoxStream, ModelPort, ToolContext, ToolPort};
use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelRequest};
use windlass_core::protocol::tool::{ToolFailure, ToolOutput};

use super::{ModelLayer, ToolLayer};
use crate::toolkit::CurrentRun;

/// One call of a tool or one request to a model, when it is over. What is in it is as it was, secrets too.
#[derive(Debug, Clone, PartialEq)]
pub enum CallRecord {
    /// A call of a tool.
    Tool {
        /// The tool.
        tool: String,
        /// The call, its run and its session.
        run: CurrentRun,
        /// What went in.
        arguments: Map<String, Value>,
        /// What came out; none if the call was stopped.
        outcome: Option<Result<ToolOutput, ToolFailure>>,
        /// How long it took.
        elapsed: Duration,
    },
    /// A request to a model.
    Model {
        /// The model.
        model: String,
        /// What went in.
        request: Box<ModelRequest>,
        /// What came out, piece by piece. Without a `Finish` at its end the request was stopped, or failed.
        deltas: Vec<ModelDelta>,
        /// Why it failed, if it did.
        failure: Option<ModelFailure>,
        /// How long it took.
        elapsed: Duration,
    },
}

/// Tells a closure of every call and every request that passes, when it is over. What layers further inside change is in
/// the record, what those further outside change is not. The closure is called in the middle of runs: it hands the record
/// on and waits for nothing. To play a recorded model again, see `windlass::testing::Cassette`.
///
/// ```
/// use std::sync::mpsc;
/// use windlass::layers::{CallRecord, CallRecorder};
/// use windlass::prelude::*;
///
/// /// Adds two integers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (sender, records) = mpsc::channel();
/// let recorder = CallRecorder::new(move |record| drop(sender.send(record)));
/// let script = "user q\nmodel call 1 add {\"a\":1,\"b\":2}\nmodel end\nmodel text 3.\n";
/// let agent = Windlass::builder().script(script)?.tool(add).tool_layer(recorder.clone()).model_layer(recorder).build()?;
/// agent.run_sync("q")?;
/// let calls = records.try_iter().filter(|record| matches!(record, CallRecord::Tool { tool, .. } if tool == "add"));
/// assert_eq!(calls.count(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct CallRecorder {
    tell: Arc<dyn Fn(CallRecord) + Send + Sync>,
}

impl CallRecorder {
    /// Tells this closure.
    pub fn new(tell: impl Fn(CallRecord) + Send + Sync + 'static) -> Self {
        Self { tell: Arc::new(tell) }
    }

    fn begin(&self, record: CallRecord) -> Recording {
        Recording { record: Some(record), begun: Instant::now(), tell: Arc::clone(&self.tell) }
    }
}

#[async_trait]
impl ToolLayer for CallRecorder {
    async fn run(
        &self,
        inner: &dyn ToolPort,
        args: &Map<String, Value>,
        context: &ToolContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let mut recording = self.begin(CallRecord::Tool {
            tool: inner.spec().name.clone(),
            run: CurrentRun::of(context),
            arguments: args.clone(),
            outcome: None,
            elapsed: Duration::ZERO,
        });
        let result = inner.run(args, context).await;
        if let Some(CallRecord::Tool { outcome, .. }) = &mut recording.record {
            *outcome = Some(result.clone());
        }
        result
    }
}

impl ModelLayer for CallRecorder {
    fn stream(
        &self,
        inner: &Arc<dyn ModelPort>,
        request: ModelRequest,
    ) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let mut recording = self.begin(CallRecord::Model {
            model: inner.name().to_owned(),
            request: Box::new(request.clone()),
            deltas: Vec::new(),
            failure: None,
            elapsed: Duration::ZERO,
        });
        Box::pin(inner.stream(request).inspect(move |delta| {
            let Some(CallRecord::Model { deltas, failure, .. }) = &mut recording.record else { return };
            match delta {
                Ok(delta) => deltas.push(delta.clone()),
                Err(error) => *failure = Some(error.clone()),
            }
        }))
    }
}

/// What is told when it is dropped: a call that is stopped is over too.
struct Recording {
    record: Option<CallRecord>,
    begun: Instant,
    tell: Arc<dyn Fn(CallRecord) + Send + Sync>,
}

impl Drop for Recording {
    fn drop(&mut self) {
        let Some(mut record) = self.record.take() else { return };
        let (CallRecord::Tool { elapsed, .. } | CallRecord::Model { elapsed, .. }) = &mut record;
        *elapsed = self.begun.elapsed();
        (self.tell)(record);
    }
}

//! The wrapper: any predictor, hauled through its tool calls.
//!
//! There is no loop here. The run machine of the core decides under the profile `dspy`, the engine's
//! session performs; the wrapper only answers when the session asks for a step.

use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc;
use windlass_core::permission::ApproveMode;
use windlass_core::protocol::event::{RunOutcome, StopReason};
use windlass_core::protocol::model::{ModelFailure, ModelFailureKind, Sampling};
use windlass_core::protocol::trace::RunTrace;
use windlass_core::run::Finished;
use windlass_engine::registry::{RegisterError, Registry};

#[cfg(feature = "modules")]
use super::engine::ModuleEngine;
use super::error::{DSPyEngineError, ToolError};
use super::invocation::{Invoked, ToolInvocation, profile_of};
use super::model::{PredictorAsk, PredictorModel};
use super::nesting::{self, Chain};
use super::registry::ToolRegistry;
use crate::error::WindlassError;
use crate::worker;

/// How a wrapper works (D-12).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolWrapperConfig {
    /// How often the predictor is asked before the module has failed.
    pub max_iterations: usize,
    /// The field to which results are appended.
    pub tool_result_key: String,
}

impl Default for ToolWrapperConfig {
    fn default() -> Self {
        Self { max_iterations: 5, tool_result_key: "context".to_owned() }
    }
}

/// Hauls a predictor through its tool calls (D-13).
#[derive(Clone)]
pub struct ToolWrapper {
    registry: Arc<ToolRegistry>,
    config: ToolWrapperConfig,
    /// The same tools with their schemas compiled; the registry cannot change any more.
    engine: Result<Registry, RegisterError>,
}

impl ToolWrapper {
    /// Wraps the tools of a registry.
    pub fn new(registry: Arc<ToolRegistry>, config: ToolWrapperConfig) -> Self {
        let engine = registry.engines().and_then(|engines| nesting::select(engines, |_| true, None));
        Self { registry, config, engine }
    }

    /// Asks a module, runs the calls in its outputs with the tools of this wrapper, and asks again until an output has
    /// none (D-13). The module's signature must have the fields `available_tools`, `tool_call` and that of the context;
    /// the tools of the engine play no part.
    #[cfg(feature = "modules")]
    pub async fn invoke(
        &self,
        engine: &ModuleEngine,
        module_id: &str,
        input: Value,
    ) -> Result<Value, DSPyEngineError> {
        self.invoke_with_fn(input, |input| engine.invoke(module_id, input)).await
    }

    /// Asks the predictor, runs the calls in its outputs and asks again, until an output has none: that one
    /// is given back whole (D-15…D-17).
    ///
    /// The predictor gets the fields of `input`, the tools as `available_tools`, and the results so far
    /// appended to the context field. It runs here, in the caller's own task.
    pub async fn invoke_with_fn<F, Fut>(&self, input: Value, predictor: F) -> Result<Value, DSPyEngineError>
    where
        F: Fn(Value) -> Fut,
        Fut: Future<Output = Result<Value, DSPyEngineError>>,
    {
        self.invoke_traced_with_fn(input, predictor).await.0
    }

    /// The same, with everything that happened: also when it failed, so that what was found is not lost.
    pub async fn invoke_traced_with_fn<F, Fut>(
        &self,
        input: Value,
        predictor: F,
    ) -> (Result<Value, DSPyEngineError>, RunTrace)
    where
        F: Fn(Value) -> Fut,
        Fut: Future<Output = Result<Value, DSPyEngineError>>,
    {
        let text = input.to_string();
        let (invoked, asks) = match self.start(input) {
            Ok(started) => started,
            Err(error) => return (Err(error), RunTrace::default()),
        };
        let handle = match invoked.send(text, Sampling::default()).await {
            Ok(handle) => handle,
            Err(error) => return (Err(error.into()), RunTrace::default()),
        };
        let mut queue = PredictorQueue { asks, last: None };
        let result = match queue.serve(predictor, handle.finished()).await {
            Ok(finished) => self.output_of(finished, queue.last),
            Err(error) => Err(WindlassError::from(error).into()),
        };
        (result, invoked.trace().await)
    }

    /// The same, blocking this thread; works everywhere, also inside a runtime. The predictor runs
    /// on the library's own runtime.
    pub fn invoke_sync_with_fn<F, Fut>(&self, input: Value, predictor: F) -> Result<Value, DSPyEngineError>
    where
        F: Fn(Value) -> Fut + Send + 'static,
        Fut: Future<Output = Result<Value, DSPyEngineError>> + Send + 'static,
    {
        let wrapper = self.clone();
        let work = async move { wrapper.invoke_with_fn(input, predictor).await };
        worker::block(nesting::carry(Chain::current(), work))?
    }

    /// A session for one invocation, and the place where it asks for steps.
    fn start(&self, input: Value) -> Result<(Invoked, mpsc::Receiver<PredictorAsk>), DSPyEngineError> {
        let Value::Object(input) = input else {
            let message = format!("the input must be an object with the module's fields, not {input}");
            return Err(ToolError::InvalidArgs(message).into());
        };
        if self.config.max_iterations == 0 {
            return Err(DSPyEngineError::MaxIterationsReached(0));
        }
        let engine = self.engine.as_ref().map_err(|error| WindlassError::from(error.clone()))?;
        // Its tools may invoke modules, and may stand inside of one already.
        let registry = match Chain::current() {
            Some(chain) => nesting::select([engine], |_| true, Some(&chain)).map_err(WindlassError::from)?,
            None => engine.clone(),
        };
        let (asks, inbox) = mpsc::channel(1);
        let model = PredictorModel {
            input,
            tools: self.registry.to_json(),
            context_field: self.config.tool_result_key.clone(),
            asks,
        };
        let invocation = ToolInvocation {
            model: Arc::new(model),
            registry,
            profile: profile_of(self.config.max_iterations),
            // Host functions belong to the program that wrapped them.
            approve: ApproveMode::All,
            root: PathBuf::from("."),
        };
        Ok((invocation.start()?, inbox))
    }

    fn output_of(&self, finished: Finished, last: Option<Prediction>) -> Result<Value, DSPyEngineError> {
        match (finished.outcome, finished.error, last) {
            // What the predictor itself said is more than what the run made of it.
            (RunOutcome::Failed, Some(_), Some(Err(error))) => Err(error),
            (RunOutcome::Failed, Some(error), _) => Err(error.into()),
            (RunOutcome::Completed, None, Some(Ok(output))) => Ok(output),
            (_, _, _) if finished.reason == StopReason::Deadline => {
                let limits = profile_of(self.config.max_iterations).limits;
                Err(DSPyEngineError::Timeout(limits.run_timeout_ms))
            }
            (_, _, _) => Err(DSPyEngineError::RuntimeError(finished.answer)),
        }
    }
}

type Prediction = Result<Value, DSPyEngineError>;

/// Where the session's questions are answered.
struct PredictorQueue {
    asks: mpsc::Receiver<PredictorAsk>,
    /// What the predictor gave last.
    last: Option<Prediction>,
}

impl PredictorQueue {
    /// Answers until the run has ended.
    async fn serve<F, Fut, End>(&mut self, predictor: F, finished: impl Future<Output = End>) -> End
    where
        F: Fn(Value) -> Fut,
        Fut: Future<Output = Prediction>,
    {
        let mut finished = pin!(finished);
        loop {
            let ask = tokio::select! {
                biased;
                end = &mut finished => return end,
                Some(ask) = self.asks.recv() => ask,
            };
            let predicted = predictor(ask.input);
            let prediction = predicted.await;
            let reply = match &prediction {
                Ok(output) => Ok(output.to_string()),
                Err(error) => Err(ModelFailure::fatal(ModelFailureKind::Predictor, error.to_string())),
            };
            self.last = Some(prediction);
            // A run that was stopped meanwhile needs no answer; its end comes next.
            let _ = ask.reply.send(reply);
        }
    }
}

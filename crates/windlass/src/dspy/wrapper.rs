//! The wrapper: any predictor, hauled through its tool calls.
//!
//! There is no loop here. The run machine of the core decides under the profile `dspy`, the engine's
//! session performs; the wrapper only answers when the session asks for a step.

use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::sync::mpsc;
use windlass_core::command::MessageSend;
use windlass_core::event::{RunOutcome, StopReason};
use windlass_core::limits::{CALL_TIMEOUT_CEILING_MS, Limits};
use windlass_core::model::ModelFailure;
use windlass_core::permission::{ApproveMode, PolicySet};
use windlass_core::profile::Profile;
use windlass_core::run::{Finished, RunSettings};
use windlass_core::trace::RunTrace;
use windlass_engine::clock::Clock;
use windlass_engine::ids::{new_message_id, new_run_id, new_session_id};
use windlass_engine::journal::MemoryJournal;
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::{RegisterError, Registry};
use windlass_engine::session::{Past, Session, SessionParts};

use super::error::{DSPyEngineError, ToolError};
use super::model::{Ask, PredictorModel};
use super::registry::ToolRegistry;
use crate::agent::records_of;
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
        let engine = Registry::new();
        let engine = engine.register_all(registry.ports()).map(|_| engine);
        Self { registry, config, engine }
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
        let (session, asks) = match self.start(input) {
            Ok(started) => started,
            Err(error) => return (Err(error), RunTrace::fold([])),
        };
        let mut events = session.subscribe();
        let run_id = new_run_id();
        let send = MessageSend::text(run_id.clone(), new_message_id(), text);
        let handle = match session.send(send).await {
            Ok(handle) => handle,
            Err(error) => return (Err(WindlassError::from(error).into()), RunTrace::fold([])),
        };
        let mut desk = Desk { asks, last: None };
        let result = match desk.serve(predictor, handle.finished()).await {
            Ok(finished) => self.output_of(finished, desk.last),
            Err(error) => Err(WindlassError::from(error).into()),
        };
        let records = records_of(&mut events, &run_id).await;
        (result, RunTrace::fold(records.iter().map(AsRef::as_ref)))
    }

    /// The same, blocking this thread; works everywhere, also inside a runtime. The predictor runs
    /// on the library's own runtime.
    pub fn invoke_sync_with_fn<F, Fut>(&self, input: Value, predictor: F) -> Result<Value, DSPyEngineError>
    where
        F: Fn(Value) -> Fut + Send + 'static,
        Fut: Future<Output = Result<Value, DSPyEngineError>> + Send + 'static,
    {
        let wrapper = self.clone();
        worker::block(async move { wrapper.invoke_with_fn(input, predictor).await })?
    }

    /// A session for one invocation, and the place where it asks for steps.
    fn start(&self, input: Value) -> Result<(Session, mpsc::Receiver<Ask>), DSPyEngineError> {
        let Value::Object(input) = input else {
            let message = format!("the input must be an object with the module's fields, not {input}");
            return Err(ToolError::InvalidArgs(message).into());
        };
        if self.config.max_iterations == 0 {
            return Err(DSPyEngineError::MaxIterationsReached(0));
        }
        let registry = self.engine.clone().map_err(WindlassError::from)?;
        let (asks, inbox) = mpsc::channel(1);
        let parts = self.parts(input, registry, asks);
        let _inside = worker::handle()?.enter();
        Ok((Session::start(parts), inbox))
    }

    fn parts(&self, input: Map<String, Value>, registry: Registry, asks: mpsc::Sender<Ask>) -> SessionParts {
        let model = PredictorModel {
            input,
            tools: self.registry.to_json(),
            context_field: self.config.tool_result_key.clone(),
            asks,
        };
        let profile = self.profile();
        SessionParts {
            session_id: new_session_id(),
            settings: Arc::new(RunSettings {
                profile,
                model: "dspy/predictor".to_owned(),
                system: "".into(),
                context_tokens: None,
                form: None,
            }),
            model: Arc::new(model),
            registry,
            root: PathBuf::from("."),
            policies: PolicyStore::in_memory(PolicySet::default()),
            // Host functions belong to the program that wrapped them.
            approve: ApproveMode::All,
            journal: Arc::new(MemoryJournal::new()),
            audit: None,
            clock: Clock::system(),
            past: Past::default(),
        }
    }

    /// The profile `dspy` with the wrapper's own number of steps; no other limit may come before it.
    fn profile(&self) -> Profile {
        let steps_max = u32::try_from(self.config.max_iterations).unwrap_or(u32::MAX);
        let profile = Profile::dspy();
        // A step is a prediction and a call, each of which may take as long as a call ever may.
        let run_timeout_ms = u64::from(steps_max).saturating_mul(2).saturating_mul(CALL_TIMEOUT_CEILING_MS);
        let limits =
            Limits { steps_max, calls_per_run_max: steps_max, run_timeout_ms, ..profile.limits.clone() };
        Profile { limits, ..profile }
    }

    fn output_of(&self, finished: Finished, last: Option<Prediction>) -> Result<Value, DSPyEngineError> {
        match (finished.outcome, finished.error, last) {
            // What the predictor itself said is more than what the run made of it.
            (RunOutcome::Failed, Some(_), Some(Err(error))) => Err(error),
            (RunOutcome::Failed, Some(error), _) => Err(error.into()),
            (RunOutcome::Completed, None, Some(Ok(output))) => Ok(output),
            (_, _, _) if finished.reason == StopReason::Deadline => {
                Err(DSPyEngineError::Timeout(self.profile().limits.run_timeout_ms))
            }
            (_, _, _) => Err(DSPyEngineError::RuntimeError(finished.answer)),
        }
    }
}

type Prediction = Result<Value, DSPyEngineError>;

/// Where the session's questions are answered.
struct Desk {
    asks: mpsc::Receiver<Ask>,
    /// What the predictor gave last.
    last: Option<Prediction>,
}

impl Desk {
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
                Err(error) => Err(ModelFailure::fatal("predictor", error.to_string())),
            };
            self.last = Some(prediction);
            // A run that was stopped meanwhile needs no answer; its end comes next.
            let _ = ask.reply.send(reply);
        }
    }
}

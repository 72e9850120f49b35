//! Invoking a module: from its inputs to its outputs, in every shape that callers need.
//!
//! One invocation is prepared where it is asked for and done on the library's own runtime; given up, it is cancelled.
//! Decides nothing of the run itself.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use windlass_core::profile::{AtCap, Dialect, Profile};
use windlass_core::protocol::event::{RunOutcome, StopReason};
use windlass_core::protocol::model::Sampling;
use windlass_core::protocol::trace::RunTrace;
use windlass_core::run::Finished;
use windlass_engine::registry::Registry;
use windlass_engine::session::SendError;
use windlass_modules::{Module, ModuleModel, ToolUse, read_answer, read_inputs};

use super::engine::{InvocationSlot, ModuleEngine};
use super::error::{DSPyEngineError, ToolError};
use super::invocation::{Invoked, ToolInvocation, profile_of, steps_of};
use super::nesting::Chain;
use super::wrapper::ToolWrapperConfig;
use crate::error::WindlassError;
use crate::worker;

/// How long an invocation that ran out of time is waited for, so that its trace is whole. Most end at once; a tool
/// that does not is left to the engine.
const STOP_WAIT_MS: u64 = 100;

/// What is asked of a module. [`ModuleEngine::invoke_traced`] does it.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct ModuleRequest {
    module_id: String,
    input: Value,
    tools: Option<ToolWrapperConfig>,
    timeout_ms: Option<u64>,
    sampling: Sampling,
}

impl ModuleRequest {
    /// The outputs of a module for these inputs, without tools.
    pub fn new(module_id: impl Into<String>, input: Value) -> Self {
        Self {
            module_id: module_id.into(),
            input,
            tools: None,
            timeout_ms: None,
            sampling: Sampling::default(),
        }
    }

    /// With tools, and how they are used.
    pub fn with_tools(mut self, config: ToolWrapperConfig) -> Self {
        self.tools = Some(config);
        self
    }

    /// With wishes for the model: temperature, length, seed. The form of its answer is the module's.
    pub fn with_sampling(mut self, sampling: Sampling) -> Self {
        self.sampling = sampling;
        self
    }

    /// Within a time; after it, everything that goes on is stopped.
    pub fn with_timeout(mut self, timeout_ms: u64) -> Self {
        self.timeout_ms = Some(timeout_ms);
        self
    }
}

type ModuleAnswer = Result<Value, DSPyEngineError>;

impl ModuleEngine {
    /// The outputs of a module for these inputs, without tools.
    pub async fn invoke(&self, module_id: &str, input: Value) -> ModuleAnswer {
        self.invoke_traced(ModuleRequest::new(module_id, input)).await.0
    }

    /// The same within a time; after it, the invocation is cancelled and the error is `Timeout`.
    pub async fn invoke_with_timeout(&self, module_id: &str, input: Value, timeout_ms: u64) -> ModuleAnswer {
        self.invoke_traced(ModuleRequest::new(module_id, input).with_timeout(timeout_ms)).await.0
    }

    /// The same, blocking this thread; works everywhere.
    pub fn invoke_sync(&self, module_id: &str, input: Value) -> ModuleAnswer {
        self.invoke_traced_sync(ModuleRequest::new(module_id, input)).0
    }

    /// The same, blocking this thread for no longer than that.
    pub fn invoke_sync_with_timeout(&self, module_id: &str, input: Value, timeout_ms: u64) -> ModuleAnswer {
        self.invoke_traced_sync(ModuleRequest::new(module_id, input).with_timeout(timeout_ms)).0
    }

    /// The outputs of a module that may use tools (D-23): it is asked, its calls are run, and it is asked again,
    /// until an output has no call.
    pub async fn invoke_with_tools(&self, module_id: &str, input: Value) -> ModuleAnswer {
        self.invoke_with_tools_config(module_id, input, ToolWrapperConfig::default()).await
    }

    /// The same with its own number of steps and context field (D-24).
    pub async fn invoke_with_tools_config(
        &self,
        module_id: &str,
        input: Value,
        config: ToolWrapperConfig,
    ) -> ModuleAnswer {
        self.invoke_traced(ModuleRequest::new(module_id, input).with_tools(config)).await.0
    }

    /// The same within a time; after it, model and tools are stopped and the error is `Timeout`.
    pub async fn invoke_with_tools_with_timeout(
        &self,
        module_id: &str,
        input: Value,
        timeout_ms: u64,
    ) -> ModuleAnswer {
        self.invoke_traced(with_tools(module_id, input).with_timeout(timeout_ms)).await.0
    }

    /// The outputs of a module that may use tools, blocking this thread; works everywhere (D-24, R-15).
    pub fn invoke_with_tools_sync(&self, module_id: &str, input: Value) -> ModuleAnswer {
        self.invoke_traced_sync(with_tools(module_id, input)).0
    }

    /// The same with its own number of steps and context field.
    pub fn invoke_with_tools_config_sync(
        &self,
        module_id: &str,
        input: Value,
        config: ToolWrapperConfig,
    ) -> ModuleAnswer {
        self.invoke_traced_sync(ModuleRequest::new(module_id, input).with_tools(config)).0
    }

    /// The same, blocking this thread for no longer than that.
    pub fn invoke_with_tools_sync_with_timeout(
        &self,
        module_id: &str,
        input: Value,
        timeout_ms: u64,
    ) -> ModuleAnswer {
        self.invoke_traced_sync(with_tools(module_id, input).with_timeout(timeout_ms)).0
    }

    /// Any of these, with everything that happened: also when it failed, so that what was found is not lost (D-28).
    /// Dropping the future cancels the invocation.
    pub async fn invoke_traced(&self, request: ModuleRequest) -> (ModuleAnswer, RunTrace) {
        let spawned =
            self.prepare(request).and_then(|prepared| Ok(OnLeash(worker::handle()?.spawn(prepared.run()))));
        match spawned {
            Ok(task) => task.await,
            Err(error) => (Err(error), RunTrace::default()),
        }
    }

    /// The same, blocking this thread.
    pub fn invoke_traced_sync(&self, request: ModuleRequest) -> (ModuleAnswer, RunTrace) {
        let done = self.prepare(request).and_then(|prepared| Ok(worker::block(prepared.run())?));
        done.unwrap_or_else(|error| (Err(error), RunTrace::default()))
    }

    /// Everything that can be known before the model is asked.
    fn prepare(&self, request: ModuleRequest) -> Result<PreparedRequest, DSPyEngineError> {
        let inner = &self.inner;
        let module = inner.require(&request.module_id)?;
        let Value::Object(input) = request.input else {
            let message =
                format!("the input must be an object with the module's fields, not {}", request.input);
            return Err(ToolError::InvalidArgs(message).into());
        };
        if request.tools.is_some() && !module.tool_enabled {
            return Err(DSPyEngineError::ToolsNotEnabled(request.module_id));
        }
        if request.tools.as_ref().is_some_and(|config| config.max_iterations == 0) {
            return Err(DSPyEngineError::MaxIterationsReached(0));
        }
        let input = check_inputs(&module, input)?;
        let chain = Chain::enter(&module.module_id)?;
        let manner = InvocationMode::of(&module, request.tools.as_ref());
        let registry = match request.tools {
            Some(_) => inner.tools_of(&module, &chain)?,
            None => Registry::new(),
        };
        let model = ModuleModel::new(Arc::clone(&module), Arc::clone(&inner.model), manner.mode);
        Ok(PreparedRequest {
            place: inner.admit(&module.module_id)?,
            module,
            input,
            sampling: request.sampling,
            timeout_ms: request.timeout_ms,
            invocation: ToolInvocation {
                model: Arc::new(model),
                registry,
                profile: manner.profile,
                approve: inner.approve,
                root: inner.root.clone(),
            },
        })
    }
}

fn with_tools(module_id: &str, input: Value) -> ModuleRequest {
    ModuleRequest::new(module_id, input).with_tools(ToolWrapperConfig::default())
}

/// The inputs as the module's model reads them, checked before anything is begun.
fn check_inputs(module: &Module, input: Map<String, Value>) -> Result<String, DSPyEngineError> {
    // An object is meant as inputs by their names, also where one input alone could be any text.
    if !input.keys().any(|name| module.signature.input(name).is_some()) {
        module.signature.check_inputs(&input)?;
    }
    let text = Value::Object(input).to_string();
    read_inputs(module, &text)?;
    Ok(text)
}

/// How a module is asked, and the profile for it.
struct InvocationMode {
    mode: ToolUse,
    profile: Profile,
}

impl InvocationMode {
    fn of(module: &Module, tools: Option<&ToolWrapperConfig>) -> Self {
        let Some(config) = tools else {
            // One step, and one correction if its answer is not what it must be.
            let profile = Profile { dialect: Dialect::Native, ..profile_of(1) };
            return Self { mode: ToolUse::Plain, profile };
        };
        match ToolUse::of(module) {
            ToolUse::Native => {
                let profile = Profile::default();
                let limits = steps_of(config.max_iterations, profile.limits);
                Self { mode: ToolUse::Native, profile: Profile { limits, at_cap: AtCap::Fail, ..profile } }
            }
            ToolUse::Fields { .. } | ToolUse::Plain => Self {
                mode: ToolUse::Fields { context_field: config.tool_result_key.clone() },
                profile: profile_of(config.max_iterations),
            },
        }
    }
}

/// An invocation that can begin.
struct PreparedRequest {
    place: InvocationSlot,
    module: Arc<Module>,
    input: String,
    sampling: Sampling,
    timeout_ms: Option<u64>,
    invocation: ToolInvocation,
}

impl PreparedRequest {
    async fn run(self) -> (ModuleAnswer, RunTrace) {
        let Self { place, module, input, sampling, timeout_ms, invocation } = self;
        let limit_ms = invocation.profile.limits.run_timeout_ms;
        let invoked = match invocation.start() {
            Ok(invoked) => invoked,
            Err(error) => return (Err(error.into()), RunTrace::default()),
        };
        let result = match finish(&invoked, input, sampling, timeout_ms).await {
            Ok(finished) => outputs_of(&module, finished, limit_ms),
            Err(error) => Err(error),
        };
        let trace = invoked.trace().await;
        drop(place);
        (result, trace)
    }
}

/// Runs to the end, or to the end of the time.
async fn finish(
    invoked: &Invoked,
    input: String,
    sampling: Sampling,
    timeout_ms: Option<u64>,
) -> Result<Finished, DSPyEngineError> {
    let closed = |error: SendError| DSPyEngineError::from(WindlassError::from(error));
    let mut finished = pin!(invoked.send(input, sampling).await?.finished());
    let Some(timeout_ms) = timeout_ms else { return finished.await.map_err(closed) };
    if let Ok(ended) = timeout(Duration::from_millis(timeout_ms), &mut finished).await {
        return ended.map_err(closed);
    }
    invoked.cancel().await;
    // Whatever it gave now comes too late.
    let _ = timeout(Duration::from_millis(STOP_WAIT_MS), finished).await;
    Err(DSPyEngineError::Timeout(timeout_ms))
}

fn outputs_of(module: &Module, finished: Finished, limit_ms: u64) -> ModuleAnswer {
    match (finished.outcome, finished.error) {
        (_, Some(error)) => Err(error.into()),
        (RunOutcome::Completed, None) => Ok(Value::Object(read_answer(module, &finished.answer)?)),
        (_, None) if finished.reason == StopReason::Deadline => Err(DSPyEngineError::Timeout(limit_ms)),
        (_, None) if finished.reason == StopReason::AnswerCut => {
            let message = "the answer was cut by the model's length limit; ask for shorter outputs";
            Err(DSPyEngineError::InferenceError(message.to_owned()))
        }
        (RunOutcome::Cancelled, None) => {
            Err(DSPyEngineError::RuntimeError("the invocation was cancelled".to_owned()))
        }
        (RunOutcome::LimitReached | RunOutcome::Failed, None) => {
            Err(DSPyEngineError::RuntimeError(format!("the invocation ended early: {}", finished.answer)))
        }
    }
}

/// A task that goes on only as long as somebody waits for it.
struct OnLeash(JoinHandle<(ModuleAnswer, RunTrace)>);

impl Future for OnLeash {
    type Output = (ModuleAnswer, RunTrace);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context).map(|joined| {
            let lost = |error: tokio::task::JoinError| {
                (Err(DSPyEngineError::RuntimeError(error.to_string())), RunTrace::default())
            };
            joined.unwrap_or_else(lost)
        })
    }
}

impl Drop for OnLeash {
    fn drop(&mut self) {
        // With the task goes the last handle of its session, and with that its run.
        self.0.abort();
    }
}

//! Functions of a host program's script as tools.
//!
//! While a script waits for a module, its thread has nothing to do: it serves the calls of the script's own functions,
//! with the interpreter, the host functions and the captured variables that the script has. A function that is called
//! while no script waits runs in a bounded interpreter of its own.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;

use async_trait::async_trait;
use rhai::{AST, Dynamic, Engine, EvalAltResult, FnPtr, Module, NativeCallContext};
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;
use windlass_core::ports::{ToolContext, ToolPort};
use windlass_core::protocol::tool::{Effects, Risk, ToolFailure, ToolOutput, ToolSpec};

use super::aside::{StopSignal, run_aside};
use super::caller::{CallerError, CallerErrorType, ModuleCaller};
use super::convert::{check_args, to_json, to_script_map};
use super::engine_functions::{EngineSetup, add_functions};
use super::fault::failure_of;
use super::host::add_json;
use super::limits::ScriptLimits;
use super::sandbox::{bounded_engine, set_watch};
use super::tool::free_params;
use super::watch::CallWatch;

type CallerAnswer = Result<Value, CallerError>;

/// Where the functions of one interpreter's scripts are called.
pub(crate) struct FunctionCalls {
    ast: Arc<AST>,
    /// Tools hold the desk, and who holds the tools may be the caller: this must not hold it in turn.
    caller: Weak<dyn ModuleCaller>,
    setup: Option<EngineSetup>,
    limits: ScriptLimits,
    /// Threads that wait for a module, the latest last.
    waiting: Mutex<Vec<(u64, Sender<Letter>)>>,
    numbers: AtomicU64,
}

/// What a waiting thread gets.
enum Letter {
    Call(FunctionRequest),
    Done(CallerAnswer),
}

/// A function that should be called.
struct FunctionRequest {
    tool: String,
    function: FnPtr,
    args: Map<String, Value>,
    has_begun: Arc<AtomicBool>,
    reply: oneshot::Sender<Result<ToolOutput, ToolFailure>>,
}

impl FunctionCalls {
    pub(crate) fn new(
        ast: Arc<AST>,
        caller: &Arc<dyn ModuleCaller>,
        setup: Option<EngineSetup>,
    ) -> Arc<Self> {
        Arc::new(Self {
            ast,
            caller: Arc::downgrade(caller),
            setup,
            limits: ScriptLimits::default(),
            waiting: Mutex::default(),
            numbers: AtomicU64::new(0),
        })
    }

    /// Does the work on another thread, and serves calls of functions on this one until it is done.
    pub(crate) fn serve(
        &self,
        context: &NativeCallContext<'_>,
        work: impl FnOnce() -> CallerAnswer + Send + 'static,
    ) -> CallerAnswer {
        let (post, letters) = channel();
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        self.lock().push((number, post.clone()));
        let _place = WaitingPlace { desk: self, number };
        let messenger = Messenger { post };
        let started = thread::Builder::new().name("module".to_owned()).spawn(move || {
            let answer = work();
            // The script waits for it.
            let _ = messenger.post.send(Letter::Done(answer));
        });
        if let Err(error) = started {
            let message = format!("there is no thread for the module: {error}");
            return Err(CallerError::new(CallerErrorType::RuntimeError, message));
        }
        while let Ok(letter) = letters.recv() {
            match letter {
                Letter::Call(request) => self.answer(context, request),
                Letter::Done(answer) => return answer,
            }
        }
        Err(CallerError::new(CallerErrorType::RuntimeError, BROKEN))
    }

    fn answer(&self, context: &NativeCallContext<'_>, request: FunctionRequest) {
        if request.reply.is_closed() {
            return;
        }
        request.has_begun.store(true, Ordering::Release);
        let limits = limits_of(context.engine());
        let call = |args: Vec<Dynamic>| request.function.call_within_context::<Dynamic>(context, args);
        let given = call_function(&self.ast, &request.function, &request.args, call);
        // Who gave up waiting needs no reply.
        let _ = request.reply.send(output_of(&request.tool, given, &limits));
    }

    /// Asks the script that waits last, if one does.
    async fn ask(
        &self,
        tool: &FunctionTool,
        args: &Map<String, Value>,
    ) -> Option<Result<ToolOutput, ToolFailure>> {
        loop {
            let post = self.lock().last().map(|(_, post)| post.clone())?;
            let (reply, replied) = oneshot::channel();
            let has_begun = Arc::new(AtomicBool::new(false));
            let request = FunctionRequest {
                tool: tool.spec.name.clone(),
                function: tool.function.clone(),
                args: args.clone(),
                has_begun: Arc::clone(&has_begun),
                reply,
            };
            // A thread that stopped waiting drops the letter, and with it the reply.
            let _ = post.send(Letter::Call(request));
            match replied.await {
                Ok(outcome) => return Some(outcome),
                Err(_) if has_begun.load(Ordering::Acquire) => {
                    let message = format!("The script of tool '{}' broke while it ran", tool.spec.name);
                    return Some(Err(ToolFailure::internal(message)));
                }
                Err(_) => tokio::task::yield_now().await,
            }
        }
    }

    /// An interpreter for a function that is called while no script waits.
    fn own_engine(self: &Arc<Self>) -> Engine {
        let mut engine = bounded_engine(&self.limits);
        let mut module = Module::new();
        add_json(&mut module);
        engine.register_global_module(module.into());
        if let Some(caller) = self.caller.upgrade() {
            add_functions(&mut engine, caller, Arc::clone(self));
        }
        if let Some(setup) = &self.setup {
            setup(&mut engine);
        }
        engine
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(u64, Sender<Letter>)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const BROKEN: &str = "the module broke while it ran";

/// Tells a waiting script that the work broke, where nothing else was told.
struct Messenger {
    post: Sender<Letter>,
}

impl Drop for Messenger {
    fn drop(&mut self) {
        // After an answer nobody reads it.
        let _ = self.post.send(Letter::Done(Err(CallerError::new(CallerErrorType::RuntimeError, BROKEN))));
    }
}

/// The place of a waiting thread, given up when it stops waiting.
struct WaitingPlace<'a> {
    desk: &'a FunctionCalls,
    number: u64,
}

impl Drop for WaitingPlace<'_> {
    fn drop(&mut self) {
        self.desk.lock().retain(|(number, _)| *number != self.number);
    }
}

/// A function of a script as a tool.
pub(crate) struct FunctionTool {
    spec: ToolSpec,
    function: FnPtr,
    desk: Arc<FunctionCalls>,
}

impl FunctionTool {
    /// The host program that runs the script answers for it: nobody is asked.
    pub(crate) fn new(name: &str, description: &str, function: FnPtr, desk: Arc<FunctionCalls>) -> Self {
        let mut spec = ToolSpec::new(name, description)
            .with_schema(json!({"type": "object", "additionalProperties": true}))
            .with_effects(Effects::Write, Risk::Safe);
        spec.repeatable = true;
        Self { spec, function, desk }
    }
}

#[async_trait]
impl ToolPort for FunctionTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, args: &Map<String, Value>, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        check_args(args)?;
        if let Some(outcome) = self.desk.ask(self, args).await {
            return outcome;
        }
        let stop = StopSignal::new(context.cancel.clone());
        let watch = Arc::new(CallWatch::new(&self.desk.limits, Arc::clone(&stop)));
        let desk = Arc::clone(&self.desk);
        let (name, function, args) = (self.spec.name.clone(), self.function.clone(), args.clone());
        run_aside(&self.spec.name, stop, move || {
            let mut engine = desk.own_engine();
            set_watch(&mut engine, watch);
            let call = |args: Vec<Dynamic>| function.call::<Dynamic>(&engine, &desk.ast, args);
            let given = call_function(&desk.ast, &function, &args, call);
            output_of(&name, given, &desk.limits)
        })
        .await
    }
}

/// Calls a function with the arguments, if it takes them. One that is none of the script's is tried both ways.
fn call_function(
    ast: &AST,
    function: &FnPtr,
    args: &Map<String, Value>,
    call: impl Fn(Vec<Dynamic>) -> Result<Dynamic, Box<EvalAltResult>>,
) -> Result<Dynamic, Box<EvalAltResult>> {
    let given = || vec![Dynamic::from_map(to_script_map(args))];
    match free_params(ast, function) {
        Some(0) => call(Vec::new()),
        Some(_) => call(given()),
        None => match call(given()) {
            Err(error) if matches!(*error, EvalAltResult::ErrorFunctionNotFound(..)) => call(Vec::new()),
            given => given,
        },
    }
}

fn output_of(
    tool: &str,
    given: Result<Dynamic, Box<EvalAltResult>>,
    limits: &ScriptLimits,
) -> Result<ToolOutput, ToolFailure> {
    let given = given.map_err(|error| failure_of(tool, &error, limits))?;
    let json = to_json(&given)
        .map_err(|error| ToolFailure::internal(format!("Script '{tool}' gave what is no JSON: {error}")))?;
    Ok(ToolOutput::json(json))
}

/// The limits that a host program set, for messages.
fn limits_of(engine: &Engine) -> ScriptLimits {
    ScriptLimits {
        operations: engine.max_operations(),
        string_bytes: engine.max_string_size(),
        array_items: engine.max_array_size(),
        map_items: engine.max_map_size(),
        call_depth: engine.max_call_levels(),
        variables: engine.max_variables(),
        ..ScriptLimits::default()
    }
}

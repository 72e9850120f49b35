//! A script as a tool. Each call has an interpreter and a thread of its own; nothing of one call is seen by another
//! but what the scripts of the folder keep on purpose.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use async_trait::async_trait;
use rhai::{Dynamic, Engine, EvalAltResult, FnPtr, Map as ScriptMap, Position, Scope};
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use windlass_core::ports::{ToolContext, ToolPort};
use windlass_core::protocol::tool::{ToolFailure, ToolOutput, ToolSpec};

use super::aside::{StopSignal, run_aside};
use super::convert::{check_args, to_json, to_script_map};
use super::fault::{ScriptToolError, failure_of};
use super::host::{Hosting, host_functions};
use super::hosts::ScriptGrants;
use super::limits::ScriptLimits;
use super::sandbox::{bounded_engine, set_watch};
use super::source::{EntryPoint, ScriptSource};
use super::state::ScriptState;
use super::watch::CallWatch;

/// What the scripts of one folder have in common.
#[derive(Debug, Clone, Default)]
pub(crate) struct FolderContext {
    pub(crate) limits: Arc<ScriptLimits>,
    pub(crate) grants: Arc<ScriptGrants>,
    pub(crate) state: Arc<ScriptState>,
}

#[derive(Debug)]
pub struct ScriptTool {
    source: Arc<ScriptSource>,
    around: FolderContext,
}

impl ScriptTool {
    /// Makes a tool of a script's text. `file` is how its errors name it, `name` what the tool is called.
    pub fn parse(
        file: &str,
        name: &str,
        text: &str,
        limits: ScriptLimits,
        grants: ScriptGrants,
    ) -> Result<Self, ScriptToolError> {
        let around =
            FolderContext { limits: Arc::new(limits), grants: Arc::new(grants), state: Arc::default() };
        Self::read(file, name, text, around)
    }

    /// The same among others.
    pub(crate) fn read(
        file: &str,
        name: &str,
        text: &str,
        around: FolderContext,
    ) -> Result<Self, ScriptToolError> {
        let source = ScriptSource::read(file, name, text, &around.limits)?;
        Ok(Self { source: Arc::new(source), around })
    }

    /// The text of the script.
    pub fn text(&self) -> &str {
        &self.source.text
    }
}

#[async_trait]
impl ToolPort for ScriptTool {
    fn spec(&self) -> &ToolSpec {
        &self.source.spec
    }

    async fn run(&self, args: &Map<String, Value>, context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let stop = StopSignal::new(context.cancel.clone());
        let watch = Arc::new(CallWatch::new(&self.around.limits, Arc::clone(&stop)));
        let hosting = Hosting {
            context: context.clone(),
            abilities: self.source.abilities,
            grants: Arc::clone(&self.around.grants),
            state: Arc::clone(&self.around.state),
            watch,
            stop: Arc::clone(&stop),
            runtime: Handle::try_current().ok(),
            logged: AtomicU32::new(0),
            calls_left: AtomicU32::new(self.around.limits.calls),
        };
        let source = Arc::clone(&self.source);
        let limits = Arc::clone(&self.around.limits);
        let args = args.clone();
        run_aside(&self.source.spec.name, stop, move || {
            run_script(&source, &limits, Arc::new(hosting), &args)
        })
        .await
    }
}

/// Runs a script to its end, on this thread.
fn run_script(
    source: &ScriptSource,
    limits: &ScriptLimits,
    hosting: Arc<Hosting>,
    args: &Map<String, Value>,
) -> Result<ToolOutput, ToolFailure> {
    check_args(args)?;
    let name = &source.spec.name;
    let engine = hosted_engine(limits, hosting);
    let given =
        call_entry(&engine, source, to_script_map(args)).map_err(|error| failure_of(name, &error, limits))?;
    let json = to_json(&given).map_err(|error| {
        ToolFailure::internal(format!("Script '{name}' gave what is no JSON: {error}"))
            .hint("The fault is in the script; do not send the call again.")
    })?;
    Ok(ToolOutput::json(json))
}

fn hosted_engine(limits: &ScriptLimits, hosting: Arc<Hosting>) -> Engine {
    let mut engine = bounded_engine(limits);
    engine.register_global_module(host_functions());
    set_watch(&mut engine, Arc::clone(&hosting.watch));
    let printing = Arc::clone(&hosting);
    engine.on_print(move |line| printing.log(line));
    let debugging = Arc::clone(&hosting);
    engine.on_debug(move |line, _, _| debugging.log(line));
    engine.set_default_tag(Dynamic::from(hosting));
    engine
}

fn call_entry(
    engine: &Engine,
    source: &ScriptSource,
    args: ScriptMap,
) -> Result<Dynamic, Box<EvalAltResult>> {
    let mut scope = Scope::new();
    match &source.entry {
        EntryPoint::Unrolled { ast, param } => {
            if let Some(param) = param {
                scope.push(param.as_str(), args);
            }
            engine.eval_ast_with_scope(&mut scope, ast)
        }
        EntryPoint::Function { name, takes_args: true } => {
            engine.call_fn(&mut scope, &source.ast, name, (args,))
        }
        EntryPoint::Function { name, takes_args: false } => engine.call_fn(&mut scope, &source.ast, name, ()),
        EntryPoint::Body => {
            scope.push("args", args.clone());
            let given = engine.eval_ast_with_scope::<Dynamic>(&mut scope, &source.ast)?;
            match given.clone().try_cast::<FnPtr>() {
                Some(function) => call_given(engine, source, &function, args),
                None => Ok(given),
            }
        }
    }
}

/// Calls the function that a script's statements gave, with the arguments if it takes them.
fn call_given(
    engine: &Engine,
    source: &ScriptSource,
    function: &FnPtr,
    args: ScriptMap,
) -> Result<Dynamic, Box<EvalAltResult>> {
    match free_params(&source.ast, function) {
        Some(0) => function.call(engine, &source.ast, ()),
        None | Some(1) => function.call(engine, &source.ast, (args,)),
        Some(count) => {
            let message = format!("the function it gave has {count} parameters; a tool has none, or one");
            Err(EvalAltResult::ErrorRuntime(message.into(), Position::NONE).into())
        }
    }
}

/// How many parameters a function still takes; none where it is no function of the script.
pub(crate) fn free_params(ast: &rhai::AST, function: &FnPtr) -> Option<usize> {
    let counts: Vec<usize> = ast
        .iter_functions()
        .filter(|known| known.name == function.fn_name())
        .filter_map(|known| known.params.len().checked_sub(function.curry().len()))
        .collect();
    counts.iter().copied().filter(|count| *count <= 1).max().or_else(|| counts.into_iter().min())
}

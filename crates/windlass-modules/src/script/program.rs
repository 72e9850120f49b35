//! A script as a program of its own: run once, from its first line to its last, with modules at hand.
//!
//! It has the functions `dspy_…`, JSON, and `print`; no files, no network, no code from elsewhere. What it may use up is
//! bounded as for tools, but for its length: whoever began it can stop it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rhai::{Dynamic, EvalAltResult, Module};
use serde_json::Value;

use super::caller::ModuleCaller;
use super::convert::to_json;
use super::engine_functions::register_dspy_engine;
use super::fault::ScriptToolError;
use super::host::add_json;
use super::limits::ScriptLimits;
use super::sandbox::bounded_engine;

/// Whoever began a script, as the script meets them.
pub struct ProgramUser {
    /// Gets each line that the script prints.
    pub print: Box<dyn Fn(&str) + Send + Sync>,
    /// Set to have the script stopped.
    pub is_stopped: Arc<AtomicBool>,
}

/// Runs a script and gives its last value. `file` is what errors call it.
pub fn run_program(
    file: &str,
    text: &str,
    caller: Arc<dyn ModuleCaller>,
    user: ProgramUser,
) -> Result<Value, ScriptToolError> {
    let mut engine = bounded_engine(&ScriptLimits::default());
    let mut json = Module::new();
    add_json(&mut json);
    engine.register_global_module(json.into());
    let ProgramUser { print, is_stopped } = user;
    engine.on_print(move |line| print(line));
    engine.on_progress(move |_| is_stopped.load(Ordering::Relaxed).then_some(Dynamic::UNIT));
    let ast = engine.compile(text).map_err(|error| ScriptToolError::of_parser(file, &error))?;
    register_dspy_engine(&mut engine, caller, Arc::new(ast.clone()));
    let value = engine.eval_ast::<Dynamic>(&ast).map_err(|error| broken(file, *error))?;
    to_json(&value).map_err(|error| {
        ScriptToolError::of_file(file, format!("the script's last value has no JSON form: {error}"))
    })
}

fn broken(file: &str, mut error: EvalAltResult) -> ScriptToolError {
    let position = error.take_position();
    let message = match error {
        EvalAltResult::ErrorTerminated(..) => "the script was stopped".to_owned(),
        error => error.to_string(),
    };
    ScriptToolError {
        column: position.position(),
        ..ScriptToolError::of_line(file, position.line(), message)
    }
}

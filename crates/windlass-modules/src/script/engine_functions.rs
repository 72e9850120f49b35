//! Modules for the scripts of a host program: the functions `dspy_…`.
//!
//! Each gives `#{ok: true, value}` or `#{ok: false, error_type, message}` and throws nothing, so that a script decides
//! what an error means to it.

use std::sync::Arc;

use rhai::{AST, Dynamic, Engine, FnPtr, Map as ScriptMap, NativeCallContext};
use serde_json::Value;

use super::caller::{CallerError, CallerErrorType, ModuleCaller};
use super::convert::{to_dynamic, to_json};
use super::desk::{FunctionCalls, FunctionTool};

/// Puts the functions of a host program into an interpreter.
pub type EngineSetup = Arc<dyn Fn(&mut Engine) + Send + Sync>;

/// Gives scripts of this interpreter the functions `dspy_…`. `ast` is the script whose functions become tools.
///
/// A function that a script registers as a tool is called by the script's own thread while the script waits for a
/// module, with all that the script has. At other times it is called in a bounded interpreter without functions of
/// the host program; [`register_dspy_engine_with`] puts them in.
pub fn register_dspy_engine(engine: &mut Engine, caller: Arc<dyn ModuleCaller>, ast: Arc<AST>) {
    let desk = FunctionCalls::new(ast, &caller, None);
    add_functions(engine, caller, desk);
}

/// The same for a host program whose functions its tools need at all times.
pub fn register_dspy_engine_with(
    engine: &mut Engine,
    caller: Arc<dyn ModuleCaller>,
    ast: Arc<AST>,
    setup: EngineSetup,
) {
    setup(engine);
    let desk = FunctionCalls::new(ast, &caller, Some(setup));
    add_functions(engine, caller, desk);
}

pub(crate) fn add_functions(engine: &mut Engine, caller: Arc<dyn ModuleCaller>, desk: Arc<FunctionCalls>) {
    add_invoke(engine, &caller);
    add_invoke_with_tools(engine, &caller, &desk);
    add_registry(engine, &caller, &desk);
}

fn add_invoke(engine: &mut Engine, caller: &Arc<dyn ModuleCaller>) {
    let own = Arc::clone(caller);
    engine.register_fn("dspy_invoke", move |id: &str, input: Dynamic| {
        result_of(input_of(&input).and_then(|input| own.invoke(id, input, None)))
    });
    let own = Arc::clone(caller);
    engine.register_fn("dspy_invoke_with_timeout", move |id: &str, input: Dynamic, timeout_ms: i64| {
        let prepared = input_of(&input).and_then(|input| Ok((input, timeout_of(timeout_ms)?)));
        result_of(prepared.and_then(|(input, timeout_ms)| own.invoke(id, input, Some(timeout_ms))))
    });
}

fn add_invoke_with_tools(engine: &mut Engine, caller: &Arc<dyn ModuleCaller>, desk: &Arc<FunctionCalls>) {
    let (own, own_desk) = (Arc::clone(caller), Arc::clone(desk));
    engine.register_fn(
        "dspy_invoke_with_tools",
        move |context: NativeCallContext<'_>, id: &str, input: Dynamic| {
            result_of(
                input_of(&input).and_then(|input| with_tools(&context, &own, &own_desk, id, input, None)),
            )
        },
    );
    let (own, own_desk) = (Arc::clone(caller), Arc::clone(desk));
    engine.register_fn(
        "dspy_invoke_with_tools_timeout",
        move |context: NativeCallContext<'_>, id: &str, input: Dynamic, timeout_ms: i64| {
            let prepared = input_of(&input).and_then(|input| Ok((input, timeout_of(timeout_ms)?)));
            result_of(prepared.and_then(|(input, timeout_ms)| {
                with_tools(&context, &own, &own_desk, id, input, Some(timeout_ms))
            }))
        },
    );
}

fn with_tools(
    context: &NativeCallContext<'_>,
    caller: &Arc<dyn ModuleCaller>,
    desk: &Arc<FunctionCalls>,
    id: &str,
    input: Value,
    timeout_ms: Option<u64>,
) -> Result<Value, CallerError> {
    let (caller, id) = (Arc::clone(caller), id.to_owned());
    desk.serve(context, move || caller.invoke_with_tools(&id, input, timeout_ms))
}

fn add_registry(engine: &mut Engine, caller: &Arc<dyn ModuleCaller>, desk: &Arc<FunctionCalls>) {
    let (own, own_desk) = (Arc::clone(caller), Arc::clone(desk));
    engine.register_fn("dspy_register_tool", move |name: &str, description: &str, function: Dynamic| {
        let Some(function) = function.flatten().try_cast::<FnPtr>() else {
            let message = format!("tool '{name}' needs a function: Fn(\"name\") or |args| ...");
            return result_of(Err(CallerError::new(CallerErrorType::ConversionError, message)));
        };
        let tool = Arc::new(FunctionTool::new(name, description, function, Arc::clone(&own_desk)));
        result_of(own.register_tool(tool).map(|()| name.into()))
    });
    let own = Arc::clone(caller);
    engine.register_fn("dspy_list_modules", move || result_of(Ok(own.module_ids().into())));
    let own = Arc::clone(caller);
    engine.register_fn("dspy_list_tools", move || result_of(Ok(own.tool_names().into())));
    let own = Arc::clone(caller);
    engine.register_fn("dspy_get_module_info", move |id: &str| result_of(own.module_info(id)));
}

fn input_of(input: &Dynamic) -> Result<Value, CallerError> {
    let failed = |message: String| CallerError::new(CallerErrorType::ConversionError, message);
    let value = to_json(input).map_err(|error| failed(error.to_string()))?;
    match value.is_object() {
        true => Ok(value),
        false => Err(failed(format!(
            "the inputs of a module are a map, such as #{{query: \"...\"}}, not {}",
            input.type_name()
        ))),
    }
}

fn timeout_of(timeout_ms: i64) -> Result<u64, CallerError> {
    match u64::try_from(timeout_ms) {
        Ok(ms) if ms > 0 => Ok(ms),
        _ => {
            let message = format!("a timeout has 1 millisecond or more, not {timeout_ms}");
            Err(CallerError::new(CallerErrorType::ConversionError, message))
        }
    }
}

/// What a script sees of a result.
fn result_of(result: Result<Value, CallerError>) -> ScriptMap {
    let mut map = ScriptMap::new();
    map.insert("ok".into(), result.is_ok().into());
    match result {
        Ok(value) => {
            map.insert("value".into(), to_dynamic(&value));
        }
        Err(error) => {
            map.insert("error_type".into(), error.error_type.word().into());
            map.insert("message".into(), error.message.into());
        }
    }
    map
}

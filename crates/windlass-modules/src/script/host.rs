//! What scripts can ask for: other tools, and through them files and pages; JSON, a log line, and a memory.
//!
//! Nothing here does anything to the world itself: every gate that a call passes, a script's call passes. A refusal is
//! an error that the script may catch, `#{kind, message}`.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use rhai::{Dynamic, EvalAltResult, Map as ScriptMap, Module, NativeCallContext, Shared};
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;
use windlass_core::ports::ToolContext;
use windlass_core::protocol::tool::{ErrorKind, ToolFailure, ToolOutput};
use windlass_core::text::cut_chars;

use super::aside::{Lost, StopSignal, wait};
use super::convert::{ConvertError, to_dynamic, to_json, to_json_object};
use super::fault::{StoppedBy, thrown};
use super::hosts::{ScriptGrants, host_of};
use super::limits::{HTTP_CHARS_MAX, LOG_CHARS_MAX, LOG_LINES_MAX};
use super::source::ScriptAbilities;
use super::state::ScriptState;
use super::watch::CallWatch;

type RhaiResult<T> = Result<T, Box<EvalAltResult>>;

/// What one call of a script can reach.
pub(crate) struct Hosting {
    pub(crate) context: ToolContext,
    pub(crate) abilities: ScriptAbilities,
    pub(crate) grants: Arc<ScriptGrants>,
    pub(crate) state: Arc<ScriptState>,
    pub(crate) watch: Arc<CallWatch>,
    pub(crate) stop: Arc<StopSignal>,
    /// Where the tools that it calls run; none outside of a runtime.
    pub(crate) runtime: Option<Handle>,
    pub(crate) logged: AtomicU32,
    /// Calls of tools that are left to it.
    pub(crate) calls_left: AtomicU32,
}

impl Hosting {
    /// One line for the user; what is too much is dropped.
    pub(crate) fn log(&self, line: &str) {
        if self.logged.fetch_add(1, Ordering::Relaxed) < LOG_LINES_MAX {
            self.context.progress.report(&self.context.call_id, cut_chars(line, LOG_CHARS_MAX));
        }
    }

    fn call(&self, tool: &str, args: Map<String, Value>) -> RhaiResult<ToolOutput> {
        let Some(runtime) = &self.runtime else {
            return Err(thrown(ToolFailure::unavailable(format!(
                "'{tool}' was not called: no tools run here"
            ))));
        };
        let left =
            self.calls_left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1));
        // Not to be caught: a script that tries again and again would never end.
        left.map_err(|_| StoppedBy::Calls.error())?;
        let calls = Arc::clone(&self.context.calls);
        let name = tool.to_owned();
        let work = async move { calls.call(&name, args).await };
        match self.watch.aside(|| wait(runtime, &self.stop, work)) {
            Ok(Ok(output)) => Ok(output),
            Ok(Err(failure)) => Err(thrown(failure)),
            Err(Lost::Stopped) => Err(StoppedBy::Cancelled.error()),
            Err(Lost::Broken) => Err(thrown(ToolFailure::internal(format!("'{tool}' broke while it ran")))),
        }
    }
}

/// The functions, made once. Each finds its call by the tag of the interpreter.
static FUNCTIONS: LazyLock<Shared<Module>> = LazyLock::new(|| {
    let mut module = Module::new();
    add_calls(&mut module);
    add_json(&mut module);
    add_state(&mut module);
    module.into()
});

/// The functions for scripts that are tools.
pub(crate) fn host_functions() -> Shared<Module> {
    Shared::clone(&FUNCTIONS)
}

fn add_calls(module: &mut Module) {
    module.set_native_fn("call_tool", |ctx: NativeCallContext<'_>, name: &str| {
        call_tool(&ctx, name, ScriptMap::new())
    });
    module.set_native_fn("call_tool", |ctx: NativeCallContext<'_>, name: &str, args: ScriptMap| {
        call_tool(&ctx, name, args)
    });
    module.set_native_fn("read_file", |ctx: NativeCallContext<'_>, path: &str| read_file(&ctx, path));
    module.set_native_fn("http_get", |ctx: NativeCallContext<'_>, url: &str| http_get(&ctx, url));
    module.set_native_fn("log", |ctx: NativeCallContext<'_>, value: Dynamic| {
        hosting(&ctx)?.log(&value.to_string());
        Ok(())
    });
}

/// JSON texts, within the limits of the interpreter.
pub(crate) fn add_json(module: &mut Module) {
    module.set_native_fn("parse_json", |text: &str| {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| thrown(ToolFailure::new(ErrorKind::ParseError, format!("no JSON: {error}"))))?;
        Ok(to_dynamic(&value))
    });
    module.set_native_fn("to_json", |value: Dynamic| write_json(&value));
    module.set_native_fn("to_json", |map: ScriptMap| write_json(&Dynamic::from_map(map)));
}

fn add_state(module: &mut Module) {
    module.set_native_fn("state_get", |ctx: NativeCallContext<'_>, key: &str| {
        Ok(hosting(&ctx)?.state.get(key).map_or(Dynamic::UNIT, |value| to_dynamic(&value)))
    });
    module.set_native_fn("state_set", |ctx: NativeCallContext<'_>, key: &str, value: Dynamic| {
        let hosting = hosting(&ctx)?;
        require(hosting.abilities.remembers, "state_set")?;
        hosting.state.set(key, to_json(&value).map_err(unwritable)?).map_err(thrown)
    });
}

/// What the running call can reach.
fn hosting(ctx: &NativeCallContext<'_>) -> RhaiResult<Arc<Hosting>> {
    let tag = ctx.tag().and_then(|tag| tag.clone().try_cast::<Arc<Hosting>>());
    tag.ok_or_else(|| {
        thrown(ToolFailure::internal(format!("'{}' is for scripts that are tools", ctx.fn_name())))
    })
}

/// What a script's text does not name, it may not do: its spec says nothing of it.
fn require(named: bool, function: &str) -> RhaiResult<()> {
    match named {
        true => Ok(()),
        false => {
            let message = format!("'{function}' was not called: a script must name it in its text");
            Err(thrown(ToolFailure::denied(message)))
        }
    }
}

fn call_tool(ctx: &NativeCallContext<'_>, name: &str, args: ScriptMap) -> RhaiResult<Dynamic> {
    let hosting = hosting(ctx)?;
    require(hosting.abilities.calls, "call_tool")?;
    let args = to_json_object(args).map_err(unwritable)?;
    Ok(to_dynamic(&hosting.call(name, args)?.json))
}

fn read_file(ctx: &NativeCallContext<'_>, path: &str) -> RhaiResult<Dynamic> {
    let hosting = hosting(ctx)?;
    require(hosting.abilities.files, "read_file")?;
    let output = hosting.call("read_file", object(json!({"path": path})))?;
    Ok(text_of(&output, "content"))
}

fn http_get(ctx: &NativeCallContext<'_>, url: &str) -> RhaiResult<Dynamic> {
    let hosting = hosting(ctx)?;
    require(hosting.abilities.http, "http_get")?;
    require_grant(&hosting.grants, url)?;
    let args = object(json!({"url": url, "chars_max": HTTP_CHARS_MAX}));
    let output = hosting.call("fetch_url", args)?;
    if let Some(to) = output.json.get("redirects_to").and_then(Value::as_str) {
        let message = format!("http_get('{url}') is redirected to another host: {to}");
        return Err(thrown(ToolFailure::denied(message)));
    }
    // Where redirects are followed, what came from elsewhere is not given.
    if let Some(end) = output.json.get("url").and_then(Value::as_str) {
        require_grant(&hosting.grants, end)?;
    }
    Ok(text_of(&output, "text"))
}

fn require_grant(grants: &ScriptGrants, url: &str) -> RhaiResult<()> {
    let Some(host) = host_of(url) else {
        let message = format!(
            "http_get takes a plain http or https address, such as https://example.com/page, not '{url}'"
        );
        return Err(thrown(ToolFailure::invalid_args(message)));
    };
    if grants.allows(&host) {
        return Ok(());
    }
    let message = format!("http_get may not fetch from '{host}': scripts were not granted that host");
    Err(thrown(ToolFailure::denied(message).hint("A person can grant it in the settings, as scripts.http.")))
}

/// The part of an output that is its text.
fn text_of(output: &ToolOutput, field: &str) -> Dynamic {
    match output.json.get(field) {
        Some(text) => to_dynamic(text),
        None => output.readable().as_ref().into(),
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn write_json(value: &Dynamic) -> RhaiResult<String> {
    Ok(to_json(value).map_err(unwritable)?.to_string())
}

fn unwritable(error: ConvertError) -> Box<EvalAltResult> {
    thrown(ToolFailure::invalid_args(error.to_string()))
}

//! What every tool promises by its spec. Runs nothing: a suite must not have side effects.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;
use windlass_core::calls::check::check_call;
use windlass_core::calls::toolset::{ToolEntry, Toolset};
use windlass_core::ports::{ArgsValidator, ToolPort, Violation};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::tool::{Effects, Scope, ToolCall, ToolSpec};

use crate::breach::{Breach, ensure};

/// Characters of a description: every model request carries all of them.
const DESCRIPTION_CHARS_MAX: usize = 1_024;

/// Checks a tool against its contract; whether its schema compiles is checked where it is registered.
pub fn tool_conformance(tool: &dyn ToolPort) -> Result<(), Breach> {
    let spec = tool.spec();
    spec.check().map_err(|error| Breach::new(error.to_string()))?;
    ensure(spec == tool.spec(), || format!("the spec of '{}' does not change", spec.name))?;
    is_well_named(spec)?;
    is_described(spec)?;
    has_honest_effects(spec)?;
    has_sound_args(spec)?;
    has_right_examples(spec)
}

fn is_well_named(spec: &ToolSpec) -> Result<(), Breach> {
    for name in std::iter::once(&spec.name).chain(&spec.aliases) {
        let is_plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        ensure(is_plain, || format!("tool name '{name}' is lower case with '_'"))?;
    }
    let names: BTreeSet<&String> = std::iter::once(&spec.name).chain(&spec.aliases).collect();
    ensure(names.len() == spec.aliases.len() + 1, || format!("'{}' has no name twice", spec.name))
}

fn is_described(spec: &ToolSpec) -> Result<(), Breach> {
    let name = &spec.name;
    let chars = spec.description.chars().count();
    ensure((1..=DESCRIPTION_CHARS_MAX).contains(&chars), || {
        format!("'{name}' says in at most {DESCRIPTION_CHARS_MAX} characters what it does")
    })?;
    for arg in spec.args() {
        ensure(arg.description.is_some_and(|text| !text.trim().is_empty()), || {
            format!("'{name}' says what its argument '{}' means", arg.name)
        })?;
    }
    ensure(spec.timeout_ms != Some(0), || format!("'{name}' has time to run"))?;
    ensure(spec.result_chars_max != Some(0), || format!("'{name}' may say something"))
}

/// What a tool touches and what it says of its effects belong together.
fn has_honest_effects(spec: &ToolSpec) -> Result<(), Breach> {
    for scope in &spec.scopes {
        let is_honest = match scope {
            Scope::ReadFiles | Scope::SystemInfo | Scope::NetworkAccess | Scope::TaskManagement => {
                spec.effects != Effects::Pure
            }
            Scope::WriteFiles | Scope::ExecuteCommands => !spec.effects.is_read_only(),
        };
        ensure(is_honest, || format!("'{}' touches {scope:?} and is not {:?}", spec.name, spec.effects))?;
    }
    Ok(())
}

fn has_sound_args(spec: &ToolSpec) -> Result<(), Breach> {
    let required = spec.schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for name in required.iter().filter_map(Value::as_str) {
        ensure(spec.property(name).is_some(), || {
            format!("'{}' has a schema for its required argument '{name}'", spec.name)
        })?;
    }
    let entry = ToolEntry::new(Arc::new(spec.clone()), Arc::new(NoSchema));
    match entry.wrong_default() {
        Some(arg) => Err(Breach::new(format!("the default of '{arg}' in '{}' has its type", spec.name))),
        None => Ok(()),
    }
}

/// Examples go to models: a wrong one teaches them wrong calls.
fn has_right_examples(spec: &ToolSpec) -> Result<(), Breach> {
    let entry = ToolEntry::new(Arc::new(spec.clone()), Arc::new(NoSchema));
    let toolset = Toolset::new(vec![entry]).map_err(|clash| Breach::new(clash.to_string()))?;
    for example in &spec.examples {
        let call = ToolCall {
            id: CallId::numbered(1),
            provider_id: None,
            step: 1,
            index: 0,
            name: spec.name.clone(),
            arguments: example.to_string(),
            state: None,
        };
        let checked = check_call(&toolset, call, example.clone()).map_err(|(_, failure)| {
            Breach::new(format!("example {example} of '{}': {failure}", spec.name))
        })?;
        ensure(checked.dropped_args.is_empty(), || {
            format!("example {example} of '{}' has only arguments that exist", spec.name)
        })?;
    }
    Ok(())
}

/// Leaves the full schema to the engine.
struct NoSchema;

impl ArgsValidator for NoSchema {
    fn check(&self, _args: &Value) -> Vec<Violation> {
        Vec::new()
    }
}

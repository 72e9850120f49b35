//! `/tools`: what a model can call, and with which arguments.

use std::sync::Arc;

use serde_json::Value;
use windlass_core::protocol::tool::{ArgSpec, ArgType, Effects, Risk, ToolSpec};
use windlass_core::text::nearest::nearest_names;

use super::{open, open_text, refuse};
use crate::command::SlashCommand;
use crate::effect::AppEffect;
use crate::state::TuiState;
use crate::state::composer::popup::Suggestion;
use crate::state::overlay::{Pager, Picker, PickerKind, PickerRow, StyledLine};
use crate::text::one_line;
use crate::theme::TextRole;

pub(super) const COMMAND: SlashCommand = SlashCommand {
    aliases: &["tool"],
    arguments: "[NAME]",
    offer,
    ..SlashCommand::new("tools", "list the tools, or show one", run)
};

/// Lists the tools, or shows the one that is named.
fn run(state: &mut TuiState, rest: &str) -> Vec<AppEffect> {
    if rest.is_empty() {
        let row = |spec: &std::sync::Arc<ToolSpec>| {
            let badge = format!("{} {}", risk(spec.risk), effects(spec.effects));
            PickerRow::new(&spec.name, &spec.name, one_line(&spec.description)).with_badge(badge)
        };
        let rows = state.about.tools.iter().map(row).collect();
        let picker =
            Picker::new(PickerKind::Tools, "Tools", rows).with_words("show", "the host has no tools");
        open(state, picker);
        return Vec::new();
    }
    if state.about.tools.iter().any(|spec| spec.name == rest) {
        return choose(state, rest);
    }
    let near = nearest_names(rest, state.about.tools.iter().map(|spec| spec.name.as_str()), 1);
    let hint =
        near.first().map_or_else(|| "/tools lists them".to_owned(), |near| format!("did you mean {near}?"));
    refuse(state, &format!("/tools {rest}"), format!("there is no tool {}; {hint}", one_line(rest)))
}

/// What may follow the word, after what already does.
fn offer(state: &TuiState, earlier: &[String]) -> Option<(&'static str, Vec<Suggestion>)> {
    earlier.is_empty().then(|| ("tools", suggestions(state)))
}

/// The tools, for completion.
pub(super) fn suggestions(state: &TuiState) -> Vec<Suggestion> {
    let row = |tool: &Arc<ToolSpec>| Suggestion::whole(&one_line(&tool.name), &one_line(&tool.description));
    state.about.tools.iter().map(row).collect()
}

/// A row was chosen: the whole spec.
pub(in crate::update) fn choose(state: &mut TuiState, name: &str) -> Vec<AppEffect> {
    if let Some(spec) = state.about.tools.iter().find(|spec| spec.name == name) {
        let pager = Pager::new(format!("Tool {name}"), describe(spec));
        open_text(state, pager);
    }
    Vec::new()
}

fn describe(spec: &ToolSpec) -> Vec<StyledLine> {
    let mut lines = StyledLine::all(TextRole::Text, spec.description.trim());
    lines.push(StyledLine::default());
    let args = spec.args();
    if args.is_empty() {
        lines.push(StyledLine::new(TextRole::Muted, "takes no arguments"));
    } else {
        lines.push(StyledLine::new(TextRole::Heading, "Arguments"));
        let columns = args.iter().map(|arg| arg.name.chars().count()).max().unwrap_or(0);
        args.iter().for_each(|arg| lines.extend(argument(spec, arg, columns)));
    }
    lines.push(StyledLine::default());
    let mut fact = |name: &str, value: &str| {
        lines.push(StyledLine::new(TextRole::Muted, &format!("{name:<13}")).and(TextRole::Text, value));
    };
    if let Some(executor) = &spec.executor {
        fact("executor", executor);
    }
    fact("risk", risk(spec.risk));
    fact("effects", effects(spec.effects));
    fact("repeated", if spec.idempotent { "changes nothing twice" } else { "may change things again" });
    if !spec.aliases.is_empty() {
        fact("other names", &spec.aliases.join(", "));
    }
    if let Some(ms) = spec.timeout_ms {
        fact("time limit", &format!("{} s", ms / 1_000));
    }
    for example in &spec.examples {
        fact("example", &example.to_string());
    }
    lines
}

/// An argument: its name, type and need; under it what it means and which values it may have.
fn argument(spec: &ToolSpec, arg: &ArgSpec<'_>, columns: usize) -> Vec<StyledLine> {
    let (need, role) = match (arg.required, arg.default) {
        (true, _) => ("required".to_owned(), TextRole::Warn),
        (false, Some(default)) => (format!("default {default}"), TextRole::Muted),
        (false, None) => ("optional".to_owned(), TextRole::Muted),
    };
    let name = format!("  {:<columns$}  ", arg.name);
    let kind = format!("{:<8} ", arg.kind.word());
    let mut lines =
        vec![StyledLine::new(TextRole::Accent, &name).and(TextRole::Text, &kind).and(role, &need)];
    let mut under = |text: &str| lines.push(StyledLine::new(TextRole::Text, &format!("      {text}")));
    if let Some(about) = arg.description {
        under(about);
    }
    let schema = spec.property(arg.name);
    if let Some(bounds) = schema.and_then(bounds) {
        under(&bounds);
    }
    lines.extend(schema.map(fields).unwrap_or_default());
    lines
}

/// The fields of an argument that is an object, or a list of them.
fn fields(schema: &Value) -> Vec<StyledLine> {
    let schema = schema.get("items").unwrap_or(schema);
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let mut lines = Vec::new();
    for (name, field) in properties.into_iter().flatten() {
        let is_required = required.is_some_and(|names| names.iter().any(|required| required == name));
        let about = field.get("description").and_then(Value::as_str).unwrap_or_default();
        let (need, role) =
            if is_required { ("required", TextRole::Warn) } else { ("optional", TextRole::Muted) };
        lines.push(
            StyledLine::new(TextRole::Accent, &format!("      {name} "))
                .and(TextRole::Text, &format!("{} ", ArgType::of(field).word()))
                .and(role, &format!("{need} "))
                .and(TextRole::Text, about),
        );
    }
    lines
}

/// The values that an argument may have, where its schema says so.
fn bounds(schema: &Value) -> Option<String> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        return Some(format!("one of {}", values.join(", ")));
    }
    let words =
        [("minimum", "from"), ("maximum", "to"), ("minLength", "length from"), ("maxLength", "length to")];
    let found: Vec<String> =
        words.iter().filter_map(|(key, word)| Some(format!("{word} {}", schema.get(key)?))).collect();
    (!found.is_empty()).then(|| found.join(" "))
}

pub(super) fn risk(risk: Risk) -> &'static str {
    match risk {
        Risk::Safe => "safe",
        Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High => "high",
        Risk::Critical => "critical",
    }
}

fn effects(effects: Effects) -> &'static str {
    match effects {
        Effects::Pure => "pure",
        Effects::Read => "read",
        Effects::Write => "write",
        Effects::External => "external",
    }
}

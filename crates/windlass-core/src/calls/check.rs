//! From what a model wrote to a call that may be judged: resolved, complete, typed, validated.
//!
//! Nothing is guessed and no value is converted (E-13…E-15): a call that is not right goes back to the
//! model with the field, what was expected there, what came, and the schema. Parsing text into JSON
//! happens before this; permission comes after it.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::calls::arg_table::ArgSlot;
use crate::calls::toolset::{ToolEntry, Toolset};
use crate::limits::{
    CALL_HINT_CHARS_MAX, DROPPED_ARGS_MAX, SNIPPET_CHARS_MAX, SUGGESTIONS_MAX, TOOL_NAME_CHARS_MAX,
    VIOLATIONS_MAX,
};
use crate::ports::Violation;
use crate::protocol::tool::{CheckedCall, ErrorKind, ToolCall, ToolFailure, without_live};
use crate::text::nearest::nearest_names;
use crate::text::{ShortText, cut_chars, json_short};

/// The argument by which a model asks for an answer that is not a repeated one (S-22).
pub(crate) const FRESH: &str = "fresh";

/// Checks one call against the tools of its step. `args` is what `call.arguments` parsed to.
///
/// A null for an optional argument that cannot be null counts as "not given": models fill in all
/// fields of a schema that way. A null for a required one is an error of its type.
///
/// On failure the call comes back with its canonical name, if it could be resolved.
#[allow(clippy::result_large_err)] // Both sides carry the call on; boxing it would cost every good call.
pub fn check_call(
    toolset: &Toolset,
    mut call: ToolCall,
    args: Value,
) -> Result<CheckedCall, (ToolCall, ToolFailure)> {
    let Some(entry) = toolset.find(&call.name) else {
        let failure = unknown_tool(toolset, &call.name);
        return Err((call, failure));
    };
    if call.name != entry.spec.name {
        call.name.clone_from(&entry.spec.name);
    }
    match check_args(entry, args) {
        Ok(CheckedArguments { args, dropped_args, is_fresh }) => {
            Ok(CheckedCall { call, spec: entry.spec.clone(), args, dropped_args, is_fresh })
        }
        Err(failure) => Err((call, *failure)),
    }
}

/// Arguments that are right.
struct CheckedArguments {
    args: Map<String, Value>,
    dropped_args: Vec<String>,
    is_fresh: bool,
}

fn check_args(entry: &ToolEntry, args: Value) -> Result<CheckedArguments, Box<ToolFailure>> {
    let Value::Object(args) = args else {
        let failure = ToolFailure::invalid_args("'args' must be an object").at(
            "args",
            "object",
            json_short(&args, SNIPPET_CHARS_MAX),
        );
        return Err(with_schema(entry, failure));
    };
    let mut arguments = CheckedArguments { args, dropped_args: Vec::new(), is_fresh: false };
    let is_plain = |(name, value): (&String, &Value)| !value.is_null() && entry.args.find(name).is_some();
    // A call that gives every argument in its type needs no more than this one look.
    if !is_whole(entry, &arguments.args) {
        if !arguments.args.iter().all(is_plain) {
            arguments = tidy(entry, arguments.args)?;
        }
        for slot in entry.args.slots() {
            check_slot(entry, slot, &mut arguments.args)?;
        }
    }
    let whole = Value::Object(arguments.args);
    // With the defaults in: the schema judges what the tool will get.
    let violations = entry.validator.check(&whole);
    if !violations.is_empty() {
        return Err(with_schema(entry, violated(&violations)));
    }
    let Value::Object(args) = whole else {
        return Err(Box::new(ToolFailure::internal("an object stayed an object until here")));
    };
    arguments.args = args;
    Ok(arguments)
}

/// Whether exactly the declared arguments are given, each in its type.
fn is_whole(entry: &ToolEntry, args: &Map<String, Value>) -> bool {
    let fits = |(name, value): (&String, &Value)| {
        !value.is_null() && entry.args.find(name).is_some_and(|slot| slot.kind.accepts(value))
    };
    args.len() == entry.args.slots().len() && args.iter().all(fits)
}

/// What a given name is to the tool.
enum GivenName {
    /// The name of an argument, or one that the open schema takes.
    Named,
    /// Another name for an argument that is not given by its own.
    Alias(Box<str>),
    /// Nothing the tool knows.
    Unknown,
}

/// Resolves aliases, drops unknown arguments and takes out nulls that mean nothing; keeps the order.
fn tidy(entry: &ToolEntry, given: Map<String, Value>) -> Result<CheckedArguments, Box<ToolFailure>> {
    let table = &entry.args;
    let place_of = |name: &String| match table.find_alias(name) {
        // Where the argument is also given by its own name, that one counts.
        Some(slot) if !given.contains_key(&*slot.name) => GivenName::Alias(slot.name.clone()),
        _ if table.keeps_unknown || table.find(name).is_some() => GivenName::Named,
        _ => GivenName::Unknown,
    };
    let places: Vec<GivenName> = given.keys().map(place_of).collect();
    let args = Map::with_capacity(given.len());
    let mut tidied = CheckedArguments { args, dropped_args: Vec::new(), is_fresh: false };
    for ((name, value), place) in given.into_iter().zip(places) {
        // Models that fill in all fields say null.
        let is_mark = name == FRESH && (value.is_boolean() || value.is_null()) && table.find(FRESH).is_none();
        if is_mark {
            tidied.is_fresh = value == Value::Bool(true);
        }
        match place {
            GivenName::Named => keep(entry, &mut tidied.args, name, value),
            // Of two aliases for one argument the first counts.
            GivenName::Alias(target) if !tidied.args.contains_key(&*target) => {
                keep(entry, &mut tidied.args, target.into(), value);
            }
            GivenName::Unknown if is_mark => {}
            GivenName::Unknown if table.refuses_unknown => {
                let name = cut_chars(&name, TOOL_NAME_CHARS_MAX);
                let failure = ToolFailure::invalid_args(format!("Unknown arg '{name}'"));
                return Err(with_schema(
                    entry,
                    failure.at(name, "no such argument", json_short(&value, SNIPPET_CHARS_MAX)),
                ));
            }
            GivenName::Alias(_) | GivenName::Unknown => {
                if tidied.dropped_args.len() < DROPPED_ARGS_MAX {
                    tidied.dropped_args.push(cut_chars(&name, TOOL_NAME_CHARS_MAX).into());
                }
            }
        }
    }
    Ok(tidied)
}

/// Puts an argument in, unless it is a null that says "not given".
fn keep(entry: &ToolEntry, args: &mut Map<String, Value>, name: String, value: Value) {
    let means_nothing = |slot: &ArgSlot| !slot.takes_null && !slot.is_required;
    if !(value.is_null() && entry.args.find(&name).is_some_and(means_nothing)) {
        args.insert(name, value);
    }
}

/// Required, strict type, default: in declaration order, the first fault is reported.
fn check_slot(
    entry: &ToolEntry,
    slot: &ArgSlot,
    args: &mut Map<String, Value>,
) -> Result<(), Box<ToolFailure>> {
    let name = &*slot.name;
    match args.get(name) {
        Some(value) if slot.kind.accepts(value) || (slot.takes_null && value.is_null()) => Ok(()),
        Some(value) => {
            let expected = slot.kind.expected();
            let failure = ToolFailure::invalid_args(format!("{name} must be {expected}"));
            Err(with_schema(entry, failure.at(name, expected, json_short(value, SNIPPET_CHARS_MAX))))
        }
        None => match &slot.default {
            Some(default) => {
                args.insert(name.into(), default.clone());
                Ok(())
            }
            None if slot.is_required => {
                let failure = ToolFailure::invalid_args(format!("Missing required arg '{name}'"));
                Err(with_schema(entry, failure.at(name, slot.kind.expected(), "nothing")))
            }
            None => Ok(()),
        },
    }
}

/// One failure for all violations of the full schema: the worst in its fields, the others named.
fn violated(violations: &[Violation]) -> ToolFailure {
    let mut message = String::new();
    for violation in violations.iter().take(VIOLATIONS_MAX) {
        if !message.is_empty() {
            message.push_str("; ");
        }
        if let Some(place) = violation.path.strip_prefix('/') {
            message.push_str(cut_chars(place, SNIPPET_CHARS_MAX));
            message.push_str(": ");
        }
        message.push_str(cut_chars(&violation.message, SNIPPET_CHARS_MAX));
    }
    if let Some(more) = violations.len().checked_sub(VIOLATIONS_MAX).filter(|more| *more > 0) {
        // Writing to a string cannot fail.
        let _ = write!(message, "; and {more} more");
    }
    let failure = ToolFailure::invalid_args(message);
    let Some(worst) = violations.first() else { return failure };
    let field = worst.path.strip_prefix('/').unwrap_or("args");
    let received = cut_chars(&worst.received, SNIPPET_CHARS_MAX);
    failure.at(cut_chars(field, SNIPPET_CHARS_MAX), worst.expected.as_str(), received)
}

fn with_schema(entry: &ToolEntry, failure: ToolFailure) -> Box<ToolFailure> {
    let name = &entry.spec.name;
    let mut schema = ShortText::new(CALL_HINT_CHARS_MAX);
    let is_whole = write!(schema, "{}", without_live(&entry.spec.schema)).is_ok();
    let hint = if is_whole {
        format!("Send the call again with arguments that fit the schema of '{name}': {}", schema.text())
    } else {
        let signature = entry.spec.signature();
        format!("Send the call again; the arguments are {}", cut_chars(&signature, CALL_HINT_CHARS_MAX))
    };
    Box::new(failure.hint(hint))
}

fn unknown_tool(toolset: &Toolset, name: &str) -> ToolFailure {
    let name = cut_chars(name, TOOL_NAME_CHARS_MAX);
    let failure = ToolFailure::new(ErrorKind::UnknownTool, format!("Unknown tool '{name}'"));
    if toolset.is_empty() {
        return failure.hint("There are no tools; answer without them.");
    }
    let mut names = String::new();
    for tool in toolset.names() {
        if names.len() + tool.len() > CALL_HINT_CHARS_MAX {
            names.push_str(", …");
            break;
        }
        names.push_str(if names.is_empty() { "" } else { ", " });
        names.push_str(tool);
    }
    let nearest = nearest_names(name, toolset.names(), SUGGESTIONS_MAX).join("' or '");
    let meant = if nearest.is_empty() { nearest } else { format!("Did you mean '{nearest}'? ") };
    let hint = format!("{meant}Available tools: {names}");
    let mut failure = failure.hint(hint);
    // Studio's sentence lists them (see `phrase`).
    failure.expected = Some(names);
    failure
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;

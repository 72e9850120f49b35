//! Lowering: tools in the dialect of a provider, so that one exotic tool never breaks a request.
//!
//! A lowered schema may be looser than the tool's own and is never tighter: what the model sends is
//! validated against the tool's own schema anyway. What was lost is told as a notice. Knows no wire.
//!
//! - `shape`: what a well-formed schema is made of; broken pieces are left out
//! - `full`: an object at the root, with nothing beside it that providers refuse there
//! - `strict`, `gemini`, `moonshot`: what only some endpoints want
//! - `names`: names on the wire

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use windlass_core::calls::json::clip::clip_chars;
use windlass_core::protocol::model::{Notice, NoticeKind};
use windlass_core::protocol::tool::{ToolSpec, told_schema};

use crate::quirks::SchemaDialect;
use crate::target::{ModelTarget, WireKind};

mod full;
mod gemini;
mod moonshot;
pub mod names;
mod shape;
mod strict;

/// Nesting of a schema; no tool that a person wrote comes near it, and no schema may exhaust the stack.
const SCHEMA_DEPTH_MAX: usize = 32;
/// Subschemas of one tool after inlining: references may fan out without end.
const SCHEMA_NODES_MAX: usize = 2_000;
/// What a description quotes of a schema that could not be lowered.
const SCHEMA_QUOTE_CHARS_MAX: usize = 2_000;

/// A tool as a provider sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct LoweredTool {
    pub spec: Arc<ToolSpec>,
    /// Its name on the wire: `[A-Za-z0-9_-]{1,64}`, unique.
    pub name: String,
    /// Its parameters in the provider's dialect.
    pub schema: Value,
    /// Whether the provider may be told to keep to the schema strictly.
    pub is_strict: bool,
}

/// All tools of a request, lowered, in the request's order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoweredTools {
    pub tools: Vec<LoweredTool>,
    pub notices: Vec<Notice>,
}

impl LoweredTools {
    /// The tool's own name for a name on the wire; the same text if it is no tool's.
    pub fn own_name<'a>(&'a self, wire_name: &'a str) -> &'a str {
        let found = self.tools.iter().find(|tool| tool.name == wire_name);
        found.map_or(wire_name, |tool| tool.spec.name.as_str())
    }

    /// The name on the wire for any name that was called: what is no tool's stands for no tool there either.
    pub fn name_for<'a>(&'a self, wire: WireKind, called: &'a str) -> Cow<'a, str> {
        let is_taken = |name: &str| self.tools.iter().any(|tool| tool.name == name);
        match self.wire_name(called) {
            Some(name) => Cow::Borrowed(name),
            None => names::strange_name(wire, called, is_taken),
        }
    }

    /// The name on the wire for a tool's own name; `None` if it is no tool's.
    pub fn wire_name<'a>(&'a self, own_name: &'a str) -> Option<&'a str> {
        self.tools.iter().find(|tool| tool.spec.name == own_name).map(|tool| tool.name.as_str())
    }
}

/// Tools in the dialect of a target.
pub fn lower(target: &ModelTarget, specs: &[Arc<ToolSpec>]) -> LoweredTools {
    let mut lowered = LoweredTools::default();
    let mut names = names::WireNames::of(target.wire, specs);
    for spec in specs {
        let name = names.give(&spec.name);
        let mut losses = Losses::default();
        if name != spec.name {
            losses.add(
                "tool_name",
                format!("its name is not legal for {}: it is sent as '{name}'", target.provider),
            );
        }
        lowered.tools.push(lower_tool(target, spec, name, &mut losses));
        lowered.notices.extend(losses.told_of(&spec.name));
    }
    lowered
}

fn lower_tool(target: &ModelTarget, spec: &Arc<ToolSpec>, name: String, losses: &mut Losses) -> LoweredTool {
    let lowered = full::lower(&told_schema(spec), losses).and_then(|root| match target.quirks.schema {
        SchemaDialect::Full | SchemaDialect::Strict => Ok(root),
        SchemaDialect::Gemini => gemini::lower(&root, losses),
        SchemaDialect::Moonshot => Ok(moonshot::lower(root, losses)),
    });
    match lowered {
        Ok(mut root) => {
            let is_strict = target.quirks.schema == SchemaDialect::Strict && strict::fits(&root);
            if is_strict {
                strict::complete(&mut root);
            }
            LoweredTool { spec: Arc::clone(spec), name, schema: Value::Object(root), is_strict }
        }
        Err(Unlowerable(why)) => {
            losses.add("schema_quoted", format!("{why}: the model sees it as text and may send any object"));
            let schema = json!({"type": "object", "properties": {}});
            LoweredTool { spec: quoting(spec), name, schema, is_strict: false }
        }
    }
}

/// The spec with its schema in its description: what cannot be declared can still be said.
fn quoting(spec: &ToolSpec) -> Arc<ToolSpec> {
    let text = told_schema(spec).to_string();
    let quote = clip_chars(&text, SCHEMA_QUOTE_CHARS_MAX);
    let description = format!("{}\nIts arguments follow this JSON Schema: {quote}", spec.description);
    Arc::new(ToolSpec { description, ..spec.clone() })
}

/// Why a schema has no form in a dialect.
struct Unlowerable(&'static str);

/// What one tool lost.
#[derive(Default)]
struct Losses(Vec<(&'static str, String)>);

impl Losses {
    /// Notes a loss; the same one is told once.
    fn add(&mut self, rule: &'static str, what: impl Into<String>) {
        let loss = (rule, what.into());
        if !self.0.contains(&loss) {
            self.0.push(loss);
        }
    }

    /// One notice for each rule.
    fn told_of(self, tool: &str) -> Vec<Notice> {
        let mut notices: Vec<Notice> = Vec::new();
        for (rule, what) in self.0 {
            match notices.iter_mut().find(|notice| notice.rule == rule) {
                Some(notice) => {
                    notice.message.push_str("; ");
                    notice.message.push_str(&what);
                }
                None => {
                    let message = format!("Tool '{tool}': {what}");
                    notices.push(Notice { kind: NoticeKind::Lowered, rule: rule.to_owned(), message });
                }
            }
        }
        notices
    }
}

/// A schema that is an object.
type Schema = Map<String, Value>;

#[cfg(test)]
#[path = "mod_tests.rs"]
mod tests;

//! The tools of one step: an immutable, sorted set with everything needed to check a call.
//!
//! Knows specs and validators as data. Does not know how a tool runs: the engine keeps the ports
//! beside it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use crate::calls::arg_table::ArgTable;
use crate::ports::ArgsValidator;
use crate::profile::Profile;
use crate::protocol::tool::{ToolSpec, without_live};
use crate::text::json_bytes;

/// One tool of a set; cheap to clone.
#[derive(Clone)]
pub struct ToolEntry {
    pub spec: Arc<ToolSpec>,
    pub validator: Arc<dyn ArgsValidator>,
    /// Its arguments, prepared for checking.
    pub(crate) args: Arc<ArgTable>,
    /// Whether it is a tool of Windlass itself, among which a profile chooses.
    pub is_builtin: bool,
}

impl ToolEntry {
    /// Prepares a tool for checking its calls.
    pub fn new(spec: Arc<ToolSpec>, validator: Arc<dyn ArgsValidator>) -> Self {
        let args = Arc::new(ArgTable::of(&spec));
        Self { spec, validator, args, is_builtin: false }
    }

    /// The first argument whose default does not have the argument's own type.
    pub fn wrong_default(&self) -> Option<&str> {
        let is_wrong = |default: &Value, slot: &crate::calls::arg_table::ArgSlot| {
            !default.is_null() && !slot.kind.accepts(default)
        };
        let slots = self.args.slots().iter();
        slots
            .filter(|slot| slot.default.as_ref().is_some_and(|default| is_wrong(default, slot)))
            .map(|slot| &*slot.name)
            .next()
    }
}

/// Two tools claim one name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the name '{name}' of tool '{tool}' is already taken by tool '{holder}'; rename one of them")]
pub struct NameClash {
    /// The name or alias in question.
    pub name: String,
    /// The tool that came second.
    pub tool: String,
    /// The tool that has it.
    pub holder: String,
}

/// About how many bytes tools take in a request: names, descriptions and schemas.
pub(crate) fn prompt_bytes(specs: &[Arc<ToolSpec>]) -> u64 {
    let bytes_of = |spec: &Arc<ToolSpec>| {
        let words = spec.name.len().saturating_add(spec.description.len()) as u64;
        words.saturating_add(json_bytes(&spec.schema))
    };
    specs.iter().map(bytes_of).fold(0, u64::saturating_add)
}

/// An immutable set of tools, sorted by name: the order in which prompts and requests list them is
/// the same in every run, and so is the prompt prefix.
#[derive(Clone)]
pub struct Toolset {
    entries: Vec<ToolEntry>,
    /// Names and aliases to places in `entries`. Looked into several times a call: in sets of the usual size,
    /// comparing is faster than hashing.
    index: BTreeMap<Box<str>, usize>,
    specs: Arc<[Arc<ToolSpec>]>,
    /// Measured when somebody asks: many sets are never shown to a model.
    prompt_bytes: OnceLock<u64>,
}

impl Toolset {
    /// A set of the given tools. No name or alias may be claimed twice.
    pub fn new(mut entries: Vec<ToolEntry>) -> Result<Self, NameClash> {
        entries.sort_by(|a, b| a.spec.name.cmp(&b.spec.name));
        let mut index: BTreeMap<Box<str>, usize> = BTreeMap::new();
        let names = entries.iter().enumerate().map(|(at, entry)| (at, &entry.spec.name));
        let aliases = entries
            .iter()
            .enumerate()
            .flat_map(|(at, entry)| entry.spec.aliases.iter().map(move |alias| (at, alias)));
        // Canonical names go first: when an alias clashes with one, the alias is to blame.
        for (at, name) in names.chain(aliases) {
            if let Some(holder) = index.insert(name.as_str().into(), at) {
                let tool_of = |at: usize| entries.get(at).map(|entry| entry.spec.name.clone());
                return Err(NameClash {
                    name: name.clone(),
                    tool: tool_of(at).unwrap_or_default(),
                    holder: tool_of(holder).unwrap_or_default(),
                });
            }
        }
        let specs = entries.iter().map(|entry| entry.spec.clone()).collect();
        Ok(Self { entries, index, specs, prompt_bytes: OnceLock::new() })
    }

    /// A set without tools.
    pub fn empty() -> Self {
        Self {
            entries: Vec::new(),
            index: BTreeMap::new(),
            specs: Arc::new([]),
            prompt_bytes: OnceLock::new(),
        }
    }

    /// The tool of that name or alias.
    pub fn find(&self, name: &str) -> Option<&ToolEntry> {
        self.entries.get(*self.index.get(name)?)
    }

    /// All tools, sorted by name.
    pub fn entries(&self) -> &[ToolEntry] {
        &self.entries
    }

    /// All specs, sorted by name.
    pub fn specs(&self) -> Arc<[Arc<ToolSpec>]> {
        Arc::clone(&self.specs)
    }

    /// About how many bytes the tools take in a request: names, descriptions and schemas.
    pub fn prompt_bytes(&self) -> u64 {
        *self.prompt_bytes.get_or_init(|| prompt_bytes(&self.specs))
    }

    /// All canonical names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.spec.name.as_str())
    }

    /// The tools that pass, as a set of their own.
    pub fn filter(&self, keep: impl Fn(&ToolSpec) -> bool) -> Self {
        let kept = self.entries.iter().filter(|entry| keep(&entry.spec)).cloned().collect();
        // A part of a set without clashes has none.
        Self::new(kept).unwrap_or_else(|_| Self::empty())
    }

    /// The tools that a profile offers: those of Windlass itself that it names, and all that somebody added.
    pub fn of_profile(&self, profile: &Profile) -> Self {
        let is_offered = |entry: &&ToolEntry| !entry.is_builtin || profile.offers(&entry.spec.name);
        // A part of a set without clashes has none.
        Self::new(self.entries.iter().filter(is_offered).cloned().collect()).unwrap_or_else(|_| Self::empty())
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// `[{name, description, args_schema|null}]` for the model, sorted by name (D-11, R-13).
    pub fn to_json(&self) -> Value {
        let tools = self.entries.iter().map(|entry| {
            let spec = &entry.spec;
            let takes_args = spec.is_open() || spec.properties().is_some_and(|args| !args.is_empty());
            let mut tool = Map::new();
            tool.insert("name".into(), spec.name.as_str().into());
            tool.insert("description".into(), spec.description.as_str().into());
            tool.insert(
                "args_schema".into(),
                if takes_args { without_live(&spec.schema).into_owned() } else { Value::Null },
            );
            Value::Object(tool)
        });
        tools.collect()
    }
}

impl fmt::Debug for Toolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

#[cfg(test)]
#[path = "toolset_tests.rs"]
mod tests;

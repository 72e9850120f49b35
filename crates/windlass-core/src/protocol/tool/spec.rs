//! The spec of a tool: the single source of its prompt text, schema, help and validation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Characters of a tool's name: twice what any provider takes, as many as the Model Context Protocol allows.
const NAME_CHARS_MAX: usize = 128;

/// What running a tool does to the world. Decides scheduling, caching and recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Effects {
    /// Depends on its arguments alone.
    Pure,
    /// Looks at the world, changes nothing.
    Read,
    /// Changes files or state on this machine.
    Write,
    /// Reaches beyond this machine, or cannot be judged.
    External,
}

impl Effects {
    /// Whether calls may run side by side and may be repeated without harm.
    pub fn is_read_only(self) -> bool {
        match self {
            Effects::Pure | Effects::Read => true,
            Effects::Write | Effects::External => false,
        }
    }
}

/// How much harm a call can do; decides what is asked of the user when no rule speaks (Z-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Runs without asking.
    Safe,
    /// Asked once a session.
    Low,
    /// Asked each time.
    Medium,
    /// Asked each time, with the full preview.
    High,
    /// Needs a typed confirmation.
    Critical,
}

impl Risk {
    /// What people are warned of where such a call is asked about (Z-12).
    pub fn warning(self) -> Option<&'static str> {
        match self {
            Risk::Safe | Risk::Low | Risk::Medium => None,
            Risk::High => Some("Warning: this call changes or sends something. Read it before you allow it."),
            Risk::Critical => {
                Some("Warning: what this call does may not be undone. Allowing it needs a typed word.")
            }
        }
    }

    /// The word shown in a permission question, in capitals (Z-14).
    pub fn label(self) -> &'static str {
        match self {
            Risk::Safe => "SAFE",
            Risk::Low => "LOW",
            Risk::Medium => "MEDIUM",
            Risk::High => "HIGH",
            Risk::Critical => "CRITICAL",
        }
    }
}

/// Which part of the machine a tool touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Reads files below the root.
    ReadFiles,
    /// Writes files below the root.
    WriteFiles,
    /// Starts processes.
    ExecuteCommands,
    /// Talks to other hosts.
    NetworkAccess,
    /// Looks at the machine itself.
    SystemInfo,
    /// Keeps the task list.
    TaskManagement,
}

/// Where a front end files a tool (S-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Finds things.
    Search,
    /// Small computations.
    Utility,
    /// Everything else.
    #[default]
    Other,
}

/// How prominently a front end shows a tool (S-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// In the middle of the screen.
    Primary,
    /// As a chip.
    #[default]
    Secondary,
    /// Only in the inspector.
    Hidden,
}

/// The declaration of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Tool"))]
pub struct ToolSpec {
    /// Canonical name, `verb_noun`.
    pub name: String,
    /// Other names a model may use for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What it does, for the model and for people.
    pub description: String,
    /// JSON Schema (draft 2020-12) of the arguments; always an object schema.
    #[cfg_attr(feature = "schema", schemars(with = "Map<String, Value>"))]
    pub schema: Value,
    /// Other names for arguments: alias → canonical.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arg_aliases: BTreeMap<String, String>,
    /// Effect class.
    pub effects: Effects,
    /// Whether sending the same call twice does no more than once.
    pub idempotent: bool,
    /// Risk without any rule.
    pub risk: Risk,
    /// What it touches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<Scope>,
    /// Where front ends file it.
    pub category: Category,
    /// How prominently front ends show it.
    pub visibility: Visibility,
    /// Own limit for one call; the profile's otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Own limit for what the model sees of an outcome; the profile's otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_chars_max: Option<usize>,
    /// Refuse unknown arguments instead of dropping and reporting them.
    #[serde(default)]
    pub strict_args: bool,
    /// Whether `ToolPort::inspect` has something to say (paths, hosts, commands, a preview).
    #[serde(default)]
    pub inspected: bool,
    /// Honest repetition, such as polling: the loop guard leaves it alone.
    #[serde(default)]
    pub repeatable: bool,
    /// Whether its output is text from outside that must never be taken for an instruction.
    #[serde(default)]
    pub untrusted_output: bool,
    /// Whether its output is made of the arguments alone, or of this program's own words: nothing of others is in it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub own_output: bool,
    /// Example arguments, for help and for the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Value>,
    /// The executor of a user's own that runs it; nothing where this program does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor: Option<String>,
}

/// Why a spec cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The name is empty, too long or has characters that rules and addresses could not tell from their own.
    #[error("tool name '{0}' must be 1 to 128 characters of a-z, A-Z, 0-9, '_', '-', '.' or '/'")]
    Name(String),
    /// The schema does not describe an object.
    #[error("the schema of tool '{0}' must be a JSON Schema object with \"type\": \"object\"")]
    Schema(String),
    /// An alias points to an argument that the schema does not have.
    #[error("tool '{tool}': argument alias '{alias}' points to '{target}', which the schema does not have")]
    ArgAlias {
        /// The tool.
        tool: String,
        /// The alias.
        alias: String,
        /// The missing argument.
        target: String,
    },
}

/// Whether a text can be a tool's name. It is more than providers take: names are put into each provider's form, and
/// read back.
pub fn is_tool_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    (1..=NAME_CHARS_MAX).contains(&text.len()) && text.chars().all(is_part)
}

impl ToolSpec {
    /// A pure, safe tool with no arguments; set the rest with the `with_…` methods.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            aliases: Vec::new(),
            description: description.into(),
            schema: empty_schema(),
            arg_aliases: BTreeMap::new(),
            effects: Effects::Pure,
            idempotent: false,
            risk: Risk::Safe,
            scopes: Vec::new(),
            category: Category::Other,
            visibility: Visibility::Secondary,
            timeout_ms: None,
            result_chars_max: None,
            strict_args: false,
            inspected: false,
            repeatable: false,
            untrusted_output: false,
            own_output: false,
            examples: Vec::new(),
            executor: None,
        }
    }

    /// Whether it claims that nothing of others is in its output. What depends on its arguments alone claims it, too.
    pub fn is_own_output(&self) -> bool {
        !self.untrusted_output && (self.own_output || self.effects == Effects::Pure)
    }

    /// Sets the argument schema.
    pub fn with_schema(mut self, schema: Value) -> Self {
        self.schema = schema;
        self
    }

    /// Sets effect class and risk, which belong together.
    pub fn with_effects(mut self, effects: Effects, risk: Risk) -> Self {
        self.effects = effects;
        self.risk = risk;
        self
    }

    /// Sets what the tool touches.
    pub fn with_scopes(mut self, scopes: impl IntoIterator<Item = Scope>) -> Self {
        self.scopes = scopes.into_iter().collect();
        self
    }

    /// Sets where and how prominently front ends show it.
    pub fn with_place(mut self, category: Category, visibility: Visibility) -> Self {
        self.category = category;
        self.visibility = visibility;
        self
    }

    /// Adds another name for the tool.
    pub fn with_alias(mut self, alias: impl Into<String>) -> Self {
        self.aliases.push(alias.into());
        self
    }

    /// Adds another name for an argument.
    pub fn with_arg_alias(mut self, alias: impl Into<String>, target: impl Into<String>) -> Self {
        self.arg_aliases.insert(alias.into(), target.into());
        self
    }

    /// Checks what every provider and every part of this house relies on.
    pub fn check(&self) -> Result<(), SpecError> {
        for name in std::iter::once(&self.name).chain(&self.aliases) {
            if !is_tool_name(name) {
                return Err(SpecError::Name(name.clone()));
            }
        }
        if self.schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(SpecError::Schema(self.name.clone()));
        }
        for (alias, target) in &self.arg_aliases {
            if self.property(target).is_none() {
                return Err(SpecError::ArgAlias {
                    tool: self.name.clone(),
                    alias: alias.clone(),
                    target: target.clone(),
                });
            }
        }
        Ok(())
    }

    /// The schema of one argument.
    pub fn property(&self, name: &str) -> Option<&Value> {
        self.properties()?.get(name)
    }

    /// The schemas of all arguments, in declaration order.
    pub fn properties(&self) -> Option<&Map<String, Value>> {
        self.schema.get("properties").and_then(Value::as_object)
    }

    /// Whether an argument must be given.
    pub fn requires(&self, name: &str) -> bool {
        self.schema
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|required| required.iter().any(|item| item.as_str() == Some(name)))
    }

    /// Whether the schema itself allows arguments it does not name.
    pub fn is_open(&self) -> bool {
        match self.schema.get("additionalProperties") {
            Some(Value::Bool(open)) => *open,
            Some(Value::Object(_)) => true,
            _ => self.schema.get("patternProperties").is_some(),
        }
    }

    /// The arguments as short typed facts, in declaration order: for text prompts and help.
    pub fn args(&self) -> Vec<ArgSpec<'_>> {
        let Some(properties) = self.properties() else { return Vec::new() };
        properties
            .iter()
            .map(|(name, schema)| ArgSpec {
                name,
                kind: ArgType::of(schema),
                required: self.requires(name),
                default: schema.get("default"),
                description: schema.get("description").and_then(Value::as_str),
            })
            .collect()
    }

    /// `name(arg:type,arg:type)`: one tool in a text prompt (Appendix A.1).
    pub fn signature(&self) -> String {
        let args: Vec<String> =
            self.args().iter().map(|arg| format!("{}:{}", arg.name, arg.kind.word())).collect();
        format!("{}({})", self.name, args.join(","))
    }
}

fn is_false(truth: &bool) -> bool {
    !truth
}

/// The schema of a tool without arguments.
fn empty_schema() -> Value {
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), Value::Object(Map::new()));
    schema.insert("additionalProperties".into(), false.into());
    Value::Object(schema)
}

/// One argument of a spec.
#[derive(Debug, Clone, PartialEq)]
pub struct ArgSpec<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its strict type.
    pub kind: ArgType,
    /// Whether it must be given.
    pub required: bool,
    /// What is put in when it is missing.
    pub default: Option<&'a Value>,
    /// What it means.
    pub description: Option<&'a str>,
}

/// The strict types of E-13: no value of one is ever taken for another, but int for float (E-15).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgType {
    /// Text.
    String,
    /// A whole number; `2.0` is not one (E-14).
    Int,
    /// A number.
    Float,
    /// True or false; never a number.
    Bool,
    /// A JSON object.
    Object,
    /// A JSON array.
    Array,
    /// Left to the full schema (unions, references, enums without a type).
    Any,
}

impl ArgType {
    /// Reads the type of a property schema. A type "or null" is still that type.
    pub fn of(schema: &Value) -> Self {
        match schema.get("type") {
            Some(Value::String(word)) => Self::of_word(word),
            Some(Value::Array(words)) => {
                let mut words = words.iter().filter_map(Value::as_str).filter(|word| *word != "null");
                match (words.next(), words.next()) {
                    (Some(word), None) => Self::of_word(word),
                    _ => ArgType::Any,
                }
            }
            _ => Self::of_branches(schema),
        }
    }

    fn of_word(word: &str) -> Self {
        match word {
            "string" => ArgType::String,
            "integer" => ArgType::Int,
            "number" => ArgType::Float,
            "boolean" => ArgType::Bool,
            "object" => ArgType::Object,
            "array" => ArgType::Array,
            _ => ArgType::Any,
        }
    }

    /// `anyOf: [X, null]`, as generators write an optional X.
    fn of_branches(schema: &Value) -> Self {
        let branches = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
        let is_null = |branch: &&Value| branch.get("type").and_then(Value::as_str) == Some("null");
        let mut branches = branches.into_iter().flatten().filter(|branch| !is_null(branch));
        match (branches.next(), branches.next()) {
            (Some(branch), None) => Self::of(branch),
            _ => ArgType::Any,
        }
    }

    /// The short word of text prompts.
    pub fn word(self) -> &'static str {
        match self {
            ArgType::String => "str",
            ArgType::Int => "int",
            ArgType::Float => "float",
            ArgType::Bool => "bool",
            ArgType::Object => "dict",
            ArgType::Array => "list",
            ArgType::Any => "any",
        }
    }

    /// The word of the message "X must be …" (E-13).
    pub fn expected(self) -> &'static str {
        match self {
            ArgType::String => "string",
            ArgType::Int => "int",
            ArgType::Float => "float",
            ArgType::Bool => "bool",
            ArgType::Object => "object",
            ArgType::Array => "array",
            ArgType::Any => "any value",
        }
    }

    /// Whether a value has this type.
    pub fn accepts(self, value: &Value) -> bool {
        match self {
            ArgType::String => value.is_string(),
            ArgType::Int => value.is_i64() || value.is_u64(),
            ArgType::Float => value.is_number(),
            ArgType::Bool => value.is_boolean(),
            ArgType::Object => value.is_object(),
            ArgType::Array => value.is_array(),
            ArgType::Any => true,
        }
    }
}

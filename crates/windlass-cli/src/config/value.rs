//! One setting: its value, what kind of value it must be, and where it came from.

use std::fmt;
use std::path::PathBuf;

use serde_json::{Value as Json, json};
use toml::de::DeValue;

use crate::duration::parse_ms;

/// What is shown in place of a secret.
const HIDDEN: &str = "***";

/// Words for yes and no in the environment.
const YES: [&str; 4] = ["1", "true", "yes", "on"];
const NO: [&str; 5] = ["0", "false", "no", "off", ""];

/// The value of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// Not set.
    Nothing,
    /// Text.
    Text(String),
    /// Text that is never shown.
    Secret(String),
    /// Yes or no.
    Truth(bool),
    /// A whole number.
    Count(u64),
    /// Several texts.
    List(Vec<String>),
}

impl Value {
    /// The text of a text or a secret.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) | Value::Secret(text) => Some(text),
            Value::Nothing | Value::Truth(_) | Value::Count(_) | Value::List(_) => None,
        }
    }

    /// The items of a list.
    pub(crate) fn items(&self) -> &[String] {
        match self {
            Value::List(items) => items,
            Value::Nothing | Value::Text(_) | Value::Secret(_) | Value::Truth(_) | Value::Count(_) => &[],
        }
    }

    /// As JSON, secrets hidden.
    pub(crate) fn to_json(&self) -> Json {
        match self {
            Value::Nothing => Json::Null,
            Value::Text(text) => json!(text),
            Value::Secret(_) => json!(HIDDEN),
            Value::Truth(truth) => json!(truth),
            Value::Count(count) => json!(count),
            Value::List(items) => json!(items),
        }
    }
}

/// For the eye, as TOML would write it, secrets hidden.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Nothing => f.write_str("(none)"),
            Value::Text(text) => write!(f, "{}", json!(text)),
            Value::Secret(_) => f.write_str(HIDDEN),
            Value::Truth(truth) => write!(f, "{truth}"),
            Value::Count(count) => write!(f, "{count}"),
            Value::List(items) => write!(f, "{}", json!(items)),
        }
    }
}

/// What kind of value a setting has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text.
    Text,
    /// Text that is never shown.
    Secret,
    /// Yes or no.
    Truth,
    /// A whole number.
    Count,
    /// A whole number, or `none`.
    CountOrNone,
    /// Milliseconds, or a duration such as `30s`.
    Millis,
    /// Several texts.
    List,
    /// One of these words.
    Word(&'static [&'static str]),
}

impl Kind {
    /// What is expected, for an error.
    pub(crate) fn expected(self) -> String {
        match self {
            Kind::Text | Kind::Secret => "text".into(),
            Kind::Truth => "true or false".into(),
            Kind::Count => "a whole number".into(),
            Kind::CountOrNone => "a whole number or \"none\"".into(),
            Kind::Millis => "milliseconds, or a duration such as \"30s\"".into(),
            Kind::List => "a list of texts".into(),
            Kind::Word(words) => format!("one of {}", words.join(", ")),
        }
    }

    /// Reads the text of an environment variable or a flag.
    pub(crate) fn read_text(self, text: &str) -> Option<Value> {
        let lower = text.trim().to_ascii_lowercase();
        match self {
            Kind::Text => Some(Value::Text(text.to_owned())),
            Kind::Secret => Some(Value::Secret(text.to_owned())),
            Kind::Truth if YES.contains(&lower.as_str()) => Some(Value::Truth(true)),
            Kind::Truth if NO.contains(&lower.as_str()) => Some(Value::Truth(false)),
            Kind::Truth => None,
            Kind::Count => text.trim().parse().ok().map(Value::Count),
            Kind::CountOrNone if lower == "none" => Some(Value::Nothing),
            Kind::CountOrNone => text.trim().parse().ok().map(Value::Count),
            Kind::Millis => text.trim().parse().or_else(|_| parse_ms(text)).ok().map(Value::Count),
            Kind::List => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Some(Value::List(items.map(str::to_owned).collect()))
            }
            Kind::Word(words) => words.contains(&lower.as_str()).then_some(Value::Text(lower)),
        }
    }

    /// Reads a value of a TOML file: strict, a number is not a text.
    pub(crate) fn read_toml(self, value: &DeValue<'_>) -> Option<Value> {
        let text = || value.as_str().and_then(|text| self.read_text(text));
        let count = || {
            let number = value.as_integer()?;
            u64::from_str_radix(number.as_str(), number.radix()).ok().map(Value::Count)
        };
        match self {
            Kind::Text | Kind::Secret | Kind::Word(_) => text(),
            Kind::Truth => value.as_bool().map(Value::Truth),
            Kind::Count => count(),
            Kind::CountOrNone | Kind::Millis => count().or_else(text),
            Kind::List => {
                let texts = value.as_array()?.iter().map(|item| item.get_ref().as_str().map(str::to_owned));
                texts.collect::<Option<_>>().map(Value::List)
            }
        }
    }
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// Built in.
    Default,
    /// The profile of that name.
    Profile(&'static str),
    /// Follows from another setting.
    Follows(&'static str),
    /// A configuration file, at that line.
    File(PathBuf, usize),
    /// An environment variable.
    Environment(String),
    /// The header of a script.
    Script(String),
    /// A flag.
    Flag(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Default => f.write_str("default"),
            Source::Profile(name) => write!(f, "profile {name}"),
            Source::Follows(key) => write!(f, "follows from {key}"),
            Source::File(path, line) => write!(f, "{}:{line}", path.display()),
            Source::Environment(name) => write!(f, "environment {name}"),
            Source::Script(name) => write!(f, "script {name}"),
            Source::Flag(name) => f.write_str(name),
        }
    }
}

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    /// The value.
    pub(crate) value: Value,
    /// Where it came from.
    pub(crate) source: Source,
}

impl Setting {
    /// A setting.
    pub(crate) fn new(value: Value, source: Source) -> Self {
        Self { value, source }
    }
}

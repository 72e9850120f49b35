//! One setting: its value, what kind of value it must be, and where it came from.

use std::fmt;
use std::path::PathBuf;

use serde_json::{Map, Number, Value as Json, json};
use toml::de::DeValue;

use crate::config::duration::parse_ms;

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
    /// A number with a point.
    Number(Number),
    /// Several texts.
    List(Vec<String>),
    /// Names with values.
    Table(Map<String, Json>),
    /// Names with texts that are never shown.
    Secrets(Map<String, Json>),
}

impl Value {
    /// The text of a text or a secret.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) | Value::Secret(text) => Some(text),
            Value::Nothing
            | Value::Truth(_)
            | Value::Count(_)
            | Value::Number(_)
            | Value::List(_)
            | Value::Table(_)
            | Value::Secrets(_) => None,
        }
    }

    /// The fields of a table.
    pub(crate) fn fields(&self) -> Option<&Map<String, Json>> {
        match self {
            Value::Table(fields) | Value::Secrets(fields) => Some(fields),
            Value::Nothing
            | Value::Text(_)
            | Value::Secret(_)
            | Value::Truth(_)
            | Value::Count(_)
            | Value::Number(_)
            | Value::List(_) => None,
        }
    }

    /// The whole number.
    pub(crate) fn count(&self) -> Option<u64> {
        match self {
            Value::Count(count) => Some(*count),
            Value::Nothing
            | Value::Text(_)
            | Value::Secret(_)
            | Value::Truth(_)
            | Value::Number(_)
            | Value::List(_)
            | Value::Table(_)
            | Value::Secrets(_) => None,
        }
    }

    /// The number with a point.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => number.as_f64(),
            Value::Nothing
            | Value::Text(_)
            | Value::Secret(_)
            | Value::Truth(_)
            | Value::Count(_)
            | Value::List(_)
            | Value::Table(_)
            | Value::Secrets(_) => None,
        }
    }

    /// The items of a list.
    pub(crate) fn items(&self) -> &[String] {
        match self {
            Value::List(items) => items,
            Value::Nothing
            | Value::Text(_)
            | Value::Secret(_)
            | Value::Truth(_)
            | Value::Count(_)
            | Value::Number(_)
            | Value::Table(_)
            | Value::Secrets(_) => &[],
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
            Value::Number(number) => json!(number),
            Value::List(items) => json!(items),
            Value::Table(fields) => json!(fields),
            Value::Secrets(fields) => fields.keys().map(|name| (name.clone(), json!(HIDDEN))).collect(),
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
            Value::Number(number) => write!(f, "{number}"),
            Value::List(items) => write!(f, "{}", json!(items)),
            Value::Table(_) | Value::Secrets(_) => write!(f, "{}", self.to_json()),
        }
    }
}

/// What kind of value a setting has.
#[derive(Debug, Clone, Copy, PartialEq)]
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
    /// A number from the first to the second, which may have a point.
    Number(f64, f64),
    /// Several texts.
    List,
    /// Names with values.
    Table,
    /// Names with texts that are never shown.
    Secrets,
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
            Kind::Number(least, most) => format!("a number from {least} to {most}"),
            Kind::List => "a list of texts".into(),
            Kind::Table => "a table".into(),
            Kind::Secrets => "a table of texts".into(),
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
            Kind::Number(least, most) => {
                let number: f64 =
                    text.trim().parse().ok().filter(|number| (least..=most).contains(number))?;
                Number::from_f64(number).map(Value::Number)
            }
            Kind::Table => serde_json::from_str(text).ok().map(Value::Table),
            Kind::Secrets => serde_json::from_str(text).ok().filter(are_texts).map(Value::Secrets),
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
            Kind::Number(..) => match value {
                DeValue::Integer(number) => self.read_text(number.as_str()),
                DeValue::Float(number) => self.read_text(number.as_str()),
                _ => None,
            },
            Kind::Table => table_of(value).map(Value::Table),
            Kind::Secrets => table_of(value).filter(are_texts).map(Value::Secrets),
            Kind::List => {
                let texts = value.as_array()?.iter().map(|item| item.get_ref().as_str().map(str::to_owned));
                texts.collect::<Option<_>>().map(Value::List)
            }
        }
    }
}

fn are_texts(fields: &Map<String, Json>) -> bool {
    fields.values().all(Json::is_string)
}

fn table_of(value: &DeValue<'_>) -> Option<Map<String, Json>> {
    match json_of(value)? {
        Json::Object(fields) => Some(fields),
        _ => None,
    }
}

/// A value of a TOML file as JSON; dates have none.
fn json_of(value: &DeValue<'_>) -> Option<Json> {
    Some(match value {
        DeValue::String(text) => json!(text),
        DeValue::Integer(number) => json!(i64::from_str_radix(number.as_str(), number.radix()).ok()?),
        DeValue::Float(number) => json!(number.as_str().parse::<f64>().ok()?),
        DeValue::Boolean(truth) => json!(truth),
        DeValue::Array(items) => items.iter().map(|item| json_of(item.get_ref())).collect::<Option<_>>()?,
        DeValue::Table(fields) => {
            let fields = fields
                .iter()
                .map(|(name, field)| Some((name.get_ref().to_string(), json_of(field.get_ref())?)));
            Json::Object(fields.collect::<Option<_>>()?)
        }
        DeValue::Datetime(_) => return None,
    })
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

impl Source {
    /// Whether somebody set the value.
    pub(crate) fn is_set(&self) -> bool {
        match self {
            Source::Default | Source::Profile(_) | Source::Follows(_) => false,
            Source::File(..) | Source::Environment(_) | Source::Script(_) | Source::Flag(_) => true,
        }
    }
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

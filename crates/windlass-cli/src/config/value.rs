//! One setting: its value, what kind of value it must be, and where it came from.

use std::fmt;
use std::path::PathBuf;

use serde_json::{Map, Number, Value as Json, json};
use toml::de::DeValue;
use windlass_core::limits::WISHED_COST_USD_MAX;
use windlass_core::text::address_password::hide_address_secrets;

use crate::config::duration::parse_ms;

/// What is shown in place of a secret.
const HIDDEN: &str = "***";

/// Words for yes and no in the environment.
const YES: [&str; 4] = ["1", "true", "yes", "on"];
const NO: [&str; 5] = ["0", "false", "no", "off", ""];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SettingValue {
    Nothing,
    Text(String),
    /// Text that is never shown.
    Secret(String),
    Truth(bool),
    Count(u64),
    /// A number with a point.
    Number(Number),
    List(Vec<String>),
    Table(Map<String, Json>),
    /// Names with texts that are never shown.
    Secrets(Map<String, Json>),
}

impl SettingValue {
    /// The text of a text or a secret.
    pub(crate) fn text(&self) -> Option<&str> {
        let (SettingValue::Text(text) | SettingValue::Secret(text)) = self else { return None };
        Some(text)
    }

    /// The fields of a table.
    pub(crate) fn fields(&self) -> Option<&Map<String, Json>> {
        let (SettingValue::Table(fields) | SettingValue::Secrets(fields)) = self else { return None };
        Some(fields)
    }

    pub(crate) fn count(&self) -> Option<u64> {
        let SettingValue::Count(count) = self else { return None };
        Some(*count)
    }

    /// The number with a point.
    pub(crate) fn number(&self) -> Option<f64> {
        let SettingValue::Number(number) = self else { return None };
        number.as_f64()
    }

    /// The items of a list.
    pub(crate) fn items(&self) -> &[String] {
        let SettingValue::List(items) = self else { return &[] };
        items
    }

    /// Whether it is text that is never shown.
    pub(crate) fn is_secret(&self) -> bool {
        matches!(self, SettingValue::Secret(_) | SettingValue::Secrets(_))
    }

    /// As JSON, secrets hidden.
    pub(crate) fn to_json(&self) -> Json {
        match self {
            SettingValue::Nothing => Json::Null,
            SettingValue::Text(text) => json!(hide_address_secrets(text)),
            SettingValue::Secret(_) => json!(HIDDEN),
            SettingValue::Truth(truth) => json!(truth),
            SettingValue::Count(count) => json!(count),
            SettingValue::Number(number) => json!(number),
            SettingValue::List(items) => items.iter().map(|item| json!(hide_address_secrets(item))).collect(),
            SettingValue::Table(fields) => json!(fields),
            SettingValue::Secrets(fields) => {
                fields.keys().map(|name| (name.clone(), json!(HIDDEN))).collect()
            }
        }
    }
}

/// For the eye, as TOML would write it, secrets hidden.
impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingValue::Nothing => f.write_str("(none)"),
            SettingValue::Text(text) => write!(f, "{}", json!(hide_address_secrets(text))),
            SettingValue::Secret(_) => f.write_str(HIDDEN),
            SettingValue::Truth(truth) => write!(f, "{truth}"),
            SettingValue::Count(count) => write!(f, "{count}"),
            SettingValue::Number(number) => write!(f, "{number}"),
            SettingValue::List(_) | SettingValue::Table(_) | SettingValue::Secrets(_) => {
                write!(f, "{}", self.to_json())
            }
        }
    }
}

/// What kind of value a setting has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SettingKind {
    Text,
    /// Text that is never shown.
    Secret,
    Truth,
    Count,
    /// A whole number, or `none`.
    CountOrNone,
    /// Milliseconds, or a duration such as `30s`.
    Millis,
    /// An amount of US dollars, or `none`.
    Dollars,
    /// A number from the first to the second, which may have a point.
    Number(f64, f64),
    List,
    Table,
    /// Names with texts that are never shown.
    Secrets,
    /// One of these words.
    Word(&'static [&'static str]),
}

impl SettingKind {
    /// What is expected, for an error.
    pub(crate) fn expected(self) -> String {
        match self {
            SettingKind::Text | SettingKind::Secret => "text".into(),
            SettingKind::Truth => "true or false".into(),
            SettingKind::Count => "a whole number".into(),
            SettingKind::CountOrNone => "a whole number or \"none\"".into(),
            SettingKind::Dollars => {
                format!("an amount of US dollars, more than 0 and at most {WISHED_COST_USD_MAX}, or \"none\"")
            }
            SettingKind::Millis => "milliseconds, or a duration such as \"30s\"".into(),
            SettingKind::Number(least, most) => format!("a number from {least} to {most}"),
            SettingKind::List => "a list of texts".into(),
            SettingKind::Table => "a table".into(),
            SettingKind::Secrets => "a table of texts".into(),
            SettingKind::Word(words) => format!("one of {}", words.join(", ")),
        }
    }

    /// Reads the text of an environment variable or a flag.
    pub(crate) fn read_text(self, text: &str) -> Option<SettingValue> {
        let lower = text.trim().to_ascii_lowercase();
        match self {
            SettingKind::Text => Some(SettingValue::Text(text.to_owned())),
            SettingKind::Secret => Some(SettingValue::Secret(text.to_owned())),
            SettingKind::Truth if YES.contains(&lower.as_str()) => Some(SettingValue::Truth(true)),
            SettingKind::Truth if NO.contains(&lower.as_str()) => Some(SettingValue::Truth(false)),
            SettingKind::Truth => None,
            SettingKind::Count => text.trim().parse().ok().map(SettingValue::Count),
            SettingKind::CountOrNone | SettingKind::Dollars if lower == "none" => Some(SettingValue::Nothing),
            SettingKind::CountOrNone => text.trim().parse().ok().map(SettingValue::Count),
            SettingKind::Millis => {
                text.trim().parse().or_else(|_| parse_ms(text)).ok().map(SettingValue::Count)
            }
            SettingKind::Dollars => {
                parse_dollars(text).ok().and_then(Number::from_f64).map(SettingValue::Number)
            }
            SettingKind::Number(least, most) => {
                let number: f64 =
                    text.trim().parse().ok().filter(|number| (least..=most).contains(number))?;
                Number::from_f64(number).map(SettingValue::Number)
            }
            SettingKind::Table => serde_json::from_str(text).ok().map(SettingValue::Table),
            SettingKind::Secrets => {
                serde_json::from_str(text).ok().filter(are_texts).map(SettingValue::Secrets)
            }
            SettingKind::List => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Some(SettingValue::List(items.map(str::to_owned).collect()))
            }
            SettingKind::Word(words) => words.contains(&lower.as_str()).then_some(SettingValue::Text(lower)),
        }
    }

    /// Reads a value of a TOML file: strict, a number is not a text.
    pub(crate) fn read_toml(self, value: &DeValue<'_>) -> Option<SettingValue> {
        let text = || value.as_str().and_then(|text| self.read_text(text));
        let count = || {
            let number = value.as_integer()?;
            u64::from_str_radix(number.as_str(), number.radix()).ok().map(SettingValue::Count)
        };
        match self {
            SettingKind::Text | SettingKind::Secret | SettingKind::Word(_) => text(),
            SettingKind::Truth => value.as_bool().map(SettingValue::Truth),
            SettingKind::Count => count(),
            SettingKind::CountOrNone | SettingKind::Millis => count().or_else(text),
            SettingKind::Number(..) | SettingKind::Dollars => match value {
                DeValue::Integer(number) => self.read_text(number.as_str()),
                DeValue::Float(number) => self.read_text(number.as_str()),
                DeValue::String(_) if self == SettingKind::Dollars => text(),
                _ => None,
            },
            SettingKind::Table => table_of(value).map(SettingValue::Table),
            SettingKind::Secrets => table_of(value).filter(are_texts).map(SettingValue::Secrets),
            SettingKind::List => {
                let texts = value.as_array()?.iter().map(|item| item.get_ref().as_str().map(str::to_owned));
                texts.collect::<Option<_>>().map(SettingValue::List)
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

/// Reads an amount of US dollars that can be spent.
pub(crate) fn parse_dollars(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(amount) if amount > 0.0 && amount <= WISHED_COST_USD_MAX => Ok(amount),
        Ok(_) | Err(_) => Err(format!("more than 0 and at most {WISHED_COST_USD_MAX} US dollars are needed")),
    }
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SettingSource {
    Default,
    /// The profile of that name.
    Profile(&'static str),
    /// Follows from another setting.
    Follows(&'static str),
    /// A configuration file, at that line.
    File(PathBuf, usize),
    Environment(String),
    /// The header of a script.
    Script(String),
    Flag(&'static str),
}

impl SettingSource {
    /// Whether somebody set the value.
    pub(crate) fn is_set(&self) -> bool {
        match self {
            SettingSource::Default | SettingSource::Profile(_) | SettingSource::Follows(_) => false,
            SettingSource::File(..)
            | SettingSource::Environment(_)
            | SettingSource::Script(_)
            | SettingSource::Flag(_) => true,
        }
    }
}

impl fmt::Display for SettingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingSource::Default => f.write_str("default"),
            SettingSource::Profile(name) => write!(f, "profile {name}"),
            SettingSource::Follows(key) => write!(f, "follows from {key}"),
            SettingSource::File(path, line) => write!(f, "{}:{line}", path.display()),
            SettingSource::Environment(name) => write!(f, "environment {name}"),
            SettingSource::Script(name) => write!(f, "script {name}"),
            SettingSource::Flag(name) => f.write_str(name),
        }
    }
}

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) value: SettingValue,
    /// Where it came from.
    pub(crate) source: SettingSource,
}

impl Setting {
    pub(crate) fn new(value: SettingValue, source: SettingSource) -> Self {
        Self { value, source }
    }
}

//! What the comments of a script say of it as a tool: its description and its `@` lines.
//!
//! ```text
//! /// Says what a thing costs.
//! /// @param item string The thing
//! /// @param count integer? How many of it
//! /// @param coin gold|silver? What it is paid with
//! /// @effects read
//! /// @risk medium
//! ```

use serde_json::{Map, Value, json};
use windlass_core::protocol::tool::{Effects, Risk};

/// The types of arguments.
const TYPES: [&str; 6] = ["string", "integer", "number", "boolean", "array", "object"];

/// The words that lines begin with.
const TAGS: [&str; 3] = ["@param", "@effects", "@risk"];

/// What the comments say.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Declaration {
    /// The lines without an `@`.
    pub(crate) description: String,
    /// The arguments, in their order.
    pub(crate) params: Vec<DocParam>,
    /// What it says it does.
    pub(crate) effects: Option<Effects>,
    /// How risky it says it is.
    pub(crate) risk: Option<Risk>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DocParam {
    name: String,
    schema: Value,
    is_optional: bool,
}

/// A line that cannot be read, and why.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadLine {
    pub(crate) line: String,
    pub(crate) message: String,
}

/// The text of comments, line by line, without what makes them comments.
pub(crate) fn bare_lines(comments: &str) -> Vec<&str> {
    comments.lines().map(bare_line).collect()
}

fn bare_line(line: &str) -> &str {
    let line = line.trim();
    let line = ["//!", "///", "/**"].iter().find_map(|leader| line.strip_prefix(leader)).unwrap_or(line);
    let line = line.strip_suffix("*/").unwrap_or(line).trim();
    line.strip_prefix("* ").unwrap_or(line)
}

impl Declaration {
    pub(crate) fn read(lines: &[&str]) -> Result<Self, BadLine> {
        let mut declared = Self::default();
        let mut told: Vec<&str> = Vec::new();
        for line in lines {
            let bad = |message: String| BadLine { line: (*line).to_owned(), message };
            match line.split_once(char::is_whitespace).unwrap_or((line, "")) {
                ("@param", rest) => declared.add(read_param(rest.trim()).map_err(bad)?).map_err(bad)?,
                ("@effects", rest) => declared.effects = Some(read_effects(rest.trim()).map_err(bad)?),
                ("@risk", rest) => declared.risk = Some(read_risk(rest.trim()).map_err(bad)?),
                (tag, _) if tag.starts_with('@') => {
                    return Err(bad(format!("'{tag}' means nothing here; there are {}", TAGS.join(", "))));
                }
                _ => told.push(line),
            }
        }
        declared.description = told.join("\n").trim().to_owned();
        Ok(declared)
    }

    fn add(&mut self, param: DocParam) -> Result<(), String> {
        if self.params.iter().any(|known| known.name == param.name) {
            return Err(format!("argument '{}' is declared twice", param.name));
        }
        self.params.push(param);
        Ok(())
    }

    /// The schema of the arguments: any object where nothing is said of them.
    pub(crate) fn schema(&self) -> Value {
        if self.params.is_empty() {
            return json!({"type": "object", "additionalProperties": true});
        }
        let properties: Map<String, Value> =
            self.params.iter().map(|param| (param.name.clone(), param.schema.clone())).collect();
        let required: Vec<&str> =
            self.params.iter().filter(|param| !param.is_optional).map(|param| param.name.as_str()).collect();
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }
}

fn read_param(text: &str) -> Result<DocParam, String> {
    let mut parts = text.splitn(3, char::is_whitespace);
    let (Some(name), Some(kind)) = (parts.next().filter(|name| !name.is_empty()), parts.next()) else {
        return Err("write '@param name type description', such as '@param item string The thing'".into());
    };
    let mut letters = name.chars();
    let is_word = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.len() <= 64;
    if !is_word {
        return Err(format!("'{name}' is no name of an argument: letters, digits and '_', at most 64"));
    }
    let (kind, is_optional) = match kind.strip_suffix('?') {
        Some(kind) => (kind, true),
        None => (kind, false),
    };
    let mut schema = read_type(kind)?;
    let about = parts.next().unwrap_or_default().trim();
    if !about.is_empty() {
        schema.insert("description".into(), about.into());
    }
    Ok(DocParam { name: name.to_owned(), schema: schema.into(), is_optional })
}

/// A type, or the words that a text may be.
fn read_type(kind: &str) -> Result<Map<String, Value>, String> {
    let mut schema = Map::new();
    if kind.contains('|') {
        let words: Vec<&str> = kind.split('|').collect();
        if words.iter().any(|word| word.is_empty()) {
            return Err(format!("'{kind}' has an empty word; write the words as 'a|b|c'"));
        }
        schema.insert("type".into(), "string".into());
        schema.insert("enum".into(), words.into());
        return Ok(schema);
    }
    if !TYPES.contains(&kind) {
        return Err(format!(
            "there is no type '{kind}'; there are {}, and words as 'a|b|c'",
            TYPES.join(", ")
        ));
    }
    schema.insert("type".into(), kind.into());
    Ok(schema)
}

fn read_effects(word: &str) -> Result<Effects, String> {
    match word {
        "pure" => Ok(Effects::Pure),
        "read" => Ok(Effects::Read),
        "write" => Ok(Effects::Write),
        "external" => Ok(Effects::External),
        other => Err(format!("there are no effects '{other}'; there are pure, read, write, external")),
    }
}

fn read_risk(word: &str) -> Result<Risk, String> {
    match word {
        "safe" => Ok(Risk::Safe),
        "low" => Ok(Risk::Low),
        "medium" => Ok(Risk::Medium),
        "high" => Ok(Risk::High),
        "critical" => Ok(Risk::Critical),
        other => Err(format!("there is no risk '{other}'; there are safe, low, medium, high, critical")),
    }
}

#[cfg(test)]
#[path = "doc_tests.rs"]
mod tests;

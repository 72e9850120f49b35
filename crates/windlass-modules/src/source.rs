//! The text of a file on its way to becoming a module or a manifest: what is wrong with it, and where.
//!
//! Knows JSON and lines. Does not know what modules are, nor how files are read.

use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::error::ModuleError;

/// A file and its text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModuleFile<'a> {
    file_name: &'a str,
    text: &'a str,
}

impl<'a> ModuleFile<'a> {
    /// The text of a file; a byte order mark is no part of it.
    pub(crate) fn new(file_name: &'a str, text: &'a str) -> Self {
        Self { file_name, text: text.strip_prefix('\u{feff}').unwrap_or(text) }
    }

    /// Reads the text as JSON of a certain shape.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, ModuleError> {
        serde_json::from_str(self.text).map_err(|error| {
            let whole = error.to_string();
            let message = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(message, _)| message);
            let text = format!("{}:{}:{}: {message}", self.file_name, error.line(), error.column());
            match error.classify() {
                Category::Data => ModuleError::InvalidFormat(text),
                Category::Syntax | Category::Eof | Category::Io => ModuleError::Json(text),
            }
        })
    }

    /// What is wrong, at the line where `word` stands in quotes, if it does.
    pub(crate) fn wrong_at(&self, word: &str, message: &str) -> ModuleError {
        let quoted = serde_json::Value::from(word).to_string();
        let place = self.text.find(&quoted).and_then(|at| self.text.get(..at));
        let text = match place {
            Some(before) => {
                let line = before.matches('\n').count().saturating_add(1);
                format!("{}:{line}: {message}", self.file_name)
            }
            None => format!("{}: {message}", self.file_name),
        };
        ModuleError::InvalidFormat(text)
    }
}

/// For fields that may be left out: `null` is the same as nothing.
pub(crate) fn null_is_default<'de, T, D>(input: D) -> Result<T, D::Error>
where
    T: Default + serde::Deserialize<'de>,
    D: serde::Deserializer<'de>,
{
    Ok(<Option<T> as serde::Deserialize>::deserialize(input)?.unwrap_or_default())
}

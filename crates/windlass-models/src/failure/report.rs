//! Reports: what a provider said of an error, whatever object it put it in. Judges nothing.

use serde_json::Value;

/// What a provider said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Report {
    /// Its message for people.
    pub(crate) message: String,
    /// Message, codes, types and reasons in lower case, to look for words in.
    pub(crate) words: String,
    /// Everything, as it came.
    pub(crate) raw: String,
    /// A number that was given as the code.
    code: Option<u16>,
}

impl Report {
    /// The body of a refusal: JSON of some shape, a page, plain text or nothing.
    pub(crate) fn of_body(body: &str) -> Self {
        let body = body.trim();
        if let Ok(value) = serde_json::from_str::<Value>(body) {
            let mut report = Self::of_error(&value);
            body.clone_into(&mut report.raw);
            return report;
        }
        let message = if is_page(body) { "a web page" } else { body };
        Self { message: message.to_owned(), words: message.to_lowercase(), raw: body.to_owned(), code: None }
    }

    /// An error object, or whatever holds one.
    pub(crate) fn of_error(value: &Value) -> Self {
        let mut report = Self { raw: value.to_string(), ..Self::default() };
        report.read(value, 0);
        if report.message.is_empty() {
            report.message.clone_from(&report.raw);
        }
        report.words.push(' ');
        report.words.push_str(&report.message);
        report.words = report.words.to_lowercase();
        report
    }

    /// The status that the report itself names.
    pub(crate) fn status(&self) -> Option<u16> {
        self.code
    }

    fn read(&mut self, value: &Value, depth: usize) {
        // Nobody nests deeper than an error that quotes an error; a hostile body may.
        if depth > 8 {
            return;
        }
        match value {
            Value::String(text) => self.say(text, depth),
            Value::Array(items) => items.iter().take(8).for_each(|item| self.read(item, depth + 1)),
            Value::Object(fields) => {
                for (name, field) in fields {
                    self.read_field(name, field, depth);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn read_field(&mut self, name: &str, field: &Value, depth: usize) {
        match (name, field) {
            ("error" | "errors" | "detail" | "details" | "metadata", _) => self.read(field, depth + 1),
            ("message" | "msg" | "raw" | "error_message", _) => self.read(field, depth + 1),
            ("retryDelay", Value::String(text)) => self.note(&format!("\"retryDelay\":\"{text}\"")),
            ("code" | "type" | "status" | "reason", Value::String(text)) => {
                self.code = self.code.or_else(|| text.parse().ok().filter(|code| (400..600).contains(code)));
                self.note(text);
            }
            ("code" | "status", Value::Number(number)) => {
                let code = number.as_u64().and_then(|code| u16::try_from(code).ok());
                self.code = self.code.or(code.filter(|code| (400..600).contains(code)));
            }
            _ => {}
        }
    }

    fn say(&mut self, text: &str, depth: usize) {
        // A gateway may quote the error of the server behind it as JSON in a string.
        if text.starts_with('{')
            && let Ok(value @ Value::Object(_)) = serde_json::from_str(text)
        {
            return self.read(&value, depth + 1);
        }
        if text.is_empty() || self.message.contains(text) {
            return;
        }
        if !self.message.is_empty() {
            self.message.push_str(": ");
        }
        self.message.push_str(text);
    }

    fn note(&mut self, word: &str) {
        self.words.push(' ');
        self.words.push_str(word);
    }
}

/// Whether a text is a web page.
pub(crate) fn is_page(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(15).collect::<String>().to_ascii_lowercase();
    start.starts_with("<!doctype") || start.starts_with("<html")
}

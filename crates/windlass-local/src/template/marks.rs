//! Stand-ins for text that a template must not interpret.
//!
//! Text in which something looks like a reserved token goes through the template as a mark of two private letters
//! around a number, and comes out as a piece of its own that is read without reserved tokens. Knows no template.

use crate::tokens::ModelTokens;

const OPEN: char = '\u{E000}';
const CLOSE: char = '\u{E001}';
/// Within JSON, what a mark stands for is written as JSON writes strings.
const QUOTED: char = 'q';

/// The texts behind the marks of one prompt.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    texts: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PromptPiece {
    pub(crate) text: String,
    /// Whether reserved tokens in it mean what they say.
    pub(crate) is_trusted: bool,
}

impl Marks {
    /// The text itself where it is harmless, else a mark for it.
    pub(crate) fn hide(&mut self, text: &str, tokens: &ModelTokens) -> String {
        if !tokens.could_forge(text) && !text.contains([OPEN, CLOSE]) {
            return text.to_owned();
        }
        self.texts.push(text.to_owned());
        format!("{OPEN}{}{CLOSE}", self.texts.len() - 1)
    }

    /// Hides every string of a value.
    pub(crate) fn hide_all(&mut self, value: &mut serde_json::Value, tokens: &ModelTokens) {
        match value {
            serde_json::Value::String(text) => *text = self.hide(text, tokens),
            serde_json::Value::Array(items) => items.iter_mut().for_each(|item| self.hide_all(item, tokens)),
            serde_json::Value::Object(map) => map.values_mut().for_each(|item| self.hide_all(item, tokens)),
            serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
        }
    }

    /// Cuts what a template wrote at its marks.
    pub(crate) fn split(&self, rendered: &str) -> Vec<PromptPiece> {
        let mut pieces = Vec::new();
        let mut push = |text: &str, is_trusted: bool| {
            if !text.is_empty() {
                pieces.push(PromptPiece { text: text.to_owned(), is_trusted });
            }
        };
        let mut rest = rendered;
        while let Some((before, (mark, after))) =
            rest.split_once(OPEN).and_then(|(before, after)| Some((before, after.split_once(CLOSE)?)))
        {
            push(before, true);
            let (is_quoted, number) = match mark.strip_prefix(QUOTED) {
                Some(number) => (true, number),
                None => (false, mark),
            };
            let text = number.parse().ok().and_then(|at: usize| self.texts.get(at));
            let text = text.map(String::as_str).unwrap_or_default();
            if is_quoted {
                push(&quoted(text), false)
            } else {
                push(text, false)
            }
            rest = after;
        }
        push(rest, true);
        pieces
    }
}

/// Marks in a string that is written as JSON stand for text that is written so too.
pub(crate) fn quote_marks(text: &str) -> String {
    text.replace(OPEN, &format!("{OPEN}{QUOTED}"))
}

fn quoted(text: &str) -> String {
    let written = serde_json::Value::from(text).to_string();
    written.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(&written).to_owned()
}

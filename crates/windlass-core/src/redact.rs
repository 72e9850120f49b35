//! Taking secrets out of text that leaves the program: keys that the configuration names, and what looks like
//! a key of a well-known form.
//!
//! Works on one text at a time: a secret that a model spells over several pieces of a stream is not found in
//! the pieces, only in the whole step. Knows no events and no wires.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;

use crate::secret::Secret;

/// What stands instead of a secret.
const STARS: &str = "***";

/// Characters that a configured secret has at least: shorter ones would hide half of all texts.
const SECRET_CHARS_MIN: usize = 6;

/// A well-known form of key: how it begins, and how much of what follows makes it one.
struct Form {
    prefix: &'static str,
    /// Whether the prefix stays, because it says what was there and hides nothing.
    keeps_prefix: bool,
    chars_min: usize,
}

const FORMS: [Form; 12] = [
    Form { prefix: "sk-", keeps_prefix: false, chars_min: 16 },
    Form { prefix: "sk_live_", keeps_prefix: false, chars_min: 16 },
    Form { prefix: "Bearer ", keeps_prefix: true, chars_min: 12 },
    Form { prefix: "bearer ", keeps_prefix: true, chars_min: 12 },
    Form { prefix: "ghp_", keeps_prefix: false, chars_min: 20 },
    Form { prefix: "gho_", keeps_prefix: false, chars_min: 20 },
    Form { prefix: "ghs_", keeps_prefix: false, chars_min: 20 },
    Form { prefix: "github_pat_", keeps_prefix: false, chars_min: 20 },
    Form { prefix: "AIza", keeps_prefix: false, chars_min: 30 },
    Form { prefix: "xox", keeps_prefix: false, chars_min: 12 },
    Form { prefix: "AKIA", keeps_prefix: false, chars_min: 16 },
    Form { prefix: "hf_", keeps_prefix: false, chars_min: 24 },
];

/// The beginning and the end of a private key in PEM form.
const PEM_BEGIN: &str = "-----BEGIN ";
const PEM_PRIVATE: &str = "PRIVATE KEY-----";
const PEM_END: &str = "-----END ";

/// The shortest text that a well-known form can stand in.
const FORM_BYTES_MIN: usize = 15;

/// Takes secrets out of texts.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    secrets: Vec<Secret>,
    bytes_min: usize,
}

impl Redactor {
    /// One that knows these secrets, and the well-known forms.
    pub fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        let mut secrets: Vec<Secret> =
            secrets.into_iter().filter(|secret| secret.expose().len() >= SECRET_CHARS_MIN).collect();
        // The longest first: one secret may stand in another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
        secrets.dedup();
        let shortest = secrets.last().map_or(FORM_BYTES_MIN, |secret| secret.expose().len());
        Self { secrets, bytes_min: shortest.min(FORM_BYTES_MIN) }
    }

    /// The text without secrets; borrowed when there were none.
    pub fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if text.len() < self.bytes_min.max(1) {
            return Cow::Borrowed(text);
        }
        let mut cleaned = Cow::Borrowed(text);
        for secret in &self.secrets {
            if cleaned.contains(secret.expose()) {
                cleaned = Cow::Owned(cleaned.replace(secret.expose(), STARS));
            }
        }
        match without_forms(&cleaned) {
            Some(cleaned) => Cow::Owned(cleaned),
            None => cleaned,
        }
    }

    /// Cleans every text in a value, names of fields too.
    pub fn clean_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(cleaned) = self.clean(text) {
                    *text = cleaned;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.clean_value(item)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|field| self.clean_value(field));
                if fields.keys().any(|name| matches!(self.clean(name), Cow::Owned(_))) {
                    let cleaned = std::mem::take(fields);
                    fields.extend(
                        cleaned.into_iter().map(|(name, field)| (self.clean(&name).into_owned(), field)),
                    );
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The text without keys of well-known forms; nothing when there are none.
fn without_forms(text: &str) -> Option<String> {
    let mut cleaned = String::new();
    let mut rest = text;
    let mut before = None;
    while let Some(range) = next_secret(rest, before) {
        let (head, tail) = (rest.get(..range.start)?, rest.get(range.end..)?);
        cleaned.push_str(head);
        cleaned.push_str(STARS);
        before = Some('*');
        rest = tail;
    }
    before?;
    cleaned.push_str(rest);
    Some(cleaned)
}

/// The first key in a text, whose last character before it is known.
fn next_secret(text: &str, before: Option<char>) -> Option<Range<usize>> {
    for (place, byte) in text.bytes().enumerate() {
        // Every form begins with one of these; most texts are left here.
        if !matches!(byte, b's' | b'B' | b'b' | b'g' | b'A' | b'x' | b'h' | b'-') {
            continue;
        }
        let (Some(head), Some(tail)) = (text.get(..place), text.get(place..)) else { continue };
        if byte == b'-' {
            if let Some(bytes) = pem_bytes(tail) {
                return Some(place..place + bytes);
            }
            continue;
        }
        // "task-force-of-seventeen" has "sk-" inside a word; keys stand at the beginning of one.
        if head.chars().next_back().or(before).is_some_and(char::is_alphanumeric) {
            continue;
        }
        for form in &FORMS {
            let Some(key) = tail.strip_prefix(form.prefix) else { continue };
            let bytes = key.bytes().take_while(|byte| is_key_byte(*byte)).count();
            if bytes >= form.chars_min {
                let start = if form.keeps_prefix { form.prefix.len() } else { 0 };
                return Some(place + start..place + form.prefix.len() + bytes);
            }
        }
    }
    None
}

/// How many bytes a private key takes at the beginning of a text; one without an end takes all.
fn pem_bytes(text: &str) -> Option<usize> {
    let (title, body) = text.strip_prefix(PEM_BEGIN)?.split_once('\n').or_else(|| {
        // In JSON within JSON a line ends with two characters.
        text.strip_prefix(PEM_BEGIN)?.split_once("\\n")
    })?;
    if !title.trim_end().ends_with(PEM_PRIVATE) {
        return None;
    }
    let begun = text.len() - body.len();
    let end = body.find(PEM_END).and_then(|end| {
        let after = body.get(end..)?.find(PEM_PRIVATE)?;
        Some(begun + end + after + PEM_PRIVATE.len())
    });
    Some(end.unwrap_or(text.len()))
}

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'=' | b'/' | b'+')
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;

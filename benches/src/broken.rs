//! Broken arguments, as models write them: each kind of noise over two payloads, with what was meant.
//!
//! A file of JSON lines (`broken`, `want`) can be measured instead.

use serde_json::{Value, json};

use crate::sample::edit_args;

/// A text and what it was meant to be.
pub struct Broken {
    pub text: String,
    /// The value that was meant.
    pub want: Value,
}

/// The corpus of a file, or our own.
pub fn corpus(path: Option<&str>) -> Vec<Broken> {
    path.map_or_else(own, |path| read(&std::fs::read_to_string(path).unwrap_or_default()))
}

fn read(lines: &str) -> Vec<Broken> {
    let broken = |line: &str| {
        let case: Value = serde_json::from_str(line).ok()?;
        Some(Broken { text: case.get("broken")?.as_str()?.to_owned(), want: case.get("want")?.clone() })
    };
    lines.lines().filter_map(broken).collect()
}

fn own() -> Vec<Broken> {
    let small = json!({"a": 3, "b": "four", "c": [true, null]}).to_string();
    [small, edit_args()].iter().flat_map(|text| kinds(text)).collect()
}

/// Every kind of noise over one payload.
fn kinds(text: &str) -> Vec<Broken> {
    let want: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    let open = text.strip_suffix('}').unwrap_or(text);
    [
        text.to_owned(),
        format!("```json\n{text}\n```"),
        format!("Sure! Here is the call:\n{text}\nLet me know."),
        format!("{open},}}"),
        format!("<think>I should call it.</think>{text}"),
        format!("{text}<|tool_call_end|>"),
        format!("<tool_call>{text}</tool_call>"),
        format!("\u{feff}{text}"),
        Value::String(text.to_owned()).to_string(),
        text.replacen('{', "{ // the arguments\n", 1),
        text.replace(":true", ":True")
            .replace(":false", ":False")
            .replace(":null", ":None")
            .replace(",null]", ",None]"),
        text.replace('"', "\u{201d}"),
    ]
    .into_iter()
    .map(|text| Broken { text, want: want.clone() })
    .collect()
}

//! Generated values and broken texts for the tests of this module.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value};

use super::NOT_UTF8;

/// Strings with quotes, fences, brackets, control characters and characters of every width.
pub(super) fn any_string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        // One character is no text: it stands for bytes that were none.
        6 => any::<char>().prop_filter("no text", |letter| *letter != NOT_UTF8).prop_map(String::from),
        6 => "[ -~]{1,12}",
        1 => prop_oneof![
            Just("\\"), Just("\""), Just("'"), Just("```"), Just("```json\n"), Just("}"), Just("{"), Just("\n"),
            Just("\u{0}"), Just("\u{1b}"), Just("//"), Just("“"), Just("’"), Just("<|end|>"), Just("</think>"),
            Just("😀"), Just("e\u{301}"),
        ].prop_map(str::to_owned),
    ];
    vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

/// Values of every kind, nested a few levels.
pub(super) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1000..1000_i32).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any_string().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((any_string(), inner), 0..6).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Objects, as arguments are.
pub(super) fn any_object() -> impl Strategy<Value = Value> {
    vec((any_string(), any_json()), 0..5).prop_map(|fields| Value::Object(Map::from_iter(fields)))
}

/// JSON in one of the two usual layouts.
pub(super) fn any_text() -> impl Strategy<Value = String> {
    (any_json(), any::<bool>()).prop_map(|(value, is_pretty)| match is_pretty {
        true => serde_json::to_string_pretty(&value).unwrap(),
        false => value.to_string(),
    })
}

/// JSON in which a few characters were lost, put in, doubled or cut off.
pub(super) fn broken_text() -> impl Strategy<Value = String> {
    let wrong = proptest::sample::select("{}[]\",:\\'u0.eE+-9tn\n\u{0}é/#“ ".chars().collect::<Vec<_>>());
    let edit = (0..4_u8, any::<proptest::sample::Index>(), wrong);
    (any_text(), vec(edit, 1..4)).prop_map(|(text, edits)| {
        let mut chars: Vec<char> = text.chars().collect();
        for (kind, place, wrong) in edits {
            let at = place.index(chars.len() + 1);
            match kind {
                0 if at < chars.len() => drop(chars.remove(at)),
                1 => chars.insert(at, wrong),
                2 if at < chars.len() => chars[at] = wrong,
                _ if chars.len() > 4 => chars.truncate(at),
                _ => {}
            }
        }
        chars.into_iter().collect()
    })
}

/// Short texts of the pieces that JSON is made of, in any order.
pub(super) fn token_soup() -> impl Strategy<Value = String> {
    let token = proptest::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"a\"",
        "\"\\u00e9\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"\\x\"",
        "1",
        "-0",
        "0.5",
        "1e400",
        "1e5",
        "01",
        "12345678901234567890",
        "-9223372036854775808",
        "true",
        "nul",
        "null",
        " ",
        "\n",
        "\"",
        "\\",
        "'b'",
        "key",
        "// c\n",
        "/* c */",
        "True",
        "…",
    ]);
    vec(token, 0..12).prop_map(|tokens| tokens.concat())
}

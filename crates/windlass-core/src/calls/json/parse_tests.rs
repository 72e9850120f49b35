use proptest::prelude::*;
use serde_json::json;

use super::super::samples::{any_text, broken_text};
use super::*;

fn failure(text: &str) -> ParseFailure {
    parse_value(text).expect_err(text)
}

#[test]
fn strict_json_becomes_its_value() {
    assert_eq!(parse_value(" {\"a\": [1, true, null]} "), Ok(json!({"a": [1, true, null]})));
    assert_eq!(parse_value("\"x\""), Ok(json!("x")));
}

#[test]
fn a_failure_says_what_is_wrong_and_where() {
    let failure = failure("{\n  \"größe\": 3\n  \"b\": 4\n}");
    assert_eq!(failure.message, "expected `,` or `}`");
    assert_eq!((failure.line, failure.column), (3, 3));
    assert_eq!(failure.snippet, "{   \"größe\": 3   \"b\": 4 }");
    assert_eq!(
        failure.to_string(),
        "expected `,` or `}` at line 3, column 3, near `{   \"größe\": 3   \"b\": 4 }`"
    );
}

#[test]
fn columns_count_characters_and_offsets_count_bytes() {
    let failure = failure("{\"äöü\": oops}");
    assert_eq!((failure.line, failure.column), (1, 9));
    assert_eq!(failure.offset, 11);
}

#[test]
fn a_text_that_ends_too_early_fails_at_its_end() {
    for (text, message) in [
        ("", "the text ends where a value should be"),
        ("{\"a\":", "the text ends where a value should be"),
        ("{\"a\": 1", "the text ends inside an object"),
        ("[1, 2", "the text ends inside a list"),
        ("\"abc", "the text ends inside a string"),
    ] {
        let failure = failure(text);
        assert_eq!((failure.message.as_str(), failure.offset), (message, text.len()), "{text}");
    }
}

#[test]
fn r_43_the_snippet_never_splits_a_character() {
    for blank in 0..70 {
        let text = format!("{{\"{}\": \"{}\" ü{}", "é".repeat(blank), "😀".repeat(blank), "漢".repeat(blank));
        let failure = failure(&text);
        assert!(failure.snippet.chars().count() <= 2 * SNIPPET_SIDE_CHARS);
        assert!(text.is_char_boundary(failure.offset));
    }
}

#[test]
fn a_snippet_is_one_line_without_control_characters() {
    let failure = failure("{\"a\": 1\r\n\t\u{1b}[31m}");
    assert!(!failure.snippet.contains(char::is_control), "{:?}", failure.snippet);
}

#[test]
fn deep_nesting_is_a_failure_not_a_crash() {
    let text = "[".repeat(100_000);
    assert_eq!(failure(&text).message, "recursion limit exceeded");
}

#[test]
fn bytes_that_are_no_utf_8_are_a_failure_at_their_place() {
    let failure = failure(&format!("{{\"a\": \"x{NOT_UTF8}\"}}"));
    assert_eq!(failure.message, "bytes that are not UTF-8 stand where text should be");
    assert_eq!((failure.column, failure.snippet.as_str()), (9, "{\"a\": \"x\u{fffd}\"}"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn values_and_verdicts_are_those_of_serde_json(text in prop_oneof![any_text(), broken_text()]) {
        match parse_value(&text) {
            Ok(value) => prop_assert_eq!(Some(value), serde_json::from_str(&text).ok()),
            Err(failure) if serde_json::from_str::<Value>(&text).is_ok() => {
                let words = ["written twice", "kept exactly", "not UTF-8"];
                prop_assert!(words.iter().any(|word| failure.message.contains(word)), "{}", failure);
            }
            Err(_) => {}
        }
    }

    #[test]
    fn r_43_every_failure_points_between_two_characters_of_its_line(text in broken_text()) {
        if let Err(failure) = parse_value(&text) {
            prop_assert!(text.is_char_boundary(failure.offset));
            let before = &text[..failure.offset];
            prop_assert_eq!(failure.line, before.split('\n').count());
            prop_assert_eq!(failure.column, before.rsplit('\n').next().unwrap().chars().count() + 1);
            prop_assert!(failure.snippet.chars().count() <= 2 * SNIPPET_SIDE_CHARS);
        }
    }
}

use proptest::prelude::*;

use super::super::samples::{any_object, any_text, broken_text, token_soup};
use super::*;

#[test]
fn the_end_of_a_value_is_found_behind_strings_and_nesting() {
    for (text, end) in [
        ("{}", 2),
        (" {\"a\":1} tail", 8),
        ("[1,[2,{\"a\":\"]}\"}]] x", 18),
        ("\"a\\\"b\" c", 6),
        ("12.5e-3,", 7),
        ("true]", 4),
        ("{\"a\":\"\\\\\"}}", 10),
    ] {
        assert_eq!(value_end(text, 0), Ok(end), "{text}");
    }
    assert_eq!(value_end("see {\"a\":1}", 4), Ok(11));
}

#[test]
fn what_has_no_end_says_why() {
    for (text, failure) in [
        ("", ScanFailure::NoValue),
        ("  ", ScanFailure::NoValue),
        (", 1", ScanFailure::NoValue),
        ("{\"a\":1", ScanFailure::Unfinished),
        ("\"abc", ScanFailure::Unfinished),
        ("[\"abc\\\"]", ScanFailure::Unfinished),
        ("\"abc\\", ScanFailure::Unfinished),
        ("[1}", ScanFailure::Mismatched { offset: 2 }),
        ("{\"a\":[1}]", ScanFailure::Mismatched { offset: 7 }),
        ("}", ScanFailure::Mismatched { offset: 0 }),
    ] {
        assert_eq!(value_end(text, 0), Err(failure), "{text}");
    }
    assert_eq!(value_end("{}", 99), Err(ScanFailure::NoValue));
}

#[test]
fn nesting_is_followed_up_to_the_depth_that_is_parsed() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(value_end(&nested(127), 0), Ok(254));
    assert_eq!(value_end(&nested(128), 0), Err(ScanFailure::TooDeep { offset: 127 }));
    assert_eq!(value_end(&"[".repeat(1 << 20), 0), Err(ScanFailure::TooDeep { offset: 127 }));
}

#[test]
fn r_3_an_object_in_an_answer_is_not_the_whole_text() {
    let call = r#"{"tool":"read_file","args":{"path":"a"}}"#;
    assert_eq!(whole_object(call), Some(call));
    assert_eq!(whole_object(&format!("\n {call} \n")), Some(call));
    for answer in [
        format!("Use {call}"),
        format!("{call} is how you read a file."),
        format!("{call}{call}"),
        format!("{call}\n{call}"),
        format!("[{call}]"),
        format!("\"{call}\""),
        "{".to_owned(),
        String::new(),
    ] {
        assert_eq!(whole_object(&answer), None, "{answer}");
    }
}

#[test]
fn r_4_brackets_and_fences_in_strings_end_nothing() {
    let call = r#"{"tool":"write_file","args":{"text":"}```\n```json\n{\"a\": \"]\\\"}\"}"}}"#;
    assert_eq!(whole_object(call), Some(call));
    for text in [
        format!("```json\n{call}\n```"),
        format!("```\n{call}\n```\n"),
        format!("``` {call} ```"),
        format!("````json\n{call}\n````"),
        format!("Here it is:\n\n  ```json\n  {call}\n  ```\nDone."),
    ] {
        assert_eq!(fenced_object(&text), Some(call), "{text}");
    }
}

#[test]
fn r_3_only_a_single_block_with_a_single_object_counts() {
    let call = r#"{"tool":"t","args":{}}"#;
    for text in [
        format!("```json\n{call}\n```\n```json\n{call}\n```"),
        format!("```json\n{call}\n```\nor\n```sh\nls\n```"),
        format!("```sh\nls\n```\n```json\n{call}\n```"),
        format!("```json\n{call}{call}\n```"),
        format!("```json\n[{call}]\n```"),
        format!("```json\n# the call\n{call}\n```"),
        format!("```json\n{call}"),
        format!("```json\n{call}\n``"),
        format!("````json\n{call}\n```"),
        format!("```json\n{call}\n``` and more"),
        format!("say ```json {call} ``` in a line"),
        call.to_owned(),
        "```json\n```".to_owned(),
        "```json\n{\"a\":\n```".to_owned(),
    ] {
        assert_eq!(fenced_object(&text), None, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_end_of_any_json_is_its_last_byte(text in any_text(), tail in "[ ,\\]}]{0,3}") {
        let end = value_end(&format!("{text}{tail}"), 0);
        prop_assert_eq!(end, Ok(text.len()));
    }

    #[test]
    fn r_4_any_object_is_found_whole_and_in_a_fence(object in any_object()) {
        let text = object.to_string();
        prop_assert_eq!(whole_object(&text), Some(text.as_str()));
        let fenced = format!("```json\n{text}\n```");
        prop_assert_eq!(fenced_object(&fenced), Some(text.as_str()));
    }

    #[test]
    fn no_text_makes_the_scanner_leave_it(text in prop_oneof![broken_text(), token_soup()], start in 0..40_usize) {
        if let Ok(end) = value_end(&text, start) {
            prop_assert!(end <= text.len() && end > start);
        }
        let _ = (whole_object(&text), fenced_object(&text));
    }

    #[test]
    fn plain_runs_stop_where_a_byte_by_byte_search_stops(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
        let slow = bytes.iter().position(|byte| *byte < 0x20 || matches!(byte, b'"' | b'\\'));
        prop_assert_eq!(plain_run(&bytes, 0), slow.unwrap_or(bytes.len()));
    }
}

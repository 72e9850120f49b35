use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::samples::{any_text, broken_text, token_soup};
use super::*;

/// The reader and `serde_json` say the same: the same value, spelled the same, or none; but for what `serde_json`
/// changes, of which the reader says what it is.
fn assert_agrees(text: &str) {
    let strict = serde_json::from_str::<Value>(text).ok();
    let read = read_value(text);
    if read.is_none() && strict.is_some() {
        assert!(find_altered(text).is_some(), "{text:?}");
        return;
    }
    assert_eq!(read, strict, "{text:?}");
    // Equal numbers may still be spelled differently.
    assert_eq!(read.map(|value| value.to_string()), strict.map(|value| value.to_string()), "{text:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn r_53_every_json_text_is_read_as_serde_json_reads_it(text in any_text()) {
        assert_agrees(&text);
        prop_assert!(read_value(&text).is_some());
    }

    #[test]
    fn broken_texts_are_refused_exactly_when_serde_json_refuses_them(text in broken_text()) {
        assert_agrees(&text);
    }

    #[test]
    fn heaps_of_tokens_are_refused_exactly_when_serde_json_refuses_them(text in token_soup()) {
        assert_agrees(&text);
    }
}

#[test]
fn numbers_of_every_spelling_agree_with_serde_json() {
    for text in [
        "0",
        "-0",
        "-0.0",
        "1",
        "-1",
        "01",
        "-01",
        "1.",
        ".5",
        "-.5",
        "1.5",
        "1e5",
        "1E+5",
        "1e-5",
        "1e",
        "1e+",
        "+1",
        "--1",
        "1-",
        "1.2.3",
        "999999999999999999",
        "1000000000000000000",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "123456789012345678901234567890",
        "0.1",
        "2.2250738585072014e-308",
        "1e308",
        "1e309",
        "-1e400",
        "1e-400",
        "0x10",
        "1_000",
        "NaN",
        "Infinity",
        "-",
        "12 34",
        "7 ",
        " 7",
        "7\u{a0}",
    ] {
        assert_agrees(text);
        assert_agrees(&format!("[{text}]"));
        assert_agrees(&format!("{{\"n\":{text},\"m\":{text}}}"));
    }
}

#[test]
fn strings_with_every_escape_agree_with_serde_json() {
    for text in [
        r#""""#,
        r#""plain""#,
        r#""\"\\\/\b\f\n\r\t""#,
        r#""\u0041\u00e9\u20ac""#,
        r#""\ud83d\ude00""#,
        r#""\ud83d""#,
        r#""\ude00""#,
        r#""\ud83d\u0041""#,
        r#""\ud83dx""#,
        r#""\ud83d\n""#,
        r#""\u12""#,
        r#""\u12g4""#,
        r#""\u+123""#,
        r#""\x41""#,
        r#""\'""#,
        r#""\"#,
        r#"""#,
        "\"a\nb\"",
        "\"a\tb\"",
        "\"\u{0}\"",
        "\"\u{7f}\"",
        "\"é😀\"",
        r#""\u0000""#,
        "\"abcdefg\\nh\"",
        "\"abcdefgh\u{1f}\"",
        "'a'",
        "\"12345678\"",
        "\"1234567\"",
    ] {
        assert_agrees(text);
        assert_agrees(&format!("{{{text}:[{text},{text}]}}"));
    }
}

#[test]
fn what_would_not_come_out_as_it_was_written_is_refused_with_its_place() {
    for (text, offset, message) in [
        (r#"{"a":1,"b":2,"a":{"c":3}}"#, 13, "the key at /a is written twice; write it once"),
        (r#"{"a":[0,{"b":1,"\u0062":1}]}"#, 15, "the key at /a/1/b is written twice; write it once"),
        (
            r#"{"n":100000000000000000000}"#,
            5,
            "the number 100000000000000000000 at /n cannot be kept exactly; send it as text",
        ),
        (
            "[1,-9223372036854775809]",
            3,
            "the number -9223372036854775809 at /1 cannot be kept exactly; send it as text",
        ),
    ] {
        assert_eq!(read_value(text), None, "{text}");
        assert_eq!(find_altered(text), Some(Altered { offset, message: message.to_owned() }), "{text}");
    }
    assert_eq!(
        read_value(r#"{"a":{"a":-0},"b":[{"a":0.1}]}"#),
        Some(json!({"a": {"a": -0.0}, "b": [{"a": 0.1}]}))
    );
}

#[test]
fn the_depth_limit_is_that_of_serde_json() {
    for depth in [1, 126, 127, 128, 129, 100_000] {
        for (open, close) in [("[", "]"), ("{\"a\":[", "]}")] {
            let levels = depth / open.matches(['[', '{']).count();
            assert_agrees(&format!("{}{}", open.repeat(levels), close.repeat(levels)));
        }
    }
    assert!(read_value(&format!("{}{}", "[".repeat(127), "]".repeat(127))).is_some());
    assert!(read_value(&format!("{}{}", "[".repeat(128), "]".repeat(128))).is_none());
}

#[test]
fn a_closed_level_gives_its_depth_back() {
    let flat = format!("[{}]", vec!["[[]]"; 500].join(","));
    assert_agrees(&flat);
    assert!(read_value(&flat).is_some());
}

#[test]
fn r_52_control_characters_and_binary_survive_being_written_and_read() {
    let binary: String =
        (0..=0x2ff_u32).chain([0xfffd, 0xfeff, 0x10ffff]).filter_map(char::from_u32).collect();
    let value = json!({"data": binary, "more": [binary]});
    let text = value.to_string();
    assert!(
        !text.contains(char::is_control) || text.chars().filter(|c| c.is_control()).all(|c| c >= '\u{7f}')
    );
    assert_eq!(read_value(&text), Some(value));
}

#[test]
fn r_53_integers_booleans_objects_and_arrays_survive() {
    let value = json!({"start": 3, "big": u64::MAX, "small": i64::MIN, "all": true, "ratio": 0.25, "none": null,
        "nested": {"list": [1, {"deep": [[], {}]}, "x"], "empty": {}}});
    assert_eq!(read_value(&value.to_string()), Some(value.clone()));
    assert_eq!(read_value(&serde_json::to_string_pretty(&value).unwrap()), Some(value));
}

use serde_json::json;

use super::*;

#[test]
fn r_43_cuts_fall_between_characters() {
    let text = "aé漢😀z";
    for chars in 0..7 {
        assert_eq!(cut_chars(text, chars).chars().count(), chars.min(5));
    }
    for bytes in 0..15 {
        let cut = cut_bytes(text, bytes);
        assert!(cut.len() <= bytes && text.starts_with(cut));
    }
    assert_eq!(cut_bytes(text, 100), text);
}

#[test]
fn a_long_value_is_marked_and_a_short_one_is_whole() {
    assert_eq!(json_short(&json!({"a": [1, "é"]}), 100), r#"{"a":[1,"é"]}"#);
    assert_eq!(json_short(&json!("ééééé"), 4), "\"ééé…");
    assert_eq!(json_short(&json!(12345), 5), "12345");
}

#[test]
fn a_full_text_takes_nothing_more() {
    let mut short = ShortText::new(3);
    assert!(short.write_str("ab").is_ok());
    assert!(short.write_str("cd").is_err());
    assert!(short.write_str("e").is_err());
    assert_eq!(short.text(), "abc");
}

#[test]
fn json_is_counted_as_it_would_be_written() {
    for value in [json!(null), json!({"é": [1, 2.5, "x\n\""], "b": {}}), json!("漢")] {
        assert_eq!(json_bytes(&value), value.to_string().len() as u64, "{value}");
    }
}

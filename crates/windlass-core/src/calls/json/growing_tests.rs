use super::*;
use crate::calls::json::parse::parse_value;

/// How a text ends up, whole or in pieces of one character.
fn is_closed(text: &str) -> bool {
    let mut whole = GrowingObject::default();
    whole.push(text);
    let mut pieces = GrowingObject::default();
    for piece in text.split_inclusive(|_| true) {
        pieces.push(piece);
    }
    assert_eq!(whole.is_closed(), pieces.is_closed(), "{text}");
    whole.is_closed()
}

#[test]
fn an_object_is_closed_by_its_own_bracket_alone() {
    for text in [
        "{}",
        " \n\t{\"a\":[1,{\"b\":\"}\"}]}\r ",
        "{\"a\":\"\\\"}\\\\\"}",
        "{\"é\":\"漢字 with a long plain run in it\"}",
        "{\"a\":{}}",
    ] {
        assert!(is_closed(text), "{text}");
        assert!(parse_value(text).is_ok_and(|value| value.is_object()), "{text}");
        let before = text.trim_end().strip_suffix('}').unwrap();
        assert!(!is_closed(before), "{before}");
    }
}

#[test]
fn nothing_else_is_one_object() {
    for text in
        ["", " ", "1", "null", "\"{}\"", "[]", "[{}]", "{]}", "{\"a\":[}", "{}}", "{} x", "{}{}", "x{}", "}{"]
    {
        assert!(!is_closed(text), "{text}");
    }
}

#[test]
fn what_is_lost_stays_lost() {
    let mut object = GrowingObject::default();
    object.push("1");
    object.push("{}");
    assert!(!object.is_closed());
    let mut object = GrowingObject::default();
    object.push("{\"a\" 1}");
    assert!(object.is_closed(), "brackets alone are followed");
    object.give_up();
    object.push(" ");
    assert!(!object.is_closed());
}

#[test]
fn nesting_has_the_limit_that_parsing_has() {
    for depth in [1, 5, usize::from(DEPTH_MAX) - 1, usize::from(DEPTH_MAX), 1_000] {
        let text = "{\"a\":".repeat(depth - 1) + "{}" + &"}".repeat(depth - 1);
        assert_eq!(is_closed(&text), parse_value(&text).is_ok(), "{depth}");
    }
}

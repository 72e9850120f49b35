use super::*;

#[test]
fn r_22_no_arguments_are_an_empty_object() {
    for text in ["", "  ", "\n"] {
        assert!(matches!(sound(text), HealedArgs::Sound("{}")), "{text:?}");
    }
    assert!(matches!(sound("null"), HealedArgs::Noisy(text) if text == "{}"));
}

#[test]
fn objects_are_borrowed_as_they_are_written() {
    for text in ["{}", " {\"a\" : [1, 2.5e3, {\"b\": \"\\u00e9\\ud83d\\ude00\"}]} "] {
        assert!(matches!(sound(text), HealedArgs::Sound(same) if same == text), "{text}");
    }
}

#[test]
fn what_is_no_object_is_quoted_and_cut() {
    let huge = format!("[{}]", "1,".repeat(5_000));
    for text in
        ["[1]", "3", "\"word\"", "{\"a\":", "{\"a\": 1e999}", "{\"a\": \"\\ud800\"}", "{} {}", "prose", &huge]
    {
        let HealedArgs::Unreadable(object) = sound(text) else { panic!("{text} was read") };
        let value: serde_json::Value = serde_json::from_str(&object).unwrap();
        let quote = value["unreadable_arguments"].as_str().unwrap();
        assert!(quote.chars().count() <= BROKEN_ARGS_CHARS_MAX);
        assert!(text.starts_with(quote.trim_end_matches('…')));
    }
}

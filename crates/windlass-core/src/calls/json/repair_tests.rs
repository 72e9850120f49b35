use proptest::prelude::*;
use serde_json::json;

use super::super::lenient::read_lenient;
use super::super::parse::parse_value;
use super::super::samples::{any_json, any_object, any_string, any_text, broken_text, token_soup};
use super::RepairNote::*;
use super::*;

fn everything(text: &str) -> Repaired {
    repair(text, RepairMode::Everything).unwrap_or_else(|failure| panic!("{text:?}: {failure}"))
}

/// Read the same way in both modes, with exactly these notes.
fn assert_lossless(text: &str, value: Value, notes: &[RepairNote]) {
    let repaired = Repaired { value, notes: notes.to_vec() };
    assert_eq!(repair(text, RepairMode::Lossless), Ok(repaired.clone()), "{text:?}");
    assert_eq!(everything(text), repaired, "{text:?}");
}

/// Read only as a guess; refused for a call, with the guesses named.
fn assert_lossy(text: &str, value: Value, notes: &[RepairNote]) {
    assert_eq!(everything(text), Repaired { value, notes: notes.to_vec() }, "{text:?}");
    let refused: Vec<RepairNote> = notes.iter().copied().filter(|note| !note.is_lossless()).collect();
    assert!(!refused.is_empty(), "{text:?}");
    assert_eq!(repair(text, RepairMode::Lossless).expect_err(text).refused, refused, "{text:?}");
}

fn assert_unrepairable(text: &str) {
    for mode in [RepairMode::Lossless, RepairMode::Everything] {
        let failure = repair(text, mode).expect_err(text);
        assert_eq!(failure.refused, [], "{text:?}");
    }
}

#[test]
fn r_45_special_tokens_around_arguments_are_left_out() {
    for text in [
        r#"{"a":1}<|tool_call_end|>"#,
        r#"{"a":1} </tool_call>"#,
        "<tool_call>\n{\"a\":1}\n</tool_call>",
        r#"{"a":1}<|tool_call_end|><|tool_calls_section_end|>"#,
        r#"<|python_tag|>{"a":1}<|eom_id|>"#,
        "[TOOL_CALLS]{\"a\":1}</s>",
        "{\"a\":1}<｜tool▁call▁end｜>",
        "{\"a\":1}<|im_end|>\n",
    ] {
        assert_lossless(text, json!({"a": 1}), &[SpecialTokens]);
    }
    let held = r#"{"a":"</tool_call><|tool_call_end|>"}"#;
    assert_lossless(held, json!({"a": "</tool_call><|tool_call_end|>"}), &[]);
}

#[test]
fn r_4_a_fence_around_the_json_goes_and_a_fence_inside_stays() {
    assert_lossless("```json\n{\"a\": 1}\n```", json!({"a": 1}), &[CodeFence]);
    assert_lossless("```tool_code\n{\"a\": 1}```\n", json!({"a": 1}), &[CodeFence]);
    let text = "```\n{\"md\": \"```json\\n}\\n```\"}\n```";
    assert_lossless(text, json!({"md": "```json\n}\n```"}), &[CodeFence]);
    assert_lossless("```json\n{'a': 1}\n```", json!({"a": 1}), &[CodeFence, SingleQuotes]);
    let text = "Here you are:\n```json\n{\"a\": 1}\n```\nGood luck!";
    assert_lossy(text, json!({"a": 1}), &[CodeFence, ProseAround]);
}

#[test]
fn an_object_inside_sentences_is_never_believed() {
    assert_lossy("Sure! {\"a\": \"}{\"} Anything else?", json!({"a": "}{"}), &[ProseAround]);
    assert_lossy("I will not send this: {\"a\": 1}", json!({"a": 1}), &[ProseAround]);
    assert_lossy("{\"a\": 1} but only if the user agrees", json!({"a": 1}), &[ProseAround]);
    assert_lossy("I fill {it} in: {\"a\": 1}", json!({"a": 1}), &[ProseAround]);
    assert_lossy("It's {a: 1}", json!({"a": 1}), &[ProseAround, UnquotedKey]);
}

#[test]
fn what_would_come_out_changed_is_never_believed() {
    assert_lossy(r#"{"a": 1, "a": 2}"#, json!({"a": 2}), &[DuplicateKey]);
    assert_lossy(
        r#"{"x": [{"a": 1, 'a': 1,}]}"#,
        json!({"x": [{"a": 1}]}),
        &[TrailingComma, SingleQuotes, DuplicateKey],
    );
    assert_lossy(r#"{"n": 100000000000000000000}"#, json!({"n": 1e20}), &[RoundedNumber]);
    assert_lossy(
        r#"{n: +18446744073709551616}"#,
        json!({"n": 18446744073709551616.0}),
        &[UnquotedKey, NumberSpelling, RoundedNumber],
    );
    assert_lossy(&format!("{{\"a\": \"{NOT_UTF8}\"}}"), json!({"a": NOT_UTF8.to_string()}), &[NotUtf8]);
    assert_lossless(r#"{"n": -0, "x": 0.1}"#, json!({"n": -0.0, "x": 0.1}), &[]);
    let failure = repair(r#"{"n": 100000000000000000000}"#, RepairMode::Lossless).unwrap_err();
    assert!(
        failure.to_string().starts_with("the number 100000000000000000000 at /n cannot be kept exactly"),
        "{failure}"
    );
}

#[test]
fn two_objects_are_never_one() {
    for text in [
        r#"{"a":1}{"a":2}"#,
        r#"{"a":1} or {"a":2}"#,
        r#"{"a":1}, {b:2}"#,
        r#"{"a": oops} {"a":2}"#,
        r#"first {"x": nonsense: 1} then {"a":2}"#,
        "no object at all",
        "{maybe}",
        "",
        "{{{{{{{{{{{{{{{{{{{{{{{{",
        r#"{ to open it. {"a":1}"#,
    ] {
        assert_unrepairable(text);
    }
}

#[test]
fn a_piece_of_a_larger_value_is_never_taken_for_the_whole() {
    for text in [
        r#""args": {"a":1}"#,
        r#""tool":"x", "args" : {"a":1}"#,
        r#"{"a":1}, "#,
        r#"{"a":1},"b":2}"#,
        r#"{"a":1}:"#,
        r#"calls = [{"a":1}, 2]"#,
        r#"], {"a":1}"#,
        r#"{"a":1}"b""#,
    ] {
        assert_unrepairable(text);
    }
}

#[test]
fn reasoning_before_the_json_is_left_out_and_never_taken_for_it() {
    assert_lossless("<think>I could send {maybe}</think>{\"a\": 1}", json!({"a": 1}), &[ThinkPrefix]);
    assert_lossless("<thinking>\"{}\"</thinking>\n{\"a\": 1}", json!({"a": 1}), &[ThinkPrefix]);
    assert_lossless("so I send this\n</think>\n\n{\"a\": 1}", json!({"a": 1}), &[ThinkPrefix]);
    assert_lossless("<think>{\"a\": 0}</think>\n{\"a\": 1}", json!({"a": 1}), &[ThinkPrefix]);
    assert_lossless("{\"a\": \"x</think>y\"}", json!({"a": "x</think>y"}), &[]);
    assert_lossy("So: {\"a\": \"</think>{}\"}", json!({"a": "</think>{}"}), &[ProseAround]);
    assert_unrepairable("<think>I will send {\"a\": 1}");
    assert_unrepairable("Well. <think>I will send {\"a\": 1}");
}

#[test]
fn a_byte_order_mark_is_left_out() {
    assert_lossless("\u{feff}{\"a\": 1}", json!({"a": 1}), &[ByteOrderMark]);
    assert_lossless("\u{feff}```json\n{\"a\": 1}```", json!({"a": 1}), &[ByteOrderMark, CodeFence]);
}

#[test]
fn an_object_in_a_string_is_opened_and_any_other_string_stays() {
    assert_lossless(r#""{\"a\": \"\\\"\"}""#, json!({"a": "\""}), &[DoubleEncoded]);
    assert_lossless(r#""\"{\\\"a\\\": 1}\"""#, json!({"a": 1}), &[DoubleEncoded]);
    assert_lossless(r#""{a: 1}""#, json!("{a: 1}"), &[]);
    assert_lossless(r#""\"plain\"""#, json!("\"plain\""), &[]);
    assert_lossless(r#""[1]""#, json!("[1]"), &[]);
    assert_lossless("```\n\"{\\\"a\\\": 1}\"\n```", json!({"a": 1}), &[CodeFence, DoubleEncoded]);
}

#[test]
fn commas_before_closing_brackets_are_left_out() {
    assert_lossless(
        "{\"a\": [1, 2,], \"b\": {\"c\": 3,},\n}",
        json!({"a": [1, 2], "b": {"c": 3}}),
        &[TrailingComma],
    );
    assert_lossless("[1, {\"a\": 2,}]", json!([1, {"a": 2}]), &[TrailingComma]);
    for text in ["{,}", "{\"a\": 1,,}", "[,]", "[1,,2]", "{\"a\":,}"] {
        assert_unrepairable(text);
    }
}

#[test]
fn comments_are_left_out_but_never_looked_for_in_strings() {
    let text = "{ // the first\n \"a\": /* inside */ 1, # last\n \"b\": \"http://x/#y /* z */\" }";
    assert_lossless(text, json!({"a": 1, "b": "http://x/#y /* z */"}), &[Comment]);
}

#[test]
fn python_spelling_is_understood() {
    let text = r"{'a': 'it\'s', 'b': True, 'c': None, 'd': [False, 1.5], 'e': 'caf\xe9', 'f': '“x”'}";
    let value = json!({"a": "it's", "b": true, "c": null, "d": [false, 1.5], "e": "café", "f": "“x”"});
    assert_lossless(text, value, &[SingleQuotes, LiteralSpelling]);
    assert_lossless("{'a': \"don't\"}", json!({"a": "don't"}), &[SingleQuotes]);
    assert_lossless(r#"{"a": "don\'t"}"#, json!({"a": "don't"}), &[SingleQuotes]);
    assert_unrepairable("{'a': 'it's late'}");
}

#[test]
fn typographic_quotes_are_understood_around_strings_and_kept_inside() {
    assert_lossless("{“a”: “b”, \"c\": \"“d”\"}", json!({"a": "b", "c": "“d”"}), &[SmartQuotes]);
    assert_lossless("{„a“: ‘b’, “c\": 1}", json!({"a": "b", "c": 1}), &[SmartQuotes]);
    assert_unrepairable("{“a”: “he said “go” and left”}");
}

#[test]
fn keys_may_stand_without_quotes_and_values_may_not() {
    let text = "{path: \"a\", $id: 1, x-y: {_z9: 2}}";
    assert_lossless(text, json!({"path": "a", "$id": 1, "x-y": {"_z9": 2}}), &[UnquotedKey]);
    assert_unrepairable("{path: src/main.rs}");
    assert_unrepairable("{a b: 1}");
    assert_unrepairable("{\"a\": yes}");
}

#[test]
fn r_52_control_characters_in_strings_are_kept_as_they_are() {
    let text = "{\"a\": \"line 1\nline 2\ttab\u{0}\u{1b}[0m\", \"b\": 'x\r\ny'}";
    let value = json!({"a": "line 1\nline 2\ttab\u{0}\u{1b}[0m", "b": "x\r\ny"});
    assert_lossless(text, value, &[SingleQuotes, RawControl]);
}

#[test]
fn numbers_of_other_languages_are_understood() {
    assert_lossless(
        "{\"a\": +3, \"b\": .5, \"c\": 5., \"d\": +1e3}",
        json!({"a": 3, "b": 0.5, "c": 5.0, "d": 1000.0}),
        &[NumberSpelling],
    );
    for text in
        ["{\"a\": 007}", "{\"a\": 0x1f}", "{\"a\": 1-2}", "{\"a\": 1.2.3}", "{\"a\": -}", "{\"a\": 1e999}"]
    {
        assert_unrepairable(text);
    }
}

#[test]
fn r_53_integers_booleans_objects_and_arrays_survive_a_repair() {
    let value = json!({"n": 3, "big": u64::MAX, "ok": true, "x": null, "deep": [{"a": [1, [2.5, {}]]}, []]});
    let text = format!("```json\n{}\n```<|im_end|>", serde_json::to_string_pretty(&value).unwrap());
    assert_lossless(&text, value, &[CodeFence, SpecialTokens]);
}

#[test]
fn what_a_lost_piece_of_a_stream_looks_like_is_never_believed() {
    assert_lossy(r#"{"a": 3 "b": 4}"#, json!({"a": 3, "b": 4}), &[MissingComma]);
    assert_lossy("[1 2]", json!([1, 2]), &[MissingComma]);
    assert_lossy(r#"{"a": 3}}"#, json!({"a": 3}), &[ExtraClose]);
    assert_lossy(r#"{"a": 3}]} ok"#, json!({"a": 3}), &[ProseAround, ExtraClose]);
    assert_lossy(r#"{"a": {"b": [1, 2"#, json!({"a": {"b": [1, 2]}}), &[MissingClose]);
    assert_lossy(r#"{"a": [1, 2}"#, json!({"a": [1, 2]}), &[MissingClose]);
    assert_lossy(r#"{"a": "cut of"#, json!({"a": "cut of"}), &[MissingClose, CutShort]);
    assert_lossy(r#"{"a": 1, "b"#, json!({"a": 1}), &[CutShort]);
    assert_lossy(r#"{"a": 1, "b":"#, json!({"a": 1}), &[CutShort]);
    assert_lossy(r#"{"a": 1,"#, json!({"a": 1}), &[MissingClose]);
    assert_lossy(r"[1, 2", json!([1, 2]), &[MissingClose]);
}

#[test]
fn guesses_about_content_are_never_believed() {
    assert_lossy(r#"{"re": "\d+"}"#, json!({"re": "\\d+"}), &[BadEscape]);
    assert_lossy(r#"{"s": "\ud83d!"}"#, json!({"s": "\\ud83d!"}), &[BadEscape]);
    assert_lossy(r#"{"a": NaN, "b": -Infinity}"#, json!({"a": null, "b": null}), &[NotANumber]);
}

#[test]
fn a_refusal_names_the_place_in_the_text_as_it_was_written_and_the_guess() {
    let text = "```json\n{\"path\": \"a\",\n \"lines\": [1, 2\n```";
    let failure = repair(text, RepairMode::Lossless).unwrap_err();
    assert_eq!(failure.refused, [MissingClose]);
    assert_eq!((failure.failure.line, failure.failure.column), (3, 16));
    let words = failure.to_string();
    assert!(words.starts_with("the text ends inside a list at line 3, column 16"), "{words}");
    assert!(words.ends_with("(closing brackets are missing)"), "{words}");

    let failure = repair("<think>well</think>{\"a\": oops}", RepairMode::Lossless).unwrap_err();
    assert_eq!((failure.failure.line, failure.failure.column), (1, 26));
}

#[test]
fn every_note_is_listed_once_under_its_own_name() {
    let names: std::collections::BTreeSet<String> =
        RepairNote::ALL.iter().map(|note| serde_json::to_string(note).unwrap()).collect();
    assert_eq!(names.len(), RepairNote::ALL.len());
    assert!(RepairNote::ALL.is_sorted());
    assert_eq!(serde_json::to_string(&ThinkPrefix).unwrap(), "\"think_prefix\"");
}

#[test]
fn hostile_texts_end_quickly() {
    for text in [
        "{".repeat(1 << 20),
        "{\"".repeat(1 << 19),
        "{a".repeat(1 << 19),
        "{a}".repeat(1 << 18),
        "<|x|>".repeat(1 << 17),
        "```".repeat(1 << 18),
        "\u{feff}".repeat(1 << 18),
        "[".repeat(1 << 20),
        "{'".repeat(1 << 19),
        "{/*".repeat(1 << 18),
    ] {
        for mode in [RepairMode::Lossless, RepairMode::Everything] {
            let _ = repair(&text, mode);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_text_that_is_json_is_never_changed(text in any_text()) {
        let strict = parse_value(&text).unwrap();
        // The one exception has a name and a test of its own.
        prop_assume!(!strict.as_str().is_some_and(|held| held.contains('{')));
        for mode in [RepairMode::Lossless, RepairMode::Everything] {
            let repaired = repair(&text, mode).unwrap();
            prop_assert_eq!(&repaired.value, &strict);
            prop_assert!(repaired.notes.is_empty());
        }
    }

    #[test]
    fn a_broken_text_that_is_still_json_is_never_changed(text in prop_oneof![broken_text(), token_soup()]) {
        if let Ok(strict) = parse_value(&text) && !strict.is_string() {
            prop_assert_eq!(repair(&text, RepairMode::Everything), Ok(Repaired { value: strict, notes: vec![] }));
        }
    }

    #[test]
    fn what_is_lossless_is_read_alike_in_both_modes(text in prop_oneof![broken_text(), token_soup()]) {
        let all = repair(&text, RepairMode::Everything);
        match (repair(&text, RepairMode::Lossless), all) {
            (Ok(lossless), all) => {
                prop_assert!(lossless.notes.iter().all(|note| note.is_lossless()));
                prop_assert_eq!(Ok(lossless), all);
            }
            (Err(refusal), Ok(all)) => {
                let lossy: Vec<_> = all.notes.into_iter().filter(|note| !note.is_lossless()).collect();
                prop_assert!(!lossy.is_empty());
                prop_assert_eq!(refusal.refused, lossy);
            }
            (Err(refusal), Err(none)) => prop_assert_eq!(refusal, none),
        }
    }

    #[test]
    fn the_lenient_reader_reads_strict_json_strictly(value in any_json(), is_pretty in any::<bool>()) {
        let text = if is_pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
        let reading = read_lenient(&text, 0).unwrap();
        prop_assert!(reading.notes.is_empty());
        prop_assert_eq!(reading.end, text.len());
        prop_assert_eq!(Some(reading.value), serde_json::from_str(&text).ok());
    }

    #[test]
    fn r_45_noise_around_any_object_gives_back_that_object(value in any_object(), around in 0..6_usize) {
        let json = value.to_string();
        let text = match around {
            0 => format!("```json\n{json}\n```"),
            1 => format!("{json}<|tool_call_end|>"),
            2 => format!("<think>hm {{}}</think>\n{json}"),
            3 => format!("\u{feff}{json}"),
            4 => format!("<tool_call>\n{json}\n</tool_call>"),
            _ => Value::String(json).to_string(),
        };
        let repaired = repair(&text, RepairMode::Lossless).unwrap();
        prop_assert_eq!(repaired.value, serde_json::from_str::<Value>(&value.to_string()).unwrap());
        prop_assert_eq!(repaired.notes.len(), 1);
    }

    #[test]
    fn a_text_cut_anywhere_is_never_believed(value in any_object(), place in any::<proptest::sample::Index>()) {
        let text = value.to_string();
        let end = text.floor_char_boundary(1 + place.index(text.len() - 1));
        prop_assume!(end < text.len());
        prop_assert!(repair(&text[..end], RepairMode::Lossless).is_err());
    }

    #[test]
    fn strings_with_raw_control_characters_keep_every_character(string in any_string()) {
        let raw = string.replace('\\', "\\\\").replace('"', "\\\"");
        let repaired = repair(&format!("{{\"s\":\"{raw}\"}}"), RepairMode::Lossless).unwrap();
        prop_assert_eq!(repaired.value, json!({ "s": string }));
    }
}

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// What a text means when it comes in the given pieces: text, calls (name, arguments or raw text), finish.
fn read<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, Vec<(String, Value)>, Finish) {
    let mut reader = TagReader::new(RunTag::named("tool_call"));
    let mut out = Vec::new();
    for piece in pieces {
        reader.push(ModelDelta::Text(piece.to_owned()), &mut out);
    }
    reader.push(ModelDelta::Finish(Finish::Stop), &mut out);
    let mut text = String::new();
    let mut calls = Vec::new();
    let mut finish = None;
    for delta in out {
        match delta {
            ModelDelta::Text(piece) => text.push_str(&piece),
            ModelDelta::Call(call) => {
                let args = call
                    .args_value
                    .map(|value| *value)
                    .or(call.args_text.map(Value::String))
                    .unwrap_or_default();
                calls.push((call.name.unwrap_or_default(), args));
            }
            ModelDelta::Finish(why) => finish = Some(why),
            other => panic!("{other:?}"),
        }
    }
    (text, calls, finish.unwrap())
}

fn weather(city: &str) -> (String, Value) {
    ("get_weather".to_owned(), json!({"city": city}))
}

fn block(city: &str) -> String {
    format!(
        "<tool_call>\n{{\"name\": \"get_weather\", \"arguments\": {{\"city\": \"{city}\"}}}}\n</tool_call>"
    )
}

/// Asserts what a text means, cut at every place and into single characters.
#[track_caller]
fn means(text: &str, answer: &str, calls: &[(String, Value)]) {
    let finish = if calls.is_empty() { Finish::Stop } else { Finish::Calls };
    let meaning = (answer.to_owned(), calls.to_vec(), finish);
    for (at, _) in text.char_indices() {
        let (left, right) = text.split_at(at);
        assert_eq!(read([left, right]), meaning, "cut at {at}: {left:?} | {right:?}");
    }
    let letters: Vec<String> = text.chars().map(String::from).collect();
    assert_eq!(read(letters.iter().map(String::as_str)), meaning, "letter by letter");
}

#[test]
fn a_block_is_a_call() {
    means(&block("Oslo"), "", &[weather("Oslo")]);
    means(&format!("\n\n{}\n", block("Oslo")), "", &[weather("Oslo")]);
    means("<tool_call>{\"name\":\"a\"}</tool_call>", "", &[("a".to_owned(), json!({}))]);
}

#[test]
fn r_26_text_around_calls_is_kept() {
    means(&format!("I look.\n{}", block("Oslo")), "I look.\n", &[weather("Oslo")]);
    means(&format!("{}\nThat was it.", block("Oslo")), "\nThat was it.", &[weather("Oslo")]);
}

#[test]
fn several_blocks_are_several_calls() {
    means(&[block("Oslo"), block("Rome")].join("\n"), "", &[weather("Oslo"), weather("Rome")]);
    let listed =
        r#"<tool_call>[{"name":"get_weather","arguments":{"city":"Oslo"}},{"name":"b"}]</tool_call>"#;
    means(listed, "", &[weather("Oslo"), ("b".to_owned(), json!({}))]);
    let in_one =
        "<tool_call>\n{\"name\":\"a\",\"arguments\":{}}\n{\"name\":\"b\",\"arguments\":{}}\n</tool_call>";
    means(in_one, "", &[("a".to_owned(), json!({})), ("b".to_owned(), json!({}))]);
}

#[test]
fn braces_and_tags_inside_strings_are_text() {
    let city = r#"} \" </tool_call> {\\"#;
    means(&block(city), "", &[weather("} \" </tool_call> {\\")]);
}

#[test]
fn a_missing_closing_tag_is_no_obstacle() {
    let open = block("Oslo").replace("\n</tool_call>", "");
    means(&open, "", &[weather("Oslo")]);
    means(&format!("{open}\n</tool_c"), "", &[weather("Oslo")]);
    means(&format!("{open}\n{}", block("Rome")), "", &[weather("Oslo"), weather("Rome")]);
}

#[test]
fn fenced_calls_are_calls() {
    means(&format!("```\n{}\n```", block("Oslo")), "", &[weather("Oslo")]);
    means(&format!("I look.\n```xml\n{}\n```\n", block("Oslo")), "I look.\n", &[weather("Oslo")]);
    means(
        &format!("```json\n{}\n{}\n```", block("Oslo"), block("Rome")),
        "",
        &[weather("Oslo"), weather("Rome")],
    );
    let json = r#"{"name":"get_weather","arguments":{"city":"Oslo"}}"#;
    means(&format!("<tool_call>\n```json\n{json}\n```\n</tool_call>"), "", &[weather("Oslo")]);
}

#[test]
fn r_3_examples_and_tags_that_are_spoken_of_stay_text() {
    for text in [
        "Write `<tool_call>` and `</tool_call>`.",
        "```json\n{\"name\":\"a\",\"arguments\":{}}\n```\n",
        "An example:\n```\nHere:\n<tool_call>\n{\"name\":\"a\"}\n</tool_call>\n```\nSo.",
        "{\"name\":\"a\",\"arguments\":{}}",
        "a < b, <tool>, [1], [TOOL], `x`, ``, ```",
        "<tool_call> is a tag.",
        "[TOOL_CALLS] is a mark, [TOOL_CALLS]a[ARGS]{}",
        "```tool_call\n{\"name\":\"a\",\"arguments\":{}}\n```\n",
        "<tool_call_1>{\"name\":\"a\",\"arguments\":{}}</tool_call_1>",
        "<tool_cal",
        "  ",
        "",
    ] {
        means(text, text, &[]);
    }
    means(&format!("The <tool_call> tag:\n{}", block("Oslo")), "The <tool_call> tag:\n", &[weather("Oslo")]);
    means(&format!("```\ncode\n```\n{}", block("Oslo")), "```\ncode\n```\n", &[weather("Oslo")]);
}

#[test]
fn a_broken_call_is_a_call_that_will_fail() {
    let missing_brace = r#"{"name": "get_weather", "arguments": {"city": "Oslo"}"#;
    let raw = |text: &str| [("get_weather".to_owned(), Value::from(text))];
    means(&format!("<tool_call>\n{missing_brace}\n</tool_call>"), "", &raw(missing_brace));
    means(&format!("<tool_call>\n```json\n{missing_brace}\n```\n</tool_call>"), "", &raw(missing_brace));
    let open_string = r#"{"name": "get_weather", "arguments": {"city": "Oslo}}"#;
    means(&format!("<tool_call>\n{open_string}\n</tool_call>"), "", &raw(open_string));
    // Also where the end of the stream cuts it.
    means(&format!("<tool_call>\n{open_string}"), "", &raw(open_string));
    means("<tool_call>get weather</tool_call>", "", &[(String::new(), json!("get weather"))]);
    means(r#"<tool_call>{"arguments":{}}</tool_call>"#, "", &[(String::new(), json!(r#"{"arguments":{}}"#))]);
}

#[test]
fn a_broken_call_does_not_swallow_the_next_one() {
    let open_string = r#"{"name": "get_weather", "arguments": {"city": "Oslo}}"#;
    let text = format!("<tool_call>\n{open_string}\n</tool_call>\n{}", block("Rome"));
    means(&text, "", &[("get_weather".to_owned(), json!(open_string)), weather("Rome")]);
}

#[test]
fn arguments_may_be_text_or_have_another_name() {
    means(
        r#"<tool_call>{"name":"a","arguments":"{\"b\":1}"}</tool_call>"#,
        "",
        &[("a".to_owned(), json!(r#"{"b":1}"#))],
    );
    means(
        r#"<tool_call>{"name":"a","parameters":{"b":1}}</tool_call>"#,
        "",
        &[("a".to_owned(), json!({"b": 1}))],
    );
    let nested = r#"<tool_call>{"type":"function","function":{"name":"a","arguments":{"b":1}}}</tool_call>"#;
    means(nested, "", &[("a".to_owned(), json!({"b": 1}))]);
}

fn element(name: &str, args: &[(&str, &str)]) -> String {
    let parameter = |(key, value): &(&str, &str)| format!("<parameter={key}>\n{value}\n</parameter>\n");
    format!("<function={name}>\n{}</function>", args.iter().map(parameter).collect::<String>())
}

#[test]
fn qwen_calls_written_as_elements_are_calls() {
    let oslo = element("get_weather", &[("city", "Oslo")]);
    means(&format!("<tool_call>\n{oslo}\n</tool_call>"), "", &[weather("Oslo")]);
    means(&format!("I look.\n<tool_call>\n{oslo}\n</tool_call>\n"), "I look.\n", &[weather("Oslo")]);
    means(&format!("<tool_call>{oslo}</tool_call> So."), " So.", &[weather("Oslo")]);
    means(&format!("```xml\n<tool_call>\n{oslo}\n</tool_call>\n```"), "", &[weather("Oslo")]);
    means("<tool_call><function=a></function></tool_call>", "", &[("a".to_owned(), json!({}))]);
    let rome = element("get_weather", &[("city", "Rome")]);
    means(&format!("<tool_call>\n{oslo}\n{rome}\n</tool_call>"), "", &[weather("Oslo"), weather("Rome")]);
    means(&format!("<tool_call>\n{oslo}\n{}", block("Rome")), "", &[weather("Oslo"), weather("Rome")]);
}

#[test]
fn qwen_values_are_text_unless_they_are_json() {
    let text = element(
        "a",
        &[
            ("n", "7"),
            ("yes", "true"),
            ("list", "[1, \"x\"]"),
            ("map", "{\"k\": {}}"),
            ("word", "\"q\""),
            ("nothing", "null"),
        ],
    );
    let args =
        json!({"n": 7, "yes": true, "list": [1, "x"], "map": {"k": {}}, "word": "\"q\"", "nothing": "null"});
    means(&format!("<tool_call>{text}</tool_call>"), "", &[("a".to_owned(), args)]);
    let code = "fn main() {\n    </function> </tool_call> <parameter=x> ä\n}\n";
    let text = element("write", &[("content", code), ("path", "a.rs")]);
    let args = json!({"content": code, "path": "a.rs"});
    means(&format!("<tool_call>{text}</tool_call>"), "", &[("write".to_owned(), args)]);
}

#[test]
fn qwen_a_value_that_the_tool_declares_as_text_stays_text() {
    let schema =
        json!({"type": "object", "properties": {"content": {"type": "string"}, "line": {"type": "integer"}}});
    let spec = ToolSpec { schema, ..ToolSpec::new("write", "Writes.") };
    let mut reader = TagReader::knowing(RunTag::named("tool_call"), Arc::new([Arc::new(spec)]));
    let mut out = Vec::new();
    let text = element("write", &[("content", "42"), ("line", "7")]);
    reader.push(ModelDelta::Text(format!("<tool_call>{text}")), &mut out);
    let [ModelDelta::Call(call)] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!(call.args_value.as_deref(), Some(&json!({"content": "42", "line": 7})));
}

#[test]
fn qwen_a_broken_element_is_a_call_that_will_fail_and_one_that_is_spoken_of_is_text() {
    let cut = "<function=write>\n<parameter=content>\nhalf";
    means(&format!("<tool_call>\n{cut}"), "", &[("write".to_owned(), json!(cut))]);
    let twice = "<function=a><parameter=b>1</parameter><parameter=b>2</parameter></function>";
    means(&format!("<tool_call>{twice}</tool_call>"), "", &[("a".to_owned(), json!(twice))]);
    let stray = "<function=a><parameter=b>1</parameter> and </function>";
    means(&format!("<tool_call>{stray}</tool_call>"), "", &[("a".to_owned(), json!(stray))]);
    for text in [
        "Write <tool_call><function=NAME> and so on.",
        "<tool_call><function=a",
        "<tool_call><func",
        "<function=a><parameter=b>1</parameter></function>",
    ] {
        means(text, text, &[]);
    }
    means(&format!("{}<func", block("Oslo").replace("\n</tool_call>", "")), "<func", &[weather("Oslo")]);
}

#[test]
fn the_tag_of_another_run_is_text() {
    let own = RunTag::of(&"run-1".into());
    let strange = RunTag::of(&"run-2".into());
    assert!(own != strange && own == RunTag::of(&"run-1".into()));
    for (tag, calls) in [(&own, 1), (&strange, 0), (&RunTag::named("tool_call"), 0)] {
        let mut reader = TagReader::new(own.clone());
        let mut out = Vec::new();
        let text = format!("{}{{\"name\":\"a\",\"arguments\":{{}}}}{}", tag.open, tag.close);
        reader.push(ModelDelta::Text(text), &mut out);
        reader.end(&mut out);
        assert_eq!(out.iter().filter(|delta| matches!(delta, ModelDelta::Call(_))).count(), calls, "{tag:?}");
    }
}

#[test]
fn s_17_a_call_is_given_before_its_closing_tag() {
    let mut reader = TagReader::new(RunTag::named("tool_call"));
    let mut out = Vec::new();
    let open = block("Oslo").replace("</tool_call>", "");
    reader.push(ModelDelta::Text(open), &mut out);
    assert!(matches!(out.as_slice(), [ModelDelta::Call(_)]), "{out:?}");
}

#[test]
fn text_streams_through_and_waits_only_at_a_possible_tag() {
    let mut reader = TagReader::new(RunTag::named("tool_call"));
    let mut push = |text: &str| {
        let mut out = Vec::new();
        reader.push(ModelDelta::Text(text.to_owned()), &mut out);
        out.into_iter().map(|delta| format!("{delta:?}")).collect::<String>()
    };
    assert_eq!(push("a < b"), r#"Text("a < b")"#);
    assert_eq!(push(" <too"), r#"Text(" ")"#);
    assert_eq!(push("ls>"), r#"Text("<tools>")"#);
}

#[test]
fn other_deltas_pass_and_length_stays_length() {
    let mut reader = TagReader::new(RunTag::named("tool_call"));
    let mut out = Vec::new();
    let deltas = [
        ModelDelta::Reasoning("<tool_call>".to_owned()),
        ModelDelta::ReasoningState(json!({})),
        ModelDelta::Call(CallDelta { name: Some("a".to_owned()), ..CallDelta::default() }),
        ModelDelta::Usage(windlass_core::protocol::model::Usage::default()),
        ModelDelta::Finish(Finish::Length),
    ];
    for delta in deltas.clone() {
        reader.push(delta, &mut out);
    }
    assert_eq!(out, deltas);
}

#[test]
fn a_stream_that_is_cut_gives_its_text_and_no_finish() {
    let mut reader = TagReader::new(RunTag::named("tool_call"));
    let mut out = Vec::new();
    reader.push(ModelDelta::Text("a <tool".to_owned()), &mut out);
    reader.end(&mut out);
    assert_eq!(out, [ModelDelta::Text("a <tool".to_owned())]);
}

#[test]
fn hostile_texts_cost_no_more_than_their_length() {
    for piece in [
        "`",
        " ",
        "<",
        "[",
        "<tool_call>",
        "<tool_call> ",
        "<tool_call>{",
        "```\n",
        "{\"",
        "a",
        "<parameter=a>",
        "</parameter",
    ] {
        for opening in [
            "",
            "<tool_call><function=a>",
            "<tool_call><function=a><parameter=b>",
            "<tool_call>",
            "<tool_call>x",
            "<tool_call>```",
            "<tool_call>{}",
        ] {
            let mut reader = TagReader::new(RunTag::named("tool_call"));
            let mut out = Vec::new();
            reader.push(ModelDelta::Text(opening.to_owned()), &mut out);
            for _ in 0..5_000 {
                reader.push(ModelDelta::Text(piece.to_owned()), &mut out);
                out.clear();
            }
            reader.end(&mut out);
        }
    }
}

#[test]
fn a_line_too_long_for_a_fence_is_none_however_it_comes() {
    let text = format!("<tool_call>```{}\n[", "\u{fffd}".repeat(21));
    let pieces: Vec<&str> = text.split_inclusive(|_| true).collect();
    assert_eq!(read(pieces), read([text.as_str()]));
}

#[test]
fn a_wall_of_ticks_means_the_same_however_it_comes() {
    let call = "{\"name\":\"a\",\"arguments\":{}}";
    for ticks in 60..140 {
        let wall = "`".repeat(ticks);
        for text in [
            format!("Look.\n{wall}<tool_call>\n{call}\n</tool_call>"),
            format!("<tool_call>{call}{wall}x"),
            format!("<tool_call>{call}\n{wall}\n</tool_call>{wall}"),
        ] {
            let pieces: Vec<&str> = text.split_inclusive(|_| true).collect();
            assert_eq!(read(pieces), read([text.as_str()]), "{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_split_of_a_text_means_the_same(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "<tool_call>", "</tool_call>", "{\"name\":\"a\",\"arguments\":{}}", "{\"name\":\"b\"", "}", "{", "[", "]",
                "```", "```json\n", "```tool_call\n", "\n", " ", "`", "<", "\"", "\\", "ä", "text", "[TOOL_CALLS]",
                "[ARGS]", "[CALL_ID]", "name", "<function=a>", "</function>", "<parameter=b>", "</parameter>",
            ]),
            0..12,
        ),
    ) {
        let text = words.concat();
        let whole = read([text.as_str()]);
        for (at, _) in text.char_indices() {
            let (left, right) = text.split_at(at);
            prop_assert_eq!(&read([left, right]), &whole, "cut at {} of {:?}", at, text);
        }
        let letters: Vec<String> = text.chars().map(String::from).collect();
        prop_assert_eq!(&read(letters.iter().map(String::as_str)), &whole, "letters of {:?}", text);
        if whole.1.is_empty() {
            prop_assert_eq!(&whole.0, &text);
        }
    }
}

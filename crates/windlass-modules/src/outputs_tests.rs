use proptest::prelude::*;
use serde_json::json;

use super::*;

fn module(outputs: Value) -> Module {
    let file = json!({"module_id": "m", "signature": {"inputs": [], "outputs": outputs}});
    Module::parse("m.json", &file.to_string()).unwrap()
}

fn two() -> Module {
    module(json!([{"name": "answer"}, {"name": "score", "field_type": "integer"}]))
}

fn read(module: &Module, text: &str) -> Value {
    Value::Object(read_outputs(module, text).unwrap_or_else(|error| panic!("{text}: {error}")))
}

#[test]
fn every_way_to_write_two_fields_reads_the_same() {
    for text in [
        r#"{"answer": "yes", "score": 7}"#,
        r#"{"score": "7", "answer": "yes", "mood": "good"}"#,
        "```json\n{\"answer\": \"yes\", \"score\": 7}\n```",
        "Here you are:\n```\n{\"answer\": \"yes\", \"score\": 7}\n```\nAnything else?",
        "Sure! {\"answer\": \"yes\", \"score\": 7} I hope that helps.",
        "{'answer': 'yes', 'score': 7,}",
        "Answer: yes\nScore: 7",
        "ANSWER: yes\n\nscore : 7\n",
        "I think so.\nanswer:\nyes\nscore: 7",
        "**Answer:** yes\n**Score**: 7",
        "## Answer: yes\n## Score: 7",
        "[[ ## answer ## ]]\nyes\n\n[[ ## score ## ]]\n7\n",
    ] {
        assert_eq!(read(&two(), text), json!({"answer": "yes", "score": 7}), "{text}");
    }
}

#[test]
fn a_value_goes_on_over_lines_until_the_next_output() {
    let text = "Answer: First: this.\n\n  - and that: too\nAnswer: again\nScore: 7";
    assert_eq!(
        read(&two(), text),
        json!({"answer": "First: this.\n\n  - and that: too\nAnswer: again", "score": 7})
    );
}

#[test]
fn strings_may_hold_what_ends_an_object_elsewhere() {
    let text = r#"{"answer": "use } and ``` freely\nScore: 3", "score": 7}"#;
    assert_eq!(read(&two(), text), json!({"answer": "use } and ``` freely\nScore: 3", "score": 7}));
}

#[test]
fn one_output_may_be_the_whole_text() {
    let one = module(json!([{"name": "answer"}]));
    assert_eq!(read(&one, "Just so.\nIn two lines."), json!({"answer": "Just so.\nIn two lines."}));
    assert_eq!(read(&one, r#"For example {"x": 1}."#), json!({"answer": "For example {\"x\": 1}."}));
    assert_eq!(read(&module(json!([{"name": "n", "field_type": "number"}])), " 4.5\n"), json!({"n": 4.5}));
    let object = module(json!([{"name": "o", "field_type": "object"}]));
    assert_eq!(read(&object, r#"{"x": 1}"#), json!({"o": {"x": 1}}));
    assert_eq!(read(&object, r#"{"o": {"x": 1}}"#), json!({"o": {"x": 1}}));
}

#[test]
fn an_object_that_was_cut_is_no_answer() {
    let one = module(json!([{"name": "answer"}]));
    for cut in ["{", r#"{"answer": "It was the best of"#, r#"{"answer": oops}"#] {
        assert!(read_outputs(&one, cut).is_err(), "{cut}");
    }
    assert_eq!(read(&one, "{x} is a set"), json!({"answer": "{x} is a set"}));
}

#[test]
fn text_for_another_type_is_read_where_nothing_is_lost() {
    let typed = module(json!([
        {"name": "i", "field_type": "integer"}, {"name": "n", "field_type": "number"},
        {"name": "b", "field_type": "boolean"}, {"name": "a", "field_type": "array"},
        {"name": "o", "field_type": "object"}, {"name": "j", "field_type": "json"}, {"name": "s"},
    ]));
    let texts =
        json!({"i": "42", "n": "1.5", "b": "True", "a": "[1]", "o": "{\"x\":1}", "j": "null", "s": 5});
    let values = json!({"i": 42, "n": 1.5, "b": true, "a": [1], "o": {"x": 1}, "j": null, "s": "5"});
    assert_eq!(read(&typed, &texts.to_string()), values);
    let lines = "i: 42\nn: 1.5\nb: false\na: [1]\no: {\n\"x\": 1\n}\nj: 7\ns: 5";
    let values = json!({"i": 42, "n": 1.5, "b": false, "a": [1], "o": {"x": 1}, "j": 7, "s": "5"});
    assert_eq!(read(&typed, lines), values);
    // What would lose something stays text, and the check says so.
    let lossy = json!({"i": "42.5", "n": "much", "b": "1", "a": "1, 2", "o": "x", "j": "7", "s": "5"});
    assert_eq!(read(&typed, &lossy.to_string()), lossy);
}

#[test]
fn r_11_no_call_is_null_however_it_is_said() {
    let tools = json!({"module_id": "m", "tool_enabled": true,
        "signature": {"inputs": [], "outputs": [{"name": "response"}]}});
    let tools = Module::parse("m.json", &tools.to_string()).unwrap();
    for call in
        [json!(null), json!("null"), json!(""), json!("none"), json!(" None "), json!({}), json!("{}")]
    {
        let text = json!({"response": "x", "tool_call": call}).to_string();
        assert_eq!(read(&tools, &text), json!({"response": "x", "tool_call": null}), "{text}");
    }
    assert_eq!(read(&tools, r#"{"response": "x"}"#), json!({"response": "x"}));
    let call = json!({"name": "get_player_gold", "args": {"who": "me"}});
    for said in [call.clone(), json!(call.to_string()), json!(format!("{call:#}"))] {
        let text = json!({"response": "", "tool_call": said}).to_string();
        assert_eq!(read(&tools, &text), json!({"response": "", "tool_call": call}), "{text}");
    }
    let text = format!("Response:\nTool_call: {call:#}\n");
    assert_eq!(read(&tools, &text), json!({"response": "", "tool_call": call}));
}

#[test]
fn nothing_found_is_an_error_that_says_what_is_missing_and_what_there_was() {
    for (text, found) in [("", "nothing"), ("{}", "'{}'"), ("Hm.", "'Hm.'"), (r#"{"x": 1}"#, r#"'{"x": 1}'"#)]
    {
        let error = read_outputs(&two(), text).unwrap_err().to_string();
        assert_eq!(error, format!("Parse error: none of the outputs answer, score is there; found {found}"));
    }
    let error = read_answer(&two(), "Answer: x").unwrap_err().to_string();
    assert!(error.contains("the output 'score' is missing; found answer"), "{error}");
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_and_never_empty(text in "(?s).{0,200}") {
        if let Ok(outputs) = read_outputs(&two(), &text) {
            prop_assert!(!outputs.is_empty());
        }
    }

    // U+FDD0 stands for bytes that were no text, so an object that has it is refused.
    #[test]
    fn what_was_written_as_json_is_read_as_it_was(answer in "[^\u{fdd0}]{0,80}", score in any::<i64>()) {
        let outputs = json!({"answer": answer, "score": score});
        for text in [outputs.to_string(), format!("{outputs:#}"), format!("```json\n{outputs:#}\n```")] {
            prop_assert_eq!(read(&two(), &text), outputs.clone());
        }
    }
}

use serde_json::json;

use super::super::case::read_set;
use super::*;

/// A tool `list` with the default path `.`, and sums of two numbers.
struct Plain;

impl Knowledge for Plain {
    fn complete(&self, name: &str, arguments: &Map<String, Value>) -> Map<String, Value> {
        let mut complete = arguments.clone();
        if name == "list" {
            complete.entry("path").or_insert_with(|| ".".into());
        }
        complete
    }

    fn value_of(&self, expression: &str) -> Option<f64> {
        expression.split('+').map(|number| number.trim().parse::<f64>().ok()).sum()
    }
}

fn made(name: &str, arguments: Value) -> Made {
    let Value::Object(arguments) = arguments else { panic!("no object") };
    let written = Value::Object(arguments.clone()).to_string();
    Made { name: name.into(), written, arguments: Ok(Plain.complete(name, &arguments)) }
}

fn verdict(case: &str, steps: &[Vec<Made>]) -> (bool, bool, bool) {
    let case = read_set(case).unwrap().remove(0);
    let Verdict { is_tool_right, is_call_right, is_all_right } = judge(&case, steps, &Plain);
    (is_tool_right, is_call_right, is_all_right)
}

const READ: &str = r#"{"user":"u","expect":{"name":"read","arguments":{"path":"a.txt"}}}"#;
const LIST: &str = r#"{"user":"u","expect":{"name":"list","arguments":{}}}"#;
const TASK: &str = r#"{"user":"u","expect":{"name":"add","arguments":{"content":"repair the fence"}},"accept":{"content":["Repair","fence"]}}"#;
const SUM: &str =
    r#"{"user":"u","expect":{"name":"sum","arguments":{"terms":"1+2"}},"accept_value":{"terms":3}}"#;
const NOTHING: &str = r#"{"user":"u","expect":null}"#;
const TWO: &str =
    r#"{"user":"u","steps":[{"name":"read","arguments":{"path":"a"}},{"name":"list","arguments":{}}]}"#;

#[test]
fn the_expected_call_is_right() {
    assert_eq!(verdict(READ, &[vec![made("read", json!({"path": "a.txt"}))]]), (true, true, true));
    assert_eq!(verdict(READ, &[vec![made("read", json!({"path": " a.txt\n"}))]]), (true, true, true));
}

#[test]
fn the_right_tool_with_wrong_arguments_is_half_right() {
    for arguments in
        [json!({"path": "b.txt"}), json!({}), json!({"path": "a.txt", "lines": 3}), json!({"path": "A.txt"})]
    {
        assert_eq!(
            verdict(READ, &[vec![made("read", arguments.clone())]]),
            (true, false, false),
            "{arguments}"
        );
    }
}

#[test]
fn another_tool_and_no_tool_are_wrong() {
    assert_eq!(verdict(READ, &[vec![made("list", json!({"path": "a.txt"}))]]), (false, false, false));
    assert_eq!(verdict(READ, &[vec![]]), (false, false, false));
    assert_eq!(verdict(READ, &[]), (false, false, false), "a model that failed");
}

#[test]
fn an_optional_argument_with_its_default_counts_as_left_out() {
    assert_eq!(verdict(LIST, &[vec![made("list", json!({"path": "."}))]]), (true, true, true));
    assert_eq!(verdict(LIST, &[vec![made("list", json!({}))]]), (true, true, true));
    assert_eq!(verdict(LIST, &[vec![made("list", json!({"path": "src"}))]]), (true, false, false));
}

#[test]
fn words_may_stand_in_any_surroundings_and_case() {
    for (content, is_right) in [
        ("repair the fence", true),
        ("please REPAIR the old Fence today", true),
        ("repair the gate", false),
        ("", false),
    ] {
        let verdict = verdict(TASK, &[vec![made("add", json!({"content": content}))]]);
        assert_eq!(verdict, (true, is_right, is_right), "{content}");
    }
}

#[test]
fn an_expression_is_right_by_its_value() {
    for (terms, is_right) in
        [(json!("2 + 1"), true), (json!(3), true), (json!("1+1"), false), (json!("three"), false)]
    {
        let verdict = verdict(SUM, &[vec![made("sum", json!({"terms": terms}))]]);
        assert_eq!(verdict.1, is_right, "{terms}");
    }
}

#[test]
fn the_expression_of_the_calculator_needs_no_value_beside_it() {
    let case = r#"{"user":"u","expect":{"name":"calculate","arguments":{"expression":"0.1+0.2"}}}"#;
    assert!(verdict(case, &[vec![made("calculate", json!({"expression": "0.2+0.1"}))]]).1);
    assert!(verdict(case, &[vec![made("calculate", json!({"expression": "0.3"}))]]).1);
    assert!(!verdict(case, &[vec![made("calculate", json!({"expression": "0.31"}))]]).1);
}

#[test]
fn numbers_are_the_same_however_they_are_written() {
    let case = r#"{"user":"u","expect":{"name":"draw","arguments":{"width":512}}}"#;
    assert!(verdict(case, &[vec![made("draw", json!({"width": 512.0}))]]).1);
    assert!(!verdict(case, &[vec![made("draw", json!({"width": "512"}))]]).1);
}

#[test]
fn a_request_without_a_tool_is_left_alone_or_not() {
    assert_eq!(verdict(NOTHING, &[vec![]]), (true, true, true));
    assert_eq!(verdict(NOTHING, &[vec![made("list", json!({}))]]), (false, false, false));
}

#[test]
fn arguments_that_do_not_fit_the_tool_are_never_right() {
    let broken = Made { arguments: Err("path must be a string".into()), ..made("read", json!({})) };
    assert_eq!(verdict(READ, &[vec![broken]]), (true, false, false));
}

#[test]
fn a_second_call_that_nobody_asked_for_is_wrong() {
    let calls = vec![made("read", json!({"path": "a.txt"})), made("list", json!({}))];
    assert_eq!(verdict(READ, &[calls]), (true, false, false));
}

#[test]
fn two_steps_are_right_one_after_another_or_at_once() {
    let (read, list) = (made("read", json!({"path": "a"})), made("list", json!({})));
    assert_eq!(verdict(TWO, &[vec![read.clone()], vec![list.clone()]]), (true, true, true));
    assert_eq!(verdict(TWO, &[vec![read.clone(), list.clone()]]), (true, true, true));
    assert_eq!(verdict(TWO, &[vec![read.clone()], vec![]]), (true, true, false), "the second is missing");
    assert_eq!(verdict(TWO, &[vec![read.clone()], vec![read.clone()]]), (true, true, false));
    assert_eq!(verdict(TWO, &[vec![list], vec![read]]), (false, false, false), "the wrong order");
}

use serde_json::json;

use super::*;

fn one(text: &str) -> Case {
    read_set(text).unwrap().remove(0)
}

fn wrong(text: &str) -> (usize, String) {
    let BadSet { line, why } = read_set(text).unwrap_err();
    (line, why)
}

#[test]
fn a_case_expects_one_call_with_its_arguments() {
    let case = one(
        r#"{"user":"now in cairo?","expect":{"name":"get_current_time","arguments":{"timezone":"Africa/Cairo"}}}"#,
    );
    assert_eq!((case.line, case.user.as_str()), (1, "now in cairo?"));
    let [step] = case.steps.as_slice() else { panic!("{case:?}") };
    assert_eq!(step.name, "get_current_time");
    assert_eq!(Value::Object(step.arguments.clone()), json!({"timezone": "Africa/Cairo"}));
}

#[test]
fn a_case_may_expect_no_call_at_all_and_say_what_kind_of_answer_is_due() {
    assert_eq!(one(r#"{"user":"hello","expect":null,"kind":"greeting"}"#).steps, []);
}

#[test]
fn a_call_without_arguments_may_leave_them_out() {
    assert!(one(r#"{"user":"load?","expect":{"name":"system_stats"}}"#).steps[0].arguments.is_empty());
}

#[test]
fn words_and_values_belong_to_the_call() {
    let case = one(
        r#"{"user":"fence","expect":{"name":"add_task","arguments":{"content":"repair the fence"}},"accept":{"content":["repair","fence"]}}"#,
    );
    assert_eq!(case.steps[0].words["content"], ["repair", "fence"]);
    let case = one(
        r#"{"user":"2+2","expect":{"name":"calculate","arguments":{"expression":"2+2"}},"accept_value":{"expression":4}}"#,
    );
    assert_eq!(case.steps[0].values["expression"], 4.0);
}

#[test]
fn steps_have_what_is_accepted_at_their_own_place() {
    let case = one(
        r#"{"user":"u","steps":[{"name":"add_task","arguments":{"content":"x y"}},{"name":"calculate","arguments":{"expression":"1"}}],
            "expect":{"name":"add_task","arguments":{"content":"x y"}},"accept":{"content":["x"]},
            "accept_steps":[{"content":["x"]}],"accept_value_steps":[{},{"expression":1}]}"#
            .replace('\n', " ")
            .as_str(),
    );
    assert_eq!(case.steps.len(), 2);
    assert_eq!(case.steps[0].words["content"], ["x"]);
    assert!(case.steps[0].values.is_empty() && case.steps[1].words.is_empty());
    assert_eq!(case.steps[1].values["expression"], 1.0);
}

#[test]
fn empty_lines_are_no_cases_and_lines_keep_their_numbers() {
    let cases = read_set("\n{\"user\":\"a\",\"expect\":null}\n\n{\"user\":\"b\",\"expect\":null}\n").unwrap();
    assert_eq!(cases.iter().map(|case| case.line).collect::<Vec<_>>(), [2, 4]);
}

#[test]
fn fields_that_nobody_asked_for_do_no_harm() {
    assert_eq!(one(r#"{"user":"a","expect":null,"note":"from a friend"}"#).user, "a");
}

#[test]
fn what_cannot_be_read_is_told_with_its_line() {
    for (text, line, word) in [
        ("", 0, "no case"),
        ("{\"user\":\"a\",\"expect\":null}\n{\"user\"", 2, "EOF"),
        ("[1]", 1, "invalid type"),
        (r#"{"expect":null}"#, 1, "user"),
        (r#"{"user":" ","expect":null}"#, 1, "says nothing"),
        (r#"{"user":"a"}"#, 1, "'expect' is missing"),
        (r#"{"user":"a","expect":{"arguments":{}}}"#, 1, "name"),
        (r#"{"user":"a","expect":{"name":""}}"#, 1, "without a name"),
        (r#"{"user":"a","expect":{"name":"x"},"accept":{"y":["z"]}}"#, 1, "'y' is accepted"),
        (r#"{"user":"a","steps":[{"name":"x"}],"accept_steps":[{},{}]}"#, 1, "2 entries for 1 steps"),
    ] {
        let (at, why) = wrong(text);
        assert_eq!(at, line, "{text}: {why}");
        assert!(why.contains(word), "{text}: {why}");
    }
}

use serde_json::json;

use super::*;

const BYTES_MAX: usize = 1_000;

fn outputs() -> Value {
    json!([
        {"results": [{"url": "http://a/", "n": 1}, {"url": "http://b/"}], "a/b": {"~": true}},
        "plain text",
        {"$ref": "call_2"},
    ])
}

fn resolve(args: &Value) -> Result<Value, RefFailure> {
    let outputs = outputs();
    resolve_refs(args, BYTES_MAX, |call_id| match call_id {
        "call_1" => RefTarget::Output(&outputs[0]),
        "call_2" => RefTarget::Output(&outputs[1]),
        "call_3" => RefTarget::Output(&outputs[2]),
        "call_4" => RefTarget::Failed("timed out after 30 s".to_owned()),
        "call_5" => RefTarget::Pending,
        _ => RefTarget::Unknown,
    })
}

fn refusal(args: &Value) -> String {
    resolve(args).expect_err("refused").to_string()
}

#[test]
fn references_are_replaced_wherever_they_stand() {
    let args = json!({
        "url": {"$ref": "call_1", "path": "/results/1/url"},
        "list": [1, {"deep": {"$ref": "call_2"}}, {"$ref": "call_1", "path": "/a~1b/~0"}],
        "same": {"$ref": "call_2", "path": ""},
    });
    let resolved = json!({
        "url": "http://b/",
        "list": [1, {"deep": "plain text"}, true],
        "same": "plain text",
    });
    assert_eq!(resolve(&args), Ok(resolved));
    assert_eq!(resolve(&json!({"$ref": "call_2"})), Ok(json!("plain text")));
}

#[test]
fn arguments_without_references_stay_as_they_are() {
    for args in [
        json!({"a": 1, "b": [null, {"path": "/x"}]}),
        json!({"$ref": "call_1", "path": "/results", "note": "three keys"}),
        json!({"$ref": "call_1", "note": "another key"}),
        json!({"schema": {"$ref": "#/$defs/step"}}),
        json!({"$ref": 2}),
        json!({"$ref": ""}),
        json!({"$ref": "x".repeat(129)}),
    ] {
        assert_eq!(resolve(&args), Ok(args.clone()));
        assert_eq!(collect_refs(&args), Vec::<String>::new());
    }
}

#[test]
fn what_an_output_contains_is_not_resolved_again() {
    assert_eq!(resolve(&json!({"a": {"$ref": "call_3"}})), Ok(json!({"a": {"$ref": "call_2"}})));
}

#[test]
fn the_calls_referred_to_are_listed_once_in_order() {
    let args = json!({"b": {"$ref": "call_2"}, "a": [{"$ref": "call_1", "path": "/x"}, {"$ref": "call_2"}]});
    assert_eq!(collect_refs(&args), ["call_2", "call_1"]);
}

#[test]
fn a_reference_to_no_output_says_why() {
    assert_eq!(
        refusal(&json!({"a": [{"$ref": "call_9"}]})),
        "arguments/a/0: there is no earlier call \"call_9\""
    );
    assert_eq!(
        refusal(&json!({"a": {"$ref": "call_4"}})),
        "arguments/a: call \"call_4\" has no output, it failed: timed out after 30 s"
    );
    assert_eq!(
        refusal(&json!({"a/b": {"$ref": "call_5"}})),
        "arguments/a~1b: call \"call_5\" has no outcome yet; refer to it in the next step"
    );
}

#[test]
fn a_path_that_leads_nowhere_says_how_far_it_led_and_what_is_there() {
    let path = |path: &str| json!({"u": {"$ref": "call_1", "path": path}});
    assert_eq!(
        refusal(&path("/result/0")),
        "arguments/u: the output of \"call_1\" has no \"/result/0\"; at its top there is an object with the keys \
         results, a/b, without \"result\""
    );
    assert!(
        refusal(&path("/results/2/url"))
            .ends_with("at \"/results\" there is an array of 2 items, without \"2\"")
    );
    assert!(
        refusal(&path("/results/0/url/x"))
            .ends_with("at \"/results/0/url\" there is a string, without \"x\"")
    );
    assert!(refusal(&path("/results/01")).contains("array of 2 items"));
    assert!(refusal(&path("/a~1b/x")).contains("with the keys ~, without"));
    assert_eq!(
        refusal(&path("results/0")),
        "arguments/u: the path of a reference must be a JSON pointer such as \"/0/url\", not \"results/0\""
    );
    assert!(matches!(
        resolve(&json!({"$ref": "call_1", "path": 0})),
        Err(RefFailure::BadPath { path, .. }) if path == "0"
    ));
}

#[test]
fn an_object_with_many_keys_is_described_in_few_words() {
    let wide: Value = (0..10_000).map(|n| (format!("key_{n}"), Value::Null)).collect::<Map<_, _>>().into();
    let failure = resolve_refs(&json!({"$ref": "c", "path": "/x"}), BYTES_MAX, |_| RefTarget::Output(&wide));
    assert!(failure.unwrap_err().to_string().chars().count() < 300);
}

#[test]
fn the_number_of_references_has_a_limit() {
    let many = |count: usize| Value::from(vec![json!({"$ref": "call_1", "path": "/results/0/n"}); count]);
    assert_eq!(resolve(&many(REFS_MAX)), Ok(Value::from(vec![1; REFS_MAX])));
    assert_eq!(resolve(&many(REFS_MAX + 1)), Err(RefFailure::TooMany { refs_max: REFS_MAX }));
}

#[test]
fn the_bytes_brought_in_have_a_limit() {
    let output = json!("x".repeat(98));
    let many = |count: usize| Value::from(vec![json!({"$ref": "call_1"}); count]);
    let resolve = |args: &Value| resolve_refs(args, BYTES_MAX, |_| RefTarget::Output(&output));
    assert!(resolve(&many(10)).is_ok());
    let failure = resolve(&many(11)).unwrap_err();
    assert_eq!(
        failure.to_string(),
        "arguments/10: with this reference the arguments have more than 1000 bytes; refer to a smaller part"
    );
}

//! What outputs are worth.

use serde_json::json;

use super::*;

fn fields(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn worth(metric: &str, expected: Value, actual: Value) -> f64 {
    let metric: Metric = metric.parse().unwrap();
    metric.score(&fields(expected), &fields(actual)).unwrap().value
}

#[test]
fn exact_wants_every_expected_output_and_forgives_space_around_it_and_other_outputs() {
    assert_eq!(worth("exact", json!({"a": "yes"}), json!({"a": " yes\n", "reasoning": "…"})), 1.0);
    assert_eq!(worth("exact", json!({"a": "yes"}), json!({"a": "Yes"})), 0.0);
    assert_eq!(worth("exact", json!({"a": 1}), json!({"a": 1.0})), 1.0);
    assert_eq!(worth("exact", json!({"a": "x", "b": 2}), json!({"a": "x"})), 0.0);
}

#[test]
fn contains_finds_words_in_any_case_and_all_words_of_a_list() {
    assert_eq!(worth("contains", json!({"a": "gold"}), json!({"a": "You have 500 GOLD coins."})), 1.0);
    assert_eq!(worth("contains", json!({"a": 500}), json!({"a": "You have 500 gold coins."})), 1.0);
    assert_eq!(worth("contains", json!({"a": ["gold", "silver"]}), json!({"a": "gold"})), 0.0);
}

#[test]
fn json_counts_leaves_that_are_right_and_reads_text_that_holds_json() {
    let expected = json!({"a": {"x": 1, "y": [1, 2]}});
    assert_eq!(worth("json", expected.clone(), json!({"a": {"y": [1, 2], "x": 1.0, "z": 9}})), 1.0);
    assert_eq!(worth("json", expected.clone(), json!({"a": "{\"x\": 1, \"y\": [1, 2]}"})), 1.0);
    assert_eq!(worth("json", expected.clone(), json!({"a": {"x": 2, "y": [1, 2]}})), 2.0 / 3.0);
    assert_eq!(worth("json", expected, json!({"a": {"x": 1, "y": [1, 2, 3]}})), 3.0 / 4.0);
}

#[test]
fn a_miss_says_which_output_what_was_expected_and_what_came() {
    let score = Metric::Exact.score(&fields(json!({"a": 1})), &fields(json!({"a": 2}))).unwrap();
    assert_eq!(score.why.as_deref(), Some("a: expected 1, got 2"));
}

#[test]
fn words_of_metrics_are_read_and_written_alike_and_others_refused() {
    for word in ["exact", "contains", "json", "module:judge.tone"] {
        assert_eq!(word.parse::<Metric>().unwrap().to_string(), word);
    }
    assert!("module:".parse::<Metric>().is_err());
    assert!("fuzzy".parse::<Metric>().unwrap_err().contains("contains"));
}

fn judge(inputs: Value, outputs: Value) -> Module {
    serde_json::from_value(json!({"module_id": "judge", "signature": {"inputs": inputs, "outputs": outputs}}))
        .unwrap()
}

#[test]
fn a_judge_gets_what_it_asks_for_as_it_asks_for_it() {
    let judge = judge(
        json!([{"name": "actual"}, {"name": "expected", "field_type": "object"}, {"name": "mail"}]),
        json!([{"name": "score", "field_type": "number"}]),
    );
    let (inputs, expected) = (fields(json!({"mail": "hi"})), fields(json!({"a": 1})));
    let given = judge_inputs(&judge, &inputs, &expected, &fields(json!({"a": 2}))).unwrap();
    assert_eq!(Value::Object(given), json!({"actual": "{\"a\":2}", "expected": {"a": 1}, "mail": "hi"}));
}

#[test]
fn a_module_that_cannot_judge_is_told_why() {
    let none = Map::new();
    let mute = judge(json!([]), json!([{"name": "verdict"}]));
    assert!(judge_inputs(&mute, &none, &none, &none).unwrap_err().to_string().contains("'score'"));
    let greedy = judge(json!([{"name": "weather"}]), json!([{"name": "score"}]));
    let error = judge_inputs(&greedy, &none, &none, &none).unwrap_err().to_string();
    assert!(error.contains("'weather'") && error.contains("inputs, expected, actual"), "{error}");
}

#[test]
fn a_verdict_is_a_number_from_nought_to_one_or_a_truth() {
    let read = |value: Value| read_verdict(&fields(json!({"score": value, "reason": "dull"})));
    assert_eq!(read(json!(true)).unwrap(), Score::whole());
    assert_eq!(read(json!("0.5")).unwrap(), Score { value: 0.5, why: Some("dull".to_owned()) });
    assert!(read(json!(7)).is_err());
    assert!(read(json!("good")).is_err());
    assert!(read_verdict(&Map::new()).is_err());
}

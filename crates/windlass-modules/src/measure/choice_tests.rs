//! Examples, chosen.

use serde_json::json;

use super::*;

fn module(predictor: &str) -> Module {
    serde_json::from_value(json!({
        "module_id": "m", "predictor_type": predictor,
        "signature": {"inputs": [{"name": "q"}], "outputs": [{"name": "a"}]},
    }))
    .unwrap()
}

fn passed(question: &str) -> PassedCase {
    let fields = |value: Value| value.as_object().unwrap().clone();
    PassedCase {
        inputs: fields(json!({"q": question})),
        outputs: fields(json!({"a": "x", "reasoning": "so", "tool_call": null})),
    }
}

fn questions(demos: &[Demo]) -> Vec<&str> {
    demos.iter().map(|demo| demo.inputs["q"].as_str().unwrap()).collect()
}

#[test]
fn a_case_never_teaches_and_judges_unless_there_are_too_few() {
    let case = |line| ModuleCase { line, inputs: Map::new(), outputs: Map::new() };
    let split = split_cases(&(1..=5).map(case).collect::<Vec<_>>());
    assert_eq!(split.teaching.iter().map(|case| case.line).collect::<Vec<_>>(), [1, 3, 5]);
    assert_eq!(split.judging.iter().map(|case| case.line).collect::<Vec<_>>(), [2, 4]);
    let few = split_cases(&[case(1), case(2)]);
    assert_eq!((few.teaching.len(), few.judging.len()), (2, 2));
}

#[test]
fn examples_differ_from_each_other_as_much_as_they_can() {
    let cases = [passed("red apple pie"), passed("red apple tart"), passed("blue whale song")];
    let sets = choose_demos(&module("predict"), &cases, 2);
    assert_eq!(questions(&sets[0]), ["red apple pie", "blue whale song"]);
    assert!(sets.iter().any(|set| questions(set) == ["red apple pie", "red apple tart"]));
    assert_eq!(sets, choose_demos(&module("predict"), &cases, 2), "the same cases give the same sets");
}

#[test]
fn examples_have_fields_of_the_signature_and_reasoning_where_the_module_reasons() {
    let names = |predictor: &str| {
        let sets = choose_demos(&module(predictor), &[passed("q")], 3);
        sets[0][0].outputs.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(names("predict"), ["a"]);
    assert_eq!(names("chain_of_thought"), ["a", "reasoning"]);
}

#[test]
fn without_a_case_that_passed_there_is_nothing_to_try() {
    assert!(choose_demos(&module("predict"), &[], 4).is_empty());
    assert!(choose_demos(&module("predict"), &[passed("q")], 0).is_empty());
}

//! Instructions, proposed.

use super::*;

fn module() -> Module {
    Module { module_id: "m".to_owned(), instruction: "Answer.".to_owned(), ..proposer() }
}

#[test]
fn who_proposes_sees_the_instruction_and_a_few_misses() {
    let miss = Measured {
        line: 1,
        score: 0.0,
        is_passed: false,
        why: Some("a: expected 1, got 2".to_owned()),
        outputs: None,
        run_id: None,
        elapsed_ms: 0,
    };
    let given = proposal_inputs(&module(), &vec![miss; 9], &["Earlier.".to_owned()]);
    assert_eq!(given["instruction"], "Answer.");
    assert_eq!(given["misses"].as_array().unwrap().len(), MISSES_MAX);
    let names: Vec<String> = proposer().signature.inputs.iter().map(|field| field.name.clone()).collect();
    assert!(names.iter().all(|name| given.contains_key(name)), "{given:?}");
}

#[test]
fn the_same_instruction_again_is_no_proposal() {
    let read = |text: &str| read_proposal(&module(), json!({"instruction": text}).as_object().unwrap());
    assert_eq!(read(" Answer. "), None);
    assert_eq!(read(""), None);
    assert_eq!(read("Answer briefly.").as_deref(), Some("Answer briefly."));
}

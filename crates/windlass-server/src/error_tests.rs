use serde_json::Value;

use super::*;

fn shown(problem: Problem) -> (u16, Value) {
    let document = json!(problem.document());
    (problem.into_response().status().as_u16(), document)
}

#[test]
fn every_host_error_is_a_problem_with_a_stable_code() {
    let errors = [
        (HostError::Missing { what: "run", id: "x".into() }, 404, "run_not_found"),
        (HostError::Invalid { field: Some("model"), message: "no".into() }, 400, "invalid_request"),
        (HostError::Busy("r".into()), 409, "run_goes_on"),
        (HostError::Held("process 4".into()), 409, "session_held"),
        (HostError::Stale("late".into()), 409, "question_stale"),
        (HostError::Conflict("ended".into()), 409, "conflict"),
        (HostError::Overloaded { message: "full".into(), retry_after_ms: 1_500 }, 503, "overloaded"),
        (HostError::Closing, 503, "closing"),
        (HostError::Broken("disk".into()), 500, "internal"),
    ];
    for (error, status, code) in errors {
        let (found, document) = shown(error.into());
        assert_eq!((found, document["code"].as_str()), (status, Some(code)));
        assert_eq!(document["status"], status);
        assert!(!document["detail"].as_str().unwrap().is_empty());
    }
}

#[test]
fn a_program_reads_what_a_problem_is_about() {
    let about = |error: HostError| shown(error.into()).1["subject"].clone();
    assert_eq!(about(HostError::Missing { what: "run", id: "x".into() }), "x");
    assert_eq!(about(HostError::Busy("r".into())), "r");
    assert_eq!(about(HostError::Held("process 4".into())), "process 4");
    assert_eq!(about(HostError::Closing), Value::Null);
}

#[test]
fn what_broke_inside_is_not_told() {
    let (_, document) = shown(HostError::Broken("/secret/place".into()).into());
    assert!(!document.to_string().contains("secret"));
}

#[test]
fn a_wait_is_told_in_whole_seconds() {
    let problem: Problem = HostError::Overloaded { message: "full".into(), retry_after_ms: 1_500 }.into();
    assert_eq!(problem.into_response().headers()[header::RETRY_AFTER], "2");
}

#[test]
fn wrong_data_names_its_field() {
    let problem = wrong_data(
        "Failed to deserialize the JSON body into the target type: answers[0].decision: invalid type",
    );
    assert_eq!(problem.wrong_field(), Some("answers[0].decision"));
    let problem = wrong_data("Failed to deserialize: missing field `message` at line 1 column 2");
    assert_eq!(problem.wrong_field(), None);
    assert!(problem.detail().contains("message"), "{problem:?}");
}

use super::*;

#[test]
fn calls_have_no_content_beside_them_unless_something_was_said() {
    let head = CompletionHead { id: "x".into(), created_s: 1, model: "m".into(), has_usage_chunk: false };
    let call = HandedCall { id: "c".into(), name: "look".into(), arguments: "{}".into() };
    let mut whole = WholeCompletion { calls: vec![call], finish: "tool_calls", ..WholeCompletion::default() };
    let message =
        |whole: &WholeCompletion| json!(head.completion(whole.clone()))["choices"][0]["message"].clone();
    assert_eq!(message(&whole)["content"], Value::Null);
    whole.text = "Well.".into();
    assert_eq!(message(&whole)["content"], "Well.");
    whole = WholeCompletion { finish: "stop", ..WholeCompletion::default() };
    assert_eq!(message(&whole)["content"], "", "an empty answer is still an answer");
}

#[test]
fn a_stream_ends_with_its_reason_its_counts_and_done() {
    let mut head = CompletionHead { id: "x".into(), created_s: 1, model: "m".into(), has_usage_chunk: true };
    let end = head.end("stop", &Usage { input: 2, output: 3, ..Usage::default() });
    let frames: Vec<&str> = end.split("\n\n").collect();
    assert!(
        frames[0].contains("\"finish_reason\":\"stop\"") && frames[0].ends_with("\"usage\":null}"),
        "{end}"
    );
    assert!(frames[1].contains("\"choices\":[]") && frames[1].contains("\"total_tokens\":5"), "{end}");
    assert_eq!(frames[2], "data: [DONE]");
    head.has_usage_chunk = false;
    assert!(!head.end("stop", &Usage::default()).contains("usage"));
}

#[test]
fn reasons_have_openais_words() {
    assert_eq!(finish_of_step(&Finish::Stop, true), "tool_calls", "calls present are calls");
    assert_eq!(finish_of_step(&Finish::Length, true), "length");
    assert_eq!(finish_of_step(&Finish::Filtered, false), "content_filter");
    assert_eq!(finish_of_run(RunOutcome::LimitReached, &StopReason::AnswerCut), "length");
    assert_eq!(finish_of_run(RunOutcome::LimitReached, &StopReason::StepsMax), "stop");
}

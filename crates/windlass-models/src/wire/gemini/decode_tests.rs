use std::sync::Arc;

use serde_json::json;
use windlass_core::protocol::message::{Part, Reasoning, text_of};
use windlass_core::protocol::model::ModelStep;
use windlass_core::protocol::tool::RawArgs;

use super::*;
use crate::WireKind;
use crate::wire::responses::recording::{events, play, recorded, step, target};

const NAME: &str = "gemini/gemini-3-pro";

fn fresh() -> Box<dyn Decode> {
    decoder(Arc::new(target(WireKind::Gemini, "gemini", "gemini-3-pro")))
}

fn step_of(fixture: &str) -> ModelStep {
    let (deltas, failure) = play(fresh(), &recorded(fixture));
    assert_eq!(failure, None, "{fixture}");
    step(NAME, deltas)
}

fn failure_of(fixture: &str) -> ModelFailure {
    play(fresh(), &recorded(fixture)).1.unwrap_or_else(|| panic!("{fixture} must fail"))
}

fn args(step: &ModelStep) -> Vec<Value> {
    step.calls.iter().map(|call| serde_json::from_str(&call.args.to_text()).unwrap()).collect()
}

fn reason_alone(reason: &str) -> String {
    json!({"candidates": [{"content": {"parts": [{"text": "Hm"}]}, "finishReason": reason}]}).to_string()
}

#[test]
fn text_comes_out_chunk_by_chunk() {
    let mut decoder = fresh();
    let mut deltas = Vec::new();
    let all = events(&recorded("gemini/text.sse"));
    decoder.frame(None, &all[0].1, &mut deltas).unwrap();
    assert!(deltas.contains(&ModelDelta::Text("Lisbon is".into())), "long before the end");
    assert_eq!(text_of(&step_of("gemini/text.sse").parts), "Lisbon is sunny, 21 °C.");
}

#[test]
fn gemini_4_candidates_exclude_thoughts_and_output_is_both() {
    let usage = step_of("gemini/call.sse").usage.unwrap();
    assert_eq!((usage.input, usage.cached, usage.output, usage.reasoning), (40, 16, 32, 12));
}

#[test]
fn thoughts_are_thinking_and_no_text() {
    let step = step_of("gemini/reasoning.sse");
    assert_eq!(
        step.parts.first(),
        Some(&Part::Reasoning(Reasoning {
            text: "**Weighing** the cities.".into(),
            opaque: None,
            model: Some(NAME.into())
        }))
    );
    assert_eq!(text_of(&step.parts), "Go to Lisbon.");
    assert_eq!(step.finish, Finish::Stop);
}

#[test]
fn gemini_4_a_signature_on_an_empty_text_part_is_kept() {
    let step = step_of("gemini/reasoning.sse");
    let Some(Part::Reasoning(last)) = step.parts.last() else { panic!("{:?}", step.parts) };
    assert_eq!(last.opaque, Some(json!({"on": "nothing", "signature": "EpoBCpcB/end+of/text=="})));
}

#[test]
fn gemini_4_arguments_are_an_object() {
    let step = step_of("gemini/call.sse");
    assert!(matches!(step.calls[0].args, RawArgs::Value(Value::Object(_))));
    assert_eq!(step.calls[0].state.as_ref().unwrap().value, json!({"signature": "Q2FsbE9uZQ+/"}));
    assert_eq!(step.calls[0].provider_id, None);
}

#[test]
fn r_53_numbers_flags_objects_and_lists_survive_as_arguments() {
    let expected =
        json!({"city": "Lisbon", "days": 2, "units": {"wind": true}, "hours": [6, 18], "ratio": 0.5});
    assert_eq!(args(&step_of("gemini/call.sse")), [expected]);
}

#[test]
fn r_26_text_before_a_call_stands_before_it() {
    let step = step_of("gemini/call.sse");
    assert_eq!(text_of(&step.parts), "Let me look.");
    assert_eq!(step.calls[0].after_parts, 2);
}

#[test]
fn gemini_4_two_calls_of_one_tool_are_two() {
    let step = step_of("gemini/parallel.sse");
    assert_eq!(args(&step), [json!({"city": "Lisbon"}), json!({"city": "Porto"})]);
    assert_eq!(step.calls[1].state, None, "only the first is signed");
}

#[test]
fn r_22_no_arguments_are_an_empty_object() {
    assert_eq!(args(&step_of("gemini/no_args.sse")), [json!({}), json!({})]);
}

#[test]
fn arguments_as_text_are_taken_too() {
    let mut deltas = Vec::new();
    let call = json!({"functionCall": {"name": "f", "args": "{\"a\":1}"}});
    let body = json!({"candidates": [{"content": {"parts": [call]}, "finishReason": "STOP"}]});
    fresh().whole(&body.to_string(), &mut deltas).unwrap();
    assert_eq!(args(&step(NAME, deltas)), [json!({"a": 1})]);
}

#[test]
fn gemini_4_finish_is_stop_even_with_calls() {
    assert!(recorded("gemini/call.sse").contains("\"STOP\""));
    assert_eq!(step_of("gemini/call.sse").finish, Finish::Calls);
    assert_eq!(
        step_of("gemini/function_call_finish.sse").finish,
        Finish::Calls,
        "a word that some servers say"
    );
}

#[test]
fn gemini_4_stop_in_the_middle_ends_nothing() {
    let all = events(&recorded("gemini/stop_in_the_middle.sse"));
    let mut decoder = fresh();
    let mut deltas = Vec::new();
    for (event, payload) in &all {
        decoder.frame(event.as_deref(), payload, &mut deltas).unwrap();
        assert!(!decoder.is_over());
        assert!(!deltas.iter().any(|delta| matches!(delta, ModelDelta::Finish(_))));
    }
    decoder.end(&mut deltas).unwrap();
    assert!(decoder.is_over());
    assert_eq!(deltas.last(), Some(&ModelDelta::Finish(Finish::Stop)));
    assert_eq!(text_of(&step(NAME, deltas).parts), "Searching. Found it.");
}

#[test]
fn answers_that_were_stopped_say_why() {
    let step = step_of("gemini/max_tokens.sse");
    assert_eq!((text_of(&step.parts).as_str(), step.finish), ("It begins", Finish::Length));
    let step = step_of("gemini/safety.sse");
    assert_eq!((text_of(&step.parts).as_str(), step.finish), ("The recipe", Finish::Filtered));
    for reason in ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"] {
        let mut deltas = Vec::new();
        fresh().whole(&reason_alone(reason), &mut deltas).unwrap();
        assert_eq!(deltas.last(), Some(&ModelDelta::Finish(Finish::Filtered)), "{reason}");
    }
    let mut deltas = Vec::new();
    fresh().whole(&reason_alone("LANGUAGE"), &mut deltas).unwrap();
    assert_eq!(deltas.last(), Some(&ModelDelta::Finish(Finish::Other("LANGUAGE".into()))));
}

#[test]
fn an_answer_that_was_withheld_from_its_first_word_is_a_failure() {
    for fixture in ["gemini/safety_at_once.sse", "gemini/blocked_prompt.sse"] {
        let failure = failure_of(fixture);
        assert_eq!((failure.kind.word(), failure.is_retryable), ("filtered", false), "{fixture}");
        assert!(failure.message.contains("PROHIBITED_CONTENT"), "{failure}");
    }
}

#[test]
fn gemini_4_malformed_function_call_reasons_are_failures_and_no_ends() {
    let failure = failure_of("gemini/malformed_call.sse");
    assert_eq!((failure.kind.word(), failure.is_retryable), ("malformed", true));
    assert!(failure.message.contains("MALFORMED_FUNCTION_CALL"), "{failure}");
    assert!(failure.detail.unwrap().contains("get_weather"));
    for (reason, code, is_retryable) in [
        ("UNEXPECTED_TOOL_CALL", "malformed", true),
        ("TOO_MANY_TOOL_CALLS", "bad_request", false),
        ("MISSING_THOUGHT_SIGNATURE", "bad_request", false),
    ] {
        let failure = fresh().whole(&reason_alone(reason), &mut Vec::new()).unwrap_err();
        assert_eq!((failure.kind.word(), failure.is_retryable), (code, is_retryable), "{reason}");
        assert!(failure.message.contains(reason), "{failure}");
    }
}

#[test]
fn r_62_an_error_in_the_place_of_an_answer_is_told() {
    assert!(failure_of("gemini/error.sse").message.contains("overloaded"));
    let failure = fresh().whole(&recorded("gemini/whole_error.json"), &mut Vec::new()).unwrap_err();
    assert!(failure.message.contains("thought_signature"), "{failure}");
}

#[test]
fn a_cut_stream_has_no_finish_wherever_it_was_cut() {
    for fixture in ["text", "reasoning", "call", "parallel", "cut"] {
        let all = events(&recorded(&format!("gemini/{fixture}.sse")));
        for kept in 0..=all.len() {
            let mut decoder = fresh();
            let mut deltas = Vec::new();
            for (event, payload) in all.iter().take(kept) {
                decoder.frame(event.as_deref(), payload, &mut deltas).unwrap();
            }
            decoder.end(&mut deltas).unwrap();
            let is_finished = deltas.iter().any(|delta| matches!(delta, ModelDelta::Finish(_)));
            assert_eq!(is_finished, kept == all.len() && fixture != "cut", "{fixture} after {kept} chunks");
        }
    }
}

#[test]
fn r_32_a_payload_that_cannot_be_read_is_a_failure() {
    for payload in ["{\"candidates\":[{\"content\":", "nonsense", "[1]"] {
        let failure = fresh().frame(None, payload, &mut Vec::new()).unwrap_err();
        assert_eq!(failure.kind.word(), "malformed", "{payload}");
    }
}

#[test]
fn an_answer_that_was_not_streamed_is_the_same_answer() {
    let whole = |name: &str| {
        let mut deltas = Vec::new();
        let mut decoder = fresh();
        decoder.whole(&recorded(name), &mut deltas).unwrap();
        assert!(decoder.is_over());
        step(NAME, deltas)
    };
    let step = whole("gemini/whole.json");
    assert_eq!(text_of(&step.parts), "Go to Lisbon.");
    assert_eq!((step.calls.len(), &step.finish), (1, &Finish::Calls));
    assert_eq!(step, whole("gemini/array.json"), "a stream that is one list");
}

#[test]
fn parts_and_members_that_nobody_knows_are_passed_over() {
    let mut deltas = Vec::new();
    let mut decoder = fresh();
    let parts = json!([{"executableCode": {"code": "1"}}, {"text": "Hi", "future": {"a": 1}}, {}]);
    let chunk = json!({"candidates": [{"content": {"parts": parts}, "groundingMetadata": {}}], "new": 1});
    decoder.frame(None, &chunk.to_string(), &mut deltas).unwrap();
    decoder.frame(None, "{}", &mut deltas).unwrap();
    decoder.frame(None, r#"{"candidates":[{"finishReason":"STOP"}]}"#, &mut deltas).unwrap();
    decoder.frame(None, "[DONE]", &mut deltas).unwrap();
    decoder.end(&mut deltas).unwrap();
    assert_eq!(deltas, [ModelDelta::Text("Hi".into()), ModelDelta::Finish(Finish::Stop)]);
}

#[test]
fn payloads_cut_anywhere_are_failures_and_no_finish() {
    for fixture in ["call", "parallel", "signed_text", "safety"] {
        for (event, payload) in events(&recorded(&format!("gemini/{fixture}.sse"))) {
            for at in (1..payload.len()).filter(|at| payload.is_char_boundary(*at)) {
                let mut deltas = Vec::new();
                let failure = fresh().frame(event.as_deref(), &payload[..at], &mut deltas);
                assert!(failure.is_err() && deltas.is_empty(), "{}", &payload[..at]);
            }
        }
    }
}

#[test]
fn gemini_4_a_signature_on_a_part_of_its_own_is_kept() {
    let mut deltas = Vec::new();
    let chunk = json!({"candidates": [{"content": {"parts": [{"thoughtSignature": "QQ=="}]}}]});
    fresh().frame(None, &chunk.to_string(), &mut deltas).unwrap();
    assert_eq!(deltas, [ModelDelta::ReasoningState(json!({"on": "nothing", "signature": "QQ=="}))]);
}

#[test]
fn an_answer_of_endless_calls_is_a_failure() {
    let parts = vec![json!({"functionCall": {"name": "f"}}); ITEMS_MAX + 1];
    let chunk = json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]});
    let failure = fresh().whole(&chunk.to_string(), &mut Vec::new()).unwrap_err();
    assert_eq!(failure.kind.word(), "malformed");
}

proptest::proptest! {
    #[test]
    fn chunks_in_any_order_and_number_finish_at_most_once(picks in proptest::collection::vec(0..500_usize, 0..20)) {
        let names = ["text", "reasoning", "signed_text", "call", "parallel", "safety", "error", "no_args"];
        let all: Vec<_> =
            names.iter().flat_map(|name| events(&recorded(&format!("gemini/{name}.sse")))).collect();
        let mut decoder = fresh();
        let mut deltas = Vec::new();
        let mut is_broken = false;
        for pick in picks {
            let (event, payload) = &all[pick % all.len()];
            is_broken |= decoder.frame(event.as_deref(), payload, &mut deltas).is_err();
        }
        if !is_broken {
            drop(decoder.end(&mut deltas));
        }
        let finishes = deltas.iter().filter(|delta| matches!(delta, ModelDelta::Finish(_))).count();
        proptest::prop_assert!(finishes <= 1);
        proptest::prop_assert!(finishes == 0 || matches!(deltas.last(), Some(ModelDelta::Finish(_))));
    }
}

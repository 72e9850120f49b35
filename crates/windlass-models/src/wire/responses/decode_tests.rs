use std::sync::Arc;

use serde_json::json;
use windlass_core::protocol::message::{Part, Reasoning};
use windlass_core::protocol::model::ModelStep;
use windlass_core::protocol::tool::RawArgs;

use super::super::recording::{events, play, recorded, step, target};
use super::*;
use crate::WireKind;

const NAME: &str = "openai/gpt-5.5";

fn fresh() -> Box<dyn Decode> {
    decoder(Arc::new(target(WireKind::Responses, "openai", "gpt-5.5")))
}

fn step_of(fixture: &str) -> ModelStep {
    let (deltas, failure) = play(fresh(), &recorded(fixture));
    assert_eq!(failure, None, "{fixture}");
    step(NAME, deltas)
}

fn failure_of(fixture: &str) -> ModelFailure {
    play(fresh(), &recorded(fixture)).1.unwrap_or_else(|| panic!("{fixture} must fail"))
}

/// Plays events that are written in a test.
fn play_values(values: &[Value]) -> (Vec<ModelDelta>, Option<ModelFailure>) {
    let stream: String = values.iter().map(|value| format!("data: {value}\n\n")).collect();
    play(fresh(), &stream)
}

fn texts(deltas: &[ModelDelta]) -> Vec<&str> {
    let mut texts = Vec::new();
    for delta in deltas {
        if let ModelDelta::Text(text) = delta {
            texts.push(text.as_str());
        }
    }
    texts
}

fn thinking(step: &ModelStep) -> Vec<&Reasoning> {
    let mut found = Vec::new();
    for part in &step.parts {
        if let Part::Reasoning(reasoning) = part {
            found.push(reasoning);
        }
    }
    found
}

fn args(step: &ModelStep) -> Vec<Value> {
    step.calls.iter().map(|call| serde_json::from_str(&call.args.to_text()).unwrap()).collect()
}

fn text_of(step: &ModelStep) -> String {
    windlass_core::protocol::message::text_of(&step.parts)
}

#[test]
fn text_comes_out_event_by_event() {
    let (deltas, failure) = play(fresh(), &recorded("responses/text.sse"));
    assert_eq!(failure, None);
    assert_eq!(texts(&deltas), ["Lisbon is", " sunny,", " 21 °C."]);
    let mut decoder = fresh();
    let mut first = Vec::new();
    for (event, payload) in events(&recorded("responses/text.sse")) {
        decoder.frame(event.as_deref(), &payload, &mut first).unwrap();
        if !first.is_empty() {
            break;
        }
    }
    assert_eq!(first, [ModelDelta::Text("Lisbon is".into())], "long before the end");
    assert!(!decoder.is_over());
}

#[test]
fn an_answer_of_text_ends_with_its_counts_and_its_reason() {
    let step = step_of("responses/text.sse");
    assert_eq!(text_of(&step), "Lisbon is sunny, 21 °C.");
    assert_eq!(step.finish, Finish::Stop);
    assert_eq!(step.usage, Some(Usage { input: 41, output: 9, cached: 32, ..Usage::default() }));
}

#[test]
fn responses_2_usage_includes_cached_and_reasoning_tokens() {
    let usage = step_of("responses/call.sse").usage.unwrap();
    assert_eq!((usage.input, usage.cached, usage.output, usage.reasoning), (120, 64, 55, 30));
}

#[test]
fn responses_2_summary_parts_are_paragraphs_and_one_state_closes_them() {
    let step = step_of("responses/reasoning.sse");
    let Some(Part::Reasoning(reasoning)) = step.parts.first() else { panic!("{:?}", step.parts) };
    assert_eq!(reasoning.text, "**Weighing** the cities.\n\n**Choosing** Lisbon.");
    assert_eq!(reasoning.model.as_deref(), Some(NAME));
    let state = reasoning.opaque.as_ref().unwrap();
    assert_eq!(state["encrypted_content"], "gAAAAABo+X9/aZ0==", "of the finished item, not of the announced");
    assert_eq!(state["summary"].as_array().unwrap().len(), 2);
    assert_eq!(text_of(&step), "Go to Lisbon.");
}

#[test]
fn responses_2_a_call_keeps_both_its_ids() {
    let step = step_of("responses/call.sse");
    let call = step.calls.first().unwrap();
    assert_eq!(call.provider_id.as_deref(), Some("call_Ab1"));
    assert_eq!(call.state.as_ref().unwrap().value, json!({"type": "function_call", "id": "fc_01"}));
    assert_eq!(call.name, "get_weather");
    assert_eq!(step.finish, Finish::Calls);
}

#[test]
fn responses_2_a_call_that_is_ready_early_has_its_ids_already() {
    let mut assembler = windlass_core::calls::assemble::Assembler::new(NAME);
    let mut decoder = fresh();
    for (event, payload) in events(&recorded("responses/call.sse")) {
        let mut deltas = Vec::new();
        decoder.frame(event.as_deref(), &payload, &mut deltas).unwrap();
        deltas.into_iter().for_each(|delta| drop(assembler.push(delta)));
        if let Some(call) = assembler.take_ready().first() {
            assert!(call.state.is_some());
            assert!(!decoder.is_over(), "the model still speaks");
            return;
        }
    }
    panic!("the call was never ready");
}

#[test]
fn r_53_numbers_flags_objects_and_lists_survive_as_arguments() {
    let expected = json!({"city": "Lisbon", "days": 2, "units": {"wind": true}, "hours": [6, 18]});
    assert_eq!(args(&step_of("responses/call.sse")), [expected]);
}

#[test]
fn r_21_two_parallel_calls_interleaved_by_index() {
    let step = step_of("responses/parallel.sse");
    assert_eq!(args(&step), [json!({"city": "Lisbon"}), json!({"city": "Porto"})]);
    let ids: Vec<_> = step.calls.iter().map(|call| call.provider_id.as_deref().unwrap()).collect();
    assert_eq!(ids, ["call_A", "call_B"]);
}

#[test]
fn r_22_no_arguments_are_an_empty_object() {
    let step = step_of("responses/no_args.sse");
    assert_eq!(args(&step), [json!({}), json!({})]);
}

#[test]
fn r_26_text_before_a_call_stands_before_it() {
    let step = step_of("responses/call.sse");
    assert_eq!(text_of(&step), "Let me look.");
    // Thinking, text and the message's own state come first.
    assert_eq!(step.calls.first().unwrap().after_parts, 3);
}

#[test]
fn responses_2_the_final_arguments_add_only_what_is_missing() {
    let call = |args: &str| json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": args});
    let play_with = |deltas: &[&str], done: &str| {
        let mut events =
            vec![json!({"type": "response.output_item.added", "output_index": 0, "item": call("")})];
        for delta in deltas {
            events.push(json!({"type": "response.function_call_arguments.delta", "output_index": 0,
                "item_id": "fc_1", "delta": delta}));
        }
        events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": call(done)}));
        events.push(json!({"type": "response.completed", "response": {"status": "completed"}}));
        play_values(&events)
    };
    let cases: [(&[&str], &str); 5] = [
        (&[], r#"{"a":1}"#),
        (&[r#"{"a""#], r#"{"a":1}"#),
        (&[r#"{"a":"#, "1}"], r#"{"a":1}"#),
        (&[r#"{"a":1}"#], r#"{ "a": 1 }"#),
        (&[r#"{"a":1}"#], ""),
    ];
    for (deltas, done) in cases {
        let (out, failure) = play_with(deltas, done);
        assert_eq!(failure, None, "{deltas:?} {done}");
        assert_eq!(args(&step(NAME, out)), [json!({"a": 1})], "{deltas:?} {done}");
    }
    let (_, failure) = play_with(&[r#"{"a":2"#], r#"{"a":1}"#);
    assert_eq!(failure.unwrap().kind.word(), "malformed", "r_32: what contradicts itself does not run");
}

#[test]
fn responses_2_servers_that_send_only_whole_items_are_understood() {
    for fixture in ["responses/whole_items.sse", "responses/only_completed.sse"] {
        let step = step_of(fixture);
        assert_eq!(text_of(&step), "Whole answer.", "{fixture}");
        assert_eq!(args(&step), [json!({"city": "Faro"})], "{fixture}");
        assert_eq!(thinking(&step).first().unwrap().text, "Whole thought.\n\nSecond.", "{fixture}");
        assert_eq!(step.finish, Finish::Calls, "{fixture}");
    }
}

#[test]
fn an_answer_that_was_not_streamed_is_the_same_answer() {
    let mut deltas = Vec::new();
    let mut decoder = fresh();
    decoder.whole(&recorded("responses/whole.json"), &mut deltas).unwrap();
    assert!(decoder.is_over());
    assert_eq!(step(NAME, deltas), step_of("responses/only_completed.sse"));
}

#[test]
fn r_62_an_error_in_the_place_of_an_answer_is_told() {
    let failure = fresh().whole(&recorded("responses/whole_error.json"), &mut Vec::new()).unwrap_err();
    assert!(failure.message.contains("Unknown model."), "{failure}");
    let (_, failure) = play_values(&[json!({"error": {"message": "Quota is used up."}})]);
    assert!(failure.unwrap().message.contains("Quota is used up."));
}

#[test]
fn responses_2_errors_are_at_the_top_of_an_error_event_and_below_the_response_of_a_failed_one() {
    assert!(failure_of("responses/error.sse").message.contains("Slow down, please."));
    assert!(failure_of("responses/failed.sse").message.contains("The model had a hiccup."));
    let nested = json!({"type": "error", "error": {"type": "server_error", "message": "Nested."}});
    assert!(play_values(&[nested]).1.unwrap().message.contains("Nested."));
}

#[test]
fn responses_2_incomplete_answers_say_why() {
    let step = step_of("responses/incomplete.sse");
    assert_eq!((text_of(&step).as_str(), step.finish), ("It begins and", Finish::Length));
    let step = step_of("responses/filtered.sse");
    assert_eq!((text_of(&step).as_str(), step.finish), ("The recipe", Finish::Filtered));
}

#[test]
fn an_end_called_completed_is_what_its_status_says() {
    let response = json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}});
    let (deltas, _) = play_values(&[json!({"type": "response.completed", "response": response})]);
    assert_eq!(deltas, [ModelDelta::Finish(Finish::Length)]);
    let response = json!({"status": "failed", "error": {"message": "Broke down."}});
    let (_, failure) = play_values(&[json!({"type": "response.completed", "response": response})]);
    assert!(failure.unwrap().message.contains("Broke down."));
}

#[test]
fn responses_2_a_refusal_is_text() {
    let step = step_of("responses/refusal.sse");
    assert_eq!(text_of(&step), "I cannot help with that.");
    assert_eq!(step.finish, Finish::Stop);
}

#[test]
fn a_cut_stream_has_no_finish_wherever_it_was_cut() {
    let (deltas, failure) = play(fresh(), &recorded("responses/cut.sse"));
    assert_eq!(failure, None);
    assert!(!deltas.iter().any(|delta| matches!(delta, ModelDelta::Finish(_))));
    for fixture in ["text", "reasoning", "call", "parallel", "xai"] {
        let all = events(&recorded(&format!("responses/{fixture}.sse")));
        for kept in 0..all.len() {
            let mut decoder = fresh();
            let mut deltas = Vec::new();
            for (event, payload) in all.iter().take(kept) {
                decoder.frame(event.as_deref(), payload, &mut deltas).unwrap();
            }
            decoder.end(&mut deltas).unwrap();
            let is_finished = deltas.iter().any(|delta| matches!(delta, ModelDelta::Finish(_)));
            assert_eq!(is_finished, decoder.is_over(), "{fixture} after {kept} events");
            assert!(!is_finished || all.get(kept).is_some_and(|last| last.1 == "[DONE]"));
        }
    }
}

#[test]
fn r_32_a_payload_that_cannot_be_read_is_a_failure() {
    for payload in ["{\"type\":\"response.output_text.delta\",\"del", "nonsense", "[1]"] {
        let failure = fresh().frame(None, payload, &mut Vec::new()).unwrap_err();
        assert_eq!(failure.kind.word(), "malformed", "{payload}");
    }
    assert_eq!(fresh().whole("<html>", &mut Vec::new()).unwrap_err().kind.word(), "malformed");
}

#[test]
fn responses_2_imitations_without_sequence_numbers_and_details_are_understood() {
    let step = step_of("responses/imitation.sse");
    assert_eq!(text_of(&step), "Hello there.");
    assert_eq!(step.usage, Some(Usage { input: 5, output: 3, ..Usage::default() }));
}

#[test]
fn the_name_of_an_event_counts_where_the_payload_has_no_type() {
    let mut deltas = Vec::new();
    let mut decoder = fresh();
    decoder.frame(Some("response.output_text.delta"), r#"{"delta":"Hi"}"#, &mut deltas).unwrap();
    decoder.frame(Some("response.completed"), r#"{"response":{}}"#, &mut deltas).unwrap();
    assert_eq!(deltas, [ModelDelta::Text("Hi".into()), ModelDelta::Finish(Finish::Stop)]);
}

#[test]
fn responses_2_items_that_nobody_asked_for_are_passed_over() {
    let search = json!({"type": "tool_search_call", "id": "ts_1", "status": "completed", "arguments": {}});
    let (deltas, failure) = play_values(&[
        json!({"type": "keepalive"}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": search}),
        json!({"type": "response.tool_search_call.delta", "output_index": 0, "delta": {"odd": 1}}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": search}),
        json!({"type": "response.output_text.delta", "output_index": 1, "item_id": "msg_1", "delta": "Hi"}),
        json!({"type": "response.completed", "response": {"output": [search]}}),
    ]);
    assert_eq!(failure, None);
    assert_eq!(deltas, [ModelDelta::Text("Hi".into()), ModelDelta::Finish(Finish::Stop)]);
}

#[test]
fn responses_2_an_item_whose_id_changes_from_event_to_event_is_one_item() {
    let call = |id: &str, args: &str| json!({"type": "function_call", "id": id, "call_id": "call_1", "name": "f", "arguments": args});
    let whole = call("fc_z", r#"{"a":1}"#);
    let (deltas, failure) = play_values(&[
        json!({"type": "response.output_item.added", "output_index": 0, "item": call("fc_a", "")}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "fc_b",
            "delta": r#"{"a":1}"#}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": call("fc_c", r#"{"a":1}"#)}),
        json!({"type": "response.completed", "response": {"output": [whole]}}),
    ]);
    assert_eq!(failure, None);
    assert_eq!(args(&step(NAME, deltas)), [json!({"a": 1})]);
}

#[test]
fn a_call_that_was_never_announced_waits_for_its_name() {
    let done = json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f",
        "arguments": r#"{"a":1}"#});
    let (deltas, failure) = play_values(&[
        json!({"type": "response.function_call_arguments.delta", "item_id": "fc_1", "delta": r#"{"a":1}"#}),
        json!({"type": "response.output_item.done", "item": done}),
        json!({"type": "response.completed", "response": {}}),
    ]);
    assert_eq!(failure, None);
    let step = step(NAME, deltas);
    assert_eq!(step.calls.len(), 1);
    assert_eq!((step.calls[0].name.as_str(), &args(&step)[0]), ("f", &json!({"a": 1})));
}

#[test]
fn a_call_without_a_name_is_still_a_call() {
    let (deltas, _) = play_values(&[
        json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{}"}),
        json!({"type": "response.completed", "response": {}}),
    ]);
    let step = step(NAME, deltas);
    assert_eq!((step.calls.len(), step.finish), (1, Finish::Calls));
}

#[test]
fn responses_2_a_custom_call_is_raw_text_under_input() {
    let item = json!({"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "run_sql",
        "input": "SELECT 1"});
    let (deltas, failure) = play_values(&[
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": "SELECT"}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"output": [item]}}),
    ]);
    assert_eq!(failure, None);
    let step = step(NAME, deltas);
    assert_eq!(step.calls[0].args, RawArgs::Value(json!({"input": "SELECT 1"})));
    assert_eq!(
        step.calls[0].state.as_ref().unwrap().value,
        json!({"type": "custom_tool_call", "id": "ctc_1"})
    );
}

#[test]
fn responses_2_open_thinking_is_thinking_with_state() {
    let item = json!({"type": "reasoning", "id": "rs_1", "summary": [],
        "content": [{"type": "reasoning_text", "text": "Hm. Yes."}], "encrypted_content": null});
    let (deltas, _) = play_values(&[
        json!({"type": "response.output_item.added", "output_index": 0,
            "item": {"type": "reasoning", "id": "rs_1", "summary": []}}),
        json!({"type": "response.reasoning_text.delta", "output_index": 0, "content_index": 0, "delta": "Hm. "}),
        json!({"type": "response.reasoning_text.delta", "output_index": 0, "content_index": 0, "delta": "Yes."}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {}}),
    ]);
    let step = step(NAME, deltas);
    let reasoning = thinking(&step)[0];
    assert_eq!((reasoning.text.as_str(), reasoning.opaque.as_ref()), ("Hm. Yes.", Some(&item)));
}

#[test]
fn responses_2_thinking_that_cannot_be_sent_again_takes_the_ids_behind_it_along() {
    let message = json!({"type": "message", "id": "msg_1",
        "content": [{"type": "output_text", "text": "Calling."}]});
    let call =
        json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{}"});
    for lost in [
        json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]}),
        json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}],
            "encrypted_content": "gAAA", "status": "incomplete"}),
    ] {
        let output = json!([lost, message, call]);
        let (deltas, _) =
            play_values(&[json!({"type": "response.completed", "response": {"output": output}})]);
        let step = step(NAME, deltas);
        assert_eq!(thinking(&step).len(), 1);
        assert_eq!(thinking(&step)[0].opaque, None);
        assert_eq!(step.calls[0].state, None);
        assert_eq!(step.calls[0].provider_id.as_deref(), Some("call_1"));
    }
}

#[test]
fn an_answer_still_in_the_making_is_not_finished() {
    let mut deltas = Vec::new();
    let mut decoder = fresh();
    decoder.whole(r#"{"status":"queued","output":[]}"#, &mut deltas).unwrap();
    assert!(deltas.is_empty() && !decoder.is_over());
}

#[test]
fn xai_9_encrypted_thinking_without_words_or_summary_events_is_state() {
    let step = step_of("responses/xai.sse");
    let reasoning = thinking(&step)[0];
    assert_eq!(reasoning.text, "");
    assert_eq!(reasoning.opaque.as_ref().unwrap()["encrypted_content"], "rk9/xAI+opaque/state==");
    assert_eq!(args(&step), [json!({"city": "Lisbon"}), json!({"city": "Porto"})]);
    assert_eq!(step.usage.unwrap().reasoning, 110);
}

#[test]
fn payloads_cut_anywhere_are_failures_and_no_finish() {
    for fixture in ["call", "parallel", "reasoning", "xai", "incomplete"] {
        for (event, payload) in events(&recorded(&format!("responses/{fixture}.sse"))) {
            for at in (1..payload.len()).filter(|at| payload.is_char_boundary(*at)) {
                let mut deltas = Vec::new();
                let failure = fresh().frame(event.as_deref(), &payload[..at], &mut deltas);
                assert!(failure.is_err() && deltas.is_empty(), "{}", &payload[..at]);
            }
        }
    }
}

#[test]
fn an_answer_of_endless_items_is_a_failure() {
    let mut decoder = fresh();
    let mut add = |index: usize| {
        let added = json!({"type": "response.output_item.added", "output_index": index, "item": {}});
        decoder.frame(None, &added.to_string(), &mut Vec::new())
    };
    assert!((0..ITEMS_MAX).all(|index| add(index).is_ok()));
    assert_eq!(add(ITEMS_MAX).unwrap_err().kind.word(), "malformed");
}

proptest::proptest! {
    #[test]
    fn events_in_any_order_and_number_finish_at_most_once(picks in proptest::collection::vec(0..500_usize, 0..40)) {
        let names = ["text", "reasoning", "call", "parallel", "xai", "whole_items", "incomplete", "no_args"];
        let all: Vec<_> =
            names.iter().flat_map(|name| events(&recorded(&format!("responses/{name}.sse")))).collect();
        let mut decoder = fresh();
        let mut deltas = Vec::new();
        for pick in picks {
            let (event, payload) = &all[pick % all.len()];
            if decoder.frame(event.as_deref(), payload, &mut deltas).is_err() {
                break;
            }
        }
        let finishes = deltas.iter().filter(|delta| matches!(delta, ModelDelta::Finish(_))).count();
        proptest::prop_assert!(finishes <= 1);
        proptest::prop_assert_eq!(finishes == 1, decoder.is_over());
        proptest::prop_assert!(finishes == 0 || matches!(deltas.last(), Some(ModelDelta::Finish(_))));
    }
}

//! What a provider gave comes back to it exactly, and to nobody else.

use std::sync::Arc;

use serde_json::{Value, json};

use super::recording::{Asked, Spoken, events, play, recorded, step, target, user};
use super::{ResponsesWire, decoder};
use crate::{ModelTarget, WireKind};

fn openai() -> ModelTarget {
    target(WireKind::Responses, "openai", "gpt-5.5")
}

fn spoken(target: &ModelTarget, fixture: &str, outcomes: &[&str]) -> Spoken {
    let (deltas, failure) = play(decoder(Arc::new(target.clone())), &recorded(fixture));
    assert_eq!(failure, None, "{fixture}");
    Spoken::new(step(&target.name, deltas), outcomes)
}

/// The items of the provider's own final list.
fn given(fixture: &str) -> Vec<Value> {
    let mut payloads = events(&recorded(fixture)).into_iter().filter(|event| event.1 != "[DONE]");
    let last: Value = serde_json::from_str(&payloads.next_back().unwrap().1).unwrap();
    last["response"]["output"].as_array().unwrap().clone()
}

/// An item with what a request says of it: lists that are always empty here, and the state of a call that
/// is done anyway, are left out.
fn as_sent(item: &Value) -> Value {
    let mut item = item.clone();
    match item["type"].as_str().unwrap() {
        "message" => drop(item["content"][0].as_object_mut().unwrap().remove("logprobs")),
        "function_call" => drop(item.as_object_mut().unwrap().remove("status")),
        _ => {}
    }
    item
}

#[test]
fn responses_2_every_item_comes_back_whole_in_its_order() {
    let target = openai();
    for (fixture, outcomes) in [
        ("responses/text.sse", &[] as &[&str]),
        ("responses/reasoning.sse", &[]),
        ("responses/call.sse", &["sunny"]),
        ("responses/next_call.sse", &["rain"]),
        ("responses/parallel.sse", &["sunny", "rain"]),
        ("responses/whole_items.sse", &["sunny"]),
    ] {
        let spoken = spoken(&target, fixture, outcomes);
        let body = Asked::of(target.clone()).body(&ResponsesWire, &[user("Hi."), spoken.turn(&target.name)]);
        let sent = body["input"].as_array().unwrap();
        let expected: Vec<Value> = given(fixture).iter().map(as_sent).collect();
        assert_eq!(&sent[1..=expected.len()], expected.as_slice(), "{fixture}");
        let results: Vec<&Value> = sent.iter().skip(1 + expected.len()).collect();
        assert_eq!(results.len(), outcomes.len(), "{fixture}");
        for (result, outcome) in results.iter().zip(outcomes) {
            assert_eq!(
                (&result["type"], &result["output"]),
                (&json!("function_call_output"), &json!(outcome))
            );
        }
    }
}

#[test]
fn responses_2_thinking_comes_back_byte_for_byte() {
    let target = openai();
    for fixture in ["reasoning", "call", "next_call", "parallel"] {
        let fixture = format!("responses/{fixture}.sse");
        let outcomes: &[&str] = match fixture.as_str() {
            "responses/reasoning.sse" => &[],
            "responses/parallel.sse" => &["sunny", "rain"],
            _ => &["sunny"],
        };
        let spoken = spoken(&target, &fixture, outcomes);
        let text = Asked::of(target.clone()).text(&ResponsesWire, &[spoken.turn(&target.name)]);
        let thought = given(&fixture).remove(0).to_string();
        assert!(recorded(&fixture).contains(&thought), "the recording has these very bytes");
        assert!(text.contains(&thought), "{fixture}: {text}");
    }
}

#[test]
fn responses_2_a_run_of_call_after_call_replays_all_of_it_in_order() {
    let target = openai();
    let first = spoken(&target, "responses/call.sse", &["sunny"]);
    let second = spoken(&target, "responses/next_call.sse", &["rain"]);
    let turns = [user("Compare."), first.turn(&target.name), second.turn(&target.name)];
    let body = Asked::of(target.clone()).body(&ResponsesWire, &turns);
    let ids: Vec<&str> = body["input"]
        .as_array()
        .unwrap()
        .iter()
        .skip(1)
        .map(|item| item["id"].as_str().or(item["call_id"].as_str()).unwrap())
        .collect();
    assert_eq!(ids, ["rs_02", "msg_03", "fc_01", "call_Ab1", "rs_03", "fc_02", "call_Ab2"]);
}

#[test]
fn responses_2_the_phase_of_a_message_is_kept() {
    let target = openai();
    let spoken = spoken(&target, "responses/text.sse", &[]);
    let body = Asked::of(target.clone()).body(&ResponsesWire, &[spoken.turn(&target.name)]);
    assert_eq!(body["input"][0]["phase"], "final_answer");
}

#[test]
fn state_is_gone_for_another_model() {
    let target = openai();
    let other = super::recording::target(WireKind::Responses, "openai", "gpt-5.6");
    let spoken = spoken(&target, "responses/call.sse", &["sunny"]);
    let body = Asked::of(other.clone()).body(&ResponsesWire, &[spoken.turn(&other.name)]);
    assert_eq!(
        body["input"],
        json!([
            {"type": "message", "role": "assistant", "content": "Let me look."},
            {"type": "function_call", "call_id": "call_Ab1", "name": "get_weather",
             "arguments": "{\"city\":\"Lisbon\",\"days\":2,\"units\":{\"wind\":true},\"hours\":[6,18]}"},
            {"type": "function_call_output", "call_id": "call_Ab1", "output": "sunny"},
        ])
    );
}

#[test]
fn responses_2_a_step_that_was_cut_sends_no_thinking() {
    let target = openai();
    let (deltas, _) = play(decoder(Arc::new(target.clone())), &recorded("responses/cut.sse"));
    let mut cut = step(&target.name, deltas);
    cut.calls.clear();
    let spoken = Spoken::new(cut, &[]);
    let body = Asked::of(target.clone()).body(&ResponsesWire, &[user("Hi."), spoken.turn(&target.name)]);
    assert_eq!(body["input"].as_array().unwrap().len(), 1);
}

#[test]
fn xai_9_encrypted_thinking_without_words_comes_back_byte_for_byte() {
    let target = super::recording::target(WireKind::Responses, "xai", "grok-4.7");
    let spoken = spoken(&target, "responses/xai.sse", &["sunny", "rain"]);
    let asked = Asked::of(target.clone());
    let text = asked.text(&ResponsesWire, &[spoken.turn(&target.name)]);
    assert!(text.contains(&given("responses/xai.sse")[0].to_string()));
    let body = asked.body(&ResponsesWire, &[spoken.turn(&target.name)]);
    let kinds: Vec<&str> =
        body["input"].as_array().unwrap().iter().map(|item| item["type"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        ["reasoning", "function_call", "function_call", "function_call_output", "function_call_output"]
    );
}

//! Recorded answers and what they mean.

use std::sync::Arc;

use serde_json::json;
use windlass_core::protocol::message::{Part, Reasoning};
use windlass_core::protocol::model::{Finish, ModelDelta, Usage};
use windlass_core::protocol::tool::RawArgs;

use crate::quirks::Quirks;
use crate::target::WireKind;
use crate::wire::messages::decoder;
use crate::wire::recorded::{
    Played, assert_cuts_never_finish, assert_damage_is_survived, calls, play, target,
};

fn play_one(name: &str) -> Played {
    play(decoder(Arc::new(target(WireKind::Messages, Quirks::default()))), &format!("messages/{name}"))
}

fn usage(played: &Played) -> Usage {
    played.step().usage.unwrap()
}

#[test]
fn text_comes_piece_by_piece_and_ends_with_a_stop() {
    let played = play_one("text.sse");
    assert_eq!(played.text(), "Hello, wörld!");
    assert_eq!(played.finish(), Some(&Finish::Stop));
    assert!(played.is_over);
    assert_eq!(usage(&played), Usage { input: 25, output: 15, ..Usage::default() });
}

#[test]
fn reasoning_comes_as_text_and_is_closed_by_its_signature() {
    let step = play_one("reasoning.sse").step();
    let thinking = Reasoning {
        text: "The user wants 27 × 453.\n27 × 453 = 12231.".to_owned(),
        opaque: Some(json!({
            "type": "thinking", "signature": "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk=",
        })),
        model: Some("lab/model".to_owned()),
    };
    assert_eq!(step.parts, [Part::Reasoning(thinking), Part::text("It is 12,231.")]);
}

#[test]
fn r_26_text_before_a_call_is_kept() {
    let step = play_one("one_call.sse").step();
    assert_eq!(step.parts, [Part::text("Okay, let me check.")]);
    assert_eq!(step.finish, Finish::Calls);
    let call = step.calls.first().unwrap();
    assert_eq!(call.provider_id.as_deref(), Some("toolu_01T1x1fJ34qAmk2tNTrN7Up6"));
    assert_eq!(call.name, "get_weather");
    assert_eq!(
        call.args,
        RawArgs::Text(r#"{"location": "San Francisco, CA", "unit": "fahrenheit"}"#.to_owned())
    );
}

#[test]
fn parallel_calls_keep_their_order() {
    let step = play_one("parallel_calls.sse").step();
    assert_eq!(calls(&step), [r#"get_weather({"city": "Oslo"})"#, r#"get_weather({"city": "Rome"})"#]);
}

#[test]
fn r_21_two_parallel_calls_interleaved_by_index() {
    let step = play_one("interleaved_calls.sse").step();
    assert_eq!(calls(&step), [r#"get_weather({"city": "Oslo"})"#, r#"get_time({"zone": "CET"})"#]);
}

#[test]
fn call_after_call_after_answer() {
    let steps: Vec<_> = (1..=3).map(|n| play_one(&format!("call_after_call_{n}.sse")).step()).collect();
    assert_eq!(calls(&steps[0]), [r#"search_files({"query": "main"})"#]);
    assert_eq!(calls(&steps[1]), [r#"read_file({"path": "src/main.rs"})"#]);
    assert_eq!(steps[2].parts, [Part::text("It starts in main.rs.")]);
    assert_eq!(steps[2].usage.unwrap(), Usage { input: 1060, output: 12, cached: 460, ..Usage::default() });
}

#[test]
fn anthropic_3_fragments_are_keyed_by_the_index_of_their_block() {
    let mut decoder = decoder(Arc::new(target(WireKind::Messages, Quirks::default())));
    let mut out = Vec::new();
    let piece =
        r#"{"type":"content_block_delta","index":7,"delta":{"type":"input_json_delta","partial_json":"{"}}"#;
    decoder.frame(None, piece, &mut out).unwrap();
    assert!(matches!(&out[..], [ModelDelta::Call(call)] if call.index == Some(7) && call.name.is_none()));
}

#[test]
fn r_22_anthropic_3_empty_input_has_no_deltas() {
    let step = play_one("empty_input.sse").step();
    assert_eq!(step.calls.first().unwrap().args, RawArgs::Text("{}".to_owned()));
    assert_eq!(step.finish, Finish::Calls);
}

#[test]
fn anthropic_3_input_of_the_start_block_counts_if_it_is_not_empty() {
    let step = play_one("input_in_start.sse").step();
    let expected = json!({"path": "a.txt", "lines": [1, 2], "deep": {"is": true}});
    assert_eq!(step.calls.first().unwrap().args, RawArgs::Value(expected));
}

#[test]
fn z_23_r_53_numbers_truths_and_nested_values_survive() {
    let step = play_one("object_args.sse").step();
    let args: serde_json::Value = serde_json::from_str(&step.calls[0].args.to_text()).unwrap();
    let expected = json!({
        "count": 3, "is_final": true, "meta": {"tags": ["a", "b"], "depth": {"n": 2.5}}, "none": null,
    });
    assert_eq!(args, expected);
}

#[test]
fn anthropic_3_server_tool_blocks_are_kept_whole_and_opaque() {
    let step = play_one("server_tool.sse").step();
    let states: Vec<_> = step
        .parts
        .iter()
        .map(|part| match part {
            Part::Reasoning(reasoning) => reasoning.opaque.clone().unwrap(),
            Part::Text { text } => json!(text),
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(step.calls.is_empty());
    assert_eq!(states[0], json!("Let me search."));
    assert_eq!(
        states[1],
        json!({
            "type": "server_tool_use", "id": "srvtoolu_01WYG", "name": "web_search",
            "input": {"query": "capital of France"},
        })
    );
    assert_eq!(states[2]["type"], "web_search_tool_result");
    assert_eq!(states[2]["content"][0]["encrypted_content"], "EqgfCioIARgBIiQ3YTAwMjY1");
    assert_eq!(states[3], json!("Paris."));
}

#[test]
fn anthropic_3_usage_is_a_snapshot_and_not_an_increment() {
    // The second snapshot of the input replaces the first; nothing is added up.
    assert_eq!(usage(&play_one("server_tool.sse")), Usage { input: 9100, output: 60, ..Usage::default() });
    let cached = usage(&play_one("thinking_before_calls.sse"));
    assert_eq!(cached, Usage { input: 300 + 1024 + 64, output: 145, cached: 1024, ..Usage::default() });
}

#[test]
fn anthropic_3_ping_is_a_heartbeat_and_unknown_things_are_ignored() {
    let played = play_one("unknown_events.sse");
    assert_eq!(played.step().parts, [Part::text("Still here.")]);
    assert_eq!(played.finish(), Some(&Finish::Stop));
    let mut decoder = decoder(Arc::new(target(WireKind::Messages, Quirks::default())));
    let mut out = Vec::new();
    decoder.frame(Some("ping"), "{}", &mut out).unwrap();
    decoder.frame(Some("ping"), r#"{"type":"ping"}"#, &mut out).unwrap();
    assert_eq!(out, []);
}

#[test]
fn every_stop_reason_has_its_meaning() {
    let cases = [
        ("refusal.sse", Finish::Filtered),
        ("length.sse", Finish::Length),
        ("context_full.sse", Finish::Length),
        ("pause_turn.sse", Finish::Paused),
    ];
    for (name, expected) in cases {
        assert_eq!(play_one(name).finish(), Some(&expected), "{name}");
    }
}

#[test]
fn anthropic_3_pause_turn_keeps_the_call_that_the_provider_goes_on_with() {
    let step = play_one("pause_turn.sse").step();
    let Some(Part::Reasoning(reasoning)) = step.parts.first() else { panic!("{step:?}") };
    let state = reasoning.opaque.as_ref().unwrap();
    assert_eq!(state["input"], json!({"query": "rust"}));
}

#[test]
fn a_call_that_was_cut_by_its_length_cannot_be_taken_for_a_whole_one() {
    for name in ["length_in_call.sse", "length_before_args.sse"] {
        let step = play_one(name).step();
        assert_eq!(step.finish, Finish::Length);
        let args = step.calls.first().unwrap().args.to_text();
        assert!(serde_json::from_str::<serde_json::Value>(&args).is_err(), "{name}: {args}");
    }
}

#[test]
fn r_62_an_error_in_the_stream_is_a_failure_of_its_kind() {
    let played = play_one("overloaded.sse");
    let failure = played.failure.as_ref().unwrap();
    assert_eq!((failure.kind.word(), failure.is_retryable), ("overloaded", true));
    assert_eq!((played.text().as_str(), played.finish()), ("Once", None));
    let failure = play_one("error.json").failure.unwrap();
    assert_eq!((failure.kind.word(), failure.is_retryable), ("rate_limit", true));
}

#[test]
fn errors_that_no_second_try_cures_are_final() {
    for (kind, code) in [
        ("authentication_error", "auth"),
        ("permission_error", "auth"),
        ("invalid_request_error", "bad_request"),
        ("not_found_error", "bad_request"),
    ] {
        let mut decoder = decoder(Arc::new(target(WireKind::Messages, Quirks::default())));
        let event = json!({"type": "error", "error": {"type": kind, "message": "no"}}).to_string();
        let failure = decoder.frame(Some("error"), &event, &mut Vec::new()).unwrap_err();
        assert_eq!((failure.kind.word(), failure.is_retryable), (code, false), "{kind}");
    }
}

#[test]
fn a_cut_stream_has_no_finish() {
    let played = play_one("cut.sse");
    assert_eq!((played.failure.as_ref(), played.finish(), played.is_over), (None, None, false));
}

#[test]
fn r_32_a_line_that_cannot_be_read_is_a_failure_and_never_text() {
    let played = play_one("malformed.sse");
    assert_eq!(played.failure.as_ref().unwrap().kind.word(), "malformed");
    assert_eq!((played.text().as_str(), played.finish()), ("", None));
}

#[test]
fn a_whole_answer_is_a_stream_of_one() {
    let played = play_one("whole.json");
    let step = played.step();
    assert_eq!(calls(&step), ["get_current_time({})", r#"get_weather({"city":"Oslo"})"#]);
    assert_eq!(step.parts.len(), 2);
    assert_eq!(step.finish, Finish::Calls);
    assert_eq!(step.usage.unwrap(), Usage { input: 60, output: 40, cached: 30, ..Usage::default() });
    assert!(played.is_over);
    let mut decoder = decoder(Arc::new(target(WireKind::Messages, Quirks::default())));
    for odd in ["{}", "<html>", "{\"content\":\"text\"}"] {
        assert_eq!(decoder.whole(odd, &mut Vec::new()).unwrap_err().kind.word(), "malformed", "{odd}");
    }
}

#[test]
fn a_number_that_no_double_holds_spoils_its_own_call_and_no_other() {
    let block = |id: &str, input: &str| {
        format!(r#"{{"type":"tool_use","id":"{id}","name":"measure","input":{input}}}"#)
    };
    let body = format!(
        r#"{{"content":[{},{}],"stop_reason":"tool_use"}}"#,
        block("a", r#"{"v":1e400}"#),
        block("b", r#"{"v":2}"#)
    );
    let mut decoder = decoder(Arc::new(target(WireKind::Messages, Quirks::default())));
    let mut out = Vec::new();
    decoder.whole(&body, &mut out).unwrap();
    let args: Vec<_> = out
        .into_iter()
        .filter_map(|delta| match delta {
            ModelDelta::Call(call) => call.args_text.or(call.args_value.map(|value| value.to_string())),
            _ => None,
        })
        .collect();
    assert_eq!(args, [r#"{"v":1e400}"#, r#"{"v":2}"#]);
}

#[test]
fn a_block_that_is_never_closed_closes_with_the_answer() {
    let mut decoder = decoder(Arc::new(target(WireKind::Messages, Quirks::default())));
    let mut out = Vec::new();
    for data in [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"a"}}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}}"#,
        r#"{"type":"message_stop"}"#,
        r#"{"type":"message_stop"}"#,
    ] {
        decoder.frame(None, data, &mut out).unwrap();
    }
    assert_eq!(out.iter().filter(|delta| matches!(delta, ModelDelta::ReasoningState(_))).count(), 1);
    assert_eq!(out.iter().filter(|delta| matches!(delta, ModelDelta::Finish(_))).count(), 1);
    assert!(matches!(&out[..2], [ModelDelta::Reasoning(_), ModelDelta::ReasoningState(_)]));
}

fn fresh() -> Box<dyn crate::wire::Decode> {
    decoder(Arc::new(target(WireKind::Messages, Quirks::default())))
}

#[test]
fn no_cut_of_any_stream_looks_like_its_end() {
    assert_cuts_never_finish("messages", fresh);
}

proptest::proptest! {
    #[test]
    fn damaged_and_shuffled_streams_break_nothing(
        picks in proptest::collection::vec(proptest::arbitrary::any::<(u16, u16, char)>(), 0..40),
    ) {
        assert_damage_is_survived("messages", fresh, &picks);
    }
}

use std::sync::Arc;

use serde_json::json;
use windlass_core::calls::args::read_args;
use windlass_core::calls::assemble::Assembler;
use windlass_core::protocol::message::{Part, Reasoning};
use windlass_core::protocol::model::ModelStep;
use windlass_core::protocol::tool::RawArgs;

use super::*;
use crate::quirks::Quirks;
use crate::wire::chat::sample_target;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../../../fixtures/wires/chat/", $name))
    };
}

const BYTES_MAX: usize = 1 << 20;

fn decoder(quirks: Quirks) -> ChatDecoder {
    ChatDecoder::new(Arc::new(sample_target(quirks)))
}

/// The payloads of recorded events: comments and blank lines are the frame splitter's business.
fn payloads(recorded: &str) -> impl Iterator<Item = &str> {
    recorded.lines().filter_map(|line| line.strip_prefix("data: "))
}

fn deltas_of(quirks: Quirks, recorded: &str) -> Result<Vec<ModelDelta>, ModelFailure> {
    let mut decoder = decoder(quirks);
    let mut out = Vec::new();
    for payload in payloads(recorded) {
        decoder.frame(None, payload, &mut out)?;
    }
    decoder.end(&mut out)?;
    Ok(out)
}

fn step_of(deltas: Vec<ModelDelta>) -> ModelStep {
    let mut assembler = Assembler::new("test/model");
    for delta in deltas {
        assembler.push(delta);
    }
    assembler.finish()
}

fn play(recorded: &str) -> ModelStep {
    step_of(deltas_of(Quirks::default(), recorded).unwrap())
}

fn play_with(quirks: Quirks, recorded: &str) -> ModelStep {
    step_of(deltas_of(quirks, recorded).unwrap())
}

/// Chunks of one choice, each given by its delta, and a finish reason.
fn stream(deltas: &[Value], finish: Value) -> String {
    let mut recorded: String =
        deltas.iter().map(|delta| format!("data: {}\n\n", json!({"choices": [{"delta": delta}]}))).collect();
    recorded.push_str(&format!("data: {}\n\n", json!({"choices": [{"delta": {}, "finish_reason": finish}]})));
    recorded + "data: [DONE]\n\n"
}

fn call(index: u32, id: &str, name: &str, args: &str) -> Value {
    json!({"tool_calls": [{"index": index, "id": id, "function": {"name": name, "arguments": args}}]})
}

/// Name and arguments of each call, as the runtime reads them.
fn calls_of(step: &ModelStep) -> Vec<(String, Value)> {
    let read = |args: &RawArgs| read_args(args, BYTES_MAX).unwrap().value;
    step.calls.iter().map(|call| (call.name.clone(), read(&call.args))).collect()
}

fn ids_of(step: &ModelStep) -> Vec<Option<&str>> {
    step.calls.iter().map(|call| call.provider_id.as_deref()).collect()
}

fn texts(step: &ModelStep) -> String {
    windlass_core::protocol::message::text_of(&step.parts)
}

fn thoughts(step: &ModelStep) -> Vec<&Reasoning> {
    let mut found = Vec::new();
    for part in &step.parts {
        if let Part::Reasoning(reasoning) = part {
            found.push(reasoning);
        }
    }
    found
}

fn echoing(echo: ReasoningEcho) -> Quirks {
    Quirks { echo, ..Quirks::default() }
}

fn weather(city: &str) -> (String, Value) {
    ("get_weather".to_owned(), json!({"city": city}))
}

#[test]
fn text_streams_piece_by_piece_and_ends_with_counts_and_finish() {
    let deltas = deltas_of(Quirks::default(), fixture!("text.sse")).unwrap();
    let usage = Usage { input: 100, output: 20, cached: 64, reasoning: 8, cost_usd: None };
    assert_eq!(
        deltas,
        [
            ModelDelta::Text("The answer".to_owned()),
            ModelDelta::Text(" is \"42\"\n".to_owned()),
            ModelDelta::Text("— für alle 🚀.".to_owned()),
            ModelDelta::Usage(usage),
            ModelDelta::Finish(Finish::Stop),
        ]
    );
}

#[test]
fn s_16_deltas_of_calls_and_thinking_are_given_as_they_come() {
    let mut decoder = decoder(Quirks::default());
    let mut seen = Vec::new();
    for payload in payloads(fixture!("one_call.sse")) {
        let mut out = Vec::new();
        decoder.frame(None, payload, &mut out).unwrap();
        seen.push(out.len());
    }
    // One delta a chunk; counts and finish come together.
    assert_eq!(seen, [1, 1, 1, 1, 1, 1, 1, 0, 2, 0]);
    let deltas = deltas_of(Quirks::default(), fixture!("reasoning_content.sse")).unwrap();
    assert_eq!(deltas.first(), Some(&ModelDelta::Reasoning("First, ".to_owned())));
}

#[test]
fn s_17_a_call_is_known_complete_before_the_stream_ends() {
    let mut decoder = decoder(Quirks::default());
    let mut assembler = Assembler::new("test/model");
    let mut ready = Vec::new();
    for (place, payload) in payloads(fixture!("call_after_call.sse")).enumerate() {
        let mut out = Vec::new();
        decoder.frame(None, payload, &mut out).unwrap();
        out.into_iter().for_each(|delta| drop(assembler.push(delta)));
        ready.extend(assembler.take_ready().into_iter().map(|call| (place, call.provider_id.unwrap())));
    }
    assert_eq!(ready, [(2, "call_a".to_owned()), (4, "call_b".to_owned())]);
}

#[test]
fn s_24_a_provider_without_deltas_gives_message_level_tool_calls() {
    let step = play(fixture!("message_level_calls.sse"));
    assert_eq!(calls_of(&step), [weather("Oslo"), ("get_time".to_owned(), json!({}))]);
    assert_eq!(ids_of(&step), [Some("call_a"), Some("call_b")]);
    assert_eq!((texts(&step).as_str(), step.finish), ("Looking.", Finish::Calls));
}

#[test]
fn s_24_a_message_beside_the_deltas_is_not_taken_twice() {
    let chunk = |piece: &str, whole: &str| json!({"choices": [{"delta": {"content": piece}, "message": {"content": whole, "tool_calls": null}}]});
    let recorded = format!("data: {}\n\ndata: {}\n\n", chunk("The ", "The "), chunk("end", "The end"));
    assert_eq!(texts(&play(&recorded)), "The end");
}

#[test]
fn z_23_arguments_are_taken_as_an_object_or_as_text() {
    let object =
        json!({"tool_calls": [{"function": {"name": "get_weather", "arguments": {"city": "Oslo"}}}]});
    let text = call(0, "a", "get_weather", r#"{"city":"Oslo"}"#);
    for delta in [object, text] {
        assert_eq!(calls_of(&play(&stream(&[delta], json!("tool_calls")))), [weather("Oslo")]);
    }
}

#[test]
fn z_24_missing_ids_and_types_are_no_obstacle() {
    let pieces = |name: &str| json!({"tool_calls": [{"function": {"name": name, "arguments": "{}"}}]});
    let step = play(&stream(&[pieces("a"), pieces("b"), pieces("b")], json!("tool_calls")));
    assert_eq!(ids_of(&step), [None, None, None]);
    assert_eq!(step.calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["a", "b", "b"]);
}

#[test]
fn r_21_two_parallel_calls_interleaved_by_index() {
    let step = play(fixture!("parallel_calls.sse"));
    assert_eq!(calls_of(&step), [weather("Oslo"), ("get_time".to_owned(), json!({"zone": "CET"}))]);
    assert_eq!(ids_of(&step), [Some("call_a"), Some("call_b")]);
}

#[test]
fn r_22_empty_null_and_missing_arguments_are_an_empty_object() {
    let step = play(fixture!("empty_arguments.sse"));
    let names = ["list_tasks", "list_files", "list_dirs"];
    assert_eq!(calls_of(&step), names.map(|name| (name.to_owned(), json!({}))));
}

#[test]
fn r_26_text_before_a_call_is_kept() {
    let step = play(fixture!("text_before_call.sse"));
    assert_eq!((texts(&step).as_str(), calls_of(&step)), ("I will look that up.", vec![weather("Oslo")]));
    assert_eq!(step.calls.first().map(|call| call.after_parts), Some(1));
}

#[test]
fn r_32_a_line_that_cannot_be_read_is_a_failure_and_never_an_answer() {
    for line in
        ["{\"choices\":[{\"delta\":{\"content\":\"ab", "garbage", "[1]", "17", "{\"choices\":7}", "<html>"]
    {
        let mut decoder = decoder(Quirks::default());
        let mut out = Vec::new();
        decoder.frame(None, r#"{"choices":[{"delta":{"content":"good"}}]}"#, &mut out).unwrap();
        let failure = decoder.frame(None, line, &mut out).unwrap_err();
        assert_eq!((failure.kind.word(), out.len()), ("malformed", 1), "{line}");
    }
}

#[test]
fn r_36_duplicate_ids_at_different_places_are_two_calls() {
    let deltas = [
        call(0, "x", "get_weather", r#"{"city":"Oslo"}"#),
        call(1, "x", "get_weather", r#"{"city":"Rome"}"#),
    ];
    let step = play(&stream(&deltas, json!("tool_calls")));
    assert_eq!(calls_of(&step), [weather("Oslo"), weather("Rome")]);
}

#[test]
fn r_44_an_unknown_tool_name_leaves_the_other_calls_alone() {
    let deltas = [call(0, "a", "no_such_tool", "{}"), call(1, "b", "get_weather", r#"{"city":"Oslo"}"#)];
    let step = play(&stream(&deltas, json!("tool_calls")));
    assert_eq!(calls_of(&step), [("no_such_tool".to_owned(), json!({})), weather("Oslo")]);
}

#[test]
fn r_45_arguments_with_a_token_behind_them_are_accepted() {
    let delta = call(0, "a", "get_weather", r#"{"city":"Oslo"}<|tool_call_end|>"#);
    assert_eq!(calls_of(&play(&stream(&[delta], json!("tool_calls")))), [weather("Oslo")]);
}

#[test]
fn r_53_object_arguments_keep_numbers_booleans_nested_objects_and_lists() {
    let step = play(fixture!("object_arguments.sse"));
    let args = json!({
        "seats": 2, "window": true, "who": {"name": "Ada", "age": 36}, "tags": ["a", "b"], "note": null,
    });
    assert_eq!(calls_of(&step), [("book".to_owned(), args)]);
}

#[test]
fn r_62_an_error_object_inside_a_good_answer_is_an_error() {
    for recorded in [fixture!("error_first.sse"), fixture!("error_mid_stream.sse")] {
        let failure = deltas_of(Quirks::default(), recorded).unwrap_err();
        assert!(
            failure.message.contains("overloaded") || failure.message.contains("disconnected"),
            "{failure}"
        );
    }
    let failure =
        decoder(Quirks::default()).whole(fixture!("whole_error.json"), &mut Vec::new()).unwrap_err();
    assert!(failure.message.contains("no provider left"), "{failure}");
}

#[test]
fn r_63_length_stays_length_also_beside_calls() {
    for recorded in [fixture!("length.sse"), fixture!("length_in_arguments.sse")] {
        assert_eq!(play(recorded).finish, Finish::Length);
    }
    for word in ["length", "model_length", "max_tokens"] {
        assert_eq!(play(&stream(&[call(0, "a", "b", "{\"c")], json!(word))).finish, Finish::Length);
    }
}

#[test]
fn a_cut_stream_has_no_finish() {
    for recorded in [fixture!("cut_in_text.sse"), fixture!("cut_in_arguments.sse"), ""] {
        let deltas = deltas_of(Quirks::default(), recorded).unwrap();
        assert!(!deltas.iter().any(|delta| matches!(delta, ModelDelta::Finish(_))), "{deltas:?}");
    }
}

#[test]
fn openai_0_a_lone_done_is_not_success() {
    for recorded in
        ["data: [DONE]\n", "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\ndata: [DONE]\n"]
    {
        assert_eq!(deltas_of(Quirks::default(), recorded).unwrap(), []);
    }
}

#[test]
fn openai_0_done_is_the_end_where_no_reason_was_given() {
    let done = |deltas: &[Value]| play(&stream(deltas, Value::Null)).finish;
    assert_eq!(done(&[json!({"content": "Sunny."})]), Finish::Stop);
    assert_eq!(done(&[call(0, "a", "b", "{}")]), Finish::Calls);
}

#[test]
fn openai_0_a_reason_is_the_end_where_nobody_says_done() {
    let recorded = fixture!("text.sse").replace("data: [DONE]\n", "");
    assert_eq!(play(&recorded).finish, Finish::Stop);
    let recorded = fixture!("text_before_call.sse").replace("data: [DONE]\n", "");
    assert_eq!(play(&recorded).finish, Finish::Calls);
}

#[test]
fn openai_0_finish_reasons_that_lie_do_not_hide_calls() {
    for reason in [json!("stop"), json!("content_filter"), json!("weird"), Value::Null] {
        let step = play(&stream(&[call(0, "a", "get_weather", r#"{"city":"Oslo"}"#)], reason));
        assert_eq!((calls_of(&step), step.finish), (vec![weather("Oslo")], Finish::Calls));
    }
    // Nor make any: calls were promised and none came.
    let step = play(&stream(&[json!({"content": "x"})], json!("tool_calls")));
    assert_eq!(step.finish, Finish::Other("tool_calls".to_owned()));
}

#[test]
fn nothing_that_comes_behind_the_reason_counts_but_the_token_counts() {
    let early = json!({"choices": [{"delta": {"content": "Done."}, "finish_reason": "stop"}]});
    let late = json!({"choices": [{"delta": call(0, "a", "b", "{}")}]});
    let counts = json!({"choices": [{"delta": {"content": " More."}}], "usage": {"prompt_tokens": 7}});
    let step = play(&format!("data: {early}\n\ndata: {late}\n\ndata: {counts}\n\ndata: [DONE]\n\n"));
    assert_eq!((&step.finish, step.calls.len(), texts(&step).as_str()), (&Finish::Stop, 0, "Done."));
    assert_eq!(step.usage.map(|usage| usage.input), Some(7));
}

#[test]
fn a_call_that_is_said_in_both_fields_is_one_call() {
    let both = |args: &str| {
        json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "get_weather", "arguments": args}}],
            "function_call": {"name": "get_weather", "arguments": args}})
    };
    let legacy = |args: &str| json!({"function_call": {"name": "get_weather", "arguments": args}});
    for deltas in [
        vec![both(r#"{"city":"#), both(r#""Oslo"}"#)],
        vec![both(r#"{"city":"Oslo"}"#)],
        vec![legacy(r#"{"city":"Oslo"}"#), call(0, "a", "get_weather", r#"{"city":"Oslo"}"#)],
        vec![call(0, "a", "get_weather", r#"{"city":"Oslo"}"#), legacy(r#"{"city":"Oslo"}"#)],
    ] {
        let step = play(&stream(&deltas, json!("tool_calls")));
        assert_eq!((calls_of(&step), ids_of(&step)), (vec![weather("Oslo")], vec![Some("a")]));
    }
    // What only the old field says is a call of its own.
    let other = json!({"function_call": {"name": "look", "arguments": "{}"}});
    let step =
        play(&stream(&[call(0, "a", "get_weather", r#"{"city":"Oslo"}"#), other], json!("tool_calls")));
    assert_eq!(calls_of(&step), [weather("Oslo"), ("look".to_owned(), json!({}))]);
    // Spacing and order make no other call.
    let spaced = [
        call(0, "a", "f", r#"{"a":1,"b":[2]}"#),
        json!({"function_call": {"name": "f", "arguments": "{ \"b\": [2], \"a\": 1 }"}}),
    ];
    assert_eq!(play(&stream(&spaced, json!("tool_calls"))).calls.len(), 1);
    // Other arguments do: the call is there, and it is malformed.
    let oslo = call(0, "a", "get_weather", r#"{"city":"Oslo"}"#);
    let step = play(&stream(&[oslo, legacy(r#"{"city":"Rome"}"#)], json!("tool_calls")));
    assert_eq!(step.calls.len(), 2);
    assert_eq!(step.calls[1].args, RawArgs::Text("{\"city\":\"Oslo\"}\n{\"city\":\"Rome\"}".to_owned()));
}

#[test]
fn openai_0_same_index_with_a_new_id_is_a_new_call() {
    let deltas = [
        call(0, "a", "get_weather", r#"{"city":"Oslo"}"#),
        call(0, "b", "get_weather", r#"{"city":"Rome"}"#),
    ];
    let step = play(&stream(&deltas, json!("stop")));
    assert_eq!(
        (calls_of(&step), ids_of(&step)),
        (vec![weather("Oslo"), weather("Rome")], vec![Some("a"), Some("b")])
    );
}

#[test]
fn openai_0_complete_arguments_followed_by_more_are_a_new_call() {
    let piece = |args: &str| json!({"tool_calls": [{"index": 0, "function": {"name": "get_weather", "arguments": args}}]});
    let step = play(&stream(&[piece(r#"{"city":"Oslo"}"#), piece(r#"{"city":"Rome"}"#)], json!("stop")));
    assert_eq!(calls_of(&step), [weather("Oslo"), weather("Rome")]);
}

#[test]
fn openai_0_an_id_may_come_late_and_a_name_be_repeated() {
    let piece = |id: Value, args: &str| json!({"tool_calls": [{"index": 0, "id": id, "function": {"name": "get_weather", "arguments": args}}]});
    let deltas =
        [piece(json!(""), r#"{"city""#), piece(json!("late"), ":"), piece(Value::Null, r#""Oslo"}"#)];
    let step = play(&stream(&deltas, json!("tool_calls")));
    assert_eq!((calls_of(&step), ids_of(&step)), (vec![weather("Oslo")], vec![Some("late")]));
}

#[test]
fn openai_0_double_encoded_arguments_are_unwrapped_by_the_core() {
    let delta = call(0, "a", "get_weather", &json!(r#"{"city":"Oslo"}"#).to_string());
    assert_eq!(calls_of(&play(&stream(&[delta], json!("tool_calls")))), [weather("Oslo")]);
}

#[test]
fn openai_0_an_index_written_as_text_is_an_index() {
    let piece = |index: &str, args: &str| json!({"tool_calls": [{"index": index, "function": {"name": "a", "arguments": args}}]});
    let step =
        play(&stream(&[piece("0", "{"), piece("1", "{"), piece("0", "}"), piece("1", "}")], json!("stop")));
    assert_eq!(calls_of(&step), [("a".to_owned(), json!({})), ("a".to_owned(), json!({}))]);
}

#[test]
fn openai_0_an_empty_piece_of_a_call_is_no_call() {
    let step = play(&stream(
        &[json!({"content": "x", "tool_calls": [{"index": 0}]}), json!({"tool_calls": []})],
        json!("stop"),
    ));
    assert_eq!((step.calls, step.finish), (vec![], Finish::Stop));
}

#[test]
fn openai_0_a_legacy_function_call_is_a_call() {
    let deltas = [
        json!({"function_call": {"name": "get_weather", "arguments": ""}}),
        json!({"function_call": {"arguments": r#"{"city":"#}}),
        json!({"function_call": {"arguments": r#""Oslo"}"#}}),
    ];
    let step = play(&stream(&deltas, json!("function_call")));
    assert_eq!((calls_of(&step), step.finish), (vec![weather("Oslo")], Finish::Calls));
}

#[test]
fn openai_0_usage_comes_in_a_chunk_with_empty_choices() {
    assert_eq!(
        play(fixture!("one_call.sse")).usage.map(|usage| (usage.input, usage.output)),
        Some((100, 20))
    );
}

#[test]
fn openai_0_usage_that_counts_thinking_beside_the_answer_is_made_inclusive() {
    let recorded = |usage: Value| format!("data: {}\n", json!({"choices": [], "usage": usage}));
    let details = json!({"reasoning_tokens": 30});
    let counts = |total: u64| {
        let usage = json!({"prompt_tokens": 10, "completion_tokens": 50, "total_tokens": total, "completion_tokens_details": details});
        play(&recorded(usage)).usage.map(|usage| (usage.output, usage.reasoning))
    };
    assert_eq!((counts(60), counts(90)), (Some((50, 30)), Some((80, 30))));
}

#[test]
fn openai_0_an_error_may_be_a_string_a_list_or_an_event() {
    let refused = |event: Option<&str>, data: &str| {
        decoder(Quirks::default()).frame(event, data, &mut Vec::new()).unwrap_err().message
    };
    for (event, data) in [
        (None, r#"{"error":"model crashed"}"#),
        (None, r#"[{"error":{"message":"model crashed","code":500}}]"#),
        (None, r#"{"object":"error","message":"model crashed","code":40000}"#),
        (None, r#"{"choices":[{"delta":{},"error":{"message":"model crashed"}}]}"#),
        (Some("error"), r#"{"error":{"message":"model crashed"}}"#),
        (Some("error"), r#"{"message":"model crashed"}"#),
        (Some("error"), "model crashed"),
    ] {
        assert!(refused(event, data).contains(": model crashed"), "{data}");
    }
    assert!(refused(None, r#"{"choices":[{"delta":{},"finish_reason":"error"}]}"#).contains("error"));
    let quiet = r#"{"error":null,"choices":[{"delta":{"content":"x"},"error":{}}]}"#;
    assert!(decoder(Quirks::default()).frame(None, quiet, &mut Vec::new()).is_ok());
}

#[test]
fn openai_0_reasoning_content_and_reasoning_are_thinking() {
    for recorded in
        [fixture!("reasoning_content.sse"), fixture!("reasoning.sse"), fixture!("reasoning_both.sse")]
    {
        let step = play(recorded);
        let thought: Vec<&str> = thoughts(&step).iter().map(|thought| thought.text.as_str()).collect();
        assert_eq!((thought, texts(&step).as_str()), (vec!["First, look."], "Sunny."));
    }
}

#[test]
fn openai_0_think_tags_in_the_content_are_thinking() {
    let step = play(fixture!("think_tags.sse"));
    assert_eq!(thoughts(&step).first().map(|thought| thought.text.as_str()), Some("\nFirst, look.\n\n\n"));
    assert_eq!(texts(&step), "Sunny.");
    let step = play_with(Quirks { has_think_tags: false, ..Quirks::default() }, fixture!("think_tags.sse"));
    assert_eq!(texts(&step), "<think>\nFirst, look.\n</think>\n\nSunny.");
    let quirks = Quirks { opens_thinking: true, ..Quirks::default() };
    let step = play_with(quirks, &stream(&[json!({"content": "hm</think>Sunny."})], json!("stop")));
    assert_eq!(
        (thoughts(&step).first().map(|t| t.text.as_str()), texts(&step).as_str()),
        (Some("hm"), "Sunny.")
    );
}

#[test]
fn the_field_of_thinking_is_remembered_where_it_goes_back() {
    let state = |echo, recorded| {
        let step = play_with(echoing(echo), recorded);
        thoughts(&step).first().and_then(|thought| thought.opaque.clone())
    };
    for echo in [ReasoningEcho::Text, ReasoningEcho::Always] {
        assert_eq!(
            state(echo, fixture!("reasoning_content.sse")),
            Some(json!({"field": "reasoning_content"}))
        );
        assert_eq!(state(echo, fixture!("reasoning.sse")), Some(json!({"field": "reasoning"})));
        assert_eq!(state(echo, fixture!("think_tags.sse")), Some(json!({"field": "content", "tail": 2})));
        assert_eq!(state(echo, fixture!("mistral_thinking.sse")), Some(json!({"field": "content_parts"})));
    }
    assert_eq!(state(ReasoningEcho::State, fixture!("reasoning.sse")), None);
}

#[test]
fn openai_1_a_refusal_is_answer_text() {
    let step = play(&stream(&[json!({"refusal": "I can"}), json!({"refusal": "not."})], json!("stop")));
    assert_eq!(texts(&step), "I cannot.");
}

#[test]
fn openrouter_6_reasoning_details_are_merged_and_kept_as_one_state() {
    let deltas = deltas_of(echoing(ReasoningEcho::State), fixture!("reasoning_details.sse")).unwrap();
    let states = deltas.iter().filter(|delta| matches!(delta, ModelDelta::ReasoningState(_))).count();
    let step = step_of(deltas);
    let details = json!({"details": [
        {"type": "reasoning.text", "text": "First, look.", "format": "anthropic-claude-v1", "index": 0, "signature": "EqQBCkYIBRgC=="},
        {"type": "reasoning.encrypted", "data": "gAAAAABo/x+", "id": "rs_1", "format": "openai-responses-v1", "index": 1},
    ]});
    let thought = thoughts(&step).into_iter().next().unwrap();
    assert_eq!((states, thought.text.as_str(), &thought.opaque), (1, "First, look.", &Some(details)));
    assert_eq!((texts(&step).as_str(), calls_of(&step)), ("I will look.", vec![weather("Oslo")]));
}

#[test]
fn openrouter_6_details_without_text_beside_them_are_readable_thinking() {
    let detail = |piece: &str| json!({"reasoning_details": [{"type": "reasoning.summary", "summary": piece, "index": 0}]});
    let step =
        play(&stream(&[detail("First, "), detail("look."), json!({"content": "Sunny."})], json!("stop")));
    let thought = thoughts(&step).into_iter().next().unwrap();
    assert_eq!(thought.text, "First, look.");
    assert_eq!(thought.opaque.as_ref().unwrap().pointer("/details/0/summary"), Some(&json!("First, look.")));
}

#[test]
fn openrouter_6_encrypted_details_behind_a_call_are_kept_too() {
    let late = json!({"reasoning_details": [{"type": "reasoning.encrypted", "data": "x", "id": "call_a", "index": 0}]});
    let step = play(&stream(&[call(0, "call_a", "b", "{}"), late.clone()], json!("tool_calls")));
    let states: Vec<_> = thoughts(&step).iter().filter_map(|thought| thought.opaque.clone()).collect();
    assert_eq!(states, [json!({"details": late.get("reasoning_details")})]);
}

#[test]
fn openrouter_6_the_native_finish_reason_speaks_only_where_the_other_is_silent() {
    let finish = |normal: Value, native: &str| {
        let chunk = json!({"choices": [{"delta": {"content": "x"}, "finish_reason": normal, "native_finish_reason": native}]});
        play(&format!("data: {chunk}\ndata: [DONE]\n")).finish
    };
    assert_eq!(finish(Value::Null, "MAX_TOKENS"), Finish::Length);
    assert_eq!(finish(json!("stop"), "MAX_TOKENS"), Finish::Stop);
}

#[test]
fn openrouter_6_what_an_answer_cost_is_taken_over() {
    let usage = play(fixture!("reasoning_details.sse")).usage.unwrap();
    assert_eq!((usage.cost_usd, usage.reasoning), (Some(0.00142), 12));
}

#[test]
fn openrouter_6_an_error_in_mid_stream_is_an_error() {
    assert!(deltas_of(Quirks::default(), fixture!("error_mid_stream.sse")).is_err());
}

#[test]
fn deepseek_7_cached_tokens_have_a_field_of_their_own() {
    let usage = play(fixture!("reasoning_content.sse")).usage.unwrap();
    assert_eq!((usage.input, usage.cached, usage.output, usage.reasoning), (30, 10, 12, 5));
}

#[test]
fn mistral_8_thinking_parts_in_the_content_are_thinking() {
    let step = play(fixture!("mistral_thinking.sse"));
    assert_eq!(thoughts(&step).first().map(|thought| thought.text.as_str()), Some("First, look."));
    assert_eq!(texts(&step), "Sunny.");
    let unknown =
        json!({"content": [{"type": "reference", "reference_ids": [1]}, {"type": "text", "text": "x"}, "y"]});
    assert_eq!(texts(&play(&stream(&[unknown], json!("stop")))), "xy");
}

#[test]
fn mistral_8_calls_come_whole_in_one_chunk() {
    let step = play(fixture!("mistral_calls.sse"));
    assert_eq!(
        (calls_of(&step), ids_of(&step)),
        (vec![weather("Oslo"), weather("Rome")], vec![Some("D681PevKs"), Some("9fkz21kq0")])
    );
    assert_eq!(step.usage.map(|usage| usage.total()), Some(12));
}

#[test]
fn xai_9_usage_in_every_chunk_is_told_once() {
    let chunk = |text: &str, tokens: u64, finish: Value| json!({"choices": [{"delta": {"content": text}, "finish_reason": finish}], "usage": {"prompt_tokens": 5, "completion_tokens": tokens}});
    let recorded = format!(
        "data: {}\ndata: {}\ndata: [DONE]\n",
        chunk("a", 1, Value::Null),
        chunk("b", 2, json!("stop"))
    );
    let deltas = deltas_of(Quirks::default(), &recorded).unwrap();
    let usages: Vec<_> = deltas.iter().filter(|delta| matches!(delta, ModelDelta::Usage(_))).collect();
    assert_eq!(usages, [&ModelDelta::Usage(Usage { input: 5, output: 2, ..Usage::default() })]);
}

#[test]
fn llamacpp_10_arguments_token_by_token_and_timings() {
    let step = play(fixture!("llama_cpp.sse"));
    assert_eq!((calls_of(&step), step.usage.map(|usage| usage.total())), (vec![weather("Oslo")], Some(12)));
}

#[test]
fn moonshot_11_usage_in_the_choice_and_ids_with_names() {
    let step = play(fixture!("moonshot.sse"));
    assert_eq!(
        (calls_of(&step), ids_of(&step)),
        (vec![weather("Oslo")], vec![Some("functions.get_weather:0")])
    );
    assert_eq!(step.usage.map(|usage| (usage.input, usage.output, usage.cached)), Some((19, 21, 10)));
}

#[test]
fn groq_11_usage_in_x_groq() {
    let step = play(fixture!("groq.sse"));
    assert_eq!((texts(&step).as_str(), step.usage.map(|usage| usage.total())), ("Sunny.", Some(17)));
}

#[test]
fn azure_11_a_first_chunk_without_model_and_choices() {
    let step = play(fixture!("azure.sse"));
    assert_eq!((texts(&step).as_str(), step.finish), ("Sunny.", Finish::Stop));
}

#[test]
fn copilot_11_text_and_calls_in_two_choices_are_one_answer() {
    let chunk = json!({"choices": [
        {"index": 0, "message": {"content": "Looking."}, "finish_reason": "stop"},
        {"index": 0, "message": {"tool_calls": [{"id": "a", "function": {"name": "get_weather", "arguments": "{\"city\":\"Oslo\"}"}}]}, "finish_reason": "tool_calls"},
    ]});
    let step = play(&format!("data: {chunk}\n"));
    assert_eq!(
        (texts(&step).as_str(), calls_of(&step), step.finish),
        ("Looking.", vec![weather("Oslo")], Finish::Calls)
    );
}

#[test]
fn unknown_fields_and_chunks_are_ignored() {
    let recorded = concat!(
        "data: {\"type\":\"ping\"}\n\ndata: {\"choices\":null,\"obfuscation\":\"x\"}\n\n",
        "data: {\"choices\":[{\"delta\":null,\"logprobs\":{}}],\"message\":\"still here\"}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"x\",\"audio\":{},\"role\":7}}],\"usage\":\"none\"}\n\n",
    );
    assert_eq!(texts(&play(recorded)), "x");
}

#[test]
fn state_that_hangs_on_a_call_is_kept_with_it() {
    let extra = json!({"google": {"thought_signature": "c2ln"}});
    let delta = json!({"tool_calls": [{"id": "a", "extra_content": extra, "function": {"name": "b", "arguments": "{}"}}]});
    let step = play(&stream(&[delta], json!("tool_calls")));
    let state = step.calls.first().and_then(|call| call.state.as_ref()).unwrap();
    assert_eq!(state.value, json!({ "extra_content": extra }));
}

#[test]
fn a_whole_answer_is_a_stream_of_one() {
    let whole = |body: &str| {
        let mut decoder = decoder(Quirks::default());
        let mut out = Vec::new();
        decoder.whole(body, &mut out).unwrap();
        assert!(decoder.is_over());
        step_of(out)
    };
    let step = whole(fixture!("whole_text.json"));
    assert_eq!(
        (texts(&step).as_str(), &step.finish, step.usage.unwrap().cached),
        ("Sunny.", &Finish::Stop, 64)
    );
    let step = whole(fixture!("whole_calls.json"));
    assert_eq!(
        (calls_of(&step), step.finish.clone()),
        (vec![weather("Oslo"), weather("Rome")], Finish::Calls)
    );
    // Details of a whole answer are not put together: they go back as they came.
    let thought = thoughts(&step).into_iter().next().unwrap();
    assert_eq!(thought.text, "First, look.");
    assert_eq!(thought.opaque.as_ref().unwrap().pointer("/details/1/text"), Some(&json!("look.")));
}

#[test]
fn a_whole_answer_that_is_none_is_a_failure() {
    for (body, code) in [
        ("", "malformed"),
        ("<html>Bad gateway</html>", "malformed"),
        ("{}", "malformed"),
        (r#"{"choices":[]}"#, "malformed"),
    ] {
        let failure = decoder(Quirks::default()).whole(body, &mut Vec::new()).unwrap_err();
        assert_eq!(failure.kind.word(), code, "{body}");
    }
    let failure = decoder(Quirks::default()).whole(r#"{"detail":"Not here"}"#, &mut Vec::new()).unwrap_err();
    assert!(failure.message.contains("Not here"), "{failure}");
}

#[test]
fn a_stream_cut_anywhere_before_its_reason_never_finishes() {
    for recorded in [fixture!("text.sse"), fixture!("parallel_calls.sse"), fixture!("reasoning_details.sse")]
    {
        let has_reason = |payload: &str| payload.contains(r#""finish_reason":""#);
        for count in 0..=payloads(recorded).position(has_reason).unwrap() {
            let mut decoder = decoder(Quirks::default());
            let mut out = Vec::new();
            for payload in payloads(recorded).take(count) {
                decoder.frame(None, payload, &mut out).unwrap();
            }
            decoder.end(&mut out).unwrap();
            assert!(!out.iter().any(|delta| matches!(delta, ModelDelta::Finish(_))), "after {count} chunks");
        }
    }
}

#[test]
fn r_32_a_chunk_cut_at_any_byte_is_a_failure() {
    for payload in payloads(fixture!("reasoning_details.sse")).chain(payloads(fixture!("text.sse"))) {
        for (at, _) in payload.char_indices().skip(1).filter(|_| payload != DONE) {
            let piece = payload.get(..at).unwrap();
            let mut out = Vec::new();
            let failure = decoder(Quirks::default()).frame(None, piece, &mut out).unwrap_err();
            assert_eq!((failure.kind.word(), out.len()), ("malformed", 0), "{piece}");
        }
    }
}

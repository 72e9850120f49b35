//! Recorded answers and what they mean.

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::protocol::message::Part;
use windlass_core::protocol::model::{Finish, ModelDelta, Usage};
use windlass_core::protocol::tool::RawArgs;

use crate::quirks::Quirks;
use crate::target::WireKind;
use crate::wire::ollama::decoder;
use crate::wire::recorded::{
    Played, assert_cuts_never_finish, assert_damage_is_survived, calls, play, target,
};

fn play_one(name: &str) -> Played {
    play(decoder(Arc::new(target(WireKind::Ollama, Quirks::default()))), &format!("ollama/{name}"))
}

#[test]
fn text_comes_record_by_record_and_counts_with_the_last() {
    let played = play_one("text.ndjson");
    assert_eq!(played.text(), "The sky, wörld");
    assert_eq!(played.finish(), Some(&Finish::Stop));
    assert_eq!(played.step().usage.unwrap(), Usage { input: 26, output: 282, ..Usage::default() });
    assert!(played.is_over);
}

#[test]
fn ollama_5_thinking_is_a_field_of_its_own() {
    let step = play_one("reasoning.ndjson").step();
    let [Part::Reasoning(thinking), answer] = &step.parts[..] else { panic!("{step:?}") };
    assert_eq!((thinking.text.as_str(), &thinking.opaque), ("Let me count.", &None));
    assert_eq!(*answer, Part::text("Three."));
}

#[test]
fn r_26_text_before_a_call_is_kept_and_a_stop_with_calls_is_a_call_for_calls() {
    let step = play_one("one_call.ndjson").step();
    assert_eq!(step.parts, [Part::text("I will look.")]);
    assert_eq!(calls(&step), [r#"get_weather({"city":"Oslo","days":3})"#]);
    assert_eq!(step.calls[0].provider_id.as_deref(), Some("call_ab12cd34"));
    assert_eq!(step.finish, Finish::Calls);
}

#[test]
fn ollama_5_calls_come_whole_in_several_records_that_all_say_index_zero() {
    let step = play_one("calls_in_several_records.ndjson").step();
    assert_eq!(calls(&step), [r#"get_weather({"city":"Oslo"})"#, r#"get_weather({"city":"Rome"})"#]);
}

#[test]
fn z_24_ids_may_be_missing() {
    let step = play_one("calls_in_several_records.ndjson").step();
    assert!(step.calls.iter().all(|call| call.provider_id.is_none()));
}

#[test]
fn ollama_5_the_reason_may_be_null_and_calls_are_still_calls() {
    let step = play_one("parallel_calls.ndjson").step();
    assert_eq!(calls(&step), [r#"get_weather({"city":"Oslo"})"#, r#"get_weather({"city":"Rome"})"#]);
    assert_eq!(step.finish, Finish::Calls);
    assert_eq!(play_one("null_reason.ndjson").finish(), Some(&Finish::Stop));
}

#[test]
fn call_after_call_after_answer() {
    let steps: Vec<_> = (1..=3).map(|n| play_one(&format!("call_after_call_{n}.ndjson")).step()).collect();
    assert_eq!(calls(&steps[0]), [r#"search_files({"query":"main"})"#]);
    assert_eq!(calls(&steps[1]), [r#"read_file({"path":"src/main.rs"})"#]);
    assert_eq!(steps[2].parts, [Part::text("It starts in main.rs.")]);
}

#[test]
fn z_23_ollama_5_arguments_are_an_object_or_a_text() {
    let step = play_one("odd_arguments.ndjson").step();
    assert_eq!(step.calls[0].args, RawArgs::Text(r#"{"n": 1}"#.to_owned()));
    assert!(matches!(step.calls[4].args, RawArgs::Value(Value::Object(_))));
}

#[test]
fn r_22_no_arguments_are_an_empty_object() {
    let step = play_one("odd_arguments.ndjson").step();
    assert_eq!(calls(&step)[1..4], ["b({})", "c({})", "d({})"]);
}

#[test]
fn r_53_numbers_truths_and_nested_values_survive() {
    let step = play_one("odd_arguments.ndjson").step();
    let args: Value = serde_json::from_str(&step.calls[4].args.to_text()).unwrap();
    let expected = json!({
        "count": 3, "is_final": true, "meta": {"tags": ["a", "b"], "depth": {"n": 2.5}}, "none": null,
    });
    assert_eq!(args, expected);
}

#[test]
fn length_and_load_are_told_apart_from_a_stop() {
    assert_eq!(play_one("length.ndjson").finish(), Some(&Finish::Length));
    assert_eq!(play_one("load.ndjson").finish(), Some(&Finish::Other("load".to_owned())));
}

#[test]
fn r_62_an_error_in_the_stream_is_a_failure() {
    let played = play_one("error.ndjson");
    let failure = played.failure.as_ref().unwrap();
    assert!(failure.message.contains("unexpected EOF"), "{failure}");
    assert_eq!((played.text().as_str(), played.finish()), ("The", None));
}

#[test]
fn a_cut_stream_has_no_finish() {
    let played = play_one("cut.ndjson");
    assert_eq!((played.failure.as_ref(), played.finish(), played.is_over), (None, None, false));
}

#[test]
fn r_32_a_line_that_cannot_be_read_is_a_failure_and_never_text() {
    let played = play_one("malformed.ndjson");
    assert_eq!(played.failure.as_ref().unwrap().kind.word(), "malformed");
    assert_eq!((played.text().as_str(), played.finish()), ("The", None));
}

#[test]
fn a_whole_answer_is_a_stream_of_one() {
    let step = play_one("whole.json").step();
    assert_eq!(calls(&step), [r#"get_weather({"city":"Oslo"})"#]);
    assert_eq!((step.parts.len(), step.finish), (1, Finish::Calls));
}

#[test]
fn what_comes_after_the_end_does_not_end_it_again() {
    let mut decoder = decoder(Arc::new(target(WireKind::Ollama, Quirks::default())));
    let mut out = Vec::new();
    for _ in 0..2 {
        decoder.frame(None, r#"{"done":true,"done_reason":"stop","future":{}}"#, &mut out).unwrap();
    }
    assert_eq!(out, [ModelDelta::Finish(Finish::Stop)]);
}

fn fresh() -> Box<dyn crate::wire::Decode> {
    decoder(Arc::new(target(WireKind::Ollama, Quirks::default())))
}

#[test]
fn no_cut_of_any_stream_looks_like_its_end() {
    assert_cuts_never_finish("ollama", fresh);
}

proptest::proptest! {
    #[test]
    fn damaged_and_shuffled_streams_break_nothing(
        picks in proptest::collection::vec(proptest::arbitrary::any::<(u16, u16, char)>(), 0..40),
    ) {
        assert_damage_is_survived("ollama", fresh, &picks);
    }
}

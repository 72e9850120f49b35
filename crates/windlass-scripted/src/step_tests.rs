use serde_json::json;
use windlass_core::protocol::message::{Part, Reasoning};
use windlass_core::protocol::model::Usage;
use windlass_core::protocol::tool::{RawArgs, RawCall};

use super::*;
use crate::script::Script;

fn steps(text: &str) -> Vec<std::sync::Arc<ScriptedStep>> {
    let script = Script::parse("t", text).unwrap();
    script.runs().into_iter().flatten().collect()
}

fn step(text: &str) -> std::sync::Arc<ScriptedStep> {
    steps(text).into_iter().next().unwrap()
}

fn texts(step: &ScriptedStep) -> Vec<String> {
    let text = |piece| match piece {
        StepPiece::Delta(ModelDelta::Text(text)) => Some(text),
        _ => None,
    };
    step.pieces().into_iter().filter_map(text).collect()
}

fn call_deltas(step: &ScriptedStep) -> Vec<CallDelta> {
    let call = |piece| match piece {
        StepPiece::Delta(ModelDelta::Call(delta)) => Some(delta),
        _ => None,
    };
    step.pieces().into_iter().filter_map(call).collect()
}

#[test]
fn a_step_ends_where_the_model_stops_speaking() {
    let steps = steps(
        "user Hi\nmodel text a\nmodel call 1 x\ntool 1 ok 1\nmodel text b\nmodel end\nmodel text c\nexpect run-ended\nmodel cut",
    );
    let endings: Vec<&StepEnding> = steps.iter().map(|step| &step.ending).collect();
    let finish = |finish| StepEnding::Finish(finish);
    assert_eq!(
        endings,
        [&finish(Finish::Calls), &finish(Finish::Stop), &finish(Finish::Stop), &StepEnding::Cut]
    );
    assert_eq!(steps.iter().map(|step| step.line).collect::<Vec<_>>(), [2, 5, 7, 9]);
}

#[test]
fn an_explicit_end_is_believed_though_there_are_calls() {
    assert_eq!(step("user Hi\nmodel call 1 a\nmodel end stop").ending, StepEnding::Finish(Finish::Stop));
    assert_eq!(step("user Hi\nmodel call 1 a\nmodel end length").ending, StepEnding::Finish(Finish::Length));
}

#[test]
fn checks_of_a_request_belong_to_the_step_after_them() {
    let steps = steps(
        "user Hi\nmodel text a\nexpect-request same-prefix\nexpect-request contains b\nmodel text b\nmodel end\n\
         expect-request lacks c\nmodel text c",
    );
    assert_eq!(steps.iter().map(|step| step.checks.len()).collect::<Vec<_>>(), [0, 2, 1]);
    assert_eq!(steps[1].line, 3);
}

#[test]
fn runs_are_divided_by_messages() {
    let script = Script::parse("t", "user a\nuser b\nmodel text c\nmodel end\nmodel text d").unwrap();
    assert_eq!(script.runs().iter().map(Vec::len).collect::<Vec<_>>(), [0, 2]);
}

#[test]
fn text_streams_word_by_word_and_lines_follow_each_other() {
    let step = step("user Hi\nmodel text Let me  look.\nmodel delay 5ms\nmodel text Now.");
    assert_eq!(texts(&step), ["Let ", "me  ", "look.", "\n", "Now."]);
    assert_eq!(step.said_chars(), 18);
}

#[test]
fn text_streams_in_pieces_of_a_given_length() {
    assert_eq!(texts(&step("chunk 3\nuser Hi\nmodel text äöüab")), ["äöü", "ab"]);
    assert_eq!(texts(&step("chunk all\nuser Hi\nmodel text a b c")), ["a b c"]);
}

#[test]
fn s_16_a_call_streams_its_head_first_and_its_arguments_in_fragments() {
    let deltas = call_deltas(&step("user Hi\nmodel call 7 read_file {\"path\":\"README.md\"}"));
    let head = CallDelta {
        index: Some(0),
        id: Some("script_7".into()),
        name: Some("read_file".into()),
        ..CallDelta::default()
    };
    assert_eq!(deltas[0], head);
    assert!(deltas.len() > 2);
    let args: String = deltas.iter().filter_map(|delta| delta.args_text.clone()).collect();
    assert_eq!(args, "{\"path\":\"README.md\"}");
    assert!(deltas.iter().skip(1).all(|delta| delta.index == Some(0) && delta.id.is_none()));
}

#[test]
fn r_21_calls_can_arrive_in_turns() {
    let text = "interleave true\nchunk 2\nuser Hi\nmodel call 1 a {\"x\":1}\nmodel call 2 b {}\nmodel text t";
    let deltas = call_deltas(&step(text));
    assert_eq!(deltas.iter().map(|delta| delta.index.unwrap()).collect::<Vec<_>>(), [0, 1, 0, 1, 0, 0, 0]);
    let args = |index| -> String {
        let own = deltas.iter().filter(|delta| delta.index == Some(index));
        own.filter_map(|delta| delta.args_text.clone()).collect()
    };
    assert_eq!((args(0), args(1)), ("{\"x\":1}".into(), "{}".into()));
}

#[test]
fn z_23_a_value_call_sends_its_arguments_as_a_value() {
    let step = step("user Hi\nmodel value-call 1 id=- a {\"x\":1}");
    let deltas = call_deltas(&step);
    assert_eq!(deltas[0].id, None);
    assert_eq!(deltas[1].args_value.as_deref(), Some(&json!({"x": 1})));
    assert_eq!(step.complete().unwrap().calls[0].args, RawArgs::Value(json!({"x": 1})));
}

#[test]
fn r_22_a_call_without_arguments_sends_none() {
    let step = step("user Hi\nmodel call 1 a");
    assert_eq!(call_deltas(&step).len(), 1);
    assert_eq!(step.complete().unwrap().calls[0].args, RawArgs::Text(String::new()));
}

#[test]
fn a_complete_step_has_everything_in_order() {
    let text = "user Hi\nmodel reasoning a\nmodel reasoning b\nmodel reasoning-state {\"s\":1}\nmodel reasoning c\n\
                model text d\nmodel call 1 x {}\nmodel text e\nmodel usage input=1 output=2";
    let step = step(text).complete().unwrap();
    let block = |text: &str, opaque| Part::Reasoning(Reasoning { text: text.into(), opaque, model: None });
    let thoughts = [block("a\nb", Some(json!({"s": 1}))), block("c", None)];
    assert_eq!(step.parts, [&thoughts[..], &[Part::text("d"), Part::text("\ne")]].concat());
    assert_eq!(step.usage, Some(Usage { input: 1, output: 2, ..Usage::default() }));
    assert_eq!(step.finish, Finish::Calls);
    let call = RawCall {
        provider_id: Some("script_1".into()),
        name: "x".into(),
        args: RawArgs::Text("{}".into()),
        after_parts: 3,
        state: None,
    };
    assert_eq!(step.calls, [call]);
}

#[test]
fn steps_that_do_not_finish_have_a_failure_or_nothing() {
    let cut = step("user Hi\nmodel text a\nmodel cut");
    assert_eq!((cut.complete(), cut.failure().unwrap().kind.word()), (None, "cut"));
    let failed = step("user Hi\nmodel fail! auth No key");
    assert_eq!(failed.failure(), Some(ModelFailure::fatal("auth", "No key")));
    let hanging = step("user Hi\nmodel text a\nmodel hang");
    assert_eq!((hanging.complete(), hanging.failure()), (None, None));
    assert!(!hanging.pieces().iter().any(|piece| matches!(piece, StepPiece::Delta(ModelDelta::Finish(_)))));
}

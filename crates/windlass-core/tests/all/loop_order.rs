//! Text, thinking and calls keep the order in which the model gave them.

use serde_json::{Value, json};
use windlass_core::profile::Profile;
use windlass_core::protocol::message::{Message, Part, Reasoning};
use windlass_core::protocol::model::{Finish, ModelFailure, ModelStep};
use windlass_core::protocol::tool::RawCall;
use windlass_core::protocol::view::{Entry, SessionView};
use windlass_core::run::{Deadline, Input};

use crate::sim::{Sim, call, named_call};

fn placed(after_parts: usize, call: RawCall) -> RawCall {
    RawCall { after_parts, ..call }
}

fn thought(text: &str, state: Option<Value>) -> Part {
    Part::Reasoning(Reasoning { text: text.into(), opaque: state, model: Some("scripted/test".into()) })
}

/// The parts of a message in short: `think`, `text`, or the name of the call.
fn shape(message: &Message) -> Vec<String> {
    let Message::Assistant { parts } = message else { panic!("no assistant message: {message:?}") };
    let word = |part: &Part| match part {
        Part::Text { text } => text.clone(),
        Part::Reasoning(reasoning) => format!("({})", reasoning.text),
        Part::Call(call) => format!("{}!", call.name),
        Part::Image { .. } => "image".into(),
    };
    parts.iter().map(word).collect()
}

fn step(parts: Vec<Part>, calls: Vec<RawCall>) -> Input {
    Input::ModelEnded(ModelStep { parts, calls, usage: None, finish: Finish::Calls })
}

#[test]
fn calls_stand_in_the_message_where_the_model_made_them() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Go");
    let parts = vec![thought("a", Some(json!("sig"))), Part::text("b"), thought("c", None), Part::text("d")];
    let calls = vec![
        placed(1, call("add", json!({"a": 1}))),
        placed(3, call("look", json!({}))),
        placed(3, call("add", json!({"a": 2}))),
        placed(4, call("add", json!({"a": 3}))),
    ];
    sim.input(step(parts, calls));
    for number in 1..=4 {
        sim.ended(number, json!(number));
    }
    let message = &sim.request().messages[1];
    assert_eq!(shape(message), ["(a)", "add!", "b", "(c)", "look!", "add!", "d", "add!"]);
    let ids: Vec<_> = message.calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_1", "call_2", "call_3", "call_4"]);
}

#[test]
fn a_place_that_cannot_be_is_put_right_and_calls_never_change_their_order() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Go");
    let calls = vec![
        placed(9, call("look", json!({}))),
        placed(0, call("add", json!({"a": 1}))),
        placed(usize::MAX, call("add", json!({"a": 2}))),
    ];
    sim.input(step(vec![Part::text("x"), Part::text("y")], calls));
    for number in 1..=3 {
        sim.ended(number, json!(number));
    }
    assert_eq!(shape(&sim.request().messages[1]), ["x", "y", "look!", "add!", "add!"]);
}

#[test]
fn s_17_calls_that_started_early_keep_their_place_too() {
    let mut sim = Sim::of(Profile { executes_while_streaming: true, ..Profile::default() });
    sim.start("Go");
    let early = placed(1, named_call("p1", "add", json!({"a": 1})));
    sim.input(Input::CallReady(early.clone()));
    sim.ended(1, json!(1));
    let late = placed(2, named_call("p2", "look", json!({})));
    sim.input(step(vec![Part::text("x"), Part::text("y")], vec![early, late]));
    sim.ended(2, json!(2));
    assert_eq!(shape(&sim.request().messages[1]), ["x", "add!", "y", "look!"]);
}

#[test]
fn refused_calls_of_the_final_step_keep_their_place_too() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Go");
    sim.deadline(Deadline::Work);
    sim.input(step(vec![Part::text("x"), Part::text("y")], vec![placed(1, call("look", json!({})))]));
    let transcript = &sim.finished().transcript;
    assert_eq!(shape(&transcript[1]), ["x", "look!", "y"]);
    assert_eq!(Sim::roles(transcript), "user assistant+1 tool");
}

#[test]
fn a_call_read_out_of_text_stands_behind_the_thinking() {
    let mut sim = Sim::of(Profile::edison());
    sim.start("Go");
    let text = Part::text("{\"tool\":\"add\",\"args\":{\"a\":1}}");
    sim.input(Input::ModelEnded(ModelStep { parts: vec![thought("a", None), text], ..ModelStep::text("") }));
    assert_eq!(shape(&sim.run.transcript()[1]), ["(a)", "add!"]);
}

#[test]
fn s_34_a_screen_shows_calls_where_the_model_made_them() {
    let mut sim = Sim::of(Profile { executes_while_streaming: true, ..Profile::default() });
    sim.start("Go");
    let early = placed(1, call("add", json!({"a": 1})));
    sim.input(Input::CallReady(early.clone()));
    sim.input(step(vec![Part::text("x"), Part::text("y")], vec![early, placed(2, call("look", json!({})))]));
    sim.ended(1, json!(1));
    sim.ended(2, json!(2));
    sim.model_fails(ModelFailure::fatal("auth", "no"));
    let view = SessionView::fold(&sim.records());
    let word = |entry: &Entry| match entry {
        Entry::Reasoning { text, .. } | Entry::Text(text) => text.clone(),
        Entry::Call(call) => call.call.name.clone(),
    };
    assert_eq!(view.runs[0].entries.iter().map(word).collect::<Vec<_>>(), ["x", "add", "y", "look"]);
}

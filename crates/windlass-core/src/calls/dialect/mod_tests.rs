use super::*;
use crate::protocol::message::Reasoning;
use crate::protocol::model::Finish;

fn step(parts: Vec<Part>, calls: Vec<RawCall>) -> ModelStep {
    ModelStep { parts, calls, usage: None, finish: Finish::Stop }
}

fn raw(name: &str) -> RawCall {
    RawCall {
        provider_id: Some("p".into()),
        name: name.into(),
        args: RawArgs::Text("{}".into()),
        after_parts: 0,
        state: None,
    }
}

#[test]
fn native_calls_are_calls_in_every_dialect() {
    let parts = vec![Part::text("{\"tool\":\"b\",\"args\":{}}")];
    for dialect in [Dialect::Native, Dialect::Text, Dialect::Field] {
        let reading = read(dialect, step(parts.clone(), vec![raw("a")]));
        assert_eq!(reading, StepReading { parts: parts.clone(), calls: vec![ReadCall::Raw(raw("a"))] });
    }
}

#[test]
fn text_that_was_a_call_is_taken_out_and_thinking_stays() {
    let thought = Part::Reasoning(Reasoning { text: "hm".into(), ..Reasoning::default() });
    let said = vec![thought.clone(), Part::text("{\"tool\":\"b\","), Part::text("\"args\":{}}")];
    let reading = read(Dialect::Text, step(said.clone(), Vec::new()));
    assert_eq!(reading.parts, vec![thought]);
    assert_eq!(reading.calls.len(), 1);
    let native = read(Dialect::Native, step(said.clone(), Vec::new()));
    assert_eq!(native, StepReading { parts: said, calls: Vec::new() });
}

#[test]
fn a_structured_output_stays_whole_whether_it_calls_or_not() {
    for (output, calls) in [(r#"{"response":"x","tool_call":{"name":"a"}}"#, 1), (r#"{"response":"x"}"#, 0)] {
        let reading = read(Dialect::Field, step(vec![Part::text(output)], Vec::new()));
        assert_eq!((reading.parts, reading.calls.len()), (vec![Part::text(output)], calls));
    }
}

#[test]
fn an_answer_stays_as_it_is() {
    let parts = vec![Part::text("Hello")];
    let reading = read(Dialect::Text, step(parts.clone(), Vec::new()));
    assert_eq!(reading, StepReading { parts, calls: Vec::new() });
}

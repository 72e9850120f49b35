use serde_json::{Value, json};
use windlass_core::protocol::model::{CallDelta, Finish};

use super::*;
use crate::routes::openai::request::ChatRequest;

fn relay(body: Value) -> Relay {
    let request: ChatRequest = serde_json::from_value(body).unwrap();
    Relay::new("step-1-1".into(), &ChatWishes::read(request).unwrap(), Redactor::default())
}

fn with_tool() -> Value {
    json!({
        "messages": [{"role": "user", "content": "Go."}],
        "tools": [{"type": "function", "function": {"name": "look"}}],
    })
}

fn call(id: Option<&str>, name: Option<&str>, text: Option<&str>, value: Option<Value>) -> ModelDelta {
    ModelDelta::Call(CallDelta {
        id: id.map(str::to_owned),
        name: name.map(str::to_owned),
        args_text: text.map(str::to_owned),
        args_value: value.map(Box::new),
        ..CallDelta::default()
    })
}

/// Ids and names, and the arguments, of the calls in some chunks.
fn handed(written: &str) -> Vec<(Vec<String>, String)> {
    let mut calls: Vec<(Vec<String>, String)> = Vec::new();
    for frame in written.split("\n\n").filter_map(|frame| frame.strip_prefix("data: {")) {
        let frame: Value = serde_json::from_str(&format!("{{{frame}")).unwrap();
        for piece in frame["choices"][0]["delta"]["tool_calls"].as_array().into_iter().flatten() {
            let index = piece["index"].as_u64().unwrap() as usize;
            calls.resize(calls.len().max(index + 1), Default::default());
            calls[index].0.extend(piece.get("id").and_then(Value::as_str).map(str::to_owned));
            calls[index].1.push_str(piece["function"]["arguments"].as_str().unwrap());
        }
    }
    calls
}

#[test]
fn arguments_that_come_as_a_value_are_handed_on_as_text() {
    let mut relay = relay(with_tool());
    let mut written = relay.take(call(None, Some("look"), None, Some(json!({"a": 1}))));
    relay.take(ModelDelta::Finish(Finish::Calls));
    written.push_str(&relay.end());
    let calls = handed(&written);
    assert_eq!(
        calls,
        [(vec!["call_1-1_0".to_owned()], "{\"a\":1}".to_owned())],
        "an id is made where there is none"
    );
    assert!(written.contains("\"finish_reason\":\"tool_calls\""));
}

#[test]
fn r_36_two_calls_with_one_id_get_two() {
    let mut relay = relay(with_tool());
    let mut written = String::new();
    for text in ["{\"a\":1}", "{\"a\":2}"] {
        let index = if text.contains('1') { 0 } else { 1 };
        let delta = CallDelta {
            index: Some(index),
            id: Some("same".into()),
            name: Some("look".into()),
            args_text: Some(text.into()),
            ..CallDelta::default()
        };
        written.push_str(&relay.take(ModelDelta::Call(delta)));
    }
    relay.take(ModelDelta::Finish(Finish::Calls));
    written.push_str(&relay.end());
    let calls = handed(&written);
    assert_eq!(calls[0], (vec!["same".to_owned()], "{\"a\":1}".to_owned()));
    assert_eq!(calls[1], (vec!["call_1-1_1".to_owned()], "{\"a\":2}".to_owned()));
}

#[test]
fn a_name_that_comes_late_is_waited_for() {
    let mut relay = relay(with_tool());
    assert_eq!(relay.take(call(Some("x"), None, Some("{\"a\":"), None)), "");
    let written = relay.take(call(None, Some("look"), Some("1}"), None));
    assert_eq!(handed(&written), [(vec!["x".to_owned()], "{\"a\":1}".to_owned())]);
}

#[test]
fn an_answer_that_was_cut_off_is_a_failure() {
    let mut relay = relay(with_tool());
    relay.take(ModelDelta::Text("Well".into()));
    assert!(relay.end().contains("\"code\":\"cut\""));
    assert_eq!(relay.into_whole().unwrap_err().kind.word(), "cut");
}

#[test]
fn a_secret_in_pieces_does_not_leave_in_text_and_arguments_leave_as_they_are() {
    let request: ChatRequest = serde_json::from_value(with_tool()).unwrap();
    let redactor = Redactor::new(["planted-secret".into()]);
    let mut relay = Relay::new("step-1-1".into(), &ChatWishes::read(request).unwrap(), redactor);
    let mut written = String::new();
    for delta in [
        ModelDelta::Reasoning("I see pla".into()),
        ModelDelta::Reasoning("nted-secret".into()),
        ModelDelta::Text("It is planted-".into()),
        ModelDelta::Text("secret, or p".into()),
        call(Some("x"), Some("look"), Some("{\"key\":\"plant"), None),
        call(None, None, Some("ed-secret\"}"), None),
        ModelDelta::Finish(Finish::Calls),
    ] {
        written.push_str(&relay.take(delta));
    }
    written.push_str(&relay.end());
    assert_eq!(handed(&written), [(vec!["x".to_owned()], "{\"key\":\"planted-secret\"}".to_owned())]);
    let words: String = written.lines().filter(|line| !line.contains("tool_calls")).collect();
    for part in ["planted", "-secret", "nted"] {
        assert!(!words.contains(part), "{words}");
    }
    assert!(
        written.contains("\"It is \"") && written.contains("\"***, or \"") && written.contains("\"p\""),
        "{written}"
    );
}

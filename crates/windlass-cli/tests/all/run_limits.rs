//! Limits and the form of one run over HTTP: they hold, also after the server was killed, and wrong ones are named.

use serde_json::{Value, json};

use crate::place::Place;
use crate::serve::Served;

/// Two steps with a call, 1,000 tokens and 4 cents each, and an answer.
const SUMS: &str = r#"user Go.
model call 1 calculate {"expression":"1+1"}
model usage input=900 output=100 cost_usd=0.04
model end
model call 2 calculate {"expression":"2+2"}
model usage input=900 output=100 cost_usd=0.04
model end
model text I got as far as four.
"#;

/// The same, but the second step never comes to its end.
const HANGS: &str = r#"user Go.
model call 1 calculate {"expression":"1+1"}
model usage input=900 output=100 cost_usd=0.04
model end
model text Wait
model hang
model text I got as far as two.
"#;

/// Each limit that such a run reaches in its second step, and what it is called then.
fn limits() -> [(Value, &'static str); 3] {
    [
        (json!({"calls_max": 1}), "calls_max"),
        (json!({"tokens_max": 2_500}), "tokens_max"),
        (json!({"cost_usd_max": 0.1}), "cost_max"),
    ]
}

/// Starts a run in a session of its own; its id.
fn start(served: &Served, mut wish: Value) -> String {
    wish["message"] = "Go.".into();
    let session = served.json("POST /api/sessions", "{}");
    let path = format!("POST /api/sessions/{}/runs", session["session_id"].as_str().unwrap());
    served.json(&path, &wish.to_string())["run_id"].as_str().unwrap().to_owned()
}

/// How a run ended and why, once it has.
fn end(served: &Served, run: &str) -> (String, String) {
    let done = served.first(run, "done");
    let word = |field: &str| done[field].as_str().unwrap().to_owned();
    (word("outcome"), word("reason"))
}

fn limited(reason: &str) -> (String, String) {
    ("limit_reached".to_owned(), reason.to_owned())
}

#[test]
fn each_limit_of_a_run_holds_over_http() {
    let place = Place::with(&[("a.script", SUMS), ("b.script", HANGS)]);
    let served = Served::start(&place, &[]);
    for (wish, reason) in limits() {
        let run = start(&served, wish);
        assert_eq!(end(&served, &run), limited(reason));
        let trace = served.json(&format!("GET /api/runs/{run}/trace"), "");
        assert_eq!(trace["answer"], "I got as far as four.");
    }
    let late = start(&served, json!({"run_timeout_ms": 400, "model": "scripted/b.script"}));
    assert_eq!(end(&served, &late), limited("deadline"));
    assert_eq!(end(&served, &start(&served, json!({}))), ("completed".to_owned(), "answered".to_owned()));
    assert_eq!(served.stop().0, Some(0));
}

#[test]
fn each_limit_of_a_run_holds_after_the_server_was_killed() {
    for (wish, reason) in limits() {
        let place = Place::with(&[("a.script", HANGS)]);
        let served = Served::start(&place, &[]);
        let run = start(&served, wish);
        served.wait_for(&run, "text");
        served.kill();
        place.write("a.script", SUMS);
        let served = Served::start(&place, &[]);
        assert_eq!(end(&served, &run), limited(reason));
        assert_eq!(served.stop().0, Some(0));
    }
}

#[test]
fn a_form_of_a_run_is_held_to_over_http_and_wrong_wishes_are_named() {
    let script = "user Go.\nmodel text Two.\nmodel end\nmodel text {\"sum\":2}\n";
    let served = Served::start(&Place::with(&[("a.script", script)]), &[]);
    let schema = json!({"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]});
    let run = start(&served, json!({"form": {"name": "Sum", "schema": schema}}));
    assert_eq!(end(&served, &run), ("completed".to_owned(), "answered".to_owned()));
    let trace = served.json(&format!("GET /api/runs/{run}/trace"), "");
    assert_eq!(trace["answer"], "{\"sum\":2}");
    let session = served.json("POST /api/sessions", "{}");
    let path = format!("POST /api/sessions/{}/runs", session["session_id"].as_str().unwrap());
    for (field, value) in [
        ("form", json!({"name": "Sum", "schema": {"type": "sum"}})),
        ("calls_max", json!(0)),
        ("tokens_max", json!(-1)),
        ("cost_usd_max", json!(0.0)),
        ("run_timeout_ms", json!(1e15)),
    ] {
        let (status, said) = served.ask(&path, &json!({"message": "Go.", field: value}).to_string());
        assert_eq!(status, 400, "{field}: {said}");
        assert!(said.contains(&format!("\"field\":\"{field}\"")), "{field}: {said}");
    }
    assert_eq!(served.stop().0, Some(0));
}

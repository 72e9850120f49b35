//! `windlass models eval`: a model that answers by a list is asked a set of requests.

use serde_json::{Value, json};

use crate::place::{Place, Said};
use crate::server::Server;

const SET: &str = r#"{"user":"open a.txt","expect":{"name":"read_file","arguments":{"path":"a.txt"}}}
{"user":"what is here","expect":{"name":"get_file_tree","arguments":{}}}
{"user":"six times seven","expect":{"name":"calculate","arguments":{"expression":"6*7"}},"accept_value":{"expression":42}}
{"user":"hello","expect":null,"kind":"greeting"}
{"user":"mark it","expect":{"name":"update_task","arguments":{"task_id":"task_1","status":"completed"}}}
{"user":"open a.txt, then list my tasks","steps":[{"name":"read_file","arguments":{"path":"a.txt"}},{"name":"list_tasks","arguments":{}}],"expect":{"name":"read_file","arguments":{"path":"a.txt"}}}
"#;

/// What the model calls after a message, and after the outcome of its first call.
fn call_for(user: &str, has_outcome: bool) -> Option<(&'static str, &'static str)> {
    match (user, has_outcome) {
        ("open a.txt", _) => Some(("read_file", "{\"path\":\"b.txt\"}")),
        ("what is here", _) => Some(("get_file_tree", "{}")),
        ("six times seven", _) => Some(("calculate", "{\"expression\":\"7 * 6\"}")),
        ("mark it", _) => Some(("update_task", "{\"task_id\":7,\"status\":\"completed\"}")),
        ("open a.txt, then list my tasks", false) => Some(("read_file", "{\"path\":\"a.txt\"}")),
        ("open a.txt, then list my tasks", true) => Some(("list_tasks", "{}")),
        _ => None,
    }
}

/// One answer of the chat wire.
fn answer(request: &str) -> Vec<u8> {
    let body: Value = serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
    let messages = body["messages"].as_array().unwrap();
    let user = messages.iter().find(|message| message["role"] == "user").unwrap();
    let user = user["content"].as_str().unwrap_or_else(|| user["content"][0]["text"].as_str().unwrap());
    let has_outcome = messages.iter().any(|message| message["role"] == "tool");
    let (delta, finish) = match call_for(user, has_outcome) {
        None => (json!({"content": "Hello."}), "stop"),
        Some((name, arguments)) => {
            let call = json!({"index": 0, "id": "c1", "function": {"name": name, "arguments": arguments}});
            (json!({"tool_calls": [call]}), "tool_calls")
        }
    };
    let event = |value: Value| format!("data: {value}\n\n");
    let events = event(json!({"choices": [{"index": 0, "delta": delta}]}))
        + event(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})).as_str()
        + "data: [DONE]\n\n";
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{events}")
        .into_bytes()
}

fn eval(place: &Place, server: &Server, args: &[&str]) -> Said {
    let address = server.address("/v1");
    let line = ["models", "eval", "openai-compatible/listed", "--set", "set.jsonl"];
    place.windlass_with(&[&line, args].concat(), &[("WINDLASS_BASE_URL", &address)])
}

#[test]
fn a_model_is_measured_on_a_set_and_nothing_is_run() {
    let place = Place::with(&[("set.jsonl", SET)]);
    let server = Server::answering(answer);
    let said = eval(&place, &server, &["--json"]).exits(0);
    let figures = said.json();
    assert_eq!(figures["cases"], 6);
    assert_eq!(figures["tool_choice"], json!({"right": 5, "of": 5}), "{}", said.out);
    assert_eq!(figures["call_right"], json!({"right": 3, "of": 5}), "{}", said.out);
    assert_eq!(figures["left_alone"], json!({"right": 1, "of": 1}));
    assert_eq!(figures["several_steps"], json!({"right": 1, "of": 1}));
    assert_eq!((&figures["malformed"], &figures["calls"]), (&json!(1), &json!(6)));
    assert_eq!((&figures["model"], &figures["is_whole"]), (&json!("openai-compatible/listed"), &json!(true)));
    assert!(figures["step_ms"]["p50"].as_f64().unwrap() > 0.0 && figures.get("misses").is_none());
    assert!(figures["memory_peak_bytes"].is_u64() || cfg!(not(target_os = "linux")));
    let heard = server.heard();
    assert!(
        heard.contains("\"update_task\"") && heard.contains("You help the user"),
        "tools and system text go along"
    );
    assert!(!place.data_folder().join("windlass.db").exists(), "no session is kept");
}

#[test]
fn people_get_a_table_and_the_misses_they_ask_for() {
    let place = Place::with(&[("set.jsonl", SET)]);
    let server = Server::answering(answer);
    let said = eval(&place, &server, &["--show-misses"]).exits(0);
    for text in [
        "tool choice                  100.0 %",
        "call fully right             60.0 %",
        "malformed calls              1",
        "of 6 calls",
        "a step, median",
        "(no tool)",
        "1: open a.txt",
        "expected  read_file {\"path\":\"a.txt\"}",
        "made      read_file {\"path\":\"b.txt\"}",
        "5: mark it",
        "because",
    ] {
        assert!(said.out.contains(text), "no '{text}' in {}", said.out);
    }
}

#[test]
fn a_set_that_cannot_be_read_and_a_model_that_does_not_answer_are_told() {
    let place = Place::with(&[("set.jsonl", "{\"user\":\"a\",\"expect\":null}\n{\"user\":\"b\"}\n")]);
    let silent = Server::start(&[]);
    eval(&place, &silent, &[]).complains(2, &["'expect' is missing", "set.jsonl:2", "docs/local-models.md"]);
    place.write("set.jsonl", SET);
    eval(&place, &silent, &[]).complains(1, &["'openai-compatible/listed' does not answer"]);
    place
        .windlass(&["models", "eval", "--set", "nowhere.jsonl"])
        .complains(2, &["nowhere.jsonl could not be read"]);
}

#[test]
fn without_a_set_the_usual_requests_are_asked() {
    let place = Place::new();
    let server = Server::answering(answer);
    let address = server.address("/v1");
    let said = place
        .windlass_with(
            &["models", "eval", "openai-compatible/listed", "--json"],
            &[("WINDLASS_BASE_URL", &address)],
        )
        .exits(0);
    let figures = said.json();
    assert_eq!(figures["set"], "the usual requests");
    assert_eq!(figures["cases"], 40);
    assert_eq!(figures["left_alone"]["of"], 6);
    assert_eq!(figures["failed"], 0);
}

#[cfg(unix)]
#[test]
fn ctrl_c_shows_what_was_done_so_far() {
    use std::process::Stdio;
    use std::sync::mpsc::channel;

    let place = Place::with(&[("set.jsonl", SET)]);
    let (begun, has_begun) = channel();
    let server = Server::answering(move |request| {
        if request.contains("six times seven") {
            begun.send(()).unwrap();
            // Never answered: the client has gone when this is over.
            std::thread::park_timeout(std::time::Duration::from_secs(20));
        }
        answer(request)
    });
    let address = server.address("/v1");
    let child = place
        .command(&["models", "eval", "openai-compatible/listed", "--set", "set.jsonl"])
        .env("WINDLASS_BASE_URL", &address)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    has_begun.recv().unwrap();
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let said = Said::of(child.wait_with_output().unwrap()).exits(130);
    assert!(said.out.contains("after 2 of 6 requests") && said.out.contains("tool choice"), "{}", said.out);
}

//! A run that is cancelled while its model still writes a call as text: over HTTP, by its request's and by its own id, and
//! by Ctrl-C. Half a call is neither shown nor kept.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::place::Place;
use crate::serve::Served;

const KEY: (&str, &str) = ("OPENAI_API_KEY", "sk-windlass-test-0123456789abcdef");
const MODEL: [&str; 2] = ["--model", "openai-compatible/m"];
/// The thought behind half a call: whoever sees it knows that the half was heard.
const THOUGHT: &str = "I am still writing this call down, one piece after the other, and it takes its time. ";

/// A provider whose first answer is the beginning of a call and stays open; the next ones are whole.
struct SlowProvider {
    address: String,
    heard: Arc<Mutex<Vec<String>>>,
}

impl SlowProvider {
    fn start(half: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = Arc::clone(&heard);
        thread::spawn(move || {
            let mut open = Vec::new();
            for mut stream in listener.incoming().flatten() {
                let Some(body) = body_of(&stream) else { continue };
                let is_first = {
                    let mut ears = ears.lock().unwrap();
                    ears.push(body);
                    ears.len() == 1
                };
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
                let _ = stream.write_all(head.as_bytes());
                if is_first {
                    let _ = stream.write_all(piece(&json!({"content": half}), &Value::Null).as_bytes());
                    let thought = piece(&json!({"reasoning_content": THOUGHT}), &Value::Null);
                    let _ = stream.write_all(thought.as_bytes());
                    open.push(stream);
                } else {
                    let _ = stream.write_all(piece(&json!({"content": "Fine."}), &"stop".into()).as_bytes());
                    let _ = stream.write_all(b"data: [DONE]\n\n");
                }
            }
        });
        Self { address, heard }
    }

    fn place(&self) -> Place {
        let place = Place::new();
        place.configure(&format!("[providers.openai-compatible]\nbase_url = \"{}\"\n", self.address));
        place
    }

    fn last(&self) -> String {
        self.heard.lock().unwrap().last().cloned().unwrap()
    }
}

fn piece(delta: &Value, finish: &Value) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    format!("data: {}\n\n", json!({"id": "x", "object": "chat.completion.chunk", "choices": [choice]}))
}

fn body_of(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while reader.read_line(&mut head).ok()? > 2 {}
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(String::from_utf8_lossy(&body).into_owned())
}

/// The run that goes on, once its model has thought.
fn run_of(served: &Served) -> String {
    loop {
        let runs = served.json("GET /api/runs", "");
        if let Some(run) = runs["runs"].as_array().and_then(|runs| runs.first()) {
            let run = run["run_id"].as_str().unwrap().to_owned();
            served.wait_for(&run, "reasoning");
            return run;
        }
    }
}

/// What is kept of a run says nothing of half a call, and the next request of the chat neither.
fn assert_forgotten(provider: &SlowProvider, served: &Served, run: &str, half: &str) {
    let trace = served.json(&format!("GET /api/runs/{run}/trace"), "");
    assert_eq!((&trace["answer"], &trace["outcome"]), (&json!("Generation cancelled"), &json!("cancelled")));
    assert!(!trace.to_string().contains(half), "{trace}");
    let (_, events) = served.ask(&format!("GET /api/runs/{run}/events"), "");
    assert!(!events.contains(half), "{events}");
    let next = served.json("POST /chat", &json!({"message": "And now?", "chat_id": "c1"}).to_string());
    assert_eq!(next["response"], "Fine.", "{next}");
    assert!(!provider.last().contains(half), "{}", provider.last());
}

#[test]
fn u_34_a_chat_that_is_cancelled_in_the_middle_of_a_call_keeps_no_half_of_it() {
    let provider = SlowProvider::start("{\"tool\":\"web_sea");
    let place = provider.place();
    let served = Served::start_with(&place, &MODEL, &[KEY]);
    let (answer, run) = thread::scope(|scope| {
        let asked = scope.spawn(|| {
            served.json("POST /chat", "{\"message\":\"Search\",\"chat_id\":\"c1\",\"mode\":\"agent\"}")
        });
        let run = run_of(&served);
        served.json(&format!("POST /api/runs/{run}/cancel"), "{}");
        (asked.join().unwrap(), run)
    });
    assert_eq!(
        (&answer["response"], &answer["stopped"]),
        (&json!("Generation cancelled"), &json!(true)),
        "{answer}"
    );
    assert_forgotten(&provider, &served, &run, "web_sea");
}

#[test]
fn u_34_a_stream_that_is_cancelled_by_its_request_shows_no_half_of_a_call() {
    for format in ["edison", "v1.1"] {
        let provider = SlowProvider::start("```json\n{\"tool\":\"web_sea");
        let place = provider.place();
        let served = Served::start_with(&place, &MODEL, &[KEY]);
        let head = format!("POST /chat/stream?format={format}");
        let (shown, run) = thread::scope(|scope| {
            let asked = scope.spawn(|| {
                let body = json!({"message": "Search", "chat_id": "c1", "mode": "agent", "request_id": "r1"});
                served.ask(&head, &body.to_string()).1
            });
            let run = run_of(&served);
            let cancelled = served.json("POST /chat/cancel", "{\"request_id\":\"r1\"}");
            assert_eq!(cancelled["status"], "cancelled");
            (asked.join().unwrap(), run)
        });
        assert!(!shown.contains("web_sea"), "{shown}");
        assert!(shown.contains("\"stopped\":true") || shown.contains("\"outcome\":\"cancelled\""), "{shown}");
        assert_forgotten(&provider, &served, &run, "web_sea");
    }
}

#[test]
fn u_34_ctrl_c_in_the_middle_of_a_call_prints_no_half_of_it() {
    for (profile, half) in [("edison", "{\"tool\":\"web_sea"), ("dspy", "{\"tool_call\":{\"name\":\"web_sea")]
    {
        let provider = SlowProvider::start(half);
        let place = provider.place();
        let args = [&["run", "--profile", profile, "--json"], &MODEL[..], &["Search"]].concat();
        let mut child =
            place.command(&args).envs([KEY]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut shown = String::new();
        while !shown.contains("\"type\":\"reasoning\"") {
            assert_ne!(out.read_line(&mut shown).unwrap(), 0, "{shown}");
        }
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        out.read_to_string(&mut shown).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{shown}");
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        assert!(!shown.contains("web_sea") && !err.contains("web_sea"), "{profile}: {shown}\n{err}");
        let last: Value = serde_json::from_str(shown.lines().last().unwrap()).unwrap();
        assert_eq!(last["outcome"], "cancelled", "{shown}");
        // What is kept, and what a person reads of it later.
        let kept = place.windlass(&["runs", "show", last["run_id"].as_str().unwrap()]).exits(0);
        assert!(!kept.out.contains("web_sea"), "{}", kept.out);
    }
}

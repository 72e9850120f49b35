//! The run of the crash matrix: twenty calls, with everything that can be asked of a run, in a server that dies where it
//! is told to and in another one, under another configuration, that takes the run up again.
//!
//! What calls do is counted outside the process: by lines in files that commands append to, by marks that edits leave, by
//! the keys that `append_line` writes. What the model was sent is what a provider on loopback heard.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::place::Place;
use crate::serve::Served;
use crate::server::Server;

/// Each step of the model: its words and its calls. Pure, read, write (idempotent and not), external (idempotent, with
/// a probe, with neither).
const STEPS: [(&str, &[(&str, &str)]); 12] = [
    (
        "First I look around.",
        &[
            ("calculate", r#"{"expression":"19 + 23"}"#),
            ("read_file", r#"{"path":"marks.txt"}"#),
            ("get_file_tree", r#"{"path":"src"}"#),
        ],
    ),
    ("", &[("add_task", r#"{"content":"count"}"#)]),
    ("", &[("execute_command", r#"{"command":"echo call_5 >> effects"}"#)]),
    ("On with it.", &[("write_file", r#"{"path":"out.txt","content":"written\n"}"#)]),
    ("", &[("edit_file", r#"{"path":"marks.txt","edits":[{"old":"mark:","new":"mark:|"}]}"#)]),
    ("", &[("append_line", r#"{"file":"keys"}"#)]),
    (
        "",
        &[
            ("search_text", r#"{"pattern":"hello","path":"a.txt"}"#),
            ("calculate", r#"{"expression":"6 * 7"}"#),
        ],
    ),
    (
        "Tasks next.",
        &[("update_task", r#"{"task_id":"task_1","status":"in_progress"}"#), ("list_tasks", "{}")],
    ),
    (
        "",
        &[
            ("execute_command", r#"{"command":"echo call_13 >> effects"}"#),
            (
                "edit_file",
                r#"{"path":"more.txt","edits":[{"old":"mark:","new":"mark:|"}],"expected_sha256":"cea8a370647858df3c1308018c0caed82065fbc051f78c1ffaf523b77ce11934"}"#,
            ),
            ("read_file", r#"{"path":"b.txt"}"#),
        ],
    ),
    (
        "",
        &[
            ("append_line", r#"{"file":"keys"}"#),
            ("execute_command", r#"{"command":"echo call_17 >> effects"}"#),
            ("write_file", r#"{"path":"out2.txt","content":"again\n"}"#),
        ],
    ),
    (
        "",
        &[
            ("execute_command", r#"{"command":"echo call_19 >> effects"}"#),
            ("calculate", r#"{"expression":"2 ** 10"}"#),
        ],
    ),
    (r#"{"response":"All of it is done."}"#, &[]),
];

/// All that may be called: more than is.
const TOOLS: [&str; 12] = [
    "add_task",
    "append_line",
    "calculate",
    "edit_file",
    "execute_command",
    "get_current_time",
    "get_file_tree",
    "list_tasks",
    "read_file",
    "search_text",
    "update_task",
    "write_file",
];

/// What nobody is asked about; commands are.
const ALLOWED: [&str; 5] = ["write_file", "edit_file", "read_file", "search_text", "get_file_tree"];

const KEY: (&str, &str) = ("OPENAI_API_KEY", "sk-windlass-test-0123456789abcdef");

const MANIFEST: &str = r#"{"version": "1.0", "modules": {"do.all": {"path": "do.json"}}}"#;

const MODULE: &str = r#"{
  "module_id": "do.all",
  "predictor_type": "react",
  "signature": {
    "inputs": [{"name": "query", "description": "What is asked"}],
    "outputs": [{"name": "response", "description": "What is told"}]
  },
  "instruction": "Do all of it.",
  "tool_enabled": true,
  "metadata": {"version": "1.0.0"}
}"#;

/// Where a server dies: a variable of builds with crash points, and its value.
pub(crate) type Death<'a> = (&'a str, &'a str);

/// What became of the run.
pub(crate) struct Played {
    pub(crate) place: Place,
    /// The bodies of all requests to the provider, in order; a step that was cut off is asked for again.
    pub(crate) requests: Vec<String>,
    /// The run as `runs show` tells it, without what differs from time to time.
    pub(crate) story: Value,
    /// How many of the deaths came.
    pub(crate) deaths: usize,
}

/// A place, the provider it talks to, and what is asked of the run.
struct Stage {
    place: Place,
    provider: Server,
    has_module: bool,
}

/// Plays the run; each death ends one server, and the next one takes the run up.
pub(crate) fn play(has_module: bool, deaths: &[Death<'_>]) -> Played {
    let place = Place::trusting(&[
        ("a.txt", "hello\n"),
        ("b.txt", "world\n"),
        ("src/c.txt", "tree\n"),
        ("marks.txt", "mark:\n"),
        ("more.txt", "mark:\n"),
        (".windlass/modules/manifest.json", MANIFEST),
        (".windlass/modules/do.json", MODULE),
    ]);
    let stage = Stage { place, provider: provider(), has_module };
    let mut died = 0;
    let mut lives = deaths.iter().copied().map(Some).chain([None]);
    loop {
        let death = lives.next().expect("the last life has no death");
        if stage.live(death) {
            break;
        }
        died += 1;
    }
    let Stage { place, provider, .. } = stage;
    Played { requests: provider.bodies(), story: story(&place), place, deaths: died }
}

impl Stage {
    /// One server, from its start to the end of the run or to its own; whether the run ended.
    fn live(&self, death: Option<Death<'_>>) -> bool {
        let begun = self.run_on_record();
        if begun.as_ref().is_some_and(|run| run["outcome"].is_string()) {
            return true;
        }
        if begun.is_none() {
            let none = effects(&self.place).values().all(|count| *count == 0);
            assert!(none, "{death:?}: what is not on record has not happened");
        }
        self.configure(begun.is_some());
        let mut args = match begun {
            None => vec!["--model", "openai-chat/first", "--profile", "zodo", "--approve", "ask"],
            Some(_) => vec!["--model", "openai-chat/second", "--profile", "studio", "--approve", "all"],
        };
        args.extend(ALLOWED.iter().flat_map(|rule| ["--allow", rule]));
        let vars = [&[KEY, ("CRASH_TOOLS", "1")][..], death.as_slice()].concat();
        let mut served = Served::start_with(&self.place, &args, &vars);
        let run = match &begun {
            Some(run) => run["run_id"].as_str().map(str::to_owned),
            None => self.begin(&served),
        };
        let has_ended = run.is_some_and(|run| follow(&served, &run));
        if !has_ended {
            served.wait_for_death();
        }
        has_ended
    }

    /// Everything that a configuration can say is another thing once the run is on record.
    fn configure(&self, is_begun: bool) {
        let said = if is_begun {
            "system = \"Another system text.\"\n[limits]\nsteps_max = 2\n"
        } else {
            "system = \"The first system text.\"\n"
        };
        let provider = format!("[providers.openai-chat]\nbase_url = \"{}\"\n", self.provider.address(""));
        self.place.configure(&format!("{said}{provider}"));
    }

    /// Asks for the run, with wishes of every kind.
    fn begin(&self, served: &Served) -> Option<String> {
        let session = post(served, "/api/sessions", &json!({"profile": "default"}))?;
        let mut wishes = json!({
            "message": "Do all of it", "steps_max": 15, "system": "Work with care.", "tools": TOOLS, "temperature": 0.25,
        });
        if self.has_module {
            wishes["model"] = "module/do.all".into();
        }
        let path = format!("/api/sessions/{}/runs", session["session_id"].as_str()?);
        let run = post(served, &path, &wishes)?;
        Some(run["run_id"].as_str().unwrap_or_else(|| panic!("{run}")).to_owned())
    }

    fn run_on_record(&self) -> Option<Value> {
        let listed = self.place.windlass(&["runs", "list", "--json"]).exits(0).json();
        listed.get(0).cloned()
    }
}

/// A provider that plays the steps: how far it is it sees from the request.
fn provider() -> Server {
    Server::answering(|request| {
        let (_, body) = request.split_once("\r\n\r\n").unwrap();
        let body: Value = serde_json::from_str(body).unwrap();
        let said =
            body["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "assistant");
        let at = said.count();
        let (words, calls) = STEPS.get(at).copied().unwrap_or(("There is no more.", &[]));
        let before: usize = STEPS.iter().take(at).map(|(_, calls)| calls.len()).sum();
        let calls: Vec<Value> = calls
            .iter()
            .enumerate()
            .map(|(index, (name, arguments))| {
                let function = json!({"name": name, "arguments": arguments});
                json!({"index": index, "id": given_id(before + index + 1), "type": "function", "function": function})
            })
            .collect();
        let finish = if calls.is_empty() { "stop" } else { "tool_calls" };
        let piece = |delta: Value, finish: Value| {
            let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
            let chunk = json!({"id": "x", "object": "chat.completion.chunk", "choices": [choice]});
            format!("data: {chunk}\n\n")
        };
        let words = piece(json!({"role": "assistant", "content": words}), Value::Null);
        let calls = piece(json!({"tool_calls": calls}), Value::Null);
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        format!("{head}{words}{calls}{}data: [DONE]\n\n", piece(json!({}), finish.into())).into_bytes()
    })
}

/// The provider's own name of a call.
pub(crate) fn given_id(number: usize) -> String {
    format!("given_{number}")
}

/// Follows a run and answers its questions; whether it ended before its server did.
fn follow(served: &Served, run: &str) -> bool {
    let Ok(mut stream) = TcpStream::connect(served.address()) else { return false };
    let (host, key) = (served.address(), served.key());
    let head = format!("GET /api/runs/{run}/events HTTP/1.1\r\nhost: {host}\r\n{key}\r\n");
    if stream.write_all(head.as_bytes()).is_err() {
        return false;
    }
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        let frame = line.strip_prefix("data: ").and_then(|frame| serde_json::from_str::<Value>(frame).ok());
        let Some(frame) = frame else { continue };
        if frame["type"] == "permission_request" {
            let call = frame["id"].as_str().unwrap_or_else(|| panic!("{frame}"));
            let decision = if call == "call_17" { "session" } else { "once" };
            let answer = json!({"decision": decision, "digest": frame["digest"]});
            // One that was answered in an earlier life is refused, and a dead server answers nothing.
            post(served, &format!("/api/runs/{run}/permissions/{call}"), &answer);
        }
        if frame["type"] == "done" {
            return true;
        }
    }
    false
}

/// One request to a server that may die of it.
fn post(served: &Served, path: &str, body: &Value) -> Option<Value> {
    let mut stream = TcpStream::connect(served.address()).ok()?;
    let (body, host, key) = (body.to_string(), served.address(), served.key());
    let length = body.len();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nhost: {host}\r\n{key}connection: close\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()
}

/// The story of the only run, without what differs from time to time.
fn story(place: &Place) -> Value {
    let listed = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    let id = listed[0]["run_id"].as_str().expect("there is a run").to_owned();
    let mut story = place.windlass(&["runs", "show", &id, "--json"]).exits(0).json()["story"].take();
    for field in ["run_id", "session_id", "remarks"] {
        story[field] = Value::Null;
    }
    for call in calls_mut(&mut story) {
        call["duration_ms"] = Value::Null;
    }
    story
}

pub(crate) fn calls_mut(story: &mut Value) -> impl Iterator<Item = &mut Value> {
    let steps = story["steps"].as_array_mut().unwrap().iter_mut();
    steps.flat_map(|step| step["calls"].as_array_mut().unwrap())
}

/// How often each call happened, as the world outside knows it.
pub(crate) fn effects(place: &Place) -> BTreeMap<String, usize> {
    let lines = |name: &str| std::fs::read_to_string(place.path(name)).unwrap_or_default();
    let mut counts = BTreeMap::new();
    for line in lines("effects").lines() {
        *counts.entry(line.to_owned()).or_default() += 1;
    }
    counts.insert("call_7".to_owned(), lines("marks.txt").matches('|').count());
    counts.insert("call_14".to_owned(), lines("more.txt").matches('|').count());
    for line in lines("keys").lines() {
        let (_, call_id) = line.rsplit_once('/').unwrap();
        *counts.entry(call_id.to_owned()).or_default() += 1;
    }
    counts
}

//! Executors of a user's own over HTTP, on `windlass serve`: they offer tools, take requested calls and answer them,
//! through the gates of every call, and nothing is lost or done twice when one of the two dies.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::pane::Pane;
use crate::place::Place;
use crate::serve::Served;

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn place(script: &str) -> Place {
    Place::with(&[("a.script", script)])
}

fn begin(served: &Served, wish: &Value) -> String {
    served.json("POST /api/sessions", &wish.to_string())["session_id"].as_str().unwrap().to_owned()
}

fn start(served: &Served, session: &str, message: &str) -> String {
    let body = json!({"message": message}).to_string();
    served.json(&format!("POST /api/sessions/{session}/runs"), &body)["run_id"].as_str().unwrap().to_owned()
}

/// A run in a session of its own in which nothing is asked.
fn start_all(served: &Served, message: &str) -> String {
    start(served, &begin(served, &json!({"approve": "all"})), message)
}

fn call(served: &Served, run: &str, id: &str) -> Value {
    served.json(&format!("GET /api/runs/{run}/calls/{id}"), "")
}

fn answer(served: &Served, run: &str) -> String {
    served.wait_for(run, "done");
    served.json(&format!("GET /api/runs/{run}/trace"), "")["answer"].as_str().unwrap().to_owned()
}

fn executor_of(served: &Served, tool: &str) -> Option<Value> {
    let listed = served.json("GET /api/tools", "");
    let found = listed["tools"].as_array().unwrap().iter().find(|spec| spec["name"] == tool)?;
    Some(found["executor"].clone())
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "never: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The executor of `examples/executor`, in a process of its own.
struct House {
    child: Child,
    lines: Receiver<String>,
}

impl House {
    fn open(place: &Place, served: &Served) -> Self {
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/executor/house.py");
        let code = std::fs::read_to_string(&example).unwrap();
        let page = include_str!("../../../../docs/executors.md");
        assert!(code.lines().count() <= 40 && page.contains(&code), "the example is short, and on its page");
        let mut command: Command = place.bare("python3");
        command
            .arg(example)
            .arg(format!("http://{}", served.address()))
            .arg(served.token())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || out.lines().map_while(Result::ok).all(|line| sender.send(line).is_ok()));
        let house = Self { child, lines };
        wait_until("the house is there", || executor_of(served, "read_sensor").is_some());
        house
    }

    /// Waits until it says so.
    fn hears(&self, start: &str) {
        while !self.lines.recv_timeout(PATIENCE).unwrap().starts_with(start) {}
    }

    fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.lines.iter().collect()
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An executor by hand, request by request.
pub(crate) struct Hand<'a> {
    served: &'a Served,
    id: String,
    pub(crate) secret: String,
    after: u64,
}

impl<'a> Hand<'a> {
    pub(crate) fn open(served: &'a Served, name: &str, lease_s: u32, tools: Value) -> Self {
        let body = json!({"name": name, "lease_s": lease_s, "tools": tools}).to_string();
        let ticket = served.json("POST /api/executors", &body);
        let text = |field: &str| ticket[field].as_str().unwrap().to_owned();
        Self { served, id: text("executor_id"), secret: text("secret"), after: 0 }
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, String) {
        let (id, secret) = (&self.id, &self.secret);
        let head =
            format!("{method} /api/executors/{id}{path} HTTP/1.1\r\nx-executor-secret: {secret}\r\nx-rest:");
        self.served.ask(&head, &body.to_string())
    }

    fn poll(&mut self) -> Value {
        let (status, news) = self.ask("POST", "/poll", &json!({"after": self.after, "wait_s": 30}));
        assert_eq!(status, 200, "{news}");
        let news: Value =
            serde_json::from_str(&news[news.find('{').unwrap()..=news.rfind('}').unwrap()]).unwrap();
        self.after = news["after"].as_u64().unwrap();
        news
    }

    pub(crate) fn take(&mut self) -> Value {
        let mut news = self.poll();
        assert_eq!(news["calls"].as_array().unwrap().len(), 1, "{news}");
        news["calls"][0].take()
    }

    pub(crate) fn answer(&self, call: &Value, body: &Value) -> (u16, String) {
        self.ask("POST", &format!("/calls/{}", call["call"]), body)
    }
}

/// A tool that reads, one that changes something, and one that changes the same thing however often it runs.
pub(crate) fn tools() -> Value {
    json!([
        {"name": "look_up", "description": "Looks something up.", "effects": "read", "risk": "low",
         "schema": {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}},
        {"name": "send_letter", "description": "Sends a letter."},
        {"name": "keep_word", "description": "Keeps a word.", "effects": "write", "risk": "low", "idempotent": true},
    ])
}

#[test]
fn u_42_p_1_p_4_p_19_p_25_a_requested_call_is_completed_by_somebody_else_and_reaches_the_next_request() {
    let place = place(
        "user How warm?\nmodel call 1 read_sensor {\"room\":\"hall\"}\nmodel end\n\
         expect-request contains \"celsius\":21\nexpect-request contains untrusted\n\
         model call 2 read_sensor {\"room\":7}\nmodel call 3 read_sensor {\"room\":\"cellar\"}\nmodel end\n\
         expect-request contains room must be string\nexpect-request contains KeyError\n\
         model text The hall has 21 degrees.\n",
    );
    let served = Served::start(&place, &[]);
    let house = House::open(&place, &served);
    assert_eq!(executor_of(&served, "read_sensor"), Some(json!("house")));
    assert_eq!(executor_of(&served, "read_file"), Some(Value::Null));
    let listed = served.json("GET /api/executors", "");
    assert_eq!(listed["executors"][0]["tools"], json!(["read_sensor", "water_plants"]));
    let run = start_all(&served, "How warm?");
    assert_eq!(answer(&served, &run), "The hall has 21 degrees.");
    let first = call(&served, &run, "call_1");
    assert_eq!(first["outcome"]["body"]["Ok"]["json"], json!({"room": "hall", "celsius": 21}));
    assert_eq!(first["outcome"]["meta"]["trust"], "untrusted");
    assert!(first["requested_ms"].as_u64() <= first["started_ms"].as_u64());
    // The same record, rehearsed, comes out the same.
    let replayed = served.json(&format!("POST /api/runs/{run}/replay"), "");
    assert!(replayed["divergence"].is_null(), "{replayed}");
    drop(house);
}

#[test]
fn u_42_p_1_an_executor_that_dies_in_mid_call_ends_the_call_and_not_the_run() {
    let place = place(
        "user Water\nmodel call 1 water_plants {\"seconds\":600}\nmodel end\n\
         expect-request contains whether it happened is not known\nmodel text Please look at the plants.\n",
    );
    let served = Served::start(&place, &[]);
    let house = House::open(&place, &served);
    let run = start_all(&served, "Water");
    house.hears("watering for 600");
    let rest = house.kill();
    assert!(!rest.iter().any(|line| line.starts_with("watering")), "it was told once: {rest:?}");
    assert_eq!(answer(&served, &run), "Please look at the plants.");
    let failed = &call(&served, &run, "call_1")["outcome"]["body"]["Err"];
    assert_eq!(failed["kind"], "interrupted");
    assert!(
        failed["message"]
            .as_str()
            .unwrap()
            .starts_with("The executor 'house' went away while water_plants ran")
    );
    assert_eq!(executor_of(&served, "water_plants"), None, "its tools are gone");
}

#[test]
fn u_42_p_1_a_server_that_dies_in_mid_call_repeats_nothing_and_the_executor_comes_back() {
    let place = place(
        "user Water\nmodel call 1 water_plants {\"seconds\":600}\nmodel end\n\
         expect-request contains may or may not have happened\nmodel text Please look.\n\
         user How warm?\nmodel call 2 read_sensor {\"room\":\"attic\"}\nmodel end\nmodel text 9 degrees.\n",
    );
    let served = Served::start(&place, &[]);
    let house = House::open(&place, &served);
    let session = begin(&served, &json!({}));
    let body = json!({"message": "Water", "approve": "all"}).to_string();
    let run = served.json(&format!("POST /api/sessions/{session}/runs"), &body);
    let run = run["run_id"].as_str().unwrap();
    house.hears("watering for 600");
    let address = served.address().to_owned();
    served.kill();
    let again = ["serve", "--addr", &address, "--model", "scripted/a.script", "--approve", "all"];
    let served = Served::spawn(place.command(&again));
    assert_eq!(answer(&served, run), "Please look.");
    assert_eq!(call(&served, run, "call_1")["outcome"]["body"]["Err"]["kind"], "interrupted");
    wait_until("the house is back", || executor_of(&served, "read_sensor").is_some());
    let run = start(&served, &session, "How warm?");
    assert_eq!(answer(&served, &run), "9 degrees.");
    let rest = house.kill();
    assert!(!rest.iter().any(|line| line.starts_with("watering")), "it was told once: {rest:?}");
}

#[test]
fn u_42_p_1_a_call_that_may_run_twice_is_sent_again_to_the_executor_that_came_back() {
    let place = place(
        "user Go\nmodel call 1 look_up {\"word\":\"windlass\"}\nmodel end\nmodel text A hauling machine.\n\
         user Go\nmodel call 2 send_letter {}\nmodel end\nmodel text Sent.\n\
         user Go\nmodel call 3 keep_word {}\nmodel end\nmodel text Kept.\n",
    );
    // What is looked up is text from outside, and letters reach out: here only the executors count.
    let served = Served::start(&place, &["--approve", "all", "--taint", "off"]);
    let session = begin(&served, &json!({}));
    // The executor is silent for longer than its lease, and begins anew.
    let mut first = Hand::open(&served, "words", 1, tools());
    let run = start(&served, &session, "Go");
    let taken = first.take();
    wait_until("the lease is over", || executor_of(&served, "look_up").is_none());
    assert_eq!(first.ask("POST", "/poll", &json!({"after": 1})).0, 404);
    assert_eq!(first.answer(&taken, &json!({"output": 1})).0, 404);
    let mut second = Hand::open(&served, "words", 60, tools());
    let again = second.take();
    assert_eq!(again["idempotency_key"], taken["idempotency_key"]);
    assert_eq!(second.answer(&again, &json!({"output": "a machine"})).0, 204);
    assert_eq!(answer(&served, &run), "A hauling machine.");
    // What was never handed out has not happened, whatever it changes.
    assert_eq!(second.ask("DELETE", "", &json!({})).0, 204);
    let silent = Hand::open(&served, "words", 1, tools());
    let run = start(&served, &session, "Go");
    served.wait_for(&run, "tool_executing");
    wait_until("the lease is over", || executor_of(&served, "send_letter").is_none());
    assert_eq!(silent.ask("DELETE", "", &json!({})).0, 404);
    let mut second = Hand::open(&served, "words", 60, tools());
    let sent = second.take();
    assert_eq!(second.answer(&sent, &json!({"output": "sent"})).0, 204);
    assert_eq!(answer(&served, &run), "Sent.");
    // The server is killed, and the executor finds it again.
    let run = start(&served, &session, "Go");
    let taken = second.take();
    let address = served.address().to_owned();
    served.kill();
    let again = ["serve", "--addr", &address, "--model", "scripted/a.script", "--approve", "all"];
    let served = Served::spawn(place.command(&again));
    let mut third = Hand::open(&served, "words", 60, tools());
    let again = third.take();
    assert_eq!(again["idempotency_key"], taken["idempotency_key"]);
    assert_eq!(third.answer(&again, &json!({"output": null})).0, 204);
    assert_eq!(answer(&served, &run), "Kept.");
}

#[test]
fn u_42_p_1_gates_stand_before_an_executor() {
    let place = place(
        "user Go\nmodel call 1 look_up {\"word\":7}\nmodel call 2 shred {}\nmodel call 3 send_letter {}\nmodel end\n\
         model text Done.\nuser Again\nmodel call 4 send_letter {}\nmodel end\nmodel text Sent.\n\
         user Once more\nmodel call 5 send_letter {}\nmodel end\nmodel text Sent again.\n",
    );
    let served = Served::start(&place, &["--deny", "shred"]);
    let mut offered = tools();
    offered.as_array_mut().unwrap().push(json!({"name": "shred", "description": "Shreds.", "risk": "low"}));
    let mut hand = Hand::open(&served, "office", 60, offered.clone());
    let session = begin(&served, &json!({}));
    let decide = |run: &str, decision: &str| {
        served.wait_for(run, "permission_request");
        let question = served.json(&format!("GET /api/runs/{run}/permissions"), "")["questions"][0].take();
        assert_eq!(question["tool"], "send_letter");
        let id = question["call_id"].as_str().unwrap();
        let body = json!({"decision": decision, "digest": question["digest"]}).to_string();
        let (status, said) = served.ask(&format!("POST /api/runs/{run}/permissions/{id}"), &body);
        assert!((200..300).contains(&status), "{status} {said}");
    };
    let run = start(&served, &session, "Go");
    decide(&run, "deny");
    assert_eq!(answer(&served, &run), "Done.");
    let kind = |id: &str| call(&served, &run, id)["outcome"]["body"]["Err"]["kind"].clone();
    assert_eq!(
        [kind("call_1"), kind("call_2"), kind("call_3")],
        ["invalid_args", "permission_denied", "permission_denied"]
    );
    let run = start(&served, &session, "Again");
    decide(&run, "once");
    // The first call that reaches the executor is the one that was allowed.
    let taken = hand.take();
    assert_eq!(
        (&taken["tool"], &taken["call_id"], &taken["run_id"]),
        (&json!("send_letter"), &json!("call_4"), &json!(run))
    );
    assert_eq!(hand.answer(&taken, &json!({"output": "sent"})).0, 204);
    assert_eq!(answer(&served, &run), "Sent.");
    // While somebody thinks about a question the executor may be restarted.
    let run = start(&served, &session, "Once more");
    served.wait_for(&run, "permission_request");
    assert_eq!(hand.ask("DELETE", "", &json!({})).0, 204);
    decide(&run, "once");
    let mut hand = Hand::open(&served, "office", 60, offered);
    let taken = hand.take();
    assert_eq!(hand.answer(&taken, &json!({"output": "sent"})).0, 204);
    assert_eq!(answer(&served, &run), "Sent again.");
    let audit = std::fs::read_to_string(place.audit_file()).unwrap();
    assert!(audit.contains("send_letter") && audit.contains("shred"), "{audit}");
}

#[test]
fn u_42_p_1_p_25_cancel_and_time_limits_reach_an_executor_and_an_answer_after_them_changes_nothing() {
    let place = place(
        "user Go\nmodel call 1 send_letter {}\nmodel end\nmodel text Done.\n\
         user Go\nmodel call 2 send_note {}\nmodel end\nexpect-request contains timed out\nmodel text Late.\n",
    );
    let served = Served::start(&place, &["--approve", "all"]);
    let session = begin(&served, &json!({}));
    let mut offered = tools();
    offered
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "send_note", "description": "Sends a note.", "timeout_s": 1}));
    let mut hand = Hand::open(&served, "office", 60, offered);
    let run = start(&served, &session, "Go");
    let taken = hand.take();
    served.ask(&format!("POST /api/runs/{run}/cancel"), "");
    assert_eq!(hand.poll()["stopped"], json!([taken["call"]]));
    let (status, said) = hand.answer(&taken, &json!({"output": "sent"}));
    assert!(status == 409 && said.contains("is over"), "{status} {said}");
    served.wait_for(&run, "done");
    assert_eq!(call(&served, &run, "call_1")["outcome"]["body"]["Err"]["kind"], "cancelled");
    let run = start(&served, &session, "Go");
    let taken = hand.take();
    assert_eq!(hand.poll()["stopped"], json!([taken["call"]]));
    assert_eq!(hand.answer(&taken, &json!({"error": "no paper"})).0, 409);
    assert_eq!(answer(&served, &run), "Late.");
}

#[test]
fn u_42_p_1_a_call_has_one_answer_from_its_own_executor() {
    let place = place(
        "user Go\nmodel call 1 send_letter {}\nmodel end\nexpect-request contains no stamps\nmodel text Done.\n",
    );
    let served = Served::start(&place, &["--approve", "all"]);
    let mut hand = Hand::open(&served, "office", 60, tools());
    let foreign = json!([{"name": "other", "description": "Another tool."}]);
    let other = Hand::open(&served, "other", 60, foreign);
    let run = start_all(&served, "Go");
    let taken = hand.take();
    // What was not named to have arrived comes again.
    hand.after = 0;
    assert_eq!(hand.take(), taken);
    let gives = json!({"output": "forged"});
    let stolen = Hand { served: &served, id: hand.id.clone(), secret: other.secret.clone(), after: 0 };
    assert_eq!(other.answer(&taken, &gives).0, 404, "no call of its own has that number");
    assert_eq!(stolen.answer(&taken, &gives).0, 404, "another's secret opens nothing");
    let path = format!("POST /api/executors/{}/calls/{}", hand.id, taken["call"]);
    assert_eq!(served.ask(&path, "{\"output\":1}").0, 400, "nor does none");
    for wrong in [json!({}), json!({"output": 1, "error": "both"})] {
        assert_eq!(hand.answer(&taken, &wrong).0, 400);
    }
    assert_eq!(hand.ask("POST", "/calls/99", &gives).0, 404);
    assert_eq!(hand.ask("POST", "/poll", &json!({"after": 99})).0, 400);
    assert_eq!(hand.answer(&taken, &json!({"error": "no stamps", "kind": "unavailable"})).0, 204);
    assert_eq!(hand.answer(&taken, &gives).0, 409, "the second answer");
    assert_eq!(answer(&served, &run), "Done.");
    assert_eq!(call(&served, &run, "call_1")["outcome"]["body"]["Err"]["kind"], "unavailable");
    assert_eq!(hand.ask("DELETE", "", &json!({})).0, 204);
    assert_eq!(executor_of(&served, "send_letter"), None);
    assert_eq!(executor_of(&served, "other"), Some(json!("other")));
}

#[test]
fn u_42_p_1_what_an_executor_gives_is_cut_to_the_limit_and_shown_without_keys() {
    let key = "sk-windlass-test-0123456789abcdef";
    let place = place("user Go\nmodel call 1 look_up {\"word\":\"key\"}\nmodel end\nmodel text Done.\n");
    place.configure("[limits]\noutput_bytes_max = 1000\n");
    let args = ["--model", "scripted/a.script", "--approve", "all"];
    let served = Served::start_with(&place, &args, &[("OPENAI_API_KEY", key)]);
    let mut hand = Hand::open(&served, "words", 60, tools());
    let run = start_all(&served, "Go");
    let taken = hand.take();
    let long = format!("{key} {}", "x".repeat(2_000));
    assert_eq!(hand.answer(&taken, &json!({"output": long})).0, 204);
    assert_eq!(answer(&served, &run), "Done.");
    let shown = call(&served, &run, "call_1");
    assert_eq!(shown["outcome"]["meta"]["is_truncated"], true);
    assert!(shown["outcome"]["body"]["Ok"]["json"].as_str().unwrap().len() <= 1_000, "{shown}");
    let events = served.ask(&format!("GET /api/runs/{run}/events"), "").1;
    assert!(events.contains("xxx") && !events.contains(key) && !shown.to_string().contains(key));
}

#[test]
fn u_42_p_1_a_newer_request_of_an_executor_ends_an_older_one() {
    let place = place("user Go\nmodel call 1 send_letter {}\nmodel end\nmodel text Done.\n");
    let served = Served::start(&place, &["--approve", "all"]);
    let mut hand = Hand::open(&served, "office", 60, tools());
    let poll = || hand.ask("POST", "/poll", &json!({"after": 0, "wait_s": 30}));
    let (gone, ended) = channel();
    let (told, run) = thread::scope(|scope| {
        for _ in 0..2 {
            let gone = gone.clone();
            scope.spawn(move || gone.send(poll()).unwrap());
        }
        // Whichever came first has nothing to tell; the other gets the call.
        let (status, older) = ended.recv_timeout(Duration::from_secs(20)).unwrap();
        assert!(status == 200 && older.contains("\"calls\":[]"), "{status} {older}");
        let run = start_all(&served, "Go");
        (ended.recv_timeout(PATIENCE).unwrap(), run)
    });
    assert!(told.0 == 200 && told.1.contains("send_letter"), "{told:?}");
    let taken = hand.take();
    assert_eq!(hand.answer(&taken, &json!({"output": "sent"})).0, 204);
    assert_eq!(answer(&served, &run), "Done.");
}

#[test]
fn u_42_the_terminal_app_at_a_server_says_which_executor_runs_a_tool() {
    let place = place("user Go\nmodel text Hi.\n");
    let served = Served::start(&place, &[]);
    let hand = Hand::open(&served, "office", 300, tools());
    let pane = Pane::start(&place, 100, 30, &format!("attach {}", served.address()));
    pane.type_text("/tools send_letter");
    pane.press("Enter");
    pane.wait_until("who runs the tool", |pane| {
        let screen = pane.screen();
        screen.lines().any(|line| line.contains("executor") && line.contains("office"))
    });
    assert_eq!(hand.ask("DELETE", "", &json!({})).0, 204);
}

#[test]
fn u_42_p_1_an_executor_takes_no_name_of_another_tool_and_its_words_are_visible() {
    let place = place("user Go\nmodel text Hi.\n");
    let served = Served::start(&place, &[]);
    let offer = |name: &str, tool: Value| {
        let body = json!({"name": name, "tools": [tool]}).to_string();
        served.ask("POST /api/executors", &body)
    };
    let plain = |name: &str| json!({"name": name, "description": "Does something."});
    for taken in ["read_file", "search_web"] {
        let (status, said) = offer("x", plain(taken));
        assert!(status == 409 && said.contains("already taken"), "{taken}: {status} {said}");
    }
    for (tool, word) in [
        (json!({"name": "a b", "description": "X."}), "tool name"),
        (json!({"name": "x", "description": "X.", "risk": "safe"}), "not safe"),
        (json!({"name": "x", "description": "x".repeat(2_001)}), "description"),
        (json!({"name": "x", "description": "X.", "timeout_s": 301}), "time limit"),
        (json!({"name": "x", "description": "X.", "schema": {"type": "string"}}), "schema"),
    ] {
        let (status, said) = offer("x", tool);
        assert!(status == 400 && said.contains(word), "{word}: {status} {said}");
    }
    assert_eq!(offer("x", json!({"name": "x", "description": "Red \u{1b}[31m\u{202e}text"})).0, 201);
    let listed = served.json("GET /api/tools", "");
    let found = listed["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "x").unwrap();
    assert_eq!(found["description"], "Red \\u{1b}[31m\\u{202e}text");
    assert_eq!((&found["effects"], &found["risk"]), (&json!("external"), &json!("medium")));
    assert_eq!(offer("x", plain("y")).0, 409, "an executor's name is its own");
}

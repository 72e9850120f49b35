//! Modes: what runs without asking, in every front end, and how they are changed.

use std::io::{BufRead, BufReader};

use serde_json::{Value, json};

use crate::pane::Pane;
use crate::place::Place;
use crate::serve::Served;

/// A read, a write, a command and a search of the web, one after another.
const ALL_KINDS: &str = r#"user Go
model call 1 read_file {"path":"a.txt"}
model end calls
model call 2 write_file {"path":"new.txt","content":"new\n"}
model end calls
model call 3 execute_command {"command":"touch ran"}
model end calls
model call 4 web_search {"query":"windlass"}
model end calls
model text Done.
user Again
model call 5 write_file {"path":"more.txt","content":"more\n"}
model end calls
model text Done again.
"#;

fn place() -> Place {
    Place::with(&[("a.script", ALL_KINDS), ("a.txt", "hello\n"), (".env", "KEY=1\n")])
}

/// Which of the four calls were not denied, from the frames of a run.
fn let_run(frames: &[Value]) -> [bool; 4] {
    let results: Vec<&Value> = frames.iter().filter(|frame| frame["type"] == "tool_result").collect();
    assert_eq!(results.len(), 4, "{frames:#?}");
    let is_denied = |at: usize| results[at]["result"]["error_type"] == "permission_denied";
    [0, 1, 2, 3].map(|at| !is_denied(at))
}

/// What each mode lets run where nobody can be asked: reading, editing, a command, the network.
const ALONE: [(&str, [bool; 4]); 7] = [
    ("read_only", [true, false, false, false]),
    ("read-only", [true, false, false, false]),
    ("ask", [true, false, false, false]),
    ("never", [true, false, false, false]),
    ("safe", [true, false, false, true]),
    ("edit", [true, true, false, false]),
    ("all", [true, true, true, true]),
];

#[test]
fn u_60_each_mode_lets_its_kinds_of_calls_run_on_the_command_line() {
    for (mode, expected) in ALONE {
        let place = place();
        // The mode alone: what text from outside changes is shown apart from this.
        let alone = ["--taint", "off", "--approve", mode];
        let args = [&["run", "--json", "--model", "scripted/a.script"], &alone[..], &["Go"]].concat();
        let frames = place.windlass(&args).exits(0).lines();
        assert_eq!(let_run(&frames), expected, "{mode}");
        let done = [place.path("new.txt").exists(), place.path("ran").exists()];
        assert_eq!(done, [expected[1], expected[2]], "{mode}");
    }
}

#[test]
fn u_60_reading_is_free_in_the_default_profile_and_asked_in_zodo() {
    let place = place();
    let explain = |args: &[&str]| {
        let args = [&["policy", "explain", "read_file", "{\"path\":\"a.txt\"}", "--json"], args].concat();
        let said = place.windlass(&args).exits(0).json();
        (said["decides"].as_str().unwrap().to_owned(), said["stance"].as_str().unwrap().to_owned())
    };
    assert_eq!(explain(&[]), ("reading".into(), "allows".into()));
    assert_eq!(explain(&["--approve", "never"]), ("reading".into(), "allows".into()));
    assert_eq!(explain(&["--deny", "read_file"]), ("deny_rule".into(), "denies".into()));
    assert_eq!(explain(&["--profile", "zodo", "--approve", "never"]), ("mode".into(), "denies".into()));
    // Secrets are excepted, whatever the mode.
    let secret = ["tools", "call", "read_file", "{\"path\":\".env\"}", "--approve", "all"];
    assert_eq!(place.windlass(&secret).exits(1).json()["error"]["kind"], "permission_denied");
    // In read_only no rule opens more than reading.
    let write = "{\"path\":\"x\",\"content\":\"x\"}";
    let args = ["policy", "explain", "write_file", write, "--approve", "read_only", "--allow", "*", "--json"];
    let said = place.windlass(&args).exits(0).json();
    assert_eq!((&said["decides"], &said["stance"]), (&json!("read_only"), &json!("denies")));
}

#[test]
fn u_60_one_yes_to_reading_for_the_session_covers_reading() {
    let script = r#"profile zodo
user Read
model call 1 read_file {"path":"a.txt"}
approve 1 session
model call 2 read_file {"path":"b.txt"}
model call 3 search_text {"pattern":"hello"}
model call 4 write_file {"path":"c.txt","content":"c"}
deny 4
model text Read.
expect-call 2 ok
expect-call 3 ok
expect-call 4 denied
"#;
    let place = Place::with(&[("a.script", script), ("a.txt", "hello\n"), ("b.txt", "b\n")]);
    let said = place.windlass(&["run", "--model", "scripted/a.script"]).exits(0);
    assert_eq!(said.out, "Read.\n", "{}", said.err);
}

fn begin(served: &Served, body: &Value) -> String {
    let session = served.json("POST /api/sessions", &body.to_string());
    session["session_id"].as_str().unwrap().to_owned()
}

fn start(served: &Served, session: &str, body: &Value) -> String {
    let started = served.json(&format!("POST /api/sessions/{session}/runs"), &body.to_string());
    started["run_id"].as_str().unwrap().to_owned()
}

/// Denies every question of a run until it ends; the tools that were asked about.
fn deny_all(served: &Served, run: &str) -> Vec<String> {
    let mut asked = Vec::new();
    for line in BufReader::new(served.events(run)).lines().map_while(Result::ok) {
        if line.contains("\"type\":\"done\"") {
            return asked;
        }
        if !line.contains("\"type\":\"permission_request\"") {
            continue;
        }
        let waiting = served.json(&format!("GET /api/runs/{run}/permissions"), "");
        for question in waiting["questions"].as_array().unwrap() {
            let call = question["call_id"].as_str().unwrap();
            let answer = json!({"decision": "deny", "digest": question["digest"]}).to_string();
            let (status, said) = served.ask(&format!("POST /api/runs/{run}/permissions/{call}"), &answer);
            // One that another mode has just settled is not asked any more.
            assert!((200..300).contains(&status) || said.contains("question_stale"), "{status} {said}");
            asked.extend((status < 300).then(|| question["tool"].as_str().unwrap().to_owned()));
        }
    }
    panic!("the run never ended; asked about {asked:?}");
}

#[test]
fn u_60_each_mode_asks_its_questions_over_http() {
    let place = place();
    let served = Served::start(&place, &[]);
    let about = served.json("GET /api/about", "");
    assert_eq!(about["approve"], "ask");
    let modes: Vec<&str> = about["approve_modes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mode| mode["name"].as_str().unwrap())
        .collect();
    assert_eq!(modes, ["read_only", "ask", "edit", "all"]);
    for (mode, expected) in [
        ("read_only", &[][..]),
        ("ask", &["write_file", "execute_command", "web_search"]),
        ("edit", &["execute_command", "web_search"]),
        ("all", &[]),
    ] {
        let session = begin(&served, &json!({"approve": mode}));
        let row = served.json(&format!("GET /api/sessions/{session}"), "");
        assert_eq!(row["approve"], mode);
        let run = start(&served, &session, &json!({"message": "Go"}));
        assert_eq!(deny_all(&served, &run), expected, "{mode}");
        let wrote = place.path("new.txt").exists();
        assert_eq!(wrote, matches!(mode, "edit" | "all"), "{mode}");
        let _ = std::fs::remove_file(place.path("new.txt"));
    }
    let (status, answer) = served.ask("POST /api/sessions", "{\"approve\":\"everything\"}");
    assert!(status == 400 && answer.contains("read_only"), "{status} {answer}");
}

#[test]
fn u_60_a_mode_is_changed_over_http_while_a_run_goes_on_and_stays_changed() {
    let place = place();
    let served = Served::start(&place, &[]);
    let session = begin(&served, &json!({}));
    assert_eq!(served.json(&format!("GET /api/sessions/{session}"), "")["approve"], "ask");
    let run = start(&served, &session, &json!({"message": "Go"}));
    served.wait_for(&run, "permission_request");
    let changed = served.json(&format!("PATCH /api/sessions/{session}"), "{\"approve\":\"read_only\"}");
    assert_eq!(changed["approve"], "read_only");
    // The question that waits is judged by it, and so is what comes after.
    assert_eq!(deny_all(&served, &run), Vec::<String>::new());
    let call = served.json(&format!("GET /api/runs/{run}/calls/call_2"), "");
    assert_eq!((&call["decision"]["by"], &call["decision"]["denied_by"]), (&json!("mode"), &json!("mode")));
    served.stop();
    let served = Served::start(&place, &[]);
    assert_eq!(served.json(&format!("GET /api/sessions/{session}"), "")["approve"], "read_only");
    let run = start(&served, &session, &json!({"message": "Again"}));
    assert_eq!(deny_all(&served, &run), Vec::<String>::new());
    assert!(!place.path("more.txt").exists());
    let run = start(
        &served,
        &begin(&served, &json!({})),
        &json!({"message": "Go, and run touch ran", "approve": "all"}),
    );
    assert_eq!(deny_all(&served, &run), Vec::<String>::new());
    assert!(place.path("ran").exists());
}

#[test]
fn u_60_a_question_that_waits_is_answered_by_a_mode_that_allows_the_call() {
    for (mode, asked) in [("edit", &["execute_command", "web_search"][..]), ("all", &[])] {
        let place = place();
        let served = Served::start(&place, &[]);
        let session = begin(&served, &json!({}));
        let run = start(&served, &session, &json!({"message": "Go"}));
        served.wait_for(&run, "permission_request");
        assert!(!place.path("new.txt").exists());
        served.json(&format!("PATCH /api/sessions/{session}"), &json!({"approve": mode}).to_string());
        assert_eq!(deny_all(&served, &run), asked, "{mode}");
        assert_eq!(place.read("new.txt"), "new\n", "{mode}");
        let call = served.json(&format!("GET /api/runs/{run}/calls/call_2"), "");
        assert_eq!(
            (&call["decision"]["by"], &call["allowed_by"]),
            (&json!("mode"), &json!("mode")),
            "{call}"
        );
        // Another mode that asks about it changes nothing for a question that waits.
        let run = start(&served, &begin(&served, &json!({})), &json!({"message": "Go"}));
        served.wait_for(&run, "permission_request");
        served.stop();
        assert!(place.windlass(&["runs", "list"]).exits(0).out.contains("unfinished, asks"));
    }
}

/// That nobody is asked is a choice of somebody who is there; it does not outlive the process.
#[test]
fn u_60_a_session_that_was_left_in_all_is_opened_in_the_mode_of_the_next_start() {
    let place = place();
    let served = Served::start(&place, &[]);
    let session = begin(&served, &json!({}));
    served.json(&format!("PATCH /api/sessions/{session}"), "{\"approve\":\"all\"}");
    let mode = |served: &Served| served.json(&format!("GET /api/sessions/{session}"), "")["approve"].clone();
    assert_eq!(mode(&served), "all");
    let run = start(&served, &session, &json!({"message": "Go"}));
    assert_eq!(deny_all(&served, &run), Vec::<String>::new());
    served.stop();
    let served = Served::start(&place, &[]);
    assert_eq!(mode(&served), "ask");
    let run = start(&served, &session, &json!({"message": "Again"}));
    assert_eq!(deny_all(&served, &run), ["write_file"]);
    served.stop();
    assert_eq!(mode(&Served::start(&place, &["--approve", "all"])), "all");
}

fn say(pane: &Pane, text: &str) {
    pane.type_text(text);
    pane.press("Enter");
}

#[test]
fn u_60_shift_tab_goes_through_the_modes_and_the_terminal_always_shows_which() {
    let place = place();
    let pane = Pane::start(&place, 100, 30, "--model scripted/a.script");
    pane.wait_for("mode ask");
    pane.press("BTab");
    pane.wait_for("mode edit");
    // Before everything runs, the user is asked, once.
    pane.press("BTab");
    pane.wait_for("Run everything without asking?");
    pane.press("n");
    pane.wait_for("mode edit");
    pane.press("BTab");
    pane.wait_for("mode read_only");
    say(&pane, "/mode edit");
    pane.wait_for("mode edit");
    say(&pane, "Go");
    // The edit runs, the command is asked about.
    let screen = pane.wait_for("[1] Allow Once");
    assert!(screen.contains("execute_command") && screen.contains("mode edit"), "{screen}");
    assert_eq!(place.read("new.txt"), "new\n");
    pane.press("Escape");
    pane.wait_for("cancelled");
    say(&pane, "/mode all");
    pane.wait_for("Run everything without asking?");
    pane.press("y");
    pane.wait_for("mode all");
    say(&pane, "Again");
    pane.wait_for("Done again.");
    assert_eq!(place.read("more.txt"), "more\n");
    say(&pane, "/quit");
    pane.wait_for_end();
}

#[test]
fn u_60_a_terminal_at_a_server_changes_the_mode_of_its_session_there() {
    let place = place();
    let served = Served::start(&place, &[]);
    let session = begin(&served, &json!({"title": "Shared"}));
    let pane = Pane::start(&place, 100, 30, &format!("attach {} --session {session}", served.address()));
    pane.wait_for("mode ask");
    pane.press("BTab");
    pane.wait_for("mode edit");
    assert_eq!(served.json(&format!("GET /api/sessions/{session}"), "")["approve"], "edit");
}

#[test]
fn u_60_the_mode_of_the_command_line_is_shown_and_a_project_can_only_tighten_it() {
    let place = place();
    let pane = Pane::start(&place, 100, 30, "--approve edit --model scripted/a.script");
    pane.wait_for("mode edit");
    drop(pane);
    place.write(".windlass/config.toml", "approve = \"all\"\n");
    let explain = ["policy", "explain", "write_file", "{\"path\":\"x\",\"content\":\"x\"}"];
    let said = place.windlass(&explain).exits(0);
    assert!(said.err.contains("a project cannot set 'approve'"), "{}", said.err);
    place.write(".windlass/config.toml", "approve = \"read_only\"\n");
    let said = place.windlass(&explain).exits(0);
    assert!(said.out.contains("→ read_only"), "{}", said.out);
}

//! Questions over HTTP, in streams, in records and in `attach`: what is shown is what runs, and nothing else does.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use windlass_core::permission::Question;
use windlass_core::protocol::ids::RunId;

use crate::pane::Pane;
use crate::place::Place;
use crate::serve::Served;
use crate::tty::Terminal;

/// A server with a run that waits for its first answer.
pub(crate) struct Asked {
    pub(crate) place: Place,
    pub(crate) served: Served,
    pub(crate) session: String,
    pub(crate) run: String,
}

impl Asked {
    /// What a scripted model calls, one step a text.
    pub(crate) fn with(files: &[(&str, &str)], steps: &[&[Value]]) -> Self {
        Self::begin(Place::with(files), steps, &[], "{}")
    }

    /// The same with variables and with wishes for the session.
    pub(crate) fn begin(place: Place, steps: &[&[Value]], vars: &[(&str, &str)], wishes: &str) -> Self {
        let mut script = "user Go\n".to_owned();
        let mut number = 0;
        for calls in steps {
            for call in *calls {
                number += 1;
                let (tool, args) = (call["tool"].as_str().unwrap(), &call["args"]);
                script.push_str(&format!("model call {number} {tool} {args}\n"));
            }
            script.push_str("model end\n");
        }
        script.push_str("model text Done.\n");
        place.write("a.script", &script);
        let served = Served::start_with(&place, &["--model", "scripted/a.script"], vars);
        let session = served.json("POST /api/sessions", wishes)["session_id"].as_str().unwrap().to_owned();
        let started = served.json(&format!("POST /api/sessions/{session}/runs"), "{\"message\":\"Go\"}");
        let run = started["run_id"].as_str().unwrap().to_owned();
        served.wait_for(&run, "permission_request");
        Self { place, served, session, run }
    }

    /// The questions that wait.
    pub(crate) fn listed(&self) -> Vec<Value> {
        let listed = self.served.json(&format!("GET /api/runs/{}/permissions", self.run), "");
        listed["questions"].as_array().unwrap().clone()
    }

    /// The one question that waits, as the list, the stream, the records and the call show it.
    fn everywhere(&self) -> [Value; 4] {
        let questions = self.listed();
        let [listed] = &questions[..] else { panic!("{questions:?}") };
        let records = self.served.json(&format!("GET /api/sessions/{}/records", self.session), "");
        let is_question = |record: &&Value| record["event"]["type"] == "permission_requested";
        let record = records["records"].as_array().unwrap().iter().find(is_question).unwrap();
        let call = listed["call_id"].as_str().unwrap();
        let call = self.served.json(&format!("GET /api/runs/{}/calls/{call}", self.run), "");
        let mut frame = self.served.first(&self.run, "permission_request");
        // A frame has names of its own.
        frame["call_id"] = frame["id"].take();
        frame["tool"] = frame["name"].take();
        [listed.clone(), frame, record["event"]["question"].clone(), call["question"].clone()]
    }

    fn answer(&self, call: &str, body: &Value) -> (u16, String) {
        self.served.ask(&format!("POST /api/runs/{}/permissions/{call}", self.run), &body.to_string())
    }

    /// Answers the first question that waits.
    pub(crate) fn decide(&self, mut body: Value) {
        let question = self.listed().remove(0);
        body["digest"] = question["digest"].clone();
        let (status, said) = self.answer(question["call_id"].as_str().unwrap(), &body);
        assert_eq!(status, 204, "{said}");
    }

    /// The frames of the run, to its end.
    pub(crate) fn frames(&self) -> Vec<Value> {
        let (_, events) = self.served.ask(&format!("GET /api/runs/{}/events", self.run), "");
        let lines = events.lines().filter_map(|line| line.strip_prefix("data: "));
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// What the first call gave.
    fn result(&self) -> Value {
        let frames = self.frames();
        frames.iter().find(|frame| frame["type"] == "tool_result").unwrap()["result"].clone()
    }
}

fn command(line: &str) -> Value {
    json!({"tool": "execute_command", "args": {"command": line}})
}

pub(crate) fn write(path: &str, content: &str) -> Value {
    json!({"tool": "write_file", "args": {"path": path, "content": content}})
}

/// The digest of what is shown.
fn digest_of(shown: &Value, run: &str) -> String {
    let question: Question = serde_json::from_value(shown.clone()).unwrap();
    question.digest_in(&RunId::new(run))
}

#[test]
fn u_1_u_5_what_looks_like_a_key_is_shown_and_the_digest_is_that_of_what_runs() {
    let hidden_before = [
        ("ls # -----BEGIN A PRIVATE KEY-----\ntouch x", "touch x"),
        ("cat sk-aaaaaaaaaaaaaaaa/../../../../etc/hostname; touch x", "etc/hostname"),
    ];
    for (line, part) in hidden_before {
        let asked = Asked::with(&[], &[&[command(line)]]);
        let shown = asked.everywhere();
        for question in &shown {
            let arguments: Value = serde_json::from_str(question["arguments"].as_str().unwrap()).unwrap();
            assert_eq!(arguments["command"], line);
            assert!(question["preview"]["text"].as_str().unwrap().contains(part), "{question}");
            assert!(question["targets"].to_string().contains(part), "{question}");
            assert!(!question.to_string().contains("***"), "{question}");
            assert_eq!(question["hidden_chars"], 0);
            assert_eq!(question["digest"], digest_of(question, &asked.run), "{question}");
        }
        assert!(!asked.place.path("x").exists());
        asked.decide(json!({"decision": "once"}));
        assert_eq!(asked.frames().last().unwrap()["outcome"], "completed");
        assert!(asked.place.path("x").exists(), "what was shown is what ran");
    }
}

#[test]
fn u_1_a_known_secret_is_replaced_counted_and_makes_the_question_critical() {
    let key = "correct-horse-battery";
    let place = Place::new();
    let vars = [("OPENAI_API_KEY", key)];
    let asked = Asked::begin(place, &[&[write("notes.txt", &format!("it is {key}"))]], &vars, "{}");
    for question in asked.everywhere() {
        let text = question.to_string();
        assert!(!text.contains(key) && text.contains("it is ***"), "{text}");
        assert_eq!(question["hidden_chars"], key.len(), "{text}");
        assert_eq!(
            (&question["risk"], &question["confirm_word"]),
            (&json!("critical"), &json!("write_file"))
        );
        assert_ne!(
            question["digest"],
            digest_of(&question, &asked.run),
            "the digest is that of the whole call"
        );
    }
    asked.decide(json!({"decision": "once", "confirmation": "write_file"}));
    assert!(asked.frames().iter().any(|frame| frame["type"] == "done"));
    assert_eq!(asked.place.read("notes.txt"), format!("it is {key}"));
}

#[test]
fn u_1_u_5_attach_shows_the_whole_command_and_answers_with_its_digest() {
    let asked = Asked::with(&[], &[&[command("ls # -----BEGIN A PRIVATE KEY-----\ntouch attached-x")]]);
    let args = format!("attach {} --session {}", asked.served.address(), asked.session);
    let pane = Pane::start(&asked.place, 100, 40, &args);
    pane.wait_for("touch attached-x");
    pane.wait_until_it_stays("the question listens", |pane| !pane.screen().contains("when you pause"));
    pane.press("1");
    pane.wait_until("the command ran", |_| asked.place.path("attached-x").exists());
}

#[test]
fn u_5_an_answer_without_the_digest_or_with_another_is_refused() {
    let asked = Asked::with(&[], &[&[write("a.txt", "a"), write("b.txt", "b")]]);
    for body in
        [json!({"decision": "once"}), json!({"decision": "deny"}), json!({"decision": "once", "digest": ""})]
    {
        let (status, said) = asked.answer("call_1", &body);
        assert!(status == 400 && said.contains("digest_required"), "{status} {said}");
    }
    let several = json!({"answers": [{"call_id": "call_1", "decision": "once"}]});
    let path = format!("POST /api/runs/{}/permissions", asked.run);
    let (status, said) = asked.served.ask(&path, &several.to_string());
    assert!(status == 400 && said.contains("digest_required"), "{status} {said}");
    let first = asked.listed().remove(0);
    let (status, said) = asked.answer("call_1", &json!({"decision": "once", "digest": "00"}));
    assert!(status == 409 && said.contains("digest_mismatch"), "{status} {said}");
    asked.decide(json!({"decision": "deny"}));
    // The digest of one question is none for the next.
    asked.served.wait_for(&asked.run, "permission_decision");
    while asked.listed().first().is_none_or(|question| question["call_id"] == "call_1") {}
    let (status, said) = asked.answer("call_2", &json!({"decision": "once", "digest": first["digest"]}));
    assert!(status == 409 && said.contains("digest_mismatch"), "{status} {said}");
    asked.decide(json!({"decision": "once"}));
    asked.frames();
    assert!(!asked.place.path("a.txt").exists() && asked.place.path("b.txt").exists());
}

#[test]
fn u_6_a_folder_that_is_replaced_while_the_question_waits_leads_nowhere() {
    let files = [("notes/old.txt", "old"), ("elsewhere/kept.txt", "kept")];
    let asked = Asked::with(&files, &[&[write("notes/x", "written")]]);
    assert_eq!(asked.listed()[0]["targets"], json!([{"path": "notes/x"}]));
    fs::rename(asked.place.path("notes"), asked.place.path("moved")).unwrap();
    symlink("elsewhere", asked.place.path("notes")).unwrap();
    asked.decide(json!({"decision": "once"}));
    let result = asked.result();
    assert_eq!((&result["success"], &result["denied_by"]), (&json!(false), &json!("limit")), "{result}");
    let said = result["error"].as_str().unwrap();
    assert!(said.contains("now leads elsewhere") && said.contains("'notes/x'"), "{said}");
    assert!(said.contains("'elsewhere/x'") && said.contains("nothing was done"), "{said}");
    for path in ["elsewhere/x", "moved/x"] {
        assert!(!asked.place.path(path).exists(), "{path}");
    }
}

#[test]
fn u_6_a_file_that_changed_while_the_question_waited_is_not_replaced() {
    let asked = Asked::with(&[], &[&[write("x", "written")]]);
    assert!(asked.listed()[0]["preview"]["text"].as_str().unwrap().contains("+written"));
    asked.place.write("x", "somebody else's");
    asked.decide(json!({"decision": "once"}));
    assert_eq!(asked.result()["success"], false);
    assert_eq!(asked.place.read("x"), "somebody else's");
}

#[test]
fn u_7_questions_come_in_call_order_and_count() {
    let place = Place::with(&[("a.txt", "a"), ("b.txt", "b"), ("c.txt", "c"), ("d.txt", "d")]);
    let read = |path: &str| json!({"tool": "read_file", "args": {"path": path}});
    let reads = [read("a.txt"), read("b.txt"), read("c.txt"), read("d.txt")];
    let writes = [write("e.txt", "e"), write("f.txt", "f")];
    // This profile asks about reading too.
    let asked = Asked::begin(place, &[&reads, &writes], &[], "{\"profile\":\"zodo\"}");
    for call in 1..=6 {
        while asked.listed().first().is_none_or(|question| question["call_id"] != format!("call_{call}")) {}
        asked.decide(json!({"decision": "once"}));
    }
    let frames = asked.frames();
    let questions = frames.iter().filter(|frame| frame["type"] == "permission_request");
    let told: Vec<_> =
        questions.map(|q| (q["id"].clone(), q["position"].clone(), q["total"].clone())).collect();
    let counted = [(1, 1, 4), (2, 2, 4), (3, 3, 4), (4, 4, 4), (5, 1, 2), (6, 2, 2)];
    assert_eq!(told, counted.map(|(call, n, of)| (json!(format!("call_{call}")), json!(n), json!(of))));
}

#[test]
fn u_8_a_denial_says_by_whom() {
    let by_user = Asked::with(&[], &[&[write("a.txt", "a")]]);
    by_user.decide(json!({"decision": "deny"}));
    let result = by_user.result();
    assert_eq!(result["denied_by"], "user");
    assert_eq!(result["error"], "User denied permission for this operation");
    let decided = by_user.served.first(&by_user.run, "permission_decision");
    assert_eq!((&decided["by"], &decided["denied_by"]), (&json!("user"), &json!("user")));
    let place = Place::new();
    place.write("a.script", "user Go\nmodel call 1 write_file {\"path\":\"a.txt\",\"content\":\"a\"}\nmodel end\nmodel text Done.\n");
    place.write("out.script", "user Go\nmodel call 1 write_file {\"path\":\"../a.txt\",\"content\":\"a\"}\nmodel end\nmodel text Done.\n");
    let told = |args: &[&str]| {
        let said = place.windlass(&[&["run", "--json"], args, &["Go"]].concat());
        let lines = said.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let result = lines.into_iter().find(|line| line["type"] == "tool_result").expect(&said.err);
        (result["result"]["denied_by"].clone(), result["result"]["error"].as_str().unwrap().to_owned())
    };
    let rows: [(&[&str], &str, &str); 3] = [
        (&["--model", "scripted/a.script", "--deny", "write_file"], "rule", "A rule denies this operation"),
        (&["--model", "scripted/a.script", "--approve", "never"], "mode", "nobody is asked in this run"),
        (&["--model", "scripted/out.script", "--approve", "all"], "limit", "outside the project root"),
    ];
    for (args, by, words) in rows {
        let (denied_by, said) = told(args);
        assert_eq!(denied_by, by, "{said}");
        assert!(said.contains(words) && !said.contains("User denied"), "{said}");
    }
}

#[test]
fn u_8_clients_that_nobody_can_be_asked_through_are_not_told_that_the_user_denied() {
    // EDISON asks nothing by itself: a rule of the project wants it.
    let script = "user Go\nmodel call 1 web_search {\"query\":\"tea\"}\nmodel end\nmodel text Done.\n";
    let rule = "[permissions]\nask = [\"web_search\"]\n";
    let place = Place::with(&[("a.script", script), (".windlass/config.toml", rule)]);
    let served = Served::start(&place, &[]);
    let said = served.json("POST /chat", "{\"message\":\"Go\",\"mode\":\"agent\"}");
    assert!(!said.to_string().contains("User denied"), "{said}");
    let run = said["run_id"].as_str().unwrap();
    let call = served.json(&format!("GET /api/runs/{run}/calls/call_1"), "");
    let failure = &call["outcome"]["body"]["Err"];
    assert_eq!(failure["denied_by"], "mode", "{call}");
    assert!(failure["message"].as_str().unwrap().contains("nobody is asked"), "{call}");
    assert_eq!(call["decision"]["by"], "nobody", "{call}");
}

/// A call by hand is answered with its question, and runs with the digest of what was seen, and with no other.
#[test]
fn u_1_u_5_a_call_by_hand_needs_the_digest_of_what_was_seen() {
    let place = Place::with(&[("a.script", "user Hi\nmodel text Hello.\n")]);
    let served = Served::start(&place, &[]);
    let call = |body: &Value| {
        let (status, said) = served.ask("POST /api/tools/write_file/call", &body.to_string());
        (status, serde_json::from_str::<Value>(&said).unwrap())
    };
    let arguments = json!({"path": "a.txt", "content": "-----BEGIN A PRIVATE KEY-----\nx\n"});
    let (status, asked) = call(&json!({"arguments": arguments}));
    assert_eq!((status, &asked["code"]), (409, &json!("needs_consent")), "{asked}");
    let question = &asked["question"];
    let asked_for: Value = serde_json::from_str(question["arguments"].as_str().unwrap()).unwrap();
    assert_eq!((&asked_for["path"], &asked_for["content"]), (&arguments["path"], &arguments["content"]));
    assert!(
        question["preview"]["text"].as_str().unwrap().contains("+-----BEGIN A PRIVATE KEY-----"),
        "{asked}"
    );
    let with = |arguments: &Value, digest: &Value| json!({"arguments": arguments, "approve": "once", "digest": digest});
    assert_eq!(call(&with(&arguments, &Value::Null)).0, 400);
    let other = json!({"path": "b.txt", "content": "x"});
    assert_eq!(call(&with(&other, &question["digest"])).1["code"], "question_stale");
    // What it would do is another thing by now.
    place.write("a.txt", "there");
    assert_ne!(call(&with(&arguments, &question["digest"])).1["status"], "ok");
    assert_eq!(place.read("a.txt"), "there");
    std::fs::remove_file(place.path("a.txt")).unwrap();
    let (status, done) = call(&with(&arguments, &question["digest"]));
    assert_eq!((status, &done["status"]), (200, &json!("ok")), "{done}");
    assert!(place.path("a.txt").exists() && !place.path("b.txt").exists());
}

/// Where a command would run, and what is dangerous about it, are fields of the question: no text of a model is among
/// them, and another folder is another question.
#[test]
fn u_1_u_2_u_5_the_folder_and_the_warning_of_a_command_stand_for_themselves_and_count_in_its_digest() {
    let call = json!({"tool": "execute_command", "args": {"command": "rm -r old", "cwd": "sub"}});
    let asked = Asked::with(&[("sub/old/a.txt", "a")], &[&[call]]);
    let folder = asked.place.path("sub").canonicalize().unwrap().display().to_string();
    let warning = "This command deletes whole folders.";
    for shown in asked.everywhere() {
        assert_eq!((&shown["folder"], &shown["caution"]), (&json!(folder), &json!(warning)), "{shown}");
    }
    let [listed, ..] = asked.everywhere();
    assert_eq!(digest_of(&listed, &asked.run), listed["digest"]);
    for field in ["folder", "caution"] {
        let mut other = listed.clone();
        other[field] = "another".into();
        assert_ne!(json!(digest_of(&other, &asked.run)), listed["digest"], "{field}");
    }
    let attach = format!("attach http://{} --session {}", asked.served.address(), asked.session);
    let pane = Pane::start(&asked.place, 100, 40, &attach);
    pane.wait_for(warning);
    pane.wait_for(&folder);
    asked.decide(json!({"decision": "deny"}));

    let place = Place::with(&[("sub/old/a.txt", "a"), ("a.script", &asked.place.read("a.script"))]);
    let folder = place.path("sub").canonicalize().unwrap().display().to_string();
    let mut terminal = Terminal::sized(&place, "run --model scripted/a.script Go", &[], 200, 50);
    terminal
        .wait_for(&folder)
        .wait_for(&format!("Careful: {warning}"))
        .wait_for("Tool: execute_command")
        .type_line("4");
    terminal.end();
    assert!(place.path("sub/old/a.txt").exists() && asked.place.path("sub/old/a.txt").exists());
}

#[test]
fn u_9_a_user_can_deny_with_words_that_the_model_gets() {
    let asked = Asked::with(&[], &[&[write("a.txt", "a")]]);
    asked.decide(json!({"decision": "deny", "message": "  write b.txt instead \n"}));
    let result = asked.result();
    let words = "User denied permission for this operation. The user says: write b.txt instead";
    assert_eq!((&result["error"], &result["denied_by"]), (&json!(words), &json!("user")));
    let step = asked.served.json(&format!("GET /api/runs/{}/steps/2", asked.run), "").to_string();
    assert!(step.contains("The user says: write b.txt instead"), "the model is told: {step}");
    let decided = asked.served.first(&asked.run, "permission_decision");
    assert_eq!(decided["message"], "  write b.txt instead \n");
    assert!(!asked.place.path("a.txt").exists());
}

/// The question that the README shows is the one that a terminal shows.
#[test]
fn u_1_the_question_of_the_readme_is_what_a_terminal_shows() {
    let readme = include_str!("../../../../README.md");
    let begin = readme.find("⚠️  Permission Request").unwrap();
    let sample = &readme[begin..begin + readme[begin..].find("```").unwrap()];
    let script = "user Note it\nmodel call 1 write_file {\"path\":\"note.txt\",\"content\":\"one\\ntwo\\n\"}\nmodel end\nmodel text Noted.\n";
    let place = Place::with(&[("a.script", script)]);
    let mut terminal = Terminal::sized(&place, "run --model scripted/a.script \"Note it\"", &[], 100, 60);
    terminal.wait_for("[v] View all").wait_for("> ").type_line("3");
    terminal.wait_for("or everywhere for all folders:").type_line("");
    let (code, said) = terminal.end();
    assert_eq!(code, 0, "{said}");
    let without_times = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
        let lines = lines.map(|line| match line.split_once("✓ ") {
            Some((_, call)) => {
                call.split("  ").filter(|part| !part.ends_with(" ms")).collect::<Vec<_>>().join("  ")
            }
            None => line.to_owned(),
        });
        lines.collect()
    };
    let (sample, said) = (without_times(sample), without_times(&said));
    let from = said.iter().position(|line| line.contains("Permission Request")).unwrap();
    assert_eq!(said[from..from + sample.len()].join("\n"), sample.join("\n"));
}

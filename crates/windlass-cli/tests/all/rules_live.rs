//! Rules and grants reach whatever runs already: a server, a session in the middle of a run, the terminal app.

use serde_json::{Value, json};

use crate::pane::Pane;
use crate::place::Place;
use crate::questions::{Asked, write};
use crate::serve::Served;

/// The call that is asked about next, once there is one.
fn asked_about(asked: &Asked, call: &str) {
    let is_it = |frame: &Value| frame["type"] == "permission_request" && frame["id"] == call;
    asked.served.find(&asked.run, is_it);
}

fn once() -> Value {
    json!({"decision": "once"})
}

#[test]
fn u_39_a_rule_that_another_process_stores_holds_for_the_next_call_of_a_run_that_goes_on() {
    let steps = ["a", "b", "c", "d", "b", "e"].map(|name| [write(&format!("{name}.txt"), name)]);
    let steps: Vec<&[Value]> = steps.iter().map(|step| &step[..]).collect();
    let asked = Asked::with(&[], &steps);
    let place = &asked.place;
    place.windlass(&["policy", "deny", "write_file(b.txt)"]).exits(0);
    place.windlass(&["policy", "allow", "write_file(c.txt)"]).exits(0);
    asked.decide(once());
    asked_about(&asked, "call_4");
    assert!(!place.path("b.txt").exists(), "it was denied before it could be asked about");
    assert_eq!(place.read("c.txt"), "c", "it was not asked about");
    place.windlass(&["policy", "remove", "r1"]).exits(0);
    place.windlass(&["policy", "allow", "write_file(b.txt)"]).exits(0);
    asked.decide(once());
    asked_about(&asked, "call_6");
    assert_eq!(place.read("b.txt"), "b", "what denied it is gone");
    let rules = asked.served.json("GET /api/policies", "");
    assert!(rules.to_string().contains("write_file(b.txt)"), "the server lists what holds: {rules}");
    asked.served.json("POST /api/policies", "{\"effect\":\"deny\",\"rule\":\"write_file(e.txt)\"}");
    place
        .windlass(&[
            "tools",
            "call",
            "write_file",
            "{\"path\":\"e.txt\",\"content\":\"\"}",
            "--approve",
            "all",
        ])
        .exits(1);
    asked.decide(once());
    let last = asked.frames().into_iter().rev().find(|frame| frame["type"] == "tool_result").unwrap();
    assert!(last.to_string().contains("rule denies"), "what came up while it was asked wins: {last}");
    assert!(!place.path("e.txt").exists());
}

#[test]
fn u_39_a_rule_reaches_the_terminal_app_and_the_app_changes_what_others_do() {
    let place = Place::with(&[(
        "talk.script",
        "user One\nmodel call 1 write_file {\"path\":\"one.txt\",\"content\":\"1\"}\nmodel end\nmodel text First.\n\
         user Two\nmodel call 2 write_file {\"path\":\"two.txt\",\"content\":\"2\"}\nmodel end\nmodel text Second.\n",
    )]);
    let pane = Pane::start(&place, 100, 30, "--model scripted/talk.script");
    place.windlass(&["policy", "allow", "write_file(one.txt)"]).exits(0);
    pane.type_text("One");
    pane.press("Enter");
    pane.wait_for("First.");
    assert_eq!(place.read("one.txt"), "1");
    place.windlass(&["policy", "deny", "write_file(two.txt)"]).exits(0);
    pane.type_text("Two");
    pane.press("Enter");
    pane.wait_for("Second.");
    assert!(!place.path("two.txt").exists());
    pane.type_text("/policy remove r2");
    pane.press("Enter");
    pane.wait_for("rule r2 is removed");
    assert!(!place.windlass(&["policy", "list"]).exits(0).out.contains("two.txt"));
}

/// A run that was granted `a.txt`, has written it twice, and waits at `b.txt`; it writes `a.txt` once more after it.
fn granted() -> Asked {
    let steps = [[write("a.txt", "1")], [write("a.txt", "2")], [write("b.txt", "b")], [write("a.txt", "3")]];
    let steps: Vec<&[Value]> = steps.iter().map(|step| &step[..]).collect();
    let asked = Asked::with(&[], &steps);
    asked.decide(json!({"decision": "session"}));
    asked_about(&asked, "call_3");
    assert_eq!(asked.place.read("a.txt"), "2", "the second was not asked about");
    asked
}

/// The grant that the command line lists.
fn listed_grant(asked: &Asked) -> Value {
    let rules = asked.place.windlass(&["policy", "list", "--json"]).exits(0).json();
    let [grant] = &rules.as_array().unwrap()[..] else { panic!("{rules}") };
    let shown = [&grant["source"], &grant["rule"], &grant["session_id"]];
    assert_eq!(shown, [&json!("grant"), &json!("write_file(a.txt)"), &json!(asked.session)]);
    grant.clone()
}

#[test]
fn u_40_a_grant_is_listed_and_revoked_by_the_command_line_and_over_http() {
    for is_http in [false, true] {
        let asked = granted();
        let grant = listed_grant(&asked);
        let id = grant["id"].as_str().unwrap();
        let said = asked.place.windlass(&["policy", "list"]).exits(0).out;
        assert_eq!(said, format!("{id}  allow  write_file(a.txt)  granted to session {}\n", asked.session));
        let served = asked.served.json("GET /api/policies", "");
        assert_eq!(served["rules"], json!([grant]));
        if is_http {
            assert_eq!(asked.served.ask(&format!("DELETE /api/policies/{id}"), "").0, 204);
        } else {
            let said = asked.place.windlass(&["policy", "remove", id]).exits(0).out;
            assert_eq!(said, format!("revoked {id}  write_file(a.txt)\n"));
        }
        asked.place.windlass(&["policy", "remove", id]).complains(2, &["there is no grant", "policy list"]);
        assert_eq!(asked.served.ask(&format!("DELETE /api/policies/{id}"), "").0, 404);
        asked.decide(once());
        asked_about(&asked, "call_4");
        assert_eq!(asked.place.read("a.txt"), "2", "it is asked about again");
    }
}

#[test]
fn u_40_a_grant_ends_with_the_program_and_only_a_run_that_was_cut_off_has_it_back() {
    let asked = granted();
    asked.decide(once());
    asked.served.first(&asked.run, "done");
    assert_eq!(asked.place.read("a.txt"), "3");
    listed_grant(&asked);
    let Asked { place, served, session, .. } = asked;
    served.stop();
    assert!(place.windlass(&["policy", "list"]).exits(0).out.starts_with("no rules are stored"));
    let more = "user Again\nmodel call 9 write_file {\"path\":\"a.txt\",\"content\":\"4\"}\nmodel end\nmodel text More.\n";
    place.write("a.script", &(place.read("a.script") + more));
    let served = Served::start_with(&place, &["--model", "scripted/a.script"], &[]);
    let started = served.json(&format!("POST /api/sessions/{session}/runs"), "{\"message\":\"Again\"}");
    let run = started["run_id"].as_str().unwrap();
    let question = served.first(run, "permission_request");
    assert_eq!(question["name"], "write_file", "the same file is asked about anew: {question}");

    let asked = granted();
    let Asked { place, served, run, session } = asked;
    served.kill();
    let served = Served::start_with(&place, &["--model", "scripted/a.script"], &[]);
    let asked = Asked { place, served, run, session };
    listed_grant(&asked);
    asked.decide(once());
    let resumed = asked.served.first(&asked.run, "run_resumed");
    assert_eq!(resumed["grants"], json!(["write_file(a.txt)"]), "what is restored is shown");
    asked.served.first(&asked.run, "done");
    assert_eq!(asked.place.read("a.txt"), "3", "it holds for the rest of the run");
}

#[test]
fn u_40_z_13_the_terminal_app_shows_a_grant_takes_it_back_and_ends_it_when_it_is_quit() {
    let turn = |n: u8| {
        format!(
            "user Go {n}\nmodel call {n} write_file {{\"path\":\"a.txt\",\"content\":\"{n}\"}}\nmodel end\nmodel text End {n}.\n"
        )
    };
    let begin = || {
        let place = Place::with(&[("talk.script", &(1..=3).map(turn).collect::<String>())]);
        let pane = Pane::start(&place, 100, 30, "--model scripted/talk.script");
        say(&pane, "Go 1");
        pane.wait_until_it_stays("a question that listens", |pane| {
            let screen = pane.screen();
            screen.contains("[1] Allow Once") && !screen.contains("when you pause")
        });
        pane.press("2");
        pane.wait_for("End 1.");
        (place, pane)
    };
    let (_place, pane) = begin();
    say(&pane, "/policy");
    pane.wait_for("this session only");
    pane.press("d");
    pane.wait_for("Remove this rule?");
    pane.press("y");
    pane.wait_for("is removed");
    pane.escape_from("Esc close");
    say(&pane, "Go 2");
    pane.wait_for("[1] Allow Once");

    let (place, pane) = begin();
    say(&pane, "Go 2");
    pane.wait_for("End 2.");
    say(&pane, "/quit");
    pane.wait_for_end();
    let sessions = place.windlass(&["sessions", "list", "--json"]).exits(0).json();
    let session = sessions[0]["session_id"].as_str().unwrap();
    let pane = Pane::start(&place, 100, 30, &format!("--model scripted/talk.script --session {session}"));
    say(&pane, "Go 3");
    pane.wait_for("[1] Allow Once");
    assert_eq!(place.read("a.txt"), "2", "the grant ended when the app was quit");
}

fn say(pane: &Pane, text: &str) {
    pane.type_text(text);
    pane.press("Enter");
}

/// what is remembered is that file and that command and no other, whichever tool it is of.
#[test]
fn r_48_remembering_one_file_or_command_allows_no_other_and_works_for_every_tool_that_asks() {
    let edit = |old: &str, new: &str| json!({"tool": "edit_file", "args": {"path": "a.txt", "edits": [{"old": old, "new": new}]}});
    let command = |line: &str| json!({"tool": "execute_command", "args": {"command": line}});
    // One that is remembered, another one, and the first again.
    let steps = [
        write("one.txt", "1"),
        write("two.txt", "2"),
        write("one.txt", "3"),
        json!({"tool": "read_file", "args": {"path": "a.txt"}}),
        edit("hello", "ahoy"),
        edit("ahoy", "hello"),
        command("echo one >> effects"),
        command("echo two >> effects"),
        command("echo one >> effects"),
    ];
    let steps: Vec<&[Value]> = steps.iter().map(std::slice::from_ref).collect();
    let asked = Asked::with(&[("a.txt", "hello\n")], &steps);
    for (call, decision) in [
        ("call_1", "remember"),
        ("call_2", "deny"),
        ("call_5", "remember"),
        ("call_7", "remember"),
        ("call_8", "deny"),
    ] {
        asked_about(&asked, call);
        asked.decide(json!({"decision": decision}));
    }
    let frames = asked.frames();
    let questions: Vec<&Value> = frames
        .iter()
        .filter(|frame| frame["type"] == "permission_request")
        .map(|frame| &frame["id"])
        .collect();
    assert_eq!(questions, ["call_1", "call_2", "call_5", "call_7", "call_8"]);
    assert_eq!((asked.place.read("one.txt"), asked.place.path("two.txt").exists()), ("3".to_owned(), false));
    assert_eq!(
        (asked.place.read("a.txt"), asked.place.read("effects")),
        ("hello\n".to_owned(), "one\none\n".to_owned())
    );
}

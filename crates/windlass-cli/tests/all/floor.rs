//! The floor: commands that destroy beyond the project are refused, whatever allows them. No test runs one: they are
//! explained, or played against a throw-away home that a failing guard could only empty.

use serde_json::{Value, json};

use crate::place::{Place, Said};
use crate::serve::Served;

const TABLE: &str = include_str!("../../../../fixtures/floor.json");

fn lines(kind: &str) -> Vec<String> {
    let table: Value = serde_json::from_str(TABLE).unwrap();
    table[kind].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect()
}

/// The gate that decides a command line on a server that runs everything.
fn decided(served: &Served, arguments: &Value) -> (String, String) {
    let body = json!({"tool": "execute_command", "arguments": arguments}).to_string();
    let said = served.json("POST /api/policies/explain", &body);
    let gates = said["gates"].as_array().unwrap();
    let gate = gates.iter().find(|gate| gate["decides"] == true).unwrap();
    (gate["gate"].as_str().unwrap().to_owned(), gate["opinion"].as_str().unwrap().to_owned())
}

#[test]
fn u_61_no_spelling_of_destruction_gets_beneath_the_floor_and_its_neighbours_stand_on_it() {
    let place = Place::with(&[("a.script", "user x\nmodel text y\n")]);
    let served = Served::start(&place, &["--approve", "all", "--allow", "*"]);
    let refused = lines("refused");
    assert!(refused.len() >= 150, "{}", refused.len());
    for line in refused {
        let decided = decided(&served, &json!({"command": line}));
        assert_eq!(decided, ("floor".into(), "deny".into()), "{line}");
    }
    let harmless = lines("harmless");
    assert!(harmless.len() >= 60, "{}", harmless.len());
    for line in harmless {
        let decided = decided(&served, &json!({"command": line}));
        assert_eq!(decided.1, "allow", "{line}");
    }
    // Words without a shell, and variables beside the line, are looked at as well.
    for arguments in [
        json!({"argv": ["rm", "-rf", "/"]}),
        json!({"argv": ["sh", "-c", "rm -rf ~"]}),
        json!({"command": "rm -rf $X", "env": {"X": "/"}}),
    ] {
        assert_eq!(decided(&served, &arguments).0, "floor", "{arguments}");
    }
    assert_ne!(decided(&served, &json!({"argv": ["echo", "rm -rf /"]})).0, "floor");
}

#[test]
fn u_61_what_nobody_can_read_beforehand_is_refused_where_nobody_is_asked() {
    let place = Place::with(&[("a.script", "user x\nmodel text y\n")]);
    let served = Served::start(&place, &["--approve", "all"]);
    for line in lines("unreadable") {
        assert_eq!(decided(&served, &json!({"command": line})), ("mode".into(), "deny".into()), "{line}");
    }
    served.stop();
    let served = Served::start(&place, &[]);
    for line in lines("unreadable") {
        assert_eq!(decided(&served, &json!({"command": line})).1, "ask", "{line}");
    }
}

#[test]
fn u_61_the_explanation_names_the_floor_in_every_mode() {
    let place = Place::new();
    for mode in ["read_only", "ask", "edit", "all", "never", "safe", "stage"] {
        let args = ["policy", "explain", "execute_command", "{\"command\":\"sudo rm -rf /\"}", "--json"];
        let said =
            place.windlass(&[&args[..], &["--approve", mode, "--allow", "*"]].concat()).exits(0).json();
        assert_eq!((&said["decides"], &said["stance"]), (&json!("floor"), &json!("denies")), "{mode}");
        assert!(said["question"].is_null(), "nobody is asked: {said}");
    }
}

#[test]
fn u_61_a_run_that_may_do_everything_does_not_empty_a_home() {
    let script = r#"user Clean up
model call 1 execute_command {"command":"rm -rf ~"}
model end calls
model call 2 execute_command {"command":"X=$HOME; sh -c \"rm -rf $X\""}
model end calls
model call 3 execute_command {"command":"rm -rf build && touch cleaned"}
model end calls
model text Clean.
"#;
    let place = Place::with(&[("a.script", script), ("build/x", "x"), ("../home/precious", "mine")]);
    let args =
        ["run", "--json", "--model", "scripted/a.script", "--approve", "all", "--allow", "execute_command"];
    let frames = Said::of(place.command_of_nobody(&args).output().unwrap()).exits(0).lines();
    let results: Vec<&Value> = frames.iter().filter(|frame| frame["type"] == "tool_result").collect();
    for result in &results[..2] {
        let text = result["result"].to_string();
        assert!(text.contains("permission_denied") && text.contains("never run"), "{text}");
    }
    assert!(!frames.iter().any(|frame| frame["type"] == "permission_request"), "{frames:#?}");
    assert!(place.path("../home/precious").exists());
    assert!(!place.path("build").exists() && place.path("cleaned").exists(), "{:#?}", results[2]);
}

//! Runs that are killed while a call makes calls itself: what these did is on record, none of them happens twice, and
//! the model and the user are told which happened and which may have.

use std::process::Command;

use serde_json::Value;

use crate::calls_inside::inner_records;
use crate::place::{Place, Said};

/// A script that changes something, lets another script change something, and changes something again.
const CHANGE_ALL: &str = "/// Changes everything\n\
    fn change_all() { call_tool(\"execute_command\", #{command: \"echo one >> effects\"}); \
    call_tool(\"change_more\"); \
    call_tool(\"execute_command\", #{command: \"echo three >> effects\"}); \"all of it\" }\n";

const CHANGE_MORE: &str = "/// Changes more\n\
    fn change_more() { call_tool(\"write_file\", #{path: \"two.txt\", content: \"two\\n\"}); \
    call_tool(\"execute_command\", #{command: \"echo two >> effects\"}) }\n";

const SCRIPT: &str = "approve all\nuser Go\nmodel call 1 change_all {}\nmodel end\nmodel text Done.\n";

const EFFECTS: [&str; 3] = ["one", "two", "three"];

fn stage() -> Place {
    Place::trusting(&[
        ("a.script", SCRIPT),
        ("effects", ""),
        (".windlass/tools/change_all.rhai", CHANGE_ALL),
        (".windlass/tools/change_more.rhai", CHANGE_MORE),
    ])
}

fn windlass(place: &Place, args: &[&str]) -> Command {
    let mut command = place.command(args);
    command.env("CRASH_TOOLS", "1");
    command
}

fn start(place: &Place) -> Command {
    windlass(place, &["run", "--model", "scripted/a.script", "--session", "s", "-q"])
}

fn say(command: &mut Command) -> Said {
    Said::of(command.output().unwrap())
}

fn happened(place: &Place) -> Vec<String> {
    place.read("effects").lines().map(str::to_owned).collect()
}

/// Arguments of inner calls on record that began, and whether each has its end.
fn on_record(place: &Place) -> Vec<(String, bool)> {
    let records = inner_records(place);
    let of = |kind: &'static str| {
        records.iter().map(|record| &record["event"]).filter(move |event| event["type"] == kind)
    };
    let has_ended = |path: &Value| of("inner_call_ended").any(|event| event["path"] == *path);
    of("inner_call_started")
        .map(|event| (event["arguments"].as_str().unwrap().to_owned(), has_ended(&event["path"])))
        .collect()
}

/// The only call of the only run.
fn outer_call(place: &Place) -> Value {
    let listed = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    let id = listed[0]["run_id"].as_str().expect("there is a run").to_owned();
    let mut shown = place.windlass(&["runs", "show", &id, "--json"]).exits(0).json();
    assert_eq!(shown["story"]["answer"], "Done.", "{shown}");
    shown["story"]["steps"][0]["calls"][0].take()
}

/// What is on record after the kill says at least what happened.
fn check_killed(place: &Place, death: &str) -> Vec<(String, bool)> {
    let began = on_record(place);
    for effect in happened(place) {
        assert!(
            began.iter().any(|(arguments, _)| arguments.contains(&effect)),
            "{death}: {effect}: {began:?}"
        );
    }
    began
}

/// Nothing happened twice, and the story says what happened and what may have.
fn check_taken_up(place: &Place, death: &str, began: &[(String, bool)], told: &str) {
    let (call, seen) = (outer_call(place), happened(place));
    for effect in EFFECTS {
        let times = seen.iter().filter(|line| *line == effect).count();
        assert!(times <= 1, "{death}: {effect} happened {times} times");
        assert!(times == 1 || call["state"] == "interrupted", "{death}: {effect}: {call}");
    }
    if call["state"] != "interrupted" {
        assert_eq!(call["state"], "ok", "{death}: {call}");
        return;
    }
    let content: Value = serde_json::from_str(call["content"].as_str().unwrap()).unwrap();
    let content = content["error"]["message"].as_str().unwrap();
    for (arguments, has_ended) in began {
        let word = if *has_ended { "(done)" } else { "(may or may not have happened)" };
        let line = format!("{arguments} {word}");
        assert!(content.contains(&line), "{death}: the model reads {line}: {content}");
        assert!(told.contains(&line), "{death}: the user reads {line}: {told}");
    }
    let open = began.iter().filter(|(_, has_ended)| !has_ended).count();
    let shown = call["inside"].to_string().matches("\"status\":\"interrupted\"").count();
    assert_eq!(shown, open, "{death}: {call}");
}

/// Kills a run there and takes it up again. Whether the place was reached.
fn kill_and_check(variable: &str, death: &str) -> bool {
    let place = stage();
    let said = say(start(&place).env(variable, death));
    if said.code == 0 {
        assert_eq!(happened(&place), EFFECTS);
        return false;
    }
    assert_eq!(said.code, -1, "{death}: {}", said.err);
    let listed = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    if listed.as_array().unwrap().is_empty() {
        assert!(happened(&place).is_empty(), "{death}");
        return true;
    }
    let began = check_killed(&place, death);
    if listed[0]["outcome"].is_null() {
        let said = say(&mut windlass(&place, &["runs", "resume"])).exits(0);
        check_taken_up(&place, death, &began, &said.err);
    }
    true
}

#[test]
fn u_29_a_run_killed_at_any_write_while_calls_make_calls_keeps_them_on_record_and_repeats_none() {
    for at in 1.. {
        if !kill_and_check("CRASH_AT", &format!("{at}:before")) {
            assert!(at > 14, "only {at} writes");
            return;
        }
        kill_and_check("CRASH_AT", &format!("{at}:after"));
    }
}

#[test]
fn u_29_a_run_killed_in_a_call_inside_a_call_says_so_and_never_repeats_an_effect() {
    for tool in ["execute_command", "write_file"] {
        for side in ["before", "after"] {
            assert!(kill_and_check("CRASH_IN", &format!("{tool}:{side}")));
        }
    }
}

#[test]
fn u_29_a_run_killed_again_while_it_is_taken_up_repeats_no_call_inside_a_call() {
    for at in 1.. {
        let place = stage();
        assert_eq!(say(start(&place).env("CRASH_IN", "write_file:after")).code, -1);
        let began = check_killed(&place, "write_file:after");
        let side = if at % 2 == 0 { "before" } else { "after" };
        let said = say(windlass(&place, &["runs", "resume"]).env("CRASH_AT", format!("{at}:{side}")));
        let death = format!("write_file:after, then {at}:{side}");
        assert_eq!(happened(&place), ["one"], "{death}");
        if said.code == 0 {
            check_taken_up(&place, &death, &began, &said.err);
            assert!(at > 4, "only {at} writes");
            return;
        }
        let listed = place.windlass(&["runs", "list", "--json"]).exits(0).json();
        if listed[0]["outcome"].is_null() {
            say(&mut windlass(&place, &["runs", "resume", "-q"])).exits(0);
        }
        assert_eq!((outer_call(&place)["state"].as_str(), happened(&place).len()), (Some("interrupted"), 1));
    }
}

/// What a tool says of itself does not count for the calls that it makes.
#[test]
fn u_29_a_call_that_only_reads_by_its_own_word_runs_again_only_if_its_calls_only_read() {
    let change = r#"{"tool":"execute_command","args":{"command":"echo one >> effects"}}"#;
    let sum = r#"{"tool":"calculate","args":{"expression":"19 + 23"}}"#;
    for (calls, death, state, times) in [
        (format!("{sum},{change}"), "execute_command:after", "interrupted", 1),
        (format!("{sum},{change}"), "execute_command:before", "interrupted", 0),
        (format!("{sum},{change}"), "calculate:after", "ok", 1),
        (sum.to_owned(), "pass_on:after", "ok", 0),
    ] {
        let place = stage();
        let call = format!("model call 1 pass_on {{\"calls\":[{calls}]}}");
        place.write("a.script", &SCRIPT.replace("model call 1 change_all {}", &call));
        assert_eq!(say(start(&place).env("CRASH_IN", death)).code, -1, "{death}");
        say(&mut windlass(&place, &["runs", "resume", "-q"])).exits(0);
        assert_eq!(outer_call(&place)["state"], state, "{death}");
        assert_eq!(happened(&place).len(), times, "{death}");
    }
}

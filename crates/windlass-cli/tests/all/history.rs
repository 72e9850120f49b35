//! `windlass sessions` and `windlass runs`: what was kept is found, shown, exported, gone on with and forgotten.

use serde_json::Value;

use crate::lifeline::Lifeline;
use crate::place::Place;

const SCRIPT: &str = "user First\nmodel text One.\nmodel call 1 calculate {\"expression\":\"1 + 1\"}\nmodel end\n\
                      model text Two.\nuser Second\nexpect-request contains user: First\nmodel text Three.\n";

fn place() -> Place {
    Place::with(&[("a.script", SCRIPT)])
}

const RUN: [&str; 5] = ["run", "--model", "scripted/a.script", "--session", "mine"];

fn run(place: &Place, prompt: &str) -> crate::place::Said {
    place.windlass(&[&RUN[..], &[prompt]].concat())
}

#[test]
fn a_session_is_kept_and_gone_on_with_by_its_name_in_another_process() {
    let place = place();
    assert_eq!(run(&place, "Hello").exits(0).out, "Two.\n");
    // The second process knows what was said in the first, and plays the script where it was.
    assert_eq!(run(&place, "And now?").complains(1, &["the request does not contain 'user: First'"]).out, "");
    let rows = place.windlass(&["sessions", "list", "--json"]).exits(0).json();
    assert_eq!((&rows[0]["session_id"], &rows[0]["runs"]), (&"mine".into(), &2.into()));
    assert_eq!((&rows[0]["title"], &rows[0]["origin"]), (&"Hello".into(), &"cli".into()));
}

#[test]
fn a_session_goes_on_with_its_own_model_and_a_script_with_its_next_line() {
    let place = place();
    run(&place, "First").exits(0);
    let said = place.windlass(&["run", "--session", "min"]).exits(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("Three.\n", "» Second\n"));
}

#[test]
fn lists_and_stories_are_for_people_and_for_programs() {
    let place = place();
    run(&place, "First").exits(0);
    let table = place.windlass(&["sessions", "list"]).exits(0).out;
    assert!(
        table.starts_with("SESSION  CHANGED   RUNS  MODEL") && table.contains("\nmine     just now  1"),
        "{table}"
    );
    let table = place.windlass(&["runs", "list"]).exits(0).out;
    assert!(table.contains("completed  2      1      scripted/a.script  First"), "{table}");
    let story = place.windlass(&["sessions", "show", "mine"]).exits(0).out;
    assert!(story.contains("» First\nstep 1\nOne.\n✓ call_1 calculate 1 + 1  "), "{story}");
    assert!(story.ends_with("step 2\nTwo.\n") && !story.contains('\u{1b}'), "{story}");

    let rows = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    let id = rows[0]["run_id"].as_str().unwrap();
    let shown = place.windlass(&["runs", "show", &id[..20], "--json"]).exits(0).json();
    assert_eq!(shown["story"]["steps"][0]["calls"][0]["state"], "ok");
    let trace = place.windlass(&["runs", "trace", id]).exits(0).json();
    assert_eq!((&trace["outcome"], &trace["tools"][0]["name"]), (&"completed".into(), &"calculate".into()));
}

#[test]
fn z_16_z_18_an_export_has_user_assistant_with_its_calls_tool_and_assistant_in_this_order() {
    let place = place();
    run(&place, "First").exits(0);
    let records = place.windlass(&["sessions", "export", "mine"]).exits(0).lines();
    let roles: Vec<&str> =
        records.iter().filter_map(|record| record["event"]["message"]["role"].as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant"]);
    let step = records.iter().find(|record| record["event"]["type"] == "step_ended").unwrap();
    let parts = step["event"]["message"]["parts"].as_array().unwrap();
    assert!(parts.iter().any(|part| part["type"] == "call" && part["name"] == "calculate"), "{parts:?}");
    let numbers: Vec<u64> = records.iter().map(|record| record["seq"].as_u64().unwrap()).collect();
    assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
}

#[test]
fn p_10_p_11_every_call_is_requested_and_answered_before_the_model_speaks_again() {
    let script = "user Go\nmodel call 1 calculate {\"expression\":\"1\"}\nmodel call 2 calculate {\"expression\":\"2\"}\n\
                  model end\nmodel text Done.\n";
    let place = Place::with(&[("a.script", script)]);
    run(&place, "Go").exits(0);
    let records = place.windlass(&["sessions", "export", "mine"]).exits(0).lines();
    let is_told = |record: &&Value| !record["event"]["type"].as_str().unwrap().ends_with("_delta");
    let told: Vec<String> = records
        .iter()
        .filter(is_told)
        .map(|record| record["event"]["type"].as_str().unwrap().to_owned())
        .collect();
    let place_of = |word: &str, number: usize| {
        let places = told.iter().enumerate().filter(|(_, own)| *own == word).map(|(at, _)| at);
        places.into_iter().nth(number).unwrap_or_else(|| panic!("no {word} {number} in {told:?}"))
    };
    let answered = [0, 1].map(|number| place_of("call_ended", number));
    let requested = [0, 1].map(|number| place_of("call_requested", number));
    assert!(requested[1] < answered[0] && answered[1] < place_of("step_started", 1), "{told:?}");
    assert_eq!(told.last().map(String::as_str), Some("run_ended"));
    assert!(records.iter().all(|record| record["run_id"] == records[0]["run_id"]));
}

#[test]
fn a_session_can_be_renamed_found_by_its_text_and_forgotten() {
    let place = place();
    run(&place, "First").exits(0);
    place.windlass(&["sessions", "rename", "mine", "Another title"]).exits(0);
    assert!(place.windlass(&["sessions", "list", "another"]).exits(0).out.contains("Another title"));
    assert!(!place.windlass(&["sessions", "list", "nothing-like-it"]).exits(0).out.contains("mine"));
    place.windlass(&["sessions", "delete", "mine"]).exits(0);
    assert_eq!(place.windlass(&["sessions", "list", "--json"]).exits(0).json(), Value::Array(Vec::new()));
    assert_eq!(place.windlass(&["runs", "list", "--json"]).exits(0).json(), Value::Array(Vec::new()));
}

#[test]
fn unknown_ids_suggest_the_nearest_and_are_a_matter_of_usage() {
    let place = place();
    run(&place, "First").exits(0);
    place
        .windlass(&["sessions", "show", "mien"])
        .complains(2, &["there is no session 'mien'", "did you mean 'mine'?"]);
    place.windlass(&["runs", "show", "nowhere"]).complains(2, &["there is no run 'nowhere'"]);
    place.windlass(&["runs", "resume"]).complains(2, &["there is no unfinished run"]);
    let rows = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    let id = rows[0]["run_id"].as_str().unwrap();
    place
        .windlass(&["runs", "resume", id])
        .complains(2, &["has ended: completed", "windlass run --session mine"]);
    place
        .windlass(&["run", "--session", "01a1df1f-f76a", "hi", "--model", "scripted/a.script"])
        .complains(2, &["there is no session"]);
}

#[test]
fn an_ephemeral_run_leaves_no_session_and_no_file() {
    let place = place();
    place.windlass(&["run", "--model", "scripted/a.script", "--ephemeral", "First"]).exits(0);
    assert!(!place.data_folder().join("windlass.db").exists());
}

#[test]
fn an_unusable_data_folder_is_said_with_two_ways_out() {
    let place = place();
    place.write("a-file", "");
    let args = ["run", "--model", "scripted/a.script", "--data", "a-file", "First"];
    place.windlass(&args).complains(1, &["sessions cannot be kept", "a-file", "--data DIR", "--ephemeral"]);
    place
        .windlass(&["run", "--model", "scripted/a.script", "--ephemeral", "--data", "a-file", "First"])
        .exits(0);
}

#[test]
fn r_60_a_new_message_begins_its_counters_anew_also_in_another_process() {
    let script = "max-steps 2\nuser A\nmodel call 1 calculate {\"expression\":\"1\"}\nmodel end\n\
                  model text a\nuser B\nmodel call 2 calculate {\"expression\":\"2\"}\nmodel end\nmodel text b\n";
    let place = Place::with(&[("a.script", script)]);
    assert_eq!(run(&place, "A").exits(0).out, "a\n");
    assert_eq!(run(&place, "B").exits(0).out, "b\n");
}

#[test]
fn a_session_that_another_process_writes_is_refused_with_its_name() {
    let script = "approve all\nuser Go\nmodel call 1 execute_command \
                  {\"command\":\"exec 3>lifeline; echo up >&3; sleep 1000\"}\n";
    let place = Place::with(&[("a.script", script)]);
    let lifeline = Lifeline::new(&place);
    let mut child = place.command(&[&RUN[..], &["Go", "-q"]].concat()).spawn().unwrap();
    lifeline.wait_for_life();
    let by = format!("process {}", child.id());
    for args in [&[&RUN[..], &["And?"]].concat()[..], &["sessions", "delete", "mine"], &["runs", "resume"]] {
        place.windlass(args).complains(1, &["in use by", &by]);
    }
    // Reading needs nobody's leave.
    assert!(place.windlass(&["sessions", "show", "mine"]).exits(0).out.contains("… call_1 execute_command"));
    child.kill().unwrap();
    child.wait().unwrap();
    run(&place, "And?").complains(1, &["was interrupted", "windlass runs resume "]);
    place.windlass(&["sessions", "delete", "mine"]).exits(0);
}

#[test]
fn a_run_is_replayed_and_forked_with_another_message_or_outcome() {
    let place = place();
    run(&place, "First").exits(0);
    let rows = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    let id = rows[0]["run_id"].as_str().unwrap();
    assert!(place.windlass(&["runs", "replay", id]).exits(0).out.starts_with("the same: all "));
    assert!(place.windlass(&["runs", "replay", id, "--json"]).exits(0).json()["divergence"].is_null());

    let said = place.windlass(&["runs", "fork", id, "--at", "1", "--outcome", "call_1={\"is\":7}"]).exits(0);
    assert!(said.out == "Two.\n" && said.err.contains("forked into session "), "{}", said.err);
    place.windlass(&["runs", "fork", id, "--at", "0", "--message", "Something else"]).exits(0);
    let rows = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    assert_eq!(rows.as_array().unwrap().len(), 3);
    assert_eq!((&rows[0]["message"], &rows[1]["message"]), (&"Something else".into(), &"First".into()));
    let forked = place.windlass(&["runs", "show", rows[1]["run_id"].as_str().unwrap()]).exits(0).out;
    assert!(forked.contains("✓ call_1 calculate 1 + 1  0 ms  {\"is\":7}"), "{forked}");
    place.windlass(&["runs", "fork", id, "--at", "9"]).complains(2, &["no complete step 9"]);
    place.windlass(&["runs", "fork", id, "--at", "1", "--outcome", "call_1"]).exits(2);
}

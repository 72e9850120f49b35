//! The crash matrix: one run of twenty calls, killed at every write to the journal and in the middle of every
//! call, taken up again, and compared with the same run that nobody killed.
//!
//! What calls do is counted outside the process: by lines in files that commands append to, by marks that
//! edits leave, by the keys that `append_line` writes.

use std::collections::BTreeMap;
use std::process::Command;
use std::thread;

use serde_json::Value;

use crate::lifeline::Lifeline;
use crate::place::{Place, Said};

/// Twenty calls: pure, read, write (idempotent and not), external (idempotent, with a probe, with neither).
const SCRIPT: &str = r#"max-steps 30
approve ask
allow write_file
allow edit_file
allow read_file
allow search_text
user Do all of it
model text First I look around.
model call 1 calculate {"expression":"19 + 23"}
model call 2 read_file {"path":"marks.txt"}
model call 3 get_file_tree {"path":"src"}
model end
model call 4 add_task {"content":"count"}
model end
model call 5 execute_command {"command":"echo call_5 >> effects"}
approve 5
model text On with it.
model call 6 write_file {"path":"out.txt","content":"written\n"}
model end
model call 7 edit_file {"path":"marks.txt","edits":[{"old":"mark:","new":"mark:|"}]}
model end
model call 8 append_line {"file":"keys"}
model end
model call 9 search_text {"pattern":"hello","path":"a.txt"}
model call 10 calculate {"expression":"6 * 7"}
model end
model reasoning Tasks next.
model call 11 update_task {"task_id":"task_1","status":"in_progress"}
model call 12 list_tasks {}
model end
model call 13 execute_command {"command":"echo call_13 >> effects"}
approve 13
model call 14 edit_file {"path":"more.txt","edits":[{"old":"mark:","new":"mark:|"}],"expected_sha256":"cea8a370647858df3c1308018c0caed82065fbc051f78c1ffaf523b77ce11934"}
model call 15 read_file {"path":"b.txt"}
model end
model call 16 append_line {"file":"keys"}
model call 17 execute_command {"command":"echo call_17 >> effects"}
approve 17 session
model call 18 write_file {"path":"out2.txt","content":"again\n"}
model end
model call 19 execute_command {"command":"echo call_19 >> effects"}
approve 19
model call 20 calculate {"expression":"2 ** 10"}
model end
model text All of it is done.
"#;

/// Calls that must not happen twice and cannot be asked whether they did.
const ONCE: [&str; 6] = ["call_5", "call_7", "call_13", "call_14", "call_17", "call_19"];

/// Calls that may run again: they write the same once more.
const REPEATED: [&str; 2] = ["call_6", "call_18"];

fn stage() -> Place {
    Place::with(&[
        ("all.script", SCRIPT),
        ("a.txt", "hello\n"),
        ("b.txt", "world\n"),
        ("src/c.txt", "tree\n"),
        ("marks.txt", "mark:\n"),
        ("more.txt", "mark:\n"),
    ])
}

fn windlass(place: &Place, args: &[&str]) -> Command {
    let mut command = place.command(args);
    command.env("CRASH_TOOLS", "1");
    command
}

fn start(place: &Place) -> Command {
    windlass(place, &["run", "--model", "scripted/all.script", "--session", "s", "-q"])
}

fn say(command: &mut Command) -> Said {
    Said::of(command.output().unwrap())
}

/// The story of the only run, without what differs from time to time.
fn story(place: &Place) -> Value {
    let listed = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    let id = listed[0]["run_id"].as_str().expect("there is a run").to_owned();
    let mut story = place.windlass(&["runs", "show", &id, "--json"]).exits(0).json()["story"].take();
    story["run_id"] = Value::Null;
    story["remarks"] = Value::Null;
    for call in calls_mut(&mut story) {
        call["duration_ms"] = Value::Null;
    }
    story
}

fn calls_mut(story: &mut Value) -> impl Iterator<Item = &mut Value> {
    let steps = story["steps"].as_array_mut().unwrap().iter_mut();
    steps.flat_map(|step| step["calls"].as_array_mut().unwrap())
}

/// How often each call happened, as the world outside knows it.
fn effects(place: &Place) -> BTreeMap<String, usize> {
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

/// Kills a run at one place, takes it up again, and compares. Whether the place was reached.
fn kill_and_compare(variable: &str, place_of_death: &str, whole: &Value) -> bool {
    let place = stage();
    let said = say(start(&place).env(variable, place_of_death));
    if said.code == 0 {
        return false;
    }
    assert_eq!(said.code, -1, "{place_of_death}: {}", said.err);
    let listed = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    if listed.as_array().unwrap().is_empty() {
        // Nothing was on record yet, so nothing can have happened: it is begun again.
        assert!(effects(&place).values().all(|count| *count == 0), "{place_of_death}");
        say(&mut start(&place)).exits(0);
    } else if listed[0]["outcome"].is_null() {
        say(&mut windlass(&place, &["runs", "resume", "-q"])).exits(0);
    }
    compare(&place, place_of_death, whole, 1);
    true
}

/// Compares what became of a run with one that nobody killed; it was stopped so many times.
fn compare(place: &Place, place_of_death: &str, whole: &Value, stops: usize) {
    let (mut seen, mut whole) = (story(place), whole.clone());
    let counts = effects(place);
    let count = |id: &str| counts.get(id).copied().unwrap_or_default();
    let interrupted: Vec<String> = calls_mut(&mut seen)
        .filter(|call| call["state"] == "interrupted")
        .map(|call| call["id"].as_str().unwrap().to_owned())
        .collect();
    assert!(interrupted.len() <= stops, "{place_of_death}: {interrupted:?}");
    for id in ONCE {
        match interrupted.iter().any(|own| own == id) {
            true => assert!(count(id) <= 1, "{place_of_death}: {id} happened {} times", count(id)),
            false => assert_eq!(count(id), 1, "{place_of_death}: {id}"),
        }
    }
    for id in ["call_8", "call_16"] {
        assert_eq!(count(id), 1, "{place_of_death}: {id} can be asked");
    }
    assert!(interrupted.iter().all(|id| ONCE.contains(&id.as_str())), "{interrupted:?}");
    let is_other = |id: &str, said: &Value| {
        interrupted.iter().any(|own| own == id)
            // A file that is written again says that it has the content already.
            || (REPEATED.contains(&id) && said.as_str().unwrap().contains("already has this content"))
    };
    for (seen, whole) in calls_mut(&mut seen).zip(calls_mut(&mut whole)) {
        let id = seen["id"].as_str().unwrap().to_owned();
        if is_other(&id, &seen["content"]) {
            for field in ["state", "summary", "content"] {
                (seen[field], whole[field]) = (Value::Null, Value::Null);
            }
        }
        assert_eq!(seen, whole, "{place_of_death}");
    }
    assert_eq!(seen, whole, "{place_of_death}");
    assert_eq!((place.read("out.txt"), place.read("out2.txt")), ("written\n".into(), "again\n".into()));
}

/// The run that nobody killed.
fn whole_story() -> Value {
    let place = stage();
    say(&mut start(&place)).exits(0);
    assert_eq!(effects(&place).values().sum::<usize>(), 8);
    story(&place)
}

/// Two at a time: the even and the odd places.
fn in_two_lanes(lane: impl Fn(u32) + Sync) {
    thread::scope(|scope| {
        let lane = &lane;
        let lanes = [1, 2].map(|first| scope.spawn(move || lane(first)));
        lanes.into_iter().for_each(|lane| lane.join().unwrap());
    });
}

#[test]
fn a_run_that_is_killed_at_any_write_of_the_journal_loses_nothing_and_repeats_nothing() {
    let whole = whole_story();
    in_two_lanes(|first| {
        for at in (first..).step_by(2) {
            let is_reached = kill_and_compare("CRASH_AT", &format!("{at}:before"), &whole);
            if !is_reached {
                assert!(at > 40, "only {at} writes");
                return;
            }
            kill_and_compare("CRASH_AT", &format!("{at}:after"), &whole);
        }
    });
}

#[test]
fn a_run_that_is_killed_in_the_middle_of_any_call_says_so_and_never_repeats_an_effect() {
    let whole = whole_story();
    in_two_lanes(|first| {
        for number in (first..=20).step_by(2) {
            for side in ["before", "after"] {
                assert!(kill_and_compare("CRASH_IN", &format!("call_{number}:{side}"), &whole));
            }
        }
    });
}

#[test]
fn a_run_that_is_killed_again_while_it_is_taken_up_still_ends_as_without_it() {
    let whole = whole_story();
    in_two_lanes(|first| {
        for at in (first..).step_by(2) {
            let place = stage();
            assert_eq!(say(start(&place).env("CRASH_IN", "call_13:after")).code, -1);
            let mut resume = windlass(&place, &["runs", "resume", "-q"]);
            let side = if at % 4 < 2 { "before" } else { "after" };
            let said = say(resume.env("CRASH_AT", format!("{at}:{side}")));
            if said.code == 0 {
                assert!(at > 10, "only {at} writes");
                return;
            }
            let listed = place.windlass(&["runs", "list", "--json"]).exits(0).json();
            if listed[0]["outcome"].is_null() {
                say(&mut windlass(&place, &["runs", "resume", "-q"])).exits(0);
            }
            compare(&place, &format!("call_13:after, {at}:{side}"), &whole, 2);
        }
    });
}

/// A kill from outside, while the command of a call runs: it is not run again, unless the user wants it.
#[test]
fn a_command_that_ran_when_the_process_was_killed_runs_again_only_at_the_users_wish() {
    let script = "approve all\nuser Go\nmodel call 1 execute_command \
                  {\"command\":\"echo once >> effects; exec 3>lifeline; echo up >&3; test -e done || sleep 1000\"}\n\
                  model end\nmodel text Done.\n";
    for wish in [&[][..], &["--retry", "call_1"]] {
        let place = Place::with(&[("all.script", script)]);
        let lifeline = Lifeline::new(&place);
        let mut child = start(&place).spawn().unwrap();
        lifeline.wait_for_life();
        child.kill().unwrap();
        child.wait().unwrap();
        place.write("done", "");
        let said = say(&mut windlass(&place, &[&["runs", "resume"], wish].concat())).exits(0);
        let (times, word) = if wish.is_empty() { (1, "not repeated") } else { (2, "exit code 0") };
        assert_eq!(place.read("effects").lines().count(), times, "{}", said.err);
        assert!(said.out == "Done.\n" && said.err.contains(word), "{}", said.err);
    }
}

/// The model in the process dies with it; the next process loads it anew and goes on where the journal ends.
#[test]
fn a_run_of_the_built_in_model_that_is_killed_at_any_write_ends_as_without_it() {
    let ask = |place: &Place| {
        windlass(
            place,
            &["run", "--model", "builtin", "--session", "s", "-q", "What files are in this project?"],
        )
    };
    let whole = say(&mut ask(&stage())).exits(0).out;
    assert!(whole.contains("a.txt"), "{whole}");
    for at in 2.. {
        let place = stage();
        let said = say(ask(&place).env("CRASH_AT", format!("{at}:after")));
        if said.code == 0 {
            assert!(at > 4, "only {at} writes");
            return;
        }
        let listed = place.windlass(&["runs", "list", "--json"]).exits(0).json();
        if listed[0]["outcome"].is_null() && listed[0]["run_id"].is_string() {
            say(&mut windlass(&place, &["runs", "resume", "-q"])).exits(0);
        }
        let id = listed[0]["run_id"].as_str().map(str::to_owned);
        let Some(id) = id else { continue };
        let shown = place.windlass(&["runs", "show", &id, "--json"]).exits(0).json();
        assert_eq!(
            shown["story"]["answer"].as_str().map(str::trim),
            Some(whole.trim()),
            "killed at write {at}"
        );
    }
}

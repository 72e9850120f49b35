//! The crash matrix: one run of twenty calls with steps, system text, tools, profile, sampling and a module asked for,
//! killed at every write to the journal and in the middle of every call, taken up again under another configuration, and
//! compared with the same run that nobody killed: what happened, what is on record, and every request to the model.

use std::process::Command;
use std::thread;

use serde_json::Value;

use crate::crash_stage::{Death, Played, calls_mut, effects, given_id, play};
use crate::lifeline::Lifeline;
use crate::place::{Place, Said};

/// Calls that must not happen twice and cannot be asked whether they did.
const ONCE: [&str; 6] = ["call_5", "call_7", "call_13", "call_14", "call_17", "call_19"];

/// Calls that may run again: they write the same once more.
const REPEATED: [&str; 2] = ["call_6", "call_18"];

/// Kills the run at these places, and compares. Whether all of them were reached.
fn kill_and_compare(whole: &Played, has_module: bool, deaths: &[Death<'_>]) -> bool {
    let seen = play(has_module, deaths);
    compare(&seen, deaths, whole);
    seen.deaths == deaths.len()
}

/// Compares what became of a run with one that nobody killed.
fn compare(seen: &Played, deaths: &[Death<'_>], whole: &Played) {
    let (mut story, mut expected) = (seen.story.clone(), whole.story.clone());
    let counts = effects(&seen.place);
    let count = |id: &str| counts.get(id).copied().unwrap_or_default();
    let interrupted: Vec<String> = calls_mut(&mut story)
        .filter(|call| call["state"] == "interrupted")
        .map(|call| call["id"].as_str().unwrap().to_owned())
        .collect();
    assert!(interrupted.len() <= seen.deaths, "{deaths:?}: {interrupted:?}");
    for id in ONCE {
        match interrupted.iter().any(|own| own == id) {
            true => assert!(count(id) <= 1, "{deaths:?}: {id} happened {} times", count(id)),
            false => assert_eq!(count(id), 1, "{deaths:?}: {id}"),
        }
    }
    for id in ["call_8", "call_16"] {
        assert_eq!(count(id), 1, "{deaths:?}: {id} can be asked");
    }
    assert!(interrupted.iter().all(|id| ONCE.contains(&id.as_str())), "{interrupted:?}");
    let is_other = |id: &str, said: &Value| {
        interrupted.iter().any(|own| own == id)
            // A file that is written again says that it has the content already.
            || (REPEATED.contains(&id) && said.as_str().unwrap().contains("already has this content"))
    };
    let mut others = Vec::new();
    for (number, (seen, whole)) in calls_mut(&mut story).zip(calls_mut(&mut expected)).enumerate() {
        let id = seen["id"].as_str().unwrap().to_owned();
        if is_other(&id, &seen["summary"]) {
            others.push(given_id(number + 1));
            for field in ["state", "summary", "content"] {
                (seen[field], whole[field]) = (Value::Null, Value::Null);
            }
        }
        assert_eq!(seen, whole, "{deaths:?}");
    }
    assert_eq!(story, expected, "{deaths:?}");
    assert_eq!(
        (seen.place.read("out.txt"), seen.place.read("out2.txt")),
        ("written\n".into(), "again\n".into())
    );
    compare_requests(seen, deaths, whole, &others);
}

/// Every request is, byte for byte, the one that was sent without a kill; only these calls were told another outcome.
fn compare_requests(seen: &Played, deaths: &[Death<'_>], whole: &Played, others: &[String]) {
    let mut requests = seen.requests.clone();
    // A step that was cut off is asked for again, with the same words.
    requests.dedup();
    assert_eq!(requests.len(), whole.requests.len(), "{deaths:?}");
    for (at, (request, expected)) in requests.iter().zip(&whole.requests).enumerate() {
        let mut expected = expected.clone();
        for id in others {
            if let (Some(told), Some(usual)) = (told(request, id), told(&expected, id)) {
                expected = expected.replacen(&usual, &told, 1);
            }
        }
        assert_eq!(*request, expected, "{deaths:?}: request {at}");
    }
}

/// What a request says of the outcome of a call, as it is written there.
fn told(request: &str, id: &str) -> Option<String> {
    let request: Value = serde_json::from_str(request).unwrap();
    let message = request["messages"].as_array()?.iter().find(|message| message["tool_call_id"] == id)?;
    Some(format!("\"tool_call_id\":\"{id}\",\"content\":{}", message["content"]))
}

/// The run that nobody killed.
fn whole_run(has_module: bool) -> Played {
    let whole = play(has_module, &[]);
    assert_eq!(effects(&whole.place).values().sum::<usize>(), 8);
    assert_eq!((whole.requests.len(), &whole.story["outcome"]), (12, &"completed".into()), "{}", whole.story);
    for request in &whole.requests {
        assert!(request.contains("\"temperature\":0.25"), "{request}");
        // A module has instructions of its own.
        assert_eq!(request.contains("Work with care."), !has_module, "{request}");
        assert_eq!(request.contains("Do all of it.\\n"), has_module, "{request}");
        let request: Value = serde_json::from_str(request).unwrap();
        assert_eq!(request["tools"].as_array().map(Vec::len), Some(12), "{request}");
    }
    whole
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
fn u_25_a_run_that_is_killed_at_any_write_of_the_journal_loses_nothing_repeats_nothing_and_asks_the_same() {
    let (with_module, plain) = (whole_run(true), whole_run(false));
    in_two_lanes(|first| {
        for at in (first..).step_by(2) {
            if !kill_and_compare(&with_module, true, &[("CRASH_AT", &format!("{at}:before"))]) {
                assert!(at > 40, "only {at} writes");
                return;
            }
            kill_and_compare(&plain, false, &[("CRASH_AT", &format!("{at}:after"))]);
        }
    });
}

#[test]
fn u_25_a_run_that_is_killed_in_the_middle_of_any_call_says_so_and_asks_the_same() {
    let whole = whole_run(false);
    in_two_lanes(|first| {
        for number in (first..=20).step_by(2) {
            for side in ["before", "after"] {
                let place = format!("call_{number}:{side}");
                assert!(kill_and_compare(&whole, false, &[("CRASH_IN", &place)]), "{place}");
            }
        }
    });
}

#[test]
fn u_25_a_run_that_is_killed_again_while_it_is_taken_up_still_ends_as_without_it() {
    let whole = whole_run(true);
    in_two_lanes(|first| {
        for at in (first..).step_by(2) {
            let side = if at % 4 < 2 { "before" } else { "after" };
            let again = format!("{at}:{side}");
            let deaths = [("CRASH_IN", "call_13:after"), ("CRASH_AT", again.as_str())];
            if !kill_and_compare(&whole, true, &deaths) {
                assert!(at > 10, "only {at} writes");
                return;
            }
        }
    });
}

fn windlass(place: &Place, args: &[&str]) -> Command {
    let mut command = place.command(args);
    command.env("CRASH_TOOLS", "1");
    command
}

fn say(command: &mut Command) -> Said {
    Said::of(command.output().unwrap())
}

/// A kill from outside, while the command of a call runs: it is not run again, unless the user wants it.
#[test]
fn a_command_that_ran_when_the_process_was_killed_runs_again_only_at_the_users_wish() {
    let script = "approve all\nuser Go\nmodel call 1 execute_command \
                  {\"command\":\"echo once >> effects; test -e done && exit 0; exec 3>lifeline; echo up >&3; sleep 1000\"}\n\
                  model end\nmodel text Done.\n";
    for wish in [&[][..], &["--retry", "call_1"]] {
        let place = Place::with(&[("all.script", script)]);
        let lifeline = Lifeline::new(&place);
        let run = ["run", "--model", "scripted/all.script", "--session", "s", "-q"];
        let mut child = windlass(&place, &run).spawn().unwrap();
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
    let stage = || Place::with(&[("a.txt", "hello\n"), ("b.txt", "world\n")]);
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

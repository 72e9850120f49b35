//! A model file reads its prompt: how far it is, is told while it reads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::pane::Pane;
use crate::place::Place;
use crate::serve::Served;

/// A model file that is always there: the built-in one, opened as any other file.
const MODEL: &str =
    concat!("local/", env!("CARGO_MANIFEST_DIR"), "/../../models/builtin/windlass-builtin.gguf");

/// A prompt of so many sentences.
fn prompt(sentences: usize) -> String {
    "the quick brown fox jumps over the lazy dog ".repeat(sentences)
}

/// Lets a process have a small part of its time until something was seen: reading takes long then, on any machine.
fn slowly(process: Pid, see: impl FnOnce()) {
    let is_seen = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_seen.load(Ordering::Relaxed) {
                let _ = kill_process(process, Signal::STOP);
                thread::sleep(Duration::from_millis(190));
                let _ = kill_process(process, Signal::CONT);
                thread::sleep(Duration::from_millis(10));
            }
        });
        let seen = std::panic::catch_unwind(std::panic::AssertUnwindSafe(see));
        is_seen.store(true, Ordering::Relaxed);
        seen.unwrap();
    });
}

/// A read that will take longer than ten seconds says so, and how long.
#[test]
fn u_20_a_command_says_how_long_reading_takes() {
    let place = Place::new();
    place.write("long.txt", &prompt(110));
    let pane = Pane::open(&place, 100, 30);
    let program = env!("CARGO_BIN_EXE_windlass");
    pane.run(&format!("{program} run --model {MODEL} --no-tools --max-output-tokens 8 - < long.txt"));
    pane.wait_until("the program runs", |pane| !pane.app_process().is_empty());
    let process = Pid::from_raw(pane.app_process().parse().unwrap()).unwrap();
    slowly(process, || {
        let screen = pane.wait_for(" s left");
        assert!(screen.contains("reading the prompt: ") && screen.contains(" tokens, about "), "{screen}");
    });
}

#[test]
fn u_20_the_terminal_app_shows_how_far_a_prompt_is_read_and_how_long_it_takes() {
    let place = Place::new();
    let served = Served::start_with(&place, &["--model", MODEL], &[]);
    let session = served.json("POST /api/sessions", "{}")["session_id"].as_str().unwrap().to_owned();
    let pane = Pane::start(&place, 100, 30, &format!("attach {} --session {session}", served.address()));
    pane.wait_for("mode ask");
    let wish = json!({"message": prompt(110), "tools_allowed": false, "output_tokens_max": 8});
    served.json(&format!("POST /api/sessions/{session}/runs"), &wish.to_string());
    slowly(served.process(), || {
        pane.wait_for("Reading the prompt: ");
        let screen = pane.wait_for(" s left");
        assert!(screen.contains(" tokens, about "), "{screen}");
    });
}

#[test]
fn u_20_how_far_a_prompt_is_read_is_told() {
    let place = Place::new();
    let long = prompt(40);
    let ask = ["run", "--model", MODEL, "--no-tools", "--max-output-tokens", "8", "--json", &long];
    let events = place.windlass(&ask).lines();
    let told: Vec<&Value> = events.iter().filter(|event| event["type"] == "step_progress").collect();
    assert!(told.len() >= 2, "{events:?}");
    let read: Vec<u64> = told.iter().map(|event| event["tokens_read"].as_u64().unwrap()).collect();
    let total = told[0]["tokens_total"].as_u64().unwrap();
    assert!(
        read.is_sorted_by(|one, next| one < next) && read.iter().all(|read| *read < total),
        "{read:?} of {total}"
    );
    assert!(told.iter().all(|event| event["tokens_total"] == total), "{told:?}");
    // It is no part of what is kept for ever: what comes first of the answer ends it.
    let last = events.iter().rposition(|event| event["type"] == "step_progress").unwrap();
    assert!(events.iter().take(last).all(|event| event["type"] != "content"), "{events:?}");
    // A short one is read at once, and nothing is told.
    let events = place
        .windlass(&["run", "--model", MODEL, "--no-tools", "--max-output-tokens", "8", "--json", "hi"])
        .lines();
    assert!(events.iter().all(|event| event["type"] != "step_progress"), "{events:?}");
}

//! Ctrl-C: the run stops, its processes with it, and the exit code says so.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::lifeline::{Lifeline, PATIENCE};
use crate::place::Place;

const SLEEPER: &str = r#"approve all
user Sleep
model text I will sleep.
model call 1 execute_command {"command":"exec 3>lifeline; echo up >&3; sleep 1000"}
tool 1 hang
"#;

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

fn start(place: &Place, args: &[&str]) -> Child {
    place.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn text(mut source: impl Read) -> String {
    let mut text = String::new();
    source.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn ctrl_c_cancels_the_run_kills_its_processes_and_exits_130() {
    for word in [Signal::INT, Signal::TERM] {
        let place = Place::with(&[("a.script", SLEEPER)]);
        let lifeline = Lifeline::new(&place);
        let mut child = start(&place, &["run", "--model", "scripted/a.script"]);
        lifeline.wait_for_life();
        let stopped = Instant::now();
        signal(&child, word);
        let status = child.wait().unwrap();
        assert!(stopped.elapsed() < PATIENCE);
        assert_eq!(status.code(), Some(130));
        lifeline.assert_cut();
        let err = text(child.stderr.take().unwrap());
        assert!(err.contains("✗ execute_command"), "{err}");
        assert!(err.contains("cancelled; what the calls above did stays done"), "{err}");
        assert!(!err.contains("resume"), "{err}");
    }
}

#[test]
fn a_cancelled_run_keeps_what_was_said() {
    let script = "user Speak\nmodel text Half of the answer\nmodel hang\n";
    let place = Place::with(&[("a.script", script)]);
    let mut child = start(&place, &["run", "--model", "scripted/a.script", "--json"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("\"content\":\"answer\"")));
    signal(&child, Signal::INT);
    let last: Value = serde_json::from_str(&lines.last().unwrap()).unwrap();
    assert_eq!((&last["type"], &last["outcome"]), (&"done".into(), &"cancelled".into()));
    assert_eq!(child.wait().unwrap().code(), Some(130));

    let mut child = start(&place, &["run", "--model", "scripted/a.script", "-v"]);
    // Nothing says when a model hangs, so the run is stopped after its first sign of life.
    let mut err = BufReader::new(child.stderr.take().unwrap());
    err.read_line(&mut String::new()).unwrap();
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_cancelled_call_has_an_outcome_and_exit_code_130() {
    let place = Place::new();
    let lifeline = Lifeline::new(&place);
    let arguments = r#"{"command":"exec 3>lifeline; echo up >&3; sleep 1000"}"#;
    let mut child = start(&place, &["tools", "call", "execute_command", arguments, "--approve", "all"]);
    lifeline.wait_for_life();
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    lifeline.assert_cut();
    let outcome: Value = serde_json::from_str(&text(child.stdout.take().unwrap())).unwrap();
    assert_eq!(outcome["error"]["kind"], "cancelled");
}

#[test]
fn the_script_itself_can_cancel() {
    let script = "user Speak\nmodel text Half\nmodel hang\ncancel\nexpect-outcome cancelled\n";
    let place = Place::with(&[("a.script", script)]);
    let said = place.windlass(&["run", "--model", "scripted/a.script"]).exits(130);
    assert_eq!(said.out, "Half\n");
    assert!(!said.err.contains("run the command again"), "{}", said.err);
}

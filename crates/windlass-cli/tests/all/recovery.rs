//! Journals of the first release and journals in other words are taken up again; a start right after a kill waits.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use windlass_core::ports::JournalPort as _;
use windlass_core::ports::store::StorePort as _;
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::{RunId, SessionId};
use windlass_store::{SqliteStore, StoreConfig};
use windlass_testkit::reworded;

use crate::lifeline::Lifeline;
use crate::place::Place;

const JOURNALS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/journals");

const SCRIPTS: [&str; 8] = ["cancel", "killed", "limit", "module", "plain", "question", "retry", "stage"];

/// A place with the journal that the first release left.
fn old_place() -> Place {
    let place = Place::new();
    let file = |name: &str| std::fs::read_to_string(format!("{JOURNALS}/{name}")).unwrap();
    for name in SCRIPTS {
        place.write(&format!("{name}.script"), &file(&format!("{name}.script")));
    }
    for name in ["manifest.json", "sort.json"] {
        place.write(&format!(".windlass/modules/{name}"), &file(&format!("modules/{name}")));
    }
    place.trust();
    std::fs::create_dir_all(place.data_folder()).unwrap();
    std::fs::copy(format!("{JOURNALS}/first_release.db"), place.data_folder().join("windlass.db")).unwrap();
    place
}

/// The id of the only run of that script.
pub(crate) fn run_of(place: &Place, model: &str) -> String {
    let rows = place.windlass(&["runs", "list", "--json"]).exits(0).json();
    let found = rows.as_array().unwrap().iter().find(|row| row["model"].as_str().unwrap().contains(model));
    found.unwrap_or_else(|| panic!("no {model}: {rows}"))["run_id"].as_str().unwrap().to_owned()
}

#[test]
fn u_27_a_run_of_the_first_release_that_was_killed_in_a_call_goes_on() {
    let place = old_place();
    place.write("effects", "once\n");
    let said = place.windlass(&["runs", "resume", &run_of(&place, "killed")]).exits(0);
    assert_eq!(said.out, "Done.\n", "{}", said.err);
    assert!(said.err.contains("not repeated"), "{}", said.err);
    assert_eq!(place.read("effects").lines().count(), 1, "it did not happen again");
}

#[test]
fn u_27_a_question_of_the_first_release_still_waits_and_can_be_answered() {
    let place = old_place();
    let said = place.windlass(&["runs", "resume", &run_of(&place, "question")]).exits(0);
    assert_eq!(said.out, "I was allowed to.\n", "{}", said.err);
    assert_eq!(place.read("asked"), "asked\n");
}

/// Limits, cancelling, staged edits, a module, failures that passed: all are driven through again.
#[test]
fn u_27_ended_runs_of_the_first_release_are_played_again_to_their_end() {
    let place = old_place();
    for model in ["plain", "limit", "cancel", "module/sort.mail", "retry", "stage"] {
        let id = run_of(&place, model);
        let replay = ["--model", if model.starts_with("module") { "scripted/module.script" } else { "" }];
        let flags: &[&str] = if replay[1].is_empty() { &[] } else { &replay };
        let said = place.windlass(&[flags, &["runs", "replay", &id]].concat());
        assert_eq!(said.code, 0, "{model}: {}{}", said.out, said.err);
        assert!(said.out.starts_with("the same"), "{model}: {}", said.out);
    }
}

/// A run with everything that is told in words, killed in a call: refusals, corrections, dropped arguments, a denial.
#[test]
fn u_27_a_run_goes_on_whatever_the_words_in_its_journal_are() {
    let place = Place::new();
    let script = std::fs::read_to_string(format!("{JOURNALS}/killed.script")).unwrap();
    place.write("killed.script", &script);
    let lifeline = Lifeline::new(&place);
    let args = ["run", "--model", "scripted/killed.script", "--session", "s", "-q"];
    let mut child = place.command(&args).spawn().unwrap();
    lifeline.wait_for_life();
    child.kill().unwrap();
    child.wait().unwrap();
    place.write("done", "");
    let (session_id, run_id) = (SessionId::from("reworded"), RunId::from("run-in-other-words"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let changed = runtime.block_on(async {
        let store = SqliteStore::open(&place.data_folder(), StoreConfig::default()).unwrap();
        let begin = store.session(&"s".into()).await.unwrap().begin;
        let records = store.load(&"s".into(), 0).await.unwrap();
        assert!(
            records.iter().filter(|record| record.event.is_durable()).all(|record| record.cause.is_some())
        );
        let copies: Vec<_> = records
            .iter()
            .map(|record| {
                let (session_id, run_id) = (session_id.clone(), run_id.clone());
                Arc::new(Record { session_id, run_id, ..reworded(record) })
            })
            .collect();
        let changed = records.iter().zip(&copies).filter(|(own, copy)| own.event != copy.event).count();
        store.copy_session(&session_id, begin, copies, 1).await.unwrap();
        changed
    });
    assert!(changed >= 6, "only {changed} records have words");
    let said = place.windlass(&["runs", "resume", run_id.as_str()]).exits(0);
    assert_eq!(said.out, "Done.\n", "{}", said.err);
    assert_eq!(place.read("effects").lines().count(), 1, "it did not happen again");
    let shown = place.windlass(&["runs", "show", run_id.as_str(), "--json"]).exits(0).json();
    let first = &shown["story"]["steps"][0]["calls"][0]["content"];
    assert!(first.as_str().unwrap().contains("xxxx"), "the model was told what it was told: {first}");
}

#[test]
fn u_28_a_server_waits_for_its_address_and_says_so() {
    let place = Place::with(&[("a.script", "user Hi\nmodel text Hello.\n")]);
    let held = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = held.local_addr().unwrap().to_string();
    let mut serve = place.command(&["serve", "--model", "scripted/a.script", "--addr", &address]);
    serve.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = serve.spawn().unwrap();
    let release = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(2_500));
        drop(held);
    });
    let mut line = String::new();
    let out = child.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).unwrap();
    release.join().unwrap();
    child.kill().unwrap();
    let mut err = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut err).unwrap();
    child.wait().unwrap();
    assert!(line.contains(&address), "{line}{err}");
    assert!(err.contains("is in use; waiting for the program that holds it"), "{err}");
}

#[test]
fn u_28_a_session_is_taken_right_after_its_process_was_killed() {
    let script = "approve all\nuser Go\nmodel call 1 execute_command \
                  {\"command\":\"exec 3>lifeline; echo up >&3; test -e done || sleep 1000\"}\n\
                  model end\nmodel text Done.\n";
    let place = Place::with(&[("a.script", script)]);
    let lifeline = Lifeline::new(&place);
    let mut child =
        place.command(&["run", "--model", "scripted/a.script", "--session", "s", "-q"]).spawn().unwrap();
    lifeline.wait_for_life();
    place.write("done", "");
    // Nobody waits for its end: the lock may still be there for a moment.
    child.kill().unwrap();
    let said = place.windlass(&["runs", "resume", "-q"]).exits(0);
    child.wait().unwrap();
    assert_eq!(said.out, "Done.\n", "{}", said.err);
}

/// Calls of a tool that is gone after the restart stay what they were; a new one is told to the model.
#[cfg(feature = "crash-points")]
#[test]
fn u_26_a_run_whose_tool_is_gone_goes_on_and_only_a_new_call_of_it_fails() {
    let script = "approve all\nuser Go\nmodel call 1 append_line {\"file\":\"keys\"}\nmodel end\n\
                  model call 2 calculate {\"expression\":\"1 + 1\"}\nmodel end\n\
                  model call 3 append_line {\"file\":\"keys\"}\nmodel end\nmodel text Done.\n";
    let place = Place::with(&[("a.script", script)]);
    let run = ["run", "--model", "scripted/a.script", "--session", "s", "-q"];
    let vars = [("CRASH_TOOLS", "1"), ("CRASH_IN", "call_2:before")];
    assert_eq!(place.windlass_with(&run, &vars).code, -1);
    let said = place.windlass(&["runs", "resume", "-q"]).exits(0);
    assert_eq!(said.out, "Done.\n");
    let id = run_of(&place, "a.script");
    let story = place.windlass(&["runs", "show", &id, "--json"]).exits(0).json()["story"].take();
    let calls = story["steps"].as_array().unwrap().iter().flat_map(|step| step["calls"].as_array().unwrap());
    let states: Vec<_> = calls.map(|call| (call["id"].as_str(), call["state"].as_str())).collect();
    let expected = [("call_1", "ok"), ("call_2", "ok"), ("call_3", "failed")];
    assert_eq!(states, expected.map(|(id, state)| (Some(id), Some(state))), "{story}");
    assert_eq!(place.read("keys").lines().count(), 1, "what happened did not happen again");
}

//! The examples run, and say what they promise.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The program of an example: beside the folder of this test's own program. Cargo builds it with
/// `cargo test`; when only this test was built, it is built now.
pub(crate) fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let profile = own.parent().and_then(|folder| folder.parent()).unwrap();
    let path = profile.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if !path.exists() {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "windlass", "--features", "full", "--example", name]);
        build.arg("--target-dir").arg(profile.parent().unwrap());
        assert!(build.status().unwrap().success(), "the example {name} does not compile");
    }
    path
}

fn run(name: &str, input: Option<&str>) -> String {
    run_with(name, &[], input)
}

fn run_with(name: &str, args: &[&str], input: Option<&str>) -> String {
    let mut command = Command::new(program(name));
    command.args(args);
    command.stdout(Stdio::piped());
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child = command.spawn().unwrap();
    if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
        stdin.write_all(input.as_bytes()).unwrap();
    }
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{name}: {text}");
    text
}

#[test]
fn embed_answers_and_streams() {
    let text = run("embed", None);
    assert!(text.contains(r#"add({"a":19,"b":23}) gave 42"#), "{text}");
    assert!(text.contains("It is 42.") && text.contains("Four animals."), "{text}");
    assert!(text.ends_with("Completed\n"), "{text}");
}

#[test]
fn custom_tool_shows_progress_refuses_and_is_cancelled() {
    let text = run("custom_tool", None);
    assert!(text.contains("call_1: refused, '../../elsewhere.txt' leaves the project"), "{text}");
    assert!(text.contains("call_2: page 2 of 2") && text.contains("2 pages are copied"), "{text}");
    assert!(text.ends_with("Cancelled\n"), "{text}");
}

#[test]
fn human_in_the_loop_does_what_the_human_says() {
    let text = run("human_in_the_loop", Some("1\n"));
    assert!(text.contains("[HIGH]") && text.contains("12 euros are on their way to the baker"), "{text}");
    let text = run("human_in_the_loop", Some("4\n"));
    assert!(!text.contains("on their way") && text.contains("I did what you let me do."), "{text}");
}

#[test]
fn human_in_the_loop_denies_when_nobody_is_there() {
    let text = run("human_in_the_loop", None);
    assert!(!text.contains("on their way") && text.contains("I did what you let me do."), "{text}");
}

#[cfg(feature = "modules")]
#[test]
fn d_30_the_merchant_haggles_with_host_functions_and_a_closure_of_the_script() {
    let text = run("merchant", None);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "Player:   How much for the lantern?",
            "Merchant: Forty-five gold, and it has never failed me in the dark.",
            "Player:   Forty-five? It has a dent. Twenty!",
            "Merchant: A dent? A mark of adventure!",
            "Forty, and I throw in a wick.",
            "Player:   Thirty-five, and I tell everyone where I got it.",
            "Merchant: Tell them Osric sent you. Thirty-five it is.",
            "The lantern is yours.",
            "In the purse: 25 gold. In the bag: rope, lantern.",
        ]
    );
}

#[cfg(feature = "builtin")]
#[test]
fn offline_needs_nothing_but_itself() {
    let text = run("offline", None);
    assert!(text.contains("437") && text.contains("(calculate)"), "{text}");
    assert!(text.contains("seven apples") && text.contains("(read_file)"), "{text}");
}

#[cfg(feature = "testing")]
#[test]
fn a_cassette_is_recorded_played_and_tells_a_changed_prompt() {
    let text = run("cassette_test", None);
    assert!(text.contains("played: Bread is 3.50.\n"), "{text}");
    assert!(text.contains("differs at $.system"), "{text}");
    assert!(
        text.contains("recorded: \"You sell things.") && text.contains("asked: \"You sell many"),
        "{text}"
    );
}

#[cfg(feature = "store")]
#[test]
fn durable_bot_does_its_work_once_and_nothing_when_it_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let text = run_with("durable_bot", &[path], None);
    assert!(text.contains("weigh_parcel: 401 grams") && text.contains("Parcel 4 is on its way."), "{text}");
    assert_eq!(run_with("durable_bot", &[path], None), "All parcels are sent.\n");
    let ledger = std::fs::read_to_string(folder.path().join("ledger.txt")).unwrap();
    assert_eq!(ledger.lines().count(), 8, "{ledger}");
}

#[cfg(feature = "server")]
#[test]
fn axum_app_serves_its_own_route_and_a_run_of_the_agent() {
    let text = run("axum_app", None);
    assert!(text.starts_with("http://127.0.0.1:") && text.contains("\nHello.\n"), "{text}");
    assert!(text.contains(r#""content":"42.""#) && text.contains(r#""type":"done""#), "{text}");
}

#[test]
fn approvals_hold_for_the_call_that_was_shown() {
    let text = run("approvals", None);
    assert!(
        text.contains(r#"{"name":"draft-1.txt"}: yes"#) && text.contains("contract.pdf\"}: no"),
        "{text}"
    );
    assert!(text.ends_with("The draft is gone; the contract is still there.\n"), "{text}");
}

#[cfg(all(feature = "search", feature = "tools"))]
#[test]
fn search_assistant_finds_by_itself_by_the_model_and_with_sources() {
    let text = run("search_assistant", None);
    assert!(text.contains("3 of 3 files\n3 files, "), "{text}");
    assert!(text.contains("boats.md:") && text.contains("the evening before, on the board"), "{text}");
    assert!(text.contains("behind the honey jar, and she pays half of the fee: 60 euros."), "{text}");
    assert!(text.contains("found by find_symbol"), "{text}");
    assert!(text.ends_with("At ten.\n\nSources: regatta.md\n"), "{text}");
}

#[test]
fn typed_extraction_corrects_one_answer_and_takes_no_wrong_one() {
    let text = run("typed_extraction", None);
    assert!(text.starts_with("4711: the lamp came broken (Now), 1 item(s)\n"), "{text}");
    assert!(text.contains("4712: the bill is missing (Later), 2 item(s)\n"), "{text}");
    assert!(text.contains("not read: \"Hello? Is anybody there?\": ") && text.contains("order"), "{text}");
    assert!(text.contains("so far: {\"problem\":") && text.contains("whole: false"), "{text}");
    assert!(text.ends_with("4713: a leg is missing\n"), "{text}");
}

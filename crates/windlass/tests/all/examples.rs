//! The examples run, and say what they promise.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The program of an example: beside the folder of this test's own program. Cargo builds it with
/// `cargo test`; when only this test was built, it is built now.
fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let profile = own.parent().and_then(|folder| folder.parent()).unwrap();
    let path = profile.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if !path.exists() {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "windlass", "--example", name]);
        build.arg("--target-dir").arg(profile.parent().unwrap());
        assert!(build.status().unwrap().success(), "the example {name} does not compile");
    }
    path
}

fn run(name: &str, input: Option<&str>) -> String {
    let mut command = Command::new(program(name));
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

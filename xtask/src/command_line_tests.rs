//! What a printed command looks like, and what children see.

use super::*;

#[test]
fn a_printed_command_can_be_pasted_into_a_shell() {
    let doc = CommandLine::cargo(Path::new("."), &["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    assert_eq!(doc.to_string(), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
    assert_eq!(CommandLine::new(Path::new("."), "x", &["a b", ""]).to_string(), "x 'a b' ''");
}

#[test]
fn output_returns_stdout_and_turns_a_failure_into_an_error_with_its_stderr() {
    let here = Path::new(".");
    assert_eq!(CommandLine::new(here, "sh", &["-c", "echo yes"]).output().unwrap(), "yes\n");
    let error = CommandLine::new(here, "sh", &["-c", "echo why >&2; exit 3"]).output().unwrap_err();
    assert!(error.to_string().ends_with("failed: why"), "{error}");
}

#[test]
fn children_do_not_see_the_package_variables_cargo_run_sets() {
    // `cargo test` sets them for this very test, so they are there to leak.
    assert!(std::env::var_os("CARGO_PKG_NAME").is_some());
    let seen = CommandLine::new(Path::new("."), "sh", &["-c", "env"]).output().unwrap();
    assert!(!seen.contains("CARGO_PKG_NAME="), "{seen}");
    assert!(!seen.lines().any(|line| line.starts_with("CARGO=")), "{seen}");
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let error = CommandLine::new(Path::new("."), "no-such-program-here", &[]).succeeds().unwrap_err();
    assert!(error.to_string().contains("cannot start `no-such-program-here`"), "{error}");
}

#[test]
fn a_child_past_its_limit_is_ended_and_counts_as_failed() {
    let started = Instant::now();
    let slow = CommandLine::new(Path::new("."), "sleep", &["60"]);
    assert!(!slow.succeeds_within(Duration::from_millis(100)).unwrap());
    assert!(started.elapsed() < Duration::from_secs(30));
    assert!(CommandLine::new(Path::new("."), "true", &[]).succeeds_within(Duration::from_secs(30)).unwrap());
}

#[test]
fn output_past_its_limit_ends_the_child_and_keeps_what_it_said() {
    let folder = std::env::current_dir().unwrap();
    let sleeper = CommandLine::new(&folder, "sh", &["-c", "echo first; exec sleep 60"]);
    let output = sleeper.output_within(Duration::from_millis(300)).unwrap();
    assert!(!output.status.success());
    assert_eq!(output.stdout, b"first\n");
    let quick = CommandLine::new(&folder, "sh", &["-c", "echo out; echo err >&2"]);
    let output = quick.output_within(Duration::from_secs(60)).unwrap();
    assert!(output.status.success());
    assert_eq!((output.stdout, output.stderr), (b"out\n".to_vec(), b"err\n".to_vec()));
}

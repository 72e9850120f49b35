//! `execute_command`: real processes.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use windlass_core::permission::{Preview, Target};
use windlass_core::protocol::tool::{Effects, ErrorKind, Risk, ToolOutcome};
use windlass_core::text::redact::Redactor;
use windlass_tools::{Environment, ToolsConfig};

use crate::project::{Project, object};

/// Waits, without sleeping, until something holds; panics after ten seconds.
fn wait_for(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(10), "waited in vain for: {what}");
        std::thread::yield_now();
    }
}

/// Whether a process runs; one that is dead but not yet collected by its parent does not.
fn is_running(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    let state = stat.rsplit(')').next().and_then(|rest| rest.trim_start().chars().next());
    state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

fn pids(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn argv_runs_without_a_shell_and_command_with_one() {
    let project = Project::with(&[("a b", "")]);
    let output = project.ok("execute_command", json!({"argv": ["echo", "$HOME;", "a  b"]})).await;
    assert_eq!(output.json["stdout"], "$HOME; a  b\n");
    assert_eq!(output.readable(), "exit code 0\n--- stdout\n$HOME; a  b");
    let output = project.ok("execute_command", json!({"command": "echo one | tr o O; echo two >&2"})).await;
    assert_eq!((&output.json["stdout"], &output.json["stderr"]), (&json!("One\n"), &json!("two\n")));
    assert_eq!(output.readable(), "exit code 0\n--- stdout\nOne\n--- stderr\ntwo");
    assert_eq!(output.summary.as_deref(), Some("Command results: exit code 0 | One | two"));
    let tool = project.tool("execute_command");
    assert_eq!((tool.spec().effects, tool.spec().risk), (Effects::External, Risk::High));
}

#[tokio::test]
async fn a_command_that_fails_is_an_outcome_with_its_code_or_signal() {
    let project = Project::with(&[]);
    let output = project.ok("execute_command", json!({"command": "echo why >&2; exit 3"})).await;
    assert_eq!((&output.json["exit_code"], &output.json["signal"]), (&json!(3), &Value::Null));
    assert_eq!(output.readable(), "exit code 3\n--- stderr\nwhy");
    let output = project.ok("execute_command", json!({"command": "kill -TERM $$"})).await;
    assert_eq!((&output.json["exit_code"], &output.json["signal"]), (&Value::Null, &json!(15)));
    assert_eq!(output.readable(), "killed by signal 15");
}

#[tokio::test]
async fn a_call_that_makes_no_sense_is_refused() {
    let project = Project::with(&[("file", "")]);
    for args in [
        json!({}),
        json!({"command": "ls", "argv": ["ls"]}),
        json!({"command": "  "}),
        json!({"argv": []}),
        json!({"argv": [""]}),
        json!({"argv": ["a\0b"]}),
        json!({"command": "x".repeat(70_000)}),
        json!({"command": "ls", "cwd": "file"}),
        json!({"command": "ls", "env": {"A=B": "x"}}),
        json!({"command": "ls", "env": {"": "x"}}),
    ] {
        project.refused("execute_command", args.clone(), ErrorKind::InvalidArgs).await;
        assert!(project.inspect("execute_command", args).await.is_err());
    }
    let failure =
        project.refused("execute_command", json!({"argv": ["no-such-program"]}), ErrorKind::NotFound).await;
    assert_eq!(failure.message, "Program not found: no-such-program");
    project.refused("execute_command", json!({"argv": ["./file"]}), ErrorKind::IoError).await;
    project.refused("execute_command", json!({"command": "ls", "cwd": "none"}), ErrorKind::NotFound).await;
    let args = json!({"command": "ls", "cwd": ".."});
    project.refused("execute_command", args, ErrorKind::PermissionDenied).await;
}

#[tokio::test]
async fn a_command_runs_in_its_folder_without_input_and_terminal() {
    let project = Project::with(&[("sub/x", "")]);
    let output = project
        .ok(
            "execute_command",
            json!({"command": "pwd; cat; tty; echo $TERM $NO_COLOR",
        "cwd": "sub"}),
        )
        .await;
    let folder = project.path("sub").canonicalize().unwrap();
    let expected = format!("{}\nnot a tty\ndumb 1\n", folder.display());
    assert_eq!(output.json["stdout"], expected);
}

#[tokio::test]
async fn commands_inherit_what_every_program_needs_and_what_was_named() {
    let given = [("PATH", "/usr/bin:/bin"), ("PLAIN", "p"), ("OPENAI_API_KEY", "k"), ("GITHUB_TOKEN", "k")];
    let given = given.map(|(name, value)| (name.into(), value.into()));
    let environment = Environment::allowed(given, &["PLAIN".to_owned()], &Redactor::default());
    let project = Project::configured(&[], &ToolsConfig { environment, ..ToolsConfig::default() });
    let output = project.ok("execute_command", json!({"argv": ["env"], "env": {"OWN": "o"}})).await;
    let mut lines: Vec<&str> = output.json["stdout"].as_str().unwrap().lines().collect();
    lines.sort_unstable();
    let expected = [
        "GIT_TERMINAL_PROMPT=0",
        "NO_COLOR=1",
        "OWN=o",
        "PAGER=cat",
        "PATH=/usr/bin:/bin",
        "PLAIN=p",
        "TERM=dumb",
    ];
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn a_command_that_forks_and_sleeps_leaves_nobody_behind() {
    let project = Project::with(&[]);
    let start = Instant::now();
    let args = json!({"command": "sleep 1000 & (sleep 1000 & echo $!) ; echo $!"});
    let output = project.ok("execute_command", args).await;
    assert!(start.elapsed() < Duration::from_secs(5));
    let stdout = output.json["stdout"].as_str().unwrap();
    assert_eq!(stdout.lines().count(), 2);
    for pid in stdout.lines() {
        wait_for("the end of a grandchild", || !is_running(pid));
    }
}

#[tokio::test]
async fn a_command_over_its_time_is_stopped_with_all_its_children() {
    let project = Project::with(&[]);
    let start = Instant::now();
    let command = "echo so far; echo $$ > pids; sleep 1000 & echo $! >> pids; sleep 1000";
    let args = json!({"command": command, "timeout_ms": 300});
    let failure = project.refused("execute_command", args, ErrorKind::Timeout).await;
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert!(failure.message.starts_with("The command was stopped after 300 ms: "), "{}", failure.message);
    assert_eq!(failure.received.as_deref(), Some("last output: so far\n"));
    let pids = pids(&project.path("pids"));
    assert_eq!(pids.len(), 2);
    for pid in pids {
        wait_for("the end of a process", || !is_running(&pid));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_call_ends_its_processes() {
    let project = Project::with(&[]);
    let (tool, context) = (project.tool("execute_command"), project.context.clone());
    let command = "echo $$ > pids; sleep 1000 & echo $! >> pids; sleep 1000";
    let call = tokio::spawn(async move { tool.run(&object(json!({"command": command})), &context).await });
    wait_for("the start of the processes", || pids(&project.path("pids")).len() == 2);
    let pids = pids(&project.path("pids"));
    assert!(pids.iter().all(|pid| is_running(pid)));
    let start = Instant::now();
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    for pid in pids {
        wait_for("the end of a process", || !is_running(&pid));
    }
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}

#[tokio::test]
async fn a_command_that_prints_for_ever_is_stopped() {
    let project = Project::with(&[]);
    let start = Instant::now();
    let failure =
        project.refused("execute_command", json!({"argv": ["yes"]}), ErrorKind::LimitExceeded).await;
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(failure.message, "The command was stopped after printing 16777216 bytes: yes");
    assert!(failure.received.unwrap().ends_with("y\ny\n"));
    let args = json!({"command": "yes >&2"});
    project.refused("execute_command", args, ErrorKind::LimitExceeded).await;
}

#[tokio::test]
async fn long_output_keeps_its_beginning_and_its_end() {
    let project = Project::with(&[]);
    let output = project.ok("execute_command", json!({"command": "seq 1 200000"})).await;
    let stdout = output.json["stdout"].as_str().unwrap();
    assert!(output.is_truncated);
    assert!(stdout.starts_with("1\n2\n") && stdout.ends_with("199999\n200000\n"));
    assert!(stdout.contains("bytes left out") && stdout.len() < 300_000);
}

#[tokio::test]
async fn a_process_that_leaves_the_group_cannot_keep_the_call_waiting() {
    let project = Project::with(&[]);
    let start = Instant::now();
    let output = project.ok("execute_command", json!({"command": "setsid sleep 4 & echo done"})).await;
    assert_eq!(output.json["stdout"], "done\n");
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}

#[tokio::test]
async fn r_52_binary_output_gives_valid_json() {
    let project = Project::with(&[]);
    project.put("bytes", &(0..=255).collect::<Vec<u8>>());
    let outcome = ToolOutcome::ok(project.ok("execute_command", json!({"argv": ["cat", "bytes"]})).await);
    let wire = serde_json::to_string(&outcome).unwrap();
    let back: ToolOutcome = serde_json::from_str(&wire).unwrap();
    assert_eq!(back, outcome);
    let stdout = outcome.output().unwrap().json["stdout"].as_str().unwrap().to_owned();
    assert!(stdout.starts_with("\0\u{1}\u{2}") && stdout.contains('\u{fffd}'));
}

#[tokio::test]
async fn the_question_shows_the_whole_command_and_its_true_risk() {
    let project = Project::with(&[("sub/x", "")]);
    for (args, line, risk) in [
        (json!({"argv": ["cargo", "test"]}), "cargo test", None),
        (json!({"command": "cargo   test"}), "cargo test", None),
        (json!({"command": "cargo test; id"}), "cargo test; id", None),
        (json!({"argv": ["ls"], "cwd": "./sub"}), "cd sub && ls", None),
        (json!({"argv": ["ls"], "env": {"A": "b c"}}), "A='b c' ls", None),
        (json!({"command": "rm -rf src"}), "rm -rf src", Some(Risk::Critical)),
        (json!({"argv": ["sudo", "id"]}), "sudo id", Some(Risk::Critical)),
    ] {
        let inspection = project.inspect("execute_command", args).await.unwrap();
        assert_eq!(inspection.targets, [Target::Command(line.into())]);
        assert_eq!(inspection.risk, risk, "{line}");
        assert_eq!(inspection.preview, Some(Preview::Command(line.into())));
        assert!(inspection.folder.is_some_and(|folder| folder.starts_with('/')));
        assert_eq!(inspection.caution.is_some(), risk.is_some());
    }
}

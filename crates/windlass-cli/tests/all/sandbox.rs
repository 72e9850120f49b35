//! The sandbox around commands, on the binary: what it holds is shown by deeds, each with a control.
//!
//! Where a machine has no bubblewrap or no Landlock, a test says so in its output and holds the binary to saying it too.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::place::{Place, Said};

/// What an explanation without a question needs.
const ASKING: [&str; 3] = ["--approve", "ask", "--json"];

pub(crate) fn doctor(mut command: Command) -> Value {
    let report = Said::of(command.output().unwrap()).json();
    eprintln!("{report:#}");
    report
}

/// Whether a mechanism holds on this machine, as the question about a command says; where it does not, that is printed.
pub(crate) fn has(by: &str) -> bool {
    let place = Place::new();
    if by == "landlock" {
        place.configure("[sandbox]\nwithout = [\"bubblewrap\"]\n");
    }
    let sandbox = explain(&place, &json!({"command": "true"}), &[])["question"]["sandbox"].clone();
    let is_here = sandbox["by"] == by;
    if !is_here {
        let words = sandbox["words"].as_str().unwrap();
        eprintln!("NO {by} ON THIS MACHINE: {words}");
        assert!(words.contains(by) || sandbox["by"] == "landlock", "{sandbox}");
    }
    is_here
}

fn verdicts(report: &Value) -> Vec<(String, String)> {
    let deeds = report["deeds"].as_array().unwrap().iter();
    deeds.map(|row| (row["deed"].as_str().unwrap().into(), row["verdict"].as_str().unwrap().into())).collect()
}

/// Every deed was held, and its control was done, but for these.
fn is_held_throughout(report: &Value, without_control: &[&str]) {
    let verdicts = verdicts(report);
    assert_eq!(verdicts.len(), 27, "{report:#}");
    for (deed, verdict) in verdicts {
        let expected = match deed.as_str() {
            "write_inside" | "reach_granted_host" => "works",
            deed if without_control.contains(&deed) => "unproven",
            _ => "held",
        };
        assert_eq!(verdict, expected, "{deed}: {report:#}");
    }
}

#[test]
fn bubblewrap_holds_every_deed_whose_control_succeeds_for_root_and_for_nobody() {
    if !has("bubblewrap") {
        return;
    }
    let place = Place::new();
    // Only root is let mount anything in a sandbox that leaves it its capabilities.
    let of_others = ["remount", "unmount"];
    let of_own = if rustix::process::getuid().is_root() { &[][..] } else { &of_others };
    is_held_throughout(&doctor(place.command(&["sandbox", "doctor", "--json"])), of_own);
    is_held_throughout(&doctor(place.command_of_nobody(&["sandbox", "doctor", "--json"])), &of_others);
}

/// How long that may be is measured where the machine is quiet, and stands in the documents.
#[test]
fn the_doctor_says_what_a_confined_command_takes_longer_than_a_bare_one() {
    let place = Place::new();
    for by in ["bubblewrap", "landlock"].into_iter().filter(|by| has(by)) {
        let said = Said::of(place.command_of_nobody(&["sandbox", "doctor"]).output().unwrap()).exits(0).out;
        let told = said.lines().find(|line| line.starts_with(by)).unwrap();
        assert!(told.contains(" ms a command, "), "{told}");
        let report = doctor(place.command_of_nobody(&["sandbox", "doctor", "--json"]));
        let all = report["mechanisms"].as_array().unwrap();
        let of = all.iter().find(|one| one["by"] == by).unwrap();
        assert!(report["bare_ms"].as_f64().unwrap() > 0.0, "{report:#}");
        assert!(of["overhead_ms"].is_f64() && of["overhead_min_ms"].is_f64(), "{report:#}");
    }
}

/// What Landlock leaves open is said, and nothing else is open.
fn is_held_by_landlock(report: &Value) {
    let open =
        ["write_git_hook", "move_git_away", "create_missing_git", "survive_by_setsid", "nest_user_namespace"];
    let verdicts = verdicts(report);
    assert_eq!(verdicts.len(), 21, "no host can be granted there: {report:#}");
    for (deed, verdict) in verdicts {
        match deed.as_str() {
            "write_inside" => assert_eq!(verdict, "works", "{report:#}"),
            // Without bubblewrap there is nothing to take off, so no control; they are refused all the same.
            "remount" | "unmount" => {
                assert!(["held", "unproven"].contains(&verdict.as_str()), "{deed}: {report:#}")
            }
            deed if open.contains(&deed) => assert_eq!(verdict, "not_held", "{deed}: {report:#}"),
            deed => assert_eq!(verdict, "held", "{deed}: {report:#}"),
        }
    }
    let not_held = report["not_held"].to_string();
    assert!(
        not_held.contains(".git") && not_held.contains("setsid") && not_held.contains("kill -9"),
        "{not_held}"
    );
}

#[test]
fn without_bubblewrap_on_the_path_landlock_holds_and_says_what_it_leaves_open() {
    if !has("landlock") {
        return;
    }
    let place = Place::new();
    for mut command in [
        place.command(&["sandbox", "doctor", "--json"]),
        place.command_of_nobody(&["sandbox", "doctor", "--json"]),
    ] {
        command.env("PATH", place.path("nothing-here"));
        let report = doctor(command);
        assert_eq!(report["by"], "landlock", "{report:#}");
        assert!(report["mechanisms"].to_string().contains("bwrap is not installed"), "{report:#}");
        is_held_by_landlock(&report);
    }
}

#[test]
fn where_nothing_holds_the_doctor_and_the_question_say_so_and_everything_asks() {
    let place = Place::new();
    let args = ["sandbox", "doctor", "--without", "bubblewrap", "--without", "landlock"];
    let said = place.windlass(&args).exits(1);
    assert!(said.out.contains("No sandbox on this machine"), "{}", said.out);
    let without = "[sandbox]\nauto_allow = true\nwithout = [\"bubblewrap\", \"landlock\", \"seatbelt\"]\n";
    place.configure(without);
    let explained = explain(&place, &json!({"command": "touch x"}), &[]);
    assert_eq!(
        (&explained["decides"], &explained["stance"]),
        (&json!("risk"), &json!("asks")),
        "{explained:#}"
    );
    let words = explained["question"]["sandbox"]["words"].as_str().unwrap();
    assert!(words.starts_with("No sandbox on this machine: bubblewrap: left out on purpose"), "{words}");
    let done = call(&place, &json!({"command": "echo free > x"}), &["--approve", "all"]);
    assert_eq!((done.code, place.read("x").as_str()), (0, "free\n"), "{}", done.err);
}

fn explain(place: &Place, arguments: &Value, flags: &[&str]) -> Value {
    let arguments = arguments.to_string();
    let args = [&["policy", "explain", "execute_command", &arguments], &ASKING[..], flags].concat();
    place.windlass(&args).exits(0).json()
}

fn call(place: &Place, arguments: &Value, flags: &[&str]) -> Said {
    let arguments = arguments.to_string();
    place.windlass(&[&["tools", "call", "execute_command", &arguments], flags].concat())
}

#[test]
fn a_confined_command_writes_in_the_project_and_nowhere_else() {
    if !has("bubblewrap") {
        return;
    }
    let place = Place::with(&[
        ("../home/.ssh/id", "precious"),
        (".git/config", "[core]\n"),
        (".env", "KEY=precious"),
    ]);
    let all = |line: &str| call(&place, &json!({"command": line}), &["--approve", "all"]);
    all("echo in > made; echo private > /tmp/windlass-private && cat /tmp/windlass-private").exits(0);
    assert_eq!(place.read("made"), "in\n");
    // Beside the project there is a folder of the command's own, in memory.
    let outside = place.path("../beside");
    all(&format!("echo out > {}", outside.display()));
    for line in [
        "touch /etc/windlass-was-here".to_owned(),
        "echo x >> .git/config".to_owned(),
        "mv .git moved".to_owned(),
        "mkdir .windlass/x".to_owned(),
        "touch ~/x".to_owned(),
    ] {
        let said = all(&line).exits(1);
        let text = format!("{}{}", said.out, said.err);
        assert!(text.contains("sandbox held it back") && text.contains("unconfined: true"), "{line}: {text}");
    }
    assert!(!outside.exists() && place.read(".git/config") == "[core]\n" && !place.path("moved").exists());
    assert!(!place.path(".windlass").exists(), "what was laid over a missing folder is gone");
    for line in ["cat ~/.ssh/id", "cat .env", "ls ~/data/windlass/*"] {
        let said = all(line);
        assert!(!format!("{}{}", said.out, said.err).contains("precious"), "{line}: {}", said.out);
    }
    assert!(all("true").code == 0 && !std::path::Path::new("/tmp/windlass-private").exists());
}

#[test]
fn a_command_that_only_reads_writes_nothing_and_off_means_off() {
    if !has("bubblewrap") {
        return;
    }
    let place = Place::new();
    let arguments = json!({"command": "echo in > made"});
    let said = call(&place, &arguments, &["--approve", "all", "--sandbox", "read_only"]).exits(1);
    assert!(said.out.contains("sandbox_denied") || said.err.contains("sandbox"), "{} {}", said.out, said.err);
    assert!(!place.path("made").exists());
    let home = json!({"command": "echo out > ~/made"});
    call(&place, &home, &["--approve", "all", "--sandbox", "off"]).exits(0);
    assert_eq!(place.read("../home/made"), "out\n");
    let explained = explain(&place, &home, &["--sandbox", "off"]);
    assert!(explained["question"]["sandbox"].is_null(), "{explained:#}");
}

#[test]
fn auto_allow_runs_confined_commands_unasked_and_nothing_that_is_denied_asked_or_warned_of() {
    if !has("bubblewrap") {
        return;
    }
    let place = Place::new();
    let decided = |arguments: &Value, flags: &[&str]| {
        let explained = explain(&place, arguments, flags);
        (explained["decides"].as_str().unwrap().to_owned(), explained["stance"].as_str().unwrap().to_owned())
    };
    let line = json!({"command": "make test"});
    let by = |gate: &str, stance: &str| (gate.to_owned(), stance.to_owned());
    assert_eq!(decided(&line, &[]), by("risk", "asks"), "not unless the user says so");
    place.configure("[sandbox]\nauto_allow = true\n");
    assert_eq!(decided(&line, &[]), by("confined", "allows"));
    assert_eq!(decided(&line, &["--deny", "execute_command(make *)"]), by("deny_rule", "denies"));
    assert_eq!(decided(&line, &["--sandbox", "off"]), by("risk", "asks"));
    assert_eq!(decided(&json!({"command": "rm -rf src"}), &[]), by("risk", "asks"), "the tool warns of it");
    assert_eq!(decided(&json!({"command": "rm -rf /"}), &[]), by("floor", "denies"));
    let leaves = json!({"command": "make test", "unconfined": true, "reason": "it needs the network"});
    assert_eq!(decided(&leaves, &[]), by("risk", "asks"), "a way out is never unasked");
    // A project cannot give itself leave.
    place.configure("");
    place.write(".windlass/config.toml", "[sandbox]\nauto_allow = true\nmode = \"off\"\nwrite = [\"/\"]\n");
    let arguments = line.to_string();
    let said = place.windlass(&["policy", "explain", "execute_command", &arguments, "--json"]).exits(0);
    for key in ["sandbox.auto_allow", "sandbox.mode", "sandbox.write"] {
        assert!(said.err.contains(&format!("a project cannot set '{key}'")), "{}", said.err);
    }
    assert_eq!(decided(&line, &[]), by("risk", "asks"));
}

#[test]
fn leaving_the_sandbox_is_a_call_with_a_question_of_its_own() {
    if !has("bubblewrap") {
        return;
    }
    let place = Place::new();
    let leaves =
        json!({"command": "echo out > ~/made", "unconfined": true, "reason": "the file belongs there"});
    let explained = explain(&place, &leaves, &[]);
    let question = &explained["question"];
    assert!(
        question["sandbox"]["words"].as_str().unwrap().starts_with("Leaves the sandbox"),
        "{explained:#}"
    );
    assert_eq!(question["rule"], "execute_command(echo out > ~/made)(unconfined echo out > ~/made)");
    for flags in [
        &["--allow", "execute_command"][..],
        &["--allow", "execute_command(echo *)"],
        &["--allow", "*"],
        &["--approve", "all"],
    ] {
        let said = call(&place, &leaves, flags).exits(1);
        assert!(!place.path("../home/made").exists(), "{flags:?}: {}", said.out);
    }
    let rule = question["rule"].as_str().unwrap();
    call(&place, &leaves, &["--allow", rule]).exits(0);
    assert_eq!(place.read("../home/made"), "out\n");
    let no_reason = json!({"command": "true", "unconfined": true});
    let said = call(&place, &no_reason, &["--approve", "all"]).exits(1);
    assert!(format!("{}{}", said.out, said.err).contains("'reason'"), "{}", said.out);
}

#[test]
fn a_denial_is_an_outcome_with_its_evidence_and_the_command_is_not_run_again() {
    if !has("bubblewrap") {
        return;
    }
    let script = r#"user Try
model call 1 execute_command {"command":"echo once >> tries; touch /etc/windlass-was-here"}
model end calls
model call 2 execute_command {"command":"echo plain failure >&2; exit 3"}
model end calls
model text Done.
"#;
    let place = Place::with(&[("a.script", script)]);
    let args = ["run", "--json", "--model", "scripted/a.script", "--approve", "all"];
    let frames = place.windlass(&args).exits(0).lines();
    let results: Vec<&Value> = frames.iter().filter(|frame| frame["type"] == "tool_result").collect();
    let denied = results[0].to_string();
    assert!(denied.contains("sandbox_denied") && denied.contains("Read-only file system"), "{denied}");
    assert!(results[1].to_string().contains("\"exit_code\":3"), "{}", results[1]);
    assert_eq!(place.read("tries"), "once\n");
}

/// Processes of this machine whose arguments contain a text.
fn running(text: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    // Our own argument names it, too: what counts is the one that sleeps.
    lines.filter(|line| String::from_utf8_lossy(line).replace('\0', " ").starts_with(text)).count()
}

#[track_caller]
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(20), "waited in vain: {what}");
        std::thread::yield_now();
    }
}

#[test]
fn kill_9_of_windlass_ends_a_confined_command_and_what_it_has_started() {
    if !has("bubblewrap") {
        return;
    }
    let place = Place::new();
    let seconds = format!("91{}", std::process::id());
    let arguments = json!({"command": format!("setsid sleep {seconds} & sleep {seconds}")}).to_string();
    let mut windlass = place
        .command(&["tools", "call", "execute_command", &arguments, "--approve", "all"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let sleeping = format!("sleep {seconds}");
    wait_until("both sleep", || running(&sleeping) == 2);
    windlass.kill().unwrap();
    windlass.wait().unwrap();
    wait_until("both are gone", || running(&sleeping) == 0);
}

#[test]
fn the_time_limit_of_a_confined_command_ends_all_of_it_and_keeps_what_it_printed() {
    if !has("bubblewrap") {
        return;
    }
    let place = Place::new();
    let seconds = format!("92{}", std::process::id());
    let line = format!("echo so far; setsid sleep {seconds} & sleep {seconds}");
    let said = call(&place, &json!({"command": line, "timeout_ms": 1500}), &["--approve", "all"]).exits(1);
    assert!(format!("{}{}", said.out, said.err).contains("so far"), "{}", said.out);
    wait_until("both are gone", || running(&format!("sleep {seconds}")) == 0);
}

#[test]
fn u_6_a_command_does_not_begin_in_another_folder_than_the_one_that_was_held() {
    let place = Place::new();
    let said = place.windlass(&["confine-enter", "1:1", "touch", "made"]);
    assert_eq!(said.code, 126, "{}", said.err);
    assert!(said.err.contains("was replaced while it was started; nothing was run"), "{}", said.err);
    assert!(!place.path("made").exists());
    use std::os::unix::fs::MetadataExt as _;
    let facts = fs::metadata(place.path("")).unwrap();
    let held = format!("{}:{}", facts.dev(), facts.ino());
    assert_eq!(place.windlass(&["confine-enter", &held, "touch", "made"]).code, 0);
    assert!(place.path("made").exists());
}

/// Programs of every day work in the sandbox, offline: with what is there, and without leave for anything else.
#[test]
fn building_testing_and_git_work_confined() {
    if !has("bubblewrap") {
        return;
    }
    let place = Place::with(&[
        ("Cargo.toml", "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        ("src/main.rs", "fn main() { println!(\"small\"); }\n"),
        ("package.json", "{\"name\":\"small\",\"scripts\":{\"test\":\"node -e 'console.log(1+1)'\"}}"),
    ]);
    // The home of the test is not where the toolchain is.
    place.configure("tools.command.env = [\"RUSTUP_HOME\", \"CARGO_HOME\"]\n");
    let home = std::env::var("HOME").unwrap_or_default();
    let toolchain =
        |variable: &str, usual: &str| std::env::var(variable).unwrap_or_else(|_| format!("{home}/{usual}"));
    let git = Command::new("git").args(["init", "-q"]).current_dir(place.path("")).status();
    assert!(git.is_ok_and(|status| status.success()), "git is needed");
    for (program, line) in [
        ("git", "git status --short"),
        ("cargo", "cargo build --offline --quiet && ./target/debug/small"),
        ("npm", "npm test"),
        ("python3", "python3 -m venv env && env/bin/python -c 'print(1+1)'"),
    ] {
        if Command::new(program).arg("--version").output().is_err() {
            eprintln!("NO {program} ON THIS MACHINE: not tried");
            continue;
        }
        let arguments = json!({"command": line, "timeout_ms": 120_000}).to_string();
        let mut command =
            place.command(&["tools", "call", "execute_command", &arguments, "--approve", "all"]);
        command.env("RUSTUP_HOME", toolchain("RUSTUP_HOME", ".rustup"));
        command.env("CARGO_HOME", toolchain("CARGO_HOME", ".cargo"));
        command.args(["--timeout", "150s"]);
        let said = Said::of(command.output().unwrap());
        assert_eq!(said.code, 0, "{line}: {}{}", said.out, said.err);
    }
}

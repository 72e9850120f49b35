//! Small things of every day: a question without a command, keys in errors, the log, the help.

use crate::place::Place;
use crate::server::{Server, whole};

const KEY: &str = "qk-0123456789-very-secret";

fn place() -> Place {
    Place::with(&[(
        "a.script",
        "user Hi\nmodel call 1 calculate {\"expression\":\"1+1\"}\nmodel end\nmodel text Hello there.\n",
    )])
}

#[test]
fn u_62_a_question_without_a_command_is_answered() {
    let place = place();
    for line in [
        &["--model", "scripted/a.script", "say hello to me"][..],
        &["say hello to me", "--model", "scripted/a.script"],
        &["--model", "scripted/a.script", "--approve", "never", "say hello to me", "--max-steps", "5"],
        &["hello", "--model", "scripted/a.script"],
        &["-q", "run it, please", "--model=scripted/a.script"],
    ] {
        assert_eq!(place.windlass(line).exits(0).out, "Hello there.\n", "{line:?}");
    }
}

#[test]
fn u_62_a_misspelt_command_is_suggested_and_asks_nobody() {
    let place = place();
    for line in [&["rn"][..], &["rn", "x"], &["--model", "scripted/a.script", "rn", "say hello"]] {
        let said = place.windlass(line).exits(2);
        assert!(said.err.contains("no command 'rn'; did you mean 'run'?"), "{line:?}: {}", said.err);
        assert!(said.out.is_empty());
    }
    assert!(place.windlass(&["sesions"]).exits(2).err.contains("sessions"));
}

/// A provider that refuses the key, and says it back.
fn refusing() -> Server {
    Server::answering(|request| {
        let head = request.to_ascii_lowercase();
        let key = head.lines().find_map(|line| line.strip_prefix("authorization: bearer ")).unwrap_or("none");
        let body = format!(
            "{{\"error\":{{\"message\":\"Incorrect API key provided: {key}. Please see the keys page.\"}}}}"
        );
        whole("401 Unauthorized", &body)
    })
}

#[test]
fn u_63_a_key_that_a_provider_says_back_is_not_shown() {
    let place = Place::new();
    let server = refusing();
    let address = server.address("/v1");
    let asks = |args: &[&str], key: &str| {
        let vars =
            [("WINDLASS_BASE_URL", address.as_str()), ("WINDLASS_PROVIDERS_OPENAI_COMPATIBLE_KEY", key)];
        place
            .windlass_with(&[&["run", "--model", "openai-compatible/m", "Hi"], args].concat(), &vars)
            .exits(1)
    };
    for args in [&[][..], &["-v"], &["-vvv"], &["--json"], &["--json", "-vvv"]] {
        let said = asks(args, KEY);
        assert!(server.heard().contains(KEY), "the key was sent");
        let shown = format!("{}{}", said.out, said.err);
        assert!(shown.contains("Incorrect API key provided"), "{args:?}: {shown}");
        assert!(!shown.contains(KEY), "{args:?}: {shown}");
    }
    // A key of one letter is in every word; nothing is taken apart for it.
    for key in ["e", "key"] {
        let said = asks(&[], key);
        assert!(said.err.contains("Incorrect API key provided") && !said.err.contains("***"), "{}", said.err);
    }
}

#[test]
fn u_64_lines_of_the_log_stand_apart_from_progress() {
    let place = place();
    let run = |args: &[&str]| {
        let all = [&["run", "--model", "scripted/a.script", "Hi"], args].concat();
        place.windlass_with(&all, &[("WINDLASS_LOG", "debug")]).exits(0)
    };
    let said = run(&["-v"]);
    assert_eq!(said.out, "Hello there.\n");
    let logged: Vec<&str> = said.err.lines().filter(|line| line.contains("windlass")).collect();
    assert!(logged.iter().any(|line| line.starts_with("log: ")), "{}", said.err);
    assert!(said.err.lines().any(|line| line.starts_with("✓ calculate")), "{}", said.err);
    let raw = |line: &&&str| [" DEBUG ", " INFO ", " WARN "].iter().any(|word| line.contains(word));
    let mixed: Vec<&&str> = logged.iter().filter(raw).filter(|line| !line.starts_with("log: ")).collect();
    assert!(mixed.is_empty(), "{mixed:#?}");
    // On a terminal the spinner is gone before a line of the log comes.
    let line = format!("{} run -v --model scripted/a.script Hi", env!("CARGO_BIN_EXE_windlass"));
    let shown = place
        .bare("script")
        .args(["-qec", &line, "/dev/null"])
        .env("WINDLASS_LOG", "debug")
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    for line in shown.split(['\r', '\n']).map(|line| console::strip_ansi_codes(line).into_owned()) {
        let is_raw = [" DEBUG ", " INFO ", " WARN "].iter().any(|word| line.contains(word));
        assert!(!is_raw || line.trim_start().starts_with("log: "), "{line:?} in {shown}");
    }
}

/// The commands that a help page lists.
fn commands_of(help: &str) -> Vec<(String, String)> {
    let section = help.split("Commands:\n").nth(1).unwrap_or_default();
    let mut rows: Vec<(String, String)> = Vec::new();
    for line in section.lines().take_while(|line| !line.is_empty()) {
        match line
            .strip_prefix("  ")
            .filter(|line| !line.starts_with(' '))
            .and_then(|line| line.split_once(' '))
        {
            Some((name, about)) => rows.push((name.to_owned(), about.trim().to_owned())),
            None => {
                if let Some((_, about)) = rows.last_mut() {
                    about.push_str(line.trim());
                }
            }
        }
    }
    rows
}

#[test]
fn u_65_the_help_names_the_built_in_model_and_every_command_in_its_summary() {
    let place = place();
    let help = place.windlass(&["--help"]).exits(0).out;
    assert!(
        help.contains("built-in model") && help.contains("builtin") && help.contains("\"QUESTION\""),
        "{help}"
    );
    let rows = commands_of(&help);
    assert!(rows.len() >= 13, "{rows:?}");
    let mut nested = 0;
    for (name, about) in rows {
        for (inner, _) in commands_of(&place.windlass(&[&name, "--help"]).exits(0).out) {
            nested += 1;
            assert!(about.contains(&inner), "'{name}' says nothing of '{inner}': {about}");
        }
    }
    assert!(nested >= 30, "{nested}");
}

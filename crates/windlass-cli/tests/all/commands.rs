//! Help, completions, and what every command does with wrong words.

use crate::place::Place;

#[test]
fn without_arguments_there_is_help() {
    let said = Place::new().windlass(&[]).exits(0);
    for word in
        ["Usage: windlass", "run", "tools", "policy", "config", "completions", "--model", "Exit codes"]
    {
        assert!(said.out.contains(word), "{word}");
    }
    assert_eq!(said.err, "");
}

#[test]
fn help_and_version_are_answered() {
    let place = Place::new();
    for args in
        [&["--help"][..], &["run", "--help"], &["tools", "call", "--help"], &["policy", "explain", "--help"]]
    {
        assert!(place.windlass(args).exits(0).out.contains("Usage:"), "{args:?}");
    }
    assert!(place.windlass(&["--version"]).exits(0).out.starts_with("windlass "));
}

#[test]
fn wrong_words_are_usage_errors_with_the_nearest_word() {
    let place = Place::new();
    place.windlass(&["tool"]).complains(2, &["'tool'", "'tools'"]);
    place.windlass(&["tools", "lst"]).complains(2, &["'lst'", "'list'"]);
    place.windlass(&["run", "--aprove", "all", "hi"]).complains(2, &["--aprove", "--approve"]);
    place.windlass(&["run", "--approve", "al", "hi"]).complains(2, &["'al'", "all"]);
    place.windlass(&["run", "--timeout", "5", "hi"]).complains(2, &["'5' is no duration", "1h30m"]);
    place.windlass(&["run", "--max-steps", "0", "hi"]).complains(2, &["--max-steps"]);
    place.windlass(&["run", "--max-calls", "0", "hi"]).complains(2, &["--max-calls", "1..=10000"]);
    place.windlass(&["run", "--max-tokens", "-5", "hi"]).complains(2, &["--max-tokens"]);
    for amount in ["0", "NaN", "much", "1000000"] {
        place
            .windlass(&["run", "--max-cost", amount, "hi"])
            .complains(2, &[amount, "more than 0 and at most 100000"]);
    }
    place.windlass(&["-q", "-v", "tools", "list"]).complains(2, &["cannot be used with"]);
    place.windlass(&["completions", "tcsh"]).complains(2, &["tcsh", "bash"]);
}

#[test]
fn completions_are_printed_for_every_shell() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = place.windlass(&["completions", shell]).exits(0);
        assert!(said.out.contains("windlass") && said.out.contains("policy"), "{shell}");
    }
}

#[test]
fn without_a_home_it_is_said_what_to_set() {
    let place = Place::new();
    let mut command = place.command(&["tools", "list"]);
    let output = command.env_remove("HOME").output().unwrap();
    // The system's own list of users may still know a home.
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() || text.contains("set HOME"), "{text}");
}

#[test]
fn variables_that_are_set_to_nothing_say_nothing() {
    let place = Place::new();
    let vars = [("WINDLASS_CONFIG", ""), ("WINDLASS_DATA", ""), ("WINDLASS_MODEL", "")];
    assert_eq!(place.windlass_with(&["tools", "list"], &vars).exits(0).err, "");
}

#[test]
fn nobody_reading_is_no_error() {
    let place = Place::new();
    let mut command = place.bare("sh");
    command.args(["-c", &format!("{} tools list --json | head -c 1", env!("CARGO_BIN_EXE_windlass"))]);
    let output = command.output().unwrap();
    assert!(output.status.success());
    assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b"["[..], &b""[..]));
}

#[test]
fn the_log_is_silent_until_it_is_asked_for() {
    let place = Place::new();
    let call = ["tools", "call", "calculate", "{\"expression\":\"1+1\"}"];
    assert_eq!(place.windlass(&call).exits(0).err, "");
    let said = place.windlass_with(&call, &[("WINDLASS_LOG", "windlass_engine=info")]).exits(0);
    assert!(said.err.contains("call completed") && said.err.contains("request_id="), "{}", said.err);
    assert!(!said.err.contains('\u{1b}'), "{:?}", said.err);
}

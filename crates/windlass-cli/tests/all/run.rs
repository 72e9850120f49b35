//! `windlass run`: answers, progress, exit codes, events.

use serde_json::Value;

use crate::place::Place;

const LOOK: &str = r#"title Look before you speak
user What is in this folder?
model reasoning I should look first.
model text Let me look.
model call 1 get_file_tree {}
tool 1 ok ["a.txt"]
model text There is a file.
expect run-started ... call-ended step-started step-ended run-ended
expect-outcome completed answered
expect-call 1 ok
"#;

fn play(script: &str) -> Place {
    Place::with(&[("a.script", script), ("a.txt", "hello\n")])
}

const PLAY: [&str; 3] = ["run", "--model", "scripted/a.script"];

fn with(args: &[&'static str]) -> Vec<&'static str> {
    PLAY.into_iter().chain(args.iter().copied()).collect()
}

#[test]
fn the_answer_goes_to_stdout_and_progress_to_stderr() {
    let said = play(LOOK).windlass(&PLAY).exits(0);
    assert_eq!(said.out, "There is a file.\n");
    let lines: Vec<&str> = said.err.lines().collect();
    assert_eq!(lines[..2], ["» What is in this folder?", "· Let me look."]);
    assert!(lines[2].starts_with("✓ get_file_tree  ") && lines[2].ends_with("2 items"), "{}", said.err);
    assert_eq!(lines.len(), 3);
}

#[test]
fn quiet_is_silent_and_verbose_says_more() {
    let place = play(LOOK);
    let said = place.windlass(&with(&["-q"])).exits(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("There is a file.\n", ""));
    let said = place.windlass(&with(&["-v"])).exits(0);
    assert!(said.err.contains("  I should look first.\n") && said.err.contains("\n  {}\n"), "{}", said.err);
}

#[test]
fn nothing_is_coloured_without_a_terminal() {
    let said = play(LOOK).windlass(&with(&["-v"])).exits(0);
    assert!(!said.out.contains('\u{1b}') && !said.err.contains('\u{1b}'), "{:?}", said.err);
}

#[test]
fn a_message_of_the_command_line_stands_for_the_first_of_the_script() {
    let place = play("user First\nmodel text One.\nuser Second\nmodel text Two.\n");
    assert_eq!(place.windlass(&with(&["Hello", "there"])).exits(0).out, "One.\n");
    assert_eq!(place.windlass_reading(&with(&["-"]), "Hello\n").exits(0).out, "One.\n");
    let said = place.windlass(&PLAY).exits(0);
    assert_eq!(said.out, "One.\nTwo.\n");
    assert_eq!(said.err, "» First\n» Second\n");
}

#[test]
fn an_empty_message_is_a_usage_error() {
    let place = play(LOOK);
    place.windlass_reading(&with(&["-"]), " \n").complains(2, &["the message is empty"]);
    place.windlass(&with(&[""])).complains(2, &["the message is empty"]);
    place.windlass(&with(&["--session", "", "hi"])).complains(2, &["--session"]);
    place.windlass(&with(&["--context", "nowhere.txt", "hi"])).complains(2, &["nowhere.txt"]);
}

#[test]
fn json_prints_one_event_a_line_and_done_last() {
    let said = play(LOOK).windlass(&with(&["--json", "--session", "my-session"])).exits(0);
    let events = said.lines();
    assert_eq!((&events[0]["type"], &events[0]["session_id"]), (&"run_started".into(), &"my-session".into()));
    assert!(events.iter().all(|event| event["type"].is_string() && event["ts"].is_u64()));
    let types: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    let place_of =
        |word: &str| types.iter().position(|kind| *kind == word).unwrap_or_else(|| panic!("no {word}"));
    assert!(place_of("reasoning") < place_of("tool_calls"));
    assert!(place_of("tool_calls") < place_of("tool_executing"));
    assert!(place_of("tool_executing") < place_of("tool_result"));
    assert_eq!(types.iter().filter(|kind| **kind == "done").count(), 1);
    let last = events.last().unwrap();
    assert_eq!(
        (&last["type"], &last["done"], &last["outcome"]),
        (&"done".into(), &Value::Bool(true), &"completed".into())
    );
    assert_eq!(said.err, "");
}

#[test]
fn r_25_also_a_run_that_fails_ends_with_exactly_one_done() {
    let place = play("user Hi\nmodel fail! auth The key is wrong; set another.\n");
    let said = place.windlass(&PLAY).exits(1);
    assert_eq!(said.out, "");
    assert!(said.err.contains("error: The key is wrong; set another."), "{}", said.err);
    let events = place.windlass(&with(&["--json"])).exits(1).lines();
    let kinds: Vec<&Value> = events.iter().map(|event| &event["type"]).collect();
    assert_eq!(kinds, ["run_started", "error", "done"]);
    assert_eq!(events[2]["outcome"], "failed");
}

#[test]
fn a_limit_still_gives_an_answer_and_exit_code_3() {
    let script = r#"user Go on
model call 1 calculate {"expression":"1+1"}
tool 1 ok 2
model text I got as far as two.
"#;
    let place = play(script);
    let said = place.windlass(&with(&["--max-steps", "1"])).exits(3);
    assert_eq!(said.out, "I got as far as two.\n");
    assert!(said.err.contains("! Reached the limit of 1 steps (MAX_STEPS)"), "{}", said.err);
    let events = place.windlass(&with(&["--max-steps", "1", "--json"])).exits(3).lines();
    assert_eq!(events.last().unwrap()["outcome"], "limit_reached");
}

#[test]
fn calls_tokens_and_dollars_are_limited_by_flags() {
    let script = r#"user Go on
model call 1 calculate {"expression":"1+1"}
model usage input=900 output=100 cost_usd=0.04
model end
model call 2 calculate {"expression":"2+2"}
model usage input=900 output=100 cost_usd=0.04
model end
model text I got as far as four.
"#;
    let place = play(script);
    place.windlass(&PLAY).exits(0);
    for (flags, reason) in [
        (["--max-calls", "1"], "calls_max"),
        (["--max-tokens", "2500"], "tokens_max"),
        (["--max-cost", "0.10"], "cost_max"),
    ] {
        let said = place.windlass(&with(&flags)).exits(3);
        assert_eq!(said.out, "I got as far as four.\n", "{flags:?}");
        let events = place.windlass(&with(&[flags[0], flags[1], "--json"])).exits(3).lines();
        let done = events.last().unwrap();
        assert_eq!((&done["outcome"], &done["reason"]), (&"limit_reached".into(), &reason.into()), "{done}");
    }
    place.windlass(&with(&["--max-calls", "2", "--max-tokens", "4000", "--max-cost", "0.2"])).exits(0);
}

#[test]
fn a_model_without_prices_is_not_stopped_by_a_limit_of_cost_and_the_user_is_told() {
    let script = "user Sum\nmodel call 1 calculate {\"expression\":\"1+1\"}\nmodel usage input=900 output=100\n\
        model end\nmodel text Two.\n";
    let said = play(script).windlass(&with(&["--max-cost", "0.01"])).exits(0);
    assert_eq!(said.out, "Two.\n");
    assert!(said.err.contains("cost is not known") && said.err.contains("(COST_UNKNOWN)"), "{}", said.err);
}

#[cfg(feature = "local")]
#[test]
fn a_model_in_this_process_costs_nothing_and_that_is_known() {
    let place = Place::new();
    let question = ["run", "--model", "builtin", "--max-cost", "0.01", "What is 19 + 23?"];
    let said = place.windlass(&question).exits(0);
    assert!(said.out.contains("42") && !said.err.contains("COST_UNKNOWN"), "{} {}", said.out, said.err);
}

#[test]
fn a_run_out_of_time_says_its_last_word() {
    let script = "user Wait\nmodel text Thinking\nmodel hang\nmodel text Out of time, but here.\n";
    let place = play(script);
    for flag in ["--timeout", "--max-time"] {
        let said = place.windlass(&with(&[flag, "400ms"])).exits(3);
        assert!(said.out.contains("Out of time, but here."), "{}", said.out);
    }
}

#[test]
fn what_needs_asking_is_denied_without_a_terminal_and_the_outcome_says_so() {
    let script = r#"profile zodo
user Read
model call 1 read_file {"path":"a.txt"}
tool 1 fail permission_denied no
model text I may not.
"#;
    let place = play(script);
    for args in [&[][..], &["--approve", "ask"], &["--approve", "never"], &["--approve", "safe"]] {
        let said = place.windlass(&with(args)).exits(0);
        assert_eq!(said.out, "I may not.\n");
        assert!(said.err.contains("Error Type: permission_denied"), "{args:?} {}", said.err);
    }
    let events = place.windlass(&with(&["--json"])).exits(0).lines();
    let result = events.iter().find(|event| event["type"] == "tool_result").unwrap();
    assert_eq!(
        (&result["result"]["success"], &result["result"]["error_type"]),
        (&false.into(), &"permission_denied".into())
    );
    let text = result["result"].to_string();
    assert!(text.contains("nobody is asked") && text.contains("--allow"), "{text}");
    for args in [&["--approve", "all"][..], &["--allow", "read_file(a.txt)"]] {
        assert!(place.windlass(&with(args)).exits(0).err.contains("Status: ✅ SUCCESS"), "{args:?}");
    }
    let said = place.windlass(&with(&["--approve", "all", "--deny", "read_file"])).exits(0);
    assert!(said.err.contains("Error Type: permission_denied"), "{}", said.err);
}

#[test]
fn a_script_answers_its_own_questions() {
    let script = r#"profile zodo
user Read and write
model call 1 read_file {"path":"a.txt"}
model call 2 write_file {"path":"new.txt","content":"new\n"}
approve 1
deny 2
tool 1 ok "hello"
tool 2 fail permission_denied no
model text Half of it.
expect-call 1 ok
expect-call 2 denied
"#;
    let place = play(script);
    let said = place.windlass(&PLAY).exits(0);
    assert_eq!(said.out, "Half of it.\n");
    assert!(!place.path("new.txt").exists());
}

#[test]
fn the_header_of_a_script_is_heeded_and_flags_are_stronger() {
    let script = "allow read_file(a.txt)\nmax-steps 1\nuser Read\nmodel call 1 read_file {\"path\":\"a.txt\"}\ntool 1 ok \"x\"\nmodel text Done.\n";
    let place = play(script);
    let said = place.windlass(&PLAY).exits(3);
    assert!(said.err.contains("✓ read_file a.txt"), "{}", said.err);
    place.windlass(&with(&["--max-steps", "5"])).exits(0);
}

#[test]
fn a_script_is_held_to_what_it_expects() {
    let place = play("user Hi\nmodel text Hello.\nexpect-answer Goodbye\n");
    let said = place.windlass(&PLAY).complains(1, &["the script expected something else", "a.script"]);
    assert_eq!(said.out, "Hello.\n");
    play("user Hi\nmodel txt Hello.\n")
        .windlass(&PLAY)
        .complains(2, &["a.script:2:", "did you mean 'text'?"]);
}

#[test]
fn without_tools_calls_are_refused() {
    let script = "user Sum\nmodel call 1 calculate {\"expression\":\"1+1\"}\ntool 1 fail permission_denied no\nmodel text Two, I think.\n";
    let said = play(script).windlass(&with(&["--no-tools"])).exits(0);
    assert!(said.err.contains("Tools are not allowed in this run"), "{}", said.err);
}

#[test]
fn background_from_a_file_reaches_the_model() {
    let place = play("user Hi\nexpect-request contains the sky is green\nmodel text Noted.\n");
    place.write("context.txt", "Know that the sky is green.");
    assert_eq!(place.windlass(&with(&["--context", "context.txt"])).exits(0).out, "Noted.\n");
    place.windlass(&PLAY).exits(1);
}

#[test]
fn the_system_text_of_the_configuration_reaches_the_model() {
    let place = play("user Hi\nexpect-request contains Speak like a sailor\nmodel text Aye.\n");
    place.configure("system = \"Speak like a sailor.\"\nmodel = \"scripted/a.script\"\n");
    assert_eq!(place.windlass(&["run"]).exits(0).out, "Aye.\n");
}

#[test]
fn the_text_dialect_plays_with_its_own_envelope_and_sources() {
    let script = r#"profile edison
user What is 25 * 17 + 89?
model text {"tool":"calculate","args":{"expression":"25 * 17 + 89"}}
model end
model text It is 514 [source:calculate].
"#;
    let said = play(script).windlass(&PLAY).exits(0);
    assert!(said.out.starts_with("It is 514") && said.out.contains("calculate"), "{}", said.out);
    assert!(!said.out.contains("\"tool\""), "{}", said.out);
}

#[test]
fn a_rule_that_cannot_be_stored_is_told() {
    let script = "profile zodo\nuser Read\nmodel call 1 read_file {\"path\":\"a.txt\"}\napprove 1 remember\ntool 1 ok 1\nmodel text Done.\n";
    let place = play(script);
    let said = place.windlass(&PLAY).exits(0);
    assert!(
        said.err.contains("remembered: read_file(a.txt)") && !said.err.contains("warning"),
        "{}",
        said.err
    );
    assert!(place.policies_file().exists());

    let place = play(script);
    let folder = place.policies_file().parent().unwrap().to_path_buf();
    std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
    std::fs::write(folder, "a file where the folder should be").unwrap();
    let said = place.windlass(&PLAY).exits(0);
    assert!(
        said.err.contains("warning: ") && said.err.contains("read_file(a.txt) could not be stored"),
        "{}",
        said.err
    );
}

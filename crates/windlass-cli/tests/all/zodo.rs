//! What people who come from ZodoLlama meet: the block of a call, its limit, and their rules.

use std::fs;

use crate::pane::Pane;
use crate::place::Place;
use crate::tty::Terminal;

const READ: &str = "user Read\nmodel call 1 read_file {\"path\":\"a.txt\"}\nmodel end\n\
                    model call 2 read_file {\"path\":\"none.txt\"}\nmodel end\nmodel text Read.\n";

/// Seven hundred bytes in one line: more than the 500 that a block shows.
fn place() -> Place {
    Place::with(&[("r.script", READ), ("a.txt", &"x".repeat(700))])
}

#[test]
fn u_42_z_17_z_2_the_terminal_shows_the_block_of_a_call_and_the_model_its_envelope() {
    let place = place();
    let args = ["run", "--model", "scripted/r.script", "--profile", "zodo", "--approve", "all", "Read"];
    let said = place.windlass(&args).exits(0);
    assert_eq!(said.out, "Read.\n");
    for line in [
        "[Tool: read_file]\nStatus: ✅ SUCCESS\nResult: ",
        "... (",
        "\nExecution Time: ",
        "ms\nData Size: ",
        "\nArguments: {\"path\":\"a.txt\"}\n",
        "[Tool: read_file]\nStatus: ❌ FAILED\nError Type: not_found\nError: File not found",
    ] {
        assert!(said.err.contains(line), "no '{line}' in {}", said.err);
    }
    assert_eq!(said.err.matches('x').count() / 100, 5, "500 bytes of the result are shown: {}", said.err);
    let told = place.windlass(&[&args[..], &["--json"]].concat()).exits(0).out;
    assert!(
        told.contains("\"success\":true") && !told.contains("[Tool: "),
        "a block is for people alone: {told}"
    );

    place.configure("[limits]\ndisplay_bytes_max = 40\n");
    let said = place.windlass(&args).exits(0);
    assert!(said.err.matches('x').count() < 100, "the limit holds: {}", said.err);
    let usual = place.windlass(&["run", "--model", "scripted/r.script", "--approve", "all", "Read"]).exits(0);
    assert!(!usual.err.contains("[Tool: "), "other profiles have a line: {}", usual.err);
}

#[test]
fn u_42_z_17_the_terminal_app_shows_the_block_of_a_call() {
    let place = place();
    let pane = Pane::start(&place, 100, 40, "--model scripted/r.script --profile zodo --approve all");
    pane.type_text("Read");
    pane.press("Enter");
    pane.wait_for("Status: ✅ SUCCESS");
    pane.wait_for("Status: ❌ FAILED");
    let screen = pane.wait_for("Arguments: {\"path\":\"none.txt\"}");
    for line in ["[Tool: read_file]", "Result: ", "Execution Time: ", "Data Size: ", "Error Type: not_found"]
    {
        assert!(screen.contains(line), "no '{line}' on\n{screen}");
    }
}

#[test]
fn u_42_the_limit_of_the_display_holds_in_the_terminal_app_and_not_for_the_model() {
    let script = format!(
        "{}expect-request contains {}\n",
        READ.split_inclusive("model end\n").next().unwrap(),
        "x".repeat(700)
    );
    let place = Place::with(&[
        ("r.script", &format!("{script}model text Read all of it.\n")),
        ("a.txt", &"x".repeat(700)),
    ]);
    place.configure("[limits]\ndisplay_bytes_max = 40\n");
    let pane = Pane::start(&place, 100, 40, "--model scripted/r.script --profile zodo --approve all");
    pane.type_text("Read");
    pane.press("Enter");
    let screen = pane.wait_for("Read all of it.");
    let shown = screen.lines().find(|line| line.contains("Result: ")).unwrap();
    assert!(shown.contains("more bytes)") && shown.matches('x').count() == 40, "{screen}");
}

/// Z-26: `/context` shows the project's files, and they go with the next message and with no other.
#[test]
fn z_26_the_older_command_context_works_in_the_terminal_app() {
    let script = "user First\nexpect-request contains The files of the project:\nexpect-request contains harbour.md\n\
                  model text I see the files.\nuser Second\nmodel text And now none.\n";
    let place = Place::with(&[
        ("r.script", script),
        ("harbour.md", "# Harbour\n"),
        ("src/main.rs", "fn main() {}\n"),
    ]);
    let pane = Pane::start(&place, 100, 40, "--model scripted/r.script --profile zodo");
    let say = |text: &str| {
        pane.type_text(text);
        pane.press("Enter");
    };
    say("/context");
    let screen = pane.wait_for("harbour.md");
    assert!(screen.contains("main.rs") && screen.contains("paths, about"), "{screen}");
    pane.press("a");
    pane.wait_for("added to the next message: file tree");
    say("First");
    pane.wait_for("I see the files.");
    say("Second");
    pane.wait_for("And now none.");
    let sessions = place.windlass(&["sessions", "list", "--json"]).exits(0).json();
    let records =
        place.windlass(&["sessions", "export", sessions[0]["session_id"].as_str().unwrap()]).exits(0).out;
    let begun: Vec<&str> = records.lines().filter(|line| line.contains("\"type\":\"run_started\"")).collect();
    let with_tree: Vec<bool> = begun.iter().map(|line| line.contains("The files of the project:")).collect();
    assert_eq!(with_tree, [true, false]);
}

/// Z-1, Z-2: the model's answer has calls, somebody is asked, the call runs, its structured result goes into the history,
/// the model goes on by itself and answers; the next message finds it all there.
#[test]
fn z_1_z_2_a_question_goes_by_way_of_a_call_a_permission_and_a_result_to_its_answer() {
    let script = "user What is in it?\nmodel call 1 read_file {\"path\":\"a.txt\"}\nmodel end\n\
                  expect-request contains tool call_1 read_file: {\"success\":true,\"data\":\n\
                  model text It says hello.\nuser Again\n\
                  expect-request contains tool call_1 read_file: {\"success\":true,\"data\":\n\
                  expect-request contains It says hello.\nmodel text As before.\n";
    let place = Place::with(&[("z.script", script), ("a.txt", "hello\n")]);
    let mut terminal = Terminal::start(
        &place,
        "run --model scripted/z.script --profile zodo --session z 'What is in it?'",
        &[],
    );
    terminal.wait_for("Tool: read_file").wait_for("Risk: MEDIUM");
    terminal.wait_for("[1] Allow Once  [2] Session  [3] Remember  [4] Deny").type_line("1");
    let (code, said) = terminal.end();
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("Status: ✅ SUCCESS") && said.contains("It says hello."), "{said}");
    let again = ["run", "--model", "scripted/z.script", "--profile", "zodo", "--session", "z", "Again"];
    assert_eq!(place.windlass(&again).exits(0).out, "As before.\n");
}

#[test]
fn u_45_z_13_the_rules_of_zodollama_are_found_and_offered_for_import() {
    let place = Place::with(&[("a.txt", "hello\n")]);
    place.windlass(&["policy", "import"]).complains(2, &["left no rules", "policy import FILE"]);
    let old = place.config_file().with_file_name("../zodollama/policies.json");
    fs::create_dir_all(old.parent().unwrap().parent().unwrap().join("zodollama")).unwrap();
    fs::create_dir_all(place.config_file().parent().unwrap()).unwrap();
    let shape = r#"[{"scope":"read_files","mode":"always_allow","path_patterns":["*"],"deny_patterns":["secret/**"]}]"#;
    fs::write(&old, shape).unwrap();
    let read = ["tools", "call", "read_file", "{\"path\":\"a.txt\"}", "--profile", "zodo"];
    let said = place.windlass(&read).exits(1);
    assert!(
        said.err.contains("ZodoLlama's rules in") && said.err.contains("windlass policy import"),
        "{}",
        said.err
    );
    let said = place.windlass(&["policy", "list"]).exits(0);
    assert!(said.err.contains("windlass policy import"), "{}", said.err);
    let said = place.windlass(&["policy", "import"]).exits(0);
    assert_eq!(said.out, "r1  allow  scope:read_files\nr2  deny   scope:read_files(secret/**)\n");
    let said = place.windlass(&read).exits(0);
    assert!(!said.err.contains("ZodoLlama"), "it is offered no more: {}", said.err);
    assert!(!place.windlass(&["policy", "list"]).exits(0).err.contains("ZodoLlama"));
    let said = place.windlass(&["policy", "import"]).exits(0);
    assert!(said.out.contains("are stored already"), "{}", said.out);
    assert_eq!(fs::read_to_string(&old).unwrap(), shape, "the old file stays as it is");
    place.write("broken.json", "[{]");
    place.windlass(&["policy", "import", "broken.json"]).complains(1, &["not valid JSON"]);
}

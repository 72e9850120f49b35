//! The binary on a terminal of its own: questions, colours, the live answer.

use crate::place::Place;
use crate::tty::Terminal;

const READ: &str = r#"user Read
model call 1 read_file {"path":"a.txt"}
tool 1 ok "hello"
model text First.
user Read again
model call 2 read_file {"path":"a.txt"}
tool 2 ok "hello"
model text Second.
"#;

fn place() -> Place {
    Place::with(&[("a.script", READ), ("a.txt", "hello\n")])
}

fn ask(place: &Place) -> Terminal {
    Terminal::start(place, "run --profile zodo --model scripted/a.script", &[])
}

const KEYS: &str = "[1] Allow Once  [2] Session  [3] Remember  [4] Deny";

#[test]
fn z_14_the_question_is_shown_and_key_1_allows_once() {
    let place = place();
    let mut terminal = ask(&place);
    terminal.wait_for(KEYS).type_line("1").wait_for("First.").wait_for(KEYS).type_line("1");
    let (code, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    let question = "⚠️  Permission Request\nArguments:\n│ {\n│   \"path\": \"a.txt\"\n│ }\nTouches:\n│ path a.txt\nRule for Remember:\n│ read_file(a.txt)\nTool: read_file\nRisk: MEDIUM\n[1] Allow Once";
    assert_eq!(shown.matches(question).count(), 2, "{shown}");
    assert!(shown.contains("[Tool: read_file]\nStatus: ✅ SUCCESS") && shown.contains("Second."), "{shown}");
    assert!(!place.policies_file().exists());
}

#[test]
fn z_13_key_2_allows_until_the_session_ends() {
    let place = place();
    let mut terminal = ask(&place);
    terminal.wait_for(KEYS).type_line("2");
    let (code, shown) = terminal.end();
    assert_eq!((code, shown.matches(KEYS).count()), (0, 1), "{shown}");
    assert!(shown.contains("Second."), "{shown}");
    assert!(!place.policies_file().exists());
    let mut again = ask(&place);
    again.wait_for(KEYS).type_line("4").wait_for(KEYS).type_line("4");
    assert_eq!(again.end().0, 0);
}

#[test]
fn z_13_key_3_shows_the_rule_stores_it_and_asks_no_more() {
    let place = place();
    let mut terminal = ask(&place);
    terminal
        .wait_for(KEYS)
        .type_line("3")
        .wait_for("This rule will be stored for this folder:")
        .wait_for("│ read_file(a.txt)")
        .type_line("");
    let (code, shown) = terminal.end();
    assert_eq!((code, shown.matches(KEYS).count()), (0, 1), "{shown}");
    assert!(shown.contains("remembered: read_file(a.txt)"), "{shown}");
    let said = place.windlass(&["policy", "list"]).exits(0);
    assert_eq!(said.out, "r1  allow  read_file(a.txt)  user  in this folder\n");
    let (code, shown) = ask(&place).end();
    assert_eq!((code, shown.matches(KEYS).count()), (0, 0), "{shown}");
}

#[test]
fn a_remembered_rule_can_be_edited_first() {
    let place = place();
    let mut terminal = ask(&place);
    terminal.wait_for(KEYS).type_line("3").wait_for("type another rule").type_line("read_file(");
    terminal.wait_for("')'").wait_for("type another rule").type_line("read_file(*.txt)");
    assert_eq!(terminal.end().0, 0);
    let said = place.windlass(&["policy", "list"]).exits(0);
    assert_eq!(said.out, "r1  allow  read_file(*.txt)  user  in this folder\n");
}

#[test]
fn z_13_key_4_denies_and_the_model_is_told() {
    let place = place();
    let mut terminal = ask(&place);
    terminal.wait_for(KEYS).type_line("4").wait_for("First.").wait_for(KEYS).type_line("4");
    let (code, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    assert_eq!(shown.matches("Error Type: permission_denied").count(), 2, "{shown}");
    assert!(shown.contains("User denied permission for this operation"), "{shown}");
}

#[test]
fn wrong_keys_are_asked_again() {
    let place = place();
    let mut terminal =
        Terminal::start(&place, "tools call read_file '{\"path\":\"a.txt\"}' --profile zodo", &[]);
    terminal.wait_for(KEYS).type_line("6").wait_for("Please type 1, 2, 3, 4, 5 or v.").type_line("yes");
    terminal.wait_for("Please type 1, 2, 3, 4, 5 or v.").type_line("1");
    let (code, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("hello"), "{shown}");
}

/// Z-12: what is safe runs, what reads is asked about, what changes something is asked about with a warning.
#[test]
fn z_12_safe_calls_run_medium_ones_ask_and_high_ones_ask_with_a_warning() {
    const WARNING: &str = "Warning: this call changes or sends something.";
    let script = "user Read\nmodel call 1 get_current_time {}\nmodel end\nmodel call 2 read_file {\"path\":\"a.txt\"}\nmodel end\n\
                  model call 3 write_file {\"path\":\"b.txt\",\"content\":\"x\"}\nmodel end\nmodel text Done.\n";
    let place = Place::with(&[("a.script", script), ("a.txt", "hello\n")]);
    let mut terminal = ask(&place);
    terminal.wait_for("[Tool: get_current_time]").wait_for("Status: ✅ SUCCESS");
    terminal.wait_for("Tool: read_file").wait_for("Risk: MEDIUM").wait_for(KEYS).type_line("1");
    terminal
        .wait_for(WARNING)
        .wait_for("Tool: write_file")
        .wait_for("Risk: HIGH")
        .wait_for(KEYS)
        .type_line("1");
    let (code, shown) = terminal.end();
    assert_eq!((code, shown.matches(KEYS).count(), shown.matches(WARNING).count()), (0, 2, 1), "{shown}");
    assert_eq!(place.read("b.txt"), "x");
}

#[test]
fn r_51_a_write_shows_its_diff_and_true_risk() {
    let script = r#"allow read_file
user Change it
model call 1 read_file {"path":"a.txt"}
tool 1 ok "hello"
model call 2 write_file {"path":"a.txt","content":"goodbye\n"}
tool 2 fail permission_denied no
model text It stays.
"#;
    let place = Place::with(&[("a.script", script), ("a.txt", "hello\n")]);
    let mut terminal = ask(&place);
    terminal.wait_for(KEYS).type_line("4");
    let (code, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("Changes:\n│ --- a/a.txt\n") && shown.contains("Risk: HIGH\n[1]"), "{shown}");
    assert!(shown.contains("│ -hello\n") && shown.contains("│ +goodbye\n"), "{shown}");
    assert_eq!(place.read("a.txt"), "hello\n");
}

#[test]
fn a_dangerous_command_needs_its_tool_typed() {
    let place = place();
    let mut terminal =
        Terminal::start(&place, "tools call execute_command '{\"command\":\"rm -rf nothing-here\"}'", &[]);
    terminal.wait_for("Risk: ").wait_for(KEYS).type_line("1");
    terminal.wait_for("Type execute_command to let it run").type_line("y");
    terminal.wait_for("That was another word").wait_for(KEYS).type_line("4");
    let (code, shown) = terminal.end();
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("Risk: CRITICAL"), "{shown}");
}

#[test]
fn ctrl_c_at_a_question_cancels() {
    let place = place();
    let mut terminal = ask(&place);
    terminal.wait_for(KEYS);
    terminal.type_keys("\x03");
    let (code, shown) = terminal.end();
    assert_eq!(code, 130, "{shown}");
    assert!(shown.contains("cancelled; "), "{shown}");
}

#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    let place = Place::with(&[
        (
            "a.script",
            "user Read\nmodel delay 300ms\nmodel call 1 read_file {\"path\":\"a.txt\"}\ntool 1 ok 1\nmodel text Done.\n",
        ),
        ("a.txt", "hello\n"),
    ]);
    let mut terminal = ask(&place);
    terminal.wait_for("» Read").type_line("1").wait_for(KEYS).type_line("4");
    let (code, shown) = terminal.end();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("Error Type: permission_denied"), "{shown}");
}

#[test]
fn colours_are_for_terminals_and_no_color_takes_them_away() {
    let place = Place::with(&[(
        "a.script",
        "user Sum\nmodel call 1 system_stats {}\ntool 1 ok 1\nmodel text Fine.\n",
    )]);
    let mut terminal = ask(&place);
    terminal.wait_for("Fine.");
    assert!(
        terminal.seen.contains("\u{1b}[36m") || terminal.seen.contains("\u{1b}[32m"),
        "{:?}",
        terminal.seen
    );
    terminal.end();
    let mut plain =
        Terminal::start(&place, "run --profile zodo --model scripted/a.script", &[("NO_COLOR", "1")]);
    plain.wait_for("Fine.");
    assert!(!plain.seen.contains("\u{1b}[36m") && !plain.seen.contains("\u{1b}[32m"), "{:?}", plain.seen);
    plain.end();
}

#[test]
fn the_answer_is_shown_once_while_it_comes() {
    let place = Place::with(&[("a.script", "user Hi\nmodel text Hello to you.\n")]);
    let (code, shown) = ask(&place).end();
    assert_eq!((code, shown.matches("Hello to you.").count()), (0, 1), "{shown}");
    let evil = Place::with(&[("a.script", "user Hi\nmodel text Clean \u{1b}[2Jscreen\n")]);
    let mut terminal = ask(&evil);
    terminal.wait_for("\\u{1b}[2Jscreen");
    assert_eq!(terminal.end().0, 0);
}

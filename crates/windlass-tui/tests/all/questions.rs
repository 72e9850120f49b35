//! Questions to the user: what is shown of them, what answers them, and what does not.

use crossterm::event::{KeyCode, KeyModifiers, MouseEvent, MouseEventKind};
use serde_json::{Value, json};
use windlass_core::permission::{Decision, PermissionAnswer};
use windlass_core::ports::host::HostError;
use windlass_core::protocol::ids::CallId;
use windlass_tui::effect::AppEffect;
use windlass_tui::input::{AppInput, HostReply, RefusedWish};
use windlass_tui::state::overlay::{Overlay, Pager};
use windlass_tui::state::transcript::ScrollPosition;

use crate::panels::{happen, running};
use crate::stage::{Stage, assert_frame};

const KEYS: &str = "[1] Allow Once  [2] Session  [3] Remember  [4] Deny";

pub(crate) fn ask(stage: &mut Stage, question: &Value) {
    happen(stage, json!({"type": "permission_requested", "question": question}));
}

/// A question that is there, and listens.
fn asked(columns: u16, rows: u16, questions: &[Value]) -> Stage {
    let mut stage = running(columns, rows);
    questions.iter().for_each(|question| ask(&mut stage, question));
    stage.wait(1_000);
    stage.take_effects();
    stage
}

pub(crate) fn medium() -> Value {
    json!({
        "call_id": "call_1", "tool": "fetch_url", "risk": "medium", "targets": [{"host": "example.org"}],
        "arguments": r#"{"url":"https://example.org/a?b=c","timeout_ms":5000}"#, "rule": "fetch_url(example.org)",
    })
}

pub(crate) fn high() -> Value {
    let diff = "--- a/README.md\n+++ b/README.md\n@@ -1,2 +1,2 @@\n # Title\n-old line\n+new line\n";
    json!({
        "call_id": "call_2", "tool": "write_file", "risk": "high", "targets": [{"path": "README.md"}],
        "arguments": json!({"path": "README.md", "content": "# Title\nnew line\n"}).to_string(),
        "preview": {"kind": "diff", "text": diff}, "rule": "write_file(README.md)",
    })
}

pub(crate) fn critical() -> Value {
    json!({
        "call_id": "call_3", "tool": "execute_command", "risk": "critical", "targets": [{"command": "rm -rf old"}],
        "arguments": r#"{"command":"rm -rf old"}"#, "rule": "execute_command(rm -rf old)",
        "preview": {"kind": "command",
            "text": "rm -rf old\nin ~/project\nCareful: this command deletes whole folders."},
        "confirm_word": "execute_command",
    })
}

/// A call with more arguments than any screen holds.
pub(crate) fn long() -> Value {
    let content: String = (1..=120).map(|at| format!("line {at:03} of the file\n")).collect();
    json!({
        "call_id": "call_4", "tool": "write_file", "risk": "high", "targets": [{"path": "long.txt"}],
        "arguments": json!({"path": "long.txt", "content": content}).to_string(), "rule": "write_file(long.txt)",
    })
}

/// The answers that were given.
fn answers(stage: &mut Stage) -> Vec<(String, PermissionAnswer)> {
    let answer = |effect| match effect {
        AppEffect::Answer { call_id, answer, .. } => Some((call_id.to_string(), answer)),
        _ => None,
    };
    stage.take_effects().into_iter().filter_map(answer).collect()
}

/// The screen from the question on.
fn lower(stage: &mut Stage) -> String {
    let screen = stage.screen();
    let from = screen.lines().position(|line| line.starts_with('─') && line.contains(" of ")).unwrap();
    screen.lines().skip(from).map(|line| format!("{line}\n")).collect()
}

#[test]
fn z_14_the_question_shows_tool_arguments_risk_in_capitals_and_the_four_keys() {
    for (columns, rows) in [(200, 50), (100, 30), (80, 24), (60, 20)] {
        for (question, risk) in [(medium(), "MEDIUM"), (high(), "HIGH"), (critical(), "CRITICAL")] {
            let mut stage = asked(columns, rows, std::slice::from_ref(&question));
            let screen = lower(&mut stage);
            assert!(screen.starts_with("── Permission 1 of 1 ─"), "{screen}");
            let foot = format!(" Tool: {} · Risk: {risk}\n {KEYS}", question["tool"].as_str().unwrap());
            assert!(screen.contains(&foot), "{screen}");
            let rule = format!(" Remember stores\n │ {}\n", question["rule"].as_str().unwrap());
            assert!(screen.contains(&rule), "{screen}");
        }
    }
    let screen = lower(&mut asked(80, 24, &[medium()]));
    assert!(
        screen.contains("url  https://example.org/a?b=c") && screen.contains("timeout_ms  5000"),
        "{screen}"
    );
}

#[test]
fn z_14_every_kind_of_question_looks_as_it_did() {
    for (columns, rows) in [(100, 30), (60, 20)] {
        let kinds = [("medium", medium()), ("high", high()), ("critical", critical()), ("long", long())];
        for (kind, question) in kinds {
            let mut stage = asked(columns, rows, &[question]);
            assert_frame(&format!("panels-question-{kind}.{columns}x{rows}"), &lower(&mut stage));
        }
        let mut stage = asked(columns, rows, &[high(), medium(), critical()]);
        assert_frame(&format!("panels-question-queue.{columns}x{rows}"), &lower(&mut stage));
        stage.type_text("e");
        assert_frame(&format!("panels-question-rule.{columns}x{rows}"), &lower(&mut stage));
    }
    for (columns, rows) in [(30, 10), (40, 12)] {
        let mut stage = asked(columns, rows, &[critical(), medium()]);
        assert_frame(&format!("panels-question-small.{columns}x{rows}"), &lower(&mut stage));
    }
}

#[test]
fn z_12_medium_is_asked_high_is_asked_with_a_warning_critical_needs_a_word() {
    let warning = "Warning:";
    assert!(!lower(&mut asked(80, 24, &[medium()])).contains(warning));
    assert!(lower(&mut asked(80, 24, &[high()])).contains(warning));
    let mut stage = asked(80, 24, &[critical()]);
    assert!(lower(&mut stage).contains(warning));
    stage.type_text("2");
    assert!(answers(&mut stage).is_empty());
    assert!(lower(&mut stage).contains("Type execute_command to let it run for this session:"));
    stage.type_text("yes");
    stage.press(KeyCode::Enter);
    assert!(answers(&mut stage).is_empty());
    assert!(lower(&mut stage).contains("that is another word; nothing was allowed"));
    (0..3).for_each(|_| stage.press(KeyCode::Backspace));
    stage.type_text("execute_command");
    stage.press(KeyCode::Enter);
    let confirmation = Some("execute_command".to_owned());
    let answer = PermissionAnswer { confirmation, ..PermissionAnswer::new(Decision::Session) };
    assert_eq!(answers(&mut stage), [("call_3".to_owned(), answer)]);
}

#[test]
fn z_12_a_critical_call_is_denied_without_a_word_and_esc_goes_back_from_it() {
    let mut stage = asked(80, 24, &[critical()]);
    stage.type_text("1");
    stage.press(KeyCode::Esc);
    assert!(lower(&mut stage).contains(KEYS));
    assert!(stage.state.cancelling.is_none());
    stage.type_text("4");
    assert_eq!(answers(&mut stage), [("call_3".to_owned(), PermissionAnswer::new(Decision::Deny))]);
}

#[test]
fn each_key_gives_its_answer_and_only_once() {
    let decisions = [Decision::Once, Decision::Session, Decision::Remember, Decision::Deny];
    for (key, decision) in ["1", "2", "3", "4"].into_iter().zip(decisions) {
        let mut stage = asked(80, 24, &[medium()]);
        stage.type_text(key);
        assert_eq!(answers(&mut stage), [("call_1".to_owned(), PermissionAnswer::new(decision))]);
        let screen = lower(&mut stage);
        assert!(screen.contains("answering…") && !screen.contains("[1]"), "{screen}");
        stage.type_text("1234e");
        stage.press(KeyCode::Enter);
        assert!(answers(&mut stage).is_empty());
    }
}

#[test]
fn arrows_choose_an_answer_and_enter_gives_it_but_nothing_is_chosen_at_first() {
    let mut stage = asked(80, 24, &[medium()]);
    stage.press(KeyCode::Enter);
    assert!(answers(&mut stage).is_empty());
    stage.press(KeyCode::Left);
    assert_eq!(stage.state.asking.picked, Some(Decision::Deny));
    stage.press(KeyCode::Left);
    stage.press(KeyCode::Left);
    stage.press(KeyCode::Enter);
    assert_eq!(answers(&mut stage)[0].1, PermissionAnswer::new(Decision::Session));
}

#[test]
fn the_rule_that_is_remembered_can_be_changed_and_a_broken_one_is_not_sent() {
    let mut stage = asked(80, 24, &[high()]);
    stage.type_text("e");
    stage.press(KeyCode::Backspace);
    stage.press(KeyCode::Enter);
    assert!(answers(&mut stage).is_empty());
    let screen = lower(&mut stage);
    assert!(screen.contains("'write_file(README.md' has no ')' at its end"), "{screen}");
    (0.."README.md".len()).for_each(|_| stage.press(KeyCode::Backspace));
    stage.type_text("docs/**)");
    assert!(lower(&mut stage).contains("› write_file(docs/**)"));
    stage.press(KeyCode::Enter);
    let rule = Some("write_file(docs/**)".to_owned());
    let answer = PermissionAnswer { rule, ..PermissionAnswer::new(Decision::Remember) };
    assert_eq!(answers(&mut stage), [("call_2".to_owned(), answer)]);
}

#[test]
fn esc_gives_up_the_rule_and_pasted_text_goes_into_it() {
    let mut stage = asked(80, 24, &[high()]);
    stage.type_text("e");
    stage.put(AppInput::Paste("(x)\nsecond".to_owned()));
    assert!(lower(&mut stage).contains("write_file(README.md)(x)"));
    stage.press(KeyCode::Esc);
    stage.type_text("e");
    stage.press(KeyCode::Enter);
    assert_eq!(answers(&mut stage)[0].1, PermissionAnswer::new(Decision::Remember));
    assert!(stage.state.composer.is_empty());
}

#[test]
fn questions_queue_visibly_and_tab_goes_through_them() {
    let mut stage = asked(100, 30, &[high(), medium(), critical()]);
    let screen = lower(&mut stage);
    assert!(screen.contains("Permission 1 of 3") && screen.contains("Tool: write_file"), "{screen}");
    assert!(screen.contains("2 more wait: fetch_url example.org, execute_command rm -rf old"), "{screen}");
    stage.press(KeyCode::Tab);
    assert!(lower(&mut stage).contains("Permission 2 of 3"));
    assert!(lower(&mut stage).contains("Tool: fetch_url"));
    stage.press(KeyCode::BackTab);
    stage.press(KeyCode::BackTab);
    assert!(lower(&mut stage).contains("Permission 3 of 3"));
    assert!(lower(&mut stage).contains("Tool: execute_command"));
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::Tab);
    stage.type_text("1");
    assert_eq!(answers(&mut stage)[0].0, "call_1");
}

#[test]
fn an_answer_that_the_host_refuses_says_why_and_can_be_given_again() {
    let mut stage = asked(80, 24, &[medium()]);
    stage.type_text("1");
    let error = HostError::Broken("the store is full".to_owned());
    stage
        .put(AppInput::Reply(HostReply::Refused { wish: RefusedWish::Answer(CallId::new("call_1")), error }));
    let screen = lower(&mut stage);
    assert!(screen.contains("✗ the store is full") && screen.contains(KEYS), "{screen}");
    stage.type_text("2");
    assert_eq!(answers(&mut stage).len(), 2);
}

#[test]
fn r_51_all_of_the_arguments_can_be_read_by_scrolling() {
    for (columns, rows) in [(100, 30), (60, 20), (30, 8)] {
        let mut stage = asked(columns, rows, &[long()]);
        let first = lower(&mut stage);
        assert!(first.contains("more lines"), "{first}");
        let mut seen = String::new();
        for _ in 0..200 {
            seen.push_str(&lower(&mut stage));
            stage.press(KeyCode::Down);
        }
        assert!(lower(&mut stage).contains(" above, the end below …"));
        for line in (1..=120).map(|at| format!("line {at:03} of the file")) {
            assert!(seen.contains(&line), "{line} is not shown at {columns}x{rows}");
        }
        stage.press(KeyCode::Home);
        assert_eq!(lower(&mut stage), first);
    }
}

#[test]
fn r_51_pages_and_the_wheel_scroll_the_question_and_the_end_is_the_end() {
    let mut stage = asked(100, 30, &[long()]);
    let wheel =
        |kind, row| AppInput::Mouse(MouseEvent { kind, column: 5, row, modifiers: KeyModifiers::NONE });
    stage.put(wheel(MouseEventKind::ScrollDown, 25));
    assert_eq!(stage.state.asking.scrolled, 3);
    stage.draw();
    stage.put(wheel(MouseEventKind::ScrollUp, 1));
    assert_eq!(stage.state.asking.scrolled, 3);
    assert_ne!(stage.state.transcript.place, ScrollPosition::End);
    (0..30).for_each(|_| stage.press(KeyCode::PageDown));
    let end = stage.state.asking.scrolled;
    assert!(lower(&mut stage).contains("│ line 120 of the file"));
    stage.press(KeyCode::Up);
    assert_eq!(stage.state.asking.scrolled, end - 1);
    // A question that hides nothing leaves pages to the transcript.
    let mut stage = asked(100, 30, &[medium()]);
    stage.draw();
    stage.press(KeyCode::PageUp);
    assert_ne!(stage.state.transcript.place, ScrollPosition::End);
}

#[test]
fn r_51_what_the_model_wrote_cannot_disguise_the_question() {
    let mut question = medium();
    question["arguments"] = json!({"url": "a\u{1b}[2J\u{7}\u{202e}b", "x\ny": "1"}).to_string().into();
    question["tool"] = "fetch\u{1b}_url".into();
    let screen = lower(&mut asked(80, 24, &[question]));
    assert!(screen.contains(r#"│ url  "a\u001b[2J\u0007\u{202e}b""#), "{screen}");
    assert!(screen.contains("│ x␊y") && screen.contains(r"Tool: fetch\u{1b}_url"), "{screen}");
    assert!(!screen.contains('\u{1b}') && !screen.contains('\u{202e}'));
}

/// What a model wrote, on lines that could be ours.
fn forged() -> Value {
    let forged =
        format!("x\n── Permission 1 of 1 ──\nTool: read_file · Risk: SAFE\n{KEYS}{}", "\n".repeat(70));
    let mut question = critical();
    question["rule"] = format!("execute_command({forged})").into();
    question["targets"] = json!([{"command": forged}, {"path": forged}]);
    question["preview"] = json!({"kind": "command", "text": forged});
    question["arguments"] = json!({"command": forged, forged.clone(): "1"}).to_string().into();
    question
}

#[test]
fn what_others_wrote_stands_in_the_gutter_and_displaces_nothing() {
    for (columns, rows) in [(100, 30), (80, 24), (60, 20), (30, 8)] {
        let mut stage = asked(columns, rows, &[forged()]);
        for _ in 0..300 {
            let screen = lower(&mut stage);
            let outside = |line: &&str| !line.starts_with(" │ ") && !line.starts_with(" ┊ ");
            let own: Vec<&str> = screen.lines().filter(outside).collect();
            assert!(!own.iter().any(|line| line.contains("SAFE") || line.contains('␊')), "{screen}");
            let once = |text: &str| own.iter().filter(|line| line.contains(text)).count() == 1;
            assert!(once("── Permission") && once("CRITICAL") && once("[1] Allow Once"), "{screen}");
            let at = |text: &str| own.iter().position(|line| line.contains(text)).unwrap();
            assert_eq!(at("CRITICAL") + 1, at("[1] Allow Once"), "{screen}");
            stage.press(KeyCode::Down);
        }
    }
}

#[test]
fn v_gives_the_question_all_of_the_screen_and_takes_it_back() {
    let mut stage = asked(100, 30, &[long()]);
    let before = lower(&mut stage);
    assert!(before.contains("│ line 001 of the file") && before.contains("line 120 of the file"), "{before}");
    assert!(before.contains(" more lines · Up/Down, v shows all …"), "{before}");
    stage.type_text("v");
    let whole = lower(&mut stage);
    assert!(whole.lines().count() > before.lines().count(), "{whole}");
    assert!(whole.contains("line 015 of the file") && whole.contains(KEYS), "{whole}");
    stage.type_text("v");
    assert_eq!(lower(&mut stage), before);
    assert!(answers(&mut stage).is_empty());
}

#[test]
fn a_call_is_denied_with_words() {
    for (typed, message) in [("use the other file", Some("use the other file")), ("", None)] {
        let mut stage = asked(80, 24, &[critical()]);
        stage.type_text("5");
        assert!(lower(&mut stage).contains("What should it do instead? The model is told:"));
        stage.type_text(typed);
        assert!(answers(&mut stage).is_empty());
        stage.press(KeyCode::Enter);
        let denied =
            PermissionAnswer { message: message.map(str::to_owned), ..PermissionAnswer::new(Decision::Deny) };
        assert_eq!(answers(&mut stage), [("call_3".to_owned(), denied)]);
    }
    let mut stage = asked(80, 24, &[medium()]);
    stage.type_text("5no");
    stage.press(KeyCode::Esc);
    assert!(lower(&mut stage).contains(KEYS));
    assert!(answers(&mut stage).is_empty());
}

#[test]
fn the_counter_is_the_place_among_the_questions_of_the_step() {
    let mut second = medium();
    (second["position"], second["total"]) = (2.into(), 4.into());
    assert!(lower(&mut asked(80, 24, &[second])).contains("Permission 2 of 4"));
}

#[test]
fn what_was_meant_for_the_message_does_not_answer_a_question() {
    let mut stage = running(80, 24);
    stage.type_text("version ");
    stage.wait(100);
    ask(&mut stage, &medium());
    for sign in ["1", "2", "3", " "] {
        stage.wait(400);
        stage.type_text(sign);
    }
    assert!(answers(&mut stage).is_empty());
    assert_eq!(stage.state.composer.text(), "version 123 ");
    assert!(lower(&mut stage).contains("› version 123 "));
    // After a pause the keys are the question's, and the draft stays.
    stage.wait(1_000);
    assert!(lower(&mut stage).contains("draft: version 123"));
    stage.type_text("1");
    assert_eq!(answers(&mut stage).len(), 1);
    assert_eq!(stage.state.composer.text(), "version 123 ");
}

#[test]
fn a_question_lets_keys_pass_until_it_was_seen() {
    let mut stage = running(80, 24);
    ask(&mut stage, &medium());
    stage.wait(499);
    stage.type_text("1");
    assert!(answers(&mut stage).is_empty());
    assert_eq!(stage.state.composer.text(), "1");
    stage.press(KeyCode::Backspace);
    stage.wait(1);
    stage.type_text("1");
    assert_eq!(answers(&mut stage).len(), 1);
}

#[test]
fn a_question_after_another_is_not_answered_by_a_key_that_was_pressed_twice() {
    let mut stage = asked(80, 24, &[medium(), high()]);
    stage.type_text("1");
    happen(
        &mut stage,
        json!({"type": "permission_decided", "call_id": "call_1", "decision": "once", "by": "user"}),
    );
    assert!(lower(&mut stage).contains("Tool: write_file"));
    stage.type_text("1");
    assert_eq!(answers(&mut stage).len(), 1);
    assert!(stage.state.composer.is_empty());
    stage.wait(500);
    stage.type_text("1");
    assert_eq!(answers(&mut stage)[0].0, "call_2");
}

#[test]
fn a_question_that_cannot_be_seen_cannot_be_answered() {
    let mut stage = asked(80, 24, &[medium()]);
    stage.state.overlay = Some(Overlay::Pager(Pager::default()));
    stage.wait(5_000);
    stage.type_text("1");
    stage.state.overlay = None;
    stage.wait(0);
    stage.type_text("1");
    stage.press(KeyCode::Backspace);
    stage.put(AppInput::Resized { columns: 20, rows: 5 });
    stage.wait(5_000);
    stage.type_text("1");
    assert!(answers(&mut stage).is_empty());
    stage.press(KeyCode::Backspace);
    stage.put(AppInput::Resized { columns: 80, rows: 24 });
    stage.wait(500);
    stage.type_text("1");
    assert_eq!(answers(&mut stage).len(), 1);
}

#[test]
fn the_wish_to_stop_is_heard_whatever_a_question_does() {
    for wait_ms in [0, 1_000] {
        let mut stage = running(80, 24);
        ask(&mut stage, &medium());
        stage.wait(wait_ms);
        stage.take_effects();
        stage.press(KeyCode::Esc);
        assert!(matches!(stage.take_effects().as_slice(), [AppEffect::Cancel(_)]));
        stage.type_text("1");
        assert!(answers(&mut stage).is_empty());
        assert!(lower(&mut stage).contains("cancelling…"));
    }
    let mut stage = asked(80, 24, &[high()]);
    stage.type_text("e");
    stage.press_ctrl('c');
    assert!(matches!(stage.take_effects().as_slice(), [AppEffect::Cancel(_)]));
}

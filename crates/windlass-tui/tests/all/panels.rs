//! What stands around the transcript: questions, status, tasks, the welcome; and how all of it fits on a screen.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyModifiers, MouseEvent, MouseEventKind};
use ratatui::style::Color;
use serde_json::{Value, json};
use windlass_core::event::Record;
use windlass_core::host::{HostDelivery, HostError, ModelPrice, ModelRow};
use windlass_core::ids::{CallId, SessionId};
use windlass_core::permission::{Decision, PermissionAnswer};
use windlass_tui::effect::Effect;
use windlass_tui::input::{Input, Reply, Wish};
use windlass_tui::state::overlay::{Overlay, Pager};
use windlass_tui::state::transcript::Place;
use windlass_tui::text::cut;
use windlass_tui::theme::{Role, Theme};
use windlass_tui::{ThemeKind, view};

use crate::stage::{Stage, assert_frame, row, session_names, text_of};

const KEYS: &str = "[1] Allow Once  [2] Session  [3] Remember  [4] Deny";
const MODEL: &str = "anthropic/claude-sonnet-4-5";

/// Something happens in the session.
fn happen(stage: &mut Stage, event: Value) {
    let session_id = SessionId::new("session");
    let seq = stage.state.session.as_ref().map_or(0, |session| session.view.seq) + 1;
    let record: Record = serde_json::from_value(json!({
        "seq": seq, "ts_ms": stage.state.now_ms, "session_id": session_id.as_str(), "run_id": "run_1",
        "parent_id": "message", "event": event,
    }))
    .unwrap();
    stage.put(Input::Delivered(session_id, HostDelivery::Record(Arc::new(record))));
}

/// A session in which a run goes on.
fn running(columns: u16, rows: u16) -> Stage {
    running_in(Stage::new(columns, rows))
}

fn running_in(mut stage: Stage) -> Stage {
    stage.state.about.models = vec![ModelRow {
        name: MODEL.to_owned(),
        provider: "anthropic".to_owned(),
        is_default: true,
        is_ready: true,
        context_tokens: Some(200_000),
        has_tools: None,
        has_reasoning: None,
        source: None,
        price: Some(ModelPrice { input: 3.0, cached: 0.3, output: 15.0 }),
        doctor: None,
    }];
    let opened = row(&SessionId::new("session"));
    stage.put(Input::Reply(Reply::Opened { row: Box::new(opened), records: Vec::new() }));
    let message = json!({"role": "user", "parts": [{"type": "text", "text": "Tidy up."}]});
    happen(
        &mut stage,
        json!({"type": "run_started", "model": MODEL, "profile": "default", "message": message}),
    );
    happen(&mut stage, json!({"type": "step_started", "step": 1, "purpose": "work", "attempt": 1}));
    stage.take_effects();
    stage
}

fn ask(stage: &mut Stage, question: &Value) {
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

fn medium() -> Value {
    json!({
        "call_id": "call_1", "tool": "fetch_url", "risk": "medium", "targets": [{"host": "example.org"}],
        "arguments": r#"{"url":"https://example.org/a?b=c","timeout_ms":5000}"#, "rule": "fetch_url(example.org)",
    })
}

fn high() -> Value {
    let diff = "--- a/README.md\n+++ b/README.md\n@@ -1,2 +1,2 @@\n # Title\n-old line\n+new line\n";
    json!({
        "call_id": "call_2", "tool": "write_file", "risk": "high", "targets": [{"path": "README.md"}],
        "arguments": json!({"path": "README.md", "content": "# Title\nnew line\n"}).to_string(),
        "preview": {"kind": "diff", "text": diff}, "rule": "write_file(README.md)",
    })
}

fn critical() -> Value {
    json!({
        "call_id": "call_3", "tool": "execute_command", "risk": "critical", "targets": [{"command": "rm -rf old"}],
        "arguments": r#"{"command":"rm -rf old"}"#, "rule": "execute_command(rm -rf old)",
        "preview": {"kind": "command",
            "text": "rm -rf old\nin ~/project\nCareful: this command deletes whole folders."},
        "confirm_word": "execute_command",
    })
}

/// A call with more arguments than any screen holds.
fn long() -> Value {
    let content: String = (1..=120).map(|at| format!("line {at:03} of the file\n")).collect();
    json!({
        "call_id": "call_4", "tool": "write_file", "risk": "high", "targets": [{"path": "long.txt"}],
        "arguments": json!({"path": "long.txt", "content": content}).to_string(), "rule": "write_file(long.txt)",
    })
}

/// The answers that were given.
fn answers(stage: &mut Stage) -> Vec<(String, PermissionAnswer)> {
    let answer = |effect| match effect {
        Effect::Answer { call_id, answer, .. } => Some((call_id.to_string(), answer)),
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

fn last_lines(stage: &mut Stage, count: usize) -> Vec<String> {
    let screen = stage.screen();
    let lines: Vec<String> = screen.lines().map(str::to_owned).collect();
    lines[lines.len() - count..].to_vec()
}

#[test]
fn z_14_the_question_shows_tool_arguments_risk_in_capitals_and_the_four_keys() {
    for (columns, rows) in [(200, 50), (100, 30), (80, 24), (60, 20)] {
        for (question, risk) in [(medium(), "MEDIUM"), (high(), "HIGH"), (critical(), "CRITICAL")] {
            let mut stage = asked(columns, rows, std::slice::from_ref(&question));
            let screen = lower(&mut stage);
            let title = format!("Permission 1 of 1 · {} · {risk}", question["tool"].as_str().unwrap());
            assert!(screen.contains(&title), "{screen}");
            assert!(screen.contains(KEYS), "{screen}");
            let rule = format!("Remember stores {}", question["rule"].as_str().unwrap());
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
fn z_13_each_key_gives_its_answer_and_only_once() {
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
fn z_13_arrows_choose_an_answer_and_enter_gives_it_but_nothing_is_chosen_at_first() {
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
fn z_13_the_rule_that_is_remembered_can_be_changed_and_a_broken_one_is_not_sent() {
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
fn z_13_esc_gives_up_the_rule_and_pasted_text_goes_into_it() {
    let mut stage = asked(80, 24, &[high()]);
    stage.type_text("e");
    stage.put(Input::Paste("(x)\nsecond".to_owned()));
    assert!(lower(&mut stage).contains("write_file(README.md)(x)"));
    stage.press(KeyCode::Esc);
    stage.type_text("e");
    stage.press(KeyCode::Enter);
    assert_eq!(answers(&mut stage)[0].1, PermissionAnswer::new(Decision::Remember));
    assert!(stage.state.composer.is_empty());
}

#[test]
fn z_13_questions_queue_visibly_and_tab_goes_through_them() {
    let mut stage = asked(100, 30, &[high(), medium(), critical()]);
    let screen = lower(&mut stage);
    assert!(screen.contains("Permission 1 of 3 · write_file"), "{screen}");
    assert!(screen.contains("2 more wait: fetch_url example.org, execute_command rm -rf old"), "{screen}");
    stage.press(KeyCode::Tab);
    assert!(lower(&mut stage).contains("Permission 2 of 3 · fetch_url"));
    stage.press(KeyCode::BackTab);
    stage.press(KeyCode::BackTab);
    assert!(lower(&mut stage).contains("Permission 3 of 3 · execute_command"));
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::Tab);
    stage.type_text("1");
    assert_eq!(answers(&mut stage)[0].0, "call_1");
}

#[test]
fn z_13_an_answer_that_the_host_refuses_says_why_and_can_be_given_again() {
    let mut stage = asked(80, 24, &[medium()]);
    stage.type_text("1");
    let error = HostError::Broken("the store is full".to_owned());
    stage.put(Input::Reply(Reply::Refused { wish: Wish::Answer(CallId::new("call_1")), error }));
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
        assert!(lower(&mut stage).contains("the end · "));
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
    let wheel = |kind, row| Input::Mouse(MouseEvent { kind, column: 5, row, modifiers: KeyModifiers::NONE });
    stage.put(wheel(MouseEventKind::ScrollDown, 25));
    assert_eq!(stage.state.asking.scrolled, 3);
    stage.draw();
    stage.put(wheel(MouseEventKind::ScrollUp, 1));
    assert_eq!(stage.state.asking.scrolled, 3);
    assert_ne!(stage.state.transcript.place, Place::End);
    (0..30).for_each(|_| stage.press(KeyCode::PageDown));
    let end = stage.state.asking.scrolled;
    assert!(lower(&mut stage).contains("│ line 120 of the file"));
    stage.press(KeyCode::Up);
    assert_eq!(stage.state.asking.scrolled, end - 1);
    // A question that hides nothing leaves pages to the transcript.
    let mut stage = asked(100, 30, &[medium()]);
    stage.draw();
    stage.press(KeyCode::PageUp);
    assert_ne!(stage.state.transcript.place, Place::End);
}

#[test]
fn r_51_what_the_model_wrote_cannot_disguise_the_question() {
    let mut question = medium();
    question["arguments"] = json!({"url": "a\u{1b}[2J\u{7}\u{202e}b", "x\ny": "1"}).to_string().into();
    question["tool"] = "fetch\u{1b}_url".into();
    let screen = lower(&mut asked(80, 24, &[question]));
    assert!(screen.contains("url  a␛[2J␇b") && screen.contains("x␊y"), "{screen}");
    assert!(!screen.contains('\u{1b}') && !screen.contains('\u{202e}'));
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
    assert!(lower(&mut stage).contains("Permission 1 of 1 · write_file"));
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
    stage.put(Input::Resized { columns: 20, rows: 5 });
    stage.wait(5_000);
    stage.type_text("1");
    assert!(answers(&mut stage).is_empty());
    stage.press(KeyCode::Backspace);
    stage.put(Input::Resized { columns: 80, rows: 24 });
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
        assert!(matches!(stage.take_effects().as_slice(), [Effect::Cancel(_)]));
        stage.type_text("1");
        assert!(answers(&mut stage).is_empty());
        assert!(lower(&mut stage).contains("cancelling…"));
    }
    let mut stage = asked(80, 24, &[high()]);
    stage.type_text("e");
    stage.press_ctrl('c');
    assert!(matches!(stage.take_effects().as_slice(), [Effect::Cancel(_)]));
}

#[test]
fn the_status_says_what_goes_on_what_it_costs_and_how_full_the_context_is() {
    let mut stage = running(100, 30);
    let message = json!({"role": "assistant", "parts": [{"type": "text", "text": "Well."}]});
    let usage = json!({"input": 40_000, "output": 1_200, "cached": 10_000, "reasoning": 0});
    happen(
        &mut stage,
        json!({"type": "step_ended", "step": 1, "message": message, "finish": "stop", "usage": usage}),
    );
    happen(&mut stage, json!({"type": "step_started", "step": 2, "purpose": "work", "attempt": 1}));
    stage.wait(65_000);
    let lines = last_lines(&mut stage, 2);
    assert!(lines[0].contains("answering 1m 05s · step 2"), "{lines:?}");
    assert!(lines[0].ends_with("↑ 40.0k ↓ 1.2k · $0.111 · ▕█░░░░░▏ 20 %"), "{lines:?}");
    assert!(lines[1].starts_with(" mode ask · claude-sonnet-4-5 · default · A session"), "{lines:?}");
    assert!(lines[1].contains("Esc cancels · Ctrl-O thinking"), "{lines:?}");
    // A notice takes the place of the hints.
    stage.state.tell("copied");
    let lines = last_lines(&mut stage, 2);
    assert!(lines[0].contains("answering") && lines[1].ends_with("copied"), "{lines:?}");
    assert!(lines[1].contains("claude") && !lines[1].contains("Esc"), "{lines:?}");
    // What matters most is there on a narrow screen too.
    stage.state.notice = None;
    stage.put(Input::Resized { columns: 66, rows: 12 });
    let line = last_lines(&mut stage, 1).concat();
    assert!(line.contains("answering 1m 05s") && line.contains("20 %") && line.contains("claude"), "{line}");
    stage.put(Input::Resized { columns: 40, rows: 12 });
    let line = last_lines(&mut stage, 1).concat();
    assert!(line.contains("answering 1m 05s") && line.contains("mode ask"), "{line}");
    // Prices that nobody knows are not guessed.
    stage.put(Input::Resized { columns: 100, rows: 30 });
    stage.state.about.models[0].price = None;
    assert!(!stage.screen().contains('$'));
}

#[test]
fn a_context_that_is_nearly_full_is_warned_of() {
    let mut stage = running(100, 30);
    let message = json!({"role": "assistant", "parts": []});
    let usage = json!({"input": 161_000, "output": 1_200});
    happen(
        &mut stage,
        json!({"type": "step_ended", "step": 1, "message": message, "finish": "stop", "usage": usage}),
    );
    let buffer = stage.draw();
    let y = buffer.area.height - 2;
    let x = (0..buffer.area.width).find(|x| buffer[(*x, y)].symbol() == "█").unwrap();
    assert_eq!(Some(buffer[(x, y)].fg), Theme::new(ThemeKind::Dark).style(Role::Warn).fg);
    assert!(stage.screen().contains("▕█████░▏ 81 %"));
}

#[test]
fn a_lost_connection_and_the_address_of_the_host_are_said() {
    let mut stage = running(100, 30);
    stage.state.about.place = Some("http://box:4117".to_owned());
    stage.put(Input::StreamEnded(SessionId::new("session")));
    let lines = last_lines(&mut stage, 2);
    assert!(lines[0].contains("connection lost, trying again"), "{lines:?}");
    assert!(lines[1].contains("http://box:4117"), "{lines:?}");
}

fn tasked(columns: u16, rows: u16) -> Stage {
    let mut stage = running(columns, rows);
    let task =
        |id: &str, status: &str, content: &str| json!({"task_id": id, "status": status, "content": content});
    let tasks = json!([
        task("task_1", "completed", "Read the code"),
        task("task_2", "in_progress", "Write the parser and all of its tests, also those of errors"),
        task("task_3", "pending", "Document it"),
    ]);
    happen(&mut stage, json!({"type": "tasks_changed", "tasks": tasks}));
    stage
}

#[test]
fn tasks_stand_beside_the_transcript_or_above_the_message_and_can_be_hidden() {
    let side = |stage: &mut Stage| -> String {
        stage
            .screen()
            .lines()
            .filter_map(|line| line.split('│').next_back())
            .take(6)
            .collect::<Vec<_>>()
            .join("\n")
    };
    let wide = side(&mut tasked(100, 30));
    assert!(
        wide.starts_with(" Tasks 1/3\n ✓ Read the code\n ▸ Write the parser and all\n   of its tests"),
        "{wide}"
    );
    assert!(wide.contains("○ Document it"), "{wide}");
    let narrow = tasked(60, 20).screen();
    assert!(narrow.contains("Tasks 1/3 · ▸ Write the parser and all of its tests"), "{narrow}");
    let tall = tasked(60, 40).screen();
    assert!(tall.contains("\n ○ Document it"), "{tall}");
    let mut stage = tasked(60, 20);
    stage.state.shows_tasks = false;
    assert!(!stage.screen().contains("Tasks"));
}

#[test]
fn a_long_task_list_keeps_what_is_still_to_do_in_sight() {
    let mut stage = running(100, 14);
    let task = |at: usize| {
        let status = if at < 10 { "completed" } else { "pending" };
        json!({"task_id": format!("task_{at}"), "status": status, "content": format!("Number {at}")})
    };
    let tasks: Vec<Value> = (0..40).map(task).collect();
    happen(&mut stage, json!({"type": "tasks_changed", "tasks": tasks}));
    let screen = stage.screen();
    assert!(screen.contains("✓ 10 completed") && screen.contains("○ Number 10"), "{screen}");
    assert!(screen.contains(" more"), "{screen}");
}

#[test]
fn the_welcome_says_what_this_is_and_how_to_begin() {
    let top = |stage: &mut Stage| -> String {
        stage.screen().lines().take(15).map(|line| format!("{line}\n")).collect()
    };
    assert_frame("panels-welcome.100x30", &top(&mut Stage::new(100, 30)));
    let mut stage = Stage::new(60, 24);
    stage.state.opening = Some("no model is connected: set a key, or choose another with --model".to_owned());
    stage.state.about.place = Some("http://box:4117".to_owned());
    assert_frame("panels-welcome-unconnected.60x24", &top(&mut stage));
    let small = Stage::new(30, 8).screen();
    assert!(small.contains("Windlass 0.1.0"), "{small}");
}

#[test]
fn the_title_of_the_terminal_says_what_goes_on_and_is_harmless() {
    let mut stage = Stage::new(80, 24);
    assert_eq!(view::title(&stage.state), "Windlass");
    stage = running(80, 24);
    assert_eq!(view::title(&stage.state), "● Windlass · A session");
    ask(&mut stage, &medium());
    assert_eq!(view::title(&stage.state), "? Windlass · A session");
    stage.state.session.as_mut().unwrap().row.begin.title = "x\u{7}\u{1b}]0;y".to_owned();
    assert_eq!(view::title(&stage.state), "? Windlass · x␇␛]0;y");
    // A session without a title is called by what was said first.
    stage.state.session.as_mut().unwrap().row.begin.title = String::new();
    assert_eq!(view::title(&stage.state), "? Windlass · Tidy up.");
}

#[test]
fn the_bell_rings_once_for_questions_and_for_the_end_of_a_long_run() {
    let rings =
        |stage: &mut Stage| stage.take_effects().iter().filter(|effect| **effect == Effect::Bell).count();
    let ended = json!({"type": "run_ended", "outcome": "completed", "reason": "answered", "answer": "",
        "usage": {"input": 0, "output": 0}});
    let mut stage = running(80, 24);
    ask(&mut stage, &medium());
    ask(&mut stage, &high());
    assert_eq!(rings(&mut stage), 1);
    stage.wait(9_000);
    happen(&mut stage, ended.clone());
    assert_eq!(rings(&mut stage), 0);
    let mut stage = running(80, 24);
    stage.wait(10_001);
    happen(&mut stage, ended);
    assert_eq!(rings(&mut stage), 1);
}

/// All that can be on the screen here, in a theme.
fn every_state(columns: u16, rows: u16, theme: ThemeKind) -> Vec<Stage> {
    let mut stages = vec![Stage::themed(columns, rows, theme)];
    for name in session_names() {
        let mut stage = Stage::themed(columns, rows, theme);
        stage.follow(&name);
        stages.push(stage);
    }
    for question in [medium(), high(), critical(), long()] {
        let mut stage = running_in(Stage::themed(columns, rows, theme));
        stage.state.about.place = Some("http://box:4117".to_owned());
        ask(&mut stage, &question);
        ask(
            &mut stage,
            &json!({"call_id": "call_9", "tool": "日本語", "arguments": "{", "risk": "low", "rule": ""}),
        );
        stage.type_text("草稿 draft");
        stage.wait(2_000);
        stage.type_text("e");
        stage.press(KeyCode::Enter);
        stages.push(stage);
    }
    stages
}

#[test]
fn every_state_can_be_drawn_at_every_size() {
    let mut stages = every_state(80, 24, ThemeKind::Dark);
    stages.push(tasked(80, 24));
    for mut stage in stages {
        for columns in [1, 2, 5, 10, 20, 29, 30, 31, 40, 59, 60, 99, 100, 200] {
            for rows in [1, 2, 3, 5, 7, 8, 9, 10, 13, 14, 16, 23, 24, 50] {
                stage.put(Input::Resized { columns, rows });
                let screen = stage.screen();
                let is_too_small = columns < 30 || rows < 8;
                let note = cut("too small: 30x8 at least", columns.into()).into_owned();
                assert_eq!(screen.starts_with(&note), is_too_small, "{screen}");
            }
        }
    }
}

#[test]
fn the_plain_theme_has_no_colour_and_the_others_say_the_same() {
    for (columns, rows) in [(100, 30), (60, 20)] {
        let plain = every_state(columns, rows, ThemeKind::Plain);
        let dark = every_state(columns, rows, ThemeKind::Dark);
        let light = every_state(columns, rows, ThemeKind::Light);
        for ((mut plain, mut dark), mut light) in plain.into_iter().zip(dark).zip(light) {
            let buffer = plain.draw();
            for cell in buffer.content() {
                assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset), "{}", text_of(&buffer));
            }
            assert_eq!(text_of(&buffer), dark.screen());
            assert_eq!(text_of(&buffer), light.screen());
        }
    }
}

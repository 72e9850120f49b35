//! What stands around the transcript: status, tasks, the welcome; and how all of it fits on a screen.

use std::sync::Arc;

use crossterm::event::KeyCode;
use ratatui::style::Color;
use serde_json::{Value, json};
use windlass_core::ports::host::{HostDelivery, ModelPrice, ModelRow};
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::SessionId;
use windlass_tui::effect::AppEffect;
use windlass_tui::input::{AppInput, HostReply};
use windlass_tui::text::cut;
use windlass_tui::theme::{TextRole, Theme};
use windlass_tui::{ThemeKind, view};

use crate::questions::{ask, critical, high, long, medium};
use crate::stage::{Stage, assert_frame, row, session_names, text_of};

const MODEL: &str = "anthropic/claude-sonnet-4-5";

/// Something happens in the session.
pub(crate) fn happen(stage: &mut Stage, event: Value) {
    let session_id = SessionId::new("session");
    let seq = stage.state.session.as_ref().map_or(0, |session| session.view.seq) + 1;
    let record: Record = serde_json::from_value(json!({
        "seq": seq, "ts_ms": stage.state.now_ms, "session_id": session_id.as_str(), "run_id": "run_1",
        "parent_id": "message", "event": event,
    }))
    .unwrap();
    stage.put(AppInput::Delivered(session_id, HostDelivery::Record(Arc::new(record))));
}

/// A session in which a run goes on.
pub(crate) fn running(columns: u16, rows: u16) -> Stage {
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
    stage.put(AppInput::Reply(HostReply::Opened { row: Box::new(opened), records: Vec::new() }));
    let message = json!({"role": "user", "parts": [{"type": "text", "text": "Tidy up."}]});
    happen(
        &mut stage,
        json!({"type": "run_started", "model": MODEL, "profile": "default", "message": message}),
    );
    happen(&mut stage, json!({"type": "step_started", "step": 1, "purpose": "work", "attempt": 1}));
    stage.take_effects();
    stage
}

fn last_lines(stage: &mut Stage, count: usize) -> Vec<String> {
    let screen = stage.screen();
    let lines: Vec<String> = screen.lines().map(str::to_owned).collect();
    lines[lines.len() - count..].to_vec()
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
    stage.put(AppInput::Resized { columns: 66, rows: 12 });
    let line = last_lines(&mut stage, 1).concat();
    assert!(line.contains("answering 1m 05s") && line.contains("20 %") && line.contains("claude"), "{line}");
    stage.put(AppInput::Resized { columns: 40, rows: 12 });
    let line = last_lines(&mut stage, 1).concat();
    assert!(line.contains("answering 1m 05s") && line.contains("mode ask"), "{line}");
    // Prices that nobody knows are not guessed.
    stage.put(AppInput::Resized { columns: 100, rows: 30 });
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
    assert_eq!(Some(buffer[(x, y)].fg), Theme::new(ThemeKind::Dark).style(TextRole::Warn).fg);
    assert!(stage.screen().contains("▕█████░▏ 81 %"));
}

#[test]
fn a_lost_connection_and_the_address_of_the_host_are_said() {
    let mut stage = running(100, 30);
    stage.state.about.place = Some("http://box:4117".to_owned());
    stage.put(AppInput::StreamEnded(SessionId::new("session")));
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
    assert_eq!(view::title(&stage.state), r"? Windlass · x\u{7}\u{1b}]0;y");
    // A session without a title is called by what was said first.
    stage.state.session.as_mut().unwrap().row.begin.title = String::new();
    assert_eq!(view::title(&stage.state), "? Windlass · Tidy up.");
}

#[test]
fn the_bell_rings_once_for_questions_and_for_the_end_of_a_long_run() {
    let rings =
        |stage: &mut Stage| stage.take_effects().iter().filter(|effect| **effect == AppEffect::Bell).count();
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
                stage.put(AppInput::Resized { columns, rows });
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

#[test]
fn a_notice_longer_than_the_line_is_cut_and_not_left_out() {
    let mut stage = Stage::new(60, 30);
    stage.type_text("/settings set tempo 0.4");
    stage.press(KeyCode::Enter);
    let status = last_lines(&mut stage, 1).remove(0);
    assert!(
        status.contains("mode ask")
            && status.contains("✗ there is no setting tempo")
            && status.ends_with('…'),
        "{status}"
    );
}

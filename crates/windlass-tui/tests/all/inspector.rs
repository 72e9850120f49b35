//! The inspector: everything that is on record of a run.

use crossterm::event::KeyCode;
use windlass_core::protocol::event::{DurableEvent, Event, WarningCode};
use windlass_core::protocol::message::Part;
use windlass_core::protocol::tool::ToolOutput;
use windlass_tui::effect::AppEffect;

use crate::long::{self, Records};
use crate::stage::{Stage, assert_frame};

fn inspecting(name: &str) -> Stage {
    let mut stage = Stage::new(100, 60);
    stage.follow(name);
    stage.screen();
    stage.press_ctrl('t');
    stage
}

#[test]
fn a_run_is_shown_with_steps_questions_decisions_and_what_the_model_saw() {
    let mut stage = inspecting("approve_remember");
    stage.press(KeyCode::Left);
    let screen = stage.screen();
    for wanted in [
        "Run 2 of 3",
        "model: scripted/fixtures/scripts/approve_remember.script",
        "Read both.",
        "Step 1 · work · at 25 ms · took 225 ms · stopped to call tools",
        "✓ read_file · call_2, script_2",
        "allowed by the rule r1",
        "asked the user: MEDIUM risk, rule read_file(docs/b)",
        "allowed and remembered by you · after 25 ms · kept: read_file(docs/**)",
        "what the model saw",
        "\"ok\": true",
        "completed: the model answered after 550 ms",
    ] {
        assert!(screen.contains(wanted), "{wanted}\n{screen}");
    }
}

#[test]
fn notes_warnings_and_tries_are_shown_where_they_happened() {
    let mut stage = inspecting("model_recovers");
    let screen = stage.screen();
    assert!(screen.contains("! try 2 of") && screen.contains("Step 1 · work · at 25 ms · try"), "{screen}");
    let mut session = Records::default();
    session.begin("Hello");
    session.begin_step(1);
    session.end_step(1, vec![Part::text("Hi.")]);
    session.push(Event::Durable(DurableEvent::NoteAdded { text: "Stop repeating yourself.".into() }));
    session.push(Event::Durable(DurableEvent::WarningRaised {
        code: WarningCode::RepeatCall,
        message: "Again.".into(),
    }));
    let mut stage = Stage::new(100, 40);
    stage.open_records(session.list);
    stage.press_ctrl('t');
    let screen = stage.screen();
    assert!(screen.contains("! note to the model\n   Stop repeating yourself."), "{screen}");
    assert!(screen.contains("! warning REPEAT_CALL\n   Again."), "{screen}");
    assert!(screen.contains("1.2k in, 80 out"), "{screen}");
}

#[test]
fn it_opens_at_the_call_that_has_the_focus() {
    let mut stage = Stage::new(80, 20);
    stage.open_records(long::session(3).list);
    stage.screen();
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::Char('i'));
    let screen = stage.screen();
    assert!(screen.lines().nth(1).unwrap().starts_with(" ✓ read_file"), "{screen}");
    stage.press(KeyCode::Esc);
    assert!(stage.screen().contains(">✓ read_file"));
}

#[test]
fn it_scrolls_searches_and_goes_from_run_to_run() {
    let mut stage = Stage::new(80, 20);
    stage.open_records(long::session(3).list);
    stage.screen();
    stage.press_ctrl('t');
    assert!(stage.screen().contains("Run 3 of 3"));
    stage.press(KeyCode::Right);
    stage.press(KeyCode::Left);
    assert!(stage.screen().contains("Run 2 of 3"));
    stage.press(KeyCode::End);
    let end = stage.screen();
    assert!(end.contains("completed: the model answered"), "{end}");
    stage.press(KeyCode::PageDown);
    stage.press(KeyCode::Down);
    assert_eq!(stage.screen(), end);
    stage.press(KeyCode::Home);
    stage.type_text("/SEEN BY");
    stage.press(KeyCode::Enter);
    let found = stage.screen();
    assert!(found.contains("seen by the model"), "{found}");
    stage.type_text("/nowhere");
    stage.press(KeyCode::Enter);
    stage.screen();
    assert!(stage.screen().contains("not found: nowhere"));
}

#[test]
fn it_copies_the_run_as_markdown() {
    let mut stage = Stage::new(80, 20);
    let mut session = Records::default();
    session.begin("Fence?");
    session.begin_step(1);
    let call = long::call(1, "read_file", r#"{"path":"a.md"}"#);
    session.end_step(1, vec![Part::Call(call.clone())]);
    session.call(&call, Ok(ToolOutput::text("````\ncode\n````")));
    stage.open_records(session.list);
    stage.screen();
    stage.press_ctrl('t');
    stage.take_effects();
    stage.press(KeyCode::Char('y'));
    let effects = stage.take_effects();
    let [AppEffect::Copy(text)] = effects.as_slice() else { panic!("{effects:?}") };
    assert!(text.contains("## You\n\nFence?") && text.contains("`````\n````\ncode\n````\n`````"), "{text}");
}

#[test]
fn a_run_that_goes_on_is_inspected_as_it_goes_on() {
    let mut stage = Stage::new(80, 30);
    let mut session = Records::default();
    session.begin("Go.");
    stage.open_records(session.list.clone());
    stage.screen();
    stage.press_ctrl('t');
    assert!(stage.screen().contains("still running"));
    stage.deliver(session.begin_step(1));
    stage.deliver(session.end_step(1, vec![Part::text("Done.")]));
    assert!(stage.screen().contains("Done."));
    stage.deliver(session.end("Done."));
    assert!(stage.screen().contains("completed: the model answered"));
}

#[test]
fn a_question_that_waits_behind_it_is_told() {
    let mut stage = inspecting("asking");
    assert!(stage.screen().contains("A question waits for you"));
    stage.press(KeyCode::Esc);
    assert!(stage.screen().contains("[1]"));
}

#[test]
fn the_inspector_looks_as_it_did() {
    for (columns, rows) in [(100, 50), (60, 20), (30, 10)] {
        let mut stage = Stage::new(columns, rows);
        stage.follow("approve_remember");
        stage.screen();
        stage.press_ctrl('t');
        assert_frame(&format!("transcript-inspector.{columns}x{rows}"), &stage.screen());
    }
}

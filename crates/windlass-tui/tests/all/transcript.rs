//! The transcript: what each thing looks like, what can be unfolded, and that the eye keeps its place.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::style::Modifier;
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::Part;
use windlass_core::protocol::tool::{Link, ToolFailure, ToolOutput};
use windlass_tui::effect::AppEffect;
use windlass_tui::input::AppInput;
use windlass_tui::state::Focus;
use windlass_tui::state::transcript::ScrollPosition;

use crate::long::{self, Records};
use crate::stage::{Stage, assert_frame, records, session_names, text_of};

/// Lines of the screen that have something on them, without the scroll bar.
fn lines(stage: &mut Stage) -> Vec<String> {
    let screen = stage.screen();
    let bare = screen.lines().map(|line| line.trim_end_matches(['█', '│']).trim());
    bare.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn following(name: &str) -> Stage {
    let mut stage = Stage::new(100, 40);
    stage.follow(name);
    stage
}

fn has_line(stage: &mut Stage, wanted: &str) {
    let lines = lines(stage);
    assert!(lines.iter().any(|line| line.starts_with(wanted)), "{wanted}\n{}", lines.join("\n"));
}

#[test]
fn s_34_things_stand_in_the_order_in_which_they_happened() {
    let lines = lines(&mut following("search_links"));
    let wanted = [
        "› What is a windlass?",
        "▸ Thought for 0.1 s",
        "Let me search.",
        "✓ web_search windlass · 50 ms · 2 sources",
        "✓ web_search windlass pawl · 50 ms · 1 source",
        "▸ Thought for 0.1 s",
        "It hauls a load, and a pawl",
        "1.1 s · 2 steps · 2 calls · 900 in, 60 out · $0.0031 ·",
    ];
    for (line, wanted) in lines.iter().zip(wanted) {
        assert!(line.starts_with(wanted), "{line}");
    }
}

#[test]
fn s_32_thinking_spins_while_it_goes_on_and_then_says_how_long_it_took() {
    let mut stage = following("thinking");
    has_line(&mut stage, "⠋ Thinking 0.9 s");
    stage.wait(2_300);
    has_line(&mut stage, "⠸ Thinking 3.2 s");
    has_line(&mut following("reasoning"), "▸ Thought for 0.2 s");
    // Whoever reads it afterwards has no times.
    let mut read = Stage::new(100, 40);
    read.open("reasoning");
    assert!(lines(&mut read).contains(&"▸ Thought".to_owned()));
}

#[test]
fn all_thinking_is_unfolded_and_folded_with_one_key_and_each_block_with_its_own() {
    let mut stage = following("reasoning");
    assert!(!stage.screen().contains("I should look."));
    stage.press_ctrl('o');
    let screen = stage.screen();
    assert!(
        screen.contains("▾ Thought") && screen.contains("I should look.") && screen.contains("That is all.")
    );
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::Enter);
    let screen = stage.screen();
    assert!(screen.contains("I should look.") && !screen.contains("That is all."), "{screen}");
    stage.press_ctrl('o');
    assert!(!stage.screen().contains("I should look."));
}

#[test]
fn every_state_of_a_call_has_a_sign_of_its_own() {
    has_line(&mut following("calling"), "○ read_file a · requested");
    has_line(&mut following("asking"), "? read_file docs/a · waits for you");
    has_line(&mut following("running"), "⠧ execute_command make · 1.0 s");
    has_line(&mut following("running"), "compiling");
    has_line(&mut following("parallel_reads"), "✓ read_file a · 75 ms · first");
    has_line(&mut following("ploke_failure_note"), "✗ read_file a · failed · 25 ms");
    has_line(&mut following("ploke_failure_note"), "disk on fire");
    has_line(&mut following("denied"), "⊘ read_file diary.txt · denied");
    has_line(&mut following("cancel_while_running"), "■ read_file b · cancelled");
    has_line(&mut following("resumed"), "! write_file b · interrupted");
    has_line(
        &mut following("staged_edit"),
        "± write_file notes/a.txt · staged · +1 -0 · awaits your approval",
    );
    has_line(&mut following("search_quota"), "✓ web_search Q1 · 0 ms · cached · 0 sources");
}

#[test]
fn r_30_a_hidden_call_is_not_in_the_transcript_but_in_the_inspector() {
    let mut stage = following("hidden_tools");
    assert!(!stage.screen().contains("calculate"));
    stage.press_ctrl('t');
    let screen = stage.screen();
    assert!(screen.contains("calculate") && screen.contains("hidden"), "{screen}");
}

#[test]
fn s_30_warnings_adjustments_errors_and_ends_are_told_once() {
    for (name, wanted) in [
        ("adjusted", "! EMULATED: The provider cannot be told to call a tool"),
        ("adjusted", "· trimmed: Two old messages were left out"),
        ("two_runs", "! MAX_STEPS: Reached the limit of 2 steps"),
        ("two_runs", "! limit reached: too many steps"),
        ("cancel_while_running", "■ cancelled"),
        ("model_fails_for_good", "✗ The key was refused; check OPENAI_API_KEY"),
        ("model_fails_for_good", "✗ failed: the model failed"),
    ] {
        let lines = lines(&mut following(name));
        assert_eq!(lines.iter().filter(|line| line.starts_with(wanted)).count(), 1, "{name}: {wanted}");
    }
}

#[test]
fn a_wait_for_the_next_try_counts_down() {
    let mut stage = Stage::new(100, 40);
    let mut session = Records::default();
    session.begin("Hello");
    session.begin_step(1);
    session.push(Event::Durable(DurableEvent::StepDelayed {
        step: 1,
        attempt: 2,
        attempts_max: 5,
        delay_ms: 3_000,
        code: "rate_limit".into(),
        message: "rate limited".into(),
        usage: None,
    }));
    stage.open_records(session.list);
    assert!(stage.screen().contains(" retry 2 of 5 in about 2 s: rate limited"), "{}", stage.screen());
    stage.wait(5_000);
    assert!(stage.screen().contains(" retry 2 of 5 now: rate limited"));
}

/// S-32: between tools and the next word nothing is silent.
#[test]
fn what_a_run_waits_for_is_said() {
    let mut stage = Stage::new(100, 40);
    let mut session = Records::default();
    session.begin("Hello");
    session.begin_step(1);
    stage.open_records(session.list.clone());
    assert!(stage.screen().contains("Waiting for the model 1.0 s"));
    stage.deliver(session.push(Event::Delta(DeltaEvent::CallDelta {
        index: 0,
        name: Some("write_file".into()),
        chars: 812,
    })));
    assert!(stage.screen().contains("Writing a call write_file · 812 characters"));
    stage.deliver(session.push(Event::Delta(DeltaEvent::TextDelta { text: "So".into() })));
    let screen = stage.screen();
    assert!(!screen.contains("Waiting") && !screen.contains("Writing"), "{screen}");
}

#[test]
fn a_message_is_seen_while_it_is_sent_and_while_it_waits() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("hello there");
    stage.press(KeyCode::Enter);
    assert_eq!(lines(&mut stage)[..2], ["› hello there", "⠋ Sending 0.0 s"]);
    stage.type_text("and more");
    stage.press(KeyCode::Enter);
    let screen = stage.screen();
    assert!(screen.contains(" › and more\n   queued"), "{screen}");
}

#[test]
fn a_call_is_unfolded_to_arguments_outcome_and_who_allowed_it() {
    let mut stage = following("search_links");
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::BackTab);
    assert_eq!(stage.state.focus, Focus::Transcript);
    stage.press(KeyCode::Char(' '));
    let screen = stage.screen();
    for wanted in [
        ">✓ web_search windlass pawl",
        "arguments",
        "\"query\": \"windlass pawl\"",
        "outcome: ok · 50 ms · 93 B · allowed by the approval mode",
        "1 source",
        "Windlass https://example.com/windlass#pawl",
        "A pawl holds it.",
    ] {
        assert!(screen.contains(wanted), "{wanted}\n{screen}");
    }
    stage.press(KeyCode::Enter);
    assert!(!stage.screen().contains("arguments"));
}

#[test]
fn arguments_are_shown_whole_and_long_outcomes_are_cut() {
    let mut session = Records::default();
    session.begin("Write it.");
    session.begin_step(1);
    let lines: Vec<String> = (0..900).map(|number| format!("line {number}")).collect();
    let call = long::call(1, "write_file", &serde_json::json!({"path": "a", "lines": lines}).to_string());
    session.end_step(1, vec![Part::Call(call.clone())]);
    session.call(&call, Ok(ToolOutput::text(lines.join("\n"))));
    let mut stage = Stage::new(80, 2_000);
    stage.open_records(session.list);
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::Enter);
    let screen = stage.screen();
    assert!(screen.contains("\"line 899\""));
    assert!(screen.contains("… of 900 lines; y copies all of it") && !screen.contains("     line 200\n"));
}

#[test]
fn an_edit_is_unfolded_to_its_diff() {
    let mut session = Records::default();
    session.begin("Change it.");
    session.begin_step(1);
    let call = long::call(1, "edit_file", r#"{"path":"a.rs","edits":[]}"#);
    session.end_step(1, vec![Part::Call(call.clone())]);
    let diff = "--- a.rs\n+++ a.rs\n@@ -1 +1 @@\n-let a = 1;\n+let a = 2;\n";
    let output = ToolOutput::json(serde_json::json!({"path": "a.rs", "diff": diff}));
    session.call(&call, Ok(output.with_text(format!("Edited a.rs\n{diff}"))));
    let mut stage = Stage::new(100, 40);
    stage.open_records(session.list);
    has_line(&mut stage, "✓ edit_file a.rs · 0 ms · +1 -1");
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::Enter);
    let screen = stage.screen();
    assert!(screen.contains("Edited a.rs") && screen.contains("let a = 2;"), "{screen}");
}

#[test]
fn the_focus_goes_up_and_down_and_back_to_the_message() {
    let mut stage = following("search_links");
    let focused = |stage: &mut Stage| {
        let screen = stage.screen();
        screen.lines().find_map(|line| line.strip_prefix('>').map(str::to_owned))
    };
    stage.press(KeyCode::Tab);
    assert!(focused(&mut stage).unwrap().starts_with("▸ Thought"));
    stage.press(KeyCode::Up);
    assert!(focused(&mut stage).unwrap().starts_with("✓ web_search windlass pawl"));
    stage.press(KeyCode::Char('k'));
    assert!(focused(&mut stage).unwrap().starts_with("✓ web_search windlass ·"));
    stage.press(KeyCode::Char('j'));
    stage.press(KeyCode::Down);
    stage.press(KeyCode::Tab);
    assert_eq!((focused(&mut stage), stage.state.focus), (None, Focus::Composer));
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::Char('w'));
    assert_eq!((stage.state.composer.text().as_str(), stage.state.focus), ("w", Focus::Composer));
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::Esc);
    assert_eq!(stage.state.focus, Focus::Composer);
    assert!(!stage.take_effects().iter().any(|effect| matches!(effect, AppEffect::Cancel(_))));
}

/// State never by colour alone: the line has a mark, and is turned round.
#[test]
fn the_line_with_the_focus_is_marked() {
    let mut stage = following("reasoning");
    stage.press(KeyCode::Tab);
    let buffer = stage.draw();
    let row = text_of(&buffer).lines().position(|line| line.starts_with('>')).unwrap() as u16;
    assert!(buffer[(3, row)].modifier.contains(Modifier::REVERSED));
    assert!(!buffer[(3, row - 1)].modifier.contains(Modifier::REVERSED));
}

#[test]
fn the_thing_with_the_focus_is_copied_whole() {
    let mut stage = following("running");
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::Up);
    stage.take_effects();
    stage.press(KeyCode::Char('y'));
    let copied = AppEffect::Copy(
        "add_task {\n  \"content\": \"Test\"\n}\n\n{\n  \"task_id\": \"task_2\"\n}".to_owned(),
    );
    assert_eq!(stage.take_effects(), [copied]);
}

fn click(stage: &mut Stage, needle: &str) {
    let screen = stage.screen();
    let row = screen.lines().position(|line| line.contains(needle)).unwrap() as u16;
    let kind = MouseEventKind::Down(MouseButton::Left);
    stage.put(AppInput::Mouse(MouseEvent { kind, column: 4, row, modifiers: KeyModifiers::NONE }));
}

#[test]
fn a_click_on_a_line_that_can_be_folded_folds_it() {
    let mut stage = following("parallel_reads");
    click(&mut stage, "read_file a");
    assert!(stage.screen().contains("\"path\": \"a\""));
    click(&mut stage, "They differ.");
    click(&mut stage, "\"path\": \"a\"");
    assert!(stage.screen().contains("\"path\": \"a\""));
    click(&mut stage, "read_file a");
    assert!(!stage.screen().contains("\"path\": \"a\""));
}

/// The middle of the screen, where nothing of the message or the hint is.
fn upper(screen: &str, rows: usize) -> String {
    let bare = screen.lines().take(rows).map(|line| line.trim_end_matches(['█', '│']).trim_end());
    bare.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_one_reads_stays_in_place_while_the_end_grows() {
    let mut stage = Stage::new(80, 24);
    let mut session = long::session(20);
    stage.open_records(session.list.clone());
    stage.screen();
    stage.press(KeyCode::PageUp);
    stage.press(KeyCode::PageUp);
    let before = upper(&stage.screen(), 18);
    session.begin("And now?");
    for record in session.list.last().cloned().into_iter().chain([session.begin_step(1)]) {
        stage.deliver(record);
    }
    for number in 0..200 {
        stage.deliver(
            session.push(Event::Delta(DeltaEvent::TextDelta { text: format!("word {number}\n\n") })),
        );
        assert_eq!(upper(&stage.screen(), 18), before);
    }
    let screen = stage.screen();
    assert!(screen.contains("new lines · End"), "{screen}");
    let counted: usize =
        screen.split_once('↓').unwrap().1.split_whitespace().next().unwrap().parse().unwrap();
    assert!((400..=404).contains(&counted), "{counted}");
    stage.press(KeyCode::End);
    let screen = stage.screen();
    assert!(screen.contains("word 199") && !screen.contains("· End"));
    stage.deliver(session.push(Event::Delta(DeltaEvent::TextDelta { text: "and on".into() })));
    assert!(stage.screen().contains("and on"));
}

#[test]
fn scrolling_goes_from_end_to_start_and_back_and_never_beyond() {
    let mut stage = Stage::new(80, 24);
    stage.open_records(long::session(30).list);
    let end = stage.screen();
    assert!(end.contains("That is all of answer 30."), "{end}");
    for _ in 0..100 {
        stage.press(KeyCode::PageUp);
        stage.screen();
    }
    let start = stage.screen();
    assert!(start.contains("› Question 1\n") || start.contains("› Question 1 "), "{start}");
    // What was asked for above the first line is not owed on the way down.
    stage.press(KeyCode::PageDown);
    assert_ne!(stage.screen(), start);
    for _ in 0..100 {
        stage.press(KeyCode::PageDown);
    }
    assert_eq!((stage.screen(), stage.state.transcript.place), (end.clone(), ScrollPosition::End));
    stage.press(KeyCode::Home);
    assert_eq!(stage.screen(), start);
    stage.type_text("x");
    assert!(stage.screen().contains("↓ Ctrl-End"));
    let key = KeyEvent::new(KeyCode::End, KeyModifiers::CONTROL);
    stage.put(AppInput::Key(key));
    stage.press(KeyCode::Backspace);
    assert_eq!(stage.screen(), end);
}

#[test]
fn the_wheel_scrolls_by_three_lines() {
    let mut stage = Stage::new(80, 24);
    stage.open_records(long::session(30).list);
    let wheel = |kind| AppInput::Mouse(MouseEvent { kind, column: 4, row: 4, modifiers: KeyModifiers::NONE });
    let end = stage.screen();
    stage.put(wheel(MouseEventKind::ScrollUp));
    let up = stage.screen();
    let tail = |screen: &str, skipped: usize| {
        upper(screen, 15 + skipped).lines().skip(skipped).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(tail(&up, 3), tail(&end, 0));
    stage.put(wheel(MouseEventKind::ScrollDown));
    assert_eq!(stage.screen(), end);
}

#[test]
fn another_width_keeps_about_the_same_place() {
    let mut stage = Stage::new(100, 24);
    let mut session = Records::default();
    session.begin("Long?");
    session.begin_step(1);
    let text: Vec<String> = (0..2_000).map(|number| format!("word{number:04}")).collect();
    session.end_step(1, vec![Part::text(text.join(" "))]);
    stage.open_records(session.list);
    stage.screen();
    (0..4).for_each(|_| stage.press(KeyCode::PageUp));
    let first_word = |screen: &str| -> usize {
        let line = screen.lines().next().unwrap().trim().to_owned();
        line.split_whitespace().next().unwrap().strip_prefix("word").unwrap().parse().unwrap()
    };
    let before = first_word(&stage.screen());
    stage.resize(50, 24);
    let after = first_word(&stage.screen());
    assert!(before.abs_diff(after) < 40, "{before} {after}");
}

/// Of a session of 5,000 messages only what the screen shows is laid out.
#[test]
fn a_long_session_is_laid_out_where_one_looks() {
    let mut stage = Stage::new(120, 40);
    stage.open_records(long::session(2_500).list);
    stage.screen();
    assert!(stage.lines_kept() < 100, "{}", stage.lines_kept());
    stage.press(KeyCode::Home);
    assert!(stage.screen().contains("› Question 1\n") || stage.screen().contains("› Question 1 "));
    assert!(stage.lines_kept() < 200, "{}", stage.lines_kept());
    for _ in 0..1_000 {
        stage.press(KeyCode::PageDown);
        stage.screen();
    }
    assert!(stage.lines_kept() <= 30_100, "{}", stage.lines_kept());
}

#[test]
fn what_is_unfolded_at_the_end_keeps_its_head_on_the_screen() {
    let mut stage = Stage::new(80, 16);
    stage.open_records(long::session(5).list);
    stage.screen();
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::Enter);
    let screen = stage.screen();
    assert!(screen.contains(">✓ read_file src/lib.rs") && screen.contains("arguments"), "{screen}");
    stage.press(KeyCode::PageDown);
    stage.screen();
    stage.press(KeyCode::Enter);
    assert!(stage.screen().contains(">✓ read_file src/lib.rs"));
}

/// What models, tools and users say cannot speak to the terminal, wherever it is shown.
#[test]
fn hostile_text_is_harmless_everywhere() {
    let bad = "a\u{1b}[31mb\u{7}\u{9b}2J\u{202e}c\r";
    let mut session = Records::default();
    session.begin(bad);
    session.begin_step(1);
    let call = long::call(1, bad, &serde_json::json!({"path": bad}).to_string());
    session.end_step(1, vec![Part::text(bad), Part::Call(call.clone())]);
    let link = Link { title: bad.into(), url: bad.into(), snippet: bad.into() };
    session.call(&call, Ok(ToolOutput { links: vec![link], ..ToolOutput::text(bad) }));
    let failing = long::call(2, "read_file", bad);
    session.push(Event::Delta(DeltaEvent::CallProgressed { call_id: CallId::numbered(1), line: bad.into() }));
    session.call(&failing, Err(ToolFailure::not_found(bad).at(bad, bad, bad).hint(bad)));
    let mut stage = Stage::new(100, 60);
    stage.open_records(session.list);
    for keys in [&[][..], &['\t', ' ', 'k', ' '], &['i']] {
        for key in keys {
            stage.press(if *key == '\t' { KeyCode::Tab } else { KeyCode::Char(*key) });
        }
        let buffer = stage.draw();
        for cell in &buffer.content {
            assert!(!cell.symbol().contains(|sign: char| sign.is_control() || sign == '\u{202e}'));
        }
        assert!(text_of(&buffer).contains(r"\u{1b}"));
    }
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn act(&mut self, stage: &mut Stage) {
        match self.below(16) {
            0 => stage.press(KeyCode::PageUp),
            1 => stage.press(KeyCode::PageDown),
            2 => stage.press(KeyCode::Home),
            3 => stage.press(KeyCode::End),
            4 => stage.press_ctrl('o'),
            5 | 6 => stage.press(KeyCode::Tab),
            7 => stage.press(KeyCode::Up),
            8 | 9 if stage.state.focus == Focus::Transcript => stage.press(KeyCode::Enter),
            10 => {
                let (columns, rows) = (1 + self.below(120), 1 + self.below(40));
                stage.resize(columns as u16, rows as u16);
            }
            11 => stage.wait(150),
            12 => stage.press_ctrl('t'),
            13 => stage.press(KeyCode::Right),
            _ => {}
        }
    }
}

/// Whatever happened in between, what is kept of earlier frames shows exactly what a first frame would.
#[test]
fn a_frame_made_of_what_was_kept_is_the_one_made_anew() {
    for (at, name) in session_names().iter().enumerate() {
        for seed in 0..6 {
            let mut dice = Dice(at as u64 * 100 + seed);
            let mut stage = Stage::new(70, 20);
            stage.open_records(Vec::new());
            for record in records(name) {
                stage.deliver(record);
                dice.act(&mut stage);
                let anew = stage.draw_anew();
                assert_eq!(stage.draw(), anew, "{name}, seed {seed}");
            }
        }
    }
}

/// From 1x1 on, whatever is shown.
#[test]
fn no_size_is_too_small() {
    for name in session_names() {
        for columns in [1, 2, 3, 5, 8, 13, 21, 30, 51, 60, 200] {
            for rows in [1, 2, 3, 4, 6, 10, 50] {
                let mut stage = Stage::new(columns, rows);
                stage.follow(&name);
                stage.draw();
                stage.press_ctrl('o');
                stage.press(KeyCode::Tab);
                stage.draw();
                if stage.state.focus == Focus::Transcript {
                    stage.press(KeyCode::Enter);
                }
                stage.draw();
                stage.press(KeyCode::PageUp);
                stage.draw();
                stage.press_ctrl('t');
                stage.draw();
            }
        }
    }
}

#[test]
fn the_transcript_looks_as_it_did() {
    let mut stage = Stage::new(100, 40);
    stage.follow("search_links");
    stage.press_ctrl('o');
    stage.press(KeyCode::Tab);
    stage.press(KeyCode::Up);
    stage.press(KeyCode::Enter);
    assert_frame("transcript-unfolded.100x40", &stage.screen());
    for (columns, rows) in [(200, 50), (80, 24), (60, 20), (30, 10)] {
        let mut stage = Stage::new(columns, rows);
        stage.open_records(long::session(8).list);
        stage.screen();
        stage.press(KeyCode::PageUp);
        assert_frame(&format!("transcript-scrolled.{columns}x{rows}"), &stage.screen());
    }
}

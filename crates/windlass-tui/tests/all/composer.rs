//! The message: editing, history, pastes, what waits, and where the cursor is.

mod completion;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use windlass_tui::effect::AppEffect;
use windlass_tui::input::{AppInput, HostReply};
use windlass_tui::view::{self, Cache};

use crate::stage::{Stage, assert_frame};

fn press(stage: &mut Stage, code: KeyCode, modifiers: KeyModifiers) {
    stage.put(AppInput::Key(KeyEvent::new(code, modifiers)));
}

fn press_alt(stage: &mut Stage, sign: char) {
    press(stage, KeyCode::Char(sign), KeyModifiers::ALT);
}

fn paste(stage: &mut Stage, text: &str) {
    stage.put(AppInput::Paste(text.to_owned()));
}

fn send(stage: &mut Stage, text: &str) {
    stage.type_text(text);
    stage.press(KeyCode::Enter);
    stage.state.sending = None;
}

fn text(stage: &Stage) -> String {
    stage.state.composer.text()
}

fn sent(stage: &mut Stage) -> Vec<String> {
    let effects = stage.take_effects().into_iter();
    let texts = effects.filter_map(|effect| match effect {
        AppEffect::Send(sending) => Some(sending.text),
        _ => None,
    });
    texts.collect()
}

/// The cursor of the terminal, if it is shown.
fn cursor(stage: &Stage) -> Option<(u16, u16)> {
    let (columns, rows) = stage.state.size;
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| view::draw(frame, &stage.state, &mut Cache::default())).unwrap();
    let backend = terminal.backend();
    backend.cursor_visible().then(|| (backend.cursor_position().x, backend.cursor_position().y))
}

/// What is under the cursor and before it on its row.
fn before_cursor(stage: &mut Stage) -> String {
    let (x, y) = cursor(stage).unwrap();
    let buffer = stage.draw();
    let mut line = String::new();
    let mut at = 0;
    while at < x {
        let symbol = buffer[(at, y)].symbol();
        line.push_str(symbol);
        at += u16::try_from(windlass_tui::text::width(symbol).max(1)).unwrap();
    }
    assert_eq!(at, x, "the cursor is between signs");
    line
}

fn lines(count: usize) -> String {
    (1..=count).map(|line| format!("line {line}\n")).collect()
}

fn with_paths(stage: &mut Stage) {
    let paths = ["README.md", "docs/a guide.md", "src/main.rs", "src/state/composer.rs", "src/state/mod.rs"];
    stage.put(AppInput::Reply(HostReply::Paths(paths.map(str::to_owned).to_vec())));
}

/// The message and what lies over it, without what is around them.
fn low(stage: &mut Stage) -> String {
    let screen = stage.screen();
    let rows = usize::from(stage.state.size.1) - 2;
    let lines: Vec<&str> = screen.lines().take(rows).collect();
    let first = lines.iter().position(|line| line.starts_with('─')).unwrap();
    lines[first..].iter().map(|line| format!("{line}\n")).collect()
}

// Editing.

#[test]
fn enter_sends_and_four_other_ways_write_a_line() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("a");
    press(&mut stage, KeyCode::Enter, KeyModifiers::ALT);
    stage.type_text("b");
    press(&mut stage, KeyCode::Enter, KeyModifiers::SHIFT);
    stage.type_text("c");
    stage.press_ctrl('j');
    stage.type_text("d\\");
    stage.press(KeyCode::Enter);
    stage.type_text("e");
    assert_eq!(text(&stage), "a\nb\nc\nd\ne");
    assert_eq!(sent(&mut stage), Vec::<String>::new());
    stage.press(KeyCode::Enter);
    assert_eq!(sent(&mut stage), ["a\nb\nc\nd\ne"]);
}

#[test]
fn a_backslash_inside_a_line_writes_none() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("C:\\dir");
    stage.press(KeyCode::Enter);
    assert_eq!(sent(&mut stage), ["C:\\dir"]);
}

#[test]
fn blank_messages_are_not_sent() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("  ");
    stage.press_ctrl('j');
    stage.press(KeyCode::Enter);
    assert!(stage.take_effects().is_empty());
}

#[test]
fn the_keys_of_shells_do_what_they_do_there() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("one two three");
    stage.press_ctrl('w');
    assert_eq!(text(&stage), "one two ");
    stage.press_ctrl('y');
    assert_eq!(text(&stage), "one two three");
    stage.press_ctrl('a');
    press_alt(&mut stage, 'd');
    assert_eq!(text(&stage), " two three");
    stage.press_ctrl('e');
    press_alt(&mut stage, 'b');
    stage.press_ctrl('k');
    assert_eq!(text(&stage), " two ");
    stage.press_ctrl('u');
    assert_eq!(text(&stage), "");
    stage.press_ctrl('y');
    assert_eq!(text(&stage), " two ");
    stage.press(KeyCode::Home);
    press_alt(&mut stage, 'f');
    stage.type_text("x");
    assert_eq!(text(&stage), " xtwo ");
}

#[test]
fn what_was_done_is_undone_and_done_again() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("abc");
    stage.press_ctrl('u');
    stage.press_ctrl('z');
    assert_eq!(text(&stage), "abc");
    stage.press_ctrl('z');
    assert_eq!(text(&stage), "ab");
    press_alt(&mut stage, 'z');
    assert_eq!(text(&stage), "abc");
}

#[test]
fn what_was_cut_survives_sending_and_deleting() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("keep me");
    stage.press_ctrl('u');
    stage.type_text("xy");
    stage.press(KeyCode::Backspace);
    stage.press(KeyCode::Enter);
    stage.press_ctrl('y');
    assert_eq!(text(&stage), "keep me");
}

#[test]
fn a_sign_of_several_characters_is_one_for_the_keys() {
    let mut stage = Stage::new(80, 24);
    paste(&mut stage, "a👩\u{200d}👧e\u{301}");
    stage.press(KeyCode::Backspace);
    assert_eq!(text(&stage), "a👩\u{200d}👧");
    stage.press(KeyCode::Left);
    stage.press(KeyCode::Delete);
    assert_eq!(text(&stage), "a");
}

#[test]
fn up_and_down_keep_to_their_column_over_wrapped_and_short_rows() {
    let mut stage = Stage::new(60, 24);
    stage.type_text(&"word ".repeat(20));
    stage.press_ctrl('j');
    stage.type_text("ab");
    stage.press_ctrl('j');
    stage.type_text("abcdefghij");
    let bottom = cursor(&stage).unwrap();
    stage.press(KeyCode::Up);
    assert_eq!(cursor(&stage), Some((2 + 2, bottom.1 - 1)));
    stage.press(KeyCode::Up);
    assert_eq!(cursor(&stage), Some((2 + 10, bottom.1 - 2)), "the second row of the wrapped line");
    stage.press(KeyCode::Up);
    assert_eq!(cursor(&stage), Some((2 + 10, bottom.1 - 3)));
    (0..3).for_each(|_| stage.press(KeyCode::Down));
    assert_eq!(cursor(&stage), Some(bottom));
}

#[test]
fn ctrl_d_deletes_and_leaves_only_when_nothing_is_written() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("ab");
    stage.press(KeyCode::Home);
    stage.press_ctrl('d');
    assert_eq!(text(&stage), "b");
    stage.press_ctrl('d');
    assert!(!stage.state.is_over);
    stage.press_ctrl('d');
    assert!(stage.state.is_over);
}

// The screen.

#[test]
fn an_empty_message_says_what_can_be_done_and_has_the_cursor() {
    for (columns, rows) in [(100, 30), (60, 20), (30, 10)] {
        let mut stage = Stage::new(columns, rows);
        let screen = stage.screen();
        assert!(screen.contains("› Ask anything"), "{screen}");
        let (x, _) = cursor(&stage).unwrap();
        assert_eq!(x, 2);
        assert_eq!(before_cursor(&mut stage), "› ");
    }
}

#[test]
fn the_cursor_is_where_the_next_sign_goes_also_at_60_columns_and_after_wide_signs() {
    let mut stage = Stage::new(60, 20);
    for sign in
        "日本語のテキスト mixed with words そして続く長い文章がここで折り返される、はずです ok".chars()
    {
        stage.type_text(&sign.to_string());
        let line = before_cursor(&mut stage);
        assert!(sign == ' ' || line.ends_with(sign), "{sign}: {line}");
    }
    assert!(stage.screen().lines().all(|line| windlass_tui::text::width(line) <= 60));
}

#[test]
fn a_cursor_behind_a_full_row_has_a_column_of_its_own() {
    let mut stage = Stage::new(60, 20);
    stage.type_text(&"x".repeat(57));
    let (x, y) = cursor(&stage).unwrap();
    assert_eq!(x, 59);
    stage.type_text("y");
    assert_eq!(cursor(&stage), Some((3, y)));
}

#[test]
fn the_message_grows_to_a_third_of_the_screen_and_then_scrolls() {
    let mut stage = Stage::new(80, 24);
    for line in 1..=30 {
        stage.type_text(&format!("line {line}"));
        if line < 30 {
            stage.press_ctrl('j');
        }
    }
    let screen = stage.screen();
    let shown: Vec<&str> = screen.lines().filter(|line| line.starts_with("  line ")).collect();
    assert_eq!(shown.len(), 8, "{screen}");
    assert_eq!(shown.last().unwrap().trim(), "line 30");
    assert_eq!(before_cursor(&mut stage), "  line 30");
    (0..4).for_each(|_| stage.press(KeyCode::Up));
    assert!(stage.screen().contains("line 30"), "the cursor moves before the text does");
    (0..10).for_each(|_| stage.press(KeyCode::Up));
    assert!(!stage.screen().contains("line 30"));
    assert_eq!(before_cursor(&mut stage), "  line 16");
}

#[test]
fn a_line_that_never_ends_is_drawn_and_edited() {
    for (columns, rows) in [(60, 20), (30, 10), (12, 5)] {
        let mut stage = Stage::new(columns, rows);
        paste(&mut stage, &"x".repeat(1_900));
        stage.screen();
        stage.press(KeyCode::Up);
        stage.press(KeyCode::Home);
        stage.type_text("y");
        stage.screen();
        assert!(text(&stage).starts_with('y'));
    }
}

#[test]
fn any_message_is_drawn_at_any_size() {
    let mut stage = Stage::new(80, 24);
    with_paths(&mut stage);
    paste(&mut stage, &lines(40));
    stage.type_text(" 日本語 \t ");
    stage.type_text("@s");
    stage.state.waiting.push_back("and this".to_owned());
    for columns in 1..50 {
        for rows in 1..14 {
            stage.put(AppInput::Resized { columns, rows });
            stage.screen();
        }
    }
    stage.put(AppInput::Resized { columns: 80, rows: 24 });
    stage.press(KeyCode::Esc);
    stage.press_ctrl('r');
    for columns in 1..50 {
        stage.put(AppInput::Resized { columns, rows: columns % 9 + 1 });
        stage.screen();
    }
}

#[test]
fn the_message_looks_as_it_did() {
    for (columns, rows) in [(100, 30), (60, 20)] {
        let size = format!("{columns}x{rows}");
        let mut stage = Stage::new(columns, rows);
        stage.follow("running");
        stage.type_text("first line of what is to be done next");
        stage.press_ctrl('j');
        paste(&mut stage, &lines(120));
        stage.type_text(" and what is around it");
        assert_frame(&format!("composer-run.{size}"), &low(&mut stage));
        stage.press(KeyCode::Enter);
        assert_frame(&format!("composer-queued.{size}"), &low(&mut stage));
        let mut stage = Stage::new(columns, rows);
        stage.type_text("/");
        assert_frame(&format!("composer-commands.{size}"), &low(&mut stage));
        stage.type_text("poli");
        stage.press(KeyCode::Tab);
        assert_frame(&format!("composer-arguments.{size}"), &low(&mut stage));
        let mut stage = Stage::new(columns, rows);
        with_paths(&mut stage);
        stage.type_text("look at @mod");
        assert_frame(&format!("composer-paths.{size}"), &low(&mut stage));
        let mut stage = Stage::new(columns, rows);
        send(&mut stage, "what does the build do?");
        stage.press_ctrl('r');
        stage.type_text("build");
        assert_frame(&format!("composer-history.{size}"), &low(&mut stage));
    }
}

// History.

#[test]
fn up_walks_through_what_was_sent_and_the_draft_comes_back() {
    let mut stage = Stage::new(80, 24);
    send(&mut stage, "first");
    send(&mut stage, "second");
    stage.type_text("my draft");
    stage.press(KeyCode::Up);
    assert_eq!(text(&stage), "second");
    stage.press(KeyCode::Up);
    assert_eq!(text(&stage), "first");
    stage.press(KeyCode::Up);
    assert_eq!(text(&stage), "first");
    stage.press(KeyCode::Down);
    stage.press(KeyCode::Down);
    assert_eq!(text(&stage), "my draft");
    stage.press(KeyCode::Down);
    assert_eq!(text(&stage), "my draft");
}

#[test]
fn what_was_changed_on_the_way_through_the_history_stays_until_something_is_sent() {
    let mut stage = Stage::new(80, 24);
    send(&mut stage, "first");
    send(&mut stage, "second");
    stage.press(KeyCode::Up);
    stage.type_text(" changed");
    stage.press(KeyCode::Up);
    stage.press(KeyCode::Down);
    assert_eq!(text(&stage), "second changed");
    stage.press(KeyCode::Enter);
    assert_eq!(sent(&mut stage).last().unwrap(), "second changed");
    stage.state.sending = None;
    stage.press(KeyCode::Up);
    stage.press(KeyCode::Up);
    assert_eq!(text(&stage), "second", "the entry itself is as it was sent");
}

#[test]
fn an_entry_of_several_lines_comes_back_whole_and_the_next_up_goes_on() {
    let mut stage = Stage::new(80, 24);
    send(&mut stage, "before");
    stage.type_text("one");
    stage.press_ctrl('j');
    send(&mut stage, "two");
    stage.press(KeyCode::Up);
    assert_eq!(text(&stage), "one\ntwo");
    stage.press(KeyCode::Up);
    assert_eq!(text(&stage), "before");
    stage.press(KeyCode::Down);
    stage.press(KeyCode::Left);
    stage.press(KeyCode::Up);
    assert_eq!(text(&stage), "one\ntwo", "after another key, Up is for the rows of the text first");
}

#[test]
fn the_same_message_twice_in_a_row_is_in_the_history_once() {
    let mut stage = Stage::new(80, 24);
    send(&mut stage, "again");
    send(&mut stage, "again");
    send(&mut stage, "other");
    send(&mut stage, "again");
    assert_eq!(stage.state.composer.history, ["again", "other", "again"]);
    let kept = stage.take_effects().iter().filter(|effect| matches!(effect, AppEffect::Remember(_))).count();
    assert_eq!(kept, 3);
}

#[test]
fn ctrl_r_finds_what_was_sent_and_sends_nothing() {
    let mut stage = Stage::new(80, 24);
    for message in ["fix the build", "run the tests", "Build it again", "thanks"] {
        send(&mut stage, message);
    }
    stage.take_effects();
    stage.type_text("draft");
    stage.press_ctrl('r');
    stage.type_text("build");
    assert!(stage.screen().contains("› Build it again"), "{}", stage.screen());
    stage.press_ctrl('r');
    let screen = stage.screen();
    assert!(screen.contains("› fix the build") && screen.contains("history: build"), "{screen}");
    stage.press(KeyCode::Esc);
    assert_eq!(text(&stage), "draft");
    stage.press_ctrl('r');
    stage.type_text("tests");
    stage.press(KeyCode::Enter);
    assert_eq!(text(&stage), "run the tests");
    assert!(stage.take_effects().is_empty());
    stage.press_ctrl('r');
    stage.type_text("nowhere");
    assert!(stage.screen().contains("not in the history: nowhere"));
}

// Pastes.

#[test]
fn a_short_paste_is_text_and_never_sends_itself() {
    let mut stage = Stage::new(80, 24);
    paste(&mut stage, "one\r\ntwo\u{1b}[31m\u{7}\r\n");
    assert_eq!(text(&stage), "one\ntwo\n");
    assert!(stage.take_effects().is_empty());
}

#[test]
fn long_pastes_stand_by_name_and_are_sent_whole() {
    let mut stage = Stage::new(80, 24);
    let (first, second) = (lines(120), "y".repeat(3_000));
    stage.type_text("compare ");
    paste(&mut stage, &first);
    stage.type_text(" with ");
    paste(&mut stage, &second);
    assert_eq!(text(&stage), "compare [pasted text 1: 120 lines] with [pasted text 2: 3000 characters]");
    stage.press(KeyCode::Home);
    stage.type_text("Please ");
    stage.press(KeyCode::Enter);
    assert_eq!(sent(&mut stage), [format!("Please compare {first} with {second}")]);
}

#[test]
fn deleting_the_name_drops_the_paste_and_changing_it_makes_it_a_text() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("a ");
    paste(&mut stage, &lines(30));
    stage.press(KeyCode::Backspace);
    assert_eq!(text(&stage), "a ", "one key takes the whole name");
    stage.press_ctrl('z');
    (0..3).for_each(|_| stage.press(KeyCode::Left));
    stage.press(KeyCode::Backspace);
    stage.press(KeyCode::Enter);
    assert_eq!(sent(&mut stage), ["a [pasted text 1: 30 lies]"]);
}

#[test]
fn a_long_message_comes_back_from_the_history_by_name() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("see ");
    paste(&mut stage, &lines(50));
    stage.type_text("!");
    stage.press(KeyCode::Enter);
    stage.state.sending = None;
    let first = sent(&mut stage);
    stage.press(KeyCode::Up);
    assert_eq!(text(&stage), "see [pasted text 1: 50 lines]!");
    stage.press(KeyCode::Enter);
    assert_eq!(sent(&mut stage), first);
}

#[test]
fn what_the_host_refused_is_in_the_message_again_by_name() {
    let mut stage = Stage::new(80, 24);
    paste(&mut stage, &lines(50));
    stage.press(KeyCode::Enter);
    let sending = stage.take_effects().into_iter().find_map(|effect| match effect {
        AppEffect::Send(sending) => Some(sending),
        _ => None,
    });
    let sending = sending.unwrap();
    let text_sent = sending.text.clone();
    stage.type_text("next");
    let wish = windlass_tui::input::RefusedWish::Send(sending);
    let error = windlass_core::ports::host::HostError::Closing;
    stage.put(AppInput::Reply(HostReply::Refused { wish, error }));
    assert!(text(&stage).ends_with("\n\nnext"));
    stage.press(KeyCode::Enter);
    assert_eq!(sent(&mut stage), [format!("{text_sent}\n\nnext")]);
}

// While a run goes on.

/// nothing that the message does waits for the tools.
#[test]
fn r_59_the_message_can_be_written_completed_and_queued_while_a_call_runs() {
    let mut stage = Stage::new(100, 30);
    stage.follow("running");
    stage.take_effects();
    assert!(stage.screen().contains("still running: Enter queues"));
    with_paths(&mut stage);
    stage.type_text("then read @READ");
    stage.press(KeyCode::Tab);
    paste(&mut stage, &lines(30));
    assert!(cursor(&stage).is_some());
    stage.press(KeyCode::Enter);
    assert_eq!(stage.state.waiting, [format!("then read @README.md {}", lines(30))]);
    assert!(sent(&mut stage).is_empty());
    let screen = stage.screen();
    assert!(screen.contains("queued · then read @README.md"), "{screen}");
    stage.type_text("second");
    stage.press(KeyCode::Enter);
    assert!(stage.screen().contains("2 messages wait"));
    stage.press(KeyCode::Up);
    assert_eq!(text(&stage), "second", "what waits can be taken back");
    stage.press_ctrl('u');
    stage.press(KeyCode::Up);
    assert_eq!(text(&stage), "then read @README.md [pasted text 1: 30 lines]");
    assert!(stage.state.waiting.is_empty());
}

/// commands are carried out at once, they do not queue.
#[test]
fn r_59_a_command_is_carried_out_while_a_call_runs() {
    let mut stage = Stage::new(100, 30);
    stage.follow("running");
    let was_shown = stage.state.transcript.shows_thinking;
    stage.type_text("/thinking");
    stage.press(KeyCode::Enter);
    assert_ne!(stage.state.transcript.shows_thinking, was_shown);
    assert!(stage.state.waiting.is_empty());
}

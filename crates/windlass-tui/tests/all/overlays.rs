//! Overlays: lists, texts and questions of the app itself, whatever is in them.

use crossterm::event::KeyCode;
use windlass_tui::state::overlay::{
    Action, Confirm, Deed, Overlay, Pager, Picker, PickerKind, PickerRow, StyledLine,
};
use windlass_tui::state::transcript::ScrollPosition;
use windlass_tui::theme::TextRole;

use crate::stage::{Stage, assert_frame};

static ACTIONS: [Action; 1] = [Action { key: 'd', name: "d", verb: "remove" }];

fn many_rows() -> Vec<PickerRow> {
    (0..100)
        .map(|n| {
            PickerRow::new(format!("row-{n}"), format!("row {n}"), format!("what is known of {n}"))
                .with_badge(if n % 2 == 0 { "even" } else { "odd" })
                .current(n == 3)
        })
        .collect()
}

fn with_picker(columns: u16, rows: u16) -> Stage {
    let mut stage = Stage::new(columns, rows);
    let picker = Picker::new(PickerKind::Tools, "Rows", many_rows()).with_words("open", "no rows");
    stage.state.overlay = Some(Overlay::Picker(picker));
    stage
}

fn chosen(stage: &Stage) -> String {
    match &stage.state.overlay {
        Some(Overlay::Picker(picker)) => picker.chosen_row().map(|row| row.label.clone()).unwrap_or_default(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_chosen_row_of_a_list_is_always_in_view() {
    let mut stage = with_picker(60, 14);
    assert_frame("overlays-picker.60x14", &stage.screen());
    for (key, row) in [
        (KeyCode::Down, "row 4"),
        (KeyCode::End, "row 99"),
        (KeyCode::PageUp, "row 91"),
        (KeyCode::PageDown, "row 99"),
        (KeyCode::Up, "row 98"),
        (KeyCode::Home, "row 0"),
    ] {
        stage.press(key);
        assert_eq!(chosen(&stage), row, "{key:?}");
        assert!(
            stage.screen().contains(&format!("› {}{row}", if row == "row 3" { "● " } else { "  " })),
            "{row}"
        );
    }
}

#[test]
fn what_is_typed_filters_a_list_and_escape_takes_the_filter_away_first() {
    let mut stage = with_picker(80, 24);
    stage.type_text("42");
    assert_eq!(chosen(&stage), "row 42");
    assert!(stage.screen().contains("Rows · 1 of 100"));
    stage.type_text("x");
    assert!(stage.screen().contains("nothing fits '42x'"));
    stage.press(KeyCode::Esc);
    assert!(stage.screen().contains("Rows · 100"));
    stage.press(KeyCode::Esc);
    assert!(stage.state.overlay.is_none());
}

#[test]
fn a_list_with_keys_of_its_own_filters_after_a_slash() {
    let mut stage = with_picker(80, 24);
    if let Some(Overlay::Picker(picker)) = &mut stage.state.overlay {
        picker.actions = &ACTIONS;
    }
    stage.type_text("/71");
    assert_eq!(chosen(&stage), "row 71");
    stage.press(KeyCode::Backspace);
    stage.press(KeyCode::Backspace);
    stage.type_text("jj");
    assert_eq!(chosen(&stage), "row 2", "letters are keys again");
}

#[test]
fn the_wheel_moves_through_lists_and_texts_and_not_through_what_lies_behind() {
    let mut stage = with_picker(80, 24);
    stage.wheel(true);
    assert_eq!(chosen(&stage), "row 4");
    assert_eq!(stage.state.transcript.place, ScrollPosition::End);
}

#[test]
fn a_list_says_when_it_waits_and_when_it_is_empty_and_what_went_wrong() {
    let mut stage = Stage::new(60, 20);
    stage.state.overlay = Some(Overlay::Picker(Picker::loading(PickerKind::Sessions, "Sessions")));
    assert!(stage.screen().contains("… loading"));
    let mut picker =
        Picker::new(PickerKind::Sessions, "Sessions", Vec::new()).with_words("open", "no sessions yet");
    picker.problem = Some("the server is shutting down".into());
    stage.state.overlay = Some(Overlay::Picker(picker));
    assert!(stage.screen().contains("✗ the server is shutting down"));
    if let Some(Overlay::Picker(picker)) = &mut stage.state.overlay {
        picker.problem = None;
    }
    assert!(stage.screen().contains("no sessions yet"));
}

fn lines() -> Vec<StyledLine> {
    (1..=60)
        .map(|n| StyledLine::new(TextRole::Muted, &format!("{n} ")).and(TextRole::Text, "a line of text"))
        .collect()
}

#[test]
fn a_text_scrolls_and_is_searched() {
    let mut stage = Stage::new(60, 14);
    stage.state.overlay = Some(Overlay::Pager(Pager::new("A text", lines())));
    assert_frame("overlays-pager.60x14", &stage.screen());
    stage.press(KeyCode::End);
    assert!(stage.screen().contains("60 a line of text"));
    stage.press(KeyCode::Home);
    stage.type_text("/45 a");
    assert!(stage.screen().contains("45 a line"), "found while it is typed");
    assert!(stage.screen().contains("1 found"));
    stage.press(KeyCode::Enter);
    stage.press(KeyCode::Esc);
    assert!(!stage.screen().contains("found"));
    stage.press(KeyCode::Char('q'));
    assert!(stage.state.overlay.is_none());
}

#[test]
fn something_to_be_confirmed_is_not_confirmed_by_enter() {
    let mut stage = Stage::new(80, 24);
    let lines = StyledLine::all(TextRole::Text, "It has 12 runs and cannot be brought back.");
    let deed = Deed::RemoveRule("r1".into());
    stage.state.overlay = Some(Overlay::Confirm(Confirm::new("Delete this?", "delete", deed, lines)));
    assert!(stage.screen().contains("│ It has 12 runs and cannot be brought back."));
    assert!(stage.screen().contains("│ y delete  n leave it"));
    stage.press(KeyCode::Enter);
    assert!(stage.state.overlay.is_some());
    stage.press(KeyCode::Char('n'));
    assert!(stage.state.overlay.is_none());
    assert!(stage.take_effects().is_empty());
}

#[test]
fn overlays_can_be_drawn_at_any_size() {
    let texts =
        ["日本語の長い説明", "\u{1b}[31mred\u{7}", "", "word ".repeat(50).as_str()].map(str::to_owned);
    for columns in (1..=40).chain([60, 80, 100, 200]) {
        for rows in (1..=12).chain([24, 50]) {
            let mut stage = Stage::new(columns, rows);
            let row = |text: &String| {
                PickerRow::new(text.clone(), text.clone(), text.clone()).with_badge(text.clone())
            };
            let mut picker = Picker::new(PickerKind::Tools, "日本語", texts.iter().map(row).collect());
            picker.actions = &ACTIONS;
            let lines: Vec<StyledLine> =
                texts.iter().map(|text| StyledLine::new(TextRole::Text, text)).collect();
            let mut pager = Pager::new("A text", lines.clone());
            pager.search = Some("word".into());
            let confirm = Confirm::new("Sure?", "do", Deed::RemoveRule(String::new()), lines);
            for overlay in [Overlay::Picker(picker), Overlay::Pager(pager), Overlay::Confirm(confirm)] {
                stage.state.overlay = Some(overlay);
                let screen = stage.screen();
                assert!(!screen.contains('\u{1b}') && !screen.contains('\u{7}'));
                stage.press(KeyCode::End);
                stage.press(KeyCode::PageDown);
                stage.screen();
            }
        }
    }
}

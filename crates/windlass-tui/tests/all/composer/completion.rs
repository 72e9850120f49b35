//! What a word of the message can become: commands, their arguments, paths of the project; and the palette.

use crossterm::event::KeyCode;
use ratatui::style::Modifier;
use windlass_core::ports::host::ModelRow;
use windlass_tui::ThemeKind;
use windlass_tui::effect::AppEffect;
use windlass_tui::input::{AppInput, HostReply};
use windlass_tui::state::overlay::Overlay;

use super::{sent, text, with_paths};
use crate::stage::Stage;

fn popup_labels(stage: &Stage) -> Vec<String> {
    let popup = stage.state.composer.popup.as_ref();
    popup.map(|popup| popup.rows.iter().map(|row| row.label.clone()).collect()).unwrap_or_default()
}

fn model(name: &str, is_ready: bool) -> ModelRow {
    ModelRow {
        name: name.to_owned(),
        provider: String::new(),
        is_default: false,
        is_ready,
        context_tokens: None,
        has_tools: None,
        has_reasoning: None,
        source: None,
        price: None,
        doctor: None,
    }
}

#[test]
fn a_slash_lists_the_commands_and_letters_narrow_them() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("/");
    assert!(stage.screen().contains("/help"));
    stage.type_text("model");
    assert_eq!(popup_labels(&stage)[0], "/model");
    stage.press(KeyCode::Tab);
    assert_eq!(text(&stage), "/model ");
    assert!(stage.screen().contains("/model [NAME]"), "what may follow is shown: {}", stage.screen());
}

#[test]
fn enter_carries_out_the_command_that_is_chosen_unless_it_needs_more() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("/qui");
    stage.press(KeyCode::Enter);
    assert!(stage.state.is_over);
    let mut stage = Stage::new(80, 24);
    stage.type_text("/sear");
    stage.press(KeyCode::Enter);
    assert_eq!(text(&stage), "/search ");
    let mut stage = Stage::new(80, 24);
    stage.type_text("/q");
    stage.press(KeyCode::Enter);
    assert!(stage.state.is_over, "another word for it is as good");
}

#[test]
fn up_and_down_choose_and_escape_closes_until_another_word_begins() {
    let mut stage = Stage::new(80, 24);
    stage.follow("running");
    stage.take_effects();
    stage.type_text("/");
    stage.press(KeyCode::Down);
    stage.press(KeyCode::Up);
    stage.press(KeyCode::Up);
    let popup = stage.state.composer.popup.as_ref().unwrap();
    assert_eq!(popup.chosen, Some(popup.rows.len() - 1));
    assert!(stage.screen().contains("› /"), "{}", stage.screen());
    stage.press(KeyCode::Esc);
    stage.type_text("he");
    assert!(stage.state.composer.popup.is_none());
    assert!(stage.take_effects().is_empty(), "closing a list cancels no run");
    stage.press_ctrl('u');
    stage.type_text("/he");
    assert_eq!(popup_labels(&stage)[0], "/help");
    stage.press(KeyCode::Esc);
    stage.press(KeyCode::Tab);
    assert_eq!(popup_labels(&stage)[0], "/help", "Tab opens it again");
}

#[test]
fn a_wrong_command_stays_to_be_mended_and_a_path_is_a_message() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("/profle x");
    stage.press(KeyCode::Enter);
    assert_eq!(text(&stage), "/profle x");
    assert!(stage.screen().contains("did you mean /profile?"), "{}", stage.screen());
    assert!(stage.take_effects().is_empty());
    stage.press_ctrl('u');
    stage.type_text("/etc/hosts is empty");
    stage.press(KeyCode::Enter);
    assert_eq!(sent(&mut stage), ["/etc/hosts is empty"]);
}

#[test]
fn a_command_that_cannot_be_carried_out_says_why() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("/cancel");
    assert!(stage.screen().contains("no run is active"));
    stage.press(KeyCode::Enter);
    assert!(stage.take_effects().iter().all(|effect| matches!(effect, AppEffect::Remember(_))));
}

#[test]
fn arguments_are_offered_and_anything_else_may_be_typed() {
    let mut stage = Stage::new(100, 24);
    stage.state.about.models = vec![
        model("anthropic/claude-sonnet-4-5", true),
        model("openai/gpt-5", false),
        model("ollama/qwen3", true),
    ];
    stage.type_text("/model gpt");
    assert_eq!(popup_labels(&stage), ["openai/gpt-5"]);
    assert!(stage.screen().contains("not ready"));
    stage.press(KeyCode::Tab);
    assert_eq!(text(&stage), "/model openai/gpt-5 ");
    for (typed, offered) in
        [("/profile zo", "zodo"), ("/theme li", "light"), ("/policy al", "allow"), ("/help sess", "sessions")]
    {
        stage.press_ctrl('u');
        stage.type_text(typed);
        assert_eq!(popup_labels(&stage)[0], offered, "{typed}");
        assert_eq!(stage.state.composer.popup.as_ref().unwrap().chosen, None);
    }
    stage.press_ctrl('u');
    stage.type_text("/model gpt");
    stage.press(KeyCode::Enter);
    assert_eq!(stage.state.composer.history, ["/model gpt"], "nothing was chosen: the text stays as it is");
}

#[test]
fn an_at_sign_completes_paths_of_the_project() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("see @");
    assert_eq!(stage.take_effects(), [AppEffect::ListPaths]);
    assert!(stage.screen().contains("reading the project's paths"));
    with_paths(&mut stage);
    assert!(popup_labels(&stage).contains(&"src/state/".to_owned()));
    stage.type_text("compo");
    assert_eq!(popup_labels(&stage)[0], "src/state/composer.rs");
    stage.press(KeyCode::Enter);
    assert_eq!(text(&stage), "see @src/state/composer.rs ");
    assert!(stage.take_effects().is_empty(), "known paths are not read again at once");
    stage.press(KeyCode::Enter);
    assert_eq!(sent(&mut stage), ["see @src/state/composer.rs"]);
}

#[test]
fn paths_with_spaces_are_quoted_and_folders_can_be_gone_into() {
    let mut stage = Stage::new(80, 24);
    with_paths(&mut stage);
    stage.type_text("@guide");
    stage.press(KeyCode::Tab);
    assert_eq!(text(&stage), "@\"docs/a guide.md\" ");
    stage.press_ctrl('u');
    stage.type_text("@state");
    assert_eq!(popup_labels(&stage)[0], "src/state/");
    stage.press(KeyCode::Tab);
    assert_eq!(text(&stage), "@src/state/");
    assert!(popup_labels(&stage).contains(&"src/state/mod.rs".to_owned()));
    stage.press(KeyCode::Esc);
    stage.press(KeyCode::Enter);
    assert_eq!(sent(&mut stage), ["@src/state/"]);
}

#[test]
fn a_path_in_the_middle_of_a_text_is_replaced_whole_and_an_address_is_none() {
    let mut stage = Stage::new(80, 24);
    with_paths(&mut stage);
    stage.type_text("(@main.rs) end");
    (0..8).for_each(|_| stage.press(KeyCode::Left));
    stage.press(KeyCode::Backspace);
    stage.type_text("r");
    assert_eq!(popup_labels(&stage)[0], "src/main.rs");
    stage.press_ctrl('u');
    stage.type_text("ada@example.org");
    assert!(stage.state.composer.popup.is_none());
    assert!(stage.take_effects().is_empty());
}

#[test]
fn paths_are_read_again_when_they_are_old() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("@");
    stage.type_text("a");
    assert_eq!(stage.take_effects(), [AppEffect::ListPaths], "not asked twice at the same time");
    with_paths(&mut stage);
    stage.wait(9_000);
    stage.type_text("b");
    assert!(stage.take_effects().is_empty());
    stage.wait(2_000);
    stage.type_text(" @");
    assert_eq!(stage.take_effects(), [AppEffect::ListPaths]);
}

#[test]
fn names_of_files_cannot_command_the_terminal() {
    let mut stage = Stage::new(80, 24);
    let paths = ["ok.rs", "evil\u{1b}[31m.rs", "two\nlines.rs", "rtl\u{202e}sr.exe"];
    stage.put(AppInput::Reply(HostReply::Paths(paths.map(str::to_owned).to_vec())));
    stage.type_text("@");
    assert_eq!(popup_labels(&stage).len(), 2);
    assert!(!stage.screen().contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn the_palette_opens_over_a_draft_and_the_draft_comes_back() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("half a thought");
    stage.press_ctrl('p');
    assert!(matches!(stage.state.overlay, Some(Overlay::Picker(_))));
    stage.type_text("search");
    stage.press(KeyCode::Enter);
    assert_eq!(text(&stage), "/search ");
    stage.type_text("needle");
    stage.press(KeyCode::Enter);
    assert_eq!(text(&stage), "half a thought");
    stage.state.overlay = None;
    stage.press_ctrl('p');
    stage.type_text("quit");
    stage.press(KeyCode::Enter);
    assert!(stage.state.is_over);
}

#[test]
fn the_chosen_row_is_marked_without_colour_too() {
    for theme in ThemeKind::ALL {
        let mut stage = Stage::themed(80, 24, theme);
        stage.type_text("/help");
        let buffer = stage.draw();
        let row = (0..24).find(|row| buffer[(0, *row)].symbol() == "›").expect("a row is chosen");
        assert!(buffer[(5, row)].style().add_modifier.contains(Modifier::REVERSED));
    }
}

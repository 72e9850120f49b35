//! What slash commands do, with a real host behind the app: choices, rules, searching, copying, staged edits, help.

use crossterm::event::KeyCode;
use windlass_core::permission::ApproveMode;
use windlass_core::ports::host::HostPolicies;
use windlass_tui::ThemeKind;
use windlass_tui::command::COMMANDS;
use windlass_tui::effect::AppEffect;
use windlass_tui::input::AppInput;
use windlass_tui::keys::KEYS;
use windlass_tui::state::overlay::Overlay;

use crate::hosted::{HELLO, Hosted, labels, notice, page};
use crate::stage::{Stage, assert_frame};

// Models, profiles, themes, tools.

#[tokio::test]
async fn models_are_listed_with_what_is_known_of_them_and_the_chosen_one_answers_next() {
    let mut hosted = Hosted::new(HELLO);
    hosted.put_script("other", "user Hi.\nmodel text Another voice.\n");
    hosted.put_script("locked", "user Hi.\nmodel text Nobody hears this.\n");
    hosted.say("/model").await;
    assert_frame("commands-models.60x13", &hosted.stage.screen());
    assert_eq!(labels(&hosted.stage), ["scripted/other", "scripted/usual", "scripted/locked"]);
    hosted.stage.type_text("other");
    hosted.press(KeyCode::Enter).await;
    assert_eq!(notice(&hosted.stage), "scripted/other is used from the next run on");
    hosted.say("Hi.").await;
    assert_eq!(hosted.stage.state.session.as_ref().unwrap().newest().unwrap().answer, "Another voice.");
}

#[tokio::test]
async fn a_model_is_named_directly_and_a_wrong_name_is_told_with_the_nearest() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("/model").await;
    hosted.press(KeyCode::Esc).await;
    hosted.say("/model usual").await;
    assert_eq!(hosted.stage.state.about.model.as_deref(), Some("scripted/usual"));
    hosted.say("/model scripted/usaul").await;
    assert_eq!(notice(&hosted.stage), "there is no model scripted/usaul; did you mean scripted/usual?");
    assert_eq!(hosted.stage.state.composer.text(), "/model scripted/usaul", "to be mended");
    hosted.stage.state.composer.take();
    hosted.say("/model ollama/qwen3").await;
    assert_eq!(hosted.stage.state.about.model.as_deref(), Some("ollama/qwen3"), "no list has all models");
}

#[tokio::test]
async fn a_message_that_a_wrong_model_refuses_is_back_in_the_composer() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("/model nowhere/nothing").await;
    hosted.say("Tell me.").await;
    assert_eq!(hosted.stage.state.composer.text(), "Tell me.");
    assert!(notice(&hosted.stage).contains("there is no model"), "{}", notice(&hosted.stage));
}

#[tokio::test]
async fn profile_and_theme_are_chosen_from_lists_or_by_name() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("/profile").await;
    assert!(labels(&hosted.stage).contains(&"zodo".to_owned()));
    hosted.stage.type_text("zodo");
    hosted.press(KeyCode::Enter).await;
    assert_eq!(hosted.stage.state.profile(), "zodo");
    hosted.say("/profile zodoo").await;
    assert_eq!(notice(&hosted.stage), "there is no profile zodoo; did you mean zodo?");
    hosted.stage.state.composer.take();
    hosted.say("/theme light").await;
    assert_eq!(hosted.stage.state.theme.kind(), ThemeKind::Light);
    hosted.say("/theme").await;
    hosted.press(KeyCode::End).await;
    hosted.press(KeyCode::Enter).await;
    assert_eq!(hosted.stage.state.theme.kind(), ThemeKind::Plain);
}

#[tokio::test]
async fn a_theme_is_kept_for_the_next_start_and_shown_even_if_it_cannot_be() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("/theme light").await;
    assert_eq!(*hosted.desk.theme.lock().unwrap(), Some(ThemeKind::Light));
    *hosted.desk.obstacle.lock().unwrap() = Some("config.toml cannot be written");
    hosted.say("/theme plain").await;
    assert_eq!(hosted.stage.state.theme.kind(), ThemeKind::Plain);
    assert_eq!(*hosted.desk.theme.lock().unwrap(), Some(ThemeKind::Light));
    let said = "could not keep the theme for the next start: config.toml cannot be written";
    assert!(notice(&hosted.stage).contains(said), "{}", notice(&hosted.stage));
}

#[tokio::test]
async fn a_tool_is_shown_with_all_of_its_arguments() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("/tools").await;
    assert!(labels(&hosted.stage).contains(&"read_file".to_owned()));
    hosted.stage.type_text("search_text");
    hosted.press(KeyCode::Enter).await;
    let page = page(&hosted.stage);
    for text in ["pattern", "str ", "required", "default 200", "one of \"sensitive\"", "risk", "medium"] {
        assert!(page.contains(text), "{text}:\n{page}");
    }
    assert_frame("commands-tool.60x13", &hosted.stage.screen());
    hosted.press(KeyCode::Esc).await;
    assert_eq!(labels(&hosted.stage)[0], "search_text", "back in the list as it was");
    hosted.press(KeyCode::Esc).await;
    hosted.press(KeyCode::Esc).await;
    hosted.say("/tools read_fil").await;
    assert_eq!(notice(&hosted.stage), "there is no tool read_fil; did you mean read_file?");
}

#[test]
fn the_task_list_is_a_text_where_it_has_no_place_of_its_own() {
    let mut stage = Stage::new(60, 13);
    stage.follow("tasks");
    stage.type_text("/tasks");
    stage.press(KeyCode::Enter);
    assert!(page(&stage).contains("○ Compile"), "{}", page(&stage));
    let mut wide = Stage::new(120, 30);
    wide.follow("tasks");
    wide.type_text("/tasks");
    wide.press(KeyCode::Enter);
    assert!(!wide.state.shows_tasks && wide.state.overlay.is_none());
    let mut none = Stage::new(60, 13);
    none.type_text("/tasks");
    none.press(KeyCode::Enter);
    assert!(notice(&none).contains("No tasks"));
}

// Rules.

#[tokio::test]
async fn the_last_message_is_put_back_to_be_sent_again() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("Hi.").await;
    hosted.say("/again").await;
    assert_eq!(hosted.stage.state.composer.text(), "Hi.");
}

#[tokio::test]
async fn rules_are_stored_listed_and_removed_after_a_question() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("/policy allow read_file(src/**)").await;
    assert!(notice(&hosted.stage).starts_with("stored as "), "{}", notice(&hosted.stage));
    hosted.say("/policy deny execute_command").await;
    hosted.say("/policy").await;
    assert_eq!(labels(&hosted.stage), ["read_file(src/**)", "execute_command"]);
    hosted.press(KeyCode::Char('d')).await;
    assert!(hosted.stage.screen().contains("Remove this rule?"));
    hosted.press(KeyCode::Char('n')).await;
    assert_eq!(hosted.host.rules().await.unwrap().len(), 2);
    hosted.press(KeyCode::Char('d')).await;
    hosted.press(KeyCode::Char('y')).await;
    assert_eq!(labels(&hosted.stage), ["execute_command"]);
    let left = hosted.host.rules().await.unwrap();
    assert_eq!(left.len(), 1);
    hosted.press(KeyCode::Esc).await;
    hosted.say(&format!("/policy remove {}", left[0].id)).await;
    assert!(hosted.host.rules().await.unwrap().is_empty());
    hosted.say("/policy").await;
    assert!(hosted.stage.screen().contains("no rules are stored"));
}

#[tokio::test]
async fn a_rule_that_is_wrong_is_told_and_back_in_the_composer() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("/policy allow read_file(src").await;
    assert!(notice(&hosted.stage).starts_with("could not store the rule: "), "{}", notice(&hosted.stage));
    assert_eq!(hosted.stage.state.composer.text(), "/policy allow read_file(src");
    hosted.stage.state.composer.take();
    hosted.say("/policy alow x").await;
    assert!(notice(&hosted.stage).contains("/policy allow RULE"));
    assert_eq!(hosted.stage.state.composer.text(), "/policy alow x");
}

#[tokio::test]
async fn what_decides_a_call_is_explained_gate_by_gate() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("/policy explain write_file {\"path\":\"a.txt\",\"content\":\"hi\"}").await;
    let page = page(&hosted.stage);
    assert!(page.contains("› risk"), "{page}");
    assert!(page.contains("The user would be asked"), "{page}");
    assert!(page.contains("write_file(a.txt)"), "{page}");
    hosted.press(KeyCode::Esc).await;
    hosted.say("/policy explain write_file {not json").await;
    assert!(notice(&hosted.stage).contains("no JSON object"), "{}", notice(&hosted.stage));
}

// Searching.

#[tokio::test]
async fn a_search_finds_lines_of_files_and_what_was_said_and_a_hit_goes_into_the_message() {
    let mut hosted = Hosted::new("user Who hauls the anchor?\nmodel text I do.\n");
    hosted.say("Who hauls the anchor?").await;
    hosted.say("/search anchor").await;
    assert_eq!(labels(&hosted.stage), ["README.md:3", "src/main.rs:2", "Who hauls the anchor?"]);
    assert_frame("commands-search.60x13", &hosted.stage.screen());
    hosted.press(KeyCode::Down).await;
    hosted.press(KeyCode::Enter).await;
    assert_eq!(hosted.stage.state.composer.text(), "@src/main.rs ");
    hosted.stage.state.composer.take();
    hosted.say("/search (no such thing").await;
    assert!(hosted.stage.screen().contains("nothing was found"), "brackets are brackets");
}

#[tokio::test]
async fn a_search_that_a_rule_denies_says_so_in_its_list() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("/policy deny search_text").await;
    hosted.say("/search anchor").await;
    assert!(hosted.stage.screen().contains("✗ could not search the project"), "{}", hosted.stage.screen());
}

// Copying and exporting.

#[tokio::test]
async fn the_last_answer_or_the_whole_session_is_copied() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("/copy").await;
    assert!(hosted.copied.is_empty(), "nothing was said yet");
    hosted.stage.state.composer.take();
    hosted.say("Hi.").await;
    hosted.say("/copy").await;
    assert_eq!(hosted.copied, ["Hello there."]);
    assert_eq!(notice(&hosted.stage), "the last answer is on the clipboard: 12 characters");
    hosted.say("/copy all").await;
    assert!(hosted.copied[1].contains("Hi.") && hosted.copied[1].contains("Hello there."));
}

#[tokio::test]
async fn a_session_is_exported_under_a_name_made_of_its_title_and_never_over_a_file() {
    let mut hosted = Hosted::new("user How do I haul: an Anchor, ../quickly?\nmodel text So.\n");
    hosted.say("How do I haul: an Anchor, ../quickly?").await;
    hosted.say("/export").await;
    let names: Vec<String> = hosted.desk.files.lock().unwrap().keys().cloned().collect();
    assert_eq!(names, ["windlass-how-do-i-haul-an-anchor-2023-11-14.md"]);
    assert_eq!(notice(&hosted.stage), format!("written to {}", names[0]));
    hosted.say("/export").await;
    assert!(notice(&hosted.stage).contains("is there already"));
    hosted.stage.state.composer.take();
    hosted.say("/export notes.md").await;
    assert!(hosted.desk.files.lock().unwrap()["notes.md"].contains("So."));
}

// Staged edits.

const EDITS: &str = "user Edit.\nmodel call 1 read_file {\"path\":\"README.md\"}\nmodel end\n\
                     model call 2 write_file {\"path\":\"README.md\",\"content\":\"new words\\n\"}\n\
                     model end\nmodel text It awaits you.\n";

#[tokio::test]
async fn r_39_a_staged_edit_is_applied_after_its_diff_was_seen() {
    let mut hosted = Hosted::approving(EDITS, ApproveMode::Stage);
    hosted.say("/policy allow read_file").await;
    hosted.say("Edit.").await;
    let file = hosted.root.path().join("README.md");
    assert!(std::fs::read_to_string(&file).unwrap().contains("anchor"), "nothing is written yet");
    hosted.say("/apply").await;
    assert!(hosted.stage.screen().contains("+new words"), "{}", hosted.stage.screen());
    assert!(hosted.stage.screen().contains("Apply call_2 write_file"));
    hosted.press(KeyCode::Char('n')).await;
    assert!(std::fs::read_to_string(&file).unwrap().contains("anchor"));
    hosted.say("/apply").await;
    hosted.press(KeyCode::Char('y')).await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "new words\n", "{}", notice(&hosted.stage));
    assert!(notice(&hosted.stage).starts_with("applied: "), "{}", notice(&hosted.stage));
}

#[tokio::test]
async fn r_39_a_staged_edit_is_not_applied_to_a_file_that_changed_meanwhile() {
    let mut hosted = Hosted::approving(EDITS, ApproveMode::Stage);
    hosted.say("/policy allow read_file").await;
    hosted.say("Edit.").await;
    let file = hosted.root.path().join("README.md");
    std::fs::write(&file, "somebody else was here\n").unwrap();
    hosted.say("/apply").await;
    hosted.press(KeyCode::Char('y')).await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "somebody else was here\n");
    assert!(notice(&hosted.stage).starts_with("could not apply the edit: "), "{}", notice(&hosted.stage));
}

#[tokio::test]
async fn without_a_staged_edit_apply_says_so() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("Hi.").await;
    hosted.say("/apply").await;
    assert!(notice(&hosted.stage).starts_with("no edit of this session waits"));
}

// Stopping, inspecting, helping.

#[test]
fn cancel_stops_the_run_and_does_not_leave() {
    let mut stage = Stage::new(80, 24);
    stage.follow("running");
    stage.take_effects();
    for _ in 0..2 {
        stage.type_text("/cancel");
        stage.press(KeyCode::Enter);
    }
    let cancels = stage.take_effects().iter().filter(|effect| matches!(effect, AppEffect::Cancel(_))).count();
    assert_eq!(cancels, 1);
    assert!(!stage.state.is_over);
}

#[test]
fn inspect_opens_the_inspector() {
    let mut stage = Stage::new(80, 24);
    stage.follow("two_runs");
    stage.type_text("/inspect");
    stage.press(KeyCode::Enter);
    assert!(matches!(stage.state.overlay, Some(Overlay::Inspector(_))));
}

#[test]
fn help_has_every_command_and_every_key_and_opens_in_three_ways() {
    let mut stage = Stage::new(60, 13);
    stage.press(KeyCode::Char('?'));
    let all = page(&stage);
    for row in &COMMANDS {
        assert!(all.contains(&format!("/{}", row.word)) && all.contains(row.about), "{}", row.word);
    }
    for row in KEYS.iter().flat_map(|section| section.rows) {
        assert!(all.contains(row.keys) && all.contains(row.about), "{}", row.keys);
    }
    assert_frame("commands-help.60x13", &stage.screen());
    stage.press(KeyCode::Esc);
    stage.press(KeyCode::F(1));
    assert_eq!(page(&stage), all);
    stage.press(KeyCode::Esc);
    stage.type_text("is it so?");
    assert!(stage.state.overlay.is_none(), "a question mark in a message is one");
    stage.state.composer.take();
    stage.type_text("/help fork");
    stage.press(KeyCode::Enter);
    assert!(page(&stage).starts_with("/fork [STEP [MESSAGE]]"));
}

#[test]
fn every_command_can_be_carried_out_on_every_session() {
    for name in crate::stage::session_names() {
        for row in &COMMANDS {
            for rest in ["", " ", " x", " 0", " allow", " \u{1b}[31m 日本語 ../.."] {
                let mut stage = Stage::new(60, 13);
                stage.follow(&name);
                stage.state.asking = Default::default();
                stage.put(AppInput::Paste(format!("/{}{rest}", row.word)));
                stage.press(KeyCode::Enter);
                assert!(!stage.screen().contains('\u{1b}'));
            }
        }
    }
}

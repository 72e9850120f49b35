//! What each slash command does, with a real host behind the app.

use std::sync::Arc;

use crossterm::event::KeyCode;
use windlass_core::event::{Event, Record};
use windlass_core::host::{HostError, HostPort};
use windlass_core::ids::SessionId;
use windlass_core::permission::ApproveMode;
use windlass_core::store::NewSession;
use windlass_tui::ThemeKind;
use windlass_tui::command::COMMANDS;
use windlass_tui::effect::Effect;
use windlass_tui::input::{Input, Reply, Wish};
use windlass_tui::keys::KEYS;
use windlass_tui::state::overlay::Overlay;

use crate::hosted::Hosted;
use crate::stage::{Stage, assert_frame};

const HELLO: &str = "user Hi.\nmodel text Hello there.\nmodel usage input=1200 output=30\n";

const TWO_STEPS: &str = "user Add.\nmodel text Let me see.\nmodel call 1 calculate {\"expression\":\"1+2\"}\n\
                         model end\nmodel text It is three.\n";

fn notice(stage: &Stage) -> String {
    stage.state.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default()
}

fn session_id(hosted: &Hosted) -> SessionId {
    hosted.stage.state.session.as_ref().unwrap().row.session_id.clone()
}

/// The rows of the list that is open: what they are called.
fn labels(stage: &Stage) -> Vec<String> {
    match &stage.state.overlay {
        Some(Overlay::Picker(picker)) => picker.fitting().map(|row| row.label.clone()).collect(),
        other => panic!("no list: {other:?}"),
    }
}

/// All lines of the text that is open.
fn page(stage: &Stage) -> String {
    match &stage.state.overlay {
        Some(Overlay::Pager(pager)) => pager.lines.iter().map(|line| line.text() + "\n").collect(),
        other => panic!("no text: {other:?}"),
    }
}

// Models, profiles, themes, tools.

#[tokio::test]
async fn models_are_listed_with_what_is_known_of_them_and_the_chosen_one_answers_next() {
    let mut hosted = Hosted::new(HELLO);
    hosted.put_script("other", "user Hi.\nmodel text Another voice.\n");
    hosted.put_script("locked", "user Hi.\nmodel text Nobody hears this.\n");
    hosted.say("/model").await;
    assert_frame("commands-models.60x14", &hosted.stage.screen());
    assert_eq!(labels(&hosted.stage), ["scripted/other", "scripted/usual", "scripted/locked"]);
    hosted.stage.type_text("other");
    hosted.press(KeyCode::Enter).await;
    assert_eq!(notice(&hosted.stage), "scripted/other answers from the next run on");
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
async fn a_tool_is_shown_with_all_of_its_arguments() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("/tools").await;
    assert!(labels(&hosted.stage).contains(&"read_file".to_owned()));
    hosted.stage.type_text("search_text");
    hosted.press(KeyCode::Enter).await;
    let page = page(&hosted.stage);
    for text in ["pattern", "string", "required", "default 100", "one of \"sensitive\"", "risk", "medium"] {
        assert!(page.contains(text), "{text}:\n{page}");
    }
    assert_frame("commands-tool.60x14", &hosted.stage.screen());
    hosted.press(KeyCode::Esc).await;
    assert_eq!(labels(&hosted.stage), ["search_text"], "back in the list as it was");
    hosted.press(KeyCode::Esc).await;
    hosted.press(KeyCode::Esc).await;
    hosted.say("/tools read_fil").await;
    assert_eq!(notice(&hosted.stage), "there is no tool read_fil; did you mean read_file?");
}

#[test]
fn the_task_list_is_a_text_where_it_has_no_place_of_its_own() {
    let mut stage = Stage::new(60, 14);
    stage.follow("tasks");
    stage.type_text("/tasks");
    stage.press(KeyCode::Enter);
    assert!(page(&stage).contains("✓ "), "{}", page(&stage));
    let mut wide = Stage::new(120, 30);
    wide.follow("tasks");
    wide.type_text("/tasks");
    wide.press(KeyCode::Enter);
    assert!(!wide.state.shows_tasks && wide.state.overlay.is_none());
    let mut none = Stage::new(60, 14);
    none.type_text("/tasks");
    none.press(KeyCode::Enter);
    assert!(notice(&none).contains("no tasks"));
}

// Rules.

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
    assert_eq!(hosted.host.rules().len(), 2);
    hosted.press(KeyCode::Char('d')).await;
    hosted.press(KeyCode::Char('y')).await;
    assert_eq!(labels(&hosted.stage), ["execute_command"]);
    let left = hosted.host.rules();
    assert_eq!(left.len(), 1);
    hosted.press(KeyCode::Esc).await;
    hosted.say(&format!("/policy remove {}", left[0].id)).await;
    assert!(hosted.host.rules().is_empty());
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
    assert_frame("commands-search.60x14", &hosted.stage.screen());
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

// Sessions.

#[tokio::test]
async fn sessions_are_listed_opened_renamed_and_deleted() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("Hi.").await;
    let first = session_id(&hosted);
    hosted.say("/new").await;
    assert!(hosted.stage.state.session.is_none());
    assert_eq!(hosted.host.sessions(Default::default()).await.unwrap().len(), 0, "no rows were asked for");
    hosted.say("Hi.").await;
    let second = session_id(&hosted);
    assert_ne!(first, second);
    hosted.say("/rename The second").await;
    assert_eq!(notice(&hosted.stage), "renamed to The second");
    hosted.say("/sessions").await;
    assert_eq!(labels(&hosted.stage), ["The second", "Hi."]);
    assert_frame("commands-sessions.60x14", &hosted.stage.screen());
    hosted.press(KeyCode::Down).await;
    hosted.press(KeyCode::Char('r')).await;
    hosted.stage.press_ctrl('u');
    hosted.stage.type_text("The first");
    hosted.press(KeyCode::Enter).await;
    assert_eq!(hosted.host.session(&first).await.unwrap().begin.title, "The first");
    assert!(labels(&hosted.stage).contains(&"The first".to_owned()));
    hosted.press(KeyCode::Enter).await;
    assert_eq!(session_id(&hosted), first);
    assert_eq!(hosted.stage.state.session.as_ref().unwrap().newest().unwrap().answer, "Hello there.");
}

#[tokio::test]
async fn deleting_the_open_session_closes_it_and_only_after_a_question() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("Hi.").await;
    let open = session_id(&hosted);
    hosted.say("/sessions").await;
    hosted.press(KeyCode::Char('d')).await;
    assert!(hosted.stage.screen().contains("Delete this session?"));
    hosted.press(KeyCode::Enter).await;
    assert!(hosted.host.session(&open).await.is_ok());
    hosted.press(KeyCode::Char('y')).await;
    assert!(matches!(hosted.host.session(&open).await, Err(HostError::Missing { .. })));
    assert!(hosted.stage.state.session.is_none());
    assert!(hosted.stage.screen().contains("no sessions yet"));
    hosted.press(KeyCode::Char('n')).await;
    assert!(hosted.stage.state.overlay.is_none());
}

#[tokio::test]
async fn sessions_with_a_text_are_found() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("Hi.").await;
    hosted.say("/sessions zebra").await;
    assert!(hosted.stage.screen().contains("no session has 'zebra'"));
    hosted.press(KeyCode::Esc).await;
    hosted.say("/sessions Hi").await;
    assert_eq!(labels(&hosted.stage), ["Hi."]);
}

#[test]
fn a_list_that_cannot_be_filled_says_why() {
    let mut stage = Stage::new(60, 14);
    stage.type_text("/sessions");
    stage.press(KeyCode::Enter);
    assert!(stage.screen().contains("… loading"));
    let wish = Wish::Fill("list the sessions");
    stage.put(Input::Reply(Reply::Refused { wish, error: HostError::Closing }));
    assert!(stage.screen().contains("✗ could not list the sessions: the server is shutting down"));
}

#[test]
fn an_answer_to_a_list_that_nobody_looks_at_any_more_does_not_fill_another() {
    let mut stage = Stage::new(60, 14);
    stage.type_text("/sessions new");
    stage.press(KeyCode::Enter);
    let rows = vec![crate::stage::row(&SessionId::new("old"))];
    stage.put(Input::Reply(Reply::Sessions { text: Some("old".into()), rows }));
    assert!(labels(&stage).is_empty());
}

#[test]
fn what_waits_to_be_sent_is_not_sent_in_another_session() {
    let mut stage = Stage::new(80, 24);
    stage.follow("running");
    stage.type_text("and then this");
    stage.press(KeyCode::Enter);
    stage.type_text("/new");
    stage.press(KeyCode::Enter);
    assert!(stage.state.waiting.is_empty());
    assert_eq!(stage.state.composer.text(), "and then this");
}

// Forks.

#[tokio::test]
async fn a_run_is_forked_at_a_step_and_goes_on_in_a_session_of_its_own() {
    let mut hosted = Hosted::new(TWO_STEPS);
    hosted.say("Add.").await;
    let first = session_id(&hosted);
    hosted.say("/fork").await;
    assert_eq!(labels(&hosted.stage), ["0  the message alone", "1  up to step 1", "2  up to step 2"]);
    assert_frame("commands-fork.60x14", &hosted.stage.screen());
    hosted.press(KeyCode::Up).await;
    hosted.press(KeyCode::Enter).await;
    let forked = session_id(&hosted);
    assert_ne!(forked, first);
    let fork = hosted.host.session(&forked).await.unwrap().begin.fork.unwrap();
    assert_eq!((fork.session_id, fork.step), (first, 1));
    let run = hosted.stage.state.session.as_ref().unwrap().newest().unwrap();
    assert!(run.ended.is_some() && run.answer == "It is three.", "{run:?}");
}

#[tokio::test]
async fn a_fork_at_the_message_takes_another_message() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("Hi.").await;
    hosted.say("/fork 0 Hello again.").await;
    assert_eq!(hosted.stage.state.session.as_ref().unwrap().newest().unwrap().user, "Hello again.");
    hosted.say("/fork 1 something else").await;
    assert!(notice(&hosted.stage).contains("another message needs step 0"));
    assert_eq!(hosted.stage.state.composer.text(), "/fork 1 something else");
    hosted.stage.state.composer.take();
    hosted.say("/fork 7").await;
    assert!(notice(&hosted.stage).contains("1 complete steps"), "{}", notice(&hosted.stage));
}

// Runs that stopped in the middle.

/// A run that wrote a file, cut off while it did: as a crash leaves it.
async fn cut_off(hosted: &mut Hosted) -> SessionId {
    hosted.say("Write.").await;
    hosted.press(KeyCode::Char('1')).await;
    hosted.stage.wait(10_000);
    hosted.press(KeyCode::Char('1')).await;
    let whole = session_id(hosted);
    let records = hosted.host.records(&whole, 0).await.unwrap();
    let started = records.iter().position(|record| matches!(record.event, Event::CallStarted { .. }));
    let cut = SessionId::new("cut-off");
    let copy = |record: &Arc<Record>| {
        let run_id = "run-cut-off".into();
        Arc::new(Record { session_id: cut.clone(), run_id, ..Record::clone(record) })
    };
    let kept =
        records[..=started.unwrap()].iter().filter(|record| record.event.is_durable()).map(copy).collect();
    let begin = NewSession {
        root: hosted.root.path().display().to_string(),
        ..hosted.host.session(&whole).await.unwrap().begin
    };
    let begin = NewSession { title: "Cut off".into(), ..begin };
    hosted.store.copy_session(&cut, begin, kept, 1).await.unwrap();
    cut
}

const WRITES: &str = "user Write.\nmodel call 1 write_file {\"path\":\"new.txt\",\"content\":\"x\"}\n\
                      model end\nmodel text Written, perhaps.\n";

#[tokio::test]
async fn a_run_that_stopped_in_the_middle_is_resumed_and_what_nobody_knows_is_said_and_not_repeated() {
    let mut hosted = Hosted::new(WRITES);
    let cut = cut_off(&mut hosted).await;
    std::fs::remove_file(hosted.root.path().join("new.txt")).unwrap();
    let mut hosted = hosted.again();
    hosted.say("/resume").await;
    assert_eq!(labels(&hosted.stage), ["Write."]);
    hosted.press(KeyCode::Enter).await;
    assert_eq!(session_id(&hosted), cut);
    let session = hosted.stage.state.session.as_ref().unwrap();
    assert!(session.newest().unwrap().ended.is_some());
    let records = hosted.host.records(&cut, 0).await.unwrap();
    let resumed = records.iter().any(|record| match &record.event {
        Event::RunResumed { interrupted, .. } => !interrupted.is_empty(),
        _ => false,
    });
    assert!(resumed);
    assert!(!hosted.root.path().join("new.txt").exists(), "it was not repeated");
}

#[test]
fn what_a_resumed_run_left_open_is_said() {
    let mut stage = Stage::new(100, 30);
    stage.follow("resumed");
    let records = crate::stage::records("resumed");
    let resumed = records.iter().find(|record| matches!(record.event, Event::RunResumed { .. })).unwrap();
    let Event::RunResumed { interrupted, repeated } = &resumed.event else { unreachable!() };
    // The notice stands while the run goes on; what came after it may have replaced it.
    let mut stage = Stage::new(100, 30);
    let session_id = resumed.session_id.clone();
    let row = Box::new(crate::stage::row(&session_id));
    let before = records.iter().filter(|record| record.seq < resumed.seq).cloned().collect();
    stage.put(Input::Reply(Reply::Opened { row, records: before }));
    stage.put(Input::Delivered(session_id, windlass_core::host::HostDelivery::Record(Arc::clone(resumed))));
    let told = notice(&stage);
    assert!(told.starts_with("the run goes on"), "{told}");
    assert_eq!(told.contains("nobody knows whether these happened"), !interrupted.is_empty(), "{told}");
    assert_eq!(told.contains("run again"), !repeated.is_empty(), "{told}");
}

#[tokio::test]
async fn a_session_whose_run_stands_still_offers_to_resume_it() {
    let mut hosted = Hosted::new(WRITES);
    let cut = cut_off(&mut hosted).await;
    let mut hosted = hosted.again();
    hosted.stage.effects.push(Effect::Open(cut));
    hosted.settle().await;
    assert!(!notice(&hosted.stage).contains("/resume"));
    hosted.stage.wait(4_000);
    assert!(!notice(&hosted.stage).contains("/resume"), "not at once");
    hosted.stage.wait(1_500);
    assert!(
        notice(&hosted.stage).contains("nothing has come of it for 5 s: /resume"),
        "{}",
        notice(&hosted.stage)
    );
    hosted.stage.wait(60_000);
    assert!(hosted.stage.state.notice.is_none(), "said once");
}

#[tokio::test]
async fn with_nothing_to_resume_the_list_says_so_and_a_wrong_run_is_told() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("Hi.").await;
    hosted.say("/resume").await;
    assert!(hosted.stage.screen().contains("every run has ended"));
    hosted.press(KeyCode::Esc).await;
    hosted.say("/resume nothing").await;
    assert!(notice(&hosted.stage).contains("there is no run 'nothing'"), "{}", notice(&hosted.stage));
}

// Context.

#[tokio::test]
async fn z_26_context_shows_the_file_tree_and_how_large_it_is() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("Hi.").await;
    hosted.stage.state.about.model = Some("scripted/usual".into());
    hosted.say("/model").await;
    hosted.press(KeyCode::Esc).await;
    hosted.say("/context").await;
    let page = page(&hosted.stage);
    assert!(page.contains("2 paths, about 7 tokens"), "{page}");
    assert!(page.contains("README.md\nsrc/\n  main.rs\n"), "{page}");
    assert!(page.contains("1.2k of 200k tokens after the last step"), "{page}");
    assert_frame("commands-context.60x14", &hosted.stage.screen());
}

#[tokio::test]
async fn z_26_the_file_tree_goes_with_the_next_message_and_with_no_other() {
    let mut hosted = Hosted::new("user Hi.\nmodel text One.\nuser Hi.\nmodel text Two.\n");
    hosted.say("/context").await;
    hosted.press(KeyCode::Char('a')).await;
    assert!(hosted.stage.state.overlay.is_none());
    assert!(hosted.stage.screen().contains("context: file tree, 2 paths"), "{}", hosted.stage.screen());
    hosted.say("Hi.").await;
    assert!(!hosted.stage.screen().contains("context: file tree"));
    hosted.say("Hi.").await;
    let contexts: Vec<bool> =
        hosted.asked().iter().map(|request| format!("{:?}", request.messages).contains("main.rs")).collect();
    assert_eq!(contexts, [true, false], "the second run carries what was said, not its background");
}

#[tokio::test]
async fn z_26_context_again_takes_the_file_tree_away_and_a_refused_message_keeps_it() {
    let mut hosted = Hosted::new(HELLO);
    hosted.say("/context").await;
    hosted.press(KeyCode::Char('a')).await;
    hosted.say("/model nowhere/nothing").await;
    hosted.say("Hi.").await;
    assert_eq!(hosted.stage.state.composer.text(), "Hi.");
    assert_eq!(hosted.stage.state.background.as_ref().unwrap().label, "file tree, 2 paths");
    hosted.stage.state.composer.take();
    hosted.say("/context").await;
    assert!(hosted.stage.state.background.is_none());
    assert_eq!(notice(&hosted.stage), "taken away: file tree, 2 paths");
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

const EDITS: &str = "user Edit.\nmodel call 1 write_file {\"path\":\"README.md\",\"content\":\"new words\\n\"}\n\
                     model end\nmodel text It awaits you.\n";

#[tokio::test]
async fn r_39_a_staged_edit_is_applied_after_its_diff_was_seen() {
    let mut hosted = Hosted::approving(EDITS, ApproveMode::Stage);
    hosted.say("Edit.").await;
    let file = hosted.root.path().join("README.md");
    assert!(std::fs::read_to_string(&file).unwrap().contains("anchor"), "nothing is written yet");
    hosted.say("/apply").await;
    assert!(hosted.stage.screen().contains("+new words"), "{}", hosted.stage.screen());
    assert!(hosted.stage.screen().contains("Apply call_1 write_file"));
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
    assert!(notice(&hosted.stage).starts_with("no edit of this session is staged"));
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
    let cancels = stage.take_effects().iter().filter(|effect| matches!(effect, Effect::Cancel(_))).count();
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
    let mut stage = Stage::new(60, 14);
    stage.press(KeyCode::Char('?'));
    let all = page(&stage);
    for row in &COMMANDS {
        assert!(all.contains(&format!("/{}", row.word)) && all.contains(row.about), "{}", row.word);
    }
    for row in KEYS.iter().flat_map(|section| section.rows) {
        assert!(all.contains(row.keys) && all.contains(row.about), "{}", row.keys);
    }
    assert_frame("commands-help.60x14", &stage.screen());
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
                let mut stage = Stage::new(60, 14);
                stage.follow(&name);
                stage.state.asking = Default::default();
                stage.put(Input::Paste(format!("/{}{rest}", row.word)));
                stage.press(KeyCode::Enter);
                assert!(!stage.screen().contains('\u{1b}'));
            }
        }
    }
}

//! What slash commands do to sessions and runs, with a real host behind the app: list, open, rename, delete, fork,
//! resume, context.

use std::sync::Arc;

use crossterm::event::KeyCode;
use windlass_core::ports::host::{HostDelivery, HostError, HostSessions};
use windlass_core::ports::store::NewSession;
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::SessionId;
use windlass_tui::TrustReport;
use windlass_tui::effect::AppEffect;
use windlass_tui::input::{AppInput, HostReply, RefusedWish, wants};

use crate::hosted::{HELLO, Hosted, labels, notice, page, session_id};
use crate::stage::{Stage, assert_frame};

const TWO_STEPS: &str = "user Add.\nmodel text Let me see.\nmodel call 1 calculate {\"expression\":\"1+2\"}\n\
                         model end\nmodel text It is three.\n";

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
    assert_frame("commands-sessions.60x13", &hosted.stage.screen());
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
    let mut stage = Stage::new(60, 13);
    stage.type_text("/sessions");
    stage.press(KeyCode::Enter);
    assert!(stage.screen().contains("… loading"));
    for wanted in [wants::MODELS, wants::SESSIONS] {
        assert!(stage.screen().contains("… loading"), "somebody else waits for that");
        let (wish, error) = (RefusedWish::Fill(wanted), HostError::Closing);
        stage.put(AppInput::Reply(HostReply::Refused { wish, error }));
    }
    assert!(stage.screen().contains("✗ could not list the sessions: the server is shutting"));
}

#[test]
fn an_answer_to_a_list_that_nobody_looks_at_any_more_does_not_fill_another() {
    let mut stage = Stage::new(60, 13);
    stage.type_text("/sessions new");
    stage.press(KeyCode::Enter);
    let rows = vec![crate::stage::row(&SessionId::new("old"))];
    stage.put(AppInput::Reply(HostReply::Sessions { text: Some("old".into()), rows }));
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

#[tokio::test]
async fn whoever_turns_to_a_new_session_while_a_message_is_sent_is_not_pulled_back() {
    let mut hosted = Hosted::new(HELLO);
    hosted.stage.put(AppInput::Paste("Hi.".to_owned()));
    hosted.stage.press(KeyCode::Enter);
    hosted.stage.state.sending = None;
    hosted.settle().await;
    assert!(hosted.stage.state.session.is_none());
    assert!(notice(&hosted.stage).contains("/sessions finds it"));
}

// Forks.

#[tokio::test]
async fn a_run_is_forked_at_a_step_and_goes_on_in_a_session_of_its_own() {
    let mut hosted = Hosted::new(TWO_STEPS);
    hosted.say("Add.").await;
    let first = session_id(&hosted);
    hosted.say("/fork").await;
    assert_eq!(labels(&hosted.stage), ["0  the message alone", "1  up to step 1", "2  up to step 2"]);
    assert_frame("commands-fork.60x13", &hosted.stage.screen());
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
    // Keys wait until a question was seen.
    hosted.stage.wait(10_000);
    hosted.press(KeyCode::Char('1')).await;
    let whole = session_id(hosted);
    let records = hosted.host.records(&whole, 0).await.unwrap();
    let started = records
        .iter()
        .position(|record| matches!(record.event, Event::Durable(DurableEvent::CallStarted { .. })));
    let cut = SessionId::new("cut-off");
    let copy = |record: &Arc<Record>| {
        let run_id = "run-cut-off".into();
        let mut record = Record { session_id: cut.clone(), run_id, ..Record::clone(record) };
        // The digest of a question names its run.
        if let Event::Durable(DurableEvent::PermissionRequested { question }) = &mut record.event {
            question.digest = question.digest_in(&record.run_id);
        }
        Arc::new(record)
    };
    let kept =
        records[..=started.unwrap()].iter().filter(|record| record.event.is_durable()).map(copy).collect();
    let begin = NewSession { title: "Cut off".into(), ..hosted.host.session(&whole).await.unwrap().begin };
    hosted.store.copy_session(&cut, begin, kept, 1).await.unwrap();
    cut
}

const WRITES: &str = "user Write.\nmodel call 1 execute_command {\"argv\":[\"touch\",\"new.txt\"]}\n\
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
        Event::Durable(DurableEvent::RunResumed { interrupted, .. }) => !interrupted.is_empty(),
        _ => false,
    });
    assert!(resumed);
    assert!(!hosted.root.path().join("new.txt").exists(), "it was not repeated");
}

#[test]
fn what_a_resumed_run_left_open_is_said() {
    let records = crate::stage::records("resumed");
    let resumed = records
        .iter()
        .find(|record| matches!(record.event, Event::Durable(DurableEvent::RunResumed { .. })))
        .unwrap();
    let Event::Durable(DurableEvent::RunResumed { interrupted, repeated, .. }) = &resumed.event else {
        unreachable!()
    };
    let mut stage = Stage::new(100, 30);
    let session_id = resumed.session_id.clone();
    let row = Box::new(crate::stage::row(&session_id));
    let before = records.iter().filter(|record| record.seq < resumed.seq).cloned().collect();
    stage.put(AppInput::Reply(HostReply::Opened { row, records: before }));
    stage.put(AppInput::Delivered(session_id, HostDelivery::Record(Arc::clone(resumed))));
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
    hosted.stage.effects.push(AppEffect::Open(cut));
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
    assert_frame("commands-context.60x13", &hosted.stage.screen());
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
    assert!(format!("{:?}", hosted.asked()[0].messages).contains("main.rs"), "the model has read it");
    let records = hosted.host.records(&session_id(&hosted), 0).await.unwrap();
    let contexts: Vec<bool> = records
        .iter()
        .filter_map(|record| match &record.event {
            Event::Durable(DurableEvent::RunStarted { wishes, .. }) => Some(wishes.context.is_some()),
            _ => None,
        })
        .collect();
    assert_eq!(contexts, [true, false]);
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
    assert_eq!(notice(&hosted.stage), "removed: file tree, 2 paths");
}

#[test]
fn what_is_written_while_a_session_is_being_read_is_sent_in_that_session_or_given_back() {
    let (chosen, other) = (SessionId::new("chosen"), SessionId::new("other"));
    let opened = |id: &SessionId| {
        let row = Box::new(crate::stage::row(id));
        AppInput::Reply(HostReply::Opened { row, records: Vec::new() })
    };
    let begin = || {
        let mut stage = Stage::new(100, 30);
        stage.put(opened(&other));
        stage.state.turn_to(chosen.clone());
        stage.take_effects();
        stage.type_text("Go on");
        stage.press(KeyCode::Enter);
        let is_sent = stage.take_effects().iter().any(|effect| matches!(effect, AppEffect::Send(_)));
        assert!(!is_sent, "the session that was chosen is not there yet");
        stage
    };
    let mut stage = begin();
    stage.put(opened(&chosen));
    let effects = stage.take_effects();
    let sent = effects.iter().find_map(|effect| match effect {
        AppEffect::Send(sending) => Some((sending.session_id.clone(), sending.text.as_str())),
        _ => None,
    });
    assert_eq!(sent, Some((Some(chosen.clone()), "Go on")));

    let mut stage = begin();
    let error = HostError::Missing { what: "session", id: "chosen".into() };
    stage.put(AppInput::Reply(HostReply::Refused { wish: RefusedWish::Open(chosen.clone()), error }));
    assert_eq!(stage.state.composer.text(), "Go on", "nothing is lost, and nothing is sent elsewhere");
}

#[test]
fn a_folder_is_trusted_only_after_it_was_shown_and_somebody_said_yes() {
    let report = TrustReport {
        root: "/home/me/project".into(),
        is_trusted: false,
        can_be_trusted: true,
        digest: "d1".into(),
        text: "settings it makes:\n  system  Be \u{1b}[31mred.\nfiles it brings:\n  tool  greet.rhai\n"
            .into(),
    };
    let mut stage = Stage::new(100, 24);
    stage.type_text("/trust");
    stage.press(KeyCode::Enter);
    assert_eq!(stage.take_effects(), [AppEffect::Remember("/trust".into()), AppEffect::LookAtFolder]);
    stage.put(AppInput::Reply(HostReply::Folder(Box::new(report.clone()))));
    let screen = stage.screen();
    assert!(
        screen.contains("greet.rhai") && screen.contains("y trust") && !screen.contains('\u{1b}'),
        "{screen}"
    );
    stage.press(KeyCode::Char('n'));
    assert!(stage.take_effects().is_empty());
    stage.put(AppInput::Reply(HostReply::Folder(Box::new(report.clone()))));
    stage.press(KeyCode::Char('y'));
    assert_eq!(stage.take_effects(), [AppEffect::TrustFolder("d1".into())]);
    // What counts already, and what cannot be trusted, is shown and not asked about.
    for (is_trusted, can_be_trusted) in [(true, true), (false, false)] {
        let report = TrustReport { is_trusted, can_be_trusted, ..report.clone() };
        stage.put(AppInput::Reply(HostReply::Folder(Box::new(report))));
        let screen = stage.screen();
        assert!(screen.contains("greet.rhai") && !screen.contains("y trust"), "{screen}");
        assert_eq!(screen.contains("/trust revoke"), is_trusted);
        stage.press(KeyCode::Esc);
    }
}

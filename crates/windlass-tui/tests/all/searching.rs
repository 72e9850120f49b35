//! The index in the terminal app: what `/search` finds in it, and how far it is.

use crossterm::event::KeyCode;
use windlass_core::ports::search::IndexProgress;
use windlass_tui::effect::AppEffect;
use windlass_tui::input::{AppInput, HostReply};

use crate::hosted::{HELLO, Hosted, labels};
use crate::stage::Stage;

#[tokio::test]
async fn a_search_shows_passages_with_what_they_define_and_why_they_were_found() {
    let mut hosted = Hosted::indexed(HELLO);
    hosted.stage.put(AppInput::Resized { columns: 110, rows: 13 });
    hosted.say("/search main").await;
    assert_eq!(labels(&hosted.stage)[0], "src/main.rs:1");
    let screen = hosted.stage.screen();
    assert!(screen.contains("fn main() {  main · lexical "), "{screen}");
    assert!(screen.contains("symbol "), "{screen}");
    hosted.press(KeyCode::Enter).await;
    assert_eq!(hosted.stage.state.composer.text(), "@src/main.rs ");
}

#[tokio::test]
async fn what_the_index_does_not_know_is_looked_for_in_the_files() {
    let mut hosted = Hosted::indexed(HELLO);
    std::fs::write(hosted.root.path().join("new.txt"), "a xylophone\n").unwrap();
    hosted.say("/search xylophone").await;
    assert_eq!(labels(&hosted.stage), ["new.txt:1"]);
}

#[tokio::test]
async fn a_host_that_does_not_index_has_nothing_to_tell() {
    for mut hosted in [Hosted::new(HELLO), Hosted::indexed(HELLO)] {
        hosted.stage.effects.push(AppEffect::WatchIndex);
        hosted.settle().await;
        assert_eq!(hosted.stage.state.indexing, None);
    }
}

#[test]
fn while_the_index_is_built_the_last_lines_say_how_far_it_is_and_nobody_asks_afterwards() {
    let mut stage = Stage::new(80, 24);
    assert!(!stage.state.is_moving() && !stage.screen().contains("indexing"));
    stage.put(AppInput::Reply(HostReply::Indexing(Some(IndexProgress { done: 120, total: 400 }))));
    assert!(stage.screen().contains("ready · indexing 120/400"), "{}", stage.screen());
    assert!(stage.state.is_moving());
    let asked = |stage: &mut Stage| {
        stage.take_effects().into_iter().filter(|effect| *effect == AppEffect::WatchIndex).count()
    };
    stage.wait(100);
    assert_eq!(asked(&mut stage), 1);
    stage.wait(100);
    stage.wait(700);
    assert_eq!(asked(&mut stage), 0, "not more often than once a second");
    stage.wait(300);
    assert_eq!(asked(&mut stage), 1);
    stage.put(AppInput::Reply(HostReply::Indexing(Some(IndexProgress::default()))));
    assert!(stage.screen().contains("ready · indexing\n"), "{}", stage.screen());
    stage.put(AppInput::Reply(HostReply::Indexing(None)));
    assert!(!stage.state.is_moving() && !stage.screen().contains("indexing"));
    stage.wait(5_000);
    assert_eq!(asked(&mut stage), 0);
}

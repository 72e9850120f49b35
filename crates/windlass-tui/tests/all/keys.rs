//! What keys do, whatever is on the screen: sending, stopping, leaving.

use crossterm::event::KeyCode;
use windlass_tui::effect::AppEffect;

use crate::stage::Stage;

#[test]
fn a_message_is_sent_and_nothing_is_sent_twice() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("hello");
    stage.press(KeyCode::Enter);
    stage.press(KeyCode::Enter);
    let sent: Vec<_> = stage
        .take_effects()
        .into_iter()
        .filter_map(|effect| match effect {
            AppEffect::Send(sending) => Some(sending.text),
            _ => None,
        })
        .collect();
    assert_eq!(sent, ["hello"]);
    assert!(stage.state.composer.is_empty());
}

/// what is written while tools run is kept, and waits for its turn.
#[test]
fn r_59_a_message_that_is_written_while_a_call_runs_waits_for_the_run() {
    let mut stage = Stage::new(80, 24);
    stage.follow("running");
    stage.type_text("and then this");
    assert!(stage.screen().contains("and then this"));
    stage.press(KeyCode::Enter);
    assert_eq!(stage.state.waiting, ["and then this"]);
    assert!(!stage.take_effects().iter().any(|effect| matches!(effect, AppEffect::Send(_))));
}

#[test]
fn the_first_wish_to_stop_cancels_and_the_second_leaves() {
    for second in ['c', 'e'] {
        let mut stage = Stage::new(80, 24);
        stage.follow("running");
        stage.take_effects();
        stage.press(KeyCode::Esc);
        assert!(matches!(stage.take_effects().as_slice(), [AppEffect::Cancel(_)]));
        assert!(!stage.state.is_over);
        match second {
            'c' => stage.press_ctrl('c'),
            _ => stage.press(KeyCode::Esc),
        }
        assert!(stage.state.is_over);
    }
}

#[test]
fn with_nothing_to_stop_it_takes_two_to_leave_and_not_much_time_between_them() {
    let mut stage = Stage::new(80, 24);
    stage.press_ctrl('c');
    stage.wait(10_000);
    stage.press_ctrl('c');
    assert!(!stage.state.is_over);
    stage.press_ctrl('c');
    assert!(stage.state.is_over);
}

//! Every session of `fixtures/views`, as the web app shows them too, in several sizes: what the screen looks like.

use crate::stage::{Stage, assert_frame, session_names};

#[test]
fn every_session_looks_as_it_did() {
    for name in session_names() {
        for (columns, rows) in [(100, 40), (60, 24)] {
            let mut stage = Stage::new(columns, rows);
            stage.follow(&name);
            assert_frame(&format!("{name}.{columns}x{rows}"), &stage.screen());
        }
    }
}

/// Deltas are for the eye: what is left of a run when it has ended is the same without them.
#[test]
fn a_session_that_was_read_is_the_one_that_was_followed() {
    for name in session_names() {
        let (mut followed, mut read) = (Stage::new(100, 60), Stage::new(100, 60));
        followed.follow(&name);
        read.open(&name);
        let runs = |stage: &Stage| stage.state.session.as_ref().unwrap().view.runs.clone();
        if runs(&followed).iter().all(|run| run.ended.is_some()) {
            assert_eq!(runs(&followed), runs(&read), "{name}");
        }
    }
}

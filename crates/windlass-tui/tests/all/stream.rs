//! The stream of a session: gaps, ends, and what is on the screen meanwhile.

use windlass_core::ports::host::{HostDelivery, HostError};
use windlass_core::protocol::ids::SessionId;
use windlass_tui::effect::AppEffect;
use windlass_tui::input::{AppInput, HostReply, RefusedWish};

use crate::stage::{Stage, records, row};

fn session_id(stage: &Stage) -> SessionId {
    stage.state.session.as_ref().unwrap().row.session_id.clone()
}

#[test]
fn after_a_gap_the_session_is_made_again_from_what_is_on_record() {
    let mut stage = Stage::new(100, 30);
    stage.follow("speaking");
    let (before, id) = (stage.screen(), session_id(&stage));
    stage.take_effects();
    stage.put(AppInput::Delivered(id.clone(), HostDelivery::Gap));
    assert_eq!(stage.take_effects(), [AppEffect::Unfollow, AppEffect::Open(id.clone())]);
    let all = records("speaking");
    let durable = all.iter().filter(|record| record.event.is_durable()).cloned().collect();
    stage.put(AppInput::Reply(HostReply::Opened { row: Box::new(row(&id)), records: durable }));
    for record in all.iter().filter(|record| !record.event.is_durable()) {
        stage.put(AppInput::Delivered(id.clone(), HostDelivery::Record(record.clone())));
    }
    assert_eq!(stage.screen(), before);
}

#[test]
fn a_lost_connection_is_told_until_the_stream_is_open_again() {
    let mut stage = Stage::new(100, 30);
    stage.follow("two_runs");
    let id = session_id(&stage);
    stage.take_effects();
    stage.put(AppInput::StreamEnded(id.clone()));
    assert!(stage.screen().contains("connection lost"), "{}", stage.screen());
    let after = records("two_runs").iter().map(|record| record.seq).max().unwrap();
    assert_eq!(stage.take_effects(), [AppEffect::Follow { session_id: id.clone(), after }]);
    // The host is not there yet: whoever follows tries again.
    let error = HostError::Broken("nobody listens".to_owned());
    stage.put(AppInput::Reply(HostReply::Refused { wish: RefusedWish::Open(id.clone()), error }));
    assert_eq!(stage.take_effects(), [AppEffect::Follow { session_id: id.clone(), after }]);
    stage.put(AppInput::Followed(id));
    assert!(!stage.screen().contains("connection lost"), "{}", stage.screen());
}

#[test]
fn news_of_a_session_that_is_not_shown_any_more_changes_nothing() {
    let mut stage = Stage::new(100, 30);
    stage.follow("two_runs");
    let before = stage.screen();
    for delivery in [HostDelivery::Gap, HostDelivery::Deleted] {
        stage.put(AppInput::Delivered(SessionId::new("another"), delivery));
    }
    assert_eq!(stage.screen(), before);
}

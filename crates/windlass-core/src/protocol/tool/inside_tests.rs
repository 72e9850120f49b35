//! Calls inside a call, folded from records old and new.

use super::*;
use crate::protocol::tool::{ErrorKind, ToolFailure, ToolOutput};

fn record(event: Event) -> Record {
    let (session_id, run_id, parent_id) = ("s".into(), "r".into(), "m".into());
    Record { seq: 1, ts_ms: 5, session_id, run_id, parent_id, event, cause: None }
}

fn started(path: &[u32], name: &str, effects: Effects) -> Event {
    Event::Durable(DurableEvent::InnerCallStarted {
        call_id: "call_1".into(),
        path: path.to_vec(),
        name: name.to_owned(),
        arguments: "{}".to_owned(),
        effects: Some(effects),
    })
}

fn ended(path: &[u32], outcome: &ToolOutcome) -> Event {
    inner_end("call_1".into(), path.to_vec(), outcome)
}

fn fold(events: Vec<Event>) -> Vec<InnerCall> {
    let records: Vec<Record> = events.into_iter().map(record).collect();
    inside_of(&records, &"call_1".into())
}

fn denied() -> ToolOutcome {
    ToolOutcome::failed(ToolFailure::new(ErrorKind::PermissionDenied, "no"))
}

#[test]
fn calls_inside_calls_stand_under_the_call_that_made_them() {
    let done = ToolOutcome::ok(ToolOutput::text("42"));
    let calls = fold(vec![
        started(&[1], "one", Effects::External),
        started(&[1, 1], "deeper", Effects::Write),
        ended(&[1, 1], &done),
        ended(&[1], &done),
        started(&[2], "two", Effects::Read),
    ]);
    let [one, two] = calls.as_slice() else { panic!("{calls:?}") };
    assert_eq!((one.word(), one.inside.len(), two.word()), ("ok", 1, "running"));
    assert_eq!((one.inside[0].name.as_str(), one.inside[0].said.as_str()), ("deeper", "42"));
}

#[test]
fn records_of_other_calls_and_places_that_are_not_there_change_nothing() {
    let mut other = started(&[1], "one", Effects::Read);
    if let Event::Durable(DurableEvent::InnerCallStarted { call_id, .. }) = &mut other {
        *call_id = "call_2".into();
    }
    let end = ended(&[3], &denied());
    let empty = started(&[], "one", Effects::Read);
    assert!(fold(vec![other, end, empty, started(&[4, 1], "deep", Effects::Read)]).is_empty());
}

#[test]
fn what_was_refused_or_only_read_has_changed_nothing() {
    let may = |events| fold(events).iter().any(InnerCall::may_have_changed);
    assert!(!may(vec![started(&[1], "read", Effects::Read)]));
    assert!(may(vec![started(&[1], "write", Effects::Write)]));
    assert!(!may(vec![started(&[1], "write", Effects::Write), ended(&[1], &denied())]));
    assert!(may(vec![started(&[1], "read", Effects::Read), started(&[1, 1], "write", Effects::Write)]));
}

#[test]
fn a_call_without_an_end_was_cut_off_by_what_came_after_it() {
    let open = || started(&[1], "write", Effects::Write);
    let resumed = Event::Durable(DurableEvent::RunResumed {
        interrupted: Vec::new(),
        repeated: Vec::new(),
        grants: Vec::new(),
    });
    assert_eq!(fold(vec![open(), resumed])[0].word(), "interrupted");
    let done = ToolOutcome::ok(ToolOutput::text("done"));
    let deep = vec![open(), started(&[1, 1], "deep", Effects::Write), ended(&[1], &done)];
    assert_eq!(fold(deep)[0].inside[0].word(), "cancelled");
}

#[test]
fn what_was_cut_off_is_told_with_the_newest_calls() {
    let events = (1..=20).map(|number| started(&[number], &format!("tool_{number}"), Effects::Write));
    let told = tell_inside(&fold(events.collect()));
    assert!(
        told.starts_with("Calls that it had made: 4 others, then tool_5 {} (may or may not have happened), ")
    );
    assert!(told.ends_with("tool_20 {} (may or may not have happened)"), "{told}");
}

use super::*;
use crate::protocol::event::{DurableEvent, RunOutcome, StopReason};
use crate::protocol::model::NoticeKind;

fn report(step: u32, events: Vec<(Millis, Event)>) -> Option<StepReport> {
    let records: Vec<Record> = (1..)
        .zip(events)
        .map(|(seq, (ts_ms, event))| Record {
            seq,
            ts_ms,
            session_id: "s".into(),
            run_id: "r".into(),
            parent_id: "m".into(),
            event,
            cause: None,
        })
        .collect();
    StepReport::fold(step, &records)
}

fn started(step: u32, attempt: u32) -> Event {
    Event::Durable(DurableEvent::StepStarted { step, purpose: StepPurpose::Work, attempt })
}

fn delayed(step: u32) -> Event {
    Event::Durable(DurableEvent::StepDelayed {
        step,
        attempt: 2,
        attempts_max: 3,
        delay_ms: 40,
        code: "rate_limit".into(),
        message: "slow down".into(),
        usage: None,
    })
}

fn ended(step: u32, text: &str, finish: Finish) -> Event {
    Event::Durable(DurableEvent::StepEnded {
        step,
        message: Arc::new(Message::assistant(text)),
        finish,
        usage: None,
    })
}

fn run_ended() -> Event {
    Event::Durable(DurableEvent::RunEnded {
        outcome: RunOutcome::Failed,
        reason: StopReason::ModelFailed,
        answer: String::new(),
        usage: Usage::default(),
    })
}

#[test]
fn all_tries_of_a_step_are_listed_with_their_times() {
    let events = vec![
        (10, started(1, 1)),
        (15, ended(1, "One", Finish::Calls)),
        (20, started(2, 1)),
        (25, delayed(2)),
        (25, started(2, 2)),
        (90, ended(2, "Two", Finish::Stop)),
        (91, started(3, 1)),
    ];
    let report = report(2, events).unwrap();
    let tries: Vec<_> =
        report.attempts.iter().map(|own| (own.attempt, own.started_ms, own.ended_ms, own.delay_ms)).collect();
    assert_eq!(tries, [(1, 20, Some(25), None), (2, 25, Some(90), Some(40))]);
    assert_eq!(report.attempts[0].failure.as_ref().unwrap().code, "rate_limit");
    assert_eq!(report.attempts[1].failure, None);
    assert_eq!(report.response.unwrap().message.text(), "Two");
}

#[test]
fn a_try_with_a_history_that_was_too_long_says_so() {
    let adjusted = Event::Durable(DurableEvent::RequestAdjusted {
        step: 1,
        kind: NoticeKind::Trimmed,
        rule: OVERFLOW.into(),
        message: "2 messages were left out".into(),
    });
    let report = report(1, vec![(1, started(1, 1)), (4, adjusted), (4, started(1, 2))]).unwrap();
    assert_eq!(report.attempts[0].failure.as_ref().unwrap().code, OVERFLOW);
    assert_eq!((report.attempts[0].ended_ms, report.attempts[1].ended_ms), (Some(4), None));
    assert_eq!(report.response, None);
}

#[test]
fn a_step_that_failed_has_the_failure_of_its_run() {
    let failed =
        || Event::Durable(DurableEvent::ErrorRaised { code: "auth".into(), message: "wrong key".into() });
    let silent = report(1, vec![(1, started(1, 1)), (3, failed()), (3, run_ended())]).unwrap();
    assert_eq!(silent.attempts[0].failure.as_ref().unwrap().message, "wrong key");
    assert_eq!(silent.attempts[0].ended_ms, Some(3));
    let heard = ended(1, "Hal", Finish::Other("auth".into()));
    let cut = report(1, vec![(1, started(1, 1)), (2, heard), (3, failed()), (3, run_ended())]).unwrap();
    assert_eq!(cut.attempts[0].failure.as_ref().unwrap().code, "auth");
    assert_eq!((cut.attempts[0].ended_ms, cut.response.is_some()), (Some(2), true));
}

#[test]
fn the_error_of_a_later_step_is_not_told_of_an_earlier_one() {
    let failed =
        Event::Durable(DurableEvent::ErrorRaised { code: "auth".into(), message: "wrong key".into() });
    let events = vec![
        (1, started(1, 1)),
        (2, ended(1, "One", Finish::Calls)),
        (3, started(2, 1)),
        (4, failed),
        (4, run_ended()),
    ];
    assert_eq!(report(1, events.clone()).unwrap().attempts[0].failure, None);
    assert_eq!(report(2, events.clone()).unwrap().attempts[0].failure.as_ref().unwrap().code, "auth");
    assert_eq!(report(3, events), None);
}

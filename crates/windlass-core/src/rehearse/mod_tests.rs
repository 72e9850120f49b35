use super::*;
use crate::permission::GateSettings;
use crate::profile::Profile;
use crate::protocol::event::DeltaEvent;
use crate::protocol::message::Message;
use crate::protocol::model::{Finish, StepPurpose};

fn settings(model: &str) -> Arc<RunSettings> {
    let (profile, system) = (Profile::default(), "".into());
    Arc::new(RunSettings { profile, model: model.into(), system, context_tokens: None, form: None })
}

fn record(ts_ms: Millis, event: Event) -> Arc<Record> {
    let (session_id, run_id, parent_id) = ("s".into(), "run".into(), "m".into());
    Arc::new(Record { seq: ts_ms, ts_ms, session_id, run_id, parent_id, event, cause: None })
}

fn begin() -> Vec<Arc<Record>> {
    let (model, profile) = ("old".into(), "default".into());
    let message = Arc::new(Message::user("Go."));
    vec![
        record(
            100,
            Event::Durable(DurableEvent::RunStarted { model, profile, message, wishes: Arc::default() }),
        ),
        record(
            100,
            Event::Durable(DurableEvent::StepStarted { step: 1, purpose: StepPurpose::Work, attempt: 1 }),
        ),
    ]
}

fn play(records: &[Arc<Record>]) -> Result<Rehearsed, Divergence> {
    let start = start_of(records, Transcript::default(), 1).unwrap();
    let mut permissions = Permissions::default();
    permissions.begin_run(GateSettings::default());
    rehearse(settings("new"), start, records, &Toolset::empty(), &mut permissions, CheckedBy::Record)
}

#[test]
fn a_run_may_go_on_with_another_model_and_asks_for_the_step_that_was_cut() {
    let rehearsed = play(&begin()).unwrap();
    assert!(matches!(rehearsed.live.as_slice(), [Effect::CallModel { .. }]), "{:?}", rehearsed.live);
    assert_eq!(rehearsed.same, 2);
}

#[test]
fn the_first_record_that_comes_out_otherwise_is_named() {
    let mut records = begin();
    let message = Arc::new(Message::assistant("Hi."));
    records.push(record(
        200,
        Event::Durable(DurableEvent::StepEnded { step: 7, message, finish: Finish::Stop, usage: None }),
    ));
    let divergence = play(&records).unwrap_err();
    assert_eq!(divergence.seq, 200);
    assert!(divergence.recorded.contains("\"step\":7") && divergence.replayed.contains("\"step\":1"));
    records.pop();
    records.push(record(200, Event::Durable(DurableEvent::NoteAdded { text: "from nowhere".into() })));
    assert_eq!(play(&records).unwrap_err().seq, 200);
}

#[test]
fn r_60_the_time_in_which_nobody_was_there_does_not_count() {
    let limits = Profile::default().limits;
    let work_ms = limits.run_timeout_ms - limits.final_reserve_ms;
    let mut records = begin();
    let resumed = Event::Durable(DurableEvent::RunResumed {
        interrupted: Vec::new(),
        repeated: Vec::new(),
        grants: Vec::new(),
    });
    records.push(record(150, Event::Delta(DeltaEvent::TextDelta { text: "half".into() })));
    records.push(record(10_000, resumed));
    let failed = Event::Durable(DurableEvent::StepDelayed {
        step: 1,
        attempt: 2,
        attempts_max: 3,
        delay_ms: 500,
        code: "overloaded".into(),
        message: "later".into(),
        usage: None,
    });
    records.push(record(10_010, failed));
    records.push(record(
        10_010,
        Event::Durable(DurableEvent::StepStarted { step: 1, purpose: StepPurpose::Work, attempt: 2 }),
    ));
    let mut rehearsed = play(&records).unwrap();
    assert_eq!(rehearsed.work_at, Some(10_000 + work_ms - 50), "50 ms were used before the first stop");
    rehearsed.go_on_at(90_000);
    assert_eq!(rehearsed.work_at, Some(90_000 + work_ms - 60), "and 10 ms before the second");
}

#[test]
fn a_beginning_that_is_not_there_is_no_run() {
    assert!(start_of(&begin()[1..], Transcript::default(), 1).is_none());
}

//! Every script is cut after every input: a machine that was driven through what is on record goes on as the
//! first one did, and the records fold to the transcript that it left.

use std::sync::Arc;

use windlass_core::protocol::cause::Cause;
use windlass_core::protocol::event::{DeltaEvent, Event, Record};
use windlass_core::protocol::history::History;
use windlass_core::protocol::message::{Transcript, text_of};
use windlass_core::rehearse::{CheckedBy, rehearse, start_of};
use windlass_core::run::{Effect, Finished, Input, World};
use windlass_scripted::play;

use crate::machine::{Machine, PlayedRun};
use crate::scripts::{parse, scripts_in};

/// The records of some inputs, as a store gives them back.
fn records<'a>(
    run_id: &str,
    first_seq: u64,
    inputs: impl Iterator<Item = &'a (Input, Vec<Event>)>,
) -> Vec<Arc<Record>> {
    let events = inputs.flat_map(|(input, events)| {
        let cause = Some(Arc::new(Cause::of(input)));
        let heard = match input {
            Input::ModelFailed { partial, .. } => text_of(partial),
            _ => String::new(),
        };
        let delta = (!heard.is_empty()).then_some(Event::Delta(DeltaEvent::TextDelta { text: heard }));
        delta.into_iter().chain(events.iter().cloned()).map(move |event| (event, cause.clone()))
    });
    let record = |(seq, (event, cause)): (u64, (Event, Option<Arc<Cause>>))| Record {
        seq,
        ts_ms: 1_000,
        session_id: "session".into(),
        run_id: run_id.into(),
        parent_id: "message".into(),
        event,
        cause,
    };
    let records: Vec<Record> = (first_seq..).zip(events).map(record).collect();
    serde_json::from_str(&serde_json::to_string(&records).unwrap()).unwrap()
}

fn check_cut(name: &str, run: &PlayedRun, upto: usize) {
    let run_id = match &run.inputs[0].0 {
        Input::UserMessage(start) => start.send.run_id.clone(),
        other => panic!("a run begins with a message, not {other:?}"),
    };
    let before = records(run_id.as_str(), 1, run.inputs[..upto].iter());
    let start = start_of(&before, Arc::clone(&run.transcript), run.next_call_number).unwrap();
    let mut permissions = run.permissions.clone();
    let (settings, checked_by) = (Arc::clone(&run.settings), CheckedBy::Record);
    let rehearsed = rehearse(settings, start, &before, &run.tools, &mut permissions, checked_by)
        .unwrap_or_else(|divergence| panic!("{name}, cut after {upto}: {divergence}"));
    let mut machine = rehearsed.run;
    let mut end: Option<Finished> = rehearsed.finished.map(|finished| *finished);
    let mut after = Vec::new();
    let live = rehearsed.live.iter().filter(|effect| matches!(effect, Effect::Emit(_))).count();
    assert_eq!(live, 0, "{name}: one input is one append");
    // Inspections that were over before the cut without a word on record are asked for again.
    let again = rehearsed.live.iter().filter_map(|effect| match effect {
        Effect::InspectCall(call) => Some(&call.call.id),
        _ => None,
    });
    let answers = again.flat_map(|asked| {
        run.inputs[..upto].iter().filter(
            move |(input, _)| matches!(input, Input::CallInspected { call_id, .. } if call_id == asked),
        )
    });
    for (input, _) in answers.chain(&run.inputs[upto..]) {
        let mut world = World { tools: &run.tools, permissions: &mut permissions, is_audited: true };
        for effect in machine.handle(1_000, &mut world, input.clone()) {
            match effect {
                Effect::Emit(event) => after.push(event),
                Effect::Finish(finished) => end = Some(*finished),
                _ => {}
            }
        }
    }
    let expected: Vec<Event> = run.inputs[upto..].iter().flat_map(|(_, events)| events.clone()).collect();
    assert_eq!(after, expected, "{name}, cut after {upto}");
    let (end, finished) = (end.unwrap(), run.finished.as_ref().unwrap());
    assert_eq!((&end.transcript, &end.answer), (&finished.transcript, &finished.answer), "{name}");
}

#[test]
fn r_38_r_60_every_fixture_goes_on_after_a_cut_anywhere_as_without_it() {
    let mut cuts = 0;
    for (name, text) in scripts_in("fixtures/scripts") {
        let script = parse(&name, &text);
        let mut machine = Machine::new(&script);
        play(&script, &mut machine).unwrap();
        for run in machine.log.iter().filter(|run| run.finished.is_some()) {
            for upto in (1..=run.inputs.len()).filter(|upto| !run.inputs[upto - 1].1.is_empty()) {
                check_cut(&name, run, upto);
                cuts += 1;
            }
        }
    }
    assert!(cuts > 200, "only {cuts} cuts");
}

#[test]
fn the_records_of_every_fixture_fold_to_the_transcript_that_the_machine_left() {
    for (name, text) in scripts_in("fixtures/scripts") {
        let script = parse(&name, &text);
        let mut machine = Machine::new(&script);
        play(&script, &mut machine).unwrap();
        let mut session: Vec<Arc<Record>> = Vec::new();
        let mut left = Transcript::default();
        for (number, run) in machine.log.iter().enumerate().filter(|(_, run)| run.finished.is_some()) {
            let next_seq = session.len() as u64 + 1;
            session.extend(records(&format!("run_{number}"), next_seq, run.inputs.iter()));
            let history = History::fold(&[], &session);
            left = Arc::clone(&run.finished.as_ref().unwrap().transcript);
            assert_eq!(history.transcript, left, "{name}");
            assert_eq!(history.next_call_number, run.finished.as_ref().unwrap().next_call_number, "{name}");
        }
        assert!(!left.is_empty(), "{name}");
    }
}

//! Rehearsals: a run is cut after every input, and a fresh machine that was driven through its records goes on
//! as the first one did.

use std::sync::Arc;

use windlass_core::calls::toolset::Toolset;
use windlass_core::permission::{GateSettings, Permissions};
use windlass_core::protocol::cause::Cause;
use windlass_core::protocol::event::{DeltaEvent, DurableEvent, Event, Record};
use windlass_core::protocol::history::History;
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::message::{Message, Transcript, text_of};
use windlass_core::protocol::model::ModelRequest;
use windlass_core::protocol::tool::{ToolOutcome, ToolOutput};
use windlass_core::rehearse::{CheckedBy, Rehearsed, recall_request, rehearse, start_of};
use windlass_core::run::{Deadline, Effect, Finished, Input, Run, RunSettings, World};
use windlass_testkit::{other_words, reworded};

use crate::sim::{Handled, Sim, check_transcript};
use crate::walks::{Dice, past, wander, world};

/// A run that happened, and everything that is needed to let it happen again.
struct Past {
    settings: Arc<RunSettings>,
    tools: Toolset,
    permissions: Permissions,
    history: Transcript,
    first_call: u64,
    log: Vec<Handled>,
    requests: Vec<ModelRequest>,
    finished: Finished,
    /// Whether records name their causes; those of the first release did not.
    has_causes: bool,
}

impl Past {
    fn walk(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let mut sim = world(&mut dice);
        let (history, first_call) = past(&mut dice);
        let (settings, tools) = (Arc::new(sim.settings()), sim.tools.clone());
        let mut permissions = sim.permissions.clone();
        permissions.begin_run(GateSettings::default());
        sim.log = Some(Vec::new());
        wander(&mut dice, &mut sim, Arc::clone(&history), first_call);
        let Sim { log, requests, finished, .. } = sim;
        // The first release judged no question by another mode, and had no budget of money.
        let changes_mode = |handled: &Handled| matches!(handled.input, Input::ModeChanged(_));
        let is_later = settings.profile.limits.cost_usd_max.is_some();
        let has_causes = !seed.is_multiple_of(4) || is_later || log.iter().flatten().any(changes_mode);
        Self {
            settings,
            tools,
            permissions,
            history,
            first_call,
            log: log.unwrap(),
            requests,
            finished: finished.unwrap(),
            has_causes,
        }
    }

    /// The records of the inputs so far, with the text that a model had given before it failed.
    fn records(&self, upto: usize) -> Vec<Arc<Record>> {
        let mut records: Vec<Arc<Record>> = Vec::new();
        for handled in &self.log[..upto] {
            let heard = match &handled.input {
                Input::ModelFailed { partial, .. } if !handled.events.is_empty() => text_of(partial),
                _ => String::new(),
            };
            let delta = (!heard.is_empty()).then_some(Event::Delta(DeltaEvent::TextDelta { text: heard }));
            let cause = self.has_causes.then(|| Arc::new(Cause::of(&handled.input)));
            for event in delta.into_iter().chain(handled.events.iter().cloned()) {
                let cause = cause.clone().filter(|_| event.is_durable());
                records.push(Arc::new(Record {
                    seq: records.len() as u64 + 1,
                    ts_ms: handled.now,
                    session_id: "session_1".into(),
                    run_id: "run_1".into(),
                    parent_id: "message_1".into(),
                    event,
                    cause,
                }));
            }
        }
        // As a store gives them back.
        let text = serde_json::to_string(&records).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn rehearse(&self, records: &[Arc<Record>], permissions: &mut Permissions) -> Rehearsed {
        let start = start_of(records, Arc::clone(&self.history), self.first_call).unwrap();
        rehearse(Arc::clone(&self.settings), start, records, &self.tools, permissions, CheckedBy::Record)
            .unwrap_or_else(|divergence| panic!("{divergence}\n{}", story(records)))
    }

    /// Cuts the run after so many inputs, rehearses, and goes on with what happened then.
    fn cut(&self, upto: usize) {
        let records = self.records(upto);
        let mut permissions = self.permissions.clone();
        for handled in &self.log[..upto] {
            note_mode(&mut permissions, &handled.input);
        }
        let rehearsed = self.rehearse(&records, &mut permissions);
        let last = &self.log[upto - 1];
        let mut begun: Vec<CallId> =
            rehearsed.begun.iter().map(|begun| begun.call.call().id.clone()).collect();
        begun.sort();
        assert_eq!(begun, last.running, "R-38: every call that ran is told, and no other");
        let asking: Vec<CallId> =
            rehearsed.questions.iter().map(|question| question.call_id.clone()).collect();
        assert_eq!(asking, last.asking, "questions wait");
        if rehearsed.interruption.is_some() {
            return self.interrupt(rehearsed, permissions);
        }
        let mut again =
            Again { run: rehearsed.run, tools: &self.tools, permissions, events: Vec::new(), end: None };
        for effect in rehearsed.live {
            // An inspection that was over before the cut, without a word on record.
            if let Effect::InspectCall(call) = &effect
                && let Some(input) = self.inspection(upto, &call.call.id)
            {
                again.feed(last.now, input);
            }
            again.take(effect);
        }
        for handled in &self.log[upto..] {
            let before = again.events.len();
            again.feed(handled.now, handled.input.clone());
            let is_put_off = again.events.len() == before && !handled.events.is_empty();
            if is_put_off && matches!(handled.input, Input::DeadlinePassed(Deadline::Work)) {
                again.feed(handled.now, handled.input.clone());
            }
        }
        let expected: Vec<&Event> = self.log[upto..].iter().flat_map(|handled| &handled.events).collect();
        assert_eq!(again.events.iter().collect::<Vec<_>>(), expected, "the same goes on");
        if let Some(end) = again.end.or(rehearsed.finished.map(|finished| *finished)) {
            assert_eq!(end.transcript, self.finished.transcript);
            assert_eq!(
                (end.answer, end.next_call_number),
                (self.finished.answer.clone(), self.finished.next_call_number)
            );
        } else {
            panic!("the run did not end again");
        }
    }

    fn inspection(&self, upto: usize, id: &CallId) -> Option<Input> {
        self.log[..upto].iter().find_map(|handled| match &handled.input {
            input @ Input::CallInspected { call_id, .. } if call_id == id && handled.is_wanted => {
                Some(input.clone())
            }
            _ => None,
        })
    }

    /// The model was cut in the middle of a step whose calls had come: the calls get their outcomes, and the
    /// run goes on to a legal end.
    fn interrupt(&self, rehearsed: Rehearsed, permissions: Permissions) {
        let mut again =
            Again { run: rehearsed.run, tools: &self.tools, permissions, events: Vec::new(), end: None };
        again.feed(10_000, rehearsed.interruption.unwrap());
        for begun in rehearsed.begun {
            let (call_id, outcome) =
                (begun.call.call().id.clone(), ToolOutcome::ok(ToolOutput::text("late")));
            again.feed(10_001, Input::CallEnded { call_id, outcome });
        }
        again.feed(10_002, Input::Cancel { partial: String::new() });
        check_transcript(&again.end.expect("cancel ends every run").transcript);
    }
}

/// A rehearsed machine that goes on.
struct Again<'a> {
    run: Run,
    tools: &'a Toolset,
    permissions: Permissions,
    events: Vec<Event>,
    end: Option<Finished>,
}

impl Again<'_> {
    fn feed(&mut self, now: u64, input: Input) {
        note_mode(&mut self.permissions, &input);
        let mut world = World { tools: self.tools, permissions: &mut self.permissions, is_audited: true };
        for effect in self.run.handle(now, &mut world, input) {
            self.take(effect);
        }
    }

    fn take(&mut self, effect: Effect) {
        match effect {
            Effect::Emit(event) => self.events.push(event),
            Effect::Finish(finished) => self.end = Some(*finished),
            _ => {}
        }
    }
}

/// Whoever drives a machine tells the permissions of another mode first.
fn note_mode(permissions: &mut Permissions, input: &Input) {
    if let Input::ModeChanged(mode) = input {
        permissions.set_mode(*mode);
    }
}

fn story(records: &[Arc<Record>]) -> String {
    let line = |record: &Arc<Record>| {
        format!("{} {}", record.seq, serde_json::to_string(&(&record.cause, &record.event)).unwrap())
    };
    records.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn check_walks(walks: u64, check: impl Fn(u64, Past) + Copy + Send + 'static) {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let work = move |worker: u64| {
        (worker..walks).step_by(threads as usize).for_each(|seed| check(seed, Past::walk(seed)))
    };
    let workers: Vec<_> = (0..threads).map(|worker| std::thread::spawn(move || work(worker))).collect();
    workers.into_iter().for_each(|worker| worker.join().unwrap());
}

#[test]
fn r_38_r_60_a_run_that_was_cut_after_any_input_goes_on_as_without_the_cut() {
    check_walks(10_000, |seed, past| {
        let cuts = (1..=past.log.len()).filter(|upto| !past.log[upto - 1].events.is_empty());
        for upto in cuts {
            let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| past.cut(upto)));
            assert!(checked.is_ok(), "the walk with seed {seed}, cut after {upto} inputs, broke (see above)");
        }
    });
}

#[test]
fn a_run_that_was_copied_up_to_any_step_goes_on_from_there() {
    check_walks(500, |seed, past| {
        let records = past.records(past.log.len());
        let steps = (0..records.len())
            .filter(|at| matches!(records[*at].event, Event::Durable(DurableEvent::StepStarted { .. })));
        for at in steps {
            let mut permissions = past.permissions.clone();
            let rehearsed = past.rehearse(&records[..at], &mut permissions);
            let goes_on = rehearsed.live.iter().any(|effect| {
                matches!(effect, Effect::CallModel { .. } | Effect::InspectCall(_) | Effect::Finish(_))
            });
            let waits = !rehearsed.begun.is_empty() || !rehearsed.questions.is_empty();
            let has_more = goes_on || waits || rehearsed.interruption.is_some();
            assert!(has_more, "seed {seed} at {at}: {:?}\n{}", rehearsed.live, story(&records[..at]));
        }
    });
}

#[test]
fn the_request_of_every_step_is_made_again_as_it_was_sent() {
    check_walks(2_000, |seed, past| {
        let records = past.records(past.log.len());
        let steps = past.requests.last().map_or(0, |request| request.step);
        for step in 1..=steps {
            let sent = past.requests.iter().rfind(|request| request.step == step).unwrap();
            let start = start_of(&records, Arc::clone(&past.history), past.first_call).unwrap();
            let (tools, mut permissions) = (&past.tools, past.permissions.clone());
            let made = recall_request(&past.settings, start, &records, tools, &mut permissions, step);
            let made = made.unwrap_or_else(|problem| panic!("seed {seed}: {problem}\n{}", story(&records)));
            assert_eq!(made.as_ref(), sent, "seed {seed}, step {step}\n{}", story(&records));
        }
    });
}

#[test]
fn r_54_the_folded_history_of_a_run_is_the_transcript_that_the_machine_left() {
    check_walks(5_000, |seed, past| {
        let records = past.records(past.log.len());
        let history = History::fold(&past.history, &records);
        assert_eq!(history.transcript, past.finished.transcript, "seed {seed}\n{}", story(&records));
        assert!(history.unfinished.is_none() && history.last_seq == records.len() as u64);
        let has_calls = records
            .iter()
            .any(|record| matches!(record.event, Event::Durable(DurableEvent::CallRequested { .. })));
        if has_calls {
            assert_eq!(history.next_call_number, past.finished.next_call_number, "seed {seed}");
        }
        let half = History::fold(&past.history, &records[..records.len() - 1]);
        assert_eq!(half.transcript, past.history, "seed {seed}");
        assert_eq!(half.unfinished.map(|records| records.len()), Some(records.len() - 1));
    });
}

/// What a run can be taken up from does not hang on how anything is worded; and what the model was told stays what it
/// was told.
#[test]
fn a_run_is_driven_through_its_record_whatever_the_words_in_it_are() {
    check_walks(3_000, |seed, mut past| {
        past.has_causes = true;
        let cuts = (1..=past.log.len()).filter(|upto| !past.log[upto - 1].events.is_empty());
        for upto in cuts {
            let records: Vec<Arc<Record>> =
                past.records(upto).iter().map(|record| Arc::new(reworded(record))).collect();
            let mut permissions = past.permissions.clone();
            let rehearsed = past.rehearse(&records, &mut permissions);
            let asking: Vec<CallId> =
                rehearsed.questions.iter().map(|question| question.call_id.clone()).collect();
            assert_eq!(asking, past.log[upto - 1].asking, "seed {seed}");
            for message in rehearsed.run.transcript().iter().skip(past.history.len()) {
                if let Message::Tool(tool) = message.as_ref() {
                    let mut told = tool.content.clone();
                    other_words(&mut told);
                    assert_eq!(told, tool.content, "seed {seed}");
                }
            }
        }
    });
}

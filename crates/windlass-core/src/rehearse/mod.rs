//! Rehearsal: a fresh machine is driven through the records of a run, until it stands where the run stood.
//!
//! Nothing is done outside: models and tools are answered for from the record, verdicts are recalled from it,
//! and every event the machine emits must be the one on record. What the machine wants beyond the end of the
//! record is live: recovery does it, `replay` expects nothing of it, a fork goes its own way with it. The
//! machine itself is never stored.
//!
//! - `tape`: the records, and how far they were played
//! - `cue`: the input that led to the next record, from its cause; `first_release`: causes of old records
//! - `compare`: whether an event came out as it is on record
//! - `rebuild`: steps and calls as the model gave them
//! - `verdict`: what was allowed, asked and denied
//! - `request`: what a step asked of its model, which is not on record
//! - `abandon`: the end of a run that cannot be rehearsed

mod abandon;
mod compare;
mod cue;
mod first_release;
mod rebuild;
mod request;
mod tape;
mod verdict;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use abandon::{abandon, interrupted_outcome};
pub use request::recall_request;

use self::compare::is_same;
use self::cue::Cue;
use self::request::WantedRequest;
use self::tape::Tape;
use crate::calls::json::clip::clip_chars;
use crate::calls::toolset::Toolset;
use crate::permission::{ApprovedCall, Permissions, Question};
use crate::protocol::command::{MessageSend, RunWishes};
use crate::protocol::event::{DurableEvent, Event, Record};
use crate::protocol::ids::{CallId, Millis};
use crate::protocol::message::Transcript;
use crate::protocol::model::{ModelFailure, ModelFailureKind};
use crate::run::{Deadline, Effect, Finished, Input, Recorded, Run, RunSettings, Start, World};

/// Characters of an event in the description of a divergence.
const EVENT_CHARS_MAX: usize = 400;

/// A run that stands where its record ends.
#[derive(Debug)]
pub struct Rehearsed {
    pub run: Run,
    /// What has to be done now, in order.
    pub live: Vec<Effect>,
    /// Calls that were running when the record ended.
    pub begun: Vec<BegunCall>,
    /// Questions that wait for an answer; they are on record.
    pub questions: Vec<Question>,
    /// When work must stop.
    pub work_at: Option<Millis>,
    /// When the final answer must be there.
    pub final_at: Option<Millis>,
    /// What the run left, if its end is on record.
    pub finished: Option<Box<Finished>>,
    /// What the machine has to be told first: the model was cut in the middle of a step whose calls had come.
    pub interruption: Option<Input>,
    /// Events of the machine that came out as they are on record.
    pub same: u64,
    /// The time of the last record.
    last_ms: Millis,
}

/// A call that was running when the record ended.
#[derive(Debug)]
pub struct BegunCall {
    pub call: Box<ApprovedCall>,
    /// How long it may take.
    pub timeout_ms: u64,
}

/// The machine went another way than the record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("record {seq} says {recorded}, but now it would be {replayed}")]
pub struct Divergence {
    /// The number of the record.
    pub seq: u64,
    /// What is on record.
    pub recorded: String,
    /// What the machine says now.
    pub replayed: String,
}

/// What a run on record began with; nothing if its beginning is not there.
pub fn start_of(records: &[Arc<Record>], transcript: Transcript, next_call_number: u64) -> Option<Start> {
    let record = records.iter().find(|record| record.event.is_of_machine())?;
    let Event::Durable(DurableEvent::RunStarted { message, wishes, .. }) = &record.event else { return None };
    let (run_id, message_id) = (record.run_id.clone(), record.parent_id.clone());
    let (message, wishes) = (message.as_ref().clone(), RunWishes::clone(wishes));
    let send = MessageSend { run_id, message_id, message, wishes };
    Some(Start { send, transcript, next_call_number, outer: None })
}

/// Who says whether calls on record are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckedBy {
    /// The record: a call whose tool is gone or another one now is as right as it was.
    Record,
    /// The tools of today: a call that they would refuse is a divergence.
    Tools,
}

/// Drives a fresh machine through the records of one run. `permissions` has the gates of the run already; it
/// gains what the user granted in it.
pub fn rehearse(
    settings: Arc<RunSettings>,
    start: Start,
    records: &[Arc<Record>],
    tools: &Toolset,
    permissions: &mut Permissions,
    checked_by: CheckedBy,
) -> Result<Rehearsed, Divergence> {
    let recorded = match checked_by {
        CheckedBy::Record => Recorded::of(records),
        CheckedBy::Tools => Recorded::of(records).checked_anew(),
    };
    // What the run began with counts, and what was wished for it: not what counts for others now.
    let settings = settings.wished(&start.send.wishes);
    let mut stage = RunningRehearsal::new(&settings, records, tools, permissions);
    stage.run.recall(recorded);
    stage.perform(&settings, start)?;
    // Only now: until here calls were taken in at any time (see `new`).
    stage.run.go_by(settings);
    let interruption = stage.run.is_mid_step().then(|| Input::ModelFailed {
        failure: ModelFailure::passing(
            ModelFailureKind::Interrupted,
            "the program stopped while the model spoke",
        ),
        partial: stage.tape.heard(),
    });
    let last_ms = records.last().map_or(0, |record| record.ts_ms);
    let Outside { model, inspections, begun, questions, work_at, final_at, finished } = stage.outside;
    // A model that is told to have failed is not asked again by itself.
    let model = model.filter(|_| interruption.is_none());
    // An inspection leaves no record, so one that was on its way is made again.
    let mut live: Vec<Effect> = inspections.into_values().collect();
    live.extend(model);
    live.append(&mut stage.live);
    Ok(Rehearsed {
        run: stage.run,
        live,
        begun: begun.into_values().collect(),
        questions: questions.into_values().collect(),
        work_at,
        final_at,
        finished,
        interruption,
        same: stage.tape.played(),
        last_ms,
    })
}

impl Rehearsed {
    /// The run goes on at this time: what passed since its last record does not count.
    pub fn go_on_at(&mut self, now: Millis) {
        self.run.skip_time(self.last_ms, now);
        for timer in [&mut self.work_at, &mut self.final_at] {
            *timer = timer.map(|at_ms| moved(at_ms, self.last_ms, now));
        }
    }
}

/// A time as far from `to` as it was from `from`.
fn moved(at_ms: Millis, from: Millis, to: Millis) -> Millis {
    to.saturating_add(at_ms.saturating_sub(from))
}

/// What goes on outside of the machine, as far as the record says.
#[derive(Default)]
struct Outside {
    model: Option<Effect>,
    inspections: BTreeMap<CallId, Effect>,
    begun: BTreeMap<CallId, BegunCall>,
    questions: BTreeMap<CallId, Question>,
    work_at: Option<Millis>,
    final_at: Option<Millis>,
    finished: Option<Box<Finished>>,
}

/// A rehearsal on its way.
struct RunningRehearsal<'a, 'w> {
    run: Run,
    tape: Tape<'a>,
    tools: &'w Toolset,
    permissions: &'w mut Permissions,
    outside: Outside,
    live: Vec<Effect>,
    /// Whether the machine has emitted more than is on record.
    is_live: bool,
    /// The request that is looked for, if one is.
    wanted: Option<WantedRequest>,
}

impl<'a, 'w> RunningRehearsal<'a, 'w> {
    fn new(
        settings: &RunSettings,
        records: &'a [Arc<Record>],
        tools: &'w Toolset,
        permissions: &'w mut Permissions,
    ) -> Self {
        verdict::recall_all(records, permissions);
        // Whether calls came while the model spoke is on record, whatever is wanted of the rest of the run.
        let mut open = settings.clone();
        open.profile.executes_while_streaming = true;
        Self {
            run: Run::new(Arc::new(open)),
            tape: Tape::new(records),
            tools,
            permissions,
            outside: Outside::default(),
            live: Vec::new(),
            is_live: false,
            wanted: None,
        }
    }

    fn perform(&mut self, settings: &RunSettings, start: Start) -> Result<(), Divergence> {
        // Forgotten also after a divergence: what comes then is judged by the rules of today.
        let played = self.play(settings, start);
        self.permissions.forget_recalled();
        self.run.forget_recorded();
        played
    }

    fn play(&mut self, settings: &RunSettings, start: Start) -> Result<(), Divergence> {
        let mut start = Some(start);
        while let Some(record) = self.tape.next() {
            if let Some(wanted) = &self.wanted {
                wanted.check(record)?;
                if wanted.is_found() {
                    return Ok(());
                }
            }
            // The run was taken up before: the time between did not count towards deadlines either.
            for (from, to) in self.tape.pauses() {
                self.run.skip_time(from, to);
                for timer in [&mut self.outside.work_at, &mut self.outside.final_at] {
                    *timer = timer.map(|at_ms| moved(at_ms, from, to));
                }
            }
            let cue = Cue { run: &self.run, tape: &self.tape, tools: self.tools, profile: &settings.profile };
            let Some(input) = cue.next_input(&mut start) else {
                return Err(divergence(record, "nothing: no input leads there".to_owned()));
            };
            // One input ahead and no further: a rule that came later must not decide earlier calls.
            verdict::recall_input(&self.tape, self.permissions);
            self.run.recall_starts(verdict::starts(&self.tape));
            self.feed(record.ts_ms, input)?;
        }
        Ok(())
    }

    /// Gives the machine an input. It must lead to the next record.
    fn feed(&mut self, now: Millis, input: Input) -> Result<(), Divergence> {
        let played = self.tape.played();
        // Waiting for the user is no work: a deadline may have been put off before, which nobody wrote down.
        let again = matches!(input, Input::DeadlinePassed(Deadline::Work)).then(|| input.clone());
        for input in [Some(input), again].into_iter().flatten() {
            if self.tape.played() > played {
                break;
            }
            self.note_input(&input);
            let mut world = World { tools: self.tools, permissions: self.permissions, is_audited: true };
            for effect in self.run.handle(now, &mut world, input) {
                self.take(effect)?;
            }
        }
        // An input that leads nowhere would be found for the same record again, for ever.
        match self.tape.next() {
            Some(record) if self.tape.played() == played => Err(divergence(record, "nothing".to_owned())),
            Some(_) | None => Ok(()),
        }
    }

    /// What was waited for is there.
    fn note_input(&mut self, input: &Input) {
        match input {
            Input::ModelEnded(_) | Input::ModelFailed { .. } => self.outside.model = None,
            Input::CallInspected { call_id, .. } => drop(self.outside.inspections.remove(call_id)),
            Input::PermissionAnswered { call_id, .. } => drop(self.outside.questions.remove(call_id)),
            Input::CallEnded { call_id, .. } => drop(self.outside.begun.remove(call_id)),
            // What a mode settles is withdrawn.
            Input::ModeChanged(_)
            | Input::UserMessage(_)
            | Input::CallReady(_)
            | Input::ModelNoticed(_)
            | Input::DeadlinePassed(_)
            | Input::Cancel { .. }
            | Input::JournalFailed { .. } => {}
        }
    }

    fn take(&mut self, effect: Effect) -> Result<(), Divergence> {
        if let (Effect::CallModel { request, .. }, Some(wanted)) = (&effect, &mut self.wanted) {
            wanted.look_at(request);
        }
        match effect {
            Effect::Emit(event) => return self.take_event(event),
            Effect::StopModel => self.outside.model = None,
            Effect::StopCall(call_id) => {
                self.outside.inspections.remove(&call_id);
                self.outside.begun.remove(&call_id);
            }
            Effect::WithdrawQuestion(call_id) => drop(self.outside.questions.remove(&call_id)),
            Effect::SetTimer { deadline, at_ms } => match deadline {
                Deadline::Work => self.outside.work_at = Some(at_ms),
                Deadline::Final => self.outside.final_at = Some(at_ms),
            },
            // Behind the end of the record: it never happened, so it is done for real.
            live if self.is_live => self.live.push(live),
            Effect::CallModel { .. } => self.outside.model = Some(effect),
            Effect::InspectCall(ref call) => {
                self.outside.inspections.insert(call.call.id.clone(), effect);
            }
            Effect::AskPermission(question) => {
                // Whoever answers has seen the one on record.
                let question = self.tape.question(&question.call_id).unwrap_or(*question);
                self.outside.questions.insert(question.call_id.clone(), question);
            }
            Effect::RunTool { call, timeout_ms } => {
                self.outside.begun.insert(call.call().id.clone(), BegunCall { call, timeout_ms });
            }
            Effect::Finish(finished) => self.outside.finished = Some(finished),
            // Done when the record was made, or in the moment after it: a rule that was lost with the program
            // still holds in its session.
            Effect::Audit(_) | Effect::StoreRule(_) => {}
        }
        Ok(())
    }

    fn take_event(&mut self, event: Event) -> Result<(), Divergence> {
        match self.tape.next() {
            None => {
                self.is_live = true;
                self.live.push(Effect::Emit(event));
            }
            // Pieces of text are on record as they came, or not at all: nothing to compare.
            Some(_) if !event.is_of_machine() => {}
            Some(record) if is_recorded(record, &event) => self.tape.advance(),
            Some(record) => return Err(divergence(record, describe(&event))),
        }
        Ok(())
    }
}

fn is_recorded(record: &Record, event: &Event) -> bool {
    let both = record.event.durable().zip(event.durable());
    both.is_some_and(|(recorded, replayed)| is_same(recorded, replayed))
}

fn divergence(record: &Record, replayed: String) -> Divergence {
    Divergence { seq: record.seq, recorded: describe(&record.event), replayed }
}

fn describe(event: &Event) -> String {
    let whole = serde_json::to_string(event).unwrap_or_default();
    format!("{} {}", event.name(), clip_chars(&whole, EVENT_CHARS_MAX))
}

#[cfg(test)]
#[path = "mod_tests.rs"]
mod tests;

//! The run machine: the one loop of the house, and it performs nothing.
//!
//! `handle` takes what happened and returns what must be done. Everything that drives a model through
//! its calls (the command, the server, the terminal, sync callers, modules) drives this machine; there
//! is no second loop anywhere.
//!
//! ```text
//!            UserMessage                  ModelEnded with calls
//!   Ready ───────────────▶ Thinking ───────────────────────────────▶ Settling
//!                          │   ▲  │                                   │    │
//!              ModelFailed │   │  │ ModelEnded with an answer         │    │ CallInspected, PermissionAnswered,
//!              (try again) └───┘  │ (or failed after a call began)    │    │ CallEnded: until every call has
//!                              ▲  │            all calls settled      │    │ its outcome
//!                              └──┼───────────────────────────────────┘    │
//!                                 ▼                                        │
//!                               Ended ◀────────────────────────────────────┘
//!                                       Cancel, JournalFailed, a limit that fails
//! ```
//!
//! At a limit the machine goes to `Thinking` once more with the goal `Finalise`: no tools, whatever the
//! model says is the answer, and its calls are refused. A deadline does the same from anywhere.
//!
//! Inputs that nobody waits for (answers without a question, outcomes of unknown or settled calls,
//! anything after the end) change nothing.
//!
//! - `admission`: a call comes in: it gets its identity, is read, resolved and validated, and takes its place in the batch
//! - `batch`: the calls of one step, each on its way to exactly one outcome
//! - `cleaning`: known secrets are taken out of what comes to the machine
//! - `closing`: all calls of a step have their outcomes: the transcript takes them in, and the run goes on or ends
//! - `context`: a prefix that stays byte-identical, a window over the history, a trailer
//! - `digest`: what stands in the place of messages that were left out
//! - `ending`: how a run ends: with an answer, at a limit, by the user, or because it cannot go on
//! - `failing`: its step is asked for again, with less history or after a wait; or it is closed with the calls that had begun; or the run ends with what was received
//! - `guard`: the same call again and again is answered from the run itself, then ended
//! - `input`: what the machine can be told, and what it asks to be done
//! - `place`: where a run is, for those who drive it through its own past
//! - `recorded`: what is on record of a run's calls and notes, for a machine that is driven through its own past
//! - `settings`: what a run is run with: the session's, what the record says, what was wished for it alone
//! - `settling`: calls on their way to their outcomes: turn, guard, inspection, permission, running, settling
//! - `sources`: what the answer of a run cites
//! - `stopping`: why the machine stops calls itself, and the words their outcomes get
//! - `taint`: what the context has from outside, and what that says of a call
//! - `thinking`: from the user's message to a model step, and what a step means
//! - `window`: which part of the history the model sees, and how large that is

mod admission;
mod batch;
mod cleaning;
mod closing;
mod context;
mod digest;
mod ending;
mod failing;
mod guard;
mod input;
mod place;
mod recorded;
mod settings;
mod settling;
mod sources;
mod stopping;
mod taint;
mod thinking;
mod window;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

pub use cleaning::{clean_delta, clean_input};
pub use input::{Deadline, Effect, Finished, Input, RunError, Start};
pub use settings::RunSettings;
pub use taint::Taint;

pub(crate) use self::context::BUDGET_RULE;
pub(crate) use self::ending::RUNTIME_WORDS;
pub(crate) use self::failing::OVERFLOW;
pub(crate) use self::place::{CallPosition, RunPosition};
pub(crate) use self::recorded::Recorded;
pub(crate) use self::taint::reaches_out;
pub(crate) use self::thinking::STEP_CALLS_READ_MAX;

use self::batch::CallBatch;
use self::context::Offered;
use self::guard::RepeatGuard;
use self::sources::CitedSources;
use self::stopping::StopCause;
use self::window::HistoryWindow;
use crate::calls::toolset::Toolset;
use crate::permission::{AuditEntry, Permissions};
use crate::protocol::command::RunWishes;
use crate::protocol::event::{DurableEvent, Event, StopReason, WarningCode};
use crate::protocol::ids::{CallId, Millis, RunId};
use crate::protocol::message::{Message, Transcript};
use crate::protocol::model::{Kept, Notice, NoticeKind, StepPurpose, Usage};
use crate::protocol::tool::ToolOutcome;

/// Changes of requests that are told in one run: more than that is one broken adapter.
const ADJUSTMENTS_MAX: usize = 256;

/// What the machine decides with and does not own: the tools of this moment and the session's
/// permissions.
#[derive(Debug)]
pub struct World<'a> {
    pub tools: &'a Toolset,
    /// Rules, grants and gates.
    pub permissions: &'a mut Permissions,
    /// Whether anybody writes decisions down.
    pub is_audited: bool,
}

/// One run. See the module's head for its states.
#[derive(Debug)]
pub struct Run {
    settings: Arc<RunSettings>,
    phase: Phase,
    wishes: SettledWishes,
    transcript: Transcript,
    window: HistoryWindow,
    /// What the context has from outside.
    taint: Taint,
    counters: Counters,
    guard: RepeatGuard,
    usage: Usage,
    /// Token counts of a step that came to nothing: they belong to the next event about the step.
    uncounted: Option<Box<Usage>>,
    warned: BTreeSet<WarningCode>,
    /// Changes of requests that were told: rule and message.
    adjusted: HashSet<(String, String)>,
    patience: Patience,
    /// When work must stop, but for the time in which the run waited for the user.
    work_until: Millis,
    /// Outcomes of this run, for `$ref` arguments: own id, provider's id, outcome.
    outcomes: Vec<(CallId, Option<String>, Arc<ToolOutcome>)>,
    /// Provider's ids that the session has used: none may stand for two calls (R-36).
    provider_ids: BTreeSet<String>,
    /// What an answer can cite (E-35).
    sources: CitedSources,
    /// Text of an answer that was cut and is being continued.
    answer_begun: String,
    /// What the model's adapter keeps from step to step.
    kept: Kept,
    /// The tools that requests list.
    offered: Option<Offered>,
    /// What became of everything, while the run is driven through its own past.
    recorded: Option<Box<Recorded>>,
}

/// Where the run is.
#[derive(Debug)]
enum Phase {
    /// Nothing was said yet.
    Ready,
    Thinking(Thinking),
    /// Calls are on their way to their outcomes.
    Settling(CallBatch),
    Ended,
}

/// What is known while the model speaks.
#[derive(Debug)]
struct Thinking {
    goal: Goal,
    tries: Tries,
    /// Calls that were complete before the model was (execute while streaming).
    early: CallBatch,
}

/// What became of earlier tries of the same step.
#[derive(Debug, Default)]
struct Tries {
    /// Tries after a failure that may pass.
    retries: u32,
    /// Tries with a shorter history.
    shrinks: u32,
    /// How long to wait before this try, and whether the provider asked for just that.
    wait: Option<(u64, bool)>,
    /// The last text that a failed try gave.
    heard: String,
}

impl Tries {
    /// The number of this try, from 1.
    fn attempt(&self) -> u32 {
        self.retries.saturating_add(self.shrinks).saturating_add(1)
    }

    fn hear(&mut self, text: String) {
        if !text.is_empty() {
            self.heard = text;
        }
    }
}

/// Why the model is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Goal {
    Work,
    /// With the error of the bad call.
    Correction(String),
    /// With what is wrong with the answer.
    Reform(String),
    /// Go on with an answer that was cut.
    Continuation,
    /// Go on where the model paused.
    Resumption,
    /// With the limit that was reached.
    Finalise(StopReason),
}

impl Goal {
    fn purpose(&self) -> StepPurpose {
        match self {
            Goal::Work => StepPurpose::Work,
            Goal::Correction(_) | Goal::Reform(_) => StepPurpose::Correction,
            Goal::Continuation | Goal::Resumption => StepPurpose::Continuation,
            Goal::Finalise(_) => StepPurpose::Finalise,
        }
    }
}

/// What the user wished for this run.
#[derive(Debug)]
struct SettledWishes {
    run_id: RunId,
    asked: Arc<RunWishes>,
}

/// Counters of a run; all begin anew with a user message (R-60).
#[derive(Debug, Default)]
struct Counters {
    steps: u32,
    /// Those that count towards the limit.
    work_steps: u32,
    /// Calls that were taken in, whatever became of them.
    calls: u32,
    /// Finished batches: the phase of reasoning (S-32).
    batches: u32,
    corrections_in_a_row: u32,
    corrections: u32,
    reforms: u32,
    continuations: u32,
    pauses: u32,
    output_bytes: u64,
    next_call_number: u64,
}

/// How long the run waited for the user: that time does not count towards the deadline (R-60).
#[derive(Debug, Default)]
struct Patience {
    since: Option<Millis>,
    waited_ms: u64,
}

impl Patience {
    fn note(&mut self, now: Millis, is_asking: bool) {
        match (self.since, is_asking) {
            (None, true) => self.since = Some(now),
            (Some(since), false) => {
                self.waited_ms = self.waited_ms.saturating_add(now.saturating_sub(since));
                self.since = None;
            }
            (None, false) | (Some(_), true) => {}
        }
    }

    /// The time waited since the last call of this function.
    fn take(&mut self, now: Millis) -> u64 {
        if let Some(since) = self.since {
            self.waited_ms = self.waited_ms.saturating_add(now.saturating_sub(since));
            // The question still waits: counted from here on, no time is given back twice.
            self.since = Some(now);
        }
        std::mem::take(&mut self.waited_ms)
    }
}

/// One input being handled: the time, the world, and the effects so far.
struct Pass<'a, 'w> {
    now: Millis,
    world: &'a mut World<'w>,
    effects: Vec<Effect>,
}

impl Pass<'_, '_> {
    fn emit(&mut self, event: impl Into<Event>) {
        let event = event.into();
        self.effects.push(Effect::Emit(event));
    }

    fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Has a decision written down; its line is only made where somebody writes it.
    fn audit(&mut self, entry: impl FnOnce(Millis) -> AuditEntry) {
        if self.world.is_audited {
            self.effects.push(Effect::Audit(Box::new(entry(self.now))));
        }
    }
}

impl Run {
    /// A run that waits for its user message.
    pub fn new(settings: Arc<RunSettings>) -> Self {
        Self {
            settings,
            phase: Phase::Ready,
            wishes: SettledWishes { run_id: RunId::from(""), asked: Arc::default() },
            transcript: Transcript::default(),
            window: HistoryWindow::default(),
            taint: Taint::default(),
            counters: Counters::default(),
            guard: RepeatGuard::default(),
            usage: Usage::default(),
            uncounted: None,
            warned: BTreeSet::new(),
            adjusted: HashSet::new(),
            patience: Patience::default(),
            work_until: Millis::MAX,
            outcomes: Vec::new(),
            provider_ids: BTreeSet::new(),
            sources: CitedSources::default(),
            answer_begun: String::new(),
            kept: Kept::default(),
            offered: None,
            recorded: None,
        }
    }

    /// Takes what happened, returns what must be done, in order.
    pub fn handle(&mut self, now: Millis, world: &mut World<'_>, input: Input) -> Vec<Effect> {
        let mut pass = Pass { now, world, effects: Vec::new() };
        // Transitions consume the phase; `Ended` stands in for it, in which nothing more can happen.
        let phase = std::mem::replace(&mut self.phase, Phase::Ended);
        self.phase = self.transition(&mut pass, phase, input);
        pass.effects
    }

    /// Moves every call as far as it may go now, without news: for a machine that was driven through its past.
    pub fn go_on(&mut self, now: Millis, world: &mut World<'_>) -> Vec<Effect> {
        let mut pass = Pass { now, world, effects: Vec::new() };
        self.phase = match std::mem::replace(&mut self.phase, Phase::Ended) {
            Phase::Thinking(mut thinking) => {
                self.advance(&mut pass, &mut thinking.early);
                Phase::Thinking(thinking)
            }
            Phase::Settling(mut batch) => {
                self.advance(&mut pass, &mut batch);
                self.close_if_settled(&mut pass, batch)
            }
            phase @ (Phase::Ready | Phase::Ended) => phase,
        };
        pass.effects
    }

    fn transition(&mut self, pass: &mut Pass<'_, '_>, phase: Phase, input: Input) -> Phase {
        match (phase, input) {
            (Phase::Ready, Input::UserMessage(start)) => self.begin(pass, *start),
            (Phase::Thinking(thinking), Input::CallReady(raw)) => self.call_ready(pass, thinking, raw),
            (Phase::Thinking(thinking), Input::ModelEnded(step)) => self.model_ended(pass, thinking, step),
            (Phase::Thinking(thinking), Input::ModelFailed { failure, partial }) => {
                self.model_failed(pass, thinking, failure, partial)
            }
            (Phase::Thinking(thinking), Input::ModelNoticed(notice)) => self.noticed(pass, thinking, notice),
            (
                // The model still speaks: however many of its calls are settled, the batch is not closed.
                Phase::Thinking(mut thinking),
                input @ (Input::CallInspected { .. }
                | Input::PermissionAnswered { .. }
                | Input::ModeChanged(_)
                | Input::CallEnded { .. }),
            ) => {
                self.calls_moved(pass, &mut thinking.early, input);
                Phase::Thinking(thinking)
            }
            (
                Phase::Settling(mut batch),
                input @ (Input::CallInspected { .. }
                | Input::PermissionAnswered { .. }
                | Input::ModeChanged(_)
                | Input::CallEnded { .. }),
            ) => {
                self.calls_moved(pass, &mut batch, input);
                self.close_if_settled(pass, batch)
            }
            (Phase::Thinking(thinking), Input::DeadlinePassed(deadline)) => {
                self.deadline_while_thinking(pass, thinking, deadline)
            }
            (Phase::Settling(batch), Input::DeadlinePassed(deadline)) => {
                self.deadline_while_settling(pass, batch, deadline)
            }
            (Phase::Thinking(thinking), Input::Cancel { partial }) => {
                self.cancel_while_thinking(pass, thinking, partial)
            }
            // Its step is in the transcript already: there is no half of it to keep.
            (Phase::Settling(batch), Input::Cancel { .. }) => self.cancel_while_settling(pass, batch),
            (Phase::Thinking(thinking), Input::JournalFailed { message }) => {
                self.journal_failed_while_thinking(pass, thinking, message)
            }
            (Phase::Settling(batch), Input::JournalFailed { message }) => {
                self.journal_failed_while_settling(pass, batch, message)
            }
            // Nobody waits for these: a second user message, a step or a call of a run that does not
            // think, answers before anything was asked, anything after the end.
            (phase @ (Phase::Thinking(_) | Phase::Settling(_) | Phase::Ended), Input::UserMessage(_))
            | (
                phase @ (Phase::Ready | Phase::Settling(_) | Phase::Ended),
                Input::CallReady(_)
                | Input::ModelEnded(_)
                | Input::ModelFailed { .. }
                | Input::ModelNoticed(_),
            )
            | (
                phase @ (Phase::Ready | Phase::Ended),
                Input::CallInspected { .. }
                | Input::PermissionAnswered { .. }
                | Input::ModeChanged(_)
                | Input::CallEnded { .. }
                | Input::DeadlinePassed(_)
                | Input::Cancel { .. }
                | Input::JournalFailed { .. },
            ) => phase,
        }
    }

    /// The calls of a step went on: one was inspected, answered for or ended, or another mode holds for them.
    fn calls_moved(&mut self, pass: &mut Pass<'_, '_>, batch: &mut CallBatch, input: Input) {
        match input {
            Input::CallInspected { call_id, result } => self.call_inspected(pass, batch, &call_id, result),
            Input::PermissionAnswered { call_id, answer } => {
                self.permission_answered(pass, batch, &call_id, &answer);
            }
            Input::ModeChanged(_) => self.mode_changed(pass, batch),
            Input::CallEnded { call_id, outcome } => self.call_ended(pass, batch, &call_id, outcome),
            Input::UserMessage(_)
            | Input::CallReady(_)
            | Input::ModelEnded(_)
            | Input::ModelFailed { .. }
            | Input::ModelNoticed(_)
            | Input::DeadlinePassed(_)
            | Input::Cancel { .. }
            | Input::JournalFailed { .. } => {}
        }
    }

    /// Whether the run is over.
    pub fn is_ended(&self) -> bool {
        matches!(self.phase, Phase::Ended)
    }

    /// The phase of reasoning: 0 before the first calls, one more after each batch (S-32).
    pub fn reasoning_phase(&self) -> u32 {
        self.counters.batches
    }

    /// The transcript so far.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Raises a warning, each code once a run.
    fn warn(&mut self, pass: &mut Pass<'_, '_>, code: WarningCode, message: impl Into<String>) {
        if self.warned.insert(code) {
            pass.emit(DurableEvent::WarningRaised { code, message: message.into() });
        }
    }

    fn noticed(&mut self, pass: &mut Pass<'_, '_>, thinking: Thinking, notice: Notice) -> Phase {
        self.adjust(pass, notice);
        Phase::Thinking(thinking)
    }

    /// Tells of a change of a request, each once a run.
    fn adjust(&mut self, pass: &mut Pass<'_, '_>, notice: Notice) {
        let Notice { kind, rule, message } = notice;
        let is_new =
            self.adjusted.len() < ADJUSTMENTS_MAX && self.adjusted.insert((rule.clone(), message.clone()));
        if !is_new {
            return;
        }
        let step = self.counters.steps;
        pass.emit(DurableEvent::RequestAdjusted { step, kind, rule, message: message.clone() });
        match kind {
            NoticeKind::Emulated => self.warn(pass, WarningCode::Emulated, message),
            NoticeKind::Healed | NoticeKind::Lowered | NoticeKind::Trimmed => {}
        }
    }

    /// Tells the model something, or what it was told when this was put on record.
    fn add_note(&mut self, pass: &mut Pass<'_, '_>, text: String) {
        let text = self.recorded.as_mut().and_then(|recorded| recorded.next_note()).unwrap_or(text);
        pass.emit(DurableEvent::NoteAdded { text: text.clone() });
        self.append(Message::Note { text });
    }

    fn append(&mut self, message: impl Into<Arc<Message>>) {
        let message = message.into();
        self.window.grow(&message);
        if !matches!(message.as_ref(), Message::Tool(_)) {
            // Outcomes are taken in when they are settled: a later call of the same step may hold them already.
            self.taint.take(&message, Some(self.counters.steps));
        }
        // Copies the list only while a request still holds it; the messages are shared either way.
        Arc::make_mut(&mut self.transcript).push(message);
    }
}

//! The inspector: a run with everything that is on record of it. A fold over the durable records, for what core's view
//! does not keep: steps and their tries, questions and decisions, notes to the model, what the model saw.

use std::sync::Arc;

use windlass_core::permission::{Decision, Question};
use windlass_core::protocol::event::{DurableEvent, Event, Record, RunOutcome, StopReason};
use windlass_core::protocol::ids::{CallId, Millis};
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::{Finish, StepPurpose, Usage};
use windlass_core::protocol::task::Task;
use windlass_core::protocol::tool::{InnerCall, ToolCall, ToolOutcome, Visibility, see_inside};

/// Where the inspector stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inspector {
    /// Which run of the session.
    pub run: usize,
    /// Lines that are scrolled away.
    pub scrolled: usize,
    /// A call that the next frame must show.
    pub reveal: Option<CallId>,
    /// What is searched for.
    pub sought: String,
    /// Whether that is being typed.
    pub is_typing: bool,
    /// Where the next frame must look for it.
    pub jump: Option<Jump>,
}

/// Where to look for something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jump {
    Here,
    /// After the line at the top.
    Next,
    Previous,
}

/// What a frame showed of the inspector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InspectorSight {
    /// Lines that are scrolled away.
    pub scrolled: usize,
    pub rows: usize,
    /// Whether what was looked for is nowhere.
    pub is_missing: bool,
}

impl Inspector {
    /// A run from its beginning.
    pub fn new(run: usize) -> Self {
        Self { run, ..Self::default() }
    }

    /// Scrolls by lines; down is positive.
    pub fn scroll(&mut self, lines: i64) {
        let lines = isize::try_from(lines).unwrap_or(0);
        self.scrolled = self.scrolled.saturating_add_signed(lines);
    }
}

/// What is on record of a run.
#[derive(Debug, Clone, Default)]
pub struct RunFacts {
    /// The model that answers.
    pub model: String,
    pub profile: String,
    /// What the user said.
    pub user: String,
    pub started_ms: Millis,
    /// What was told before the first step.
    pub notices: Vec<NoticeFacts>,
    pub steps: Vec<StepFacts>,
    pub end: Option<EndFacts>,
    /// The last record of it.
    pub seq: u64,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub struct EndFacts {
    pub ended_ms: Millis,
    pub outcome: RunOutcome,
    pub reason: StopReason,
    /// Token counts of all of it.
    pub usage: Usage,
}

/// A step, with all tries at it and everything that happened until the next one.
#[derive(Debug, Clone)]
pub struct StepFacts {
    pub step: u32,
    /// Why it was asked for.
    pub purpose: StepPurpose,
    /// Which try gave it.
    pub attempt: u32,
    /// When it was first asked for.
    pub started_ms: Millis,
    /// When the try that counts was asked for.
    pub tried_ms: Millis,
    /// When it was complete.
    pub ended_ms: Option<Millis>,
    /// What the model said, thought and called.
    pub message: Option<Arc<Message>>,
    /// Why the model stopped.
    pub finish: Option<Finish>,
    pub usage: Option<Usage>,
    /// Its calls, in the order in which they were asked for.
    pub calls: Vec<CallFacts>,
    /// What was told meanwhile.
    pub notices: Vec<NoticeFacts>,
    /// The last record of it: the same number, the same step.
    pub seq: u64,
}

/// A call, from the wish to its outcome.
#[derive(Debug, Clone)]
pub struct CallFacts {
    pub call: ToolCall,
    /// How prominently it is shown elsewhere.
    pub visibility: Visibility,
    /// When it was asked for.
    pub requested_ms: Millis,
    /// What the user was asked, and when.
    pub question: Option<(Millis, Box<Question>)>,
    pub decision: Option<DecisionFacts>,
    /// When it started to run, and who allowed it.
    pub started: Option<(Millis, Option<String>)>,
    /// What it gave, and when.
    pub outcome: Option<(Millis, Arc<ToolOutcome>)>,
    /// What the model saw of that.
    pub message: Option<Arc<Message>>,
    /// Calls that it made itself.
    pub inside: Vec<InnerCall>,
}

/// A decision about a call.
#[derive(Debug, Clone)]
pub struct DecisionFacts {
    pub at_ms: Millis,
    pub decision: Decision,
    pub by: String,
    /// The rule or grant that was kept.
    pub rule: Option<String>,
    /// What the user should know about it.
    pub problem: Option<String>,
}

/// Something that was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeFacts {
    /// What it is: `warning MAX_STEPS`, `note to the model`, …
    pub title: String,
    pub text: String,
    /// Whether it is bad.
    pub is_bad: bool,
}

impl RunFacts {
    /// Folds the durable records of one run.
    pub fn fold(records: &[Arc<Record>]) -> Self {
        let mut facts = Self::default();
        for record in records {
            facts.seq = record.seq;
            facts.apply(record);
            if let Some(step) = facts.steps.last_mut() {
                step.seq = record.seq;
            }
        }
        facts
    }

    fn apply(&mut self, record: &Record) {
        let now = record.ts_ms;
        for call in self.steps.iter_mut().flat_map(|step| &mut step.calls) {
            see_inside(&mut call.inside, call.call.id.as_str(), record);
        }
        let Event::Durable(event) = &record.event else { return };
        match event {
            DurableEvent::RunStarted { model, profile, message, .. } => {
                (self.model, self.profile) = (model.clone(), profile.clone());
                (self.user, self.started_ms) = (message.text(), now);
            }
            DurableEvent::StepStarted { step, purpose, attempt } => {
                self.start_step(*step, *purpose, *attempt, now)
            }
            DurableEvent::StepEnded { message, finish, usage, .. } => {
                self.end_step(message, finish, *usage, now);
            }
            DurableEvent::CallRequested { call, visibility, .. } => self.request(call, *visibility, now),
            DurableEvent::PermissionRequested { question } => {
                self.on_call(&question.call_id, |call| call.question = Some((now, question.clone())));
            }
            DurableEvent::PermissionDecided { call_id, decision, by, rule, problem, .. } => {
                let (by, rule, problem) = (by.clone(), rule.clone(), problem.clone());
                let facts = DecisionFacts { at_ms: now, decision: *decision, by, rule, problem };
                self.on_call(call_id, |call| call.decision = Some(facts));
            }
            DurableEvent::CallStarted { call_id, by, .. } => {
                self.on_call(call_id, |call| call.started = Some((now, by.clone())));
            }
            DurableEvent::CallEnded { call_id, outcome, message, .. } => self.on_call(call_id, |call| {
                call.outcome = Some((now, Arc::clone(outcome)));
                call.message = Some(Arc::clone(message));
            }),
            // The call that it is inside of changes.
            DurableEvent::InnerCallStarted { call_id, .. } | DurableEvent::InnerCallEnded { call_id, .. } => {
                self.on_call(call_id, |_| ());
            }
            DurableEvent::RunEnded { outcome, reason, usage, .. } => {
                let (outcome, reason, usage) = (*outcome, reason.clone(), *usage);
                self.end = Some(EndFacts { ended_ms: now, outcome, reason, usage });
            }
            DurableEvent::EditApplied { note, .. } => {
                self.tell("edit applied".to_owned(), note.clone(), false)
            }
            DurableEvent::RunResumed { interrupted, repeated, grants } => {
                self.tell("run taken up again".into(), resumed_text(interrupted, repeated, grants), false);
            }
            DurableEvent::StepDelayed { attempt, attempts_max, delay_ms, code, message, .. } => {
                let title = format!("try {attempt} of {attempts_max} in about {delay_ms} ms: {code}");
                self.tell(title, message.clone(), true);
            }
            DurableEvent::RequestAdjusted { kind, rule, message, .. } => {
                self.tell(format!("request {}: {rule}", kind.word()), message.clone(), false);
            }
            DurableEvent::TasksChanged { tasks } => self.tell("tasks".to_owned(), tasks_text(tasks), false),
            DurableEvent::NoteAdded { text } => {
                self.tell("note to the model".to_owned(), text.clone(), false)
            }
            DurableEvent::WarningRaised { code, message } => {
                self.tell(format!("warning {}", code.word()), message.clone(), true);
            }
            DurableEvent::ErrorRaised { code, message } => {
                self.tell(format!("error {code}"), message.clone(), true)
            }
        }
    }

    /// What is told belongs to the step in which it happens.
    fn tell(&mut self, title: String, text: String, is_bad: bool) {
        let notices = self.steps.last_mut().map_or(&mut self.notices, |step| &mut step.notices);
        notices.push(NoticeFacts { title, text, is_bad });
    }

    fn end_step(&mut self, message: &Arc<Message>, finish: &Finish, usage: Option<Usage>, now: Millis) {
        let Some(step) = self.steps.last_mut() else { return };
        step.ended_ms = Some(now);
        (step.message, step.finish) = (Some(Arc::clone(message)), Some(finish.clone()));
        step.usage = usage;
    }

    fn start_step(&mut self, step: u32, purpose: StepPurpose, attempt: u32, now: Millis) {
        match self.steps.last_mut().filter(|last| last.step == step && attempt > 1) {
            Some(again) => (again.attempt, again.tried_ms, again.purpose) = (attempt, now, purpose),
            None => self.steps.push(StepFacts {
                step,
                purpose,
                attempt,
                started_ms: now,
                tried_ms: now,
                ended_ms: None,
                message: None,
                finish: None,
                usage: None,
                calls: Vec::new(),
                notices: Vec::new(),
                seq: 0,
            }),
        }
    }

    fn request(&mut self, call: &ToolCall, visibility: Visibility, now: Millis) {
        let Some(step) = self.steps.last_mut() else { return };
        step.calls.push(CallFacts {
            call: call.clone(),
            visibility,
            requested_ms: now,
            question: None,
            decision: None,
            started: None,
            outcome: None,
            message: None,
            inside: Vec::new(),
        });
    }

    fn on_call(&mut self, call_id: &CallId, change: impl FnOnce(&mut CallFacts)) {
        for step in self.steps.iter_mut().rev() {
            if let Some(call) = step.calls.iter_mut().find(|call| call.call.id == *call_id) {
                step.seq = self.seq;
                return change(call);
            }
        }
    }
}

fn resumed_text(interrupted: &[CallId], repeated: &[CallId], grants: &[String]) -> String {
    let list = |what: &str, ids: &[CallId]| match ids {
        [] => None,
        ids => Some(format!("{what}: {}", ids.iter().map(CallId::as_str).collect::<Vec<_>>().join(", "))),
    };
    let granted = (!grants.is_empty()).then(|| format!("still allowed: {}", grants.join(", ")));
    let lists = [list("interrupted", interrupted), list("run again", repeated), granted];
    lists.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

fn tasks_text(tasks: &[Task]) -> String {
    let lines = tasks.iter().map(|task| format!("{}: {}", task.status.word(), task.content));
    lines.collect::<Vec<_>>().join("\n")
}

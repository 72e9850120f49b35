//! The actor of a session: waits for whatever comes next, feeds the machine, does what it says.

use std::collections::{HashMap, HashSet};
use std::future::pending;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures::poll;
use tokio::sync::mpsc;
use tokio::time::Sleep;
use windlass_core::permission::{ApproveMode, GateSettings, Inspection, Permissions};
use windlass_core::ports::ProgressPort;
use windlass_core::protocol::cause::Cause;
use windlass_core::protocol::command::{ExecutedTool, MessageSend, RunSetup, RunWishes, WISHES_VERSION};
use windlass_core::protocol::event::{DeltaEvent, Event, Record};
use windlass_core::protocol::ids::{CallId, MessageId, Millis, RunId};
use windlass_core::protocol::model::{ModelDelta, ModelFailure};
use windlass_core::protocol::tool::{ToolFailure, ToolOutcome};
use windlass_core::run::{Deadline, Finished, Input, Run, Start, World, clean_delta, clean_input};
use windlass_core::text::redact::Redactor;

use crate::bus::EventLog;
use crate::cancel::CancelSignal;
use crate::clock::Clock;
use crate::form::formed;
use crate::inside::{CallsInside, InnerNote};
use crate::limits::HELD_DELTAS_MAX;
use crate::registry::ToolShelf;
use crate::results::SessionResults;
use crate::session::at_work::CallsAtWork;
use crate::session::effects::ProgressSender;
use crate::session::model_speech::ModelSpeech;
use crate::session::spans::RunSpans;
use crate::session::{AnswerError, QuestionAnswer, RunDone, SendError, SessionParts, SessionRequest};
use crate::tasks::SessionTasks;

/// Deltas that are taken at once when they are there already: one look at everything else for each of them
/// would cost more than the delta, and a cancel still waits for microseconds only.
const DELTAS_AT_ONCE_MAX: usize = 32;

/// Lines of progress that may wait to be shown; more are dropped.
const PROGRESS_LINES_MAX: usize = 32;

/// Something came from outside.
enum ActorInput {
    Request(Option<SessionRequest>),
    Model(Option<Result<ModelDelta, ModelFailure>>),
    Work(Box<WorkDone>),
    Progress(Box<(CallId, String)>),
    Inside(Box<InnerNote>),
    Timer(Deadline),
}

/// A tool is done with something.
pub(crate) enum WorkDone {
    Inspected { call_id: CallId, result: Result<Inspection, ToolFailure> },
    Ended { call_id: CallId, outcome: ToolOutcome },
}

impl WorkDone {
    pub(crate) fn into_input(self) -> Input {
        match self {
            WorkDone::Inspected { call_id, result } => Input::CallInspected { call_id, result },
            WorkDone::Ended { call_id, outcome } => Input::CallEnded { call_id, outcome },
        }
    }
}

/// The actor's own state.
pub(crate) struct Actor {
    pub(crate) parts: SessionParts,
    pub(crate) log: Arc<EventLog>,
    pub(crate) results: Arc<SessionResults>,
    pub(crate) tasks: Arc<SessionTasks>,
    pub(crate) permissions: Permissions,
    /// Knows what must not be parted when it is shown in pieces.
    pub(crate) redactor: Redactor,
    pub(crate) active: Option<ActiveRun>,
    pub(crate) seq: u64,
}

/// Lines of progress: where tools put them, where the actor finds them. Boxed: most runs have none, and a channel
/// makes room for many when it is made.
pub(crate) type ProgressLines = (Arc<dyn ProgressPort>, mpsc::Receiver<Box<(CallId, String)>>);

/// The run that goes on.
pub(crate) struct ActiveRun {
    pub(crate) machine: Run,
    pub(crate) run_id: RunId,
    pub(crate) parent_id: MessageId,
    pub(crate) shelf: Arc<ToolShelf>,
    pub(crate) spans: RunSpans,
    pub(crate) model: Option<ModelSpeech>,
    pub(crate) work: CallsAtWork,
    /// How to stop each call that runs or is inspected.
    pub(crate) stops: Vec<(CallId, CancelSignal)>,
    /// Running calls that may change the world.
    pub(crate) effectful: HashSet<CallId>,
    /// Outcomes that calls get instead of being run.
    pub(crate) given: HashMap<CallId, ToolOutcome>,
    /// The digests of questions that wait.
    pub(crate) questions: HashMap<CallId, String>,
    pub(crate) progress: ProgressLines,
    pub(crate) work_at: Option<Millis>,
    pub(crate) final_at: Option<Millis>,
    /// Calls that its calls make, and what is to be written down of them.
    pub(crate) inside: Arc<CallsInside>,
    pub(crate) notes: mpsc::UnboundedReceiver<Box<InnerNote>>,
    /// The next deadline being waited for.
    timer: Option<DeadlineTimer>,
    done: Option<RunDone>,
}

impl Actor {
    pub(crate) fn new(
        mut parts: SessionParts,
        redactor: Redactor,
        log: Arc<EventLog>,
        results: Arc<SessionResults>,
        tasks: Arc<SessionTasks>,
    ) -> Self {
        let mut permissions = match &parts.past.inside {
            Some(inside) => inside.permissions(),
            None => Permissions::new(parts.policies.rules(), parts.approve),
        };
        permissions.set_secrets(&redactor);
        permissions.restore(&parts.past.grants, &parts.past.asked);
        // From here on they live as long as their bytes have a place, and no longer.
        for past in std::mem::take(&mut parts.past.outcomes) {
            results.insert(&past.call_id, past.provider_id.as_deref(), past.outcome);
        }
        let seq = parts.past.last_seq;
        Self { parts, log, results, tasks, permissions, redactor, active: None, seq }
    }

    /// Works until the last handle is gone and the last run has ended. Boxed, because a future holds its arguments
    /// twice.
    pub(crate) async fn work(
        mut self: Box<Self>,
        mut inbox: mpsc::Receiver<SessionRequest>,
        resumed: RunDone,
    ) {
        if let Some(unfinished) = self.parts.past.unfinished.take() {
            // Once in a session's life: its memory goes with it.
            Box::pin(self.resume(unfinished, resumed)).await;
        }
        let mut is_held = true;
        while is_held || self.active.is_some() {
            match self.next(&mut inbox, is_held).await {
                ActorInput::Request(Some(SessionRequest::Park { done })) => {
                    Box::pin(self.park()).await;
                    self.log.close();
                    // Last of all: whoever parks a session goes on when nothing of it is left.
                    drop(done);
                    return;
                }
                ActorInput::Request(Some(request)) => self.take_request(request).await,
                ActorInput::Request(None) => {
                    // Nobody can answer or cancel any more; what goes on is brought to its end.
                    is_held = false;
                    self.feed(Input::Cancel { partial: String::new() }).await;
                }
                ActorInput::Model(delta) => self.take_deltas(delta).await,
                ActorInput::Work(done) => self.take_work(*done).await,
                ActorInput::Progress(shown) => {
                    let (call_id, line) = *shown;
                    self.publish_delta(Event::Delta(DeltaEvent::CallProgressed { call_id, line })).await;
                }
                ActorInput::Inside(note) => self.note_inside(*note).await,
                ActorInput::Timer(deadline) => self.take_timer(deadline).await,
            }
        }
        self.log.close();
    }

    async fn next(&mut self, inbox: &mut mpsc::Receiver<SessionRequest>, is_held: bool) -> ActorInput {
        let Some(active) = self.active.as_mut() else {
            return ActorInput::Request(inbox.recv().await);
        };
        active.set_timer(&self.parts.clock);
        // Commands first: a cancel must not wait behind a chatty model.
        tokio::select! {
            biased;
            // A channel without senders is ready for ever: looked at again, it would starve everything below.
            request = inbox.recv(), if is_held => ActorInput::Request(request),
            // Before outcomes: what a call did inside itself is on record before its own end is.
            Some(note) = active.notes.recv() => ActorInput::Inside(note),
            Some(done) = active.work.next(), if !active.work.is_empty() => ActorInput::Work(Box::new(done)),
            Some(line) = active.progress.1.recv() => ActorInput::Progress(line),
            delta = next_delta(active.model.as_mut()) => ActorInput::Model(delta),
            deadline = time_out(active.timer.as_mut()) => ActorInput::Timer(deadline),
        }
    }

    async fn take_request(&mut self, request: SessionRequest) {
        match request {
            SessionRequest::Send { send, done } => self.begin(*send, done).await,
            SessionRequest::Answer { given, done } => {
                let QuestionAnswer { call_id, answer, digest } = *given;
                let taken = self.take_question(&call_id, &digest);
                if taken.is_ok() {
                    self.feed(Input::PermissionAnswered { call_id, answer }).await;
                }
                // Whoever answered may have gone away meanwhile.
                let _ = done.send(taken);
            }
            SessionRequest::SetApprove(approve) => self.set_approve(approve).await,
            // Taken by the caller, which ends with it.
            SessionRequest::Park { .. } => {}
            SessionRequest::Cancel => {
                self.show_rest().await;
                let partial = self
                    .active
                    .as_ref()
                    .and_then(|active| active.model.as_ref())
                    .map(ModelSpeech::partial_text);
                self.feed(Input::Cancel { partial: partial.unwrap_or_default() }).await;
            }
        }
    }

    /// Calls inside calls that run already keep the mode that they began with.
    async fn set_approve(&mut self, approve: ApproveMode) {
        self.parts.approve = approve;
        self.permissions.set_mode(approve);
        if let Some(active) = self.active.as_mut() {
            active.inside = Arc::new(active.inside.allowed(&self.permissions));
        }
        self.feed(Input::ModeChanged(approve)).await;
    }

    async fn take_work(&mut self, done: WorkDone) {
        let (WorkDone::Inspected { call_id, .. } | WorkDone::Ended { call_id, .. }) = &done;
        if let Some(active) = self.active.as_mut() {
            active.stops.retain(|(id, _)| id != call_id);
            active.effectful.remove(call_id);
        }
        self.feed(done.into_input()).await;
    }

    /// Takes a question whose answer is there. An answer to another question leaves it waiting.
    fn take_question(&mut self, call_id: &CallId, digest: &str) -> Result<(), AnswerError> {
        let active = self.active.as_mut().ok_or(AnswerError::NotAsked)?;
        let asked = active.questions.get(call_id).ok_or(AnswerError::NotAsked)?;
        if !digest.eq_ignore_ascii_case(asked) {
            return Err(AnswerError::Stale);
        }
        active.questions.remove(call_id);
        Ok(())
    }

    async fn begin(&mut self, mut send: MessageSend, done: RunDone) {
        if let Some(active) = &self.active {
            // The caller may have gone away meanwhile; then nobody needs the refusal.
            let _ = done.send(Err(SendError::Busy(active.run_id.clone())));
            return;
        }
        self.open_run(&send, done);
        self.note_setup(&mut send.wishes);
        let start = Start {
            send,
            transcript: std::mem::take(&mut self.parts.past.transcript),
            next_call_number: self.parts.past.next_call_number,
            outer: self.parts.past.inside.as_ref().map(|inside| Box::new(inside.taint.clone())),
        };
        self.feed(Input::UserMessage(Box::new(start))).await;
    }

    /// Makes place for a run: its gates, and a machine that knows nothing yet.
    pub(crate) fn open_run(&mut self, send: &MessageSend, done: RunDone) {
        let (profile, root) = (&self.parts.settings.profile, self.parts.root.display().to_string());
        self.permissions.begin_run(GateSettings::of(&send.wishes, profile, root));
        self.permissions.set_mode(send.wishes.approve.unwrap_or(self.parts.approve));
        let (lines, shown) = mpsc::channel(PROGRESS_LINES_MAX);
        let (inner_notes, notes) = mpsc::unbounded_channel();
        self.active = Some(ActiveRun {
            machine: Run::new(formed(&self.parts.settings, &send.wishes)),
            run_id: send.run_id.clone(),
            parent_id: send.message_id.clone(),
            shelf: self.parts.registry.snapshot_of(&self.parts.settings.profile),
            spans: RunSpans::begin(&self.parts.session_id, &send.run_id, &send.message_id),
            model: None,
            work: CallsAtWork::default(),
            stops: Vec::new(),
            effectful: HashSet::new(),
            given: HashMap::new(),
            questions: HashMap::new(),
            progress: (Arc::new(ProgressSender(lines)), shown),
            inside: Arc::new(CallsInside::of(&self.parts, &self.permissions, &self.redactor, inner_notes)),
            notes,
            work_at: None,
            final_at: None,
            timer: None,
            done: Some(done),
        });
    }

    /// Puts into the wishes of a run what it begins with: on record that holds when the run is taken up again.
    fn note_setup(&self, wishes: &mut RunWishes) {
        let settings = &self.parts.settings;
        let specs = self.parts.registry.snapshot_of(&settings.profile).toolset.specs();
        let offered: Vec<_> = specs.iter().filter(|spec| !self.permissions.refuses(spec)).collect();
        let executed = offered.iter().filter_map(|spec| {
            let (executor, idempotent) = (spec.executor.clone()?, spec.idempotent);
            Some((spec.name.clone(), ExecutedTool { executor, idempotent }))
        });
        wishes.version = WISHES_VERSION;
        wishes.approve = Some(self.permissions.mode());
        wishes.setup = Some(Arc::new(RunSetup {
            system: Arc::clone(&settings.system),
            profile: settings.profile.clone(),
            context_tokens: settings.context_tokens,
            model_below: self.parts.model.below().map(str::to_owned),
            executed: executed.collect(),
            tools: offered.iter().map(|spec| (spec.name.clone(), spec.effects)).collect(),
        }));
    }

    /// Gives the machine an input and does what it says, until it has nothing more to say. All that comes of
    /// one input happens at one time.
    pub(crate) async fn feed(&mut self, input: Input) {
        let mut next = Some(clean_input(&self.redactor, input));
        while let Some(input) = next.take() {
            let Some(active) = self.active.as_mut() else { return };
            // Anew for every input: a tool or a rule that was changed counts from the next call on (U-39).
            active.shelf = self.parts.registry.snapshot_of(&self.parts.settings.profile);
            self.parts.renew(&mut self.permissions).await;
            let Some(active) = self.active.as_mut() else { return };
            let mut world = World {
                tools: &active.shelf.toolset,
                permissions: &mut self.permissions,
                is_audited: self.parts.audit.is_some(),
            };
            let now = self.parts.clock.now_ms();
            let cause = Arc::new(Cause::of(&input));
            let effects = active.machine.handle(now, &mut world, input);
            next = self.perform(now, &cause, effects).await;
        }
    }

    /// Takes what the model said, and what else of it is there already.
    async fn take_deltas(&mut self, mut delta: Option<Result<ModelDelta, ModelFailure>>) {
        for _ in 0..DELTAS_AT_ONCE_MAX {
            self.take_delta(delta).await;
            let Some(speech) = self.active.as_mut().and_then(|active| active.model.as_mut()) else { return };
            match poll!(pin!(speech.next())) {
                Poll::Ready(next) => delta = next,
                Poll::Pending => return,
            }
        }
        self.take_delta(delta).await;
        // A model that always has more must leave the thread to those who listen.
        tokio::task::yield_now().await;
    }

    async fn take_delta(&mut self, delta: Option<Result<ModelDelta, ModelFailure>>) {
        let Some(active) = self.active.as_mut() else { return };
        match delta {
            Some(Ok(ModelDelta::Notice(notice))) => self.feed(Input::ModelNoticed(notice)).await,
            Some(Ok(delta)) => {
                let Some(speech) = active.model.as_mut() else { return };
                let events = speech.take(delta, active.machine.reasoning_phase());
                let starts_early = self.parts.settings.profile.executes_while_streaming;
                let ready = if starts_early { speech.take_ready() } else { Vec::new() };
                for event in events.into_iter().flatten() {
                    self.publish_delta(event).await;
                }
                for raw in ready {
                    self.feed(Input::CallReady(raw)).await;
                }
            }
            Some(Err(failure)) => {
                self.show_rest().await;
                if let Some(speech) = self.active.as_mut().and_then(|active| active.model.take()) {
                    self.feed(speech.fail(failure)).await;
                }
            }
            None => {
                self.show_rest().await;
                if let Some(speech) = self.active.as_mut().and_then(|active| active.model.take()) {
                    self.feed(speech.finish()).await;
                }
            }
        }
    }

    /// Shows what waited for more of the model's text: there is none. Also of a step that failed: what was heard of
    /// it is on record in its pieces alone.
    async fn show_rest(&mut self) {
        let Some(active) = self.active.as_mut() else { return };
        let phase = active.machine.reasoning_phase();
        let Some(speech) = active.model.as_mut() else { return };
        for event in speech.take_rest(phase) {
            self.publish_delta(event).await;
        }
    }

    async fn take_timer(&mut self, deadline: Deadline) {
        if let Some(active) = self.active.as_mut() {
            // Put out, or the timer would be set for the same moment again.
            match deadline {
                Deadline::Work => active.work_at = None,
                Deadline::Final => active.final_at = None,
            }
        }
        self.show_rest().await;
        self.feed(Input::DeadlinePassed(deadline)).await;
    }

    /// The run is over: what it left goes back to the session, and whoever waits is told.
    pub(crate) fn finish(&mut self, finished: Finished) {
        self.parts.past.transcript = Arc::clone(&finished.transcript);
        self.parts.past.next_call_number = finished.next_call_number;
        let Some(mut active) = self.active.take() else { return };
        for (_, stop) in &active.stops {
            stop.cancel();
        }
        if let Some(done) = active.done.take() {
            let _ = done.send(Ok(finished));
        }
    }

    /// A record of something that happens at a time.
    pub(crate) fn record(
        &mut self,
        ts_ms: Millis,
        event: Event,
        cause: Option<&Arc<Cause>>,
    ) -> Option<Arc<Record>> {
        let active = self.active.as_ref()?;
        self.seq = self.seq.saturating_add(1);
        Some(Arc::new(Record {
            seq: self.seq,
            ts_ms,
            session_id: self.parts.session_id.clone(),
            run_id: active.run_id.clone(),
            parent_id: active.parent_id.clone(),
            cause: cause.filter(|_| event.is_durable()).map(Arc::clone),
            event,
        }))
    }

    /// Shows a delta at once. It goes to the journal with the next durable record, or with its like when they
    /// are many.
    async fn publish_delta(&mut self, mut event: Event) {
        if let Event::Delta(delta) = &mut event {
            clean_delta(&self.redactor, delta);
        }
        let Some(record) = self.record(self.parts.clock.now_ms(), event, None) else { return };
        let seq = record.seq;
        if self.log.publish_held(record) < HELD_DELTAS_MAX {
            return;
        }
        match self.parts.journal.append(&self.log.held()).await {
            Ok(()) => self.log.release(seq),
            Err(failure) => self.feed(Input::JournalFailed { message: failure.to_string() }).await,
        }
    }
}

async fn next_delta(model: Option<&mut ModelSpeech>) -> Option<Result<ModelDelta, ModelFailure>> {
    match model {
        Some(speech) => speech.next().await,
        None => pending().await,
    }
}

/// A deadline and the sleep until then, kept from one happening to the next.
struct DeadlineTimer {
    at_ms: Millis,
    deadline: Deadline,
    sleep: Pin<Box<Sleep>>,
}

impl ActiveRun {
    /// Sees to it that the next deadline is waited for.
    fn set_timer(&mut self, clock: &Clock) {
        let work = self.work_at.map(|at_ms| (at_ms, Deadline::Work));
        let last = self.final_at.map(|at_ms| (at_ms, Deadline::Final));
        let next = match (work, last) {
            (Some(work), Some(last)) => Some(if last.0 < work.0 { last } else { work }),
            (work, last) => work.or(last),
        };
        // The same sleep goes on: a new one for every delta would cost more than the delta.
        if next == self.timer.as_ref().map(|timer| (timer.at_ms, timer.deadline)) {
            return;
        }
        self.timer = next.map(|(at_ms, deadline)| {
            let left = Duration::from_millis(at_ms.saturating_sub(clock.now_ms()));
            DeadlineTimer { at_ms, deadline, sleep: Box::pin(tokio::time::sleep(left)) }
        });
    }
}

async fn time_out(timer: Option<&mut DeadlineTimer>) -> Deadline {
    match timer {
        Some(timer) => {
            timer.sleep.as_mut().await;
            timer.deadline
        }
        None => pending().await,
    }
}

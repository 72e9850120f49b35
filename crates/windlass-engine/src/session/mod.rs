//! A session: one actor that owns the conversation, runs its runs one after another, and is the only
//! writer of its events.
//!
//! Front ends hold a `Session` handle: they send commands and read events. The actor turns commands into
//! inputs of the run machine and the machine's effects into deeds (`effects`). It decides nothing itself.
//!
//! - `actor`, `at_work`, `effects`, `live_values`, `model_speech`, `spans`: the actor, and what it does for the machine
//! - `park`, `resume`: how a run stops in the middle, and how it is taken up again
//! - `results`, `tasks`: what a session keeps for its tools
//! - `one_call`: a session for one call from outside

pub(crate) mod actor;
pub(crate) mod at_work;
pub(crate) mod effects;
pub(crate) mod live_values;
pub(crate) mod model_speech;
pub mod one_call;
mod park;
pub mod results;
pub(crate) mod resume;
pub(crate) mod spans;
pub mod tasks;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{mpsc, oneshot};
use windlass_core::permission::{ApproveMode, AuditPort, PermissionAnswer, Permissions, PolicyPort, Rule};
use windlass_core::ports::{JournalPort, ModelPort, ResultsPort, TasksPort};
use windlass_core::protocol::command::MessageSend;
use windlass_core::protocol::event::Record;
use windlass_core::protocol::history::{History, PastOutcome};
use windlass_core::protocol::ids::{CallId, RunId, SessionId};
use windlass_core::protocol::message::Transcript;
use windlass_core::protocol::task::Task;
use windlass_core::protocol::tool::ToolOutcome;
use windlass_core::run::{Finished, RunSettings};
use windlass_core::text::redact::Redactor;

use crate::bus::{BusConfig, EventLog, Subscription};
use crate::clock::Clock;
use crate::inside::{GrantingSession, OuterCall};
use crate::registry::Registry;
use crate::results::SessionResults;
use crate::session::actor::Actor;
use crate::tasks::SessionTasks;

/// Commands that may wait for the actor; a front end that sends more has to wait itself.
const COMMANDS_WAITING_MAX: usize = 16;

/// What a session is made of. Cheap to clone; the shared parts are shared.
#[derive(Clone)]
pub struct SessionParts {
    pub session_id: SessionId,
    /// Limits, manners, system text.
    pub settings: Arc<RunSettings>,
    pub model: Arc<dyn ModelPort>,
    pub registry: Registry,
    pub root: PathBuf,
    pub policies: Arc<dyn PolicyPort>,
    /// What happens to calls that would need asking.
    pub approve: ApproveMode,
    /// Where durable events go.
    pub journal: Arc<dyn JournalPort>,
    /// Where decisions are written down, if anywhere.
    pub audit: Option<Arc<dyn AuditPort>>,
    pub clock: Clock,
    pub past: Past,
}

impl SessionParts {
    /// Puts in the rules and grants as they are at this moment: whoever changes them, in whatever process, changes
    /// what the next call is judged by. Grants that cannot be read do not count.
    pub(crate) async fn renew(&self, permissions: &mut Permissions) {
        permissions.set_rules(self.policies.rules());
        if permissions.grants().rules().is_empty() {
            return;
        }
        let GrantingSession { journal, session_id } = self.granting();
        match journal.grants(&session_id).await {
            Ok(Some(granted)) => permissions.retain_grants(&granted),
            Ok(None) => {}
            Err(failure) => {
                tracing::warn!(session = %self.session_id, "the session's grants cannot be read: {failure}");
                permissions.retain_grants(&[]);
            }
        }
    }

    /// The session that people see: the one that this one stands inside of, or itself.
    pub(crate) fn granting(&self) -> GrantingSession {
        match &self.past.inside {
            Some(inside) => inside.granting.clone(),
            None => {
                GrantingSession { journal: Arc::clone(&self.journal), session_id: self.session_id.clone() }
            }
        }
    }
}

/// What a session goes on from: nothing, or what its journal says.
#[derive(Debug, Clone)]
pub struct Past {
    /// The history of its ended runs.
    pub transcript: Transcript,
    pub next_call_number: u64,
    /// The number of its newest record.
    pub last_seq: u64,
    pub tasks: Vec<Task>,
    /// What the session is granted.
    pub grants: Vec<Rule>,
    /// Tools of low risk that the user was asked about and let run: once a session is enough.
    pub asked: Vec<String>,
    /// What its calls gave, for handles to them.
    pub outcomes: Vec<PastOutcome>,
    /// The run that stopped in the middle.
    pub unfinished: Option<Unfinished>,
    /// The call that it stands inside of, if a tool made it.
    pub inside: Option<OuterCall>,
}

impl From<History> for Past {
    /// A run without an end is taken up again.
    fn from(history: History) -> Self {
        let unfinished = history.unfinished.map(|records| Unfinished { records, ..Unfinished::default() });
        Self {
            transcript: history.transcript,
            next_call_number: history.next_call_number,
            last_seq: history.last_seq,
            tasks: history.tasks.to_vec(),
            grants: Vec::new(),
            asked: history.asked,
            outcomes: history.outcomes,
            unfinished,
            inside: None,
        }
    }
}

/// A run that stopped in the middle, to be taken up again.
#[derive(Debug, Clone, Default)]
pub struct Unfinished {
    pub records: Vec<Arc<Record>>,
    /// Calls that may run again although nobody knows whether they happened.
    pub retry: Vec<CallId>,
    /// Outcomes that calls get instead of being run (forks).
    pub given: Vec<(CallId, ToolOutcome)>,
    /// Whether it is taken up only to be cancelled: nothing runs any more.
    pub is_cancelled: bool,
    /// How calls are approved from now on, if not as the run began with.
    pub approve: Option<ApproveMode>,
}

impl Default for Past {
    fn default() -> Self {
        Self {
            transcript: Transcript::default(),
            next_call_number: 1,
            last_seq: 0,
            tasks: Vec::new(),
            grants: Vec::new(),
            asked: Vec::new(),
            outcomes: Vec::new(),
            unfinished: None,
            inside: None,
        }
    }
}

/// A handle to a session. The actor stops when the last handle is gone and no run goes on.
#[derive(Clone)]
pub struct Session {
    session_id: SessionId,
    commands: mpsc::Sender<SessionRequest>,
    log: Arc<EventLog>,
    results: Arc<SessionResults>,
    tasks: Arc<SessionTasks>,
    resumed: Resumed,
}

/// A handle that does not keep its session going.
#[derive(Clone)]
pub struct WeakSession {
    session_id: SessionId,
    commands: mpsc::WeakSender<SessionRequest>,
    log: Arc<EventLog>,
    results: Arc<SessionResults>,
    tasks: Arc<SessionTasks>,
    resumed: Resumed,
}

impl WeakSession {
    /// The session, if somebody still holds it.
    pub fn upgrade(&self) -> Option<Session> {
        Some(Session {
            session_id: self.session_id.clone(),
            commands: self.commands.upgrade()?,
            log: Arc::clone(&self.log),
            results: Arc::clone(&self.results),
            tasks: Arc::clone(&self.tasks),
            resumed: Arc::clone(&self.resumed),
        })
    }
}

/// A command, and where its answer goes. Small: a session's channel makes room for many of them when it is made.
pub(crate) enum SessionRequest {
    Send { send: Box<MessageSend>, done: RunDone },
    Answer { given: Box<QuestionAnswer>, done: oneshot::Sender<Result<(), AnswerError>> },
    Cancel,
    SetApprove(ApproveMode),
    Park { done: oneshot::Sender<()> },
}

pub(crate) struct QuestionAnswer {
    pub(crate) call_id: CallId,
    pub(crate) answer: PermissionAnswer,
    /// That of the question that was shown.
    pub(crate) digest: String,
}

/// Where the end of a run goes.
pub(crate) type RunDone = oneshot::Sender<Result<Finished, SendError>>;

/// The run that was taken up again, until somebody asks for it.
type Resumed = Arc<Mutex<Option<RunHandle>>>;

/// Why a message was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// One run at a time.
    #[error("run {0} is still going on in this session; wait for it or cancel it")]
    Busy(RunId),
    /// The actor is gone.
    #[error("the session is closed")]
    Closed,
}

/// Why an answer was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// Nobody waits for it: never asked, answered already, or withdrawn.
    #[error("nobody waits for this answer: the question was answered, withdrawn, or never asked")]
    NotAsked,
    /// It was given for other arguments than those that are asked about.
    #[error("the answer was given for other arguments than those that are asked about now; look again")]
    Stale,
    /// The actor is gone.
    #[error("the session is closed")]
    Closed,
}

/// A run that was started: its end can be awaited.
#[derive(Debug)]
pub struct RunHandle {
    done: oneshot::Receiver<Result<Finished, SendError>>,
}

impl RunHandle {
    /// Waits for the end of the run.
    pub async fn finished(self) -> Result<Finished, SendError> {
        self.done.await.unwrap_or(Err(SendError::Closed))
    }
}

impl Session {
    /// Starts the actor of a session. Needs a tokio runtime.
    pub fn start(parts: SessionParts) -> Self {
        Self::start_guarded(parts, Redactor::default())
    }

    /// The same where more is secret than the well-known forms of keys: no piece of a text that is shown as it
    /// comes ends inside a secret.
    pub fn start_guarded(parts: SessionParts, redactor: Redactor) -> Self {
        let (commands, inbox) = mpsc::channel(COMMANDS_WAITING_MAX);
        let log = Arc::new(EventLog::resume(
            parts.session_id.clone(),
            Arc::clone(&parts.journal),
            parts.past.last_seq,
            BusConfig::default(),
        ));
        let results = Arc::new(SessionResults::new());
        let tasks = Arc::new(SessionTasks::restore(parts.past.tasks.clone()));
        let (done, receiver) = oneshot::channel();
        let resumed = parts.past.unfinished.is_some().then_some(RunHandle { done: receiver });
        let session = Self {
            session_id: parts.session_id.clone(),
            commands,
            log: Arc::clone(&log),
            results: Arc::clone(&results),
            tasks: Arc::clone(&tasks),
            resumed: Arc::new(Mutex::new(resumed)),
        };
        let actor = Box::new(Actor::new(parts, redactor, log, results, tasks));
        // On the heap before it is a task: the runtime moves what it is given several times.
        tokio::spawn(Box::pin(actor.work(inbox, done)));
        session
    }

    /// A handle for those who listen and only sometimes speak: it does not keep the session going.
    pub fn downgrade(&self) -> WeakSession {
        WeakSession {
            session_id: self.session_id.clone(),
            commands: self.commands.downgrade(),
            log: Arc::clone(&self.log),
            results: Arc::clone(&self.results),
            tasks: Arc::clone(&self.tasks),
            resumed: Arc::clone(&self.resumed),
        }
    }

    pub fn id(&self) -> &SessionId {
        &self.session_id
    }

    /// Follows the session's events from now on. Subscribe before sending, and nothing is missed.
    pub fn subscribe(&self) -> Subscription {
        self.log.subscribe()
    }

    /// The session's events, for readers with a place of their own.
    pub fn log(&self) -> Arc<EventLog> {
        Arc::clone(&self.log)
    }

    pub async fn send(&self, send: MessageSend) -> Result<RunHandle, SendError> {
        let (done, receiver) = oneshot::channel();
        let request = SessionRequest::Send { send: Box::new(send), done };
        self.commands.send(request).await.map_err(|_| SendError::Closed)?;
        Ok(RunHandle { done: receiver })
    }

    /// Answers the question with this digest. An answer that nobody waits for changes nothing.
    pub async fn answer(
        &self,
        call_id: CallId,
        digest: String,
        answer: PermissionAnswer,
    ) -> Result<(), AnswerError> {
        let (done, receiver) = oneshot::channel();
        let given = Box::new(QuestionAnswer { call_id, answer, digest });
        let request = SessionRequest::Answer { given, done };
        self.commands.send(request).await.map_err(|_| AnswerError::Closed)?;
        receiver.await.unwrap_or(Err(AnswerError::Closed))
    }

    /// The run that was taken up again when the session started; the first caller gets it.
    pub fn resumed(&self) -> Option<RunHandle> {
        self.resumed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Stops the session at a safe point and leaves its run unfinished, to be taken up again at the next start.
    /// Nothing new begins; a call that changes something and runs is waited for, a while. Whoever waits for
    /// the run's end is told that the session is closed.
    pub async fn park(&self) {
        let (done, receiver) = oneshot::channel();
        if self.commands.send(SessionRequest::Park { done }).await.is_ok() {
            // The actor is gone once it drops the other end.
            let _ = receiver.await;
        }
    }

    /// Changes how calls are approved that need asking; questions that wait are judged by it at once.
    pub async fn set_approve(&self, approve: ApproveMode) -> Result<(), SendError> {
        self.commands.send(SessionRequest::SetApprove(approve)).await.map_err(|_| SendError::Closed)
    }

    /// Stops the run that goes on.
    pub async fn cancel(&self) -> Result<(), SendError> {
        self.commands.send(SessionRequest::Cancel).await.map_err(|_| SendError::Closed)
    }

    /// Whole outcomes of the session's calls.
    pub fn results(&self) -> Arc<dyn ResultsPort> {
        Arc::clone(&self.results) as Arc<dyn ResultsPort>
    }

    /// The session's task list.
    pub fn tasks(&self) -> Arc<dyn TasksPort> {
        Arc::clone(&self.tasks) as Arc<dyn TasksPort>
    }
}

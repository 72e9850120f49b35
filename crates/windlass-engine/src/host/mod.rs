//! The host: all sessions of a process, as front ends see them.
//!
//! Owns which sessions are open, who may run now, and which questions wait; everything else is on record
//! in the store, and a session that is not open is opened from there. Knows no HTTP, no configuration and no
//! provider: models and profiles come through ports.
//!
//! - `slot`: the place of a session in the host, open or not
//! - `live_runs`: what goes on now, noted from the records on their way into the journal
//! - `opening`, `closing`: sessions come and go
//! - `running`: runs are started, answered and cancelled
//! - `reader`: the records of a run or a session, for any number of readers at their own speed
//! - `recovery`, `fork`, `replay`: runs that stopped in the middle, copies of runs, and runs played again
//! - `step_report`: what one step asked of its model, made again
//! - `outside`: one call, one model step, one explanation, without a run
//! - `front`: the port that all of it is seen through
//! - `edits`: staged edits are made, one at a time and in any order, and the session is told of each

mod closing;
mod edits;
mod fork;
mod front;
mod live_runs;
mod opening;
mod outside;
mod reader;
mod recovery;
mod replay;
mod running;
mod slot;
mod step_report;

use async_trait::async_trait;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};

use tokio::sync::{Notify, Semaphore};
use windlass_core::permission::{ApproveMode, AuditPort, PolicyPort};
use windlass_core::ports::ModelPort;
use windlass_core::ports::host::{HostError, ModelFindings, ModelRow, ModulesPort};
use windlass_core::ports::search::SharedSearch;
use windlass_core::ports::store::{StoreFailure, StorePort};
use windlass_core::profile::Profile;
use windlass_core::protocol::ids::{RunId, SessionId};
use windlass_core::protocol::model::Sampling;
use windlass_core::text::redact::Redactor;

use self::live_runs::{LiveRuns, WatchedJournal};
pub use self::recovery::Recovered;
pub use self::running::FinishedRun;
use self::slot::SessionSlots;
use crate::clock::Clock;
use crate::executor::Executors;
use crate::limits;
use crate::registry::Registry;

/// A model that was opened by its name.
#[derive(Clone)]
pub struct OpenModel {
    /// The model; its name opens it again.
    pub model: Arc<dyn ModelPort>,
    /// Tokens it holds, where that is known.
    pub context_tokens: Option<u64>,
}

/// Where models come from.
#[async_trait]
pub trait ModelsPort: Send + Sync {
    /// The model of that name, or the usual one; each session gets its own. `profile` is made to fit it.
    fn open(&self, name: Option<&str>, profile: &mut Profile) -> Result<OpenModel, HostError>;
    /// The model of that name before another one than the usual: a module is opened again as it was.
    fn open_before(
        &self,
        name: Option<&str>,
        _below: &str,
        profile: &mut Profile,
    ) -> Result<OpenModel, HostError> {
        self.open(name, profile)
    }
    /// Models that can be chosen.
    fn list(&self) -> Vec<ModelRow>;
    /// The name of the one that answers when nobody chooses.
    fn usual(&self) -> String {
        self.list().into_iter().find(|row| row.is_default).map(|row| row.name).unwrap_or_default()
    }
    /// Tells versions of one name apart: when it changes, the next run opens the model anew, and runs that go on keep
    /// what they began with.
    fn edition(&self, _name: Option<&str>) -> u64 {
        0
    }
    /// The tools that runs of this model may use at most, where that is not for the run alone to say.
    fn tools(&self, _name: Option<&str>) -> Option<Vec<String>> {
        None
    }
    /// The modules among them, where there are any.
    fn modules(&self) -> Option<&dyn ModulesPort> {
        None
    }
    /// Probes the endpoint of a model, and keeps what it finds.
    async fn examine(&self, name: &str) -> Result<ModelFindings, HostError> {
        let message = format!("'{name}' runs locally: there is nothing to check");
        Err(HostError::Invalid { field: Some("name"), message })
    }
}

/// Where profiles come from: a name, or the usual one, to the whole profile with what the configuration set.
pub type ProfilesFn = dyn Fn(Option<&str>) -> Result<Profile, HostError> + Send + Sync;

/// How much may go on at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostLimits {
    /// Sessions that are open.
    pub sessions_open_max: usize,
    /// Runs that go on.
    pub runs_max: usize,
    /// Runs that wait for a place.
    pub runs_waiting_max: usize,
    /// How long a run waits for a place.
    pub run_wait_ms: u64,
    /// Questions that wait for an answer.
    pub questions_max: usize,
    /// How long a session stays open without a run.
    pub session_idle_ms: u64,
    /// How long runs have to reach a safe point when the host closes.
    pub close_grace_ms: u64,
}

impl Default for HostLimits {
    fn default() -> Self {
        Self {
            sessions_open_max: limits::SESSIONS_OPEN_MAX,
            runs_max: limits::RUNS_AT_ONCE_MAX,
            runs_waiting_max: limits::RUNS_WAITING_MAX,
            run_wait_ms: limits::RUN_WAIT_MS,
            questions_max: limits::QUESTIONS_WAITING_MAX,
            session_idle_ms: limits::SESSION_IDLE_MS,
            close_grace_ms: limits::CLOSE_GRACE_MS,
        }
    }
}

/// What a host is made of.
pub struct HostParts {
    /// Where everything is kept.
    pub store: Arc<dyn StorePort>,
    /// Where models come from.
    pub models: Arc<dyn ModelsPort>,
    /// Where profiles come from.
    pub profiles: Arc<ProfilesFn>,
    pub registry: Registry,
    /// The index of the project, if there is one.
    pub search: Option<SharedSearch>,
    pub root: PathBuf,
    pub policies: Arc<dyn PolicyPort>,
    /// What happens to calls that would need asking.
    pub approve: ApproveMode,
    /// Where decisions are written down, if anywhere.
    pub audit: Option<Arc<dyn AuditPort>>,
    /// Sampling of runs whose user says nothing of it.
    pub sampling: Sampling,
    pub clock: Clock,
    /// How much may go on at once.
    pub limits: HostLimits,
}

/// All sessions of a process.
pub struct Host {
    me: Weak<Host>,
    parts: HostParts,
    slots: SessionSlots,
    live_runs: Arc<LiveRuns>,
    journal: Arc<WatchedJournal>,
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    shutdown: Arc<Shutdown>,
    redactor: Redactor,
    /// Programs of a user's own that run tools.
    executors: Executors,
    /// Sessions for which the mode `all` was chosen in this process.
    unasked: Mutex<HashSet<SessionId>>,
}

/// Whether the host goes down, for those who wait for something that will not come then.
#[derive(Default)]
struct Shutdown {
    has_begun: AtomicBool,
    told: Notify,
}

impl Shutdown {
    /// Tells everybody; whether this was the first time.
    fn tell(&self) -> bool {
        // The flag before the call: a reader listens first and looks then, so it cannot miss both.
        let is_first = !self.has_begun.swap(true, Ordering::AcqRel);
        self.told.notify_waiters();
        is_first
    }

    fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Acquire)
    }
}

impl Host {
    /// A host over a store. Needs a tokio runtime.
    pub fn new(parts: HostParts) -> Arc<Self> {
        Self::new_guarded(parts, Redactor::default())
    }

    /// The same where more is secret than the well-known forms of keys: no piece of a text that is shown as it
    /// comes ends inside a secret.
    pub fn new_guarded(parts: HostParts, redactor: Redactor) -> Arc<Self> {
        let live_runs = Arc::new(LiveRuns::new(parts.clock.clone()));
        let journal = Arc::new(WatchedJournal::new(Arc::clone(&parts.store), Arc::clone(&live_runs)));
        let places = Arc::new(Semaphore::new(parts.limits.runs_max.min(Semaphore::MAX_PERMITS)));
        let executors = Executors::new(parts.registry.clone(), parts.clock.clone());
        let host = Arc::new_cyclic(|me| Self {
            me: Weak::clone(me),
            parts,
            executors,
            slots: SessionSlots::default(),
            live_runs,
            journal,
            places,
            waiting: AtomicUsize::new(0),
            shutdown: Arc::default(),
            redactor,
            unasked: Mutex::default(),
        });
        tokio::spawn(closing::sweep(Weak::clone(&host.me)));
        host
    }

    /// Sessions that are open.
    pub fn sessions_open(&self) -> usize {
        self.slots.open_count()
    }

    /// Runs that go on.
    pub fn runs_going_on(&self) -> usize {
        self.live_runs.runs()
    }

    /// Whether a run goes on in this host.
    pub fn is_going_on(&self, run_id: &RunId) -> bool {
        self.live_runs.slot(run_id).is_some()
    }

    /// Records that slow observers lost so far.
    pub fn observed_lost(&self) -> u64 {
        self.live_runs.lost()
    }

    fn check_open(&self) -> Result<(), HostError> {
        if self.shutdown.has_begun() { Err(HostError::Closing) } else { Ok(()) }
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Host({} sessions, {} runs)", self.sessions_open(), self.runs_going_on())
    }
}

/// A failure of the store, for whoever asked for `what`.
fn failed(what: &'static str, id: &str) -> impl FnOnce(StoreFailure) -> HostError {
    move |failure| match failure {
        StoreFailure::Missing(_) => HostError::Missing { what, id: id.to_owned() },
        StoreFailure::Exists(message) => HostError::Conflict(format!("there is already {message}")),
        StoreFailure::Broken(message) => broken(message),
    }
}

fn broken(message: impl std::fmt::Display) -> HostError {
    let message = message.to_string();
    tracing::error!("{message}");
    HostError::Broken(message)
}

fn overloaded(message: String) -> HostError {
    HostError::Overloaded { message, retry_after_ms: limits::RETRY_AFTER_MS }
}

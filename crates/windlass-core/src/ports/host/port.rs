//! The ports of a host: what any front end can ask, wherever the host is, and what only the process of the
//! host itself can.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};

use super::{
    AuditQuery, EditApproval, ExecutorsPort, Explanation, ForkWish, HostDefaults, HostDelivery, HostError,
    ModelFindings, ModelRow, ModulePrompt, ModuleRow, ModuleShelf, OutsideCall, RecordQuery, ReplayReport,
    ResumeWish, RunStart, StartedRun, ToolAnswer,
};
use crate::permission::{ApproveMode, AuditEntry, PermissionAnswer, Question, Rule};
use crate::ports::BoxStream;
use crate::ports::search::{DocumentRow, Found, IndexStatus, NewDocument, SearchQuery};
use crate::ports::store::{NewSession, RunQuery, RunRow, Save, SessionQuery, SessionRow};
use crate::protocol::event::Record;
use crate::protocol::ids::{CallId, RunId, SessionId};
use crate::protocol::model::{ModelDelta, ModelFailure, ModelRequest};
use crate::protocol::settings::SessionSettings;
use crate::protocol::step::StepReport;
use crate::protocol::task::Task;
use crate::protocol::tool::ToolSpec;

/// Sessions: what was said in them, and how they are set.
#[async_trait]
pub trait HostSessions: Send + Sync {
    /// Begins a session; empty fields get the host's defaults.
    async fn create_session(&self, begin: NewSession) -> Result<SessionRow, HostError>;
    /// Sessions, newest first.
    async fn sessions(&self, query: SessionQuery) -> Result<Vec<SessionRow>, HostError>;
    /// One session.
    async fn session(&self, session_id: &SessionId) -> Result<SessionRow, HostError>;
    /// The session that somebody outside knows by this name.
    async fn session_by_key(&self, key: &str) -> Result<Option<SessionRow>, HostError>;
    /// All records of a session with `seq > after`, deltas among them.
    async fn records(&self, session_id: &SessionId, after: u64) -> Result<Vec<Arc<Record>>, HostError>;
    /// The first of these records; deltas that are not in the journal yet among them.
    async fn record_page(
        &self,
        session_id: &SessionId,
        query: RecordQuery,
    ) -> Result<Vec<Arc<Record>>, HostError>;
    /// The records of a session with `seq > after`, of all its runs, as they are and as they come; ends when
    /// the session is forgotten or the host closes.
    async fn session_events(
        &self,
        session_id: &SessionId,
        after: u64,
    ) -> Result<BoxStream<'static, HostDelivery>, HostError>;
    /// Gives a session another title.
    async fn rename_session(&self, session_id: &SessionId, title: &str) -> Result<(), HostError>;
    /// Changes how calls of a session are approved that need asking: for the next call that is judged, of a run
    /// that goes on too, and until it is changed again.
    async fn set_approve(&self, session_id: &SessionId, approve: ApproveMode) -> Result<(), HostError>;
    /// Sets what holds for the runs of a session that begin from now on, instead of what was set before.
    async fn set_settings(&self, session_id: &SessionId, settings: SessionSettings) -> Result<(), HostError>;
    /// Forgets a session; a run that goes on in it is cancelled first.
    async fn delete_session(&self, session_id: &SessionId) -> Result<(), HostError>;
    /// The session's task list.
    async fn tasks(&self, session_id: &SessionId) -> Result<Vec<Task>, HostError>;
}

/// Runs of sessions, from their start to what can be done with their record.
#[async_trait]
pub trait HostRuns: Send + Sync {
    /// Starts a run.
    async fn start_run(&self, session_id: &SessionId, start: RunStart) -> Result<StartedRun, HostError>;
    /// One run.
    async fn run(&self, run_id: &RunId) -> Result<RunRow, HostError>;
    /// Runs, newest first.
    async fn runs(&self, query: RunQuery) -> Result<Vec<RunRow>, HostError>;
    /// The records of a run with `seq > after`, as they are and as they come; ends after the run's end.
    /// A run that stopped in the middle and was not taken up again gives what is on record and stays open.
    async fn events(&self, run_id: &RunId, after: u64)
    -> Result<BoxStream<'static, HostDelivery>, HostError>;
    /// Stops a run; one that has ended stays as it is.
    async fn cancel(&self, run_id: &RunId) -> Result<(), HostError>;
    /// The questions of a run that wait for an answer.
    async fn questions(&self, run_id: &RunId) -> Result<Vec<Question>, HostError>;
    /// Answers a question; only if it is the one with this digest.
    async fn answer(
        &self,
        run_id: &RunId,
        call_id: &CallId,
        digest: &str,
        answer: PermissionAnswer,
    ) -> Result<(), HostError>;
    /// Takes up a run that stopped in the middle.
    async fn resume(&self, run_id: &RunId, wish: ResumeWish) -> Result<StartedRun, HostError>;
    /// Copies a run up to a step into a new session, and goes on there.
    async fn fork(&self, run_id: &RunId, wish: ForkWish) -> Result<StartedRun, HostError>;
    /// Plays a run again from its record and compares.
    async fn replay(&self, run_id: &RunId) -> Result<ReplayReport, HostError>;
    /// What a step of a run asked of its model, and what that answered.
    async fn step_report(&self, run_id: &RunId, step: u32) -> Result<StepReport, HostError>;
}

/// Tools, and calls of them by hand.
#[async_trait]
pub trait HostTools: Send + Sync {
    /// The tools.
    fn tools(&self) -> Vec<Arc<ToolSpec>>;
    /// Runs one call from outside, through validation, permission and limits. What would need asking is
    /// refused, unless somebody has said yes to it.
    async fn call_tool(&self, call: OutsideCall) -> Result<ToolAnswer, HostError>;
    /// Makes an edit that a run has staged, through validation, permission and limits, and tells the session of it:
    /// its model knows with the next message.
    async fn apply_edit(&self, approval: EditApproval) -> Result<ToolAnswer, HostError>;
}

/// Rules, and what was decided by them.
#[async_trait]
pub trait HostPolicies: Send + Sync {
    /// The rules that hold now, and what sessions are granted.
    async fn rules(&self) -> Result<Vec<Rule>, HostError>;
    /// Stores a rule: `allow`, `deny` or `ask`, and its pattern.
    async fn add_rule(&self, effect: &str, pattern: &str) -> Result<Rule, HostError>;
    /// Forgets a rule, or takes a grant back.
    async fn remove_rule(&self, rule_id: &str) -> Result<(), HostError>;
    /// Which gate decides a call, and why.
    async fn explain(&self, tool: &str, args: Map<String, Value>) -> Result<Explanation, HostError>;
    /// Decisions about calls, newest first, as far back as the log reaches.
    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditEntry>, HostError>;
}

/// What can be chosen: models and modules, and what holds where nobody chooses.
#[async_trait]
pub trait HostModels: Send + Sync {
    /// What holds where nobody chooses.
    fn defaults(&self) -> Result<HostDefaults, HostError>;
    /// Asks a model's endpoint what it can really do, which takes a while; what is found is kept.
    async fn examine_model(&self, name: &str) -> Result<ModelFindings, HostError>;
    /// Models that can be chosen.
    async fn models(&self) -> Result<Vec<ModelRow>, HostError>;

    /// Modules, by id, and files of modules that are wrong.
    async fn modules(&self) -> Result<ModuleShelf, HostError>;
    /// One module.
    async fn module(&self, module_id: &str) -> Result<ModuleRow, HostError>;
    /// What a module would ask a model for these inputs; nothing is asked.
    async fn module_prompt(
        &self,
        module_id: &str,
        inputs: Map<String, Value>,
    ) -> Result<ModulePrompt, HostError>;
}

/// The index of the project.
#[async_trait]
pub trait HostSearch: Send + Sync {
    /// The best passages of the project; [`HostError::Missing`] where there is no index.
    async fn search(&self, query: SearchQuery) -> Result<Found, HostError>;
    /// What the index holds, and how far it is while it is built.
    async fn index_status(&self) -> Result<IndexStatus, HostError>;
    /// Documents and notes that were added to the index, by name.
    async fn documents(&self) -> Result<Vec<DocumentRow>, HostError>;
    /// Adds or replaces one.
    async fn add_document(&self, document: NewDocument) -> Result<DocumentRow, HostError>;
    /// Removes one.
    async fn remove_document(&self, document_id: &str) -> Result<(), HostError>;
}

/// A running Windlass, in this process or behind a server: all that a person at a screen needs. Cheap to share;
/// everything is bounded, and nothing is lost when a caller goes away.
pub trait HostPort: HostSessions + HostRuns + HostTools + HostPolicies + HostModels + HostSearch {}

impl<T: HostSessions + HostRuns + HostTools + HostPolicies + HostModels + HostSearch> HostPort for T {}

/// A host in this process: what a server needs of it to serve others, and whoever started it to watch and to
/// stop it. Routes give none of this, or in the shapes of other clients.
#[async_trait]
pub trait ServedPort: HostPort {
    /// Asks a model for one step, for callers that bring their own tools and run them themselves.
    async fn step(
        &self,
        model: Option<&str>,
        request: ModelRequest,
    ) -> Result<BoxStream<'static, Result<ModelDelta, ModelFailure>>, HostError>;

    /// Keeps a snapshot.
    async fn put_save(&self, save: Save) -> Result<(), HostError>;
    /// One snapshot.
    async fn save(&self, save_id: &str) -> Result<Save, HostError>;
    /// Snapshots, newest first, at most so many.
    async fn saves(&self, rows_max: usize) -> Result<Vec<Save>, HostError>;
    /// Forgets a snapshot.
    async fn delete_save(&self, save_id: &str) -> Result<(), HostError>;

    /// Programs of a user's own that run tools.
    fn executors(&self) -> &dyn ExecutorsPort;

    /// Follows all records of all sessions from now on, without deltas, as long as the reader keeps up:
    /// for metrics and traces.
    fn observe(&self) -> BoxStream<'static, Arc<Record>>;
    /// Takes no more runs, brings those that go on to a safe point, and lets go of its sessions.
    async fn close(&self) -> Result<(), HostError>;
}

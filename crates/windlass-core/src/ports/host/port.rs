//! The ports of a host: what any front end can ask, wherever the host is, and what only the process of the
//! host itself can.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    AuditQuery, EditApproval, ExecutorsPort, Explanation, ForkWish, HostDefaults, HostDelivery, HostError,
    ModelFindings, ModelRow, ModulePrompt, ModuleRow, ModuleShelf, OutsideCall, RecordQuery, ReplayReport,
    ResumeWish, RunStart, StartedRun, ToolAnswer,
};
use crate::permission::{ApproveMode, AuditEntry, PermissionAnswer, Question, Rule};
use crate::ports::search::{DocumentRow, Found, IndexStatus, NewDocument, SearchQuery};
use crate::ports::store::{NewSession, RunQuery, RunRow, Save, SessionQuery, SessionRow};
use crate::ports::{BoxFuture, BoxStream};
use crate::protocol::event::Record;
use crate::protocol::ids::{CallId, RunId, SessionId};
use crate::protocol::model::{ModelDelta, ModelFailure, ModelRequest};
use crate::protocol::settings::SessionSettings;
use crate::protocol::step::StepReport;
use crate::protocol::task::Task;
use crate::protocol::tool::ToolSpec;

/// A future of something that a host gives.
pub type HostFuture<'a, T> = BoxFuture<'a, Result<T, HostError>>;

/// Sessions: what was said in them, and how they are set.
pub trait HostSessions: Send + Sync {
    /// Begins a session; empty fields get the host's defaults.
    fn create_session(&self, begin: NewSession) -> HostFuture<'_, SessionRow>;
    /// Sessions, newest first.
    fn sessions(&self, query: SessionQuery) -> HostFuture<'_, Vec<SessionRow>>;
    /// One session.
    fn session<'a>(&'a self, session_id: &'a SessionId) -> HostFuture<'a, SessionRow>;
    /// All records of a session with `seq > after`, deltas among them.
    fn records<'a>(&'a self, session_id: &'a SessionId, after: u64) -> HostFuture<'a, Vec<Arc<Record>>>;
    /// The first of these records; deltas that are not in the journal yet among them.
    fn record_page<'a>(
        &'a self,
        session_id: &'a SessionId,
        query: RecordQuery,
    ) -> HostFuture<'a, Vec<Arc<Record>>>;
    /// The records of a session with `seq > after`, of all its runs, as they are and as they come; ends when
    /// the session is forgotten or the host closes.
    fn session_events<'a>(
        &'a self,
        session_id: &'a SessionId,
        after: u64,
    ) -> HostFuture<'a, BoxStream<'static, HostDelivery>>;
    /// Gives a session another title.
    fn rename_session<'a>(&'a self, session_id: &'a SessionId, title: &'a str) -> HostFuture<'a, ()>;
    /// Changes how calls of a session are approved that need asking: for the next call that is judged, of a run
    /// that goes on too, and until it is changed again.
    fn set_approve<'a>(&'a self, session_id: &'a SessionId, approve: ApproveMode) -> HostFuture<'a, ()>;
    /// Sets what holds for the runs of a session that begin from now on, instead of what was set before.
    fn set_settings<'a>(&'a self, session_id: &'a SessionId, settings: SessionSettings)
    -> HostFuture<'a, ()>;
    /// Forgets a session; a run that goes on in it is cancelled first.
    fn delete_session<'a>(&'a self, session_id: &'a SessionId) -> HostFuture<'a, ()>;
    /// The session's task list.
    fn tasks<'a>(&'a self, session_id: &'a SessionId) -> HostFuture<'a, Vec<Task>>;
}

/// Runs of sessions, from their start to what can be done with their record.
pub trait HostRuns: Send + Sync {
    /// Starts a run.
    fn start_run<'a>(&'a self, session_id: &'a SessionId, start: RunStart) -> HostFuture<'a, StartedRun>;
    /// One run.
    fn run<'a>(&'a self, run_id: &'a RunId) -> HostFuture<'a, RunRow>;
    /// Runs, newest first.
    fn runs(&self, query: RunQuery) -> HostFuture<'_, Vec<RunRow>>;
    /// The records of a run with `seq > after`, as they are and as they come; ends after the run's end.
    /// A run that stopped in the middle and was not taken up again gives what is on record and stays open.
    fn events<'a>(
        &'a self,
        run_id: &'a RunId,
        after: u64,
    ) -> HostFuture<'a, BoxStream<'static, HostDelivery>>;
    /// Stops a run; one that has ended stays as it is.
    fn cancel<'a>(&'a self, run_id: &'a RunId) -> HostFuture<'a, ()>;
    /// The questions of a run that wait for an answer.
    fn questions<'a>(&'a self, run_id: &'a RunId) -> HostFuture<'a, Vec<Question>>;
    /// Answers a question; only if it is the one with this digest.
    fn answer<'a>(
        &'a self,
        run_id: &'a RunId,
        call_id: &'a CallId,
        digest: &'a str,
        answer: PermissionAnswer,
    ) -> HostFuture<'a, ()>;
    /// Takes up a run that stopped in the middle.
    fn resume<'a>(&'a self, run_id: &'a RunId, wish: ResumeWish) -> HostFuture<'a, StartedRun>;
    /// Copies a run up to a step into a new session, and goes on there.
    fn fork<'a>(&'a self, run_id: &'a RunId, wish: ForkWish) -> HostFuture<'a, StartedRun>;
    /// Plays a run again from its record and compares.
    fn replay<'a>(&'a self, run_id: &'a RunId) -> HostFuture<'a, ReplayReport>;
    /// What a step of a run asked of its model, and what that answered.
    fn step_report<'a>(&'a self, run_id: &'a RunId, step: u32) -> HostFuture<'a, StepReport>;
}

/// Tools, and calls of them by hand.
pub trait HostTools: Send + Sync {
    /// The tools.
    fn tools(&self) -> Vec<Arc<ToolSpec>>;
    /// Runs one call from outside, through validation, permission and limits. What would need asking is
    /// refused, unless somebody has said yes to it.
    fn call_tool(&self, call: OutsideCall) -> HostFuture<'_, ToolAnswer>;
    /// Makes an edit that a run has staged, through validation, permission and limits, and tells the session of it:
    /// its model knows with the next message.
    fn apply_edit(&self, approval: EditApproval) -> HostFuture<'_, ToolAnswer>;
}

/// Rules, and what was decided by them.
pub trait HostPolicies: Send + Sync {
    /// The rules that hold now, and what sessions are granted.
    fn rules(&self) -> HostFuture<'_, Vec<Rule>>;
    /// Stores a rule: `allow`, `deny` or `ask`, and its pattern.
    fn add_rule<'a>(&'a self, effect: &'a str, pattern: &'a str) -> HostFuture<'a, Rule>;
    /// Forgets a rule, or takes a grant back.
    fn remove_rule<'a>(&'a self, rule_id: &'a str) -> HostFuture<'a, ()>;
    /// Which gate decides a call, and why.
    fn explain<'a>(&'a self, tool: &'a str, args: Map<String, Value>) -> HostFuture<'a, Explanation>;
    /// Decisions about calls, newest first, as far back as the log reaches.
    fn audit(&self, query: AuditQuery) -> HostFuture<'_, Vec<AuditEntry>>;
}

/// What can be chosen: models and modules, and what holds where nobody chooses.
pub trait HostModels: Send + Sync {
    /// What holds where nobody chooses.
    fn defaults(&self) -> Result<HostDefaults, HostError>;
    /// Asks a model's endpoint what it can really do, which takes a while; what is found is kept.
    fn examine_model<'a>(&'a self, name: &'a str) -> HostFuture<'a, ModelFindings>;
    /// Models that can be chosen.
    fn models(&self) -> HostFuture<'_, Vec<ModelRow>>;

    /// Modules, by id, and files of modules that are wrong.
    fn modules(&self) -> HostFuture<'_, ModuleShelf>;
    /// One module.
    fn module<'a>(&'a self, module_id: &'a str) -> HostFuture<'a, ModuleRow>;
    /// What a module would ask a model for these inputs; nothing is asked.
    fn module_prompt<'a>(
        &'a self,
        module_id: &'a str,
        inputs: Map<String, Value>,
    ) -> HostFuture<'a, ModulePrompt>;
}

/// The index of the project.
pub trait HostSearch: Send + Sync {
    /// The best passages of the project; [`HostError::Missing`] where there is no index.
    fn search(&self, query: SearchQuery) -> HostFuture<'_, Found>;
    /// What the index holds, and how far it is while it is built.
    fn index_status(&self) -> HostFuture<'_, IndexStatus>;
    /// Documents and notes that were added to the index, by name.
    fn documents(&self) -> HostFuture<'_, Vec<DocumentRow>>;
    /// Adds or replaces one.
    fn add_document(&self, document: NewDocument) -> HostFuture<'_, DocumentRow>;
    /// Removes one.
    fn remove_document<'a>(&'a self, document_id: &'a str) -> HostFuture<'a, ()>;
}

/// A running Windlass, in this process or behind a server: all that a person at a screen needs. Cheap to share;
/// everything is bounded, and nothing is lost when a caller goes away.
pub trait HostPort: HostSessions + HostRuns + HostTools + HostPolicies + HostModels + HostSearch {}

impl<T: HostSessions + HostRuns + HostTools + HostPolicies + HostModels + HostSearch> HostPort for T {}

/// A host in this process: what a server needs of it to serve others, and whoever started it to watch and to
/// stop it. Routes give none of this, or in the shapes of other clients.
pub trait ServedPort: HostPort {
    /// The session that somebody outside knows by this name.
    fn session_by_key<'a>(&'a self, key: &'a str) -> HostFuture<'a, Option<SessionRow>>;
    /// Asks a model for one step, for callers that bring their own tools and run them themselves.
    fn step<'a>(
        &'a self,
        model: Option<&'a str>,
        request: ModelRequest,
    ) -> HostFuture<'a, BoxStream<'static, Result<ModelDelta, ModelFailure>>>;

    /// Keeps a snapshot.
    fn put_save(&self, save: Save) -> HostFuture<'_, ()>;
    /// One snapshot.
    fn save<'a>(&'a self, save_id: &'a str) -> HostFuture<'a, Save>;
    /// Snapshots, newest first, at most so many.
    fn saves(&self, rows_max: usize) -> HostFuture<'_, Vec<Save>>;
    /// Forgets a snapshot.
    fn delete_save<'a>(&'a self, save_id: &'a str) -> HostFuture<'a, ()>;

    /// Programs of a user's own that run tools.
    fn executors(&self) -> &dyn ExecutorsPort;

    /// Follows all records of all sessions from now on, without deltas, as long as the reader keeps up:
    /// for metrics and traces.
    fn observe(&self) -> BoxStream<'static, Arc<Record>>;
    /// Takes no more runs, brings those that go on to a safe point, and lets go of its sessions.
    fn close(&self) -> HostFuture<'_, ()>;
}

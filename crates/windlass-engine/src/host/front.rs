//! The host as front ends see it.

use std::collections::HashSet;
use std::sync::{Arc, MutexGuard, PoisonError};

use serde_json::{Map, Value};
use windlass_core::permission::{ApproveMode, AuditEntry, PermissionAnswer, Question, Rule};
use windlass_core::ports::BoxStream;
use windlass_core::ports::host::{
    AuditQuery, EditApproval, ExecutorsPort, Explanation, ForkWish, HostDefaults, HostDelivery, HostError,
    HostFuture, HostModels, HostPolicies, HostRuns, HostSearch, HostSessions, HostTools, ModelFindings,
    ModelRow, ModulePrompt, ModuleRow, ModuleShelf, OutsideCall, RecordQuery, ReplayReport, ResumeWish,
    RunStart, ServedPort, StartedRun, ToolAnswer,
};
use windlass_core::ports::search::{
    DocumentRow, Found, IndexStatus, NewDocument, SearchFailure, SearchQuery, SharedSearch,
};
use windlass_core::ports::store::{NewSession, RunQuery, RunRow, Save, SessionQuery, SessionRow};
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::{CallId, RunId, SessionId};
use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelRequest};
use windlass_core::protocol::settings::SessionSettings;
use windlass_core::protocol::step::StepReport;
use windlass_core::protocol::task::Task;
use windlass_core::protocol::tool::ToolSpec;

use super::{Host, broken, failed};
use crate::ids::new_session_id;

impl Host {
    async fn begin_session(&self, mut begin: NewSession) -> Result<SessionRow, HostError> {
        self.check_open()?;
        // Names that mean nothing are told now, not with the first run.
        let own = |text: &'_ str| (!text.is_empty()).then(|| text.to_owned());
        let mut profile = (self.parts.profiles)(own(&begin.profile).as_deref())?;
        if let Some(model) = own(&begin.model) {
            self.parts.models.open(Some(&model), &mut profile)?;
        }
        if let Some(approve) = begin.approve {
            self.check_mode(approve)?;
        }
        let root = self.parts.root.display().to_string();
        if !begin.root.is_empty() && begin.root != root {
            let message = format!("sessions of this host work in {root}, not in {}", begin.root);
            return Err(HostError::Invalid { field: Some("root"), message });
        }
        begin.root = root;
        if begin.origin.is_empty() {
            begin.origin = "api".to_owned();
        }
        let session_id = new_session_id();
        self.note_mode(&session_id, begin.approve);
        let now = self.parts.clock.now_ms();
        let row = self.parts.store.create_session(&session_id, begin, now).await;
        row.map(|row| self.with_defaults(row)).map_err(failed("session", session_id.as_str()))
    }

    /// A session that has no model or profile of its own shows what its next run would use.
    fn with_defaults(&self, mut row: SessionRow) -> SessionRow {
        if row.begin.model.is_empty() {
            row.begin.model = self.parts.models.usual();
        }
        if row.begin.profile.is_empty() {
            row.begin.profile = self.usual_profile().unwrap_or_default();
        }
        row.begin.approve = Some(self.mode_of(&row));
        row
    }

    /// How calls of a session are approved. That nobody is asked was chosen by somebody who was there: in another
    /// process, what it was started with counts instead.
    pub(super) fn mode_of(&self, row: &SessionRow) -> ApproveMode {
        match row.begin.approve {
            Some(ApproveMode::All) if !self.unasked().contains(&row.session_id) => self.parts.approve,
            Some(mode) => mode,
            None => self.parts.approve,
        }
    }

    fn unasked(&self) -> MutexGuard<'_, HashSet<SessionId>> {
        self.unasked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_mode(&self, session_id: &SessionId, approve: Option<ApproveMode>) {
        let mut unasked = self.unasked();
        match approve {
            Some(ApproveMode::All) => drop(unasked.insert(session_id.clone())),
            Some(_) | None => drop(unasked.remove(session_id)),
        }
    }

    /// On record first, so that a mode that was tightened stays so, whatever happens; then told to the actor.
    async fn switch_mode(&self, session_id: &SessionId, approve: ApproveMode) -> Result<(), HostError> {
        self.check_mode(approve)?;
        let slot = self.slots.at(session_id);
        let _change = slot.change.lock().await;
        let kept = self.parts.store.set_approve(session_id, approve).await;
        kept.map_err(failed("session", session_id.as_str()))?;
        self.note_mode(session_id, Some(approve));
        match slot.open() {
            Some(open) => open.session.set_approve(approve).await.map_err(super::running::unsent),
            None => Ok(()),
        }
    }

    /// Rules that forbid may be lost with a file that cannot be read: nothing may run on their absence.
    pub(super) fn check_mode(&self, approve: ApproveMode) -> Result<(), HostError> {
        if approve == ApproveMode::All && self.parts.policies.is_lost() {
            let message = "the mode all does not hold while the policy file cannot be read";
            return Err(HostError::Conflict(message.to_owned()));
        }
        Ok(())
    }

    fn usual_profile(&self) -> Result<String, HostError> {
        Ok((self.parts.profiles)(None)?.name.word().to_owned())
    }

    async fn read_audit(&self, query: AuditQuery) -> Result<Vec<AuditEntry>, HostError> {
        let Some(audit) = self.parts.audit.clone() else { return Ok(Vec::new()) };
        let read = tokio::task::spawn_blocking(move || audit.newest(&query));
        read.await.map_err(broken)?.map_err(broken)
    }

    async fn forget_session(&self, session_id: &SessionId) -> Result<(), HostError> {
        let gone = || failed("session", session_id.as_str());
        self.parts.store.session(session_id).await.map_err(gone())?;
        let slot = self.slots.at(session_id);
        let _change = slot.change.lock().await;
        self.claim(&slot).await?;
        if let Some(run_id) = slot.run() {
            self.live_runs.leave(&run_id);
        }
        // A run that goes on is cancelled when its last handle is gone.
        self.shut(&slot).await;
        self.parts.store.delete_session(session_id).await.map_err(gone())?;
        self.forget_documents(session_id).await;
        // Readers that wait for the session to open look again, and find it gone.
        slot.opened.notify_waiters();
        Ok(())
    }
}

impl Host {
    fn index(&self) -> Result<&SharedSearch, HostError> {
        self.parts.search.as_ref().ok_or_else(|| self.without_index())
    }

    fn without_index(&self) -> HostError {
        HostError::Missing { what: "index", id: self.parts.root.display().to_string() }
    }

    async fn take_document(&self, document: NewDocument) -> Result<DocumentRow, HostError> {
        if let Some(session_id) = &document.session_id {
            let known = self.parts.store.session(session_id).await;
            known.map_err(failed("session", session_id.as_str()))?;
        }
        self.index()?.add_document(document).await.map_err(|failure| match failure {
            SearchFailure::Invalid(message) => HostError::Invalid { field: Some("document"), message },
            failure => self.unfound(failure),
        })
    }

    fn module_shelf(&self) -> ModuleShelf {
        self.parts.models.modules().map(|modules| modules.shelf()).unwrap_or_default()
    }

    /// Documents of a session go with it; one that stays behind is found by nobody but searches in all documents.
    async fn forget_documents(&self, session_id: &SessionId) {
        let Some(index) = &self.parts.search else { return };
        let documents = index.documents().await.unwrap_or_default();
        for document in documents.iter().filter(|it| it.session_id.as_ref() == Some(session_id)) {
            if let Err(failure) = index.remove_document(&document.document_id).await {
                tracing::warn!(%failure, session = %session_id, "a document of a deleted session stays");
            }
        }
    }

    fn unfound(&self, failure: SearchFailure) -> HostError {
        match failure {
            SearchFailure::Missing(_) => self.without_index(),
            SearchFailure::Invalid(message) => HostError::Invalid { field: Some("q"), message },
            SearchFailure::Unsupported(message) => HostError::Conflict(message),
            SearchFailure::Broken(message) => broken(message),
        }
    }
}

fn no_module(module_id: &str) -> HostError {
    HostError::Missing { what: "module", id: module_id.to_owned() }
}

impl HostSessions for Host {
    fn create_session(&self, begin: NewSession) -> HostFuture<'_, SessionRow> {
        Box::pin(self.begin_session(begin))
    }

    fn sessions(&self, query: SessionQuery) -> HostFuture<'_, Vec<SessionRow>> {
        Box::pin(async move {
            let rows = self.parts.store.sessions(query).await.map_err(failed("session", ""))?;
            Ok(rows.into_iter().map(|row| self.with_defaults(row)).collect())
        })
    }

    fn session<'a>(&'a self, session_id: &'a SessionId) -> HostFuture<'a, SessionRow> {
        Box::pin(async move {
            let row = self.parts.store.session(session_id).await;
            row.map(|row| self.with_defaults(row)).map_err(failed("session", session_id.as_str()))
        })
    }

    fn records<'a>(&'a self, session_id: &'a SessionId, after: u64) -> HostFuture<'a, Vec<Arc<Record>>> {
        Box::pin(async move {
            self.parts.store.session(session_id).await.map_err(failed("session", session_id.as_str()))?;
            self.parts.store.load(session_id, after).await.map_err(broken)
        })
    }

    fn record_page<'a>(
        &'a self,
        session_id: &'a SessionId,
        query: RecordQuery,
    ) -> HostFuture<'a, Vec<Arc<Record>>> {
        Box::pin(self.load_some(session_id, query))
    }

    fn session_events<'a>(
        &'a self,
        session_id: &'a SessionId,
        after: u64,
    ) -> HostFuture<'a, BoxStream<'static, HostDelivery>> {
        Box::pin(self.read_session(session_id, after))
    }

    fn rename_session<'a>(&'a self, session_id: &'a SessionId, title: &'a str) -> HostFuture<'a, ()> {
        Box::pin(async move {
            let renamed = self.parts.store.rename_session(session_id, title).await;
            renamed.map_err(failed("session", session_id.as_str()))
        })
    }

    fn set_approve<'a>(&'a self, session_id: &'a SessionId, approve: ApproveMode) -> HostFuture<'a, ()> {
        Box::pin(self.switch_mode(session_id, approve))
    }

    fn set_settings<'a>(
        &'a self,
        session_id: &'a SessionId,
        settings: SessionSettings,
    ) -> HostFuture<'a, ()> {
        Box::pin(async move {
            let kept = self.parts.store.set_settings(session_id, settings).await;
            kept.map_err(failed("session", session_id.as_str()))
        })
    }

    fn delete_session<'a>(&'a self, session_id: &'a SessionId) -> HostFuture<'a, ()> {
        Box::pin(self.forget_session(session_id))
    }

    fn tasks<'a>(&'a self, session_id: &'a SessionId) -> HostFuture<'a, Vec<Task>> {
        Box::pin(async move {
            self.parts.store.tasks(session_id).await.map_err(failed("session", session_id.as_str()))
        })
    }
}

impl HostRuns for Host {
    fn start_run<'a>(&'a self, session_id: &'a SessionId, start: RunStart) -> HostFuture<'a, StartedRun> {
        Box::pin(self.begin_run(session_id, start))
    }

    fn run<'a>(&'a self, run_id: &'a RunId) -> HostFuture<'a, RunRow> {
        Box::pin(self.run_row(run_id))
    }

    fn runs(&self, query: RunQuery) -> HostFuture<'_, Vec<RunRow>> {
        Box::pin(async move { self.parts.store.runs(query).await.map_err(failed("run", "")) })
    }

    fn events<'a>(
        &'a self,
        run_id: &'a RunId,
        after: u64,
    ) -> HostFuture<'a, BoxStream<'static, HostDelivery>> {
        Box::pin(self.read(run_id, after))
    }

    fn cancel<'a>(&'a self, run_id: &'a RunId) -> HostFuture<'a, ()> {
        Box::pin(self.stop(run_id))
    }

    fn questions<'a>(&'a self, run_id: &'a RunId) -> HostFuture<'a, Vec<Question>> {
        Box::pin(self.waiting_questions(run_id))
    }

    fn answer<'a>(
        &'a self,
        run_id: &'a RunId,
        call_id: &'a CallId,
        digest: &'a str,
        answer: PermissionAnswer,
    ) -> HostFuture<'a, ()> {
        Box::pin(self.pass_answer(run_id, call_id, digest, answer))
    }

    fn resume<'a>(&'a self, run_id: &'a RunId, wish: ResumeWish) -> HostFuture<'a, StartedRun> {
        Box::pin(self.resume_run(run_id, wish))
    }

    fn fork<'a>(&'a self, run_id: &'a RunId, wish: ForkWish) -> HostFuture<'a, StartedRun> {
        Box::pin(self.fork_run(run_id, wish))
    }

    fn replay<'a>(&'a self, run_id: &'a RunId) -> HostFuture<'a, ReplayReport> {
        Box::pin(self.replay_run(run_id))
    }

    fn step_report<'a>(&'a self, run_id: &'a RunId, step: u32) -> HostFuture<'a, StepReport> {
        Box::pin(self.report_step(run_id, step))
    }
}

impl HostTools for Host {
    fn tools(&self) -> Vec<Arc<ToolSpec>> {
        let shelf = self.parts.registry.snapshot();
        shelf.toolset.entries().iter().map(|entry| Arc::clone(&entry.spec)).collect()
    }

    fn call_tool(&self, call: OutsideCall) -> HostFuture<'_, ToolAnswer> {
        Box::pin(self.call_outside(call))
    }

    fn apply_edit(&self, approval: EditApproval) -> HostFuture<'_, ToolAnswer> {
        Box::pin(self.make_edit(approval))
    }
}

impl HostPolicies for Host {
    fn rules(&self) -> HostFuture<'_, Vec<Rule>> {
        Box::pin(self.held_rules())
    }

    fn add_rule<'a>(&'a self, effect: &'a str, pattern: &'a str) -> HostFuture<'a, Rule> {
        Box::pin(async move { self.store_rule(effect, pattern) })
    }

    fn remove_rule<'a>(&'a self, rule_id: &'a str) -> HostFuture<'a, ()> {
        Box::pin(self.forget_rule(rule_id))
    }

    fn explain<'a>(&'a self, tool: &'a str, args: Map<String, Value>) -> HostFuture<'a, Explanation> {
        Box::pin(self.explain_call(tool, args))
    }

    fn audit(&self, query: AuditQuery) -> HostFuture<'_, Vec<AuditEntry>> {
        Box::pin(self.read_audit(query))
    }
}

impl HostModels for Host {
    fn defaults(&self) -> Result<HostDefaults, HostError> {
        let profile = (self.parts.profiles)(None)?;
        Ok(HostDefaults {
            root: self.parts.root.display().to_string(),
            model: self.parts.models.usual(),
            profile: profile.name.word().to_owned(),
            executes_while_streaming: profile.executes_while_streaming,
            approve: self.parts.approve,
            sampling: self.parts.sampling.clone(),
        })
    }

    fn examine_model<'a>(&'a self, name: &'a str) -> HostFuture<'a, ModelFindings> {
        Box::pin(async move {
            self.check_open()?;
            self.parts.models.examine(name).await
        })
    }

    fn models(&self) -> HostFuture<'_, Vec<ModelRow>> {
        Box::pin(async move { Ok(self.parts.models.list()) })
    }

    fn modules(&self) -> HostFuture<'_, ModuleShelf> {
        Box::pin(async move { Ok(self.module_shelf()) })
    }

    fn module<'a>(&'a self, module_id: &'a str) -> HostFuture<'a, ModuleRow> {
        Box::pin(async move {
            let mut modules = self.module_shelf().modules.into_iter();
            modules.find(|row| row.module_id == module_id).ok_or_else(|| no_module(module_id))
        })
    }

    fn module_prompt<'a>(
        &'a self,
        module_id: &'a str,
        inputs: Map<String, Value>,
    ) -> HostFuture<'a, ModulePrompt> {
        Box::pin(async move {
            let modules = self.parts.models.modules().ok_or_else(|| no_module(module_id))?;
            modules.prompt(module_id, &inputs)
        })
    }
}

impl HostSearch for Host {
    fn search(&self, query: SearchQuery) -> HostFuture<'_, Found> {
        Box::pin(async move { self.index()?.search(query).await.map_err(|failure| self.unfound(failure)) })
    }

    fn index_status(&self) -> HostFuture<'_, IndexStatus> {
        Box::pin(async move { self.index()?.status().await.map_err(|failure| self.unfound(failure)) })
    }

    fn documents(&self) -> HostFuture<'_, Vec<DocumentRow>> {
        Box::pin(async move { self.index()?.documents().await.map_err(|failure| self.unfound(failure)) })
    }

    fn add_document(&self, document: NewDocument) -> HostFuture<'_, DocumentRow> {
        Box::pin(self.take_document(document))
    }

    fn remove_document<'a>(&'a self, document_id: &'a str) -> HostFuture<'a, ()> {
        Box::pin(async move {
            let removed = self.index()?.remove_document(document_id).await;
            if removed.map_err(|failure| self.unfound(failure))? {
                return Ok(());
            }
            Err(HostError::Missing { what: "document", id: document_id.to_owned() })
        })
    }
}

impl ServedPort for Host {
    fn session_by_key<'a>(&'a self, key: &'a str) -> HostFuture<'a, Option<SessionRow>> {
        Box::pin(async move {
            let row = self.parts.store.session_by_key(key).await.map_err(failed("session", key))?;
            Ok(row.map(|row| self.with_defaults(row)))
        })
    }

    fn step<'a>(
        &'a self,
        model: Option<&'a str>,
        request: ModelRequest,
    ) -> HostFuture<'a, BoxStream<'static, Result<ModelDelta, ModelFailure>>> {
        Box::pin(self.one_step(model, request))
    }

    fn put_save(&self, save: Save) -> HostFuture<'_, ()> {
        Box::pin(async move { self.parts.store.put_save(save).await.map_err(failed("save", "")) })
    }

    fn save<'a>(&'a self, save_id: &'a str) -> HostFuture<'a, Save> {
        Box::pin(async move { self.parts.store.save(save_id).await.map_err(failed("save", save_id)) })
    }

    fn saves(&self, rows_max: usize) -> HostFuture<'_, Vec<Save>> {
        Box::pin(async move { self.parts.store.saves(rows_max).await.map_err(failed("save", "")) })
    }

    fn delete_save<'a>(&'a self, save_id: &'a str) -> HostFuture<'a, ()> {
        Box::pin(async move { self.parts.store.delete_save(save_id).await.map_err(failed("save", save_id)) })
    }

    fn executors(&self) -> &dyn ExecutorsPort {
        &self.executors
    }

    fn observe(&self) -> BoxStream<'static, Arc<Record>> {
        Box::pin(self.live_runs.observe())
    }

    fn close(&self) -> HostFuture<'_, ()> {
        Box::pin(self.close_all())
    }
}

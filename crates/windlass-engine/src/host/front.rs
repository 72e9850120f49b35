//! The host as front ends see it.

use std::collections::HashSet;
use std::sync::{Arc, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde_json::{Map, Value};
use windlass_core::permission::{ApproveMode, AuditEntry, PermissionAnswer, Question, Rule};
use windlass_core::ports::BoxStream;
use windlass_core::ports::host::{
    AuditQuery, EditApproval, ExecutorsPort, Explanation, ForkWish, HostDefaults, HostDelivery, HostError,
    HostModels, HostPolicies, HostRuns, HostSearch, HostSessions, HostTools, ModelFindings, ModelRow,
    ModulePrompt, ModuleRow, ModuleShelf, OutsideCall, RecordQuery, ReplayReport, ResumeWish, RunStart,
    ServedPort, StartedRun, ToolAnswer,
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
        // Nothing is deleted under the hands of another process that writes it.
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

#[async_trait]
impl HostSessions for Host {
    async fn create_session(&self, begin: NewSession) -> Result<SessionRow, HostError> {
        self.begin_session(begin).await
    }

    async fn sessions(&self, query: SessionQuery) -> Result<Vec<SessionRow>, HostError> {
        let rows = self.parts.store.sessions(query).await.map_err(failed("session", ""))?;
        Ok(rows.into_iter().map(|row| self.with_defaults(row)).collect())
    }

    async fn session(&self, session_id: &SessionId) -> Result<SessionRow, HostError> {
        let row = self.parts.store.session(session_id).await;
        row.map(|row| self.with_defaults(row)).map_err(failed("session", session_id.as_str()))
    }

    async fn session_by_key(&self, key: &str) -> Result<Option<SessionRow>, HostError> {
        let row = self.parts.store.session_by_key(key).await.map_err(failed("session", key))?;
        Ok(row.map(|row| self.with_defaults(row)))
    }

    async fn records(&self, session_id: &SessionId, after: u64) -> Result<Vec<Arc<Record>>, HostError> {
        self.parts.store.session(session_id).await.map_err(failed("session", session_id.as_str()))?;
        self.parts.store.load(session_id, after).await.map_err(broken)
    }

    async fn record_page(
        &self,
        session_id: &SessionId,
        query: RecordQuery,
    ) -> Result<Vec<Arc<Record>>, HostError> {
        self.load_some(session_id, query).await
    }

    async fn session_events(
        &self,
        session_id: &SessionId,
        after: u64,
    ) -> Result<BoxStream<'static, HostDelivery>, HostError> {
        self.read_session(session_id, after).await
    }

    async fn rename_session(&self, session_id: &SessionId, title: &str) -> Result<(), HostError> {
        let renamed = self.parts.store.rename_session(session_id, title).await;
        renamed.map_err(failed("session", session_id.as_str()))
    }

    async fn set_approve(&self, session_id: &SessionId, approve: ApproveMode) -> Result<(), HostError> {
        self.switch_mode(session_id, approve).await
    }

    async fn set_settings(&self, session_id: &SessionId, settings: SessionSettings) -> Result<(), HostError> {
        let kept = self.parts.store.set_settings(session_id, settings).await;
        kept.map_err(failed("session", session_id.as_str()))
    }

    async fn delete_session(&self, session_id: &SessionId) -> Result<(), HostError> {
        self.forget_session(session_id).await
    }

    async fn tasks(&self, session_id: &SessionId) -> Result<Vec<Task>, HostError> {
        self.parts.store.tasks(session_id).await.map_err(failed("session", session_id.as_str()))
    }
}

#[async_trait]
impl HostRuns for Host {
    async fn start_run(&self, session_id: &SessionId, start: RunStart) -> Result<StartedRun, HostError> {
        self.start_watched(session_id, start).await.map(|(started, _)| started)
    }

    async fn run(&self, run_id: &RunId) -> Result<RunRow, HostError> {
        self.run_row(run_id).await
    }

    async fn runs(&self, query: RunQuery) -> Result<Vec<RunRow>, HostError> {
        self.parts.store.runs(query).await.map_err(failed("run", ""))
    }

    async fn events(
        &self,
        run_id: &RunId,
        after: u64,
    ) -> Result<BoxStream<'static, HostDelivery>, HostError> {
        self.read(run_id, after).await
    }

    async fn cancel(&self, run_id: &RunId) -> Result<(), HostError> {
        self.stop(run_id).await
    }

    async fn questions(&self, run_id: &RunId) -> Result<Vec<Question>, HostError> {
        self.waiting_questions(run_id).await
    }

    async fn answer(
        &self,
        run_id: &RunId,
        call_id: &CallId,
        digest: &str,
        answer: PermissionAnswer,
    ) -> Result<(), HostError> {
        self.pass_answer(run_id, call_id, digest, answer).await
    }

    async fn resume(&self, run_id: &RunId, wish: ResumeWish) -> Result<StartedRun, HostError> {
        self.resume_run(run_id, wish).await
    }

    async fn fork(&self, run_id: &RunId, wish: ForkWish) -> Result<StartedRun, HostError> {
        self.fork_run(run_id, wish).await
    }

    async fn replay(&self, run_id: &RunId) -> Result<ReplayReport, HostError> {
        self.replay_run(run_id).await
    }

    async fn step_report(&self, run_id: &RunId, step: u32) -> Result<StepReport, HostError> {
        self.report_step(run_id, step).await
    }
}

#[async_trait]
impl HostTools for Host {
    fn tools(&self) -> Vec<Arc<ToolSpec>> {
        let shelf = self.parts.registry.snapshot();
        shelf.toolset.entries().iter().map(|entry| Arc::clone(&entry.spec)).collect()
    }

    async fn call_tool(&self, call: OutsideCall) -> Result<ToolAnswer, HostError> {
        self.call_outside(call).await
    }

    async fn apply_edit(&self, approval: EditApproval) -> Result<ToolAnswer, HostError> {
        self.make_edit(approval).await
    }
}

#[async_trait]
impl HostPolicies for Host {
    async fn rules(&self) -> Result<Vec<Rule>, HostError> {
        self.held_rules().await
    }

    async fn add_rule(&self, effect: &str, pattern: &str) -> Result<Rule, HostError> {
        self.store_rule(effect, pattern)
    }

    async fn remove_rule(&self, rule_id: &str) -> Result<(), HostError> {
        self.forget_rule(rule_id).await
    }

    async fn explain(&self, tool: &str, args: Map<String, Value>) -> Result<Explanation, HostError> {
        self.explain_call(tool, args).await
    }

    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditEntry>, HostError> {
        self.read_audit(query).await
    }
}

#[async_trait]
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

    async fn examine_model(&self, name: &str) -> Result<ModelFindings, HostError> {
        self.check_open()?;
        self.parts.models.examine(name).await
    }

    async fn models(&self) -> Result<Vec<ModelRow>, HostError> {
        Ok(self.parts.models.list())
    }

    async fn modules(&self) -> Result<ModuleShelf, HostError> {
        Ok(self.module_shelf())
    }

    async fn module(&self, module_id: &str) -> Result<ModuleRow, HostError> {
        let mut modules = self.module_shelf().modules.into_iter();
        modules.find(|row| row.module_id == module_id).ok_or_else(|| no_module(module_id))
    }

    async fn module_prompt(
        &self,
        module_id: &str,
        inputs: Map<String, Value>,
    ) -> Result<ModulePrompt, HostError> {
        let modules = self.parts.models.modules().ok_or_else(|| no_module(module_id))?;
        modules.prompt(module_id, &inputs)
    }
}

#[async_trait]
impl HostSearch for Host {
    async fn search(&self, query: SearchQuery) -> Result<Found, HostError> {
        let mut found = self.index()?.search(query).await.map_err(|failure| self.unfound(failure))?;
        // Also for people: who closes a path to models shows it in no front end's search either.
        let closed = self.parts.policies.rules().closed_paths();
        found.passages.retain(|passage| !closed.closes(&passage.path));
        Ok(found)
    }

    async fn index_status(&self) -> Result<IndexStatus, HostError> {
        self.index()?.status().await.map_err(|failure| self.unfound(failure))
    }

    async fn documents(&self) -> Result<Vec<DocumentRow>, HostError> {
        self.index()?.documents().await.map_err(|failure| self.unfound(failure))
    }

    async fn add_document(&self, document: NewDocument) -> Result<DocumentRow, HostError> {
        self.take_document(document).await
    }

    async fn remove_document(&self, document_id: &str) -> Result<(), HostError> {
        let removed = self.index()?.remove_document(document_id).await;
        if removed.map_err(|failure| self.unfound(failure))? {
            return Ok(());
        }
        Err(HostError::Missing { what: "document", id: document_id.to_owned() })
    }
}

#[async_trait]
impl ServedPort for Host {
    async fn step(
        &self,
        model: Option<&str>,
        request: ModelRequest,
    ) -> Result<BoxStream<'static, Result<ModelDelta, ModelFailure>>, HostError> {
        self.one_step(model, request).await
    }

    async fn put_save(&self, save: Save) -> Result<(), HostError> {
        self.parts.store.put_save(save).await.map_err(failed("save", ""))
    }

    async fn save(&self, save_id: &str) -> Result<Save, HostError> {
        self.parts.store.save(save_id).await.map_err(failed("save", save_id))
    }

    async fn saves(&self, rows_max: usize) -> Result<Vec<Save>, HostError> {
        self.parts.store.saves(rows_max).await.map_err(failed("save", ""))
    }

    async fn delete_save(&self, save_id: &str) -> Result<(), HostError> {
        self.parts.store.delete_save(save_id).await.map_err(failed("save", save_id))
    }

    fn executors(&self) -> &dyn ExecutorsPort {
        &self.executors
    }

    fn observe(&self) -> BoxStream<'static, Arc<Record>> {
        Box::pin(self.live_runs.observe())
    }

    async fn close(&self) -> Result<(), HostError> {
        self.close_all().await
    }
}

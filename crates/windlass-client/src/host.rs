//! The port of a host behind a server: each method is a request or a few.

use std::sync::Arc;

use futures::stream;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::permission::{ApproveMode, AuditEntry, PermissionAnswer, Question, Rule};
use windlass_core::ports::BoxStream;
use windlass_core::ports::host::{
    AuditQuery, EditApproval, Explanation, ForkWish, HostDefaults, HostDelivery, HostError, HostFuture,
    HostModels, HostPolicies, HostRuns, HostSearch, HostSessions, HostTools, ModelFindings, ModelRow,
    ModulePrompt, ModuleRow, ModuleShelf, OutsideCall, RecordQuery, ReplayReport, ResumeWish, RunStart,
    StartedRun, ToolAnswer,
};
use windlass_core::ports::search::{DocumentRow, Found, IndexStatus, NewDocument, SearchQuery, SearchScope};
use windlass_core::ports::store::{NewSession, RunQuery, RunRow, SessionQuery, SessionRow};
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::{CallId, RunId, SessionId};
use windlass_core::protocol::settings::SessionSettings;
use windlass_core::protocol::step::StepReport;
use windlass_core::protocol::task::Task;
use windlass_core::protocol::tool::ToolSpec;
use windlass_core::text::base64;
use windlass_core::text::secret::Secret;
use windlass_models::transport::Method;

use crate::address::ApiPath;
use crate::follow::Follower;
use crate::known::{ServerFacts, ShownRule, fetch_rules};
use crate::limits::{RECORDS_AT_ONCE, ROWS_AT_ONCE};
use crate::line::ServerLine;
use crate::wishes::{self, Called, Explained, RecordPage, StartedAnswer};

/// No body goes along.
const NOTHING: Option<&Value> = None;

/// A host behind a server.
#[derive(Debug)]
pub struct RemoteHost {
    line: Arc<ServerLine>,
    known: Arc<ServerFacts>,
}

impl RemoteHost {
    /// Looks whether a Windlass is there and lets us in. `ca_pem` are authorities to trust beside the system's.
    pub async fn connect(
        url: &str,
        token: Option<Secret>,
        ca_pem: Option<Vec<u8>>,
    ) -> Result<Arc<Self>, HostError> {
        let line = ServerLine::new(url, token, ca_pem)?;
        let known = Arc::new(ServerFacts::fetch(&line).await?);
        Ok(Arc::new(Self { line, known }))
    }

    /// Where the server is, without anything secret.
    pub fn url(&self) -> &str {
        self.line.url()
    }

    async fn list_sessions(&self, query: SessionQuery) -> Result<Vec<SessionRow>, HostError> {
        #[derive(Deserialize)]
        struct SessionPage {
            sessions: Vec<SessionRow>,
            next: Option<String>,
        }
        let SessionQuery { text, before, rows_max } = query;
        let mut before = before.map(|(ms, id)| format!("{ms}:{id}"));
        let mut rows = Vec::new();
        while rows.len() < rows_max {
            let path = ApiPath::of(&["api", "sessions"])
                .with_some("text", text.as_deref())
                .with_some("before", before.as_deref())
                .with("rows", &at_once(rows_max, rows.len(), ROWS_AT_ONCE));
            let page: SessionPage = self.line.get(&path).await?;
            rows.extend(page.sessions);
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        Ok(rows)
    }

    async fn list_runs(&self, query: RunQuery) -> Result<Vec<RunRow>, HostError> {
        #[derive(Deserialize)]
        struct RunPage {
            runs: Vec<RunRow>,
            next: Option<String>,
        }
        let RunQuery { session_id, is_unfinished, before, rows_max } = query;
        let mut before = before.map(|(ms, id)| format!("{ms}:{id}"));
        let mut rows = Vec::new();
        while rows.len() < rows_max {
            let path = ApiPath::of(&["api", "runs"])
                .with_some("session_id", session_id.as_ref().map(SessionId::as_str))
                .with_some("unfinished", is_unfinished.then_some("1"))
                .with_some("before", before.as_deref())
                .with("rows", &at_once(rows_max, rows.len(), ROWS_AT_ONCE));
            let page: RunPage = self.line.get(&path).await?;
            rows.extend(page.runs);
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        Ok(rows)
    }

    async fn read_records(
        &self,
        session_id: &SessionId,
        query: RecordQuery,
    ) -> Result<Vec<Arc<Record>>, HostError> {
        let RecordQuery { mut after, rows_max, has_deltas } = query;
        let mut records = Vec::new();
        while records.len() < rows_max {
            let path = ApiPath::of(&["api", "sessions", session_id.as_str(), "records"])
                .with("after", &after.to_string())
                .with("deltas", if has_deltas { "1" } else { "0" })
                .with("rows", &at_once(rows_max, records.len(), RECORDS_AT_ONCE));
            let page: RecordPage = self.line.get(&path).await?;
            records.extend(page.records);
            after = page.last_seq;
            if !page.has_more {
                break;
            }
        }
        Ok(records)
    }

    async fn follow_run(
        &self,
        run_id: &RunId,
        after: u64,
    ) -> Result<BoxStream<'static, HostDelivery>, HostError> {
        let row = self.run(run_id).await?;
        if row.ended_ms.is_some() && after >= row.last_seq {
            return Ok(Box::pin(stream::empty()));
        }
        let after = after.max(row.first_seq.saturating_sub(1));
        let follower = Follower::open(&self.line, &self.known, &row.session_id, after).await?;
        Ok(follower.of_run(run_id).stream())
    }

    async fn asked(&self, run_id: &RunId) -> Result<Vec<Question>, HostError> {
        #[derive(Deserialize)]
        struct QuestionsAnswer {
            questions: Vec<Question>,
        }
        let QuestionsAnswer { questions } =
            self.line.get(&ApiPath::of(&["api", "runs", run_id.as_str(), "permissions"])).await?;
        Ok(questions)
    }

    async fn send_answer(
        &self,
        run_id: &RunId,
        call_id: &CallId,
        digest: &str,
        answer: PermissionAnswer,
    ) -> Result<(), HostError> {
        let mut body = json!(answer);
        if let Value::Object(fields) = &mut body {
            fields.insert("digest".into(), digest.into());
        }
        let path = ApiPath::of(&["api", "runs", run_id.as_str(), "permissions", call_id.as_str()]);
        self.line.tell(&path, Method::Post, Some(&body)).await
    }

    async fn begin(&self, path: &ApiPath, body: &Value) -> Result<StartedRun, HostError> {
        let started: StartedAnswer = self.line.post(path, body).await?;
        Ok(started.into())
    }
}

/// How many rows are asked for next.
fn at_once(wanted: usize, there: usize, most: usize) -> String {
    wanted.saturating_sub(there).min(most).to_string()
}

impl HostSessions for RemoteHost {
    fn create_session(&self, begin: NewSession) -> HostFuture<'_, SessionRow> {
        Box::pin(async move {
            let body = wishes::new_session(&begin, &self.known.defaults().root)?;
            self.line.post(&ApiPath::of(&["api", "sessions"]), &body).await
        })
    }

    fn sessions(&self, query: SessionQuery) -> HostFuture<'_, Vec<SessionRow>> {
        Box::pin(self.list_sessions(query))
    }

    fn session<'a>(&'a self, session_id: &'a SessionId) -> HostFuture<'a, SessionRow> {
        Box::pin(async move { self.line.get(&ApiPath::of(&["api", "sessions", session_id.as_str()])).await })
    }

    fn records<'a>(&'a self, session_id: &'a SessionId, after: u64) -> HostFuture<'a, Vec<Arc<Record>>> {
        let query = RecordQuery { after, rows_max: usize::MAX, has_deltas: true };
        Box::pin(self.read_records(session_id, query))
    }

    fn record_page<'a>(
        &'a self,
        session_id: &'a SessionId,
        query: RecordQuery,
    ) -> HostFuture<'a, Vec<Arc<Record>>> {
        Box::pin(self.read_records(session_id, query))
    }

    fn session_events<'a>(
        &'a self,
        session_id: &'a SessionId,
        after: u64,
    ) -> HostFuture<'a, BoxStream<'static, HostDelivery>> {
        Box::pin(
            async move { Ok(Follower::open(&self.line, &self.known, session_id, after).await?.stream()) },
        )
    }

    fn rename_session<'a>(&'a self, session_id: &'a SessionId, title: &'a str) -> HostFuture<'a, ()> {
        Box::pin(async move {
            let path = ApiPath::of(&["api", "sessions", session_id.as_str()]);
            self.line.tell(&path, Method::Patch, Some(&json!({"title": title}))).await
        })
    }

    fn set_approve<'a>(&'a self, session_id: &'a SessionId, approve: ApproveMode) -> HostFuture<'a, ()> {
        Box::pin(async move {
            let path = ApiPath::of(&["api", "sessions", session_id.as_str()]);
            self.line.tell(&path, Method::Patch, Some(&json!({"approve": approve}))).await
        })
    }

    fn set_settings<'a>(
        &'a self,
        session_id: &'a SessionId,
        settings: SessionSettings,
    ) -> HostFuture<'a, ()> {
        Box::pin(async move {
            let path = ApiPath::of(&["api", "sessions", session_id.as_str()]);
            self.line.tell(&path, Method::Patch, Some(&json!({"settings": settings}))).await
        })
    }

    fn delete_session<'a>(&'a self, session_id: &'a SessionId) -> HostFuture<'a, ()> {
        Box::pin(async move {
            let path = ApiPath::of(&["api", "sessions", session_id.as_str()]);
            self.line.tell(&path, Method::Delete, NOTHING).await
        })
    }

    fn tasks<'a>(&'a self, session_id: &'a SessionId) -> HostFuture<'a, Vec<Task>> {
        #[derive(Deserialize)]
        struct TasksAnswer {
            tasks: Vec<Task>,
        }
        Box::pin(async move {
            let path = ApiPath::of(&["api", "tasks"]).with("session_id", session_id.as_str());
            let TasksAnswer { tasks } = self.line.get(&path).await?;
            Ok(tasks)
        })
    }
}

impl HostRuns for RemoteHost {
    fn start_run<'a>(&'a self, session_id: &'a SessionId, start: RunStart) -> HostFuture<'a, StartedRun> {
        Box::pin(async move {
            let path = ApiPath::of(&["api", "sessions", session_id.as_str(), "runs"]);
            self.begin(&path, &wishes::start(start)?).await
        })
    }

    fn run<'a>(&'a self, run_id: &'a RunId) -> HostFuture<'a, RunRow> {
        Box::pin(async move { self.line.get(&ApiPath::of(&["api", "runs", run_id.as_str()])).await })
    }

    fn runs(&self, query: RunQuery) -> HostFuture<'_, Vec<RunRow>> {
        Box::pin(self.list_runs(query))
    }

    fn events<'a>(
        &'a self,
        run_id: &'a RunId,
        after: u64,
    ) -> HostFuture<'a, BoxStream<'static, HostDelivery>> {
        Box::pin(self.follow_run(run_id, after))
    }

    fn cancel<'a>(&'a self, run_id: &'a RunId) -> HostFuture<'a, ()> {
        Box::pin(async move {
            let path = ApiPath::of(&["api", "runs", run_id.as_str(), "cancel"]);
            self.line.tell(&path, Method::Post, NOTHING).await
        })
    }

    fn questions<'a>(&'a self, run_id: &'a RunId) -> HostFuture<'a, Vec<Question>> {
        Box::pin(async move { self.asked(run_id).await })
    }

    fn answer<'a>(
        &'a self,
        run_id: &'a RunId,
        call_id: &'a CallId,
        digest: &'a str,
        answer: PermissionAnswer,
    ) -> HostFuture<'a, ()> {
        Box::pin(self.send_answer(run_id, call_id, digest, answer))
    }

    fn resume<'a>(&'a self, run_id: &'a RunId, wish: ResumeWish) -> HostFuture<'a, StartedRun> {
        Box::pin(async move {
            let path = ApiPath::of(&["api", "runs", run_id.as_str(), "resume"]);
            self.begin(&path, &json!({"retry": wish.retry})).await
        })
    }

    fn fork<'a>(&'a self, run_id: &'a RunId, wish: ForkWish) -> HostFuture<'a, StartedRun> {
        Box::pin(async move {
            let path = ApiPath::of(&["api", "runs", run_id.as_str(), "fork"]);
            self.begin(&path, &wishes::fork(wish)).await
        })
    }

    fn replay<'a>(&'a self, run_id: &'a RunId) -> HostFuture<'a, ReplayReport> {
        Box::pin(async move {
            let path = ApiPath::of(&["api", "runs", run_id.as_str(), "replay"]);
            self.line.post(&path, &json!({})).await
        })
    }

    fn step_report<'a>(&'a self, run_id: &'a RunId, step: u32) -> HostFuture<'a, StepReport> {
        Box::pin(async move {
            let path = ApiPath::of(&["api", "runs", run_id.as_str(), "steps", &step.to_string()]);
            self.line.get(&path).await
        })
    }
}

impl HostTools for RemoteHost {
    fn tools(&self) -> Vec<Arc<ToolSpec>> {
        self.known.tools()
    }

    fn call_tool(&self, call: OutsideCall) -> HostFuture<'_, ToolAnswer> {
        Box::pin(async move {
            let path = ApiPath::of(&["api", "tools", &call.name, "call"]);
            let called: Called = self.line.post(&path, &wishes::call(&call)).await?;
            Ok(called.into())
        })
    }

    fn apply_edit(&self, approval: EditApproval) -> HostFuture<'_, ToolAnswer> {
        Box::pin(async move {
            let EditApproval { run_id, call_id, consent } = approval;
            let path = ApiPath::of(&["api", "runs", run_id.as_str(), "edits", call_id.as_str()]);
            let mut body = json!({"digest": consent.digest});
            if let (Value::Object(fields), Some(word)) = (&mut body, consent.confirmation) {
                fields.insert("confirmation".into(), word.into());
            }
            let called: Called = self.line.post(&path, &body).await?;
            Ok(called.into())
        })
    }
}

impl HostPolicies for RemoteHost {
    fn rules(&self) -> HostFuture<'_, Vec<Rule>> {
        Box::pin(fetch_rules(&self.line))
    }

    fn add_rule<'a>(&'a self, effect: &'a str, pattern: &'a str) -> HostFuture<'a, Rule> {
        Box::pin(async move {
            let body = json!({"effect": effect, "rule": pattern});
            let shown: ShownRule = self.line.post(&ApiPath::of(&["api", "policies"]), &body).await?;
            shown.into_rule()
        })
    }

    fn remove_rule<'a>(&'a self, rule_id: &'a str) -> HostFuture<'a, ()> {
        Box::pin(async move {
            self.line.tell(&ApiPath::of(&["api", "policies", rule_id]), Method::Delete, NOTHING).await
        })
    }

    fn explain<'a>(&'a self, tool: &'a str, args: Map<String, Value>) -> HostFuture<'a, Explanation> {
        Box::pin(async move {
            let body = json!({"tool": tool, "arguments": args});
            let explained: Explained =
                self.line.post(&ApiPath::of(&["api", "policies", "explain"]), &body).await?;
            Ok(explained.into())
        })
    }

    fn audit(&self, query: AuditQuery) -> HostFuture<'_, Vec<AuditEntry>> {
        #[derive(Deserialize)]
        struct EntriesAnswer {
            entries: Vec<AuditEntry>,
        }
        Box::pin(async move {
            let AuditQuery { tool, rows_max } = query;
            if rows_max == 0 {
                return Ok(Vec::new());
            }
            let path = ApiPath::of(&["api", "policies", "audit"])
                .with_some("tool", tool.as_deref())
                .with("rows", &at_once(rows_max, 0, ROWS_AT_ONCE));
            let EntriesAnswer { entries } = self.line.get(&path).await?;
            Ok(entries)
        })
    }
}

impl HostModels for RemoteHost {
    fn defaults(&self) -> Result<HostDefaults, HostError> {
        Ok(self.known.defaults())
    }

    fn examine_model<'a>(&'a self, name: &'a str) -> HostFuture<'a, ModelFindings> {
        Box::pin(async move {
            self.line.wait(&ApiPath::of(&["api", "models", "doctor"]), &json!({"name": name})).await
        })
    }

    fn models(&self) -> HostFuture<'_, Vec<ModelRow>> {
        #[derive(Deserialize)]
        struct ModelsAnswer {
            models: Vec<ModelRow>,
        }
        Box::pin(async move {
            let ModelsAnswer { models } = self.line.get(&ApiPath::of(&["api", "models"])).await?;
            Ok(models)
        })
    }

    fn modules(&self) -> HostFuture<'_, ModuleShelf> {
        Box::pin(async move { self.line.get(&ApiPath::of(&["api", "modules"])).await })
    }

    fn module<'a>(&'a self, module_id: &'a str) -> HostFuture<'a, ModuleRow> {
        Box::pin(async move { self.line.get(&ApiPath::of(&["api", "modules", module_id])).await })
    }

    fn module_prompt<'a>(
        &'a self,
        module_id: &'a str,
        inputs: Map<String, Value>,
    ) -> HostFuture<'a, ModulePrompt> {
        Box::pin(async move {
            let body = json!({"inputs": inputs});
            self.line.post(&ApiPath::of(&["api", "modules", module_id, "prompt"]), &body).await
        })
    }
}

impl HostSearch for RemoteHost {
    fn search(&self, query: SearchQuery) -> HostFuture<'_, Found> {
        Box::pin(async move {
            let path = ApiPath::of(&["api", "search"])
                .with("q", &query.text)
                .with("top_k", &query.top_k.to_string())
                .with("kind", query.kind.word());
            let path = match &query.scope {
                SearchScope::Project => path.with("scope", "project"),
                SearchScope::Session(session_id) => path.with("session_id", session_id.as_str()),
                SearchScope::AllSessions => path.with("scope", "documents"),
                SearchScope::Everything => path,
            };
            self.line.get(&path).await
        })
    }

    fn index_status(&self) -> HostFuture<'_, IndexStatus> {
        Box::pin(async move { self.line.get(&ApiPath::of(&["api", "index"])).await })
    }

    fn documents(&self) -> HostFuture<'_, Vec<DocumentRow>> {
        #[derive(Deserialize)]
        struct DocumentsAnswer {
            documents: Vec<DocumentRow>,
        }
        Box::pin(async move {
            let DocumentsAnswer { documents } = self.line.get(&ApiPath::of(&["api", "documents"])).await?;
            Ok(documents)
        })
    }

    fn add_document(&self, document: NewDocument) -> HostFuture<'_, DocumentRow> {
        Box::pin(async move {
            let NewDocument { name, session_id, bytes } = document;
            let body = json!({"name": name, "session_id": session_id, "base64": base64::encode(&bytes)});
            self.line.post(&ApiPath::of(&["api", "documents"]), &body).await
        })
    }

    fn remove_document<'a>(&'a self, document_id: &'a str) -> HostFuture<'a, ()> {
        Box::pin(async move {
            self.line.tell(&ApiPath::of(&["api", "documents", document_id]), Method::Delete, NOTHING).await
        })
    }
}

//! The port of a host behind a server: each method is a request or a few.

use std::sync::Arc;

use async_trait::async_trait;
use futures::stream;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::permission::{ApproveMode, AuditEntry, PermissionAnswer, Question, Rule};
use windlass_core::ports::BoxStream;
use windlass_core::ports::host::{
    AuditQuery, EditApproval, Explanation, ForkWish, HostDefaults, HostDelivery, HostError, HostModels,
    HostPolicies, HostRuns, HostSearch, HostSessions, HostTools, ModelFindings, ModelRow, ModulePrompt,
    ModuleRow, ModuleShelf, OutsideCall, RecordQuery, ReplayReport, ResumeWish, RunStart, StartedRun,
    ToolAnswer,
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

#[derive(Deserialize)]
struct SessionPage {
    sessions: Vec<SessionRow>,
    next: Option<String>,
}

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
        // The stream is the session's: what came before the run is not asked for.
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

#[async_trait]
impl HostSessions for RemoteHost {
    async fn create_session(&self, begin: NewSession) -> Result<SessionRow, HostError> {
        let body = wishes::new_session(&begin, &self.known.defaults().root)?;
        self.line.post(&ApiPath::of(&["api", "sessions"]), &body).await
    }

    async fn sessions(&self, query: SessionQuery) -> Result<Vec<SessionRow>, HostError> {
        self.list_sessions(query).await
    }

    async fn session(&self, session_id: &SessionId) -> Result<SessionRow, HostError> {
        self.line.get(&ApiPath::of(&["api", "sessions", session_id.as_str()])).await
    }

    async fn session_by_key(&self, key: &str) -> Result<Option<SessionRow>, HostError> {
        let page: SessionPage = self.line.get(&ApiPath::of(&["api", "sessions"]).with("key", key)).await?;
        // A server that cannot look for names lists all that it has.
        Ok(page.sessions.into_iter().find(|row| row.begin.key.as_deref() == Some(key)))
    }

    async fn records(&self, session_id: &SessionId, after: u64) -> Result<Vec<Arc<Record>>, HostError> {
        let query = RecordQuery { after, rows_max: usize::MAX, has_deltas: true };
        self.read_records(session_id, query).await
    }

    async fn record_page(
        &self,
        session_id: &SessionId,
        query: RecordQuery,
    ) -> Result<Vec<Arc<Record>>, HostError> {
        self.read_records(session_id, query).await
    }

    async fn session_events(
        &self,
        session_id: &SessionId,
        after: u64,
    ) -> Result<BoxStream<'static, HostDelivery>, HostError> {
        async move { Ok(Follower::open(&self.line, &self.known, session_id, after).await?.stream()) }.await
    }

    async fn rename_session(&self, session_id: &SessionId, title: &str) -> Result<(), HostError> {
        let path = ApiPath::of(&["api", "sessions", session_id.as_str()]);
        self.line.tell(&path, Method::Patch, Some(&json!({"title": title}))).await
    }

    async fn set_approve(&self, session_id: &SessionId, approve: ApproveMode) -> Result<(), HostError> {
        let path = ApiPath::of(&["api", "sessions", session_id.as_str()]);
        self.line.tell(&path, Method::Patch, Some(&json!({"approve": approve}))).await
    }

    async fn set_settings(&self, session_id: &SessionId, settings: SessionSettings) -> Result<(), HostError> {
        let path = ApiPath::of(&["api", "sessions", session_id.as_str()]);
        self.line.tell(&path, Method::Patch, Some(&json!({"settings": settings}))).await
    }

    async fn delete_session(&self, session_id: &SessionId) -> Result<(), HostError> {
        let path = ApiPath::of(&["api", "sessions", session_id.as_str()]);
        self.line.tell(&path, Method::Delete, NOTHING).await
    }

    async fn tasks(&self, session_id: &SessionId) -> Result<Vec<Task>, HostError> {
        #[derive(Deserialize)]
        struct TasksAnswer {
            tasks: Vec<Task>,
        }
        let path = ApiPath::of(&["api", "tasks"]).with("session_id", session_id.as_str());
        let TasksAnswer { tasks } = self.line.get(&path).await?;
        Ok(tasks)
    }
}

#[async_trait]
impl HostRuns for RemoteHost {
    async fn start_run(&self, session_id: &SessionId, start: RunStart) -> Result<StartedRun, HostError> {
        let path = ApiPath::of(&["api", "sessions", session_id.as_str(), "runs"]);
        self.begin(&path, &wishes::start(start)?).await
    }

    async fn run(&self, run_id: &RunId) -> Result<RunRow, HostError> {
        self.line.get(&ApiPath::of(&["api", "runs", run_id.as_str()])).await
    }

    async fn runs(&self, query: RunQuery) -> Result<Vec<RunRow>, HostError> {
        self.list_runs(query).await
    }

    async fn events(
        &self,
        run_id: &RunId,
        after: u64,
    ) -> Result<BoxStream<'static, HostDelivery>, HostError> {
        self.follow_run(run_id, after).await
    }

    async fn cancel(&self, run_id: &RunId) -> Result<(), HostError> {
        let path = ApiPath::of(&["api", "runs", run_id.as_str(), "cancel"]);
        self.line.tell(&path, Method::Post, NOTHING).await
    }

    async fn questions(&self, run_id: &RunId) -> Result<Vec<Question>, HostError> {
        self.asked(run_id).await
    }

    async fn answer(
        &self,
        run_id: &RunId,
        call_id: &CallId,
        digest: &str,
        answer: PermissionAnswer,
    ) -> Result<(), HostError> {
        self.send_answer(run_id, call_id, digest, answer).await
    }

    async fn resume(&self, run_id: &RunId, wish: ResumeWish) -> Result<StartedRun, HostError> {
        let path = ApiPath::of(&["api", "runs", run_id.as_str(), "resume"]);
        self.begin(&path, &json!({"retry": wish.retry})).await
    }

    async fn fork(&self, run_id: &RunId, wish: ForkWish) -> Result<StartedRun, HostError> {
        let path = ApiPath::of(&["api", "runs", run_id.as_str(), "fork"]);
        self.begin(&path, &wishes::fork(wish)).await
    }

    async fn replay(&self, run_id: &RunId) -> Result<ReplayReport, HostError> {
        let path = ApiPath::of(&["api", "runs", run_id.as_str(), "replay"]);
        self.line.post(&path, &json!({})).await
    }

    async fn step_report(&self, run_id: &RunId, step: u32) -> Result<StepReport, HostError> {
        let path = ApiPath::of(&["api", "runs", run_id.as_str(), "steps", &step.to_string()]);
        self.line.get(&path).await
    }
}

#[async_trait]
impl HostTools for RemoteHost {
    fn tools(&self) -> Vec<Arc<ToolSpec>> {
        self.known.tools()
    }

    async fn call_tool(&self, call: OutsideCall) -> Result<ToolAnswer, HostError> {
        let path = ApiPath::of(&["api", "tools", &call.name, "call"]);
        let called: Called = self.line.post(&path, &wishes::call(&call)).await?;
        Ok(called.into())
    }

    async fn apply_edit(&self, approval: EditApproval) -> Result<ToolAnswer, HostError> {
        let EditApproval { run_id, call_id, consent } = approval;
        let path = ApiPath::of(&["api", "runs", run_id.as_str(), "edits", call_id.as_str()]);
        let mut body = json!({"digest": consent.digest});
        if let (Value::Object(fields), Some(word)) = (&mut body, consent.confirmation) {
            fields.insert("confirmation".into(), word.into());
        }
        let called: Called = self.line.post(&path, &body).await?;
        Ok(called.into())
    }
}

#[async_trait]
impl HostPolicies for RemoteHost {
    async fn rules(&self) -> Result<Vec<Rule>, HostError> {
        fetch_rules(&self.line).await
    }

    async fn add_rule(&self, effect: &str, pattern: &str) -> Result<Rule, HostError> {
        let body = json!({"effect": effect, "rule": pattern});
        let shown: ShownRule = self.line.post(&ApiPath::of(&["api", "policies"]), &body).await?;
        shown.into_rule()
    }

    async fn remove_rule(&self, rule_id: &str) -> Result<(), HostError> {
        self.line.tell(&ApiPath::of(&["api", "policies", rule_id]), Method::Delete, NOTHING).await
    }

    async fn explain(&self, tool: &str, args: Map<String, Value>) -> Result<Explanation, HostError> {
        let body = json!({"tool": tool, "arguments": args});
        let explained: Explained =
            self.line.post(&ApiPath::of(&["api", "policies", "explain"]), &body).await?;
        Ok(explained.into())
    }

    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditEntry>, HostError> {
        #[derive(Deserialize)]
        struct EntriesAnswer {
            entries: Vec<AuditEntry>,
        }
        let AuditQuery { tool, rows_max } = query;
        // The server takes no 0.
        if rows_max == 0 {
            return Ok(Vec::new());
        }
        let path = ApiPath::of(&["api", "policies", "audit"])
            .with_some("tool", tool.as_deref())
            .with("rows", &at_once(rows_max, 0, ROWS_AT_ONCE));
        let EntriesAnswer { entries } = self.line.get(&path).await?;
        Ok(entries)
    }
}

#[async_trait]
impl HostModels for RemoteHost {
    fn defaults(&self) -> Result<HostDefaults, HostError> {
        Ok(self.known.defaults())
    }

    async fn examine_model(&self, name: &str) -> Result<ModelFindings, HostError> {
        self.line.wait(&ApiPath::of(&["api", "models", "doctor"]), &json!({"name": name})).await
    }

    async fn models(&self) -> Result<Vec<ModelRow>, HostError> {
        #[derive(Deserialize)]
        struct ModelsAnswer {
            models: Vec<ModelRow>,
        }
        let ModelsAnswer { models } = self.line.get(&ApiPath::of(&["api", "models"])).await?;
        Ok(models)
    }

    async fn modules(&self) -> Result<ModuleShelf, HostError> {
        self.line.get(&ApiPath::of(&["api", "modules"])).await
    }

    async fn module(&self, module_id: &str) -> Result<ModuleRow, HostError> {
        self.line.get(&ApiPath::of(&["api", "modules", module_id])).await
    }

    async fn module_prompt(
        &self,
        module_id: &str,
        inputs: Map<String, Value>,
    ) -> Result<ModulePrompt, HostError> {
        let body = json!({"inputs": inputs});
        self.line.post(&ApiPath::of(&["api", "modules", module_id, "prompt"]), &body).await
    }
}

#[async_trait]
impl HostSearch for RemoteHost {
    async fn search(&self, query: SearchQuery) -> Result<Found, HostError> {
        let path = ApiPath::of(&["api", "search"])
            .with("q", &query.text)
            .with("top_k", &query.top_k.to_string())
            .with("kind", query.kind.word());
        let path = match &query.scope {
            SearchScope::Project => path.with("scope", "project"),
            SearchScope::Session(session_id) => path.with("session_id", session_id.as_str()),
            SearchScope::AllSessions => path.with("scope", "documents"),
            SearchScope::Reachable(session_id) => {
                path.with("scope", "reachable").with("session_id", session_id.as_str())
            }
            SearchScope::Everything => path,
        };
        self.line.get(&path).await
    }

    async fn index_status(&self) -> Result<IndexStatus, HostError> {
        self.line.get(&ApiPath::of(&["api", "index"])).await
    }

    async fn documents(&self) -> Result<Vec<DocumentRow>, HostError> {
        #[derive(Deserialize)]
        struct DocumentsAnswer {
            documents: Vec<DocumentRow>,
        }
        let DocumentsAnswer { documents } = self.line.get(&ApiPath::of(&["api", "documents"])).await?;
        Ok(documents)
    }

    async fn add_document(&self, document: NewDocument) -> Result<DocumentRow, HostError> {
        let NewDocument { name, session_id, bytes } = document;
        let body = json!({"name": name, "session_id": session_id, "base64": base64::encode(&bytes)});
        self.line.post(&ApiPath::of(&["api", "documents"]), &body).await
    }

    async fn remove_document(&self, document_id: &str) -> Result<(), HostError> {
        self.line.tell(&ApiPath::of(&["api", "documents", document_id]), Method::Delete, NOTHING).await
    }
}

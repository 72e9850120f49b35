//! A host on real tools and a scripted model, and a server before it that can go and come back.

use async_trait::async_trait;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use windlass_core::permission::{ApproveMode, PolicySet};
use windlass_core::ports::BoxStream;
use windlass_core::ports::host::{
    HostDelivery, HostError, HostPort, ModelFinding, ModelFindings, ModelPrice, ModelRow, RunStart,
    RunWishes, ServedPort,
};
use windlass_core::ports::store::{NewSession, StorePort};
use windlass_core::profile::{Profile, ProfileName};
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::SessionId;
use windlass_core::protocol::message::Message;
use windlass_core::protocol::view::SessionView;
use windlass_engine::audit_file::AuditFile;
use windlass_engine::clock::Clock;
use windlass_engine::host::{Host, HostLimits, HostParts, ModelsPort, OpenModel};
use windlass_engine::memory_store::MemoryStore;
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::Registry;
use windlass_scripted::{Script, ScriptedModel};
use windlass_search::{IndexPlace, ProjectIndex};
use windlass_server::{ServerConfig, app, serve};
use windlass_tools::{ToolsConfig, builtin};

use windlass_client::RemoteHost;

/// A test that waits longer than this waits for nothing.
const PATIENCE: Duration = Duration::from_secs(60);

/// One script as the model of every session.
struct OneScript(Script);

#[async_trait]
impl ModelsPort for OneScript {
    fn open(&self, name: Option<&str>, _profile: &mut Profile) -> Result<OpenModel, HostError> {
        match name {
            None | Some("scripted/usual") => {}
            Some(other) => return Err(HostError::Missing { what: "model", id: other.to_owned() }),
        }
        Ok(OpenModel { model: Arc::new(ScriptedModel::new(&self.0)), context_tokens: None })
    }

    fn list(&self) -> Vec<ModelRow> {
        vec![ModelRow {
            name: "scripted/usual".into(),
            provider: "scripted".into(),
            is_default: true,
            is_ready: true,
            context_tokens: Some(9_000),
            has_tools: Some(true),
            has_reasoning: Some(false),
            source: Some("the test".into()),
            price: Some(ModelPrice { input: 0.5, cached: 0.25, output: 1.5 }),
            doctor: Some(findings()),
        }]
    }

    async fn examine(&self, name: &str) -> Result<ModelFindings, HostError> {
        match name {
            "scripted/usual" => Ok(findings()),
            other => Err(HostError::Missing { what: "model", id: other.to_owned() }),
        }
    }
}

fn findings() -> ModelFindings {
    let text = str::to_owned;
    let finding = ModelFinding {
        probe: text("plain_answer"),
        title: text("answers"),
        verdict: text("pass"),
        meaning: text("It answers."),
        detail: Some(text("200")),
    };
    ModelFindings { checked_ms: 7, findings: vec![finding] }
}

/// A server that runs.
struct Serving {
    stop: oneshot::Sender<()>,
    served: JoinHandle<std::io::Result<()>>,
}

/// A host, what it stands on, and the server before it.
pub(crate) struct Stage {
    pub(crate) local: Arc<Host>,
    store: Arc<dyn StorePort>,
    script: Script,
    folder: TempDir,
    config: ServerConfig,
    pub(crate) address: SocketAddr,
    serving: Option<Serving>,
}

impl Stage {
    pub(crate) async fn new(script: &str) -> Self {
        Self::with(script, ServerConfig::default()).await
    }

    pub(crate) async fn with(script: &str, config: ServerConfig) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.txt", "b.txt", "c.txt", "d.txt"] {
            std::fs::write(folder.path().join(name), format!("{name} says hello\n")).unwrap();
        }
        let script = Script::parse("usual", script).unwrap();
        let store: Arc<dyn StorePort> = Arc::new(MemoryStore::new());
        let local = host(Arc::clone(&store), &script, folder.path());
        let mut stage = Self {
            local,
            store,
            script,
            folder,
            config,
            address: "127.0.0.1:0".parse().unwrap(),
            serving: None,
        };
        stage.open().await;
        stage
    }

    /// The server comes, to where it was if it was there before.
    pub(crate) async fn open(&mut self) {
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let router = app(Arc::clone(&self.local) as Arc<dyn ServedPort>, self.config.clone());
        let served = tokio::spawn(serve(listener, router, async move {
            let _ = stopped.await;
        }));
        self.serving = Some(Serving { stop, served });
    }

    /// The server goes; the host stays.
    pub(crate) async fn shut(&mut self) {
        let Serving { stop, served } = self.serving.take().unwrap();
        stop.send(()).unwrap();
        served.await.unwrap().unwrap();
    }

    /// The server and its host go, and others come over what they left.
    pub(crate) async fn restart(&mut self) {
        self.shut().await;
        self.local.close().await.unwrap();
        self.local = host(Arc::clone(&self.store), &self.script, self.folder.path());
        self.open().await;
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    pub(crate) async fn remote(&self) -> Arc<RemoteHost> {
        RemoteHost::connect(&self.url(), self.config.token.clone(), None).await.unwrap()
    }

    /// The host, here or behind its server.
    pub(crate) async fn port(&self, is_remote: bool) -> Arc<dyn HostPort> {
        if is_remote { self.remote().await } else { Arc::clone(&self.local) as Arc<dyn HostPort> }
    }
}

fn host(store: Arc<dyn StorePort>, script: &Script, folder: &Path) -> Arc<Host> {
    let registry = Registry::new();
    registry.register_all(builtin(&ToolsConfig::default())).unwrap();
    Host::new(HostParts {
        store,
        registry,
        search: Some(ProjectIndex::new(
            IndexPlace::Folder(folder.join(".search")),
            Some(folder.to_path_buf()),
            Arc::new(|| Ok(None)),
            windlass_search::PdfReading::Nobody,
        )),
        models: Arc::new(OneScript(script.clone())),
        profiles: Arc::new(|name| match name.unwrap_or("zodo").parse::<ProfileName>() {
            Ok(name) => Ok(Profile { instruction: String::new(), ..Profile::named(name) }),
            Err(error) => Err(HostError::Invalid { field: Some("profile"), message: error.to_string() }),
        }),
        root: folder.to_path_buf(),
        policies: PolicyStore::in_memory(PolicySet::default()),
        approve: ApproveMode::Ask,
        audit: Some(Arc::new(AuditFile::new(folder.join("audit.log")))),
        sampling: windlass_core::protocol::model::Sampling::default(),
        clock: Clock::system(),
        limits: HostLimits::default(),
    })
}

/// Plays a scenario twice, with the host at hand and behind its server; in the end both show the same.
pub(crate) async fn with_both(script: &str, scenario: impl AsyncFn(Arc<dyn HostPort>, &mut Stage)) {
    for is_remote in [false, true] {
        let mut stage = Stage::new(script).await;
        let port = stage.port(is_remote).await;
        let played = tokio::time::timeout(PATIENCE, scenario(port, &mut stage));
        played.await.unwrap_or_else(|_| panic!("it takes too long, remote: {is_remote}"));
        let port = stage.port(is_remote).await;
        assert_same_sessions(&*port, &*stage.local).await;
    }
}

async fn assert_same_sessions(port: &dyn HostPort, local: &dyn HostPort) {
    use windlass_core::ports::host::RecordQuery;
    use windlass_core::ports::store::{RunQuery, SessionQuery};
    let all = || SessionQuery { rows_max: 1_000, ..SessionQuery::default() };
    let sessions = local.sessions(all()).await.unwrap();
    assert_eq!(port.sessions(all()).await.unwrap(), sessions);
    let all = || RunQuery { rows_max: 1_000, ..RunQuery::default() };
    assert_eq!(port.runs(all()).await, local.runs(all()).await);
    for row in sessions {
        let id = &row.session_id;
        let records = local.records(id, 0).await.unwrap();
        assert_eq!(port.records(id, 0).await.unwrap(), records);
        for has_deltas in [false, true] {
            let query = RecordQuery { after: 1, rows_max: 3, has_deltas };
            assert_eq!(port.record_page(id, query).await, local.record_page(id, query).await);
        }
        let mut stream = port.session_events(id, 0).await.unwrap();
        let mut streamed = SessionView::default();
        while streamed.seq < row.last_seq {
            let record = record(&mut stream).await;
            streamed.apply(&record);
        }
        assert_eq!(streamed, SessionView::fold(records.iter().map(|record| &**record)));
    }
}

pub(crate) async fn record(stream: &mut BoxStream<'static, HostDelivery>) -> Arc<Record> {
    match tokio::time::timeout(PATIENCE, stream.next()).await {
        Ok(Some(HostDelivery::Record(record))) => record,
        other => panic!("there should be a record: {other:?}"),
    }
}

/// Records until one that is wanted, that one among them.
pub(crate) async fn until(
    stream: &mut BoxStream<'static, HostDelivery>,
    is_wanted: impl Fn(&Event) -> bool,
) -> Vec<Arc<Record>> {
    let mut seen = Vec::new();
    loop {
        seen.push(record(stream).await);
        if is_wanted(&seen[seen.len() - 1].event) {
            return seen;
        }
    }
}

pub(crate) fn is_end(event: &Event) -> bool {
    matches!(event, Event::Durable(DurableEvent::RunEnded { .. }))
}

/// A message, as the terminal app sends it.
pub(crate) fn say(text: &str) -> RunStart {
    RunStart {
        message: Message::user(text),
        wishes: RunWishes::default(),
        model: None,
        profile: None,
        executes_while_streaming: None,
    }
}

/// A session, as the terminal app begins it.
pub(crate) async fn begin(port: &dyn HostPort) -> SessionId {
    let begin = NewSession { origin: "tui".into(), ..NewSession::default() };
    port.create_session(begin).await.unwrap().session_id
}

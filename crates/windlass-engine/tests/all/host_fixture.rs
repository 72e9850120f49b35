//! A host for tests: scripts as models, real tools, a store in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use futures::StreamExt;
use windlass_core::permission::{ApproveMode, PolicySet};
use windlass_core::ports::host::{
    HostDelivery, HostError, HostRuns, HostSessions, ModelRow, RunStart, RunWishes, StartedRun,
};
use windlass_core::ports::store::{NewSession, StorePort};
use windlass_core::ports::{BoxStream, ToolPort};
use windlass_core::profile::{Profile, ProfileName};
use windlass_core::protocol::event::{Event, Record};
use windlass_core::protocol::ids::{RunId, SessionId};
use windlass_core::protocol::message::Message;
use windlass_engine::clock::Clock;
use windlass_engine::host::{Host, HostLimits, HostParts, ModelsPort, OpenModel};
use windlass_engine::memory_store::MemoryStore;
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::Registry;
use windlass_scripted::{Script, ScriptedModel};

/// Scripts by name; `scripted/NAME` opens one, the first is the usual one.
#[derive(Default)]
pub(crate) struct Scripts(Mutex<HashMap<String, Script>>);

impl Scripts {
    pub(crate) fn put(&self, name: &str, text: &str) {
        let script = Script::parse(name, text).unwrap();
        self.0.lock().unwrap().insert(name.to_owned(), script);
    }
}

impl ModelsPort for Scripts {
    fn open(&self, name: Option<&str>, _profile: &mut Profile) -> Result<OpenModel, HostError> {
        let name = name.unwrap_or("scripted/usual");
        let missing = || HostError::Missing { what: "model", id: name.to_owned() };
        let scripts = self.0.lock().unwrap();
        let script = name.strip_prefix("scripted/").and_then(|name| scripts.get(name)).ok_or_else(missing)?;
        Ok(OpenModel { model: Arc::new(ScriptedModel::new(script)), context_tokens: None })
    }

    fn list(&self) -> Vec<ModelRow> {
        Vec::new()
    }
}

/// A host and what it stands on.
pub(crate) struct Stage {
    pub(crate) host: Arc<Host>,
    pub(crate) store: Arc<dyn StorePort>,
    pub(crate) scripts: Arc<Scripts>,
    pub(crate) registry: Registry,
}

impl Stage {
    pub(crate) fn new(script: &str, tools: Vec<Arc<dyn ToolPort>>) -> Self {
        Self::with_limits(script, tools, HostLimits::default())
    }

    pub(crate) fn with_limits(script: &str, tools: Vec<Arc<dyn ToolPort>>, limits: HostLimits) -> Self {
        let registry = Registry::new();
        registry.register_all(tools).unwrap();
        let scripts = Arc::new(Scripts::default());
        scripts.put("usual", script);
        Self::on(Arc::new(MemoryStore::new()), scripts, registry, limits)
    }

    /// A host whose calls are approved in another way than by asking.
    pub(crate) fn approving(script: &str, tools: Vec<Arc<dyn ToolPort>>, approve: ApproveMode) -> Self {
        let Self { store, scripts, registry, .. } = Self::new(script, tools);
        Self::made(store, scripts, registry, HostLimits::default(), approve)
    }

    /// A host over what another one left.
    pub(crate) fn on(
        store: Arc<dyn StorePort>,
        scripts: Arc<Scripts>,
        registry: Registry,
        limits: HostLimits,
    ) -> Self {
        Self::made(store, scripts, registry, limits, ApproveMode::Ask)
    }

    fn made(
        store: Arc<dyn StorePort>,
        scripts: Arc<Scripts>,
        registry: Registry,
        limits: HostLimits,
        approve: ApproveMode,
    ) -> Self {
        let host = Host::new(HostParts {
            store: Arc::clone(&store),
            models: Arc::clone(&scripts) as Arc<dyn ModelsPort>,
            profiles: Arc::new(|name| match name.map(str::parse::<ProfileName>) {
                None => Ok(Profile { instruction: String::new(), ..Profile::default() }),
                Some(Ok(name)) => Ok(Profile { instruction: String::new(), ..Profile::named(name) }),
                Some(Err(error)) => {
                    Err(HostError::Invalid { field: Some("profile"), message: error.to_string() })
                }
            }),
            registry: registry.clone(),
            search: None,
            root: std::env::temp_dir(),
            policies: PolicyStore::in_memory(PolicySet::default()),
            approve,
            audit: None,
            sampling: windlass_core::protocol::model::Sampling::default(),
            clock: Clock::system(),
            limits,
        });
        Self { host, store, scripts, registry }
    }

    /// A new host over the same store, as after a restart.
    pub(crate) fn again(&self) -> Self {
        let parts = (Arc::clone(&self.store), Arc::clone(&self.scripts), self.registry.clone());
        Self::on(parts.0, parts.1, parts.2, HostLimits::default())
    }

    pub(crate) async fn session(&self) -> SessionId {
        self.host.create_session(NewSession::default()).await.unwrap().session_id
    }

    pub(crate) async fn start(&self, session_id: &SessionId) -> StartedRun {
        self.host.start_run(session_id, go()).await.unwrap()
    }

    /// All records of a run, to its end.
    pub(crate) async fn read(&self, run_id: &RunId, after: u64) -> Vec<Arc<Record>> {
        drain(self.host.events(run_id, after).await.unwrap()).await
    }

    /// Reads a run until an event fits.
    pub(crate) async fn wait_for(&self, run_id: &RunId, fits: impl Fn(&Event) -> bool) -> Arc<Record> {
        let mut events = self.host.events(run_id, 0).await.unwrap();
        while let Some(delivery) = events.next().await {
            let HostDelivery::Record(record) = delivery else { panic!("a gap") };
            if fits(&record.event) {
                return record;
            }
        }
        panic!("the run ended early")
    }
}

pub(crate) fn go() -> RunStart {
    RunStart {
        message: Message::user("Go."),
        wishes: RunWishes::default(),
        model: None,
        profile: None,
        executes_while_streaming: None,
    }
}

pub(crate) async fn drain(mut events: BoxStream<'static, HostDelivery>) -> Vec<Arc<Record>> {
    let mut records = Vec::new();
    while let Some(delivery) = events.next().await {
        let HostDelivery::Record(record) = delivery else { panic!("a gap") };
        records.push(record);
    }
    records
}

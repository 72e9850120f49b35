//! A server on a port of its own: scripts as models, tools that do what the script says, a store in memory.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use windlass_core::permission::{ApproveMode, PolicySet};
use windlass_core::ports::host::{
    HostError, ModelFinding, ModelFindings, ModelRow, ModuleFault, ModuleField, ModulePrompt, ModuleRow,
    ModuleShelf, ModulesPort, PromptMessage, ServedPort,
};
use windlass_core::ports::search::SharedSearch;
use windlass_core::ports::store::StorePort;
use windlass_core::ports::{ToolContext, ToolPort};
use windlass_core::profile::{Profile, ProfileName};
use windlass_core::protocol::tool::{
    Category, Effects, ErrorKind, Risk, ToolFailure, ToolOutput, ToolSpec, Visibility,
};
use windlass_engine::audit_file::AuditFile;
use windlass_engine::clock::Clock;
use windlass_engine::host::{Host, HostLimits, HostParts, ModelsPort, OpenModel};
use windlass_engine::memory_store::MemoryStore;
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::Registry;
use windlass_scripted::{CallEnding, Script, ScriptHappening, ScriptedModel};
use windlass_search::{Index, IndexConfig, Searcher};
use windlass_server::{ServerConfig, app, serve};

use crate::client::Client;

/// One script as the model of every session.
struct OneScript(Mutex<Script>);

#[async_trait]
impl ModelsPort for OneScript {
    fn open(&self, name: Option<&str>, _profile: &mut Profile) -> Result<OpenModel, HostError> {
        match name {
            None | Some("scripted/usual") => {}
            Some(other) => return Err(HostError::Missing { what: "model", id: other.to_owned() }),
        }
        let model = ScriptedModel::new(&self.0.lock().unwrap());
        Ok(OpenModel { model: Arc::new(model), context_tokens: None })
    }

    fn list(&self) -> Vec<ModelRow> {
        vec![ModelRow {
            name: "scripted/usual".into(),
            is_default: true,
            is_ready: true,
            has_tools: Some(true),
            ..ModelRow::default()
        }]
    }

    fn modules(&self) -> Option<&dyn ModulesPort> {
        Some(&OneModule)
    }

    async fn examine(&self, name: &str) -> Result<ModelFindings, HostError> {
        match name {
            "scripted/usual" => Ok(ModelFindings { checked_ms: 7, findings: vec![finding()] }),
            other => Err(HostError::Missing { what: "model", id: other.to_owned() }),
        }
    }
}

/// A module, and a file that is none.
struct OneModule;

impl ModulesPort for OneModule {
    fn shelf(&self) -> ModuleShelf {
        let mail = ModuleField { name: "mail".into(), field_type: "string".into(), description: None };
        let module = ModuleRow {
            module_id: "sort.mail".into(),
            model: "module/sort.mail".into(),
            predictor: "predict".into(),
            inputs: vec![mail],
            inputs_schema: json!({"type": "object"}),
            outputs_schema: json!({"type": "object"}),
            ..ModuleRow::default()
        };
        let fault = ModuleFault { path: "broken.json".into(), message: "line 3, column 1: no JSON".into() };
        let folders = vec![".windlass/modules".into()];
        ModuleShelf { modules: vec![module], faults: vec![fault], folders }
    }

    fn prompt(&self, module_id: &str, inputs: &Map<String, Value>) -> Result<ModulePrompt, HostError> {
        match (module_id, inputs.contains_key("mail")) {
            ("sort.mail", true) => {
                let text = Value::Object(inputs.clone()).to_string();
                let messages = vec![PromptMessage { role: "user".into(), text }];
                Ok(ModulePrompt { system: "Sort.".into(), messages, response_format: None })
            }
            ("sort.mail", false) => {
                let message = "'mail' is missing".to_owned();
                Err(HostError::Invalid { field: Some("inputs"), message })
            }
            (other, _) => Err(HostError::Missing { what: "module", id: other.to_owned() }),
        }
    }
}

fn finding() -> ModelFinding {
    let text = str::to_owned;
    ModelFinding {
        probe: text("plain_answer"),
        title: text("answers"),
        verdict: text("pass"),
        meaning: text("It answers."),
        detail: None,
    }
}

/// A tool that ends its calls as the script says.
struct ScriptedTool {
    spec: ToolSpec,
    endings: HashMap<u64, CallEnding>,
}

#[async_trait]
impl ToolPort for ScriptedTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(
        &self,
        _args: &Map<String, Value>,
        context: &ToolContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let ending = context.call_id.number().and_then(|number| self.endings.get(&number)).cloned();
        match ending {
            None => Ok(ToolOutput::json(json!("fine"))),
            Some(CallEnding::Hang) => std::future::pending().await,
            Some(ending) => match ending.outcome().map(|outcome| outcome.body) {
                Some(body) => body,
                None => Err(ToolFailure::new(ErrorKind::Internal, "no ending")),
            },
        }
    }
}

fn specs() -> Vec<ToolSpec> {
    let path = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    vec![
        ToolSpec::new("calculate", "Calculates"),
        ToolSpec::new("get_file_tree", "Lists").with_effects(Effects::Read, Risk::Safe),
        ToolSpec::new("read_file", "Reads")
            .with_schema(path.clone())
            .with_effects(Effects::Read, Risk::Medium),
        ToolSpec::new("write_file", "Writes").with_schema(path).with_effects(Effects::Write, Risk::High),
        ToolSpec::new("drop_tables", "Drops").with_effects(Effects::Write, Risk::Critical),
        ToolSpec::new("search_web", "Searches")
            .with_effects(Effects::Read, Risk::Safe)
            .with_place(Category::Search, Visibility::Primary),
    ]
}

fn registry(script: &Script) -> Registry {
    let endings: HashMap<u64, CallEnding> = script
        .lines
        .iter()
        .filter_map(|line| match &line.happening {
            ScriptHappening::Tool { call, ending } => Some((u64::from(*call), ending.clone())),
            _ => None,
        })
        .collect();
    let registry = Registry::new();
    let tools = specs()
        .into_iter()
        .map(|spec| Arc::new(ScriptedTool { spec, endings: endings.clone() }) as Arc<dyn ToolPort>);
    registry.register_all(tools).unwrap();
    registry
}

/// A server and what it stands on.
pub(crate) struct Stage {
    pub(crate) address: SocketAddr,
    pub(crate) host: Arc<Host>,
    store: Arc<dyn StorePort>,
    script: String,
    config: ServerConfig,
    folder: Arc<TempDir>,
    search: Option<SharedSearch>,
    stop: Option<oneshot::Sender<()>>,
    served: Option<JoinHandle<std::io::Result<()>>>,
}

impl Stage {
    /// A server for a script.
    pub(crate) async fn new(script: &str) -> Self {
        Self::with(script, ServerConfig::default()).await
    }

    /// A server with a configuration.
    pub(crate) async fn with(script: &str, config: ServerConfig) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        Self::on(Arc::new(MemoryStore::new()), folder, script, config, None).await
    }

    /// A server with an index of these files.
    pub(crate) async fn indexed(script: &str, files: &[(&str, &str)]) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let root = folder.path().join("project");
        std::fs::create_dir(&root).unwrap();
        for (name, text) in files {
            std::fs::write(root.join(name), text).unwrap();
        }
        let index = Index::open(&folder.path().join("search"), &root, IndexConfig::default()).unwrap();
        index.update(&mut |_| {}).unwrap();
        let search: SharedSearch = Arc::new(Searcher::new(Arc::new(index)));
        Self::on(Arc::new(MemoryStore::new()), folder, script, ServerConfig::default(), Some(search)).await
    }

    pub(crate) fn search(&self) -> &SharedSearch {
        self.search.as_ref().unwrap()
    }

    async fn on(
        store: Arc<dyn StorePort>,
        folder: Arc<TempDir>,
        text: &str,
        config: ServerConfig,
        search: Option<SharedSearch>,
    ) -> Self {
        let script = Script::parse("usual", text).unwrap();
        let profile = script.header.profile.clone().unwrap_or_else(|| "default".into());
        let approve = script.header.approve.unwrap_or(ApproveMode::Ask);
        let host = Host::new(HostParts {
            store: Arc::clone(&store),
            registry: registry(&script),
            search: search.clone(),
            models: Arc::new(OneScript(Mutex::new(script))),
            profiles: Arc::new(move |name| match name.unwrap_or(&profile).parse::<ProfileName>() {
                Ok(name) => Ok(Profile { instruction: String::new(), ..Profile::named(name) }),
                Err(error) => Err(HostError::Invalid { field: Some("profile"), message: error.to_string() }),
            }),
            root: std::env::temp_dir(),
            policies: PolicyStore::in_memory(PolicySet::default()),
            approve,
            audit: Some(Arc::new(AuditFile::new(folder.path().join("audit.log")))),
            sampling: windlass_core::protocol::model::Sampling::default(),
            clock: Clock::system(),
            limits: HostLimits::default(),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let router = app(Arc::clone(&host) as Arc<dyn ServedPort>, config.clone());
        let served = tokio::spawn(serve(listener, router, async move {
            let _ = stopped.await;
        }));
        let script = text.to_owned();
        Self { address, host, store, script, config, folder, search, stop: Some(stop), served: Some(served) }
    }

    /// A client of this server.
    pub(crate) fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// Stops the server and its host.
    pub(crate) async fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        self.served.take().unwrap().await.unwrap().unwrap();
        self.host.close().await.unwrap();
    }

    /// A new server over what this one left.
    pub(crate) async fn restart(mut self) -> Self {
        self.stop().await;
        let (store, folder) = (Arc::clone(&self.store), Arc::clone(&self.folder));
        Self::on(store, folder, &self.script, self.config.clone(), self.search.clone()).await
    }
}

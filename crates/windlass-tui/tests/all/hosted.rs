//! A stage with a real host behind it: scripts as models, the tools of the house, a store in memory. Effects are carried
//! out, their replies and the records of the session come back as inputs.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crossterm::event::KeyCode;
use futures::StreamExt as _;
use tempfile::TempDir;
use windlass_core::permission::{ApproveMode, PolicySet};
use windlass_core::ports::host::{
    HostDelivery, HostError, HostModels, HostPort, HostSessions, HostTools, ModelPrice, ModelRow,
};
use windlass_core::ports::search::SharedSearch;
use windlass_core::ports::store::StorePort;
use windlass_core::ports::{BoxStream, ModelPort};
use windlass_core::profile::{Profile, ProfileName};
use windlass_core::protocol::ids::SessionId;
use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelRequest};
use windlass_engine::clock::Clock;
use windlass_engine::host::{Host, HostLimits, HostParts, ModelsPort, OpenModel};
use windlass_engine::memory_store::MemoryStore;
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::Registry;
use windlass_scripted::{Script, ScriptedModel};
use windlass_search::{Index, IndexConfig, Searcher};
use windlass_tools::{PATHS_TOOL, SEARCH_TOOL};
use windlass_tui::effect::AppEffect;
use windlass_tui::input::AppInput;
use windlass_tui::perform::{EffectPerformer, ProjectTools};
use windlass_tui::state::overlay::Overlay;
use windlass_tui::{AppFilesError, AppFilesPort, ThemeKind, TrustReport};

use crate::stage::Stage;

/// A model that says one thing.
pub(crate) const HELLO: &str = "user Hi.\nmodel text Hello there.\nmodel usage input=1200 output=30\n";

/// How long anything may take: far beyond what it does, so that a test that hangs ends.
const PATIENCE: Duration = Duration::from_secs(20);

/// A desk in memory.
#[derive(Default)]
pub(crate) struct Desk {
    pub(crate) files: Mutex<BTreeMap<String, String>>,
    pub(crate) theme: Mutex<Option<ThemeKind>>,
    /// Why nothing can be kept, if that is so.
    pub(crate) obstacle: Mutex<Option<&'static str>>,
}

impl AppFilesPort for Desk {
    fn history(&self) -> Vec<String> {
        Vec::new()
    }

    fn remember(&self, _line: &str) -> Result<(), AppFilesError> {
        Ok(())
    }

    fn keep_theme(&self, theme: ThemeKind) -> Result<(), AppFilesError> {
        if let Some(obstacle) = *self.obstacle.lock().unwrap() {
            return Err(AppFilesError(obstacle.to_owned()));
        }
        *self.theme.lock().unwrap() = Some(theme);
        Ok(())
    }

    fn trust(&self) -> Result<TrustReport, AppFilesError> {
        Err(AppFilesError("there is no folder here".to_owned()))
    }

    fn trust_folder(&self, _digest: &str) -> Result<String, AppFilesError> {
        Err(AppFilesError("there is no folder here".to_owned()))
    }

    fn revoke_trust(&self) -> Result<String, AppFilesError> {
        Err(AppFilesError("there is no folder here".to_owned()))
    }

    fn export(&self, name: &str, text: &str) -> Result<String, AppFilesError> {
        let mut files = self.files.lock().unwrap();
        if files.contains_key(name) {
            return Err(AppFilesError(format!("{name} is there already; name another file")));
        }
        files.insert(name.to_owned(), text.to_owned());
        Ok(name.to_owned())
    }
}

/// Scripts by name, and what their models were asked.
#[derive(Default)]
pub(crate) struct Scripts {
    scripts: Mutex<BTreeMap<String, Script>>,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
}

struct Overheard(ScriptedModel, Arc<Mutex<Vec<ModelRequest>>>);

impl ModelPort for Overheard {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        self.1.lock().unwrap().push(request.clone());
        self.0.stream(request)
    }
}

impl ModelsPort for Scripts {
    fn open(&self, name: Option<&str>, _profile: &mut Profile) -> Result<OpenModel, HostError> {
        let name = name.unwrap_or("scripted/usual");
        let missing = || HostError::Missing { what: "model", id: name.to_owned() };
        let scripts = self.scripts.lock().unwrap();
        let script = name.strip_prefix("scripted/").and_then(|name| scripts.get(name)).ok_or_else(missing)?;
        let model = Overheard(ScriptedModel::new(script), Arc::clone(&self.asked));
        Ok(OpenModel { model: Arc::new(model), context_tokens: Some(10_000) })
    }

    fn list(&self) -> Vec<ModelRow> {
        let names: Vec<String> = self.scripts.lock().unwrap().keys().cloned().collect();
        let row = |name: &String| ModelRow {
            name: format!("scripted/{name}"),
            provider: "scripted".to_owned(),
            is_default: name == "usual",
            is_ready: name != "locked",
            context_tokens: Some(200_000),
            has_tools: Some(true),
            has_reasoning: Some(name == "usual"),
            price: Some(ModelPrice { input: 3.0, cached: 0.3, output: 15.0 }),
            ..ModelRow::default()
        };
        names.iter().map(row).collect()
    }
}

/// A stage with a host behind it.
pub(crate) struct Hosted {
    pub(crate) stage: Stage,
    pub(crate) host: Arc<Host>,
    pub(crate) desk: Arc<Desk>,
    pub(crate) root: TempDir,
    /// What was put on the clipboard.
    pub(crate) copied: Vec<String>,
    performer: EffectPerformer,
    scripts: Arc<Scripts>,
    pub(crate) store: Arc<dyn StorePort>,
    stream: Option<BoxStream<'static, HostDelivery>>,
    search: Option<SharedSearch>,
    index_folder: Option<TempDir>,
    /// Whether runs that have not ended stand still: those of a host that is gone.
    is_stopped: bool,
}

impl Hosted {
    /// A host whose usual model plays a script, over a project with two files.
    pub(crate) fn new(script: &str) -> Self {
        Self::approving(script, ApproveMode::Ask)
    }

    /// The same with another way of approving.
    pub(crate) fn approving(script: &str, approve: ApproveMode) -> Self {
        let hosted =
            Self::on(Arc::new(Scripts::default()), Arc::new(MemoryStore::new()), project(), approve, None);
        hosted.put_script("usual", script);
        hosted
    }

    /// The same with an index of the project.
    pub(crate) fn indexed(script: &str) -> Self {
        let (root, folder) = (project(), tempfile::tempdir().unwrap());
        let index = Index::open(folder.path(), root.path(), IndexConfig::default()).unwrap();
        index.update(&mut |_| {}).unwrap();
        let search: SharedSearch = Arc::new(Searcher::new(Arc::new(index)));
        let (scripts, store) = (Arc::new(Scripts::default()), Arc::new(MemoryStore::new()));
        let mut hosted = Self::on(scripts, store, root, ApproveMode::Ask, Some(search));
        hosted.put_script("usual", script);
        hosted.index_folder = Some(folder);
        hosted
    }

    fn on(
        scripts: Arc<Scripts>,
        store: Arc<dyn StorePort>,
        root: TempDir,
        approve: ApproveMode,
        search: Option<SharedSearch>,
    ) -> Self {
        let host = open(&scripts, &store, root.path(), approve, search.clone());
        let desk = Arc::new(Desk::default());
        let performer = EffectPerformer::new(
            Arc::clone(&host) as Arc<dyn HostPort>,
            Arc::clone(&desk) as Arc<dyn AppFilesPort>,
            ProjectTools { paths: PATHS_TOOL, search: SEARCH_TOOL },
        );
        let mut stage = Stage::new(60, 13);
        stage.state.about.tools = host.tools();
        stage.state.about.defaults = host.defaults().unwrap();
        Self {
            stage,
            host,
            desk,
            root,
            copied: Vec::new(),
            performer,
            scripts,
            store,
            stream: None,
            search,
            index_folder: None,
            is_stopped: false,
        }
    }

    /// The same house after a restart: what the old host left in the store is there, and nothing moves.
    pub(crate) fn again(self) -> Self {
        let mut hosted = Self::on(self.scripts, self.store, self.root, ApproveMode::Ask, self.search);
        (hosted.is_stopped, hosted.index_folder) = (true, self.index_folder);
        hosted
    }

    pub(crate) fn put_script(&self, name: &str, text: &str) {
        self.scripts.scripts.lock().unwrap().insert(name.to_owned(), Script::parse(name, text).unwrap());
    }

    /// What models were asked, in order.
    pub(crate) fn asked(&self) -> Vec<ModelRequest> {
        self.scripts.asked.lock().unwrap().clone()
    }

    /// Types a line, sends it, and does all that it leads to.
    pub(crate) async fn say(&mut self, line: &str) {
        self.stage.put(AppInput::Paste(line.to_owned()));
        self.press(KeyCode::Enter).await;
    }

    /// A key, and all that it leads to.
    pub(crate) async fn press(&mut self, code: KeyCode) {
        self.stage.press(code);
        self.settle().await;
    }

    /// Carries out what was asked for, and follows the session until its run has ended, asks, or stands still.
    pub(crate) async fn settle(&mut self) {
        loop {
            let effects = self.stage.take_effects();
            let is_idle = effects.is_empty();
            for effect in effects {
                self.carry_out(effect).await;
            }
            if is_idle && !self.follow().await {
                return;
            }
        }
    }

    async fn carry_out(&mut self, effect: AppEffect) {
        match effect {
            AppEffect::Follow { session_id, after } => {
                self.stream = Some(self.host.session_events(&session_id, after).await.unwrap());
            }
            AppEffect::Unfollow => self.stream = None,
            AppEffect::Copy(text) => self.copied.push(text),
            AppEffect::Bell | AppEffect::Quit => {}
            effect => {
                self.is_stopped &= !matches!(effect, AppEffect::Resume { .. } | AppEffect::Send(_));
                let reply = tokio::time::timeout(PATIENCE, self.performer.perform(effect)).await.unwrap();
                self.stage.put(AppInput::Reply(reply));
            }
        }
    }

    /// Takes the next record, if one is to come.
    async fn follow(&mut self) -> bool {
        let Some(session) = &self.stage.state.session else { return false };
        let session_id = session.row.session_id.clone();
        let last_seq = self.host.session(&session_id).await.map_or(0, |row| row.last_seq);
        let is_asking = session.newest().is_some_and(|run| !run.questions.is_empty());
        let is_behind = session.view.seq < last_seq;
        let goes_on = self.stage.state.sending.is_some() || session.running().is_some();
        let moves = goes_on && !is_asking && !self.is_stopped;
        if !is_behind && !moves {
            return false;
        }
        let Some(stream) = self.stream.as_mut() else { return false };
        match tokio::time::timeout(PATIENCE, stream.next()).await.unwrap() {
            Some(delivery) => self.stage.put(AppInput::Delivered(session_id, delivery)),
            None => self.stream = None,
        }
        true
    }
}

/// A project with two files.
fn project() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join("src")).unwrap();
    std::fs::write(root.path().join("README.md"), "# A project\n\nIt hauls the anchor.\n").unwrap();
    std::fs::write(root.path().join("src/main.rs"), "fn main() {\n    haul_anchor();\n}\n").unwrap();
    root
}

fn open(
    scripts: &Arc<Scripts>,
    store: &Arc<dyn StorePort>,
    root: &Path,
    approve: ApproveMode,
    search: Option<SharedSearch>,
) -> Arc<Host> {
    let registry = Registry::new();
    registry.register_all(windlass_tools::builtin(&windlass_tools::ToolsConfig::default())).unwrap();
    Host::new(HostParts {
        store: Arc::clone(store),
        models: Arc::clone(scripts) as Arc<dyn ModelsPort>,
        profiles: Arc::new(|name| match name.map(str::parse::<ProfileName>) {
            None => Ok(Profile { instruction: String::new(), ..Profile::default() }),
            Some(Ok(name)) => Ok(Profile { instruction: String::new(), ..Profile::named(name) }),
            Some(Err(error)) => {
                Err(HostError::Invalid { field: Some("profile"), message: error.to_string() })
            }
        }),
        registry,
        search,
        root: root.to_path_buf(),
        policies: PolicyStore::in_memory(PolicySet::default()),
        approve,
        audit: None,
        sampling: windlass_core::protocol::model::Sampling::default(),
        clock: Clock::system(),
        limits: HostLimits::default(),
    })
}

/// What the app tells.
pub(crate) fn notice(stage: &Stage) -> String {
    stage.state.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default()
}

/// The session that is open.
pub(crate) fn session_id(hosted: &Hosted) -> SessionId {
    hosted.stage.state.session.as_ref().unwrap().row.session_id.clone()
}

/// The rows of the list that is open: what they are called.
pub(crate) fn labels(stage: &Stage) -> Vec<String> {
    match &stage.state.overlay {
        Some(Overlay::Picker(picker)) => picker.fitting().map(|row| row.label.clone()).collect(),
        other => panic!("no list: {other:?}"),
    }
}

/// All lines of the text that is open.
pub(crate) fn page(stage: &Stage) -> String {
    match &stage.state.overlay {
        Some(Overlay::Pager(pager)) => pager.lines.iter().map(|line| line.text() + "\n").collect(),
        other => panic!("no text: {other:?}"),
    }
}

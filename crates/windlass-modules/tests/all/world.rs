//! What the tests share: the fixtures, tools of a game, and sessions of a module over a scripted model.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use windlass_core::permission::{ApproveMode, PolicySet};
use windlass_core::ports::{BoxStream, ModelPort, ToolContext, ToolPort};
use windlass_core::profile::Profile;
use windlass_core::protocol::command::MessageSend;
use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelRequest};
use windlass_core::protocol::tool::{ToolFailure, ToolOutput, ToolSpec};
use windlass_core::run::{Finished, RunSettings};
use windlass_engine::clock::Clock;
use windlass_engine::ids::{new_message_id, new_run_id, new_session_id};
use windlass_engine::journal::MemoryJournal;
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::Registry;
use windlass_engine::session::{Past, Session, SessionParts};
use windlass_modules::{Module, ModuleModel, ToolUse, fit_profile};
use windlass_scripted::{Script, ScriptedModel};

/// The fixtures of modules.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/modules")
}

pub(crate) fn fixture(file: &str) -> Arc<Module> {
    let text = std::fs::read_to_string(fixtures().join(file)).unwrap();
    Arc::new(Module::parse(file, &text).unwrap())
}

/// A module that takes a question, with these other fields.
pub(crate) fn module(more: Value) -> Arc<Module> {
    let mut file = json!({
        "module_id": "test.module",
        "signature": {"inputs": [{"name": "question"}], "outputs": [{"name": "answer"}]},
    });
    file.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Arc::new(Module::parse("test.json", &file.to_string()).unwrap())
}

/// A tool that gives the same whatever it is asked, and counts.
pub(crate) struct Giver {
    spec: ToolSpec,
    gives: Result<Value, ToolFailure>,
    pub(crate) calls: AtomicUsize,
}

impl Giver {
    pub(crate) fn new(name: &str, description: &str, gives: Result<Value, ToolFailure>) -> Arc<Self> {
        Arc::new(Self { spec: ToolSpec::new(name, description), gives, calls: AtomicUsize::new(0) })
    }

    pub(crate) fn count(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl ToolPort for Giver {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(
        &self,
        _args: &Map<String, Value>,
        _context: &ToolContext,
    ) -> Result<ToolOutput, ToolFailure> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.gives.clone().map(ToolOutput::json)
    }
}

/// The purse of A.2.
pub(crate) fn purse() -> Arc<Giver> {
    Giver::new("get_player_gold", "Get player's current gold amount", Ok(json!({"gold": 500})))
}

/// Keeps the requests that a model gets.
pub(crate) struct Listener {
    pub(crate) inner: Arc<dyn ModelPort>,
    pub(crate) heard: Arc<Mutex<Vec<ModelRequest>>>,
}

impl ModelPort for Listener {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        self.heard.lock().unwrap().push(request.clone());
        self.inner.stream(request)
    }
}

/// What came of a run, and what the model was asked.
pub(crate) struct Run {
    pub(crate) finished: Finished,
    pub(crate) asked: Vec<ModelRequest>,
}

impl Run {
    /// The answer as an object.
    pub(crate) fn outputs(&self) -> Value {
        serde_json::from_str(&self.finished.answer).unwrap_or_else(|_| panic!("{:?}", self.finished))
    }

    /// The last user message of a request: the inputs as the model sees them.
    pub(crate) fn inputs(&self, request: usize) -> String {
        let users = |message: &&Arc<windlass_core::protocol::message::Message>| {
            matches!(message.as_ref(), windlass_core::protocol::message::Message::User { .. })
        };
        self.asked[request].messages.iter().rev().find(users).unwrap().text()
    }
}

/// Runs a module on a script: one run, in a session of its own.
pub(crate) async fn run(module: &Arc<Module>, script: &str, tools: &[Arc<Giver>], says: &str) -> Run {
    let script = Script::parse("test.script", script).unwrap();
    let heard = Arc::default();
    let inner = Listener { inner: Arc::new(ScriptedModel::new(&script)), heard: Arc::clone(&heard) };
    let model = ModuleModel::new(Arc::clone(module), Arc::new(inner), ToolUse::of(module));
    let mut profile = Profile::default();
    fit_profile(module, &mut profile, Profile::dspy());
    let registry = Registry::new();
    registry.register_all(tools.iter().map(|tool| Arc::clone(tool) as Arc<dyn ToolPort>)).unwrap();
    let session = Session::start(SessionParts {
        session_id: new_session_id(),
        settings: Arc::new(RunSettings {
            profile,
            model: model.name().to_owned(),
            system: "The host's own words.".into(),
            context_tokens: None,
            form: model.form(),
        }),
        model: Arc::new(model),
        registry,
        root: fixtures(),
        policies: PolicyStore::in_memory(PolicySet::default()),
        approve: ApproveMode::All,
        journal: Arc::new(MemoryJournal::new()),
        audit: None,
        clock: Clock::system(),
        past: Past::default(),
    });
    let send = MessageSend::text(new_run_id(), new_message_id(), says);
    let finished = session.send(send).await.unwrap().finished().await.unwrap();
    let asked = heard.lock().unwrap().clone();
    Run { finished, asked }
}

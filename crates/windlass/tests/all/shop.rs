//! Modules, models and engines for the tests of the module engine.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures::stream::{self, StreamExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use windlass::core::ports::{BoxStream, ModelPort};
use windlass::core::protocol::message::Message;
use windlass::core::protocol::model::{Finish, ModelDelta, ModelFailure, ModelRequest};
use windlass::dspy::{ModuleEngine, Signature, SignatureRegistry};
use windlass::prelude::*;

use crate::host::{Echo, Inventory, PlayerGold};

#[derive(Signature)]
pub(crate) struct PredictSignature {
    /// Some text.
    #[input]
    text: String,
    /// Whether it is glad.
    #[output]
    is_glad: bool,
    /// From 0 to 9.
    #[output]
    points: u8,
}

#[derive(Signature)]
pub(crate) struct ToolSignature {
    /// What the player says.
    #[input]
    query: String,
    #[input]
    context: String,
    #[input]
    available_tools: Value,
    /// The answer.
    #[output]
    response: String,
    #[output]
    tool_call: Option<Value>,
}

/// The signatures that the fixtures name, but for one.
pub(crate) fn signatures() -> SignatureRegistry {
    let mut signatures = SignatureRegistry::new();
    signatures.register::<PredictSignature>("test.predict_signature");
    signatures.register::<ToolSignature>("test.tool_signature");
    signatures
}

/// The folder of the fixtures.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/typed_modules")
}

/// An engine with the modules of the fixtures and the usual tools.
pub(crate) fn engine(model: impl ModelPort + 'static) -> ModuleEngine {
    furnished(ModuleEngine::new(fixtures(), Arc::new(model), signatures()).unwrap())
}

pub(crate) fn furnished(engine: ModuleEngine) -> ModuleEngine {
    engine.register_tool_sync(Arc::new(PlayerGold::default()));
    engine.register_tool_sync(Arc::new(Inventory));
    engine.register_tool_sync(Arc::new(Echo));
    engine
}

/// The same with a script.
pub(crate) fn scripted(script: &str) -> ModuleEngine {
    furnished(Windlass::builder().script(script).unwrap().build_modules(fixtures(), signatures()).unwrap())
}

/// A folder with modules: name and text of each.
pub(crate) fn folder(modules: &[(&str, Value)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut entries = serde_json::Map::new();
    for (id, module) in modules {
        std::fs::write(folder.path().join(format!("{id}.json")), module.to_string()).unwrap();
        entries.insert((*id).to_owned(), json!({"path": format!("{id}.json")}));
    }
    let manifest = json!({"version": "1.0", "modules": entries});
    std::fs::write(folder.path().join("manifest.json"), manifest.to_string()).unwrap();
    folder
}

/// A module that uses tools, by its field or by the model's own calls.
pub(crate) fn tool_module(id: &str, predictor: &str) -> Value {
    json!({
        "module_id": id,
        "predictor_type": predictor,
        "tool_enabled": true,
        "instruction": format!("This is {id}."),
        "signature": {"inputs": [{"name": "query"}], "outputs": [{"name": "response"}]},
    })
}

type Answers = Box<dyn Fn(&ModelRequest) -> String + Send + Sync>;

/// A model that answers by a function of the request, and notes the requests.
#[derive(Clone)]
pub(crate) struct Answering {
    answers: Arc<Answers>,
    requests: Arc<Mutex<Vec<ModelRequest>>>,
}

impl Answering {
    pub(crate) fn new(answers: impl Fn(&ModelRequest) -> String + Send + Sync + 'static) -> Self {
        Self { answers: Arc::new(Box::new(answers)), requests: Arc::default() }
    }

    /// Gives these outputs in turn, the last one again and again.
    pub(crate) fn outputs(outputs: impl IntoIterator<Item = Value>) -> Self {
        let outputs: Vec<Value> = outputs.into_iter().collect();
        Self::new(move |request| {
            let step = request.step as usize - 1;
            outputs.get(step).or(outputs.last()).unwrap().to_string()
        })
    }

    pub(crate) fn requests(&self) -> Vec<ModelRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// What the model was told last in each request: the inputs.
    pub(crate) fn inputs(&self) -> Vec<String> {
        self.requests().iter().map(said).collect()
    }
}

/// The last thing that was said to a model.
pub(crate) fn said(request: &ModelRequest) -> String {
    let is_user = |message: &&Arc<Message>| matches!(message.as_ref(), Message::User { .. });
    request.messages.iter().rev().find(is_user).unwrap().text()
}

impl ModelPort for Answering {
    fn name(&self) -> &str {
        "test/answering"
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let text = (self.answers)(&request);
        self.requests.lock().unwrap().push(request);
        // Not all at once: other invocations get their turn in between.
        let parts = [Ok(ModelDelta::Text(text)), Ok(ModelDelta::Finish(Finish::Stop))];
        Box::pin(stream::once(tokio::task::yield_now()).flat_map(move |()| stream::iter(parts.clone())))
    }
}

/// A model that never answers.
#[derive(Clone, Default)]
pub(crate) struct Hanging {
    pub(crate) asked: Arc<AtomicUsize>,
    pub(crate) dropped: Arc<AtomicUsize>,
}

struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl ModelPort for Hanging {
    fn name(&self) -> &str {
        "test/hanging"
    }

    fn stream(&self, _request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let dropped = Dropped(Arc::clone(&self.dropped));
        Box::pin(stream::pending().map(move |delta| {
            let _held = &dropped;
            delta
        }))
    }
}

struct Unpark(std::thread::Thread);

impl std::task::Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future in a thread without any runtime.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut context = std::task::Context::from_waker(&waker);
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(value) => return value,
            std::task::Poll::Pending => std::thread::park(),
        }
    }
}

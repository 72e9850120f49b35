//! The module engine: modules of a folder, one model, tools of the host (D-21…D-26).
//!
//! Every invocation is a run of the one machine in a session of its own, with the module standing before the model
//! (`ModuleModel`). There is no loop here, and none in the modules.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use windlass_core::permission::ApproveMode;
use windlass_core::ports::{ModelPort, ToolPort};
use windlass_core::protocol::tool::ToolSpec;
use windlass_engine::registry::{RegisterError, Registry};
use windlass_modules::manifest::MANIFEST_FILE;
use windlass_modules::{
    HotReload, HotReloadConfig, HotReloadHandle, LoadReport, Module, ModuleError, ModuleLibrary,
    SignatureRegistry,
};

use super::error::DSPyEngineError;
use super::nesting::{self, Chain};
use super::registry::ToolRegistry;
use super::tool::Tool;
use crate::error::WindlassError;

/// Invocations that go on at once: each is a session with a model stream and a few tools. Tools that invoke modules
/// in tasks of their own, without end, end here.
const INVOCATIONS_MAX: usize = 4_096;

/// Modules that turn typed inputs into typed outputs. Clones share everything.
///
/// Async methods work in any runtime, those with `_sync` in any thread, inside a runtime's worker and inside a tool
/// as well (R-15).
///
/// ```
/// use std::sync::Arc;
/// use serde_json::json;
/// use windlass::dspy::{ModuleEngine, SignatureRegistry};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("manifest.json"), r#"{
///     "version": "1.0",
///     "modules": {"greet": {"path": "greet.json"}}
/// }"#)?;
/// std::fs::write(folder.path().join("greet.json"), r#"{
///     "module_id": "greet",
///     "signature": {"inputs": [{"name": "name"}], "outputs": [{"name": "greeting"}]},
///     "instruction": "Greet the person."
/// }"#)?;
/// let engine = windlass::Windlass::builder()
///     .script("user q\nmodel text {\"greeting\": \"Hello, Ada!\"}\n")?
///     .build_modules(folder.path(), SignatureRegistry::default())?;
/// let output = engine.invoke_sync("greet", json!({"name": "Ada"}))?;
/// assert_eq!(output["greeting"], "Hello, Ada!");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ModuleEngine {
    pub(super) inner: Arc<EngineParts>,
}

pub(super) struct EngineParts {
    pub(super) library: ModuleLibrary,
    pub(super) model: Arc<dyn ModelPort>,
    /// The host's functions (D-21). Copied out of the lock before anything runs (R-14).
    pub(super) tools: Arc<RwLock<ToolRegistry>>,
    /// Tools of other kinds. No name is in both.
    ports: Registry,
    pub(super) approve: ApproveMode,
    pub(super) root: PathBuf,
    running: AtomicUsize,
}

impl ModuleEngine {
    /// An engine with the modules of a folder. A module that cannot be read is left out, and invoking it says why;
    /// a manifest that cannot be read is an error. Without one, there are no modules.
    pub fn new(
        folder: impl AsRef<Path>,
        model: Arc<dyn ModelPort>,
        signatures: SignatureRegistry,
    ) -> Result<Self, DSPyEngineError> {
        let (library, report) = ModuleLibrary::open(folder.as_ref(), signatures);
        match report.failed.into_iter().find(|(path, _)| path.ends_with(MANIFEST_FILE)) {
            Some((_, error)) if library.count() == 0 => Err(error.into()),
            Some(_) | None => Ok(Self::of_library(library, model)),
        }
    }

    /// An engine without modules.
    pub fn new_empty(model: Arc<dyn ModelPort>) -> Self {
        Self::of_library(ModuleLibrary::empty(), model)
    }

    /// An engine with the modules of a library that others may share.
    pub fn of_library(library: ModuleLibrary, model: Arc<dyn ModelPort>) -> Self {
        let inner = EngineParts {
            library,
            model,
            tools: Arc::default(),
            ports: Registry::new(),
            // Host functions belong to the program that registered them.
            approve: ApproveMode::All,
            root: PathBuf::from("."),
            running: AtomicUsize::new(0),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The same modules and model with tools of other kinds, and what happens to calls that would need asking.
    pub(crate) fn with_parts(
        self,
        tools: Vec<Arc<dyn ToolPort>>,
        approve: ApproveMode,
        root: PathBuf,
    ) -> Result<Self, RegisterError> {
        let ports = Registry::new();
        ports.register_all(tools)?;
        let (library, model) = (self.inner.library.clone(), Arc::clone(&self.inner.model));
        let (tools, running) = (Arc::default(), AtomicUsize::new(0));
        Ok(Self { inner: Arc::new(EngineParts { library, model, tools, ports, approve, root, running }) })
    }

    /// Reads all files again. What cannot be read keeps its last good version (R-18).
    pub fn reload_all(&self) -> LoadReport {
        self.inner.library.reload_all()
    }

    /// Reads the file of one module again. What cannot be read keeps its last good version.
    pub fn reload_module(&self, module_id: &str) -> Result<Arc<Module>, DSPyEngineError> {
        Ok(self.inner.library.reload_module(module_id)?)
    }

    /// Takes in changes of the files while they are made, until the handle is stopped or dropped.
    pub fn start_hot_reload(&self, config: HotReloadConfig) -> Result<HotReloadHandle, DSPyEngineError> {
        Ok(HotReload::start(&self.inner.library, config)?)
    }

    /// A module; it never changes, whatever becomes of its file.
    pub fn get_module(&self, module_id: &str) -> Option<Arc<Module>> {
        self.inner.library.get(module_id)
    }

    /// Whether there is such a module.
    pub fn has_module(&self, module_id: &str) -> bool {
        self.get_module(module_id).is_some()
    }

    /// The names of all modules, sorted.
    pub fn module_ids(&self) -> Vec<String> {
        self.inner.library.ids()
    }

    /// How many modules there are.
    pub fn module_count(&self) -> usize {
        self.inner.library.count()
    }

    /// The names of the modules with a tag, sorted.
    pub fn modules_with_tag(&self, tag: &str) -> Vec<String> {
        self.inner.library.with_tag(tag)
    }

    /// The library of modules itself.
    pub fn library(&self) -> &ModuleLibrary {
        &self.inner.library
    }

    /// Puts in a host function (D-22); one of the same name is replaced. Invocations that have begun keep the tools
    /// that they began with, so a tool may register a tool (R-14).
    #[expect(clippy::unused_async, reason = "the shape that callers know; it never waits")]
    pub async fn register_tool(&self, tool: Arc<dyn Tool>) {
        self.register_tool_sync(tool);
    }

    /// The same for callers that are not async.
    pub fn register_tool_sync(&self, tool: Arc<dyn Tool>) {
        self.inner.ports.remove(tool.name());
        self.inner.tools.write().unwrap_or_else(PoisonError::into_inner).register(tool);
    }

    /// Puts in a tool of any other kind: a `#[tool]` function, a script, any `ToolPort`.
    pub fn register_port(&self, tool: Arc<dyn ToolPort>) -> Result<(), DSPyEngineError> {
        let name = tool.spec().name.clone();
        self.inner.ports.register(tool).map_err(WindlassError::from)?;
        self.inner.tools.write().unwrap_or_else(PoisonError::into_inner).remove(&name);
        Ok(())
    }

    /// The host's functions. Copy what is needed out of the lock; do not hold it over a call.
    pub fn tool_registry(&self) -> Arc<RwLock<ToolRegistry>> {
        Arc::clone(&self.inner.tools)
    }

    /// The names of all tools, sorted.
    pub fn tool_names(&self) -> Vec<String> {
        let tools = self.inner.host_tools();
        let ports = self.inner.ports.snapshot();
        let mut names: Vec<String> = tools.names().chain(ports.toolset.names()).map(str::to_owned).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl EngineParts {
    /// The module of that name, or why there is none: a file that is no good says so itself.
    pub(super) fn require(&self, module_id: &str) -> Result<Arc<Module>, DSPyEngineError> {
        if let Some(module) = self.library.get(module_id) {
            return Ok(module);
        }
        self.library.reload_module(module_id).map_err(|error| match error {
            // A file that is not there is a module that is not there.
            ModuleError::Io(_) => DSPyEngineError::ModuleNotFound(module_id.to_owned()),
            other => other.into(),
        })
    }

    /// The host's functions of this moment.
    fn host_tools(&self) -> ToolRegistry {
        self.tools.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The tools of one invocation of a module.
    pub(super) fn tools_of(&self, module: &Module, chain: &Arc<Chain>) -> Result<Registry, DSPyEngineError> {
        let tools = self.host_tools();
        let engines = tools.engines().map_err(WindlassError::from)?;
        let sources = std::iter::once(&self.ports).chain(engines);
        let keep = |spec: &ToolSpec| module.may_use(&spec.name);
        Ok(nesting::select(sources, keep, Some(chain)).map_err(WindlassError::from)?)
    }

    /// A place among the invocations that go on.
    pub(super) fn admit(self: &Arc<Self>, module_id: &str) -> Result<InvocationSlot, DSPyEngineError> {
        let running = self.running.fetch_add(1, Ordering::AcqRel);
        let place = InvocationSlot(Arc::clone(self));
        if running < INVOCATIONS_MAX {
            return Ok(place);
        }
        let message = format!(
            "module '{module_id}' was not invoked: {INVOCATIONS_MAX} invocations go on already; wait for some of them"
        );
        Err(DSPyEngineError::RuntimeError(message))
    }
}

/// A place among the invocations that go on, given back when it is dropped.
pub(super) struct InvocationSlot(Arc<EngineParts>);

impl Drop for InvocationSlot {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}

impl std::fmt::Debug for ModuleEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let modules = self.module_ids();
        f.debug_struct("ModuleEngine")
            .field("model", &self.inner.model.name())
            .field("modules", &modules)
            .finish()
    }
}

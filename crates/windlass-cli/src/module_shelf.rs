//! The modules of the project and of the user, as models and as what front ends see of them.
//!
//! - A module of the project beats one of the user with the same id.
//! - Nothing is read before it is asked for; `serve` and the terminal app watch the folders from then on.
//! - A run keeps the version it began with: the edition of a module changes with its file, and the next run opens it anew.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::{Map, Value};
use windlass_core::host::{
    HostError, MODULE_PREFIX, ModuleFault, ModuleField, ModulePrompt, ModuleRow, ModuleShelf, ModulesPort,
    PromptMessage,
};
use windlass_core::ids::RunId;
use windlass_core::message::Message;
use windlass_core::model::{Kept, ModelRequest, Sampling, StepPurpose, ToolChoice};
use windlass_engine::registry::Registry;
use windlass_modules::{
    Field, HotReload, HotReloadConfig, HotReloadEvent, HotReloadHandle, LoadReport, Manifest, Mode, Module,
    ModuleLibrary, SignatureRegistry, write_request,
};

use crate::complaint::{Complaint, Result};
use crate::config::{Config, project_modules};
use crate::nearest::{did_you_mean, nearest};

/// The field that the machine fills in itself.
const TOOLS_FIELD: &str = "available_tools";

/// One folder of modules.
struct Shelf {
    folder: PathBuf,
    /// The folder as people write it.
    shown: String,
    library: ModuleLibrary,
    /// Files that are wrong, by path.
    faults: Arc<Mutex<BTreeMap<String, String>>>,
}

/// The modules of a configuration.
pub(crate) struct Modules {
    /// The folders, the strongest first, with what people call them.
    folders: Vec<(PathBuf, String)>,
    shelves: OnceLock<Vec<Shelf>>,
    /// The tools that a prompt may tell of.
    registry: Registry,
    watches: OnceLock<Vec<HotReloadHandle>>,
}

impl Modules {
    /// The modules of a configuration. Nothing is read yet.
    pub(crate) fn of(config: &Config, registry: &Registry) -> Arc<Self> {
        let project = match config.settings.text("modules.folder") {
            Some(folder) => config.root.join(folder),
            None => project_modules(&config.root),
        };
        let shown = project.strip_prefix(&config.root).unwrap_or(&project).display().to_string();
        let user = config.folders.modules();
        let folders = vec![(project, shown), (user.clone(), user.display().to_string())];
        Self::at(folders, registry.clone())
    }

    fn at(folders: Vec<(PathBuf, String)>, registry: Registry) -> Arc<Self> {
        Arc::new(Self { folders, shelves: OnceLock::new(), registry, watches: OnceLock::new() })
    }

    fn shelves(&self) -> &[Shelf] {
        self.shelves.get_or_init(|| self.folders.iter().map(|(folder, shown)| Shelf::open(folder, shown)).collect())
    }

    /// Takes in changed files from now on. Needs a tokio runtime.
    pub(crate) fn begin(&self) {
        let watches = self.shelves().iter().filter(|shelf| shelf.folder.is_dir()).filter_map(Shelf::watch);
        drop(self.watches.set(watches.collect()));
    }

    /// The module of that id.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Module>> {
        self.shelves().iter().find_map(|shelf| shelf.library.get(id))
    }

    /// The module of that id, and the folder that it is in.
    pub(crate) fn find_with_folder(&self, id: &str) -> Result<(Arc<Module>, PathBuf)> {
        let found =
            self.shelves().iter().find_map(|shelf| Some((shelf.library.get(id)?, shelf.folder.clone())));
        found.ok_or_else(|| self.unknown(id))
    }

    /// The module of that id; an unknown one is told with the one that was meant.
    pub(crate) fn get(&self, id: &str) -> Result<Arc<Module>> {
        self.find(id).ok_or_else(|| self.unknown(id))
    }

    /// There is no such module; or there is, and its file is wrong.
    fn unknown(&self, id: &str) -> Complaint {
        let ids = self.ids();
        let what = format!("there is no module '{id}'");
        if let Some((path, message)) = self.fault_of(id) {
            return Complaint::usage(format!("the module '{id}' cannot be used: {message}"))
                .at(path)
                .cure("windlass modules check");
        }
        let cure = did_you_mean(id, ids.iter().map(String::as_str));
        let folders: Vec<&str> = self.folders.iter().map(|(_, shown)| shown.as_str()).collect();
        Complaint::usage(what)
            .at(format!("looked in {}", folders.join(" and in ")))
            .cure(cure.unwrap_or_else(|| "windlass modules list".to_owned()))
    }

    /// Why the module of that id was not taken in.
    fn fault_of(&self, id: &str) -> Option<(String, String)> {
        self.shelves().iter().find_map(|shelf| {
            let path = shelf.path_of(id)?;
            let faults = shelf.faults.lock().unwrap_or_else(PoisonError::into_inner);
            let own = faults.iter().find(|(fault, _)| Path::new(fault).ends_with(&path));
            own.map(|(path, message)| (path.clone(), message.clone()))
        })
    }

    /// What a request that names an unknown module is told.
    pub(crate) fn refusal(&self, id: &str) -> String {
        let ids = self.ids();
        match nearest(id, ids.iter().map(String::as_str)) {
            Some(meant) => format!("there is no module '{id}'; did you mean '{meant}'?"),
            None => format!("there is no module '{id}'"),
        }
    }

    /// The ids of all modules, sorted.
    pub(crate) fn ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = self.shelves().iter().flat_map(|shelf| shelf.library.ids()).collect();
        ids.sort();
        ids.dedup();
        ids
    }

    /// What tells versions of a module apart while a session holds one.
    pub(crate) fn edition(&self, id: &str) -> u64 {
        self.find(id).map_or(0, |module| Arc::as_ptr(&module).addr() as u64)
    }

    /// Words to find a module by.
    fn tags(&self, id: &str) -> Vec<String> {
        self.shelves().iter().find_map(|shelf| shelf.library.find(id)).map(|own| own.tags).unwrap_or_default()
    }

    /// What a module would ask a model for these inputs, given as the message of a run.
    pub(crate) fn request(&self, module: &Module, message: &str) -> std::result::Result<ModelRequest, String> {
        let mut tools = self.registry.snapshot().toolset.specs().to_vec();
        tools.retain(|spec| module.may_use(&spec.name));
        let request = ModelRequest {
            run_id: RunId::new("prompt"),
            step: 1,
            purpose: StepPurpose::Work,
            system: "".into(),
            messages: Arc::new(vec![Arc::new(Message::user(message))]),
            trailer: Vec::new(),
            refused: Arc::new([]),
            tools: tools.into(),
            tool_choice: ToolChoice::Auto,
            sampling: Sampling::default(),
            kept: Kept::default(),
            examples: 0,
        };
        write_request(module, &Mode::of(module), request).map_err(|failure| failure.message)
    }
}

impl Shelf {
    fn open(folder: &Path, shown: &str) -> Self {
        let (library, report) = match folder.is_dir() {
            true => ModuleLibrary::open(folder, SignatureRegistry::default()),
            false => (ModuleLibrary::empty(), LoadReport::default()),
        };
        let faults = report.failed.iter().map(|(path, error)| (path.display().to_string(), error.to_string()));
        let faults: BTreeMap<String, String> = faults.collect();
        for (path, message) in &faults {
            tracing::warn!(path, message, "a module is left out");
        }
        Self {
            folder: folder.to_path_buf(),
            shown: shown.to_owned(),
            library,
            faults: Arc::new(Mutex::new(faults)),
        }
    }

    /// The file of a module, as its manifest has it.
    fn path_of(&self, id: &str) -> Option<String> {
        let text = std::fs::read_to_string(self.folder.join("manifest.json")).ok()?;
        let manifest = Manifest::parse("manifest.json", &text).ok()?;
        manifest.modules.get(id).map(|entry| entry.path.clone())
    }

    /// Takes in changed files from now on.
    fn watch(&self) -> Option<HotReloadHandle> {
        let handle = match HotReload::start(&self.library, HotReloadConfig::default()) {
            Ok(handle) => handle,
            Err(error) => {
                tracing::warn!(%error, folder = self.shown, "changed modules are not taken in");
                return None;
            }
        };
        let (mut events, faults) = (handle.events(), Arc::clone(&self.faults));
        tokio::spawn(async move {
            while let Some(event) = events.next().await {
                note(&faults, event);
            }
        });
        Some(handle)
    }
}

/// What a change means for the list of files that are wrong.
fn note(faults: &Mutex<BTreeMap<String, String>>, event: HotReloadEvent) {
    let mut faults = faults.lock().unwrap_or_else(PoisonError::into_inner);
    match event {
        HotReloadEvent::ReloadError { path, error } => {
            tracing::warn!(path = %path.display(), %error, "a changed module was not taken in");
            faults.insert(path.display().to_string(), error.to_string());
        }
        HotReloadEvent::ModuleChanged { module_id, path } => {
            tracing::info!(module_id, "a module was taken in");
            faults.remove(&path.display().to_string());
        }
        HotReloadEvent::ManifestChanged => faults.retain(|path, _| !path.ends_with("manifest.json")),
        HotReloadEvent::ModuleDeleted { module_id } => tracing::info!(module_id, "a module is gone"),
        HotReloadEvent::ModuleSkipped { .. } => {}
    }
}

/// A field for front ends.
fn field_row(field: &Field) -> ModuleField {
    ModuleField {
        name: field.name.clone(),
        field_type: field.field_type.word().to_owned(),
        description: field.description.clone(),
    }
}

/// A module for front ends.
pub(crate) fn row_of(module: &Module, tags: Vec<String>) -> ModuleRow {
    let inputs = module.signature.inputs.iter().filter(|field| field.name != TOOLS_FIELD);
    ModuleRow {
        module_id: module.module_id.clone(),
        model: format!("{MODULE_PREFIX}{}", module.module_id),
        predictor: module.predictor.word().to_owned(),
        instruction: module.instruction.clone(),
        inputs: inputs.map(field_row).collect(),
        outputs: module.signature.outputs.iter().map(field_row).collect(),
        inputs_schema: module.signature.inputs_schema(),
        outputs_schema: module.signature.outputs_schema(),
        demos: module.demos.len(),
        has_tools: module.tool_enabled,
        tools: module.tools.clone(),
        tags,
        version: module.metadata.version.clone(),
        optimizer: module.metadata.optimizer.clone(),
        metric_score: module.metadata.metric_score,
    }
}

/// A written request for front ends.
pub(crate) fn prompt_of(request: &ModelRequest) -> ModulePrompt {
    let messages = request.messages.iter().map(|message| {
        let role = if matches!(**message, Message::Assistant { .. }) { "assistant" } else { "user" };
        PromptMessage { role: role.to_owned(), text: message.text() }
    });
    ModulePrompt {
        system: request.system.to_string(),
        messages: messages.collect(),
        response_format: request.sampling.response_format.clone(),
    }
}

impl ModulesPort for Modules {
    fn shelf(&self) -> ModuleShelf {
        let modules = self.ids().into_iter().filter_map(|id| Some(row_of(&*self.find(&id)?, self.tags(&id))));
        let faults = self.shelves().iter().flat_map(|shelf| {
            let faults = shelf.faults.lock().unwrap_or_else(PoisonError::into_inner);
            let rows: Vec<ModuleFault> = faults
                .iter()
                .map(|(path, message)| ModuleFault { path: path.clone(), message: message.clone() })
                .collect();
            rows
        });
        ModuleShelf {
            modules: modules.collect(),
            faults: faults.collect(),
            folders: self.folders.iter().map(|(_, shown)| shown.clone()).collect(),
        }
    }

    fn prompt(
        &self,
        module_id: &str,
        inputs: &Map<String, Value>,
    ) -> std::result::Result<ModulePrompt, HostError> {
        let missing = || HostError::Missing { what: "module", id: module_id.to_owned() };
        let module = self.find(module_id).ok_or_else(missing)?;
        let invalid = |message: String| HostError::Invalid { field: Some("inputs"), message };
        module.signature.check_inputs(inputs).map_err(|error| invalid(error.to_string()))?;
        let message = Value::Object(inputs.clone()).to_string();
        self.request(&module, &message).map(|request| prompt_of(&request)).map_err(invalid)
    }
}

//! The modules of the project and of the user, as models and as what front ends see of them.
//!
//! - A module of the user beats one of the project with the same id.
//! - Nothing is read before it is asked for; `serve` and the terminal app watch the user's folder from then on.
//! - The project's are there only if its folder is trusted, and as it was when it was looked at.
//! - A run keeps the version it began with: the edition of a module changes with its file, and the next run opens it anew.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::{Map, Value};
use windlass_core::ports::host::{
    HostError, MODULE_PREFIX, ModuleFault, ModuleField, ModulePrompt, ModuleRow, ModuleShelf, ModulesPort,
    PromptMessage,
};
use windlass_core::protocol::ids::RunId;
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::{Kept, ModelRequest, Sampling, StepPurpose, ToolChoice};
use windlass_engine::registry::Registry;
use windlass_modules::{
    Field, HotReload, HotReloadConfig, HotReloadHandle, LoadReport, Manifest, Module, ModuleError,
    ModuleLibrary, SignatureRegistry, ToolUse, write_request,
};

use crate::complaint::{CommandError, Result};
use crate::config::CliConfig;
use crate::terminal::nearest::{did_you_mean, nearest};
use crate::trust::FolderTrust;

/// The field that the machine fills in itself.
const TOOLS_FIELD: &str = "available_tools";

/// One folder of modules.
struct ModuleFolder {
    path: PathBuf,
    /// The folder as people write it.
    shown: String,
    /// What is in it, once it is there.
    open: OnceLock<OpenModuleFolder>,
    /// Whether changed files are taken in.
    is_watched: AtomicBool,
    /// What was looked at and trusted, if the folder is the project's: nothing else is read of it.
    trust: Option<FolderTrust>,
}

/// A folder that is there.
struct OpenModuleFolder {
    library: ModuleLibrary,
    /// Files that are wrong, and why.
    faults: Arc<Mutex<Vec<ModuleFault>>>,
    watch: OnceLock<HotReloadHandle>,
}

/// The modules of a configuration.
pub(crate) struct ProjectModules {
    /// The folders, the strongest first.
    folders: Vec<ModuleFolder>,
    /// The tools that a prompt may tell of.
    registry: Registry,
}

impl ProjectModules {
    /// The modules of a configuration. Nothing is read yet.
    pub(crate) fn of(config: &CliConfig, registry: &Registry) -> Arc<Self> {
        let trust = &config.trust;
        let user = config.folders.modules();
        let shown = user.display().to_string();
        let folders = vec![
            ModuleFolder::of(user, shown, None),
            ModuleFolder::of(trust.root.join(&trust.modules), trust.modules.clone(), Some(trust.clone())),
        ];
        Arc::new(Self { folders, registry: registry.clone() })
    }

    /// The folders that are there.
    fn open_folders(&self) -> impl Iterator<Item = (&ModuleFolder, &OpenModuleFolder)> {
        self.folders.iter().filter_map(|folder| Some((folder, folder.open()?)))
    }

    /// Takes in changed files from now on, and folders that come later. Needs a tokio runtime.
    pub(crate) fn begin(&self) {
        for folder in self.folders.iter().filter(|folder| folder.trust.is_none()) {
            folder.is_watched.store(true, Ordering::Relaxed);
            folder.open();
        }
    }

    pub(crate) fn find(&self, id: &str) -> Option<Arc<Module>> {
        self.open_folders().find_map(|(_, open)| open.library.get(id))
    }

    pub(crate) fn find_with_folder(&self, id: &str) -> Result<(Arc<Module>, PathBuf)> {
        let found =
            self.open_folders().find_map(|(folder, open)| Some((open.library.get(id)?, folder.path.clone())));
        found.ok_or_else(|| self.unknown(id))
    }

    /// The module of that id; an unknown one is told with the one that was meant.
    pub(crate) fn get(&self, id: &str) -> Result<Arc<Module>> {
        self.find(id).ok_or_else(|| self.unknown(id))
    }

    /// There is no such module; or there is, and its file is wrong.
    fn unknown(&self, id: &str) -> CommandError {
        let ids = self.ids();
        let what = ModuleError::ModuleNotFound(id.to_owned()).to_string();
        if let Some((path, message)) = self.fault_of(id) {
            return CommandError::usage(format!("the module '{id}' cannot be used: {message}"))
                .at(path)
                .cure("windlass modules check");
        }
        let cure = did_you_mean(id, ids.iter().map(String::as_str));
        let folders: Vec<&str> = self.folders.iter().map(|folder| folder.shown.as_str()).collect();
        CommandError::usage(what)
            .at(format!("looked in {}", folders.join(" and in ")))
            .cure(cure.unwrap_or_else(|| "windlass modules list".to_owned()))
    }

    /// Why the module of that id was not taken in.
    fn fault_of(&self, id: &str) -> Option<(String, String)> {
        self.open_folders().find_map(|(folder, open)| {
            let path = folder.path_of(id)?;
            let faults = open.faults.lock().unwrap_or_else(PoisonError::into_inner);
            let own = faults.iter().find(|fault| Path::new(&fault.path).ends_with(&path));
            own.map(|fault| (fault.path.clone(), fault.message.clone()))
        })
    }

    /// What a request that names an unknown module is told.
    pub(crate) fn refusal(&self, id: &str) -> String {
        let ids = self.ids();
        match nearest(id, ids.iter().map(String::as_str)) {
            Some(meant) => format!("Module not found: {id}; did you mean '{meant}'?"),
            None => format!("Module not found: {id}"),
        }
    }

    /// The ids of all modules, sorted.
    pub(crate) fn ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = self.open_folders().flat_map(|(_, open)| open.library.ids()).collect();
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
        self.open_folders()
            .find_map(|(_, open)| open.library.find(id))
            .map(|own| own.tags)
            .unwrap_or_default()
    }

    /// What a module would ask a model for these inputs, given as the message of a run.
    pub(crate) fn request(
        &self,
        module: &Module,
        message: &str,
    ) -> std::result::Result<ModelRequest, String> {
        let mut tools = self.registry.snapshot().toolset.specs().to_vec();
        tools.retain(|spec| module.may_use(&spec.name));
        let request = ModelRequest {
            run_id: RunId::new("prompt"),
            step: 1,
            purpose: StepPurpose::Work,
            system: "".into(),
            messages: Arc::new(vec![Arc::new(Message::user(message))]),
            trailer: Vec::new(),
            live: Arc::default(),
            tools: tools.into(),
            tool_choice: ToolChoice::Auto,
            sampling: Sampling::default(),
            kept: Kept::default(),
            examples: 0,
        };
        write_request(module, &ToolUse::of(module), request).map_err(|failure| failure.message)
    }
}

impl ModuleFolder {
    fn of(path: PathBuf, shown: String, trust: Option<FolderTrust>) -> Self {
        Self { path, shown, open: OnceLock::new(), is_watched: AtomicBool::new(false), trust }
    }

    /// What is in the folder; nothing while it is not there.
    fn open(&self) -> Option<&OpenModuleFolder> {
        if self.trust.as_ref().is_some_and(|trust| !trust.is_trusted()) {
            return None;
        }
        if self.open.get().is_none() {
            if !self.path.is_dir() {
                return None;
            }
            let read = OpenModuleFolder::read(&self.path);
            // After it was read: what came in between was not trusted.
            if self.trust.as_ref().is_some_and(|trust| !trust.is_unchanged()) {
                tracing::warn!("the project's modules changed since they were looked at, and are left out");
                return None;
            }
            // Whoever was quicker has read the same.
            drop(self.open.set(read));
        }
        let open = self.open.get()?;
        if self.is_watched.load(Ordering::Relaxed) && open.watch.get().is_none() {
            open.start_watch();
        }
        Some(open)
    }

    /// The file of a module, as its manifest has it.
    fn path_of(&self, id: &str) -> Option<String> {
        let text = crate::config::regular::read_text(
            &self.path.join("manifest.json"),
            crate::config::regular::MANIFEST_BYTES_MAX,
            crate::config::regular::FileOrigin::Project,
        )
        .ok()?;
        let manifest = Manifest::parse("manifest.json", &text).ok()?;
        manifest.modules.get(id).map(|entry| entry.path.clone())
    }
}

impl OpenModuleFolder {
    fn read(folder: &Path) -> Self {
        let (library, report) = ModuleLibrary::open(folder, SignatureRegistry::default());
        for warning in &report.warnings {
            tracing::warn!("{warning}");
        }
        Self { library, faults: Arc::new(Mutex::new(faults_of(&report))), watch: OnceLock::new() }
    }

    /// Takes in changed files from now on.
    fn start_watch(&self) {
        let handle = match HotReload::start(&self.library, HotReloadConfig::default()) {
            Ok(handle) => handle,
            Err(error) => {
                tracing::warn!(%error, "changed modules are not taken in");
                return;
            }
        };
        let (mut events, faults, library) = (handle.events(), Arc::clone(&self.faults), self.library.clone());
        drop(self.watch.set(handle));
        tokio::spawn(async move {
            while let Some(event) = events.next().await {
                tracing::info!(?event, "modules changed");
                while events.try_next().is_some() {}
                // An event tells what happened to one file; which files are wrong now, only all of them say.
                let library = library.clone();
                let read = tokio::task::spawn_blocking(move || faults_of(&library.reload_all())).await;
                *faults.lock().unwrap_or_else(PoisonError::into_inner) = read.unwrap_or_default();
            }
        });
    }
}

/// What is wrong with a file, said beside its path: its name is enough there.
pub(crate) fn beside(path: &Path, error: &ModuleError) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let told = error.to_string().replacen(&path.display().to_string(), &name, 1);
    match error {
        ModuleError::HashMismatch { .. } => format!(
            "{told}: the file was changed after its hash was put into the manifest; if you trust the change, \
             `windlass modules check --write-hashes` puts the new hash in"
        ),
        _ => told,
    }
}

fn faults_of(report: &LoadReport) -> Vec<ModuleFault> {
    let fault = |(path, error): &(PathBuf, ModuleError)| ModuleFault {
        path: path.display().to_string(),
        message: beside(path, error),
    };
    report
        .failed
        .iter()
        .map(fault)
        .inspect(|fault| {
            tracing::warn!(path = fault.path, message = fault.message, "a module is not taken in");
        })
        .collect()
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

impl ModulesPort for ProjectModules {
    fn shelf(&self) -> ModuleShelf {
        let modules = self.ids().into_iter().filter_map(|id| Some(row_of(&*self.find(&id)?, self.tags(&id))));
        let faults = self
            .open_folders()
            .flat_map(|(_, open)| open.faults.lock().unwrap_or_else(PoisonError::into_inner).clone());
        ModuleShelf {
            modules: modules.collect(),
            faults: faults.collect(),
            folders: self.folders.iter().map(|folder| folder.shown.clone()).collect(),
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

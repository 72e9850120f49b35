//! Models by name, for a host: the one that was chosen, any other that the configuration can reach, and modules that
//! stand before the one that was chosen.

use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use windlass_core::ports::ModelPort;
use windlass_core::ports::host::{HostError, MODULE_PREFIX, ModelFindings, ModelRow, ModulesPort};
use windlass_core::profile::Profile;
use windlass_engine::host::{ModelsPort, OpenModel};
use windlass_models::Abilities;
use windlass_models::transport::Transport;
use windlass_modules::{Module, ModuleModel, ToolUse};

use crate::commands::models::doctor::EndpointExam;
use crate::commands::models::list::{choices, row_about, row_of};
use crate::complaint::Result;
use crate::config::{CliConfig, find_key};
use crate::project::modules::ProjectModules;
use crate::providers::choice::{ChosenModel, name_of};
use crate::providers::diagnosis;
use crate::providers::local::{self, BUILTIN, PREFIX};
use crate::providers::target;
use crate::wiring::{Wiring, wrong};

const MODULE_PROVIDER: &str = "module";

/// The models of one configuration.
pub(crate) struct OpenModels {
    config: CliConfig,
    /// The model that was chosen.
    chosen: ChosenModel,
    /// The module that stands before it where nobody names another model.
    module: Option<String>,
    modules: Arc<ProjectModules>,
    /// Whether runs have tools at all: without them every model will do.
    has_tools: bool,
    transport: OnceLock<Arc<Transport>>,
    /// What was found while this program runs, of models that do not answer too.
    found: Mutex<HashMap<String, ModelFindings>>,
    /// One examination at a time: each is some twenty requests that somebody pays for.
    examination: tokio::sync::Mutex<()>,
}

impl OpenModels {
    /// The models, with the one that answers unless another is named.
    pub(crate) fn of(wiring: &Wiring, chosen: ChosenModel, has_tools: bool) -> Result<Self> {
        let (config, modules) = (wiring.config.clone(), Arc::clone(&wiring.modules));
        let module = config.settings.text("module").map(str::to_owned);
        if let Some(id) = &module {
            modules.get(id)?;
        }
        let (found, examination) = (Mutex::default(), tokio::sync::Mutex::default());
        Ok(Self {
            config,
            chosen,
            module,
            modules,
            has_tools,
            transport: OnceLock::new(),
            found,
            examination,
        })
    }

    /// Makes a profile fit what answers where nobody names a model.
    pub(crate) fn fit_usual(&self, profile: &mut Profile) -> Result<()> {
        match &self.module {
            Some(id) => self.fit_module(&*self.modules.get(id)?, profile),
            None => self.chosen.fit(profile, self.has_tools),
        }
    }

    fn fit_module(&self, module: &Module, profile: &mut Profile) -> Result<()> {
        self.config.fit_module(module, profile)?;
        // The model below must be able to call only where the module calls as it does.
        self.chosen.fit(profile, self.has_tools && module.tool_enabled)
    }

    /// A module before the model that was chosen, or before another one.
    fn open_module(
        &self,
        id: &str,
        below: Option<&str>,
        profile: &mut Profile,
    ) -> std::result::Result<OpenModel, HostError> {
        let Some(module) = self.modules.find(id) else {
            return Err(HostError::Invalid { field: Some("model"), message: self.modules.refusal(id) });
        };
        let fitted = self.config.fit_module(&module, profile);
        fitted.map_err(|complaint| wrong("model", &complaint))?;
        let chosen = self.choose(below, profile)?;
        // The model below must be able to call only where the module calls as it does.
        let fitted = chosen.fit(profile, self.has_tools && module.tool_enabled);
        fitted.map_err(|complaint| wrong("model", &complaint))?;
        let mode = ToolUse::of(&module);
        let model = ModuleModel::new(module, chosen.model, mode);
        Ok(OpenModel { model: Arc::new(model), context_tokens: chosen.context_tokens })
    }

    /// The model of a name, or the one that was chosen.
    fn choose(&self, name: Option<&str>, profile: &Profile) -> std::result::Result<ChosenModel, HostError> {
        match name.filter(|word| *word != self.chosen.model.name()) {
            Some(word) if word.starts_with("scripted/") => {
                // A script is a file, and as powerful as whoever plays it: requests cannot name one.
                let message =
                    format!("the script '{word}' is not played here; start windlass with --model {word}");
                Err(HostError::Invalid { field: Some("model"), message })
            }
            Some(word) if word.starts_with(PREFIX) => {
                // A model file can take all the memory there is: requests cannot name one.
                let message =
                    format!("the file of '{word}' is not loaded here; start windlass with --model {word}");
                Err(HostError::Invalid { field: Some("model"), message })
            }
            Some(word) => self.find(word, profile).map_err(|complaint| wrong("model", &complaint)),
            None => self.chosen_for(profile).map_err(|complaint| wrong("model", &complaint)),
        }
    }

    /// The model that was chosen, as a profile speaks to it: it was opened for the usual one.
    fn chosen_for(&self, profile: &Profile) -> Result<ChosenModel> {
        match &self.chosen.target {
            Some(target) if profile.dialect != self.config.profile.dialect => {
                let model = target::port(target.clone(), self.transport()?, profile.dialect);
                Ok(ChosenModel { model, ..self.chosen.clone() })
            }
            Some(_) | None => Ok(self.chosen.clone()),
        }
    }

    fn transport(&self) -> Result<Arc<Transport>> {
        if let Some(transport) = self.transport.get() {
            return Ok(Arc::clone(transport));
        }
        let made = Arc::new(target::transport(&self.config)?);
        Ok(Arc::clone(self.transport.get_or_init(|| made)))
    }

    /// The name that is meant: one of the speeds stands for what `models.NAME` says, or for the usual model (E-39).
    fn meant<'a>(&'a self, name: Option<&'a str>) -> Option<&'a str> {
        let name = name?;
        match find_key(&format!("models.{name}")) {
            Some(key) => self.config.settings.text(&key.name),
            None => Some(name),
        }
    }

    /// The module that a name means, if it means one.
    fn module_of<'a>(&'a self, name: Option<&'a str>) -> Option<&'a str> {
        match name {
            Some(name) => name.strip_prefix(MODULE_PREFIX),
            None => self.module.as_deref(),
        }
    }

    fn find(&self, word: &str, profile: &Profile) -> Result<ChosenModel> {
        if word == BUILTIN {
            return local::open(&self.config, word);
        }
        let target = target::target(&self.config, &name_of(&self.config, word)?)?;
        let model = target::port(target.clone(), self.transport()?, profile.dialect);
        Ok(ChosenModel::of_target(model, target))
    }
}

impl OpenModels {
    async fn visit(&self, word: &str) -> std::result::Result<ModelFindings, HostError> {
        if word.starts_with(MODULE_PREFIX) {
            let message = format!("'{word}' is a module: examine the model below it");
            return Err(HostError::Invalid { field: Some("name"), message });
        }
        if word.starts_with("scripted/") {
            let message = format!("'{word}' is a script and runs locally: there is nothing to check");
            return Err(HostError::Invalid { field: Some("name"), message });
        }
        let name = name_of(&self.config, word).map_err(|complaint| wrong("name", &complaint))?;
        let Ok(_alone) = self.examination.try_lock() else {
            return Err(HostError::Conflict("another model is being examined; wait for it".to_owned()));
        };
        let exam = EndpointExam::make(&self.config, &name).map_err(|complaint| wrong("name", &complaint))?;
        let examined = exam.examine(&mut |_| {}).await;
        let findings = examined.findings();
        // What did not answer is no reason to forget what was found when it did.
        if examined.silence().is_none()
            && let Err(complaint) = diagnosis::store(&self.config.folders.data, &name, &examined)
        {
            tracing::warn!(model = %name, "what was found is not kept: {}", complaint.what());
        }
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.insert(name.to_string(), findings.clone());
        Ok(findings)
    }
}

#[async_trait]
impl ModelsPort for OpenModels {
    fn open(&self, name: Option<&str>, profile: &mut Profile) -> std::result::Result<OpenModel, HostError> {
        let name = self.meant(name);
        if let Some(id) = self.module_of(name) {
            return self.open_module(id, None, profile);
        }
        let chosen = self.choose(name, profile)?;
        chosen.fit(profile, self.has_tools).map_err(|complaint| wrong("model", &complaint))?;
        Ok(OpenModel { model: chosen.model, context_tokens: chosen.context_tokens })
    }

    fn open_before(
        &self,
        name: Option<&str>,
        below: &str,
        profile: &mut Profile,
    ) -> std::result::Result<OpenModel, HostError> {
        let name = self.meant(name);
        match self.module_of(name) {
            Some(id) => self.open_module(id, Some(below), profile),
            None => self.open(name, profile),
        }
    }

    fn list(&self) -> Vec<ModelRow> {
        let chosen = self.chosen.model.name();
        let mut rows = choices(&self.config, chosen);
        if !rows.iter().any(|row| row.is_default) {
            let abilities = self.chosen.target.as_ref().map(|target| &target.abilities);
            rows.insert(
                0,
                match &self.chosen.about {
                    Some(about) => row_about(chosen, about, chosen),
                    None => plain_row(chosen, abilities),
                },
            );
        }
        rows.extend(self.modules.shelf().modules.into_iter().map(|module| ModelRow {
            name: module.model,
            provider: MODULE_PROVIDER.to_owned(),
            is_ready: true,
            has_tools: Some(module.has_tools),
            ..ModelRow::default()
        }));
        if self.module.is_some() {
            let usual = self.usual();
            rows.iter_mut().for_each(|row| row.is_default = row.name == usual);
        }
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        for row in &mut rows {
            if let Some(findings) = found.get(&row.name) {
                row.doctor = Some(findings.clone());
            }
        }
        rows
    }

    fn usual(&self) -> String {
        match &self.module {
            Some(id) => format!("{MODULE_PREFIX}{id}"),
            None => self.chosen.model.name().to_owned(),
        }
    }

    fn edition(&self, name: Option<&str>) -> u64 {
        self.module_of(self.meant(name)).map_or(0, |id| self.modules.edition(id))
    }

    fn tools(&self, name: Option<&str>) -> Option<Vec<String>> {
        let module = self.modules.find(self.module_of(self.meant(name))?)?;
        if module.tool_enabled { module.tools.clone() } else { Some(Vec::new()) }
    }

    fn modules(&self) -> Option<&dyn ModulesPort> {
        Some(&*self.modules)
    }

    async fn examine(&self, name: &str) -> std::result::Result<ModelFindings, HostError> {
        self.visit(name).await
    }
}

/// One model and no other: a call from the command line.
pub(crate) struct OneModel(pub(crate) Arc<dyn ModelPort>);

impl ModelsPort for OneModel {
    fn open(&self, _name: Option<&str>, _profile: &mut Profile) -> std::result::Result<OpenModel, HostError> {
        Ok(OpenModel { model: Arc::clone(&self.0), context_tokens: None })
    }

    fn list(&self) -> Vec<ModelRow> {
        vec![plain_row(self.0.name(), None)]
    }
}

/// A model that answers, whatever is known of it.
fn plain_row(name: &str, abilities: Option<&Abilities>) -> ModelRow {
    let unknown = Abilities::default();
    let row = row_of(name.to_owned(), abilities.unwrap_or(&unknown));
    ModelRow { is_default: true, is_ready: true, ..row }
}

//! Models by name, for a host: the one that was chosen, and any other that the configuration can reach.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use windlass_core::host::{HostError, HostFuture, ModelFindings, ModelRow};
use windlass_core::port::ModelPort;
use windlass_core::profile::Profile;
use windlass_engine::host::{ModelsPort, OpenModel};
use windlass_models::Abilities;
use windlass_models::transport::Transport;

use crate::complaint::Result;
use crate::config::Config;
use crate::diagnosis;
use crate::local_models::{self, BUILTIN, PREFIX};
use crate::model_choice::{Chosen, name_of};
use crate::models_doctor::Bed;
use crate::models_list::{choices, row_of};
use crate::provider;
use crate::wiring::wrong;

/// The models of one configuration.
pub(crate) struct OpenModels {
    config: Config,
    usual: Chosen,
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
    pub(crate) fn new(config: &Config, usual: Chosen, has_tools: bool) -> Self {
        let (found, examination) = (Mutex::default(), tokio::sync::Mutex::default());
        Self { config: config.clone(), usual, has_tools, transport: OnceLock::new(), found, examination }
    }

    fn find(&self, word: &str, profile: &Profile) -> Result<Chosen> {
        if word == BUILTIN {
            return local_models::open(&self.config, word);
        }
        let target = provider::target(&self.config, &name_of(&self.config, word)?)?;
        let transport = match self.transport.get() {
            Some(transport) => Arc::clone(transport),
            None => {
                let made = Arc::new(provider::transport(&self.config)?);
                Arc::clone(self.transport.get_or_init(|| made))
            }
        };
        let model = provider::port(target.clone(), transport, profile.dialect);
        Ok(Chosen::of_target(model, target))
    }
}

impl OpenModels {
    async fn visit(&self, word: &str) -> std::result::Result<ModelFindings, HostError> {
        if word.starts_with("scripted/") {
            let message = format!("'{word}' is a script: it has no endpoint that could be examined");
            return Err(HostError::Invalid { field: Some("name"), message });
        }
        let name = name_of(&self.config, word).map_err(|complaint| wrong("name", &complaint))?;
        let Ok(_alone) = self.examination.try_lock() else {
            return Err(HostError::Conflict("another model is being examined; wait for it".to_owned()));
        };
        let bed = Bed::make(&self.config, &name).map_err(|complaint| wrong("name", &complaint))?;
        let examined = bed.examine(&mut |_| {}).await;
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

impl ModelsPort for OpenModels {
    fn open(&self, name: Option<&str>, profile: &mut Profile) -> std::result::Result<OpenModel, HostError> {
        let chosen = match name {
            Some(word) if word.starts_with("scripted/") && word != self.usual.model.name() => {
                // A script is a file, and as powerful as whoever plays it: requests cannot name one.
                let message =
                    format!("the script '{word}' is not played here; start windlass with --model {word}");
                return Err(HostError::Invalid { field: Some("model"), message });
            }
            Some(word) if word.starts_with(PREFIX) && word != self.usual.model.name() => {
                // A model file can take all the memory there is: requests cannot name one.
                let message =
                    format!("the file of '{word}' is not loaded here; start windlass with --model {word}");
                return Err(HostError::Invalid { field: Some("model"), message });
            }
            Some(word) if word != self.usual.model.name() => {
                self.find(word, profile).map_err(|complaint| wrong("model", &complaint))?
            }
            Some(_) | None => self.usual.clone(),
        };
        chosen.fit(profile, self.has_tools).map_err(|complaint| wrong("model", &complaint))?;
        Ok(OpenModel { model: chosen.model, context_tokens: chosen.context_tokens })
    }

    fn list(&self) -> Vec<ModelRow> {
        let usual = self.usual.model.name();
        let mut rows = choices(&self.config, usual);
        if !rows.iter().any(|row| row.is_default) {
            let abilities = self.usual.target.as_ref().map(|target| &target.abilities);
            rows.insert(0, plain_row(usual, abilities));
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
        self.usual.model.name().to_owned()
    }

    fn examine<'a>(&'a self, name: &'a str) -> HostFuture<'a, ModelFindings> {
        Box::pin(self.visit(name))
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

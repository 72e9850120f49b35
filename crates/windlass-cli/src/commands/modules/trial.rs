//! Runs of modules for their own sake: each input is an ordinary run, kept in the store, with whatever version of the module
//! is tried just now.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use futures::StreamExt;
use serde_json::{Map, Value};
use windlass_core::ports::host::{
    HostDelivery, HostError, HostRuns, HostSessions, MODULE_PREFIX, ModelRow, RunStart,
};
use windlass_core::ports::store::{NewSession, title_of};
use windlass_core::profile::Profile;
use windlass_core::protocol::command::RunWishes;
use windlass_core::protocol::event::{DurableEvent, Event};
use windlass_core::protocol::ids::{RunId, SessionId};
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::Sampling;
use windlass_engine::host::{Host, ModelsPort, OpenModel};
use windlass_modules::{Module, ModuleModel, ToolUse, read_answer};

use crate::complaint::{CommandError, Result};
use crate::config::CliConfig;
use crate::project::store::SessionArchive;
use crate::providers::choice::ChosenModel;
use crate::terminal::run_follower::refused;
use crate::wiring::{Wiring, wrong};

/// The word of a run whose answer was not of the module's form.
const MALFORMED: &str = "malformed";

/// What became of one input.
pub(super) struct TrialRun {
    pub(super) run_id: RunId,
    /// The outputs, or why there are none.
    pub(super) outputs: std::result::Result<Map<String, Value>, UnansweredTrial>,
    pub(super) elapsed_ms: u64,
}

/// Why a run gave no outputs.
pub(super) struct UnansweredTrial {
    pub(super) why: String,
    /// Whether the model itself did not answer: others would fare no better.
    pub(super) is_model: bool,
}

/// A host whose modules are tried.
pub(super) struct Trial {
    host: Arc<Host>,
    models: Arc<TrialModels>,
    sampling: Sampling,
    root: String,
    profile: String,
}

impl Trial {
    /// A host over the archive. Needs a tokio runtime.
    pub(super) fn begin(wiring: &Wiring, archive: &SessionArchive) -> Self {
        let models = Arc::new(TrialModels { config: wiring.config.clone(), tried: Mutex::default() });
        Self {
            host: wiring.host(Arc::clone(&archive.store), Arc::clone(&models) as Arc<dyn ModelsPort>),
            models,
            sampling: wiring.config.sampling(),
            root: wiring.config.root.display().to_string(),
            profile: wiring.config.profile.name.word().to_owned(),
        }
    }

    pub(super) fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// A session for the runs of a module before a model.
    pub(super) async fn session(
        &self,
        module: &Arc<Module>,
        model: &ChosenModel,
        title: &str,
    ) -> Result<SessionId> {
        self.models.put(module, model);
        let begin = NewSession {
            title: title_of(title).to_owned(),
            origin: "cli".to_owned(),
            root: self.root.clone(),
            profile: self.profile.clone(),
            model: name_of(module),
            ..NewSession::default()
        };
        Ok(self.host.create_session(begin).await.map_err(refused)?.session_id)
    }

    /// Runs a version of a module on inputs, to the end of the run.
    pub(super) async fn ask(
        &self,
        session_id: &SessionId,
        (module, model): (&Arc<Module>, &ChosenModel),
        inputs: &Map<String, Value>,
    ) -> Result<TrialRun> {
        self.models.put(module, model);
        let begun = Instant::now();
        let start = RunStart {
            message: Message::user(Value::Object(inputs.clone()).to_string()),
            wishes: RunWishes { sampling: self.sampling.clone(), ..RunWishes::default() },
            model: Some(name_of(module)),
            profile: None,
            executes_while_streaming: None,
        };
        let started = self.host.start_run(session_id, start).await.map_err(refused)?;
        let (answer, error) = self.follow(&started.run_id, started.after_seq).await?;
        let outputs = match error {
            Some((code, why)) => Err(UnansweredTrial { why, is_model: code != MALFORMED }),
            None => read_answer(module, &answer)
                .map_err(|error| UnansweredTrial { why: error.to_string(), is_model: false }),
        };
        let elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(TrialRun { run_id: started.run_id, outputs, elapsed_ms })
    }

    /// What a run answered, and what went wrong.
    async fn follow(&self, run_id: &RunId, after: u64) -> Result<(String, Option<(String, String)>)> {
        let mut seq = after;
        let mut events = self.host.events(run_id, seq).await.map_err(refused)?;
        let mut error = None;
        loop {
            match events.next().await {
                Some(HostDelivery::Record(record)) => {
                    seq = record.seq;
                    match &record.event {
                        Event::Durable(DurableEvent::ErrorRaised { code, message }) => {
                            error = Some((code.clone(), message.clone()))
                        }
                        Event::Durable(DurableEvent::RunEnded { answer, .. }) => {
                            return Ok((answer.clone(), error));
                        }
                        Event::Durable(other) => other.ignored(),
                        Event::Delta(_) => {}
                    }
                }
                Some(HostDelivery::Gap) => events = self.host.events(run_id, seq).await.map_err(refused)?,
                Some(HostDelivery::Deleted) | None => {
                    return Err(CommandError::failed(format!("run {run_id} ended without a final record")));
                }
            }
        }
    }
}

fn name_of(module: &Module) -> String {
    format!("{MODULE_PREFIX}{}", module.module_id)
}

/// The versions that are tried, by the names of their modules.
struct TrialModels {
    config: CliConfig,
    tried: Mutex<HashMap<String, (Arc<Module>, ChosenModel)>>,
}

impl TrialModels {
    fn put(&self, module: &Arc<Module>, model: &ChosenModel) {
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        tried.insert(name_of(module), (Arc::clone(module), model.clone()));
    }

    fn find(&self, name: Option<&str>) -> Option<(Arc<Module>, ChosenModel)> {
        let tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        tried.get(name?).cloned()
    }
}

impl ModelsPort for TrialModels {
    fn open(&self, name: Option<&str>, profile: &mut Profile) -> std::result::Result<OpenModel, HostError> {
        let missing = || HostError::Missing { what: "model", id: name.unwrap_or_default().to_owned() };
        let (module, chosen) = self.find(name).ok_or_else(missing)?;
        let fitted = self.config.fit_module(&module, profile);
        let fitted = fitted.and_then(|()| chosen.fit(profile, module.tool_enabled));
        fitted.map_err(|complaint| wrong("model", &complaint))?;
        let mode = ToolUse::of(&module);
        let model = Arc::new(ModuleModel::new(module, Arc::clone(&chosen.model), mode));
        Ok(OpenModel { model, context_tokens: chosen.context_tokens })
    }

    fn list(&self) -> Vec<ModelRow> {
        Vec::new()
    }

    fn edition(&self, name: Option<&str>) -> u64 {
        self.find(name).map_or(0, |(module, _)| Arc::as_ptr(&module).addr() as u64)
    }

    fn tools(&self, name: Option<&str>) -> Option<Vec<String>> {
        let (module, _) = self.find(name)?;
        if module.tool_enabled { module.tools.clone() } else { Some(Vec::new()) }
    }
}

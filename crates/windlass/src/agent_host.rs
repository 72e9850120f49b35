//! The host behind an agent: one for all its sessions and clones, the same that stands behind the binary and the
//! server. Owns what becomes of the host when nobody holds the agent any more.

use std::path::PathBuf;
use std::sync::Arc;
#[cfg(feature = "otel")]
use std::sync::{Mutex, PoisonError};

use windlass_core::permission::{ApproveMode, PolicyPort};
use windlass_core::ports::ModelPort;
use windlass_core::ports::host::{HostError, ModelRow, ServedPort};
use windlass_core::ports::store::StorePort;
use windlass_core::profile::{Dialect, Profile, ProfileName};
use windlass_core::protocol::model::Sampling;
use windlass_engine::clock::Clock;
use windlass_engine::executor::Executors;
use windlass_engine::host::{Host, HostLimits, HostParts, ModelsPort, OpenModel};
use windlass_engine::registry::Registry;
#[cfg(feature = "otel")]
use windlass_otlp::{OtelConfig, SpanExport};

use crate::error::WindlassError;
use crate::toolkit::builtin::AgentIndex;
use crate::worker;

/// What a host is made of, as the builder has it.
pub(crate) struct AgentParts {
    pub(crate) model: Arc<dyn ModelPort>,
    pub(crate) context_tokens: Option<u64>,
    /// Made to fit the model, with the system text as its instruction.
    pub(crate) profile: Profile,
    pub(crate) registry: Registry,
    pub(crate) root: PathBuf,
    pub(crate) policies: Arc<dyn PolicyPort>,
    pub(crate) approve: ApproveMode,
    pub(crate) store: Arc<dyn StorePort>,
    pub(crate) clock: Clock,
    #[cfg(feature = "otel")]
    pub(crate) telemetry: Option<OtelConfig>,
    pub(crate) index: AgentIndex,
}

/// The host of an agent and what is known beside it.
pub(crate) struct AgentHost {
    pub(crate) host: Arc<Host>,
    pub(crate) registry: Registry,
    pub(crate) executors: Executors,
    pub(crate) root: PathBuf,
    /// Until the agent is closed.
    #[cfg(feature = "otel")]
    export: Mutex<Option<SpanExport>>,
    pub(crate) index: AgentIndex,
    /// Characters of background that the profile shows a model.
    #[cfg(feature = "search")]
    pub(crate) context_chars_max: usize,
}

impl AgentHost {
    pub(crate) fn open(parts: AgentParts) -> Result<Arc<Self>, WindlassError> {
        let clock = parts.clock;
        let (registry, root, profile) = (parts.registry.clone(), parts.root.clone(), parts.profile);
        let executors = Executors::new(registry.clone(), clock.clone());
        let models = AgentModels {
            model: parts.model,
            context_tokens: parts.context_tokens,
            dialect: profile.dialect,
        };
        #[cfg(feature = "search")]
        let context_chars_max = profile.limits.context_chars_max;
        let host_parts = HostParts {
            store: parts.store,
            models: Arc::new(models),
            profiles: Arc::new(move |word| profile_named(&profile, word)),
            registry: parts.registry,
            search: parts.index.port(),
            root: parts.root,
            policies: parts.policies,
            approve: parts.approve,
            audit: None,
            sampling: Sampling::default(),
            clock,
            limits: HostLimits::default(),
        };
        let _inside = worker::handle()?.enter();
        let host = Host::new(host_parts);
        parts.index.begin()?;
        Ok(Arc::new(Self {
            #[cfg(feature = "otel")]
            export: Mutex::new(export_of(&host, parts.telemetry)?),
            host,
            registry,
            executors,
            root,
            index: parts.index,
            #[cfg(feature = "search")]
            context_chars_max,
        }))
    }

    /// Brings runs to a point at which they can be taken up again, and sends the spans that are left.
    pub(crate) fn close(&self) -> impl Future<Output = Result<(), HostError>> + Send + 'static {
        let host = Arc::clone(&self.host);
        #[cfg(feature = "otel")]
        let export = self.export.lock().unwrap_or_else(PoisonError::into_inner).take();
        async move {
            let closed = host.close().await;
            #[cfg(feature = "otel")]
            if let Some(export) = export {
                export.finish().await;
            }
            closed
        }
    }
}

impl Drop for AgentHost {
    /// Nobody can ask for anything any more. Runs that go on stop where they can be taken up again, and nothing is
    /// left over of the host.
    fn drop(&mut self) {
        // At once: tools of runs that are brought to their end still hold it.
        self.index.stop();
        if let Ok(runtime) = worker::handle() {
            runtime.spawn(self.close());
        }
    }
}

#[cfg(feature = "otel")]
fn export_of(host: &Arc<Host>, wished: Option<OtelConfig>) -> Result<Option<SpanExport>, WindlassError> {
    let served = Arc::clone(host) as Arc<dyn ServedPort>;
    Ok(wished.map(|config| SpanExport::start(config, &served)).transpose()?)
}

/// The profile of the agent, or another one by its word.
fn profile_named(own: &Profile, word: Option<&str>) -> Result<Profile, HostError> {
    match word {
        None => Ok(own.clone()),
        Some(word) if word == own.name.word() => Ok(own.clone()),
        Some(word) => word
            .parse()
            .map(|name: ProfileName| Profile::named(name))
            .map_err(|_| HostError::Missing { what: "profile", id: word.to_owned() }),
    }
}

/// The one model of an agent.
struct AgentModels {
    model: Arc<dyn ModelPort>,
    context_tokens: Option<u64>,
    /// In which model and agent understand each other.
    dialect: Dialect,
}

impl ModelsPort for AgentModels {
    fn open(&self, name: Option<&str>, profile: &mut Profile) -> Result<OpenModel, HostError> {
        if let Some(other) = name.filter(|name| *name != self.model.name()) {
            return Err(HostError::Missing { what: "model", id: other.to_owned() });
        }
        profile.dialect = self.dialect;
        Ok(OpenModel { model: Arc::clone(&self.model), context_tokens: self.context_tokens })
    }

    fn list(&self) -> Vec<ModelRow> {
        let name = self.model.name();
        vec![ModelRow {
            name: name.to_owned(),
            provider: name.split_once('/').map_or("", |(provider, _)| provider).to_owned(),
            is_default: true,
            is_ready: true,
            context_tokens: self.context_tokens,
            ..ModelRow::default()
        }]
    }
}

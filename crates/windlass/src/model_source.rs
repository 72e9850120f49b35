//! Where a model is and how it is reached: a name of the catalogue, a key, an address.

use std::sync::Arc;

use windlass_core::ports::{BoxStream, ModelPort};
use windlass_core::profile::{Dialect, Profile};
use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelRequest, Sampling, ToolChoice};
use windlass_core::protocol::step::WrittenRequest;
use windlass_models::catalog::{self, Overrides};
use windlass_models::quirks::CallDialect;
use windlass_models::tags::TagModel;
use windlass_models::{ModelName, ModelTarget, Transport, TransportConfig, WireKind, WireModel};

use crate::error::WindlassError;

/// A model and everything that can be said about its endpoint. The library reads no environment and no
/// files: what is needed comes from the program.
///
/// ```
/// use windlass::ModelSource;
///
/// # fn main() -> Result<(), windlass::WindlassError> {
/// let local = ModelSource::new("ollama/qwen3")?;
/// let hosted = ModelSource::new("anthropic/claude-sonnet-5-5")?.key("sk-…");
/// let own = ModelSource::new("basement/llama-3.3-70b")?.base_url("http://10.0.0.7:8000/v1");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ModelSource {
    name: ModelName,
    overrides: Overrides,
    transport: TransportConfig,
}

impl ModelSource {
    /// A model by name: `PROVIDER/MODEL`.
    pub fn new(name: &str) -> Result<Self, WindlassError> {
        let name = ModelName::parse(name).map_err(|_| WindlassError::UnknownModel(name.to_owned()))?;
        Ok(Self { name, overrides: Overrides::default(), transport: TransportConfig::default() })
    }

    /// Sets the key.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.overrides.key = Some(key.into().into());
        self
    }

    /// Sets the address; a provider that the catalogue does not know becomes an OpenAI-compatible server.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.overrides.base_url = Some(url.into());
        self
    }

    /// Sets the protocol.
    pub fn wire(mut self, wire: WireKind) -> Self {
        self.overrides.wire = Some(wire);
        self
    }

    /// Changes whatever else is known of the endpoint: quirks, headers, abilities.
    pub fn change(mut self, change: impl FnOnce(&mut Overrides)) -> Self {
        change(&mut self.overrides);
        self
    }

    /// Sets how requests travel: time limits, certificates, proxy.
    pub fn transport(mut self, config: TransportConfig) -> Self {
        self.transport = config;
        self
    }

    /// The model as a port, to stand something before it or to ask it yourself; nothing is sent yet. To build an agent,
    /// give the source to [`Builder::model_source`](crate::Builder::model_source).
    pub fn open(self) -> Result<Arc<dyn ModelPort>, WindlassError> {
        let mut profile = Profile::default();
        let model = self.connect()?.port(&mut profile, false)?;
        match profile.dialect {
            Dialect::Native => Ok(model),
            dialect @ (Dialect::Text | Dialect::Field) => Ok(Arc::new(SpokenTo { model, dialect })),
        }
    }

    pub(crate) fn connect(self) -> Result<Connected, WindlassError> {
        let target = catalog::target(&self.name, &self.overrides)?;
        Ok(Connected { target, transport: Arc::new(Transport::new(self.transport)) })
    }
}

/// A model that can be asked; nothing was sent yet.
pub(crate) struct Connected {
    target: ModelTarget,
    transport: Arc<Transport>,
}

impl Connected {
    pub(crate) fn context_tokens(&self) -> Option<u64> {
        self.target.context_tokens()
    }

    /// The port, in the dialect in which model and profile understand each other.
    pub(crate) fn port(
        self,
        profile: &mut Profile,
        has_tools: bool,
    ) -> Result<Arc<dyn ModelPort>, WindlassError> {
        let calls = match profile.dialect {
            Dialect::Native => self.target.quirks.calls,
            // The profile writes calls as text itself, which every model can read.
            Dialect::Text | Dialect::Field => CallDialect::Text,
        };
        let name = self.target.name.clone();
        let model = WireModel::new(self.target, self.transport);
        match calls {
            CallDialect::None if has_tools => Err(WindlassError::NoToolSupport(name)),
            CallDialect::Tags => Ok(Arc::new(TagModel::new(model))),
            CallDialect::Text if profile.dialect == Dialect::Native => {
                profile.dialect = Dialect::Text;
                Ok(Arc::new(model))
            }
            CallDialect::Native | CallDialect::Text | CallDialect::None => Ok(Arc::new(model)),
        }
    }
}

/// A model that says itself how it wants to be spoken to.
struct SpokenTo {
    model: Arc<dyn ModelPort>,
    dialect: Dialect,
}

impl ModelPort for SpokenTo {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn stream(&self, request: ModelRequest) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        self.model.stream(request)
    }

    fn written(&self, request: &ModelRequest) -> Option<WrittenRequest> {
        self.model.written(request)
    }

    fn refusal(&self, choice: &ToolChoice, sampling: &Sampling) -> Option<(&'static str, String)> {
        self.model.refusal(choice, sampling)
    }

    fn dialect(&self) -> Option<Dialect> {
        Some(self.dialect)
    }
}

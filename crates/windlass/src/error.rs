//! Why an agent could not be built or did not answer.

use windlass_core::permission::RuleError;
use windlass_core::ports::host::HostError;
use windlass_core::ports::store::StoreFailure;
use windlass_core::protocol::event::StopReason;
use windlass_core::protocol::trace::RunTrace;
use windlass_core::run::RunError;
use windlass_engine::executor::OfferError;
use windlass_engine::registry::RegisterError;
use windlass_engine::session::SendError;
use windlass_engine::validate::SchemaError;

use crate::toolkit::MissingState;

/// Why an agent could not be built or did not answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WindlassError {
    /// No model was chosen.
    #[error("no model was chosen; call model(\"provider/name\") or model_port(…) on the builder")]
    NoModel,
    /// There is no such model.
    #[error(
        "unknown model '{0}'; write PROVIDER/MODEL, 'scripted/FILE', or give any ModelPort by model_port(…)"
    )]
    UnknownModel(String),
    /// The catalogue cannot make a target of the name.
    #[cfg(feature = "models")]
    #[error(transparent)]
    Model(#[from] windlass_models::catalog::CatalogError),
    /// The model calls no tools, and there are some.
    #[cfg(feature = "models")]
    #[error("the model '{0}' calls no tools; leave them out, or set the quirk calls to \"tags\"")]
    NoToolSupport(String),
    /// A file of weights could not be opened.
    #[cfg(feature = "local")]
    #[error("the model file {path} cannot be used: {reason}")]
    ModelFile {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: windlass_local::LocalError,
    },
    /// A script could not be read.
    #[error("the script {path} cannot be played: {reason}")]
    Script {
        /// Its file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A tool could not be registered.
    #[error(transparent)]
    Tool(#[from] RegisterError),
    /// A tool wants a state that the builder was not given.
    #[error(transparent)]
    State(#[from] MissingState),
    /// A rule cannot be understood.
    #[error("the rule '{rule}' cannot be understood: {source}")]
    Rule {
        /// The rule.
        rule: String,
        /// What is wrong with it.
        source: RuleError,
    },
    /// An executor was not let in.
    #[error(transparent)]
    Executor(#[from] OfferError),
    /// The schema of a type cannot be used as the form of an answer.
    #[error("answers of the type {name} cannot be checked: {reason}")]
    Schema {
        /// The type.
        name: String,
        /// What is wrong with its schema.
        reason: SchemaError,
    },
    /// The answer is not what it must be, also not after it was asked for once more.
    #[error(transparent)]
    Answer(Box<WrongAnswer>),
    /// The run failed.
    #[error(transparent)]
    Run(Box<RunError>),
    /// The session did not take the message.
    #[error(transparent)]
    Send(#[from] SendError),
    /// The host did not do what it was asked: a run goes on, the session is in use elsewhere, there is no such thing, …
    #[error(transparent)]
    Host(#[from] HostError),
    /// A run that was taken up again failed, as its record says, and the record does not hold the whole error.
    #[error("{message}")]
    Failed {
        /// Why it stopped.
        reason: StopReason,
        /// What happened.
        message: String,
    },
    /// The index did not answer: there is none, the query is wrong, it cannot answer this kind, or something broke.
    #[error(transparent)]
    Search(#[from] windlass_core::ports::search::SearchFailure),
    /// The store cannot be used.
    #[error("sessions cannot be kept: {0}")]
    Store(#[from] StoreFailure),
    /// Spans cannot be sent to the collector that was named.
    #[cfg(feature = "otel")]
    #[error(transparent)]
    Telemetry(#[from] windlass_otlp::CollectorAddressError),
    /// The library's own runtime could not be started.
    #[error("the runtime failed: {0}")]
    Runtime(String),
}

/// An answer that is not what it must be: no value was taken from it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the answer is not what it must be: {problem}")]
pub struct WrongAnswer {
    /// The last answer, as the model wrote it.
    pub text: String,
    /// What is wrong with it, and where.
    pub problem: String,
    /// Every call, thought and warning of the run.
    pub trace: RunTrace,
}

impl From<WrongAnswer> for WindlassError {
    fn from(wrong: WrongAnswer) -> Self {
        Self::Answer(Box::new(wrong))
    }
}

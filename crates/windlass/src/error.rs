//! Why an agent could not be built or did not answer.

use windlass_core::run::RunError;
use windlass_engine::executor::OfferError;
use windlass_engine::registry::RegisterError;
use windlass_engine::session::SendError;

/// Why an agent could not be built or did not answer.
#[derive(Debug, thiserror::Error)]
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
    /// An executor was not let in.
    #[error(transparent)]
    Executor(#[from] OfferError),
    /// The run failed.
    #[error(transparent)]
    Run(Box<RunError>),
    /// The session did not take the message.
    #[error(transparent)]
    Send(#[from] SendError),
    /// The library's own runtime could not be started.
    #[error("the runtime failed: {0}")]
    Runtime(String),
}

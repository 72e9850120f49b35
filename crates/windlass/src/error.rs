//! Why an agent could not be built or did not answer.

use windlass_core::run::RunError;
use windlass_engine::registry::RegisterError;
use windlass_engine::session::SendError;

/// Why an agent could not be built or did not answer.
#[derive(Debug, thiserror::Error)]
pub enum WindlassError {
    /// No model was chosen.
    #[error("no model was chosen; call model(\"provider/name\") or model_port(…) on the builder")]
    NoModel,
    /// There is no such model.
    #[error("unknown model '{0}'; this build plays 'scripted/FILE', and any ModelPort by model_port(…)")]
    UnknownModel(String),
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

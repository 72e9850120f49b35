//! Why a model cannot be read or run: one error for everything between a file and its first token.
//!
//! Each text says what was wrong, where, and what to do; none knows who asked.

use std::path::PathBuf;

/// Why a model cannot be read or run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LocalError {
    #[error("there is no model at '{}': give the path of a .gguf file, or of a folder with config.json and .safetensors files", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// Something is there that is no model.
    #[error("'{}' is not a model: {message}", path.display())]
    NotAModel {
        /// What was looked at.
        path: PathBuf,
        message: String,
    },
    /// The system refused to read it.
    #[error("'{}' cannot be read: {message}", path.display())]
    Unreadable {
        path: PathBuf,
        /// What the system said.
        message: String,
    },
    /// The file ends before its weights do.
    #[error("'{}' is cut short: it has {found_bytes} bytes and needs {needed_bytes}; download it again", path.display())]
    Truncated {
        path: PathBuf,
        found_bytes: u64,
        /// What its header promises.
        needed_bytes: u64,
    },
    /// The file contradicts itself.
    #[error("'{}' is damaged: {message}; download it again", path.display())]
    Damaged {
        path: PathBuf,
        /// What is wrong in it.
        message: String,
    },
    /// A kind of model that is not run here.
    #[error("'{}' is a '{found}' model, which is not run in the process; these are: qwen2, qwen3, llama, mistral (and SmolLM, which is llama)", path.display())]
    Architecture {
        path: PathBuf,
        /// What it says it is.
        found: String,
    },
    /// It would not fit.
    #[error(
        "'{}' needs about {} MB of memory ({} MB weights, {} MB for a context of {context_tokens} tokens) and {} MB may be used: take a smaller quantisation, or a smaller context",
        path.display(), needed_bytes / 1_000_000, weights_bytes / 1_000_000, context_bytes / 1_000_000, allowed_bytes / 1_000_000
    )]
    TooLarge {
        path: PathBuf,
        needed_bytes: u64,
        weights_bytes: u64,
        context_bytes: u64,
        /// The context it was counted for.
        context_tokens: usize,
        /// What may be used.
        allowed_bytes: u64,
    },
    /// Its tokens cannot be understood.
    #[error("the tokenizer of '{}' cannot be used: {message}", path.display())]
    Tokenizer { path: PathBuf, message: String },
    /// Its chat template cannot be rendered.
    #[error("the chat template of the model cannot be used: {0}")]
    Template(String),
    /// The computation itself failed.
    #[error("the model could not be run: {0}")]
    Compute(String),
    /// The model's thread is gone.
    #[error("the model stopped after a fault; start the program again")]
    Stopped,
}

impl From<candle_core::Error> for LocalError {
    fn from(error: candle_core::Error) -> Self {
        // The first line says what happened; a backtrace helps nobody who runs a model.
        LocalError::Compute(error.to_string().lines().next().unwrap_or_default().to_owned())
    }
}

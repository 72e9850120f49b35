//! Models in the process: files of weights are read, run on this machine, and held to the grammar of the tools.
//!
//! Owns inference, tokens, chat templates, grammars and the built-in model. Knows no session, no tool and no
//! configuration: a request comes in, deltas go out.

mod builtin;
mod calls;
mod decoder;
mod device;
pub mod embed;
mod error;
mod file;
pub mod grammar;
mod held;
mod kernel;
mod port;
mod prefix;
mod sample;
mod scorer;
mod session;
mod template;
mod threads;
#[cfg(test)]
mod tiny;
mod tokens;
mod worker;

pub use self::builtin::{BUILTIN, BuiltinModel};
pub use self::error::LocalError;
pub use self::file::{FileDescription, Format, MemoryEstimate, ModelFamily, describe};
pub use self::held::grammars;
pub use self::port::{CONTEXT_TOKENS, GrammarMaker, LocalConfig, LocalModel, RawPrompt};
pub use self::scorer::Scorer;
pub use self::threads::{THREADS_MAX, Threads, limit_threads};
pub use self::tokens::ModelTokens;

//! Models in the process: files of weights are read, run on this machine, and held to the grammar of the tools.
//!
//! Owns inference, tokens, chat templates, grammars and the built-in model. Knows no session, no tool and no
//! configuration: a request comes in, deltas go out.
//!
//! - `builtin`: small, trained from scratch, inside the binary
//! - `calls`: splits what a model writes into text, thinking and calls, while it writes
//! - `decoder`: one decoder for the Llama-like families; their differences are in `shape`
//! - `device`: where arithmetic is done
//! - `embed`: sentences as vectors by a BERT-class encoder in the process: weights from a folder, nothing fetched
//! - `error`: why a model cannot be read or run: one error for everything between a file and its first token
//! - `file`: what is in them, what they need, and their tensors one by one
//! - `grammar`: what a model may write: the port between decoding and grammars
//! - `held`: ties a model's tokens to grammars: what decoding and grammars know of each other
//! - `kernel`: arithmetic where candle's own is slow or rough
//! - `port`: a model file as a model: requests in, deltas out
//! - `prefix`: caches that are kept after an answer, so that the next step of a run reads only what is new
//! - `sample`: chooses the next token from scores: the best, or by chance among the likely ones
//! - `scorer`: a model that only scores: tokens in, the scores of the next one out, with no answer around it
//! - `session`: one answer in the making: what was read, what was written, and what may follow
//! - `template`: the model's own chat template: a request in, the pieces of a prompt out
//! - `threads`: how many threads models in the process compute with
//! - `tokens`: from text to numbers and back
//! - `worker`: the thread that owns a model and serves several sessions

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

//! The ports: traits by which the outside plugs in. Each is small enough to implement in an afternoon; nothing here is
//! implemented in this crate, but that a shared tool is a tool.
//!
//! - `tool`: what can be run, and what a running call may use; `tool_source`: where tools come from that change
//! - `model`: a request in, a stream of deltas out
//! - `journal`: where records are kept, in order
//! - `store`: a journal with rows of sessions and runs that can be listed
//! - `secrets`: what tools use and nobody sees
//! - `search`: what is looked for and found, and the index behind it
//! - `host`: what a front end sees of a running Windlass, in this process or behind a server

use std::future::Future;
use std::pin::Pin;

use futures_core::Stream;

pub mod host;
mod journal;
mod model;
pub mod search;
mod secrets;
pub mod store;
mod tool;
mod tool_source;

pub use journal::{JournalFailure, JournalPort};
pub use model::{AnswerForm, ModelPort};
pub use secrets::{LendRefusal, SecretsPort};
pub use tool::{
    ArgsValidator, CallsPort, CancelFlag, LiveState, Probed, ProgressPort, ResultsPort, TasksPort,
    ToolContext, ToolPort, Violation, WaitingTime,
};
pub use tool_source::{SourceListener, SourceWatch, SourcedTools, ToolSource};

/// A future that can be sent between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
/// A stream that can be sent between threads.
pub type BoxStream<'a, T> = Pin<Box<dyn Stream<Item = T> + Send + 'a>>;

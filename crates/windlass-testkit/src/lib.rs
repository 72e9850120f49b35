//! Conformance suites for the ports of Windlass, what a test needs to run a tool, a scripted provider, and
//! journals in other words.
//!
//! For tests only. Every journal, every store and every tool passes its suite with one line in its own tests; a
//! suite returns the first breach of the contract instead of panicking, so `.unwrap()` shows it.
//!
//! - `breach`: a broken promise of a port
//! - `collector`: a collector of OpenTelemetry on loopback
//! - `context`: a context for running a tool in a test: everything in memory, nothing connected
//! - `journal`: what every journal promises
//! - `provider`: a provider on loopback that plays a part
//! - `reword`: records in other words: whoever reads a journal may not hang on how anything in it is worded
//! - `sample`: records to fill a journal or a bus with: one of every durable kind, with awkward content
//! - `store`: what every store promises, beside being a journal: sessions, runs, forks, claims, snapshots
//! - `tool`: what every tool promises by its spec

mod breach;
pub mod collector;
mod context;
mod journal;
pub mod provider;
mod reword;
mod sample;
mod store;
mod tool;

pub use breach::Breach;
pub use context::NullContext;
pub use journal::journal_conformance;
pub use reword::{other_words, reworded};
pub use sample::{record, sample_events};
pub use store::store_conformance;
pub use tool::tool_conformance;

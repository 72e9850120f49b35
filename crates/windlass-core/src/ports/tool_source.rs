//! The port of places that tools come from and may change while runs go on: a folder of scripts, a server, a program.
//! Knows no registry: whoever has one asks the source and is told of changes.

use std::sync::Arc;

use super::ToolPort;

/// What a source has at one moment.
#[derive(Default)]
pub struct SourcedTools {
    /// Its tools. One that did not change is the same `Arc` as before.
    pub tools: Vec<Arc<dyn ToolPort>>,
    /// What is wrong with those that are none, each a sentence for people.
    pub warnings: Vec<String>,
}

/// Hears what a source has after each change.
pub type SourceListener = Box<dyn Fn(SourcedTools) + Send>;

/// Keeps a source watched until it is dropped.
pub type SourceWatch = Box<dyn Send + Sync>;

/// Somewhere that tools come from.
pub trait ToolSource: Send + Sync {
    /// One of its tools, for people: `your Rhai tool`.
    fn describe(&self) -> &str;

    /// Looks at what there is now. May take a while; never fails as a whole: what is wrong is among the warnings.
    fn open(&self) -> SourcedTools;

    /// Tells of changes from now on, on a thread of the source's own; why it cannot, for people.
    fn watch(&self, listener: SourceListener) -> Result<SourceWatch, String>;
}

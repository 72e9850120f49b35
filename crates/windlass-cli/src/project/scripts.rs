//! Rhai tools of the project and of the user, as sources of tools. The user's come first: of two scripts with one name,
//! the user's counts.

use std::sync::Arc;

use windlass_core::ports::ToolSource;
use windlass_modules::script::{ScriptGrants, ScriptLibrary, ScriptLimits, ScriptToolSource};

use crate::config::{CliConfig, project_tools};

/// The folders of scripts that a configuration names.
pub(crate) fn sources(config: &CliConfig) -> Vec<Arc<dyn ToolSource>> {
    let project = match config.settings.text("scripts.folder") {
        Some(folder) => config.root.join(folder),
        None => project_tools(&config.root),
    };
    let grants = ScriptGrants { http_hosts: config.settings.items("scripts.http").to_vec() };
    [("your", config.folders.tools()), ("the project's", project)]
        .into_iter()
        .map(|(owner, folder)| {
            let library = ScriptLibrary::new(folder, ScriptLimits::default(), grants.clone());
            Arc::new(ScriptToolSource::new(library, owner)) as Arc<dyn ToolSource>
        })
        .collect()
}

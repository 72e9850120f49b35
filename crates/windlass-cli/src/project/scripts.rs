//! Rhai tools of the project and of the user, as sources of tools. The user's come first: of two scripts with one name,
//! the user's counts. The project's are there only if its folder is trusted, and as it was when it was looked at: they
//! are read once, so that no later change gets in.

use std::path::PathBuf;
use std::sync::Arc;

use windlass_core::ports::{SourceListener, SourceWatch, SourcedTools, ToolSource};
use windlass_modules::script::{ScriptGrants, ScriptLibrary, ScriptLimits, ScriptToolSource};

use crate::config::CliConfig;
use crate::trust::FolderTrust;

/// The folders of scripts that a configuration names.
pub(crate) fn sources(config: &CliConfig) -> Vec<Arc<dyn ToolSource>> {
    let grants = ScriptGrants { http_hosts: config.settings.items("scripts.http").to_vec() };
    let source = |folder: PathBuf, owner: &str| {
        ScriptToolSource::new(ScriptLibrary::new(folder, ScriptLimits::default(), grants.clone()), owner)
    };
    let mut sources: Vec<Arc<dyn ToolSource>> = vec![Arc::new(source(config.folders.tools(), "your"))];
    if config.trust.is_trusted() {
        let folder = config.trust.root.join(&config.trust.tools);
        let (source, trust) = (source(folder, "the project's"), config.trust.clone());
        sources.push(Arc::new(TrustedScripts { source, trust }));
    }
    sources
}

/// Scripts of a trusted folder.
struct TrustedScripts {
    source: ScriptToolSource,
    trust: FolderTrust,
}

impl ToolSource for TrustedScripts {
    fn describe(&self) -> &str {
        self.source.describe()
    }

    fn open(&self) -> SourcedTools {
        let opened = self.source.open();
        // After they were read: what came in between was not trusted.
        if self.trust.is_unchanged() {
            return opened;
        }
        let warning = "the project's Rhai tools changed while they were read, and are left out".to_owned();
        SourcedTools { tools: Vec::new(), warnings: vec![warning] }
    }

    /// Nothing is taken in later: other contents need trust, and a new start.
    fn watch(&self, _listener: SourceListener) -> Result<SourceWatch, String> {
        Ok(Box::new(()))
    }
}

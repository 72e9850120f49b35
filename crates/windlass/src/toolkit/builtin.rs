//! The tools of Windlass itself that an agent has, and the index that they ask. What there is of both depends on the
//! features; the rest of the library need not know which are on.

use std::path::Path;
use std::sync::Arc;

use windlass_core::ports::ToolPort;
use windlass_core::ports::search::SharedSearch;

use crate::error::WindlassError;

/// What the builder was told of built-in tools and of searching.
#[derive(Default)]
pub(crate) struct BuiltinTools {
    /// What all of them need, if they were added.
    #[cfg(feature = "tools")]
    pub(crate) config: Option<windlass_tools::ToolsConfig>,
    /// Who lends secrets to them, unless their configuration says it.
    #[cfg(feature = "tools")]
    pub(crate) secrets: Option<Arc<dyn windlass_core::ports::SecretsPort>>,
    #[cfg(feature = "search")]
    pub(crate) search: Option<crate::search::SearchConfig>,
}

/// The index of an agent, if it has one.
#[derive(Clone, Default)]
pub(crate) struct AgentIndex {
    #[cfg(feature = "search")]
    pub(crate) opened: Option<Arc<windlass_search::ProjectIndex>>,
}

impl BuiltinTools {
    /// The index of an agent with this root; it begins when the agent does.
    #[cfg_attr(
        not(feature = "search"),
        expect(clippy::unused_self, unused_variables, reason = "nothing to open")
    )]
    pub(crate) fn open_index(&self, root: &Path) -> Result<AgentIndex, WindlassError> {
        #[cfg(feature = "search")]
        let index = AgentIndex { opened: self.search.as_ref().map(|config| config.open(root)).transpose()? };
        #[cfg(not(feature = "search"))]
        let index = AgentIndex::default();
        Ok(index)
    }

    /// All of them over this index, if they were added; otherwise those that search it, if there is one.
    #[cfg(feature = "tools")]
    pub(crate) fn ports(self, index: &AgentIndex) -> Vec<Arc<dyn ToolPort>> {
        let search = index.port();
        if let Some(config) = self.config {
            let search = config.search.clone().or(search);
            let secrets = config.secrets.clone().or(self.secrets);
            return windlass_tools::builtin(&windlass_tools::ToolsConfig { search, secrets, ..config });
        }
        #[cfg(feature = "search")]
        if let (Some(search), Some(config)) = (search, self.search.filter(|config| config.has_tools())) {
            return windlass_tools::index_tools(search, config.has_files());
        }
        Vec::new()
    }

    #[cfg(not(feature = "tools"))]
    pub(crate) fn ports(self, _: &AgentIndex) -> Vec<Arc<dyn ToolPort>> {
        Vec::new()
    }
}

impl AgentIndex {
    /// As tools, sessions and the server ask it.
    pub(crate) fn port(&self) -> Option<SharedSearch> {
        #[cfg(feature = "search")]
        let port = self.opened.clone().map(|index| index as SharedSearch);
        #[cfg(not(feature = "search"))]
        let port = None;
        port
    }

    /// Begins to read the files, in the library's runtime.
    #[cfg_attr(
        not(feature = "search"),
        expect(clippy::unnecessary_wraps, reason = "there is nothing to begin")
    )]
    pub(crate) fn begin(&self) -> Result<(), WindlassError> {
        #[cfg(feature = "search")]
        if let Some(index) = &self.opened {
            let _inside = crate::worker::handle()?.enter();
            index.begin();
        }
        Ok(())
    }

    /// Ends that, at once.
    pub(crate) fn stop(&self) {
        #[cfg(feature = "search")]
        self.opened.iter().for_each(|index| index.stop());
    }
}

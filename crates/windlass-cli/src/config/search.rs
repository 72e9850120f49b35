//! Who answers `web_search`: the server that is configured, else one that a key in the environment opens.

use std::collections::BTreeMap;

use windlass_core::text::secret::Secret;
use windlass_tools::{SearchBackend, SearchBackendKind};

use super::{CliConfig, Settings};

/// Which server it is.
pub(super) fn kind(settings: &Settings, keys: &BTreeMap<String, Secret>) -> Option<SearchBackendKind> {
    let has_key = |kind: &SearchBackendKind| kind.key_variable().is_some_and(|name| keys.contains_key(name));
    match settings.text("web_search.backend") {
        Some(word) => SearchBackendKind::from_word(word),
        None => SearchBackendKind::ALL.into_iter().find(has_key),
    }
}

impl CliConfig {
    /// The server, as the tool takes it.
    pub(crate) fn search_backend(&self) -> Option<SearchBackend> {
        let kind = kind(&self.settings, &self.keys)?;
        let of_environment = || self.keys.get(kind.key_variable()?).cloned();
        Some(SearchBackend {
            kind,
            base_url: self.settings.text("web_search.base_url").map(str::to_owned),
            api_key: self.settings.text("web_search.api_key").map(Secret::new).or_else(of_environment),
        })
    }
}

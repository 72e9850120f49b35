//! Which embedder the index of the project has, as `search.embedder` says.
//!
//! Nothing here is a reason not to search: what cannot be used is told, and words are found without it. Knows no index.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use tokio::runtime::{Builder, Runtime};
use windlass_core::ports::search::embed::EmbedPort;
use windlass_models::{EmbedPatience, EndpointEmbedder, ModelName};
use windlass_search::HashedEmbedder;

use crate::complaint::{CommandError, Result};
use crate::config::CliConfig;
use crate::providers::target;

const KEY: &str = "search.embedder";

/// The embedder of the configuration, if there is one. Asks for a key, but no server.
pub(crate) fn choose(config: &CliConfig) -> Result<Option<Arc<dyn EmbedPort>>> {
    let word = config.settings.text(KEY).unwrap_or("off");
    let wrong = |why: &dyn std::fmt::Display| {
        let cure = format!("{KEY} = \"off\", \"built-in\", \"folder:PATH\" or \"PROVIDER/MODEL\"");
        config.wrong(KEY, &why.to_string()).cure(cure)
    };
    if let Some(path) = word.strip_prefix("folder:") {
        let path = config.root.join(Path::new(path.trim()));
        return open_folder(&path).map(Some).map_err(|why| wrong(&why));
    }
    match word {
        "off" => Ok(None),
        "built-in" => Ok(Some(Arc::new(HashedEmbedder))),
        name => {
            let name = ModelName::parse(name).map_err(|error| wrong(&error))?;
            let at_key = |complaint: CommandError| complaint.at(config.place(KEY));
            let target = target::target(config, &name).map_err(at_key)?;
            let transport = Arc::new(target::transport(config)?);
            let embedder = EndpointEmbedder::new(target, transport, EmbedPatience::default());
            Ok(Some(Arc::new(embedder.map_err(|error| wrong(&error))?)))
        }
    }
}

#[cfg(feature = "local")]
fn open_folder(path: &Path) -> std::result::Result<Arc<dyn EmbedPort>, String> {
    let encoder = windlass_local::embed::FolderEmbedder::open(path).map_err(|error| error.to_string())?;
    Ok(Arc::new(encoder))
}

#[cfg(not(feature = "local"))]
fn open_folder(_path: &Path) -> std::result::Result<Arc<dyn EmbedPort>, String> {
    Err("this build of windlass runs no encoders itself".to_owned())
}

/// Does something inside a runtime that lives as long as the process: connections to a server of embeddings are kept
/// between two questions, and die with the runtime they were made on.
pub(crate) fn on_lasting_runtime<T>(work: impl FnOnce() -> T) -> T {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let make = || Builder::new_multi_thread().worker_threads(1).enable_all().build().ok();
    let _inside = RUNTIME.get_or_init(make).as_ref().map(Runtime::enter);
    work()
}

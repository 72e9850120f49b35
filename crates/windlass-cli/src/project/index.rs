//! The index of the project: where it is, and what makes its vectors, as the configuration says.
//!
//! When it is opened and brought up to date is `windlass_search`'s business, how it is searched too.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_core::ports::search::embed::EmbedPort;
use windlass_search::{Index, IndexConfig, IndexError, IndexPlace, PdfReading, ProjectIndex, index_folder};

use crate::config::CliConfig;
use crate::project::embedder;

/// Where the index of a root is kept.
pub(crate) fn folder_of(data: &Path, root: &Path) -> PathBuf {
    index_folder(data, Some(root))
}

/// Opens an index, or makes an empty one.
pub(crate) fn open(
    folder: &Path,
    root: &Path,
    embedder: Option<Arc<dyn EmbedPort>>,
) -> Result<Index, IndexError> {
    Index::open(folder, root, IndexConfig { embedder, pdfs: pdf_reading(), ..IndexConfig::default() })
}

/// The index of the configured root, unless search is switched off. Nothing is opened yet.
pub(crate) fn of_project(config: &CliConfig) -> Option<Arc<ProjectIndex>> {
    if !config.settings.is_on("search.enabled") {
        return None;
    }
    let place = IndexPlace::Folder(folder_of(&config.folders.data, &config.root));
    let chooser = config.clone();
    let choose = move || embedder::choose(&chooser).map_err(|complaint| complaint.what().to_owned());
    Some(ProjectIndex::new(place, Some(config.root.clone()), Arc::new(choose), pdf_reading()))
}

/// PDFs are read by this very program, in a process of its own: `main` knows the word.
fn pdf_reading() -> PdfReading {
    std::env::current_exe().map_or(PdfReading::Nobody, PdfReading::Child)
}

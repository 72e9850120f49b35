//! What is searched, where its index is kept and what makes its vectors.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_core::ports::search::SearchFailure;
use windlass_core::ports::search::embed::EmbedPort;
use windlass_search::{IndexError, IndexPlace, PdfReading, ProjectIndex, index_folder};

use crate::builder::Builder;

/// What an agent searches, and where its index is.
///
/// ```
/// use windlass::prelude::*;
/// use windlass::search::HashedEmbedder;
///
/// let config = SearchConfig::new().kept_in("data").embedder(HashedEmbedder);
/// let notes = SearchConfig::documents();
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct SearchConfig {
    has_no_files: bool,
    #[cfg(feature = "tools")]
    has_no_tools: bool,
    data: Option<PathBuf>,
    embedder: Option<Arc<dyn EmbedPort>>,
    pdfs: PdfReading,
}

impl SearchConfig {
    /// The files under the agent's root, and documents. The index is in memory and ends with the agent; nothing is
    /// written anywhere.
    pub fn new() -> Self {
        Self::default()
    }

    /// Documents alone: no file is looked at.
    pub fn documents() -> Self {
        Self { has_no_files: true, ..Self::default() }
    }

    /// Keeps the index and documents in a folder, below `index`, one index for each root: the next program goes on from
    /// there, and a large folder need not fit into memory. Several agents and programs may share it. The folder may be
    /// the binary's data folder, whose index of the same root is then this one.
    pub fn kept_in(mut self, folder: impl Into<PathBuf>) -> Self {
        self.data = Some(folder.into());
        self
    }

    /// Finds by meaning too, with vectors of this embedder: [`HashedEmbedder`](super::HashedEmbedder), an
    /// `EndpointEmbedder` of `windlass::models`, or your own. Without one, words and names are found.
    pub fn embedder(mut self, embedder: impl EmbedPort + 'static) -> Self {
        self.embedder = Some(Arc::new(embedder));
        self
    }

    /// Says who reads PDFs. Without it nobody does: those of the folder are left out and counted in `skipped`, and
    /// `add_document` refuses one. [`PdfReading::Child`] holds each to limits; its program calls
    /// [`pdf_helper`](super::pdf_helper) first.
    pub fn pdfs(mut self, reading: PdfReading) -> Self {
        self.pdfs = reading;
        self
    }

    /// Finds by meaning too, with a sentence encoder that runs in this process: a folder with `config.json`,
    /// `tokenizer.json` and `model.safetensors`. Its weights are read with the first text.
    #[cfg(feature = "local")]
    pub fn encoder_folder(self, folder: impl AsRef<Path>) -> Result<Self, crate::WindlassError> {
        let encoder = windlass_local::embed::FolderEmbedder::open(folder.as_ref());
        let encoder = encoder.map_err(|failure| SearchFailure::Unsupported(failure.to_string()))?;
        Ok(self.embedder(encoder))
    }

    /// The model gets no search tools for it; the program searches, and asks with what it found.
    #[cfg(feature = "tools")]
    pub fn without_tools(mut self) -> Self {
        self.has_no_tools = true;
        self
    }

    #[cfg(feature = "tools")]
    pub(crate) fn has_files(&self) -> bool {
        !self.has_no_files
    }

    #[cfg(feature = "tools")]
    pub(crate) fn has_tools(&self) -> bool {
        !self.has_no_tools
    }

    /// The index of an agent with this root. A folder that cannot be read is told now and not by the first search.
    pub(crate) fn open(&self, root: &Path) -> Result<Arc<ProjectIndex>, SearchFailure> {
        let readable = |root: &Path| fs::read_dir(root).and_then(|_| fs::canonicalize(root));
        let root = match self.has_no_files {
            true => None,
            false => {
                let unreadable = |source| IndexError::Root { path: root.to_owned(), source };
                Some(readable(root).map_err(unreadable)?)
            }
        };
        let place = match &self.data {
            None => IndexPlace::Memory,
            Some(data) => IndexPlace::Folder(index_folder(data, root.as_deref())),
        };
        let embedder = self.embedder.clone();
        Ok(ProjectIndex::new(place, root, Arc::new(move || Ok(embedder.clone())), self.pdfs.clone()))
    }
}

impl Builder {
    /// Searches the files under the root and documents that are added; [`SearchConfig`] says where the index is. It is
    /// made in the background as soon as the agent is built, follows changes of the files, and stops with the agent. The
    /// model gets the tools that search (`search_codebase`, `request_code_context`, `find_symbol`, `find_references`,
    /// `rag_search`), with the feature `tools`.
    pub fn search(mut self, config: SearchConfig) -> Self {
        self.builtin.search = Some(config);
        self
    }

    /// Makes a folder the project root and searches it, with an index in memory: `root(folder)` and
    /// `search(SearchConfig::new())`.
    ///
    /// ```
    /// use windlass::prelude::*;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = std::env::temp_dir().join(format!("windlass-index-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// std::fs::write(folder.join("ropes.md"), "# Ropes\n\nHemp ropes are soaked in tar.\n")?;
    /// let agent = Windlass::builder().script("user q\nmodel text a\n")?.index_folder(&folder).build()?;
    /// let found = agent.search("soaked ropes").await?;
    /// assert_eq!(found.passages[0].path, "ropes.md");
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn index_folder(self, folder: impl Into<PathBuf>) -> Self {
        self.root(folder).search(SearchConfig::new())
    }
}

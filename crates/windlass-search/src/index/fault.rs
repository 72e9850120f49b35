//! Why an index could not be opened, written or read.

use std::io;
use std::path::PathBuf;

use windlass_core::ports::search::SearchFailure;

/// Why an index did not do what it should.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The folder to be indexed cannot be read.
    #[error("cannot read the folder {} that is to be indexed: {source}", path.display())]
    Root { path: PathBuf, source: io::Error },
    /// The index's own folder cannot be used.
    #[error("cannot use the index folder {}: {source}; check its permissions and the free disk space", path.display())]
    Folder { path: PathBuf, source: io::Error },
    /// Another process is writing.
    #[error("another process is writing the index in {}; wait until it is done", path.display())]
    Busy { path: PathBuf },
    #[error(
        "the embedder did not answer: {0}; words and names are still found without it (kind lexical or structural)"
    )]
    Embedder(String),
    /// Changes of files are not told.
    #[error("files cannot be watched: {0}; changes are found by the next update")]
    Watch(String),
    /// There is no embedder to search by meaning with.
    #[error(
        "no embedder is configured, so nothing can be found by meaning: search by words or names, or configure one"
    )]
    NoEmbedder,
    /// A document cannot be taken.
    #[error("{0}")]
    Document(String),
    /// The index is damaged; the next update builds it again.
    #[error("the index is damaged ({0}); the next update builds it again")]
    Damaged(String),
    /// Whoever owns the index ended the update.
    #[error("indexing was stopped before its end")]
    Stopped,
}

impl From<tantivy::TantivyError> for IndexError {
    fn from(error: tantivy::TantivyError) -> Self {
        IndexError::Damaged(error.to_string())
    }
}

impl From<IndexError> for SearchFailure {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Document(text) => SearchFailure::Invalid(text),
            IndexError::NoEmbedder => SearchFailure::Unsupported(error.to_string()),
            IndexError::Root { .. }
            | IndexError::Folder { .. }
            | IndexError::Busy { .. }
            | IndexError::Embedder(_)
            | IndexError::Watch(_)
            | IndexError::Stopped
            | IndexError::Damaged(_) => SearchFailure::Broken(error.to_string()),
        }
    }
}

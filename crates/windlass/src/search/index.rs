//! The index of an agent, asked by the program itself: what is in it, how far it is, what it finds.

use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};
use windlass_core::ports::BoxStream;
use windlass_core::ports::search::{
    Found, IndexProgress, IndexStatus, SearchFailure, SearchPort as _, SearchQuery,
};
use windlass_search::ProjectIndex;

use crate::agent::Windlass;
use crate::agent_host::AgentHost;
use crate::error::WindlassError;
use crate::worker;

impl AgentHost {
    pub(super) fn searched(&self) -> Result<Arc<ProjectIndex>, SearchFailure> {
        self.index.opened.clone().ok_or_else(|| {
            let text = "the agent has nothing to search: call index_folder(…) or search(…) on its builder";
            SearchFailure::Missing(text.to_owned())
        })
    }
}

impl Windlass {
    fn index(&self) -> Result<Arc<ProjectIndex>, SearchFailure> {
        self.agent.searched()
    }

    /// The best passages for some words, a question or a name: files and documents, of all sessions too. A
    /// [`SearchQuery`] says more: how many, where, in which way. No model is asked.
    ///
    /// Changed files are looked for first. While the index is made, what is there already is searched, and
    /// `indexing` says how far it is; [`index_ready`](Self::index_ready) waits for all of it. An index that broke is an
    /// error, never "nothing found".
    pub async fn search(&self, query: impl Into<SearchQuery>) -> Result<Found, WindlassError> {
        let (index, query) = (self.index()?, query.into());
        worker::inside(async move { Ok(index.search(query).await?) }).await
    }

    /// Waits until the index is complete and has every change that was saved before this call; says what it holds then.
    /// Files that cannot be read are no error, but counted in `skipped`.
    pub async fn index_ready(&self) -> Result<IndexStatus, WindlassError> {
        let index = self.index()?;
        worker::inside(async move { Ok(index.complete().await?) }).await
    }

    /// What the index holds now, and how far it is if it is not complete.
    pub async fn index_status(&self) -> Result<IndexStatus, WindlassError> {
        let index = self.index()?;
        worker::inside(async move { Ok(index.status().await?) }).await
    }

    /// How far indexing is, each time that this changes, until the end of the update that goes on or begins now; its last
    /// piece may be an error. Figures that nobody reads in time are replaced by newer ones. Dropping the stream stops
    /// nothing.
    pub fn index_progress(&self) -> BoxStream<'static, Result<IndexProgress, WindlassError>> {
        let index = self.index();
        let begun = stream::once(async move { index?.follow_update().await });
        let pieces = begun.map_ok(|update| {
            stream::unfold(update, |mut update| async move { Some((update.next().await?, update)) })
        });
        worker::inside_stream(pieces.try_flatten().map(|piece| piece.map_err(WindlassError::from)))
    }
}

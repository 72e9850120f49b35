//! The index of a server, asked by a client: passages, documents for all sessions, what it holds.

use std::sync::Arc;

use windlass_core::ports::search::{DocumentRow, Found, IndexStatus, NewDocument, SearchQuery};

use crate::client::Client;
use crate::error::WindlassError;
use crate::search::session_index::SessionIndex;
use crate::worker;

/// The index of the server; [`WindlassError::Host`] with `Missing` where it has none.
impl Client {
    fn index(&self) -> SessionIndex {
        SessionIndex::Served(Arc::clone(&self.host.port))
    }

    /// The best passages for some words, a question or a name: files and documents, of all sessions too. How much text is
    /// given, the server decides, and not the budget of the query. No model is asked.
    pub async fn search(&self, query: impl Into<SearchQuery>) -> Result<Found, WindlassError> {
        let query = query.into();
        worker::inside(async move { self.index().search(query).await }).await
    }

    /// Adds a document for all sessions, or replaces the one of that name: Markdown, text, HTML or PDF, as the ending of
    /// its name says. It is found as soon as this returns.
    pub async fn add_document(
        &self,
        name: impl Into<String>,
        content: impl Into<Vec<u8>>,
    ) -> Result<DocumentRow, WindlassError> {
        let document = NewDocument { name: name.into(), session_id: None, bytes: content.into() };
        worker::inside(async move { self.index().add_document(document).await }).await
    }

    /// All documents, those of sessions too, by name.
    pub async fn documents(&self) -> Result<Vec<DocumentRow>, WindlassError> {
        worker::inside(async move { self.index().documents().await }).await
    }

    /// Removes the document of that name which is for all sessions; says whether there was one.
    pub async fn remove_document(&self, name: &str) -> Result<bool, WindlassError> {
        worker::inside(async move { self.index().remove_document(name, None).await }).await
    }

    /// What the index holds now, and how far it is if it is not complete.
    pub async fn index_status(&self) -> Result<IndexStatus, WindlassError> {
        worker::inside(async move { Ok(self.host.port.index_status().await?) }).await
    }
}

//! Documents: texts that a program adds to the index and removes by their names, for all sessions or for one.

use windlass_core::ports::search::{DocumentRow, NewDocument};

#[cfg(feature = "search")]
use crate::agent::Windlass;
use crate::error::WindlassError;
#[cfg(feature = "search")]
use crate::search::session_index::SessionIndex;
use crate::session::AgentSession;
use crate::worker;

/// Documents for all sessions.
#[cfg(feature = "search")]
impl Windlass {
    /// Adds a document for all sessions, or replaces the one of that name: Markdown, text, HTML or PDF, as the ending of
    /// its name says. It is found as soon as this returns: by [`search`](Self::search), by [`ask`](Self::ask) in every
    /// session, and by the tool `rag_search` where the model says `global`.
    ///
    /// ```
    /// use windlass::prelude::*;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let script = "user q\nmodel text a\n";
    /// let agent = Windlass::builder().script(script)?.search(SearchConfig::documents()).build()?;
    /// agent.add_document("menu.md", "# Menu\n\nSoup is four euros.").await?;
    /// assert_eq!(agent.search("soup").await?.passages[0].path, "menu.md");
    /// assert!(agent.remove_document("menu.md").await?);
    /// assert!(agent.search("soup").await?.passages.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn add_document(
        &self,
        name: impl Into<String>,
        content: impl Into<Vec<u8>>,
    ) -> Result<DocumentRow, WindlassError> {
        let index = SessionIndex::of_agent(&self.agent)?;
        let document = NewDocument { name: name.into(), session_id: None, bytes: content.into() };
        worker::inside(async move { index.add_document(document).await }).await
    }

    /// All documents, those of sessions too, by name.
    pub async fn documents(&self) -> Result<Vec<DocumentRow>, WindlassError> {
        let index = SessionIndex::of_agent(&self.agent)?;
        worker::inside(async move { index.documents().await }).await
    }

    /// Removes the document of that name which is for all sessions; says whether there was one.
    pub async fn remove_document(&self, name: &str) -> Result<bool, WindlassError> {
        let index = SessionIndex::of_agent(&self.agent)?;
        worker::inside(async move { index.remove_document(name, None).await }).await
    }
}

/// Documents for this session alone.
impl AgentSession {
    /// Adds a document for this session, or replaces the one of that name. The tool `rag_search` finds it here and in no
    /// other session, and so does [`ask`](Self::ask); it goes when the session is deleted. Behind a server it is added to
    /// the server's index.
    pub async fn add_document(
        &self,
        name: impl Into<String>,
        content: impl Into<Vec<u8>>,
    ) -> Result<DocumentRow, WindlassError> {
        let (name, bytes) = (name.into(), content.into());
        worker::inside(async move {
            let index = self.host.index()?;
            let session_id = Some(self.begun().await?);
            index.add_document(NewDocument { name, session_id, bytes }).await
        })
        .await
    }

    /// Removes the document of that name which is for this session; says whether there was one.
    pub async fn remove_document(&self, name: &str) -> Result<bool, WindlassError> {
        worker::inside(async move {
            let index = self.host.index()?;
            let session_id = self.begun().await?;
            index.remove_document(name, Some(&session_id)).await
        })
        .await
    }
}

//! Where a session's passages and documents are: in the index of its agent, or in that of the server behind which it is.
//!
//! Knows no words of the wire; a host behind a server is asked like every host.

use std::sync::Arc;

use windlass_core::ports::host::{HostError, HostPort};
#[cfg(feature = "search")]
use windlass_core::ports::search::SearchPort as _;
use windlass_core::ports::search::{DocumentRow, Found, NewDocument, SearchFailure, SearchQuery};
use windlass_core::profile::{Profile, ProfileName};
use windlass_core::protocol::ids::SessionId;
#[cfg(feature = "search")]
use windlass_core::text::cut_bytes;
use windlass_core::text::cut_chars;

use crate::agent_host::AgentHost;
use crate::error::WindlassError;
use crate::session_host::SessionHost;

/// Characters that a server takes of a query; it refuses more.
const SERVED_QUERY_CHARS_MAX: usize = 1_000;

/// An index, in this process or behind a server.
pub(super) enum SessionIndex {
    #[cfg(feature = "search")]
    Own {
        index: Arc<windlass_search::ProjectIndex>,
        context_chars_max: usize,
    },
    Served(Arc<dyn HostPort>),
}

impl SessionHost {
    pub(super) fn index(&self) -> Result<SessionIndex, SearchFailure> {
        match &self.agent {
            Some(agent) => SessionIndex::of_agent(agent),
            None => Ok(SessionIndex::Served(Arc::clone(&self.port))),
        }
    }
}

impl SessionIndex {
    #[cfg(feature = "search")]
    pub(super) fn of_agent(agent: &AgentHost) -> Result<Self, SearchFailure> {
        Ok(Self::Own { index: agent.searched()?, context_chars_max: agent.context_chars_max })
    }

    #[cfg(not(feature = "search"))]
    pub(super) fn of_agent(_agent: &AgentHost) -> Result<Self, SearchFailure> {
        let text = "an agent of this program has nothing to search without the feature `search` of windlass";
        Err(SearchFailure::Missing(text.to_owned()))
    }

    /// As much of a question as the index looks for.
    pub(super) fn query_of<'q>(&self, question: &'q str) -> &'q str {
        match self {
            #[cfg(feature = "search")]
            Self::Own { .. } => cut_bytes(question, windlass_search::QUERY_BYTES_MAX),
            Self::Served(_) => cut_chars(question, SERVED_QUERY_CHARS_MAX),
        }
    }

    /// Characters of background that a session's model is shown. Behind a server they are those of the profile that the
    /// session has there, by its name.
    pub(super) async fn context_chars_max(&self, session_id: &SessionId) -> Result<usize, WindlassError> {
        match self {
            #[cfg(feature = "search")]
            Self::Own { context_chars_max, .. } => Ok(*context_chars_max),
            Self::Served(host) => {
                let name = host.session(session_id).await?.begin.profile.parse::<ProfileName>();
                Ok(name.map(Profile::named).unwrap_or_default().limits.context_chars_max)
            }
        }
    }

    pub(super) async fn search(&self, query: SearchQuery) -> Result<Found, WindlassError> {
        match self {
            #[cfg(feature = "search")]
            Self::Own { index, .. } => Ok(index.search(query).await?),
            Self::Served(host) => Ok(host.search(query).await?),
        }
    }

    pub(super) async fn documents(&self) -> Result<Vec<DocumentRow>, WindlassError> {
        match self {
            #[cfg(feature = "search")]
            Self::Own { index, .. } => Ok(index.documents().await?),
            Self::Served(host) => Ok(host.documents().await?),
        }
    }

    pub(super) async fn add_document(&self, document: NewDocument) -> Result<DocumentRow, WindlassError> {
        match self {
            #[cfg(feature = "search")]
            Self::Own { index, .. } => Ok(index.add_document(document).await?),
            Self::Served(host) => Ok(host.add_document(document).await?),
        }
    }

    /// Removes the document of that name which is for this session, or for all; says whether there was one.
    pub(super) async fn remove_document(
        &self,
        name: &str,
        session_id: Option<&SessionId>,
    ) -> Result<bool, WindlassError> {
        let rows = self.documents().await?;
        let meant = rows.iter().find(|row| row.name == name && row.session_id.as_ref() == session_id);
        let Some(row) = meant else { return Ok(false) };
        match self {
            #[cfg(feature = "search")]
            Self::Own { index, .. } => Ok(index.remove_document(&row.document_id).await?),
            Self::Served(host) => match host.remove_document(&row.document_id).await {
                Ok(()) => Ok(true),
                // Somebody else removed it between the look and now.
                Err(HostError::Missing { .. }) => Ok(false),
                Err(error) => Err(error.into()),
            },
        }
    }
}

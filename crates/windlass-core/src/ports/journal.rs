//! The port of journals: where records of a session are kept, in order. Knows no rows and no database.

use std::sync::Arc;

use async_trait::async_trait;

use crate::permission::Rule;
use crate::protocol::event::Record;
use crate::protocol::ids::SessionId;

/// Where durable events go before anybody sees them (wall 6).
#[async_trait]
pub trait JournalPort: Send + Sync {
    /// Appends records of one session, in order; returns when they are as durable as the journal gets.
    /// Deltas come in the same order, together with the next durable record; alone, they need not be durable.
    async fn append(&self, records: &[Arc<Record>]) -> Result<(), JournalFailure>;
    /// The records of a session with `seq > after`, in order, with the deltas that were appended.
    async fn load(&self, session_id: &SessionId, after: u64) -> Result<Vec<Arc<Record>>, JournalFailure>;
    /// The first `records_max` of those: for readers that keep little.
    async fn load_page(
        &self,
        session_id: &SessionId,
        after: u64,
        records_max: usize,
    ) -> Result<Vec<Arc<Record>>, JournalFailure> {
        let mut records = self.load(session_id, after).await?;
        records.truncate(records_max);
        Ok(records)
    }
    /// The first `records_max` durable ones of those: enough to fold a view.
    async fn load_durable(
        &self,
        session_id: &SessionId,
        after: u64,
        records_max: usize,
    ) -> Result<Vec<Arc<Record>>, JournalFailure> {
        let mut records = self.load(session_id, after).await?;
        records.retain(|record| record.event.is_durable());
        records.truncate(records_max);
        Ok(records)
    }
    /// What a session is granted at this moment, oldest first; nothing from a journal that does not keep that.
    async fn grants(&self, _session_id: &SessionId) -> Result<Option<Vec<Rule>>, JournalFailure> {
        Ok(None)
    }
}

/// The journal could not do its work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the journal failed: {message}")]
pub struct JournalFailure {
    /// What happened.
    pub message: String,
}

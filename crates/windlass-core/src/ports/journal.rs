//! The port of journals: where records of a session are kept, in order. Knows no rows and no database.

use std::sync::Arc;

use super::BoxFuture;
use crate::permission::Rule;
use crate::protocol::event::Record;
use crate::protocol::ids::SessionId;

/// Where durable events go before anybody sees them (wall 6).
pub trait JournalPort: Send + Sync {
    /// Appends records of one session, in order; returns when they are as durable as the journal gets.
    /// Deltas come in the same order, together with the next durable record; alone, they need not be durable.
    fn append<'a>(&'a self, records: &'a [Arc<Record>]) -> BoxFuture<'a, Result<(), JournalFailure>>;
    /// The records of a session with `seq > after`, in order, with the deltas that were appended.
    fn load<'a>(
        &'a self,
        session_id: &'a SessionId,
        after: u64,
    ) -> BoxFuture<'a, Result<Vec<Arc<Record>>, JournalFailure>>;
    /// The first `records_max` of those: for readers that keep little.
    fn load_page<'a>(
        &'a self,
        session_id: &'a SessionId,
        after: u64,
        records_max: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Record>>, JournalFailure>> {
        Box::pin(async move {
            let mut records = self.load(session_id, after).await?;
            records.truncate(records_max);
            Ok(records)
        })
    }
    /// The first `records_max` durable ones of those: enough to fold a view.
    fn load_durable<'a>(
        &'a self,
        session_id: &'a SessionId,
        after: u64,
        records_max: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Record>>, JournalFailure>> {
        Box::pin(async move {
            let mut records = self.load(session_id, after).await?;
            records.retain(|record| record.event.is_durable());
            records.truncate(records_max);
            Ok(records)
        })
    }
    /// What a session is granted at this moment, oldest first; nothing from a journal that does not keep that.
    fn grants<'a>(
        &'a self,
        _session_id: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<Vec<Rule>>, JournalFailure>> {
        Box::pin(async { Ok(None) })
    }
}

/// The journal could not do its work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the journal failed: {message}")]
pub struct JournalFailure {
    /// What happened.
    pub message: String,
}

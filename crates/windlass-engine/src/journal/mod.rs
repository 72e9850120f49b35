//! A journal in memory: for sessions that need not outlive the process.
//!
//! It is as durable as the process is. Holds a bounded number of durable records a session and then refuses
//! more, so that a run ends with an error instead of with a hole in its history. Of deltas it forgets the
//! oldest: they are never the only copy of anything. `memory_store` has rows beside it.

pub mod memory_store;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use windlass_core::ports::{JournalFailure, JournalPort};
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::SessionId;

use crate::limits::{MEMORY_JOURNAL_DELTAS_MAX, MEMORY_JOURNAL_RECORDS_MAX};

/// The records of many sessions, in memory.
#[derive(Debug)]
pub struct MemoryJournal {
    records_max: usize,
    deltas_max: usize,
    sessions: Mutex<HashMap<SessionId, SessionRecords>>,
}

/// The records of one session.
#[derive(Debug, Default)]
struct SessionRecords {
    records: Vec<Arc<Record>>,
    deltas: usize,
}

impl SessionRecords {
    /// Forgets the older half of the deltas.
    fn shed_deltas(&mut self) {
        // Half of them at once: every shedding goes through all records.
        let mut left = self.deltas / 2;
        self.deltas -= left;
        self.records.retain(|record| {
            let goes = left > 0 && !record.event.is_durable();
            left -= usize::from(goes);
            !goes
        });
    }
}

impl MemoryJournal {
    /// An empty journal with the usual bound.
    pub fn new() -> Self {
        Self::with_records_max(MEMORY_JOURNAL_RECORDS_MAX)
    }

    /// An empty journal with a bound of one's own, for each session.
    pub fn with_records_max(records_max: usize) -> Self {
        Self { records_max, deltas_max: MEMORY_JOURNAL_DELTAS_MAX, sessions: Mutex::default() }
    }

    /// The same journal with another bound on deltas, for each session.
    pub fn holding_deltas(self, deltas_max: usize) -> Self {
        Self { deltas_max, ..self }
    }

    pub fn forget(&self, session_id: &SessionId) {
        self.lock().remove(session_id);
    }

    pub(crate) fn append_now(&self, records: &[Arc<Record>]) -> Result<(), JournalFailure> {
        let Some(first) = records.first() else { return Ok(()) };
        let mut sessions = self.lock();
        let kept = sessions.entry(first.session_id.clone()).or_default();
        let deltas = records.iter().filter(|record| !record.event.is_durable()).count();
        let durable = records.len() - deltas;
        // Deltas alone are never refused: they are shed below, and nothing depends on them.
        if durable > 0 && kept.records.len() - kept.deltas + durable > self.records_max {
            let message = format!(
                "session {} has its {} records in memory; configure a store for longer sessions",
                first.session_id, self.records_max
            );
            return Err(JournalFailure { message });
        }
        kept.records.extend(records.iter().cloned());
        kept.deltas += deltas;
        if kept.deltas > self.deltas_max {
            kept.shed_deltas();
        }
        Ok(())
    }

    pub(crate) fn load_now(
        &self,
        session_id: &SessionId,
        after: u64,
        records_max: usize,
    ) -> Vec<Arc<Record>> {
        let sessions = self.lock();
        let kept = sessions.get(session_id).map_or(&[][..], |kept| kept.records.as_slice());
        let start = kept.partition_point(|record| record.seq <= after);
        kept.iter().skip(start).take(records_max).cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, SessionRecords>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryJournal {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl JournalPort for MemoryJournal {
    async fn append(&self, records: &[Arc<Record>]) -> Result<(), JournalFailure> {
        self.append_now(records)
    }

    async fn load(&self, session_id: &SessionId, after: u64) -> Result<Vec<Arc<Record>>, JournalFailure> {
        Ok(self.load_now(session_id, after, usize::MAX))
    }

    async fn load_page(
        &self,
        session_id: &SessionId,
        after: u64,
        records_max: usize,
    ) -> Result<Vec<Arc<Record>>, JournalFailure> {
        Ok(self.load_now(session_id, after, records_max))
    }
}

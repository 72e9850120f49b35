//! A store in memory: sessions that need not outlive the process, and tests of what stands on a store.
//!
//! It is as durable as the process is, and belongs to one process: every claim is its own. Holds a bounded
//! number of records a session and of sessions, and then refuses more.

mod rows;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use windlass_core::permission::{ApproveMode, Rule};
use windlass_core::ports::store::{
    Claim, NewSession, RunQuery, RunRow, Save, SessionQuery, SessionRow, StoreFailure, StorePort,
};
use windlass_core::ports::{JournalFailure, JournalPort};
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::{Millis, RunId, SessionId};
use windlass_core::protocol::settings::SessionSettings;
use windlass_core::protocol::task::Task;

use self::rows::SessionRows;
use crate::journal::MemoryJournal;
use crate::limits::{
    MEMORY_AUDIT_LINES_MAX, MEMORY_JOURNAL_RECORDS_MAX, MEMORY_SESSIONS_MAX, MEMORY_STORE_DELTAS_MAX,
};

/// Sessions, runs and snapshots, in memory.
#[derive(Debug)]
pub struct MemoryStore {
    journal: MemoryJournal,
    shelves: Mutex<StoredRows>,
}

#[derive(Debug, Default)]
struct StoredRows {
    sessions: HashMap<SessionId, SessionRows>,
    /// Where each run is.
    runs: HashMap<RunId, SessionId>,
    keys: HashMap<String, SessionId>,
    saves: Vec<Save>,
    audit: Vec<String>,
}

impl MemoryStore {
    /// An empty store with the usual bound.
    pub fn new() -> Self {
        Self::with_records_max(MEMORY_JOURNAL_RECORDS_MAX)
    }

    /// An empty store with a bound of one's own, for each session.
    pub fn with_records_max(records_max: usize) -> Self {
        let journal = MemoryJournal::with_records_max(records_max).holding_deltas(MEMORY_STORE_DELTAS_MAX);
        Self { journal, shelves: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, StoredRows> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Journal and rows change together: whoever looks sees both or neither.
    fn append_now(&self, records: &[Arc<Record>]) -> Result<(), JournalFailure> {
        let Some(first) = records.first() else { return Ok(()) };
        let mut shelves = self.lock();
        // The journal first: it may refuse, and rows must not know more than it does.
        self.journal.append_now(records)?;
        shelves.take(&first.session_id, records);
        Ok(())
    }

    fn begin(
        &self,
        session_id: &SessionId,
        begin: NewSession,
        now: Millis,
        records: &[Arc<Record>],
    ) -> Result<SessionRow, StoreFailure> {
        let mut shelves = self.lock();
        if shelves.sessions.get(session_id).is_some_and(|kept| kept.row.is_some()) {
            return Err(StoreFailure::Exists(format!("a session '{session_id}'")));
        }
        if begin.key.as_ref().is_some_and(|key| shelves.keys.contains_key(key)) {
            return Err(StoreFailure::Exists("a session with this key".to_owned()));
        }
        if shelves.sessions.len() >= MEMORY_SESSIONS_MAX {
            let message = format!("there are {MEMORY_SESSIONS_MAX} sessions in memory; delete some first");
            return Err(StoreFailure::Broken(message));
        }
        self.journal.append_now(records).map_err(|failure| StoreFailure::Broken(failure.message))?;
        if let Some(key) = &begin.key {
            shelves.keys.insert(key.clone(), session_id.clone());
        }
        shelves.sessions.entry(session_id.clone()).or_default().begin(session_id, begin, now);
        shelves.take(session_id, records);
        let kept = shelves.sessions.get_mut(session_id).and_then(|kept| {
            kept.end_grants();
            kept.row.clone()
        });
        kept.ok_or_else(|| missing("session", session_id.as_str()))
    }

    fn forget(&self, session_id: &SessionId) -> Result<(), StoreFailure> {
        let mut shelves = self.lock();
        let kept = shelves.sessions.remove(session_id);
        let kept = kept.ok_or_else(|| missing("session", session_id.as_str()))?;
        for run in &kept.runs {
            shelves.runs.remove(&run.row.run_id);
        }
        shelves.keys.retain(|_, owner| owner != session_id);
        self.journal.forget(session_id);
        Ok(())
    }

    fn of<T>(
        &self,
        session_id: &SessionId,
        look: impl FnOnce(&mut SessionRows) -> Option<T>,
    ) -> Result<T, StoreFailure> {
        let mut shelves = self.lock();
        let found = shelves.sessions.get_mut(session_id).filter(|kept| kept.row.is_some()).and_then(look);
        found.ok_or_else(|| missing("session", session_id.as_str()))
    }

    fn list_sessions(&self, query: &SessionQuery) -> Vec<SessionRow> {
        let shelves = self.lock();
        let mut rows: Vec<SessionRow> = shelves
            .sessions
            .values()
            .filter(|kept| kept.fits(query))
            .filter_map(|kept| kept.row.clone())
            .collect();
        drop(shelves);
        // Ids decide between equal times: the next page goes on behind the last row of this one.
        rows.sort_unstable_by(|a, b| (b.updated_ms, &b.session_id).cmp(&(a.updated_ms, &a.session_id)));
        rows.truncate(query.rows_max);
        rows
    }

    fn list_runs(&self, query: &RunQuery) -> Vec<RunRow> {
        let shelves = self.lock();
        let mut rows: Vec<RunRow> = shelves
            .sessions
            .values()
            .flat_map(|kept| kept.runs.iter().map(|run| &run.row))
            .filter(|row| rows::is_wanted(row, query))
            .cloned()
            .collect();
        drop(shelves);
        rows.sort_unstable_by(|a, b| (b.started_ms, &b.run_id).cmp(&(a.started_ms, &a.run_id)));
        rows.truncate(query.rows_max);
        rows
    }
}

impl StoredRows {
    fn take(&mut self, session_id: &SessionId, records: &[Arc<Record>]) {
        let kept = self.sessions.entry(session_id.clone()).or_default();
        for record in records {
            if kept.take(record) {
                self.runs.insert(record.run_id.clone(), session_id.clone());
            }
        }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

fn missing(what: &str, id: &str) -> StoreFailure {
    StoreFailure::Missing(format!("{what} '{id}'"))
}

#[async_trait]
impl JournalPort for MemoryStore {
    async fn append(&self, records: &[Arc<Record>]) -> Result<(), JournalFailure> {
        self.append_now(records)
    }

    async fn load(&self, session_id: &SessionId, after: u64) -> Result<Vec<Arc<Record>>, JournalFailure> {
        Ok(self.journal.load_now(session_id, after, usize::MAX))
    }

    async fn load_page(
        &self,
        session_id: &SessionId,
        after: u64,
        records_max: usize,
    ) -> Result<Vec<Arc<Record>>, JournalFailure> {
        Ok(self.journal.load_now(session_id, after, records_max))
    }

    async fn grants(&self, session_id: &SessionId) -> Result<Option<Vec<Rule>>, JournalFailure> {
        let shelves = self.lock();
        let kept = shelves.sessions.get(session_id).into_iter().flat_map(|kept| &kept.grants);
        Ok(Some(kept.map(|(_, rule)| rule.clone()).collect()))
    }
}

#[async_trait]
impl StorePort for MemoryStore {
    async fn create_session(
        &self,
        session_id: &SessionId,
        begin: NewSession,
        now: Millis,
    ) -> Result<SessionRow, StoreFailure> {
        self.begin(session_id, begin, now, &[])
    }

    async fn copy_session(
        &self,
        session_id: &SessionId,
        begin: NewSession,
        records: Vec<Arc<Record>>,
        now: Millis,
    ) -> Result<SessionRow, StoreFailure> {
        self.begin(session_id, begin, now, &records)
    }

    async fn session(&self, session_id: &SessionId) -> Result<SessionRow, StoreFailure> {
        self.of(session_id, |kept| kept.row.clone())
    }

    async fn session_by_key(&self, key: &str) -> Result<Option<SessionRow>, StoreFailure> {
        let shelves = self.lock();
        let kept = shelves.keys.get(key).and_then(|session_id| shelves.sessions.get(session_id));
        Ok(kept.and_then(|kept| kept.row.clone()))
    }

    async fn sessions(&self, query: SessionQuery) -> Result<Vec<SessionRow>, StoreFailure> {
        Ok(self.list_sessions(&query))
    }

    async fn rename_session(&self, session_id: &SessionId, title: &str) -> Result<(), StoreFailure> {
        self.of(session_id, |kept| kept.row.as_mut().map(|row| title.clone_into(&mut row.begin.title)))
    }

    async fn set_approve(&self, session_id: &SessionId, approve: ApproveMode) -> Result<(), StoreFailure> {
        self.of(session_id, |kept| kept.row.as_mut().map(|row| row.begin.approve = Some(approve)))
    }

    async fn set_settings(
        &self,
        session_id: &SessionId,
        settings: SessionSettings,
    ) -> Result<(), StoreFailure> {
        self.of(session_id, |kept| kept.row.as_mut().map(|row| row.begin.settings = settings))
    }

    async fn delete_session(&self, session_id: &SessionId) -> Result<(), StoreFailure> {
        self.forget(session_id)
    }

    async fn run(&self, run_id: &RunId) -> Result<RunRow, StoreFailure> {
        let shelves = self.lock();
        let kept = shelves.runs.get(run_id).and_then(|session_id| shelves.sessions.get(session_id));
        let run = kept.and_then(|kept| kept.runs.iter().find(|run| run.row.run_id == *run_id));
        run.map(|run| run.row.clone()).ok_or_else(|| missing("run", run_id.as_str()))
    }

    async fn runs(&self, query: RunQuery) -> Result<Vec<RunRow>, StoreFailure> {
        Ok(self.list_runs(&query))
    }

    async fn tasks(&self, session_id: &SessionId) -> Result<Vec<Task>, StoreFailure> {
        self.of(session_id, |kept| Some(kept.tasks.clone()))
    }

    async fn all_grants(&self) -> Result<Vec<Rule>, StoreFailure> {
        let shelves = self.lock();
        let kept = shelves.sessions.values().flat_map(|kept| &kept.grants);
        let mut grants: Vec<Rule> = kept.map(|(_, rule)| rule.clone()).collect();
        drop(shelves);
        grants.sort_by_key(|rule| Rule::grant_number(&rule.id));
        Ok(grants)
    }

    async fn revoke(&self, grant_id: &str) -> Result<bool, StoreFailure> {
        let mut shelves = self.lock();
        Ok(shelves.sessions.values_mut().any(|kept| {
            let before = kept.grants.len();
            kept.grants.retain(|(_, rule)| rule.id != grant_id);
            kept.grants.len() < before
        }))
    }

    async fn claim(&self, _session_id: &SessionId) -> Result<Claim, StoreFailure> {
        Ok(Claim::Taken)
    }

    async fn holder(&self, _session_id: &SessionId) -> Result<Option<String>, StoreFailure> {
        Ok(None)
    }

    async fn release(&self, _session_id: &SessionId) -> Result<(), StoreFailure> {
        Ok(())
    }

    async fn put_save(&self, save: Save) -> Result<(), StoreFailure> {
        let mut shelves = self.lock();
        shelves.saves.retain(|kept| kept.save_id != save.save_id);
        shelves.saves.push(save);
        Ok(())
    }

    async fn save(&self, save_id: &str) -> Result<Save, StoreFailure> {
        let shelves = self.lock();
        let save = shelves.saves.iter().find(|save| save.save_id == save_id);
        save.cloned().ok_or_else(|| missing("save", save_id))
    }

    async fn saves(&self, rows_max: usize) -> Result<Vec<Save>, StoreFailure> {
        let mut saves = self.lock().saves.clone();
        saves.sort_by(|a, b| (b.created_ms, &b.save_id).cmp(&(a.created_ms, &a.save_id)));
        saves.truncate(rows_max);
        Ok(saves)
    }

    async fn delete_save(&self, save_id: &str) -> Result<(), StoreFailure> {
        let mut shelves = self.lock();
        let before = shelves.saves.len();
        shelves.saves.retain(|save| save.save_id != save_id);
        if shelves.saves.len() == before { Err(missing("save", save_id)) } else { Ok(()) }
    }

    async fn audit(&self, session_id: &SessionId, now: Millis, line: &str) -> Result<(), StoreFailure> {
        let mut shelves = self.lock();
        if shelves.audit.len() >= MEMORY_AUDIT_LINES_MAX {
            shelves.audit.remove(0);
        }
        shelves.audit.push(format!("{now} {session_id} {line}"));
        Ok(())
    }
}

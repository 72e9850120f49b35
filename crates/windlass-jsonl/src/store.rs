//! The store as ports see it: a change is written, and then known.
//!
//! A write waits for the disk in the caller's place. Claims are all its own: another process cannot open the file.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use windlass_core::permission::{ApproveMode, Rule};
use windlass_core::ports::store::{
    Claim, NewSession, RunQuery, RunRow, Save, SessionQuery, SessionRow, StoreFailure, StoreKind, StorePort,
};
use windlass_core::ports::{JournalFailure, JournalPort};
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::{Millis, RunId, SessionId};
use windlass_core::protocol::settings::SessionSettings;
use windlass_core::protocol::task::Task;

use crate::line::LogLine;
use crate::log::{FILE_NAME, LogFile};
use crate::rows::{LoggedRun, LoggedSession};

/// Stores of this crate: a place is a folder whose name ends in `.jsonl`.
pub const JSONL: StoreKind = StoreKind {
    has_place: |place| place.extension().is_some_and(|extension| extension == "jsonl"),
    exists: |place| place.join(FILE_NAME).exists(),
    open: |place, _readers| Ok(Arc::new(JsonlStore::open(place)?)),
};

/// Sessions, runs and snapshots, in one file.
#[derive(Debug)]
pub struct JsonlStore {
    inner: Mutex<OpenLog>,
}

#[derive(Debug)]
struct OpenLog {
    file: LogFile,
    known: FoldedLog,
}

/// What the lines amount to.
#[derive(Debug, Default)]
struct FoldedLog {
    sessions: HashMap<SessionId, LoggedSession>,
    saves: Vec<Save>,
    next_grant: u64,
}

impl JsonlStore {
    /// Opens the store of a folder, and makes it if need be.
    pub fn open(folder: &Path) -> Result<Self, StoreFailure> {
        let mut known = FoldedLog { next_grant: 1, ..FoldedLog::default() };
        let file = LogFile::open(folder, |line| known.take(line)).map_err(StoreFailure::Broken)?;
        known.sessions.values_mut().for_each(LoggedSession::end_grants);
        Ok(Self { inner: Mutex::new(OpenLog { file, known }) })
    }

    fn lock(&self) -> MutexGuard<'_, OpenLog> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(
        &self,
        session_id: &SessionId,
        begin: NewSession,
        now: Millis,
        records: Vec<Arc<Record>>,
    ) -> Result<SessionRow, StoreFailure> {
        let mut log = self.lock();
        if log.known.row(session_id).is_ok() {
            return Err(StoreFailure::Exists(format!("a session '{session_id}'")));
        }
        if begin
            .key
            .as_deref()
            .is_some_and(|key| log.known.rows().any(|row| row.begin.key.as_deref() == Some(key)))
        {
            return Err(StoreFailure::Exists("a session with this key".to_owned()));
        }
        let (id, begin) = (session_id.clone(), Box::new(begin));
        log.write(LogLine::SessionBegun { session_id: id, begin, now, records })?;
        if let Some(session) = log.known.sessions.get_mut(session_id) {
            session.end_grants();
        }
        log.known.row(session_id).cloned()
    }

    /// Changes a session that must be there.
    fn change(
        &self,
        session_id: &SessionId,
        line: impl FnOnce(SessionId) -> LogLine,
    ) -> Result<(), StoreFailure> {
        let mut log = self.lock();
        log.known.row(session_id)?;
        log.write(line(session_id.clone()))
    }
}

impl OpenLog {
    fn write(&mut self, line: LogLine) -> Result<(), StoreFailure> {
        self.file.append(&line).map_err(StoreFailure::Broken)?;
        self.known.take(line);
        Ok(())
    }
}

impl FoldedLog {
    fn take(&mut self, line: LogLine) {
        match line {
            LogLine::SessionBegun { session_id, begin, now, records } => {
                self.sessions.entry(session_id.clone()).or_default().begin(session_id.clone(), *begin, now);
                self.append(session_id, records);
            }
            LogLine::Appended { session_id, records } => self.append(session_id, records),
            LogLine::Renamed { session_id, title } => self.edit(&session_id, |begin| begin.title = title),
            LogLine::ApproveSet { session_id, approve } => {
                self.edit(&session_id, |begin| begin.approve = Some(approve))
            }
            LogLine::SettingsSet { session_id, settings } => {
                self.edit(&session_id, |begin| begin.settings = settings)
            }
            LogLine::SessionDeleted { session_id } => drop(self.sessions.remove(&session_id)),
            LogLine::GrantRevoked { grant_id } => {
                for session in self.sessions.values_mut() {
                    session.grants.retain(|(_, rule)| rule.id != grant_id);
                }
            }
            LogLine::Saved { save } => {
                self.saves.retain(|kept| kept.save_id != save.save_id);
                self.saves.push(save);
            }
            LogLine::SaveDeleted { save_id } => self.saves.retain(|kept| kept.save_id != save_id),
            // For who reads the file.
            LogLine::Audited { .. } => {}
        }
    }

    fn append(&mut self, session_id: SessionId, records: Vec<Arc<Record>>) {
        let session = self.sessions.entry(session_id).or_default();
        for record in records {
            session.take(record, &mut self.next_grant);
        }
    }

    fn edit(&mut self, session_id: &SessionId, edit: impl FnOnce(&mut NewSession)) {
        if let Some(row) = self.sessions.get_mut(session_id).and_then(|kept| kept.row.as_mut()) {
            edit(&mut row.begin);
        }
    }

    fn row(&self, session_id: &SessionId) -> Result<&SessionRow, StoreFailure> {
        let row = self.sessions.get(session_id).and_then(|kept| kept.row.as_ref());
        row.ok_or_else(|| missing("session", session_id.as_str()))
    }

    fn rows(&self) -> impl Iterator<Item = &SessionRow> {
        self.sessions.values().filter_map(|kept| kept.row.as_ref())
    }

    fn runs(&self) -> impl Iterator<Item = &RunRow> {
        self.sessions.values().flat_map(|kept| &kept.runs).map(|LoggedRun { row, .. }| row)
    }

    fn grants(&self) -> impl Iterator<Item = &Rule> {
        self.sessions.values().flat_map(|kept| &kept.grants).map(|(_, rule)| rule)
    }
}

fn missing(what: &str, id: &str) -> StoreFailure {
    StoreFailure::Missing(format!("{what} '{id}'"))
}

#[async_trait]
impl JournalPort for JsonlStore {
    async fn append(&self, records: &[Arc<Record>]) -> Result<(), JournalFailure> {
        let Some(first) = records.first() else { return Ok(()) };
        let line = LogLine::Appended { session_id: first.session_id.clone(), records: records.to_vec() };
        self.lock().write(line).map_err(|failure| JournalFailure { message: failure.to_string() })
    }

    async fn load(&self, session_id: &SessionId, after: u64) -> Result<Vec<Arc<Record>>, JournalFailure> {
        let log = self.lock();
        let records = log.known.sessions.get(session_id).into_iter().flat_map(|kept| &kept.records);
        Ok(records.filter(|record| record.seq > after).cloned().collect())
    }

    async fn grants(&self, session_id: &SessionId) -> Result<Option<Vec<Rule>>, JournalFailure> {
        let log = self.lock();
        let grants = log.known.sessions.get(session_id).into_iter().flat_map(|kept| &kept.grants);
        Ok(Some(grants.map(|(_, rule)| rule.clone()).collect()))
    }
}

#[async_trait]
impl StorePort for JsonlStore {
    async fn create_session(
        &self,
        session_id: &SessionId,
        begin: NewSession,
        now: Millis,
    ) -> Result<SessionRow, StoreFailure> {
        self.begin(session_id, begin, now, Vec::new())
    }

    async fn copy_session(
        &self,
        session_id: &SessionId,
        begin: NewSession,
        records: Vec<Arc<Record>>,
        now: Millis,
    ) -> Result<SessionRow, StoreFailure> {
        self.begin(session_id, begin, now, records)
    }

    async fn session(&self, session_id: &SessionId) -> Result<SessionRow, StoreFailure> {
        self.lock().known.row(session_id).cloned()
    }

    async fn session_by_key(&self, key: &str) -> Result<Option<SessionRow>, StoreFailure> {
        Ok(self.lock().known.rows().find(|row| row.begin.key.as_deref() == Some(key)).cloned())
    }

    async fn sessions(&self, query: SessionQuery) -> Result<Vec<SessionRow>, StoreFailure> {
        let log = self.lock();
        let fitting = log.known.sessions.values().filter(|kept| kept.fits(&query));
        let mut rows: Vec<SessionRow> = fitting.filter_map(|kept| kept.row.clone()).collect();
        rows.sort_unstable_by(|a, b| (b.updated_ms, &b.session_id).cmp(&(a.updated_ms, &a.session_id)));
        rows.truncate(query.rows_max);
        Ok(rows)
    }

    async fn rename_session(&self, session_id: &SessionId, title: &str) -> Result<(), StoreFailure> {
        self.change(session_id, |session_id| LogLine::Renamed { session_id, title: title.to_owned() })
    }

    async fn set_approve(&self, session_id: &SessionId, approve: ApproveMode) -> Result<(), StoreFailure> {
        self.change(session_id, |session_id| LogLine::ApproveSet { session_id, approve })
    }

    async fn set_settings(
        &self,
        session_id: &SessionId,
        settings: SessionSettings,
    ) -> Result<(), StoreFailure> {
        self.change(session_id, |session_id| LogLine::SettingsSet { session_id, settings })
    }

    async fn delete_session(&self, session_id: &SessionId) -> Result<(), StoreFailure> {
        self.change(session_id, |session_id| LogLine::SessionDeleted { session_id })
    }

    async fn run(&self, run_id: &RunId) -> Result<RunRow, StoreFailure> {
        let log = self.lock();
        let run = log.known.runs().find(|row| row.run_id == *run_id);
        run.cloned().ok_or_else(|| missing("run", run_id.as_str()))
    }

    async fn runs(&self, query: RunQuery) -> Result<Vec<RunRow>, StoreFailure> {
        let is_wanted = |row: &&RunRow| {
            query.session_id.as_ref().is_none_or(|id| row.session_id == *id)
                && (!query.is_unfinished || row.outcome.is_none())
                && query
                    .before
                    .as_ref()
                    .is_none_or(|(at_ms, id)| (row.started_ms, &row.run_id) < (*at_ms, id))
        };
        let mut rows: Vec<RunRow> = self.lock().known.runs().filter(is_wanted).cloned().collect();
        rows.sort_unstable_by(|a, b| (b.started_ms, &b.run_id).cmp(&(a.started_ms, &a.run_id)));
        rows.truncate(query.rows_max);
        Ok(rows)
    }

    async fn tasks(&self, session_id: &SessionId) -> Result<Vec<Task>, StoreFailure> {
        let log = self.lock();
        log.known.row(session_id)?;
        Ok(log.known.sessions.get(session_id).map(|kept| kept.tasks.clone()).unwrap_or_default())
    }

    async fn all_grants(&self) -> Result<Vec<Rule>, StoreFailure> {
        let mut grants: Vec<Rule> = self.lock().known.grants().cloned().collect();
        grants.sort_by_key(|rule| Rule::grant_number(&rule.id));
        Ok(grants)
    }

    async fn revoke(&self, grant_id: &str) -> Result<bool, StoreFailure> {
        let mut log = self.lock();
        if !log.known.grants().any(|rule| rule.id == grant_id) {
            return Ok(false);
        }
        log.write(LogLine::GrantRevoked { grant_id: grant_id.to_owned() }).map(|()| true)
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
        self.lock().write(LogLine::Saved { save })
    }

    async fn save(&self, save_id: &str) -> Result<Save, StoreFailure> {
        let log = self.lock();
        let save = log.known.saves.iter().find(|save| save.save_id == save_id);
        save.cloned().ok_or_else(|| missing("save", save_id))
    }

    async fn saves(&self, rows_max: usize) -> Result<Vec<Save>, StoreFailure> {
        let mut saves = self.lock().known.saves.clone();
        saves.sort_by(|a, b| (b.created_ms, &b.save_id).cmp(&(a.created_ms, &a.save_id)));
        saves.truncate(rows_max);
        Ok(saves)
    }

    async fn delete_save(&self, save_id: &str) -> Result<(), StoreFailure> {
        let mut log = self.lock();
        if !log.known.saves.iter().any(|save| save.save_id == save_id) {
            return Err(missing("save", save_id));
        }
        log.write(LogLine::SaveDeleted { save_id: save_id.to_owned() })
    }

    async fn audit(&self, session_id: &SessionId, now: Millis, line: &str) -> Result<(), StoreFailure> {
        let (session_id, text) = (session_id.clone(), line.to_owned());
        self.lock().write(LogLine::Audited { session_id, now, text })
    }
}

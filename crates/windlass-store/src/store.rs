//! The store as ports see it: jobs go to the thread that writes, questions to those that read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

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

use crate::claim::WriterLock;
use crate::encode::{RecordRow, encode};
use crate::fault::OpenError;
use crate::open::{FILE_NAME, StoreConfig, folder_error, make_private_folder, open_writer};
use crate::query;
use crate::reader::Readers;
use crate::writer::{Need, StoreWriter};

/// Sessions in one SQLite file of a folder. Many processes may open the same folder.
///
/// Dropping it writes what still waits and ends its threads.
#[derive(Debug)]
pub struct SqliteStore {
    // Readers go first: the connection that is closed last puts the write-ahead log into the file.
    readers: Readers,
    writer: StoreWriter,
    path: PathBuf,
    /// What stands in the file for this process.
    token: String,
}

impl SqliteStore {
    /// Opens the store of a folder; makes both if there are none.
    pub fn open(folder: &Path, config: StoreConfig) -> Result<Self, OpenError> {
        make_private_folder(folder).map_err(|error| folder_error(folder, &error))?;
        let path = folder.join(FILE_NAME);
        let connection = open_writer(&path, &config)?;
        let lock = WriterLock::take(folder).map_err(|error| folder_error(folder, &error))?;
        let token = lock.token().to_owned();
        let readers = Readers::start(&path, &config)?;
        let writer = StoreWriter::start(connection, lock, path.clone())
            .map_err(|error| OpenError::Failed { path: path.clone(), reason: error.to_string() })?;
        Ok(Self { readers, writer, path, token })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The audit log of a session, oldest first, with its times.
    pub async fn audit_lines(&self, session_id: &SessionId) -> Result<Vec<(Millis, String)>, StoreFailure> {
        let session_id = session_id.clone();
        self.readers.ask(move |statements| query::audit_lines(statements, &session_id)).await
    }

    async fn append_records(&self, records: &[Arc<Record>]) -> Result<(), JournalFailure> {
        let (Some(first), Some(last)) = (records.first(), records.last()) else { return Ok(()) };
        let session_id = &first.session_id;
        check_places(session_id, records)?;
        let mut rows = encode_records(records).map_err(|message| JournalFailure { message })?;
        let is_durable = records.iter().any(|record| record.event.is_durable());
        // Deltas are never the only copy of anything, so nobody waits for the disk because of them.
        if !is_durable && self.writer.take_deltas(session_id, records, &mut rows) {
            return Ok(());
        }
        self.writer.append(session_id, rows, Arc::clone(last)).await
    }

    async fn load_records(
        &self,
        session_id: &SessionId,
        after: u64,
        records_max: usize,
        has_deltas: bool,
    ) -> Result<Vec<Arc<Record>>, JournalFailure> {
        // Asked before the file is read: what is written in between is in the file.
        let unwritten = self.writer.unwritten(session_id);
        let id = session_id.clone();
        let mut records = self
            .readers
            .ask(move |statements| query::load(statements, &id, after, records_max, has_deltas))
            .await
            .map_err(|failure| JournalFailure { message: failure.to_string() })?;
        let known = records.last().map_or(after, |record| record.seq);
        let room = records_max.saturating_sub(records.len());
        let is_wanted =
            |record: &Arc<Record>| record.seq > known && (has_deltas || record.event.is_durable());
        records.extend(unwritten.into_iter().filter(is_wanted).take(room));
        Ok(records)
    }
}

/// Stores of this crate: a place is a folder.
pub const SQLITE: StoreKind = StoreKind {
    has_place: |place| !place.to_string_lossy().contains("://"),
    exists: |place| place.join(FILE_NAME).exists(),
    open: |place, readers| {
        let config = StoreConfig { readers, ..StoreConfig::default() };
        match SqliteStore::open(place, config) {
            Ok(store) => Ok(Arc::new(store)),
            Err(error) => Err(StoreFailure::Broken(error.to_string())),
        }
    },
};

fn encode_records(records: &[Arc<Record>]) -> Result<Vec<RecordRow>, String> {
    encode(records).map_err(|error| format!("a record cannot be written as JSON: {error}"))
}

/// One session, and places that grow.
fn check_places(session_id: &SessionId, records: &[Arc<Record>]) -> Result<(), JournalFailure> {
    let mut before = 0;
    for record in records {
        if record.session_id != *session_id || record.seq <= before {
            let message = format!(
                "record {} of session {} cannot follow record {before} of session {session_id} in one append",
                record.seq, record.session_id
            );
            return Err(JournalFailure { message });
        }
        before = record.seq;
    }
    Ok(())
}

#[async_trait]
impl JournalPort for SqliteStore {
    async fn append(&self, records: &[Arc<Record>]) -> Result<(), JournalFailure> {
        self.append_records(records).await
    }

    async fn load(&self, session_id: &SessionId, after: u64) -> Result<Vec<Arc<Record>>, JournalFailure> {
        self.load_records(session_id, after, usize::MAX, true).await
    }

    async fn load_page(
        &self,
        session_id: &SessionId,
        after: u64,
        records_max: usize,
    ) -> Result<Vec<Arc<Record>>, JournalFailure> {
        self.load_records(session_id, after, records_max, true).await
    }

    async fn load_durable(
        &self,
        session_id: &SessionId,
        after: u64,
        records_max: usize,
    ) -> Result<Vec<Arc<Record>>, JournalFailure> {
        self.load_records(session_id, after, records_max, false).await
    }

    async fn grants(&self, session_id: &SessionId) -> Result<Option<Vec<Rule>>, JournalFailure> {
        let (id, holder) = (session_id.clone(), self.token.clone());
        let asked = self.readers.ask(move |statements| query::grants(statements, &id, &holder)).await;
        asked.map(Some).map_err(|failure| JournalFailure { message: failure.to_string() })
    }
}

#[async_trait]
impl StorePort for SqliteStore {
    async fn create_session(
        &self,
        session_id: &SessionId,
        begin: NewSession,
        now: Millis,
    ) -> Result<SessionRow, StoreFailure> {
        let (id, own) = (session_id.clone(), begin.clone());
        self.writer.work(Need::Durable, move |transaction| transaction.create(&id, &own, now)).await?;
        let session_id = session_id.clone();
        Ok(SessionRow { session_id, begin, created_ms: now, updated_ms: now, last_seq: 0, runs: 0 })
    }

    async fn copy_session(
        &self,
        session_id: &SessionId,
        begin: NewSession,
        records: Vec<Arc<Record>>,
        now: Millis,
    ) -> Result<SessionRow, StoreFailure> {
        check_places(session_id, &records).map_err(|failure| StoreFailure::Broken(failure.message))?;
        let rows = encode_records(&records).map_err(StoreFailure::Broken)?;
        let id = session_id.clone();
        self.writer
            .work(Need::Durable, move |transaction| {
                transaction.copy(&id, &begin, &rows, records.last().map(|last| &**last), now)
            })
            .await?;
        self.session(session_id).await
    }

    async fn session(&self, session_id: &SessionId) -> Result<SessionRow, StoreFailure> {
        let id = session_id.clone();
        self.readers.ask(move |statements| query::session(statements, &id)).await
    }

    async fn session_by_key(&self, key: &str) -> Result<Option<SessionRow>, StoreFailure> {
        let key = key.to_owned();
        self.readers.ask(move |statements| query::session_by_key(statements, &key)).await
    }

    async fn sessions(&self, query: SessionQuery) -> Result<Vec<SessionRow>, StoreFailure> {
        self.readers.ask(move |statements| query::sessions(statements, &query)).await
    }

    async fn rename_session(&self, session_id: &SessionId, title: &str) -> Result<(), StoreFailure> {
        let (id, title) = (session_id.clone(), title.to_owned());
        self.writer.work(Need::Durable, move |transaction| transaction.rename(&id, &title)).await
    }

    async fn set_approve(&self, session_id: &SessionId, approve: ApproveMode) -> Result<(), StoreFailure> {
        let id = session_id.clone();
        self.writer.work(Need::Durable, move |transaction| transaction.set_approve(&id, approve)).await
    }

    async fn set_settings(
        &self,
        session_id: &SessionId,
        settings: SessionSettings,
    ) -> Result<(), StoreFailure> {
        let id = session_id.clone();
        self.writer.work(Need::Durable, move |transaction| transaction.set_settings(&id, &settings)).await
    }

    async fn delete_session(&self, session_id: &SessionId) -> Result<(), StoreFailure> {
        let id = session_id.clone();
        self.writer.work(Need::Durable, move |transaction| transaction.delete(&id)).await
    }

    async fn run(&self, run_id: &RunId) -> Result<RunRow, StoreFailure> {
        let run_id = run_id.clone();
        self.readers.ask(move |statements| query::run(statements, &run_id)).await
    }

    async fn runs(&self, query: RunQuery) -> Result<Vec<RunRow>, StoreFailure> {
        self.readers.ask(move |statements| query::runs(statements, &query)).await
    }

    async fn tasks(&self, session_id: &SessionId) -> Result<Vec<Task>, StoreFailure> {
        let id = session_id.clone();
        self.readers.ask(move |statements| query::tasks(statements, &id)).await
    }

    async fn all_grants(&self) -> Result<Vec<Rule>, StoreFailure> {
        // By the thread that writes: only it can tell which processes live.
        self.writer.work(Need::Seen, |transaction| transaction.all_grants()).await
    }

    async fn revoke(&self, grant_id: &str) -> Result<bool, StoreFailure> {
        let Some(number) = Rule::grant_number(grant_id) else { return Ok(false) };
        self.writer.work(Need::Durable, move |transaction| transaction.revoke(number)).await
    }

    async fn claim(&self, session_id: &SessionId) -> Result<Claim, StoreFailure> {
        let id = session_id.clone();
        self.writer.work(Need::Seen, move |transaction| transaction.claim(&id)).await
    }

    async fn holder(&self, session_id: &SessionId) -> Result<Option<String>, StoreFailure> {
        let id = session_id.clone();
        self.writer
            .work(Need::Seen, move |transaction| {
                let known = transaction.require(&id)?;
                Ok(transaction.other_writer(known.number)?)
            })
            .await
    }

    async fn release(&self, session_id: &SessionId) -> Result<(), StoreFailure> {
        let id = session_id.clone();
        self.writer.work(Need::Seen, move |transaction| transaction.release(&id)).await
    }

    async fn put_save(&self, save: Save) -> Result<(), StoreFailure> {
        let body = save.body.to_string();
        self.writer.work(Need::Durable, move |transaction| transaction.put_save(&save, &body)).await
    }

    async fn save(&self, save_id: &str) -> Result<Save, StoreFailure> {
        let save_id = save_id.to_owned();
        self.readers.ask(move |statements| query::save(statements, &save_id)).await
    }

    async fn saves(&self, rows_max: usize) -> Result<Vec<Save>, StoreFailure> {
        self.readers.ask(move |statements| query::saves(statements, rows_max)).await
    }

    async fn delete_save(&self, save_id: &str) -> Result<(), StoreFailure> {
        let save_id = save_id.to_owned();
        self.writer.work(Need::Durable, move |transaction| transaction.delete_save(&save_id)).await
    }

    async fn audit(&self, session_id: &SessionId, now: Millis, line: &str) -> Result<(), StoreFailure> {
        let (id, line) = (session_id.clone(), line.to_owned());
        self.writer.work(Need::Durable, move |transaction| transaction.audit(&id, now, &line)).await
    }
}

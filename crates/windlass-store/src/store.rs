//! The store as ports see it: jobs go to the thread that writes, questions to those that read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlass_core::permission::{ApproveMode, Rule};
use windlass_core::ports::store::{
    Claim, NewSession, RunQuery, RunRow, Save, SessionQuery, SessionRow, StoreFailure, StoreKind, StorePort,
};
use windlass_core::ports::{BoxFuture, JournalFailure, JournalPort};
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

impl JournalPort for SqliteStore {
    fn append<'a>(&'a self, records: &'a [Arc<Record>]) -> BoxFuture<'a, Result<(), JournalFailure>> {
        Box::pin(self.append_records(records))
    }

    fn load<'a>(
        &'a self,
        session_id: &'a SessionId,
        after: u64,
    ) -> BoxFuture<'a, Result<Vec<Arc<Record>>, JournalFailure>> {
        Box::pin(self.load_records(session_id, after, usize::MAX, true))
    }

    fn load_page<'a>(
        &'a self,
        session_id: &'a SessionId,
        after: u64,
        records_max: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Record>>, JournalFailure>> {
        Box::pin(self.load_records(session_id, after, records_max, true))
    }

    fn load_durable<'a>(
        &'a self,
        session_id: &'a SessionId,
        after: u64,
        records_max: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Record>>, JournalFailure>> {
        Box::pin(self.load_records(session_id, after, records_max, false))
    }

    fn grants<'a>(
        &'a self,
        session_id: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<Vec<Rule>>, JournalFailure>> {
        let (id, holder) = (session_id.clone(), self.token.clone());
        Box::pin(async move {
            let asked = self.readers.ask(move |statements| query::grants(statements, &id, &holder)).await;
            asked.map(Some).map_err(|failure| JournalFailure { message: failure.to_string() })
        })
    }
}

impl StorePort for SqliteStore {
    fn create_session<'a>(
        &'a self,
        session_id: &'a SessionId,
        begin: NewSession,
        now: Millis,
    ) -> BoxFuture<'a, Result<SessionRow, StoreFailure>> {
        Box::pin(async move {
            let (id, own) = (session_id.clone(), begin.clone());
            self.writer.work(Need::Durable, move |transaction| transaction.create(&id, &own, now)).await?;
            let session_id = session_id.clone();
            Ok(SessionRow { session_id, begin, created_ms: now, updated_ms: now, last_seq: 0, runs: 0 })
        })
    }

    fn copy_session<'a>(
        &'a self,
        session_id: &'a SessionId,
        begin: NewSession,
        records: Vec<Arc<Record>>,
        now: Millis,
    ) -> BoxFuture<'a, Result<SessionRow, StoreFailure>> {
        Box::pin(async move {
            check_places(session_id, &records).map_err(|failure| StoreFailure::Broken(failure.message))?;
            let rows = encode_records(&records).map_err(StoreFailure::Broken)?;
            let id = session_id.clone();
            self.writer
                .work(Need::Durable, move |transaction| {
                    transaction.copy(&id, &begin, &rows, records.last().map(|last| &**last), now)
                })
                .await?;
            self.session(session_id).await
        })
    }

    fn session<'a>(&'a self, session_id: &'a SessionId) -> BoxFuture<'a, Result<SessionRow, StoreFailure>> {
        let id = session_id.clone();
        Box::pin(self.readers.ask(move |statements| query::session(statements, &id)))
    }

    fn session_by_key<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<SessionRow>, StoreFailure>> {
        let key = key.to_owned();
        Box::pin(self.readers.ask(move |statements| query::session_by_key(statements, &key)))
    }

    fn sessions(&self, query: SessionQuery) -> BoxFuture<'_, Result<Vec<SessionRow>, StoreFailure>> {
        Box::pin(self.readers.ask(move |statements| query::sessions(statements, &query)))
    }

    fn rename_session<'a>(
        &'a self,
        session_id: &'a SessionId,
        title: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreFailure>> {
        let (id, title) = (session_id.clone(), title.to_owned());
        Box::pin(self.writer.work(Need::Durable, move |transaction| transaction.rename(&id, &title)))
    }

    fn set_approve<'a>(
        &'a self,
        session_id: &'a SessionId,
        approve: ApproveMode,
    ) -> BoxFuture<'a, Result<(), StoreFailure>> {
        let id = session_id.clone();
        Box::pin(self.writer.work(Need::Durable, move |transaction| transaction.set_approve(&id, approve)))
    }

    fn set_settings<'a>(
        &'a self,
        session_id: &'a SessionId,
        settings: SessionSettings,
    ) -> BoxFuture<'a, Result<(), StoreFailure>> {
        let id = session_id.clone();
        Box::pin(self.writer.work(Need::Durable, move |transaction| transaction.set_settings(&id, &settings)))
    }

    fn delete_session<'a>(&'a self, session_id: &'a SessionId) -> BoxFuture<'a, Result<(), StoreFailure>> {
        let id = session_id.clone();
        Box::pin(self.writer.work(Need::Durable, move |transaction| transaction.delete(&id)))
    }

    fn run<'a>(&'a self, run_id: &'a RunId) -> BoxFuture<'a, Result<RunRow, StoreFailure>> {
        let run_id = run_id.clone();
        Box::pin(self.readers.ask(move |statements| query::run(statements, &run_id)))
    }

    fn runs(&self, query: RunQuery) -> BoxFuture<'_, Result<Vec<RunRow>, StoreFailure>> {
        Box::pin(self.readers.ask(move |statements| query::runs(statements, &query)))
    }

    fn tasks<'a>(&'a self, session_id: &'a SessionId) -> BoxFuture<'a, Result<Vec<Task>, StoreFailure>> {
        let id = session_id.clone();
        Box::pin(self.readers.ask(move |statements| query::tasks(statements, &id)))
    }

    fn all_grants(&self) -> BoxFuture<'_, Result<Vec<Rule>, StoreFailure>> {
        Box::pin(self.writer.work(Need::Seen, |transaction| transaction.all_grants()))
    }

    fn revoke<'a>(&'a self, grant_id: &'a str) -> BoxFuture<'a, Result<bool, StoreFailure>> {
        match Rule::grant_number(grant_id) {
            Some(number) => {
                Box::pin(self.writer.work(Need::Durable, move |transaction| transaction.revoke(number)))
            }
            None => Box::pin(async { Ok(false) }),
        }
    }

    fn claim<'a>(&'a self, session_id: &'a SessionId) -> BoxFuture<'a, Result<Claim, StoreFailure>> {
        let id = session_id.clone();
        Box::pin(self.writer.work(Need::Seen, move |transaction| transaction.claim(&id)))
    }

    fn holder<'a>(
        &'a self,
        session_id: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<String>, StoreFailure>> {
        let id = session_id.clone();
        Box::pin(self.writer.work(Need::Seen, move |transaction| {
            let known = transaction.require(&id)?;
            Ok(transaction.other_writer(known.number)?)
        }))
    }

    fn release<'a>(&'a self, session_id: &'a SessionId) -> BoxFuture<'a, Result<(), StoreFailure>> {
        let id = session_id.clone();
        Box::pin(self.writer.work(Need::Seen, move |transaction| transaction.release(&id)))
    }

    fn put_save(&self, save: Save) -> BoxFuture<'_, Result<(), StoreFailure>> {
        Box::pin(async move {
            let body = save.body.to_string();
            self.writer.work(Need::Durable, move |transaction| transaction.put_save(&save, &body)).await
        })
    }

    fn save<'a>(&'a self, save_id: &'a str) -> BoxFuture<'a, Result<Save, StoreFailure>> {
        let save_id = save_id.to_owned();
        Box::pin(self.readers.ask(move |statements| query::save(statements, &save_id)))
    }

    fn saves(&self, rows_max: usize) -> BoxFuture<'_, Result<Vec<Save>, StoreFailure>> {
        Box::pin(self.readers.ask(move |statements| query::saves(statements, rows_max)))
    }

    fn delete_save<'a>(&'a self, save_id: &'a str) -> BoxFuture<'a, Result<(), StoreFailure>> {
        let save_id = save_id.to_owned();
        Box::pin(self.writer.work(Need::Durable, move |transaction| transaction.delete_save(&save_id)))
    }

    fn audit<'a>(
        &'a self,
        session_id: &'a SessionId,
        now: Millis,
        line: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreFailure>> {
        let (id, line) = (session_id.clone(), line.to_owned());
        Box::pin(self.writer.work(Need::Durable, move |transaction| transaction.audit(&id, now, &line)))
    }
}

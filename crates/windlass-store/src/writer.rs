//! The thread that writes for all sessions: every job that waits, one transaction, one sync.
//!
//! Owns when a transaction begins and ends and who is told what. What a job writes is the transaction's business.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::oneshot;
use windlass_core::ports::JournalFailure;
use windlass_core::ports::store::StoreFailure;
use windlass_core::protocol::event::Record;
use windlass_core::protocol::ids::SessionId;

use crate::claim::WriterLock;
use crate::encode::RecordRow;
use crate::fault::{StoreFault, closed};
use crate::limits::{
    BATCH_JOBS_MAX, CROWD_JOBS_MIN, CROWD_WAIT_SHARE, CROWD_WAIT_US_MAX, DELTAS_WAIT_MS, UNWRITTEN_DELTAS_MAX,
};
use crate::transaction::Transaction;

/// What the thread is asked to do. It may be done again, if another job of the same transaction fails.
trait WriteJob: Send {
    /// Writes, in a transaction; what is refused has written nothing.
    fn run(&mut self, transaction: &mut Transaction<'_>) -> Result<(), StoreFault>;
    /// Tells the one who waits, once it is known whether the transaction was kept.
    fn tell(self: Box<Self>, kept: Result<(), StoreFailure>, unwritten: &Mutex<Unwritten>);
    /// How soon and how firmly it must be written.
    fn need(&self) -> Need;
}

/// How soon and how firmly a job must be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// With the next that somebody waits for: deltas alone.
    Later,
    /// Now, for other processes to see; a machine that fails takes all of them down, so no sync: claims.
    Seen,
    /// Now, and on the disk.
    Durable,
}

enum WriterMessage {
    Job(Box<dyn WriteJob>),
    Stop,
}

/// Records of one session to be appended.
struct Append {
    session_id: SessionId,
    rows: Vec<RecordRow>,
    last: Arc<Record>,
    /// Who waits; nobody for deltas alone.
    reply: Option<oneshot::Sender<Result<(), JournalFailure>>>,
}

impl WriteJob for Append {
    fn run(&mut self, transaction: &mut Transaction<'_>) -> Result<(), StoreFault> {
        transaction.append(&self.session_id, &self.rows, &self.last)
    }

    fn tell(self: Box<Self>, kept: Result<(), StoreFailure>, unwritten: &Mutex<Unwritten>) {
        match self.reply {
            // Whoever does not wait any more needs no answer.
            Some(reply) => {
                drop(reply.send(kept.map_err(|failure| JournalFailure { message: failure.to_string() })))
            }
            None => {
                if let Err(failure) = kept {
                    tracing::warn!(session = %self.session_id, %failure, "deltas were not kept");
                }
                // Only now: whoever loads meanwhile finds them here or in the file, and perhaps in both.
                lock(unwritten).remove_upto(&self.session_id, self.last.seq);
            }
        }
    }

    fn need(&self) -> Need {
        if self.reply.is_some() { Need::Durable } else { Need::Later }
    }
}

/// Anything else, with what it gave.
struct AskedJob<T, F> {
    work: F,
    need: Need,
    given: Option<T>,
    reply: oneshot::Sender<Result<T, StoreFailure>>,
}

impl<T: Send, F: FnMut(&mut Transaction<'_>) -> Result<T, StoreFault> + Send> WriteJob for AskedJob<T, F> {
    fn run(&mut self, transaction: &mut Transaction<'_>) -> Result<(), StoreFault> {
        self.given = Some((self.work)(transaction)?);
        Ok(())
    }

    fn tell(self: Box<Self>, kept: Result<(), StoreFailure>, _unwritten: &Mutex<Unwritten>) {
        let AskedJob { given, reply, .. } = *self;
        let lost = || StoreFailure::Broken("the store lost an answer; ask again".to_owned());
        // Whoever does not wait any more needs no answer.
        drop(reply.send(kept.and_then(|()| given.ok_or_else(lost))));
    }

    fn need(&self) -> Need {
        self.need
    }
}

fn lock(unwritten: &Mutex<Unwritten>) -> MutexGuard<'_, Unwritten> {
    unwritten.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Deltas that were taken but not written yet, so that whoever loads sees them.
#[derive(Debug, Default)]
pub(crate) struct Unwritten {
    sessions: HashMap<SessionId, Vec<Arc<Record>>>,
    count: usize,
}

impl Unwritten {
    fn remove_upto(&mut self, session_id: &SessionId, last_seq: u64) {
        if let Some(records) = self.sessions.get_mut(session_id) {
            let before = records.len();
            records.retain(|record| record.seq > last_seq);
            self.count -= before - records.len();
            if records.is_empty() {
                self.sessions.remove(session_id);
            }
        }
    }
}

/// The way to the thread.
#[derive(Debug)]
pub(crate) struct StoreWriter {
    jobs: Sender<WriterMessage>,
    unwritten: Arc<Mutex<Unwritten>>,
    path: PathBuf,
    thread: Option<JoinHandle<()>>,
}

impl StoreWriter {
    pub(crate) fn start(connection: Connection, lock: WriterLock, path: PathBuf) -> std::io::Result<Self> {
        let (jobs, waiting) = mpsc::channel();
        let unwritten = Arc::new(Mutex::new(Unwritten::default()));
        let (shared, own_path) = (Arc::clone(&unwritten), path.clone());
        let thread = thread::Builder::new().name("windlass-store-writer".to_owned()).spawn(move || {
            let transaction = Transaction::new(&connection, &lock);
            let pace = Pace::default();
            WritingThread { transaction, waiting: &waiting, unwritten: &shared, path: &own_path, pace }
                .work();
        })?;
        Ok(Self { jobs, unwritten, path, thread: Some(thread) })
    }

    /// Deltas of a session that are not written yet, oldest first.
    pub(crate) fn unwritten(&self, session_id: &SessionId) -> Vec<Arc<Record>> {
        lock(&self.unwritten).sessions.get(session_id).cloned().unwrap_or_default()
    }

    /// Takes deltas without waiting; says whether there was room for them.
    pub(crate) fn take_deltas(
        &self,
        session_id: &SessionId,
        records: &[Arc<Record>],
        rows: &mut Vec<RecordRow>,
    ) -> bool {
        let Some(last) = records.last() else { return true };
        let mut unwritten = lock(&self.unwritten);
        if unwritten.count + records.len() > UNWRITTEN_DELTAS_MAX {
            return false;
        }
        unwritten.count += records.len();
        // Before the thread can have them, or it might let go of them first.
        unwritten.sessions.entry(session_id.clone()).or_default().extend(records.iter().cloned());
        let append = Append {
            session_id: session_id.clone(),
            rows: std::mem::take(rows),
            last: Arc::clone(last),
            reply: None,
        };
        // Without a thread nothing is durable any more; the next durable record says so.
        let _ = self.send(append);
        true
    }

    /// Appends records and waits until they are on the disk.
    pub(crate) async fn append(
        &self,
        session_id: &SessionId,
        rows: Vec<RecordRow>,
        last: Arc<Record>,
    ) -> Result<(), JournalFailure> {
        let (reply, answer) = oneshot::channel();
        let append = Append { session_id: session_id.clone(), rows, last, reply: Some(reply) };
        self.send(append).map_err(|fault| fault.journal_failure(&self.path))?;
        answer.await.map_err(|_| closed().journal_failure(&self.path))?
    }

    /// Does something else in the next transaction and waits until it is written.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        need: Need,
        work: impl FnMut(&mut Transaction<'_>) -> Result<T, StoreFault> + Send + 'static,
    ) -> Result<T, StoreFailure> {
        let (reply, answer) = oneshot::channel();
        let job = AskedJob { work, need, given: None, reply };
        self.send(job).map_err(|fault| fault.failure(&self.path))?;
        answer.await.map_err(|_| closed().failure(&self.path))?
    }

    fn send(&self, job: impl WriteJob + 'static) -> Result<(), StoreFault> {
        self.jobs.send(WriterMessage::Job(Box::new(job))).map_err(|_| closed())
    }
}

impl Drop for StoreWriter {
    fn drop(&mut self) {
        // A thread that is gone needs no word.
        let _ = self.jobs.send(WriterMessage::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The thread at work.
struct WritingThread<'a> {
    transaction: Transaction<'a>,
    waiting: &'a Receiver<WriterMessage>,
    unwritten: &'a Mutex<Unwritten>,
    path: &'a Path,
    pace: Pace,
}

/// How the last durable transaction went. When many write at once, a short wait lets more of them share a sync;
/// who writes alone never waits.
#[derive(Debug, Default)]
struct Pace {
    jobs: usize,
    took: Duration,
}

impl Pace {
    /// How long to wait for others: a part of what they would wait for a sync of their own.
    fn wait(&self, jobs: usize) -> Option<Duration> {
        // Twice as many as last time is company enough.
        let is_crowd = self.jobs >= CROWD_JOBS_MIN && jobs < self.jobs.saturating_mul(2);
        is_crowd.then(|| (self.took / CROWD_WAIT_SHARE).min(Duration::from_micros(CROWD_WAIT_US_MAX)))
    }
}

impl WritingThread<'_> {
    fn work(mut self) {
        let mut batch: Vec<Box<dyn WriteJob>> = Vec::new();
        let mut until: Option<Instant> = None;
        loop {
            let (is_due, is_over) = self.gather(&mut batch, until);
            let need = batch.iter().map(|job| job.need()).max().unwrap_or(Need::Later);
            // Deltas alone wait for a record that has to be synced anyway.
            if need == Need::Later && !is_due && !is_over && batch.len() < BATCH_JOBS_MAX {
                until.get_or_insert_with(|| Instant::now() + Duration::from_millis(DELTAS_WAIT_MS));
                continue;
            }
            until = None;
            let is_synced = need == Need::Durable;
            let mut is_over = is_over;
            if is_synced
                && !is_over
                && let Some(wait) = self.pace.wait(batch.len())
            {
                thread::sleep(wait);
                is_over = self.take_waiting(&mut batch);
            }
            if !batch.is_empty() {
                let (jobs, began) = (batch.len(), Instant::now());
                self.write(&mut batch, is_synced);
                if is_synced {
                    // Of synced ones alone: the others say nothing of what a sync costs.
                    self.pace = Pace { jobs, took: began.elapsed() };
                }
            }
            if is_over {
                return;
            }
        }
    }

    /// Takes all that waits; says whether the wait is over and whether the thread ends.
    fn gather(&self, batch: &mut Vec<Box<dyn WriteJob>>, until: Option<Instant>) -> (bool, bool) {
        let first = match until {
            None => self.waiting.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(until) => self.waiting.recv_timeout(until.saturating_duration_since(Instant::now())),
        };
        match first {
            Ok(WriterMessage::Job(job)) => batch.push(job),
            Ok(WriterMessage::Stop) | Err(RecvTimeoutError::Disconnected) => return (true, true),
            Err(RecvTimeoutError::Timeout) => return (true, false),
        }
        let is_over = self.take_waiting(batch);
        (is_over, is_over)
    }

    /// Takes what waits already; says whether the thread ends.
    fn take_waiting(&self, batch: &mut Vec<Box<dyn WriteJob>>) -> bool {
        while batch.len() < BATCH_JOBS_MAX {
            match self.waiting.try_recv() {
                Ok(WriterMessage::Job(job)) => batch.push(job),
                Ok(WriterMessage::Stop) => return true,
                Err(_) => return false,
            }
        }
        false
    }

    /// All jobs in one transaction; if that fails, each in its own, so that none fails because of another.
    fn write(&mut self, batch: &mut Vec<Box<dyn WriteJob>>, is_synced: bool) {
        if let Err(error) = self.transaction.begin(is_synced) {
            let failure = StoreFault::from(error).failure(self.path);
            batch.drain(..).for_each(|job| job.tell(Err(failure.clone()), self.unwritten));
            return;
        }
        match self.finish(batch) {
            Ok(kept) => {
                for (job, kept) in batch.drain(..).zip(kept) {
                    job.tell(kept, self.unwritten);
                }
            }
            Err(fault) if batch.len() == 1 => {
                let failure = fault.failure(self.path);
                batch.drain(..).for_each(|job| job.tell(Err(failure.clone()), self.unwritten));
            }
            Err(_) => {
                for job in std::mem::take(batch) {
                    self.write(&mut vec![job], is_synced);
                }
            }
        }
    }

    /// Runs the jobs in the transaction that has begun, and ends it: kept, or undone as a whole.
    fn finish(
        &mut self,
        batch: &mut [Box<dyn WriteJob>],
    ) -> Result<Vec<Result<(), StoreFailure>>, StoreFault> {
        let mut kept = Vec::with_capacity(batch.len());
        for job in batch {
            match job.run(&mut self.transaction) {
                Ok(()) => kept.push(Ok(())),
                // It has written nothing, so the others need not be undone for it.
                Err(StoreFault::Refused(failure)) => kept.push(Err(failure)),
                Err(fault) => {
                    self.transaction.undo();
                    return Err(fault);
                }
            }
        }
        match self.transaction.commit() {
            Ok(()) => Ok(kept),
            Err(error) => {
                self.transaction.undo();
                Err(error.into())
            }
        }
    }
}

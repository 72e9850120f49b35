//! What goes on now: runs, their questions, and who follows everything.
//!
//! Noted from the records on their way into the journal, so that it can never say something else than the
//! record does. What the program did before it stopped is not here but in the store.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use futures::{Stream, stream};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, broadcast, oneshot};
use windlass_core::permission::{Question, Rule};
use windlass_core::ports::store::StorePort;
use windlass_core::ports::{JournalFailure, JournalPort};
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::{RunId, SessionId};
use windlass_core::protocol::questions::{QuestionChange, change_of};

use super::slot::SessionSlot;
use crate::clock::Clock;
use crate::limits::OBSERVED_RECORDS_MAX;

/// What goes on now.
pub(super) struct LiveRuns {
    clock: Clock,
    runs: Mutex<HashMap<RunId, LiveRun>>,
    questions: AtomicUsize,
    observers: broadcast::Sender<Arc<Record>>,
    lost: Arc<AtomicU64>,
}

/// A run that goes on.
pub(super) struct LiveRun {
    pub(super) slot: Arc<SessionSlot>,
    /// Told the number of the run's first record.
    pub(super) accepted: Option<oneshot::Sender<u64>>,
    pub(super) questions: Vec<Question>,
    /// Its place among the runs; given back with the entry.
    pub(super) _place: OwnedSemaphorePermit,
}

impl LiveRuns {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            clock,
            runs: Mutex::default(),
            questions: AtomicUsize::new(0),
            observers: broadcast::Sender::new(OBSERVED_RECORDS_MAX),
            lost: Arc::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RunId, LiveRun>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn runs(&self) -> usize {
        self.lock().len()
    }

    pub(super) fn questions_waiting(&self) -> usize {
        self.questions.load(Ordering::Relaxed)
    }

    pub(super) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// A run goes on from now.
    pub(super) fn enter(&self, run_id: RunId, going: LiveRun) {
        going.slot.begin_run(run_id.clone(), self.clock.now_ms());
        self.questions.fetch_add(going.questions.len(), Ordering::Relaxed);
        self.lock().insert(run_id, going);
    }

    /// A run goes on no longer, whatever its record says.
    pub(super) fn leave(&self, run_id: &RunId) {
        let gone = self.lock().remove(run_id);
        if let Some(going) = gone {
            self.questions.fetch_sub(going.questions.len(), Ordering::Relaxed);
            going.slot.end_run(run_id, self.clock.now_ms());
        }
    }

    /// Where a run goes on.
    pub(super) fn slot(&self, run_id: &RunId) -> Option<Arc<SessionSlot>> {
        self.lock().get(run_id).map(|going| Arc::clone(&going.slot))
    }

    /// Questions of a run that wait; nothing if it does not go on here.
    pub(super) fn questions(&self, run_id: &RunId) -> Option<Vec<Question>> {
        self.lock().get(run_id).map(|going| going.questions.clone())
    }

    /// Follows all durable records from now on.
    pub(super) fn observe(&self) -> impl Stream<Item = Arc<Record>> + Send + 'static {
        let lost = Arc::clone(&self.lost);
        stream::unfold((self.observers.subscribe(), lost), |(mut records, lost)| async move {
            loop {
                match records.recv().await {
                    Ok(record) => return Some((record, (records, lost))),
                    Err(RecvError::Lagged(count)) => {
                        let all = lost.fetch_add(count, Ordering::Relaxed).saturating_add(count);
                        tracing::warn!(count, all, "an observer is too slow and lost records");
                    }
                    Err(RecvError::Closed) => return None,
                }
            }
        })
    }

    /// Notes what was appended.
    fn note(&self, records: &[Arc<Record>]) {
        let mut ended = Vec::new();
        let mut runs = self.lock();
        // What is appended at once is of one run, mostly.
        for of_one_run in records.chunk_by(|a, b| a.run_id == b.run_id) {
            let Some(run_id) = of_one_run.first().map(|record| &record.run_id) else { continue };
            let mut going = runs.get_mut(run_id);
            for record in of_one_run {
                if let Some(going) = &mut going {
                    going.slot.touch(record.ts_ms);
                    self.note_one(going, record);
                }
                if matches!(record.event, Event::Durable(DurableEvent::RunEnded { .. })) {
                    ended.push(run_id);
                }
            }
        }
        // `leave` takes the same lock.
        drop(runs);
        ended.into_iter().for_each(|run_id| self.leave(run_id));
        if self.observers.receiver_count() > 0 {
            for record in records.iter().filter(|record| record.event.is_durable()) {
                // Fails only if the last observer has just left.
                let _ = self.observers.send(Arc::clone(record));
            }
        }
    }

    fn note_one(&self, going: &mut LiveRun, record: &Record) {
        let Event::Durable(event) = &record.event else { return };
        if matches!(event, DurableEvent::RunStarted { .. })
            && let Some(accepted) = going.accepted.take()
        {
            // The caller may have gone away; the run goes on.
            let _ = accepted.send(record.seq);
        }
        match change_of(event) {
            Some(QuestionChange::Asked(question)) => {
                if !going.questions.iter().any(|asked| asked.call_id == question.call_id) {
                    going.questions.push(question.clone().sealed(&record.run_id));
                    self.questions.fetch_add(1, Ordering::Relaxed);
                }
            }
            Some(QuestionChange::Settled(call_id)) => {
                let before = going.questions.len();
                going.questions.retain(|asked| asked.call_id != *call_id);
                self.questions.fetch_sub(before.saturating_sub(going.questions.len()), Ordering::Relaxed);
            }
            // Whoever leaves takes its questions along.
            Some(QuestionChange::AllSettled) | None => {}
        }
    }
}

/// The store's journal, watched by the live_runs.
pub(super) struct WatchedJournal {
    store: Arc<dyn StorePort>,
    live_runs: Arc<LiveRuns>,
}

impl WatchedJournal {
    pub(super) fn new(store: Arc<dyn StorePort>, live_runs: Arc<LiveRuns>) -> Self {
        Self { store, live_runs }
    }
}

#[async_trait]
impl JournalPort for WatchedJournal {
    async fn append(&self, records: &[Arc<Record>]) -> Result<(), JournalFailure> {
        let written = self.store.append(records).await;
        match &written {
            Ok(()) => self.live_runs.note(records),
            // An end that cannot be written is an end all the same: its place is free.
            Err(_) => {
                let is_end = |record: &&Arc<Record>| {
                    matches!(record.event, Event::Durable(DurableEvent::RunEnded { .. }))
                };
                records.iter().filter(is_end).for_each(|record| self.live_runs.leave(&record.run_id));
            }
        }
        written
    }

    async fn load(&self, session_id: &SessionId, after: u64) -> Result<Vec<Arc<Record>>, JournalFailure> {
        self.store.load(session_id, after).await
    }

    async fn load_page(
        &self,
        session_id: &SessionId,
        after: u64,
        records_max: usize,
    ) -> Result<Vec<Arc<Record>>, JournalFailure> {
        self.store.load_page(session_id, after, records_max).await
    }

    async fn grants(&self, session_id: &SessionId) -> Result<Option<Vec<Rule>>, JournalFailure> {
        self.store.grants(session_id).await
    }
}

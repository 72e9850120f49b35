//! The records of one run or of a whole session, for one reader at its own speed.
//!
//! A reader is a cursor. What it missed comes from the journal, a page at a time; at the journal's end it
//! joins the session's log. A reader that falls behind goes back to the journal: every record comes exactly
//! once and in order, deltas too, because the journal gets them with the next durable record. Nothing is
//! read ahead, so a reader that does not read keeps one page.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::stream;
use windlass_core::ports::host::HostDelivery;
use windlass_core::ports::store::{StoreFailure, StorePort};
use windlass_core::ports::{BoxStream, JournalFailure};
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::RunId;

use super::slot::SessionSlot;
use super::{Host, Shutdown};
use crate::bus::{EventLog, LogPart, Subscription};
use crate::limits::{FOREIGN_LOOK_MS, PAGE_RECORDS_MAX, SESSION_LOOK_MS};

pub(super) enum ReadSubject {
    /// One run, to its end.
    Run(RunId),
    /// All runs, for as long as the session is there.
    Session,
}

pub(super) struct RecordReader {
    store: Arc<dyn StorePort>,
    slot: Arc<SessionSlot>,
    subject: ReadSubject,
    cursor: u64,
    /// Whether nothing is needed before the run has ended.
    is_patient: bool,
    page: VecDeque<Arc<Record>>,
    live: Option<Subscription>,
    /// The seat of a reader that fell behind: as long as it has one, the log keeps what the reader has not seen.
    seat: Option<Subscription>,
    shutdown: Arc<Shutdown>,
    is_over: bool,
    /// Whether the session was forgotten, and the reader has not been told yet.
    is_deleted: bool,
}

impl RecordReader {
    /// A reader of what comes after a number.
    pub(super) fn new(host: &Host, slot: Arc<SessionSlot>, subject: ReadSubject, after: u64) -> Self {
        Self {
            store: Arc::clone(&host.parts.store),
            slot,
            subject,
            cursor: after,
            is_patient: false,
            page: VecDeque::new(),
            live: None,
            seat: None,
            shutdown: Arc::clone(&host.shutdown),
            is_over: false,
            is_deleted: false,
        }
    }

    /// A reader that has read everything.
    pub(super) fn ended(mut self) -> Self {
        self.is_over = true;
        self
    }

    /// A reader that is woken for the end of the run, and not for every record.
    pub(super) fn patient(mut self) -> Self {
        self.is_patient = true;
        self
    }

    /// The reader as a stream.
    pub(super) fn stream(self) -> BoxStream<'static, HostDelivery> {
        // Boxed, because it is handed in and out for every record.
        Box::pin(stream::unfold(Box::new(self), |mut reader| async move {
            reader.next().await.map(|delivery| (delivery, reader))
        }))
    }

    async fn next(&mut self) -> Option<HostDelivery> {
        while !self.is_over {
            if let Some(record) = self.page.pop_front() {
                if let Some(record) = self.take(record) {
                    return Some(HostDelivery::Record(record));
                }
                continue;
            }
            match &mut self.live {
                Some(live) => match live.next_here().await {
                    LogPart::Record(record) => {
                        // It has caught up: the old seat would make the log keep what it has read.
                        drop(self.seat.take());
                        self.page.push_back(record);
                    }
                    LogPart::Behind | LogPart::Closed => self.seat = self.live.take(),
                },
                None => {
                    if let Err(failure) = self.turn_page().await {
                        tracing::warn!(session = %self.slot.session_id, "a reader cannot go on: {failure}");
                        self.is_over = true;
                        return Some(HostDelivery::Gap);
                    }
                }
            }
        }
        std::mem::take(&mut self.is_deleted).then_some(HostDelivery::Deleted)
    }

    /// Passes a record on if it is new and wanted.
    fn take(&mut self, record: Arc<Record>) -> Option<Arc<Record>> {
        // Pages of the journal and the log overlap where one goes over into the other.
        if record.seq <= self.cursor {
            return None;
        }
        self.cursor = record.seq;
        if let ReadSubject::Run(run_id) = &self.subject {
            if record.run_id != *run_id {
                return None;
            }
            self.is_over = matches!(record.event, Event::Durable(DurableEvent::RunEnded { .. }));
        }
        Some(record)
    }

    /// Gets the next page of the journal, or finds out how to wait for one.
    async fn turn_page(&mut self) -> Result<(), JournalFailure> {
        if self.join_ring() || self.load().await? {
            return Ok(());
        }
        // A reader that waits keeps no memory: a server has one for every page that is open somewhere.
        self.page = VecDeque::new();
        match self.slot.log() {
            Some(log) => self.join(&log).await,
            None => self.wait_for_opening().await,
        }
    }

    /// What is still in the log is nearer than the journal, and readers share it.
    fn join_ring(&mut self) -> bool {
        self.live = self
            .slot
            .log()
            .filter(|log| log.last_seq() > self.cursor)
            .and_then(|log| log.join_after(self.cursor))
            .map(|live| self.seated(live));
        self.live.is_some()
    }

    fn seated(&self, live: Subscription) -> Subscription {
        if self.is_patient { live.patient() } else { live }
    }

    async fn load(&mut self) -> Result<bool, JournalFailure> {
        let session_id = &self.slot.session_id;
        let page = self.store.load_page(session_id, self.cursor, PAGE_RECORDS_MAX).await?;
        self.page = page.into();
        Ok(!self.page.is_empty())
    }

    async fn join(&mut self, log: &EventLog) -> Result<(), JournalFailure> {
        if let Some(live) = log.join_after(self.cursor) {
            self.live = Some(self.seated(live));
            return Ok(());
        }
        // The next records are deltas that have left the log and are not in the journal yet. They are held
        // until they are there, so they are looked up before the journal is.
        let tail = log.join_oldest();
        let held = log.held();
        if self.load().await? {
            return Ok(());
        }
        self.page = held.into_iter().filter(|record| record.seq > self.cursor).collect();
        if !self.page.is_empty() {
            return Ok(());
        }
        self.wait_for_durable(tail).await
    }

    /// What came after the cursor is nowhere: it went with an end that could not be written down, or its
    /// journal is about to have it.
    async fn wait_for_durable(&mut self, mut tail: Subscription) -> Result<(), JournalFailure> {
        let has_ended = match &self.subject {
            ReadSubject::Run(run_id) => self.slot.run().as_ref() != Some(run_id),
            ReadSubject::Session => self.slot.run().is_none(),
        };
        loop {
            if has_ended && tail.has_read_all() {
                // Nothing more comes of the run; a session may have another.
                self.is_over = matches!(self.subject, ReadSubject::Run(_));
                self.live = Some(self.seated(tail));
                return Ok(());
            }
            match tail.next_here().await {
                LogPart::Record(record) if !record.event.is_durable() => {}
                LogPart::Record(record) => {
                    // A durable record that is not in the journal belongs to an end that could not be written
                    // down; what came before it is lost, and the end is told all the same.
                    if !self.load().await? {
                        self.page.push_back(record);
                        self.live = Some(self.seated(tail));
                    }
                    return Ok(());
                }
                LogPart::Behind | LogPart::Closed => return Ok(()),
            }
        }
    }

    /// Nobody has the session open: the run ended meanwhile, or it stopped in the middle, or another process
    /// writes it.
    async fn wait_for_opening(&mut self) -> Result<(), JournalFailure> {
        let slot = Arc::clone(&self.slot);
        let shutdown = Arc::clone(&self.shutdown);
        let (mut opened, mut closing) = (pin!(slot.opened.notified()), pin!(shutdown.told.notified()));
        // Listening begins before the look, or an opening in between would wake nobody.
        opened.as_mut().enable();
        closing.as_mut().enable();
        if slot.is_open() {
            return Ok(());
        }
        if let Some(look_ms) = self.look().await? {
            if shutdown.has_begun() {
                // Whoever comes back finds the run where it stopped.
                self.is_over = true;
                return Ok(());
            }
            tokio::select! {
                () = opened => {}
                () = closing => {}
                () = tokio::time::sleep(Duration::from_millis(look_ms)) => {}
            }
        }
        Ok(())
    }

    /// Looks into the store: how long to wait before the next look, if there is something to wait for.
    async fn look(&mut self) -> Result<Option<u64>, JournalFailure> {
        match &self.subject {
            ReadSubject::Run(run_id) => match self.store.run(run_id).await {
                // What came on record meanwhile is read first.
                Ok(row) if row.outcome.is_some() => self.is_over = !self.load().await?,
                Ok(_) => return Ok(Some(FOREIGN_LOOK_MS)),
                Err(_) => self.is_over = true,
            },
            ReadSubject::Session => match self.store.session(&self.slot.session_id).await {
                Ok(_) => return Ok((!self.load().await?).then_some(SESSION_LOOK_MS)),
                Err(StoreFailure::Missing(_)) => (self.is_over, self.is_deleted) = (true, true),
                Err(failure) => return Err(JournalFailure { message: failure.to_string() }),
            },
        }
        Ok(None)
    }
}

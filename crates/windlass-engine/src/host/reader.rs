//! The records of one run, for one reader at its own speed.
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
use windlass_core::event::{Event, Record};
use windlass_core::host::HostDelivery;
use windlass_core::ids::RunId;
use windlass_core::port::{BoxStream, JournalFailure};
use windlass_core::store::StorePort;

use super::berth::Berth;
use super::{Dusk, Host};
use crate::bus::{EventLog, Here, Subscription};
use crate::limits::{FOREIGN_LOOK_MS, PAGE_RECORDS_MAX};

/// A reader's place.
pub(super) struct Reader {
    store: Arc<dyn StorePort>,
    berth: Arc<Berth>,
    run_id: RunId,
    cursor: u64,
    page: VecDeque<Arc<Record>>,
    live: Option<Subscription>,
    dusk: Arc<Dusk>,
    is_over: bool,
}

impl Reader {
    /// A reader of what comes after a number.
    pub(super) fn new(host: &Host, berth: Arc<Berth>, run_id: RunId, after: u64) -> Self {
        Self {
            store: Arc::clone(&host.parts.store),
            berth,
            run_id,
            cursor: after,
            page: VecDeque::new(),
            live: None,
            dusk: Arc::clone(&host.dusk),
            is_over: false,
        }
    }

    /// A reader that has read everything.
    pub(super) fn ended(mut self) -> Self {
        self.is_over = true;
        self
    }

    /// The reader as a stream.
    pub(super) fn stream(self) -> BoxStream<'static, HostDelivery> {
        Box::pin(stream::unfold(self, |mut reader| async move {
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
                    Here::Record(record) => self.page.push_back(record),
                    Here::Behind | Here::Closed => self.live = None,
                },
                None => {
                    if let Err(failure) = self.turn_page().await {
                        tracing::warn!(run = %self.run_id, "a reader cannot go on: {failure}");
                        self.is_over = true;
                        return Some(HostDelivery::Gap);
                    }
                }
            }
        }
        None
    }

    /// Passes a record on if it is new and of this run.
    fn take(&mut self, record: Arc<Record>) -> Option<Arc<Record>> {
        if record.seq <= self.cursor {
            return None;
        }
        self.cursor = record.seq;
        if record.run_id != self.run_id {
            return None;
        }
        self.is_over = matches!(record.event, Event::RunEnded { .. });
        Some(record)
    }

    /// Gets the next page of the journal, or finds out how to wait for one.
    async fn turn_page(&mut self) -> Result<(), JournalFailure> {
        if self.load().await? {
            return Ok(());
        }
        self.page = VecDeque::new();
        match self.berth.log() {
            Some(log) => self.join(&log).await,
            None => self.wait_for_opening().await,
        }
    }

    async fn load(&mut self) -> Result<bool, JournalFailure> {
        let session_id = &self.berth.session_id;
        let page = self.store.load_page(session_id, self.cursor, PAGE_RECORDS_MAX).await?;
        self.page = page.into();
        Ok(!self.page.is_empty())
    }

    async fn join(&mut self, log: &EventLog) -> Result<(), JournalFailure> {
        if let Some(live) = log.join_after(self.cursor) {
            self.live = Some(live);
            return Ok(());
        }
        // The next records are deltas that have left the log and are not in the journal yet: they will be
        // there with the next durable record. Looked for once more, lest that was missed meanwhile.
        let mut tail = log.subscribe();
        if self.load().await? {
            return Ok(());
        }
        if self.berth.run().as_ref() != Some(&self.run_id) {
            // It ended and could not write that down: nothing more will come.
            self.is_over = true;
            return Ok(());
        }
        loop {
            match tail.next_here().await {
                Here::Record(record) if !record.event.is_durable() => {}
                Here::Record(record) => {
                    // A durable record that is not in the journal belongs to an end that could not be written
                    // down; what came before it is lost, and the end is told all the same.
                    if !self.load().await? {
                        self.page.push_back(record);
                        self.live = Some(tail);
                    }
                    return Ok(());
                }
                Here::Behind | Here::Closed => return Ok(()),
            }
        }
    }

    /// Nobody has the session open: the run ended meanwhile, or it stopped in the middle, or another process
    /// writes it.
    async fn wait_for_opening(&mut self) -> Result<(), JournalFailure> {
        let berth = Arc::clone(&self.berth);
        let dusk = Arc::clone(&self.dusk);
        let (mut opened, mut closing) = (pin!(berth.opened.notified()), pin!(dusk.told.notified()));
        opened.as_mut().enable();
        closing.as_mut().enable();
        if berth.is_open() {
            return Ok(());
        }
        match self.store.run(&self.run_id).await {
            // What came on record meanwhile is read first.
            Ok(row) if row.outcome.is_some() => self.is_over = !self.load().await?,
            // Whoever comes back finds the run where it stopped.
            Ok(_) if dusk.has_come() => self.is_over = true,
            Ok(_) => tokio::select! {
                () = opened => {}
                () = closing => {}
                () = tokio::time::sleep(Duration::from_millis(FOREIGN_LOOK_MS)) => {}
            },
            Err(_) => self.is_over = true,
        }
        Ok(())
    }
}

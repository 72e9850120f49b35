//! The events of one session on their way to everybody who listens.
//!
//! Publishing pushes one record to a bounded ring and wakes who waits; it never waits for a
//! subscriber. A subscriber is a cursor into the ring. One that fell behind gets what it missed from
//! the journal, as one snapshot. Whoever publishes has numbered the record and, if it is durable,
//! journaled it before (wall 6). Deltas are journaled with the next durable record; until then they are
//! held here, so that one who joins or falls behind in the middle of a step misses none of them.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures::Stream;
use windlass_core::ports::{BoxFuture, JournalFailure, JournalPort};
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::SessionId;

use crate::limits::{DELIVERY_BATCH, RING_RECORDS_MAX};

/// How large a bus may grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BusConfig {
    /// Records kept for subscribers.
    pub ring_records_max: usize,
}

impl Default for BusConfig {
    fn default() -> Self {
        Self { ring_records_max: RING_RECORDS_MAX }
    }
}

/// What a subscriber gets.
#[derive(Debug, Clone, PartialEq)]
pub enum Delivery {
    Record(Arc<Record>),
    /// The subscriber fell behind: all records after its last one up to `upto_seq`, in order.
    Snapshot {
        records: Vec<Arc<Record>>,
        /// The sequence number after which records go on.
        upto_seq: u64,
    },
    /// The subscriber fell behind and the journal could not say what it missed: it must start anew.
    Gap {
        /// The last sequence number before the gap.
        after_seq: u64,
        /// The sequence number after which records go on.
        upto_seq: u64,
        failure: JournalFailure,
    },
    /// The session is over; nothing comes after this.
    Closed,
}

/// What is here for a reader that looks things up in the journal itself.
#[derive(Debug, Clone, PartialEq)]
pub enum LogPart {
    Record(Arc<Record>),
    /// The next record is gone: the journal has it, or will have it with its next append.
    Behind,
    /// The session is over here.
    Closed,
}

/// The events of one session; clones are the same log.
#[derive(Clone)]
pub struct EventLog {
    shared: Arc<SharedLog>,
}

struct SharedLog {
    session_id: SessionId,
    journal: Arc<dyn JournalPort>,
    ring_records_max: usize,
    state: Mutex<LogState>,
}

struct LogState {
    /// The newest records. Empty and without memory while nothing happens.
    ring: VecDeque<Arc<Record>>,
    /// Deltas that were published and are not in the journal yet.
    held: Vec<Arc<Record>>,
    /// Number of the newest record published.
    last_seq: u64,
    /// Number of the newest record that is not in the ring any more.
    gone_seq: u64,
    /// Whether the last run has ended: the ring can go as soon as everybody has read it.
    is_resting: bool,
    is_closed: bool,
    /// One place for each subscriber; freed places are used again.
    seats: Vec<Option<ReaderSeat>>,
}

struct ReaderSeat {
    /// Number of the newest record that the subscriber took.
    cursor: u64,
    waker: Option<Waker>,
    /// Whether it wants everything and nothing of it at once.
    is_patient: bool,
}

impl EventLog {
    /// The log of a new session.
    pub fn new(session_id: SessionId, journal: Arc<dyn JournalPort>) -> Self {
        Self::resume(session_id, journal, 0, BusConfig::default())
    }

    /// The log of a session whose newest record so far is `last_seq`.
    pub fn resume(
        session_id: SessionId,
        journal: Arc<dyn JournalPort>,
        last_seq: u64,
        config: BusConfig,
    ) -> Self {
        let state = LogState {
            ring: VecDeque::new(),
            held: Vec::new(),
            last_seq,
            gone_seq: last_seq,
            is_resting: true,
            is_closed: false,
            seats: Vec::new(),
        };
        let ring_records_max = config.ring_records_max.max(1);
        let shared = SharedLog { session_id, journal, ring_records_max, state: Mutex::new(state) };
        Self { shared: Arc::new(shared) }
    }

    /// Shows a record to everybody. Its number must be larger than all before it.
    pub fn publish(&self, record: Arc<Record>) {
        self.show(record, false);
    }

    /// Shows a delta that is not in the journal yet, and holds it until `release` says that it is. How many
    /// are held now.
    pub fn publish_held(&self, record: Arc<Record>) -> usize {
        self.show(record, true)
    }

    /// The deltas that are held, in order: what has to go to the journal before the next record.
    pub fn held(&self) -> Vec<Arc<Record>> {
        self.shared.lock().held.clone()
    }

    /// The journal has everything up to this number: no delta before it is held any longer.
    pub fn release(&self, upto_seq: u64) {
        let mut state = self.shared.lock();
        state.held.retain(|record| record.seq > upto_seq);
        if state.held.is_empty() {
            // `clear` would keep the memory of the longest step for as long as the session is open.
            state.held = Vec::new();
        }
    }

    fn show(&self, record: Arc<Record>, is_held: bool) -> usize {
        let mut state = self.shared.lock();
        if state.is_closed || record.seq <= state.last_seq {
            let (seq, last_seq) = (record.seq, state.last_seq);
            drop(state);
            // A cursor cannot pass the same number twice: the session numbers its records upwards.
            tracing::error!(seq, last_seq, session = %self.shared.session_id, "record out of order or after the end");
            return 0;
        }
        if is_held {
            state.held.push(Arc::clone(&record));
        }
        if state.ring.len() >= self.shared.ring_records_max
            && let Some(oldest) = state.ring.pop_front()
        {
            state.gone_seq = oldest.seq;
        }
        state.last_seq = record.seq;
        state.is_resting = matches!(record.event, Event::Durable(DurableEvent::RunEnded { .. }));
        // A step that has ended is whole in one record: its pieces are only for those who still read them.
        if matches!(record.event, Event::Durable(DurableEvent::StepEnded { .. })) {
            state.forget_read();
        }
        state.ring.push_back(record);
        state.rest();
        let held = state.held.len();
        let wakers = state.wakers_due(self.shared.ring_records_max / 2);
        drop(state);
        // Outside the lock: whoever wakes takes it at once.
        wakers.into_iter().for_each(Waker::wake);
        held
    }

    /// Listens to everything from now on.
    pub fn subscribe(&self) -> Subscription {
        self.sit_down(self.shared.lock(), None)
    }

    /// Listens to everything after a number: what was missed comes first.
    pub fn subscribe_after(&self, seq: u64) -> Subscription {
        self.sit_down(self.shared.lock(), Some(seq))
    }

    /// Listens to everything after a number, if all of that is still here; nothing otherwise: read the journal
    /// first.
    pub fn join_after(&self, seq: u64) -> Option<Subscription> {
        let state = self.shared.lock();
        let is_whole = seq >= state.gone_seq && seq <= state.last_seq;
        is_whole.then(|| self.sit_down(state, Some(seq)))
    }

    /// Listens from the oldest record that is still here.
    pub(crate) fn join_oldest(&self) -> Subscription {
        let state = self.shared.lock();
        let oldest = state.gone_seq;
        self.sit_down(state, Some(oldest))
    }

    fn sit_down(&self, mut state: MutexGuard<'_, LogState>, after: Option<u64>) -> Subscription {
        // A number from outside may lie ahead; a cursor there would pass over the records up to it.
        let cursor = after.unwrap_or(state.last_seq).min(state.last_seq);
        let seat = Some(ReaderSeat { cursor, waker: None, is_patient: false });
        let free = state.seats.iter().position(Option::is_none);
        let seat_at = match free.and_then(|at| state.seats.get_mut(at).map(|place| (at, place))) {
            Some((at, place)) => {
                *place = seat;
                at
            }
            None => {
                state.seats.push(seat);
                state.seats.len() - 1
            }
        };
        drop(state);
        Subscription {
            shared: Arc::clone(&self.shared),
            seat_at,
            cursor,
            batch: VecDeque::new(),
            loading: None,
            is_over: false,
        }
    }

    /// Ends the log: subscribers read what is left and then `Closed`.
    pub fn close(&self) {
        let mut state = self.shared.lock();
        state.is_closed = true;
        let wakers = state.take_wakers();
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// The number of the newest record published.
    pub fn last_seq(&self) -> u64 {
        self.shared.lock().last_seq
    }

    pub fn subscribers(&self) -> usize {
        self.shared.lock().seats.iter().flatten().count()
    }
}

impl std::fmt::Debug for EventLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "EventLog({} at {})", self.shared.session_id, self.last_seq())
    }
}

impl SharedLog {
    fn lock(&self) -> MutexGuard<'_, LogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LogState {
    fn take_wakers(&mut self) -> Vec<Waker> {
        self.seats.iter_mut().flatten().filter_map(|seat| seat.waker.take()).collect()
    }

    /// Whoever has to look now: a patient reader only at the end of a run, or before the ring loses what it has not
    /// read.
    fn wakers_due(&mut self, unread_many: usize) -> Vec<Waker> {
        let (last_seq, is_end) = (self.last_seq, self.is_resting);
        let is_due = |seat: &&mut ReaderSeat| {
            let unread = last_seq.saturating_sub(seat.cursor);
            !seat.is_patient || is_end || unread >= unread_many as u64
        };
        self.seats.iter_mut().flatten().filter(is_due).filter_map(|seat| seat.waker.take()).collect()
    }

    /// Drops what every subscriber has taken.
    fn forget_read(&mut self) {
        // Where nobody listens all of it goes: whoever comes later reads the journal.
        let taken = self.seats.iter().flatten().map(|seat| seat.cursor).min().unwrap_or(u64::MAX);
        while let Some(oldest) = self.ring.pop_front_if(|oldest| oldest.seq <= taken) {
            self.gone_seq = oldest.seq;
        }
    }

    /// Gives the ring's memory back when no run goes on and nobody has anything left to read.
    fn rest(&mut self) {
        let last_seq = self.last_seq;
        if self.is_resting && self.seats.iter().flatten().all(|seat| seat.cursor >= last_seq) {
            self.ring = VecDeque::new();
            self.gone_seq = last_seq;
        }
    }
}

/// One listener: a cursor with its own speed. Also a stream, which ends after `Closed`.
pub struct Subscription {
    shared: Arc<SharedLog>,
    seat_at: usize,
    cursor: u64,
    batch: VecDeque<Arc<Record>>,
    loading: Option<Loading>,
    is_over: bool,
}

struct Loading {
    upto_seq: u64,
    /// Deltas that were not in the journal when the loading began. They are looked up before the journal is:
    /// a record leaves this list only when the journal has it.
    held: Vec<Arc<Record>>,
    records: BoxFuture<'static, Result<Vec<Arc<Record>>, JournalFailure>>,
}

/// What the ring has for a cursor.
enum Refill {
    Some,
    Behind { upto_seq: u64, held: Vec<Arc<Record>> },
    Closed,
    Nothing,
}

impl Subscription {
    /// The same for a reader that needs all records and none of them before the run has ended: it is woken then, and
    /// when many are there.
    pub(crate) fn patient(self) -> Self {
        if let Some(Some(seat)) = self.shared.lock().seats.get_mut(self.seat_at) {
            seat.is_patient = true;
        }
        self
    }

    /// The next delivery; `Closed` again and again after the end.
    pub async fn next(&mut self) -> Delivery {
        let next = std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await;
        next.unwrap_or(Delivery::Closed)
    }

    /// The next record that is still here, for readers that look things up in the journal themselves.
    pub async fn next_here(&mut self) -> LogPart {
        std::future::poll_fn(|context| {
            loop {
                if let Some(record) = self.batch.pop_front() {
                    return Poll::Ready(LogPart::Record(record));
                }
                match self.refill(context.waker()) {
                    Refill::Some => {}
                    Refill::Behind { .. } => return Poll::Ready(LogPart::Behind),
                    Refill::Closed => return Poll::Ready(LogPart::Closed),
                    Refill::Nothing => return Poll::Pending,
                }
            }
        })
        .await
    }

    /// Whether there is nothing to read now.
    pub(crate) fn has_read_all(&self) -> bool {
        self.batch.is_empty() && self.cursor >= self.shared.lock().last_seq
    }

    fn refill(&mut self, waker: &Waker) -> Refill {
        let mut state = self.shared.lock();
        // Before the end is told: a closed log still owes what was missed.
        if self.cursor < state.gone_seq {
            let (cursor, upto_seq) = (self.cursor, state.gone_seq);
            let is_missed = |record: &&Arc<Record>| record.seq > cursor && record.seq <= upto_seq;
            return Refill::Behind { upto_seq, held: state.held.iter().filter(is_missed).cloned().collect() };
        }
        let start = state.ring.partition_point(|record| record.seq <= self.cursor);
        self.batch.extend(state.ring.iter().skip(start).take(DELIVERY_BATCH).cloned());
        if let Some(newest) = self.batch.back() {
            self.cursor = newest.seq;
            if let Some(Some(seat)) = state.seats.get_mut(self.seat_at) {
                seat.cursor = self.cursor;
            }
            state.rest();
            return Refill::Some;
        }
        if state.is_closed {
            return Refill::Closed;
        }
        if let Some(Some(seat)) = state.seats.get_mut(self.seat_at) {
            // A reader that sends what it has looks again before it waits: mostly its waker is there already.
            match &mut seat.waker {
                Some(known) => known.clone_from(waker),
                none => *none = Some(waker.clone()),
            }
        }
        // An idle subscriber keeps no memory for a batch that may never come.
        drop(state);
        self.batch = VecDeque::new();
        Refill::Nothing
    }

    fn load(&self, upto_seq: u64, held: Vec<Arc<Record>>) -> Loading {
        let (shared, after) = (Arc::clone(&self.shared), self.cursor);
        let records = Box::pin(async move { shared.journal.load(&shared.session_id, after).await });
        Loading { upto_seq, held, records }
    }

    /// What the journal gave instead of the records that left the ring.
    fn caught_up(
        &mut self,
        upto_seq: u64,
        held: Vec<Arc<Record>>,
        loaded: Result<Vec<Arc<Record>>, JournalFailure>,
    ) -> Delivery {
        // Also when loading failed: a cursor that stayed would ask the same journal again and again.
        let after_seq = std::mem::replace(&mut self.cursor, upto_seq);
        let mut state = self.shared.lock();
        if let Some(Some(seat)) = state.seats.get_mut(self.seat_at) {
            seat.cursor = upto_seq;
        }
        drop(state);
        match loaded {
            Ok(mut records) => {
                // What was held meanwhile came to the journal in the same order, if it came at all.
                let journaled_seq = records.last().map_or(0, |record| record.seq);
                records.extend(held.into_iter().filter(|record| record.seq > journaled_seq));
                records.retain(|record| record.seq <= upto_seq);
                Delivery::Snapshot { records, upto_seq }
            }
            Err(failure) => Delivery::Gap { after_seq, upto_seq, failure },
        }
    }
}

impl Stream for Subscription {
    type Item = Delivery;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Delivery>> {
        let this = &mut *self;
        loop {
            if this.is_over {
                return Poll::Ready(None);
            }
            if let Some(record) = this.batch.pop_front() {
                return Poll::Ready(Some(Delivery::Record(record)));
            }
            // Kept in the subscription: a `next` that is dropped in a select loses nothing of what is being
            // loaded.
            if let Some(loading) = &mut this.loading {
                let Poll::Ready(loaded) = loading.records.as_mut().poll(context) else {
                    return Poll::Pending;
                };
                let (upto_seq, held) = (loading.upto_seq, std::mem::take(&mut loading.held));
                this.loading = None;
                return Poll::Ready(Some(this.caught_up(upto_seq, held, loaded)));
            }
            match this.refill(context.waker()) {
                Refill::Some => {}
                Refill::Behind { upto_seq, held } => this.loading = Some(this.load(upto_seq, held)),
                Refill::Closed => {
                    this.is_over = true;
                    return Poll::Ready(Some(Delivery::Closed));
                }
                Refill::Nothing => return Poll::Pending,
            }
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if let Some(place) = state.seats.get_mut(self.seat_at) {
            *place = None;
        }
        // Only from the end: all others know their seats by number.
        while matches!(state.seats.last(), Some(None)) {
            state.seats.pop();
        }
        if state.seats.is_empty() {
            state.seats = Vec::new();
        }
        // Whoever leaves may have been the last with something to read.
        state.rest();
    }
}

#[cfg(test)]
#[path = "bus_tests.rs"]
mod tests;

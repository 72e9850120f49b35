//! The place of a session in the host: its actor while it is open, and who waits for it to open.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Mutex as AsyncMutex, Notify};
use windlass_core::ports::ModelPort;
use windlass_core::protocol::command::RunSetup;
use windlass_core::protocol::ids::{Millis, RunId, SessionId};

use crate::bus::EventLog;
use crate::limits::SLOTS_FEW;
use crate::session::Session;

/// What a session was opened with; a run that wishes for something else opens it anew.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OpenedWith {
    /// The model as it was asked for.
    pub(super) model: Option<String>,
    /// The profile as it was asked for.
    pub(super) profile: Option<String>,
    /// Whether calls start as soon as they are complete, where the run said so.
    pub(super) executes_while_streaming: Option<bool>,
    /// Which version of the model it was.
    pub(super) edition: u64,
    /// What the run on record began with, for which it was opened.
    pub(super) begun: Option<Arc<RunSetup>>,
}

#[derive(Clone)]
pub(super) struct OpenedSession {
    pub(super) session: Session,
    pub(super) log: Arc<EventLog>,
    pub(super) setup: OpenedWith,
    pub(super) model: Arc<dyn ModelPort>,
}

/// The place of one session.
pub(super) struct SessionSlot {
    pub(super) session_id: SessionId,
    /// Taken by whoever opens, closes, starts a run or cancels one: these happen one after another.
    pub(super) change: AsyncMutex<()>,
    state: Mutex<SessionSlotState>,
    /// Wakes readers when the session opens.
    pub(super) opened: Notify,
    used_ms: AtomicU64,
    /// How many are open, all together.
    open_count: Arc<AtomicUsize>,
}

#[derive(Default)]
struct SessionSlotState {
    open: Option<OpenedSession>,
    run: Option<RunId>,
}

impl SessionSlot {
    fn new(session_id: SessionId, open_count: Arc<AtomicUsize>) -> Self {
        Self {
            session_id,
            change: AsyncMutex::new(()),
            state: Mutex::default(),
            opened: Notify::new(),
            used_ms: AtomicU64::new(0),
            open_count,
        }
    }

    fn lock(&self) -> MutexGuard<'_, SessionSlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session, if it is open.
    pub(super) fn open(&self) -> Option<OpenedSession> {
        self.lock().open.clone()
    }

    /// Its events, if it is open.
    pub(super) fn log(&self) -> Option<Arc<EventLog>> {
        self.lock().open.as_ref().map(|open| Arc::clone(&open.log))
    }

    pub(super) fn is_open(&self) -> bool {
        self.lock().open.is_some()
    }

    /// The run that goes on in it.
    pub(super) fn run(&self) -> Option<RunId> {
        self.lock().run.clone()
    }

    pub(super) fn begin_run(&self, run_id: RunId, now: Millis) {
        self.lock().run = Some(run_id);
        self.touch(now);
    }

    pub(super) fn end_run(&self, run_id: &RunId, now: Millis) {
        // The late end of one run must not take its successor off the slot.
        self.lock().run.take_if(|run| run == run_id);
        self.touch(now);
    }

    pub(super) fn put(&self, open: OpenedSession, now: Millis) {
        if self.lock().open.replace(open).is_none() {
            self.open_count.fetch_add(1, Ordering::Relaxed);
        }
        self.touch(now);
        self.opened.notify_waiters();
    }

    pub(super) fn take(&self) -> Option<OpenedSession> {
        let mut state = self.lock();
        state.run = None;
        let open = state.open.take()?;
        self.open_count.fetch_sub(1, Ordering::Relaxed);
        Some(open)
    }

    /// Something happened in it.
    pub(super) fn touch(&self, now: Millis) {
        self.used_ms.store(now, Ordering::Relaxed);
    }

    /// When something last happened in it.
    pub(super) fn used_ms(&self) -> Millis {
        self.used_ms.load(Ordering::Relaxed)
    }

    pub(super) fn is_idle(&self) -> bool {
        let state = self.lock();
        state.open.is_some() && state.run.is_none()
    }
}

/// All places. Those that nobody uses are forgotten, from time to time and when they have become many.
#[derive(Default)]
pub(super) struct SessionSlots {
    places: Mutex<SlotTable>,
    open_count: Arc<AtomicUsize>,
}

#[derive(Default)]
struct SlotTable {
    all: HashMap<SessionId, Arc<SessionSlot>>,
    /// How many there may be before those that nobody uses are looked for.
    many: usize,
}

impl SlotTable {
    fn forget_unused(&mut self) {
        // Whoever takes a place does so under the lock, so a count of one cannot grow meanwhile.
        self.all.retain(|_, slot| slot.is_open() || Arc::strong_count(slot) > 1);
        self.many = self.all.len().saturating_mul(2).max(SLOTS_FEW);
    }
}

impl SessionSlots {
    fn lock(&self) -> MutexGuard<'_, SlotTable> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The place of a session.
    pub(super) fn at(&self, session_id: &SessionId) -> Arc<SessionSlot> {
        let mut places = self.lock();
        if places.all.len() >= places.many {
            places.forget_unused();
        }
        let new = || Arc::new(SessionSlot::new(session_id.clone(), Arc::clone(&self.open_count)));
        Arc::clone(places.all.entry(session_id.clone()).or_insert_with(new))
    }

    pub(super) fn all(&self) -> Vec<Arc<SessionSlot>> {
        self.lock().all.values().map(Arc::clone).collect()
    }

    pub(super) fn open_count(&self) -> usize {
        self.open_count.load(Ordering::Relaxed)
    }

    /// Drops the places that are not open and that nobody looks at.
    pub(super) fn forget_unused(&self) {
        self.lock().forget_unused();
    }
}

//! Requests that go on, by the id that the client gave them, so that they can be cancelled by it (E-37).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use windlass_core::protocol::ids::RunId;

/// The requests that go on. As many as there are EDISON requests at work, which the server bounds.
#[derive(Debug, Default)]
pub(crate) struct Requests(Mutex<HashMap<String, RequestSlot>>);

#[derive(Debug, Default)]
struct RequestSlot {
    run_id: Option<RunId>,
    is_cancelled: bool,
}

/// What a cancel met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Met {
    /// A run: stop it.
    Run(RunId),
    /// A request whose run has not begun: it will be stopped as soon as it has.
    Beginning,
    Nothing,
}

impl Requests {
    fn slots(&self) -> MutexGuard<'_, HashMap<String, RequestSlot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request begins; nothing if one of this id goes on.
    pub(super) fn enter(self: &Arc<Self>, id: &str) -> Option<RunningRequest> {
        let mut slots = self.slots();
        if slots.contains_key(id) {
            return None;
        }
        slots.insert(id.to_owned(), RequestSlot::default());
        Some(RunningRequest { requests: Arc::clone(self), id: id.to_owned() })
    }

    /// Marks a request as cancelled.
    pub(super) fn cancel(&self, id: &str) -> Met {
        let mut slots = self.slots();
        let Some(slot) = slots.get_mut(id) else { return Met::Nothing };
        slot.is_cancelled = true;
        slot.run_id.clone().map_or(Met::Beginning, Met::Run)
    }
}

/// A request that goes on; forgotten when it is dropped.
#[derive(Debug)]
pub(super) struct RunningRequest {
    requests: Arc<Requests>,
    id: String,
}

impl RunningRequest {
    /// Its run has begun; whether it was cancelled before that.
    pub(super) fn started(&self, run_id: &RunId) -> bool {
        let mut slots = self.requests.slots();
        let Some(slot) = slots.get_mut(&self.id) else { return false };
        slot.run_id = Some(run_id.clone());
        slot.is_cancelled
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        self.requests.slots().remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e_37_a_request_is_cancelled_by_its_id_before_and_while_it_runs() {
        let requests = Arc::new(Requests::default());
        let (early, late) = (requests.enter("a").unwrap(), requests.enter("b").unwrap());
        assert!(requests.enter("a").is_none(), "an id stands for one request");
        assert_eq!(requests.cancel("a"), Met::Beginning);
        assert!(early.started(&"run_1".into()), "it was cancelled before it began");
        assert!(!late.started(&"run_2".into()));
        assert_eq!(requests.cancel("b"), Met::Run("run_2".into()));
        drop((early, late));
        assert_eq!(requests.cancel("a"), Met::Nothing);
        assert!(requests.enter("a").is_some());
    }
}

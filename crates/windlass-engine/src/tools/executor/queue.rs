//! The queue of one executor: calls that wait for it, what it has to know, and its answers.
//!
//! News are numbered. An executor names the last number that it has; what came after it is given again until it is
//! named, so an answer that is lost on its way loses no call, and none is run twice. A call that was handed out may
//! have happened; one that was not has not.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, timeout_at};
use windlass_core::ports::host::{ExecutorAnswer, ExecutorNews, RequestedCall};

use crate::cancel::CancelSignal;
use crate::limits::{EXECUTOR_CALLS_AT_ONCE, EXECUTOR_CALLS_MAX, EXECUTOR_NEWS_MAX};

/// The queue of one executor.
pub(super) struct CallQueue {
    pub(super) executor_id: String,
    pub(super) name: String,
    secret: String,
    /// How long it may be silent; for ever if it is in this process.
    lease: Option<Duration>,
    state: Mutex<QueueState>,
    news: Notify,
}

struct QueueState {
    /// The number of the newest piece of news.
    last: u64,
    /// The newest that was handed out: nobody has seen what is above it.
    handed: u64,
    /// News that the executor has not said to have.
    news: VecDeque<(u64, QueueNews)>,
    /// Calls that wait for their answer.
    open: BTreeMap<u64, QueuedCall>,
    /// The newest request for news.
    poll: u64,
    polls: usize,
    /// When it was heard of last.
    heard: Instant,
    is_gone: bool,
}

enum QueueNews {
    Call(Box<RequestedCall>),
    Stop(u64),
}

struct QueuedCall {
    done: oneshot::Sender<QueuedEnd>,
    stop: CancelSignal,
}

/// How a call at a queue ended.
pub(super) enum QueuedEnd {
    Answered(Box<ExecutorAnswer>),
    /// The executor went away; whether it had the call.
    Gone {
        was_handed: bool,
    },
    /// There are too many.
    Full,
}

/// Why an executor is not served.
pub(super) enum QueueRefusal {
    /// It counts as gone.
    Gone,
    /// It names news that there are not.
    Cursor,
    /// It was never given such a call.
    UnknownCall,
    /// The call has its end.
    CallOver,
}

impl CallQueue {
    pub(super) fn new(executor_id: String, name: String, secret: String, lease: Option<Duration>) -> Self {
        let state = QueueState {
            last: 0,
            handed: 0,
            news: VecDeque::new(),
            open: BTreeMap::new(),
            poll: 0,
            polls: 0,
            heard: Instant::now(),
            is_gone: false,
        };
        Self { executor_id, name, secret, lease, state: Mutex::new(state), news: Notify::new() }
    }

    pub(super) fn secret(&self) -> &str {
        &self.secret
    }

    /// Takes as long for a nearly right secret as for any other.
    pub(super) fn has_secret(&self, shown: &str) -> bool {
        let pairs = self.secret.bytes().zip(shown.bytes());
        shown.len() == self.secret.len() && pairs.fold(0, |sum, (own, shown)| sum | (own ^ shown)) == 0
    }

    pub(super) fn open_calls(&self) -> usize {
        self.state().open.len()
    }

    /// How long it may still be silent; nothing if it is gone, or may be silent for ever.
    pub(super) fn lease_left(&self) -> Option<Duration> {
        let (lease, state) = (self.lease?, self.state());
        let silent = if state.polls > 0 { Duration::ZERO } else { state.heard.elapsed() };
        (!state.is_gone).then(|| lease.saturating_sub(silent))
    }

    /// Puts a call on the queue and waits for its end. Dropping the future stops the call.
    pub(super) async fn request(&self, call: RequestedCall) -> QueuedEnd {
        let (number, ended) = match self.put(call) {
            Ok(put) => put,
            Err(end) => return end,
        };
        let _waits = AwaitedCall { queue: self, call: number };
        // The worse of two guesses: what may have happened is not repeated.
        ended.await.unwrap_or(QueuedEnd::Gone { was_handed: true })
    }

    fn put(&self, call: RequestedCall) -> Result<(u64, oneshot::Receiver<QueuedEnd>), QueuedEnd> {
        let mut state = self.state();
        if state.is_gone {
            return Err(QueuedEnd::Gone { was_handed: false });
        }
        if state.open.len() >= EXECUTOR_CALLS_MAX || state.news.len() >= EXECUTOR_NEWS_MAX {
            return Err(QueuedEnd::Full);
        }
        let number = state.next_number();
        let (done, ended) = oneshot::channel();
        state.open.insert(number, QueuedCall { done, stop: CancelSignal::new() });
        state.news.push_back((number, QueueNews::Call(Box::new(RequestedCall { call: number, ..call }))));
        drop(state);
        self.news.notify_waiters();
        Ok((number, ended))
    }

    /// Nobody waits for a call any more.
    fn give_up(&self, call: u64) {
        let mut state = self.state();
        let Some(open) = state.open.remove(&call) else { return };
        state.news.retain(|(number, _)| *number != call);
        // Nobody has seen a call that was not handed out, so there is nothing to stop.
        if call <= state.handed {
            let number = state.next_number();
            state.news.push_back((number, QueueNews::Stop(call)));
        }
        drop(state);
        open.stop.cancel();
        self.news.notify_waiters();
    }

    /// What is new since `after`, as soon as there is something, or nothing after a while.
    pub(super) async fn poll(
        &self,
        after: u64,
        wait: Option<Duration>,
    ) -> Result<ExecutorNews, QueueRefusal> {
        let until = wait.map(|wait| Instant::now() + wait);
        let present = Present::enter(self);
        loop {
            // Made before the look: what comes in between is heard.
            let news = self.news.notified();
            if let Some(found) = self.look(after, present.poll)? {
                return Ok(found);
            }
            match until {
                None => news.await,
                Some(until) if timeout_at(until, news).await.is_ok() => {}
                Some(_) => return Ok(ExecutorNews { after, ..ExecutorNews::default() }),
            }
        }
    }

    fn look(&self, after: u64, poll: u64) -> Result<Option<ExecutorNews>, QueueRefusal> {
        let mut state = self.state();
        if state.is_gone {
            return Err(QueueRefusal::Gone);
        }
        if after > state.last {
            return Err(QueueRefusal::Cursor);
        }
        if poll != state.poll {
            // A newer request gets what comes.
            return Ok(Some(ExecutorNews { after, ..ExecutorNews::default() }));
        }
        state.news.retain(|(number, _)| *number > after);
        let mut found = ExecutorNews { after, ..ExecutorNews::default() };
        for (number, news) in state.news.iter().take(EXECUTOR_CALLS_AT_ONCE) {
            match news {
                QueueNews::Call(call) => found.calls.push(RequestedCall::clone(call)),
                QueueNews::Stop(call) => found.stopped.push(*call),
            }
            found.after = *number;
        }
        // From here on it may have happened, even if this answer never arrives.
        state.handed = state.handed.max(found.after);
        Ok((found.after > after).then_some(found))
    }

    /// The sign by which a call is stopped; one that is over has been.
    pub(super) fn stop_of(&self, call: u64) -> CancelSignal {
        let found = self.state().open.get(&call).map(|open| open.stop.clone());
        found.unwrap_or_else(|| {
            let stopped = CancelSignal::new();
            stopped.cancel();
            stopped
        })
    }

    /// Takes an answer; the second to one call is refused.
    pub(super) fn answer(&self, call: u64, answer: ExecutorAnswer) -> Result<(), QueueRefusal> {
        let mut state = self.state();
        if state.is_gone {
            return Err(QueueRefusal::Gone);
        }
        if call == 0 || call > state.handed {
            return Err(QueueRefusal::UnknownCall);
        }
        state.heard = Instant::now();
        let open = state.open.remove(&call).ok_or(QueueRefusal::CallOver)?;
        // It is still news until the executor names its number, and must not be given again.
        state.news.retain(|(number, _)| *number != call);
        drop(state);
        open.done.send(QueuedEnd::Answered(Box::new(answer))).map_err(|_| QueueRefusal::CallOver)
    }

    /// The executor is gone: what waits for it ends.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.is_gone = true;
        state.news.clear();
        let (open, handed) = (std::mem::take(&mut state.open), state.handed);
        drop(state);
        for (call, QueuedCall { done, stop }) in open {
            stop.cancel();
            // Whoever waited may be gone as well.
            let _ = done.send(QueuedEnd::Gone { was_handed: call <= handed });
        }
        self.news.notify_waiters();
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    fn next_number(&mut self) -> u64 {
        self.last = self.last.saturating_add(1);
        self.last
    }
}

/// A call that is waited for; when nobody does any more, the executor is told.
struct AwaitedCall<'a> {
    queue: &'a CallQueue,
    call: u64,
}

impl Drop for AwaitedCall<'_> {
    fn drop(&mut self) {
        self.queue.give_up(self.call);
    }
}

/// A request for news that waits: who waits is there.
struct Present<'a> {
    queue: &'a CallQueue,
    poll: u64,
}

impl<'a> Present<'a> {
    fn enter(queue: &'a CallQueue) -> Self {
        let mut state = queue.state();
        state.polls = state.polls.saturating_add(1);
        state.poll = state.poll.saturating_add(1);
        let poll = state.poll;
        drop(state);
        // An older request ends.
        queue.news.notify_waiters();
        Self { queue, poll }
    }
}

impl Drop for Present<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        state.polls = state.polls.saturating_sub(1);
        state.heard = Instant::now();
    }
}

//! An executor in this process: a program that embeds Windlass takes calls one by one and answers each once.

use std::collections::VecDeque;
use std::sync::Arc;

use windlass_core::ports::host::{ExecutorAnswer, RequestedCall};
use windlass_core::protocol::tool::{ErrorKind, ToolFailure, ToolOutput};

use super::Executors;
use super::queue::CallQueue;
use crate::cancel::CancelSignal;

/// An executor of this process. Dropping it, and the calls taken from it, takes its tools away.
pub struct Executor {
    member: Arc<Membership>,
    waiting: VecDeque<RequestedCall>,
    after: u64,
}

/// A place among the executors, given back when the last who needs it is dropped.
struct Membership {
    executors: Executors,
    queue: Arc<CallQueue>,
}

impl Drop for Membership {
    fn drop(&mut self) {
        self.executors.dismiss(&self.queue.executor_id);
    }
}

impl Executor {
    pub(super) fn new(executors: Executors, queue: Arc<CallQueue>) -> Self {
        Self { member: Arc::new(Membership { executors, queue }), waiting: VecDeque::new(), after: 0 }
    }

    /// The next call that may run; nothing once the executors are gone. Calls that were stopped meanwhile are left out.
    pub async fn next(&mut self) -> Option<TakenCall> {
        loop {
            while let Some(call) = self.waiting.pop_front() {
                let stop = self.member.queue.stop_of(call.call);
                if !stop.is_cancelled() {
                    return Some(TakenCall { call, stop, member: Some(Arc::clone(&self.member)) });
                }
            }
            let news = self.member.queue.poll(self.after, None).await.ok()?;
            self.after = news.after;
            self.waiting.extend(news.calls);
        }
    }
}

/// The call is over: it was cancelled or out of time, and its answer changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the call was cancelled or out of time; its answer changes nothing")]
pub struct CallOver;

/// A call that is to be run, and answered once. Dropped without an answer, it fails: whether it happened is not known.
#[must_use = "a call that is dropped without an answer fails"]
pub struct TakenCall {
    call: RequestedCall,
    stop: CancelSignal,
    member: Option<Arc<Membership>>,
}

impl TakenCall {
    /// What is to be run.
    pub fn call(&self) -> &RequestedCall {
        &self.call
    }

    /// Returns when nobody waits for it any more.
    pub async fn stopped(&self) {
        self.stop.cancelled().await;
    }

    /// Whether nobody waits for it any more.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// Gives what it gave.
    pub fn complete(mut self, output: ToolOutput) -> Result<(), CallOver> {
        self.answer(Ok(output))
    }

    /// Says why it failed.
    pub fn fail(mut self, failure: impl Into<ToolFailure>) -> Result<(), CallOver> {
        self.answer(Err(failure.into()))
    }

    fn answer(&mut self, answer: ExecutorAnswer) -> Result<(), CallOver> {
        let member = self.member.take().ok_or(CallOver)?;
        member.queue.answer(self.call.call, answer).map_err(|_| CallOver)
    }
}

impl Drop for TakenCall {
    fn drop(&mut self) {
        let Some(member) = self.member.take() else { return };
        let queue = Arc::clone(&member.queue);
        // With the last call of an executor that was dropped all of it is gone, and its calls have ended.
        drop(member);
        let message = format!(
            "The executor gave {} up without an answer; whether it happened is not known",
            self.call.tool
        );
        let failure = ToolFailure::new(ErrorKind::Interrupted, message)
            .hint("Look whether it happened before you repeat the call.");
        let _ = queue.answer(self.call.call, Err(failure));
    }
}

//! Calls of a run that are inspected or run at the moment. There are few of them, so all are asked when one may be done:
//! a set that knows which one it is wakes its owner once more for each call, and with it another thread of the runtime.

use std::future::poll_fn;
use std::task::{Context, Poll};

use windlass_core::ports::BoxFuture;

use crate::session::actor::WorkDone;

/// What goes on. Dropping it stops all of it.
#[derive(Default)]
pub(crate) struct CallsAtWork(Vec<BoxFuture<'static, WorkDone>>);

impl CallsAtWork {
    pub(crate) fn push(&mut self, work: BoxFuture<'static, WorkDone>) {
        self.0.push(work);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next that is done, in the order in which they began where several are; nothing while nothing goes on.
    pub(crate) async fn next(&mut self) -> Option<WorkDone> {
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<WorkDone>> {
        if self.0.is_empty() {
            return Poll::Ready(None);
        }
        let done = self.0.iter_mut().enumerate().find_map(|(at, work)| match work.as_mut().poll(cx) {
            Poll::Ready(done) => Some((at, done)),
            Poll::Pending => None,
        });
        let Some((at, done)) = done else { return Poll::Pending };
        drop(self.0.remove(at));
        Poll::Ready(Some(done))
    }
}

#[cfg(test)]
#[path = "at_work_tests.rs"]
mod tests;

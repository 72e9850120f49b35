//! The alarm of a time limit. One that has not rung is handed on to the next call on its thread: setting a timer wakes
//! the whole runtime, and most calls end long before their limit. Knows no tool.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::runtime::{Handle, Id};
use tokio::time::{Instant, Sleep, sleep_until};

/// Alarms that a thread keeps for the next call: as many calls as run side by side on it most of the time.
const IDLE_ALARMS_MAX: usize = 16;

thread_local! {
    /// Alarms that nobody listens to at the moment, and the runtime they ring in.
    static IDLE: RefCell<Vec<(Id, Pin<Box<Sleep>>)>> = const { RefCell::new(Vec::new()) };
}

/// An alarm, once it is needed.
#[derive(Debug, Default)]
pub(crate) struct KeptAlarm {
    sleep: Option<Pin<Box<Sleep>>>,
}

impl KeptAlarm {
    /// Returns at that time.
    pub(crate) async fn wait_until(&mut self, due: Instant) {
        poll_fn(|cx| self.poll(due, cx)).await;
    }

    fn poll(&mut self, due: Instant, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            let sleep = self.sleep.get_or_insert_with(|| take(due));
            ready!(sleep.as_mut().poll(cx));
            if Instant::now() >= due {
                return Poll::Ready(());
            }
            // It was set for something earlier.
            sleep.as_mut().reset(due);
        }
    }
}

impl Drop for KeptAlarm {
    fn drop(&mut self) {
        let sleep = self.sleep.take().filter(|sleep| !sleep.is_elapsed());
        let Some((sleep, handle)) = sleep.zip(Handle::try_current().ok()) else { return };
        // A thread that ends has no place for it any more.
        let _ = IDLE.try_with(|idle| {
            let mut idle = idle.borrow_mut();
            if idle.len() >= IDLE_ALARMS_MAX {
                idle.clear();
            }
            idle.push((handle.id(), sleep));
        });
    }
}

/// An alarm that rings at that time or earlier: one that rings too early is only set anew.
fn take(due: Instant) -> Pin<Box<Sleep>> {
    let kept = Handle::try_current().ok().and_then(|handle| {
        let own = handle.id();
        IDLE.with_borrow_mut(|idle| {
            let is_good = |alarm: &Sleep| !alarm.is_elapsed() && alarm.deadline() <= due;
            let at = idle.iter().rposition(|(id, alarm)| *id == own && is_good(alarm))?;
            Some(idle.swap_remove(at).1)
        })
    });
    kept.unwrap_or_else(|| Box::pin(sleep_until(due)))
}

#[cfg(test)]
#[path = "alarm_tests.rs"]
mod tests;

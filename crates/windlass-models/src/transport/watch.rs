//! The watch: how long an exchange may be silent and how long it may take, in the words of each limit.
//!
//! One alarm an exchange. Every piece of an answer moves the limit of silence on, but the alarm is only set
//! anew when it rings; one that has not rung is handed on to the next exchange, because setting a timer wakes
//! the whole runtime. Knows no network.

use std::error::Error;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::runtime::{Handle, Id};
use tokio::time::{Instant, Sleep, sleep_until};
use windlass_core::protocol::model::{ModelFailure, ModelFailureKind};

use crate::limits::{DRAIN_TIMEOUT_MS, ExchangeLimits, IDLE_ALARMS_MAX};
use crate::target::ModelTarget;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    FirstByte,
    Idle,
    Total,
}

#[derive(Debug)]
pub(crate) struct ExchangeWatch {
    limits: ExchangeLimits,
    provider: String,
    started: Instant,
    /// When the last piece of the body came.
    heard: Option<Instant>,
    /// Set for the first limit that could pass, or earlier.
    alarm: Option<Pin<Box<Sleep>>>,
    /// What is left of an answer after its last word is waited for until then.
    drain: Option<Drain>,
    alarms: Arc<Alarms>,
}

/// The end of an answer, being waited for.
#[derive(Debug)]
struct Drain {
    due: Instant,
    alarm: Pin<Box<Sleep>>,
}

/// Alarms that nobody listens to at the moment, of the runtime they ring in.
#[derive(Debug, Default)]
pub(crate) struct Alarms {
    limits: SleepPool,
    drains: SleepPool,
}

#[derive(Debug, Default)]
struct SleepPool(Mutex<Vec<(Id, Pin<Box<Sleep>>)>>);

impl SleepPool {
    /// An alarm that rings at that time or earlier.
    fn take(&self, due: Instant) -> Pin<Box<Sleep>> {
        let found = Handle::try_current().ok().and_then(|handle| {
            let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            // One that rings too early is only set anew; one that rings too late would miss the limit.
            let is_good = |alarm: &Sleep| !alarm.is_elapsed() && alarm.deadline() <= due;
            let at = idle.iter().rposition(|(id, alarm)| *id == handle.id() && is_good(alarm))?;
            Some(idle.swap_remove(at).1)
        });
        found.unwrap_or_else(|| Box::pin(sleep_until(due)))
    }

    fn give(&self, alarm: Option<Pin<Box<Sleep>>>) {
        let alarm = alarm.filter(|alarm| !alarm.is_elapsed());
        let Some((alarm, handle)) = alarm.zip(Handle::try_current().ok()) else { return };
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() >= IDLE_ALARMS_MAX {
            idle.clear();
        }
        idle.push((handle.id(), alarm));
    }
}

impl Drop for ExchangeWatch {
    fn drop(&mut self) {
        self.alarms.limits.give(self.alarm.take());
        self.alarms.drains.give(self.drain.take().map(|drain| drain.alarm));
    }
}

impl ExchangeWatch {
    pub(crate) fn new(limits: ExchangeLimits, target: &ModelTarget, alarms: &Arc<Alarms>) -> Self {
        let provider = target.provider.clone();
        Self {
            limits,
            provider,
            started: Instant::now(),
            heard: None,
            alarm: None,
            drain: None,
            alarms: Arc::clone(alarms),
        }
    }

    /// Ready when a limit has passed.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<ModelFailure> {
        loop {
            // Silence in the middle may be limited more tightly than silence at the beginning.
            let first = self.limits.first_byte_timeout_ms.min(self.limits.idle_timeout_ms);
            let first = after(self.started, first.min(self.limits.total_timeout_ms));
            let alarms = &self.alarms;
            let alarm = self.alarm.get_or_insert_with(|| alarms.limits.take(first));
            ready!(alarm.as_mut().poll(cx));
            let (due, limit) = due(&self.limits, self.started, self.heard);
            if Instant::now() >= due {
                return Poll::Ready(self.failure(limit));
            }
            alarm.as_mut().reset(due);
        }
    }

    /// Ready when the end of the answer was waited for long enough.
    pub(crate) fn poll_drain(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let alarms = &self.alarms;
        let drain = self.drain.get_or_insert_with(|| {
            let due = after(Instant::now(), DRAIN_TIMEOUT_MS);
            Drain { due, alarm: alarms.drains.take(due) }
        });
        loop {
            ready!(drain.alarm.as_mut().poll(cx));
            if Instant::now() >= drain.due {
                return Poll::Ready(());
            }
            drain.alarm.as_mut().reset(drain.due);
        }
    }

    /// A piece came, and so many bytes so far. Somebody who always has a piece ready is limited too.
    pub(crate) fn hear(&mut self, bytes: u64) -> Result<(), ModelFailure> {
        if bytes > self.limits.answer_bytes_max {
            return Err(self.endless());
        }
        let now = Instant::now();
        self.heard = Some(now);
        let (due, limit) = due(&self.limits, self.started, self.heard);
        if now >= due && limit == Limit::Total { Err(self.failure(limit)) } else { Ok(()) }
    }

    pub(crate) fn cut(&self, error: &dyn Error) -> ModelFailure {
        let mut failure = ModelFailure::passing(
            ModelFailureKind::Cut,
            format!("the connection to {} broke in the middle of its answer", self.provider),
        );
        let mut detail = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            detail.push_str(": ");
            detail.push_str(&error.to_string());
            cause = error.source();
        }
        failure.detail = Some(detail);
        failure
    }

    /// The answer does not end.
    fn endless(&self) -> ModelFailure {
        ModelFailure::fatal(
            ModelFailureKind::Malformed,
            format!(
                "the answer of {} has more than {} MiB, which is not believed",
                self.provider,
                self.limits.answer_bytes_max >> 20
            ),
        )
    }

    fn failure(&self, limit: Limit) -> ModelFailure {
        let provider = &self.provider;
        match limit {
            Limit::FirstByte => ModelFailure::passing(
                ModelFailureKind::Timeout,
                format!(
                    "{provider} did not begin to answer within {} ms (first_byte_timeout_ms); raise that limit if the \
                     model is slow to begin",
                    self.limits.first_byte_timeout_ms
                ),
            ),
            Limit::Idle => ModelFailure::passing(
                ModelFailureKind::Timeout,
                format!(
                    "{provider} fell silent in the middle of its answer for {} ms (idle_timeout_ms); raise that limit \
                     if the model pauses longer",
                    self.limits.idle_timeout_ms
                ),
            ),
            // Asking again would take as long again.
            Limit::Total => ModelFailure::fatal(
                ModelFailureKind::Timeout,
                format!(
                    "the answer of {provider} took longer than {} ms (total_timeout_ms); raise that limit, or ask for \
                     a shorter answer",
                    self.limits.total_timeout_ms
                ),
            ),
        }
    }
}

/// The limit that passes next, and when.
fn due(limits: &ExchangeLimits, started: Instant, heard: Option<Instant>) -> (Instant, Limit) {
    let total = (after(started, limits.total_timeout_ms), Limit::Total);
    let silence = match heard {
        None => (after(started, limits.first_byte_timeout_ms), Limit::FirstByte),
        Some(heard) => (after(heard, limits.idle_timeout_ms), Limit::Idle),
    };
    if silence.0 < total.0 { silence } else { total }
}

fn after(start: Instant, limit_ms: u64) -> Instant {
    // A limit that no clock reaches is none.
    start.checked_add(Duration::from_millis(limit_ms)).unwrap_or(start + Duration::from_secs(1 << 30))
}

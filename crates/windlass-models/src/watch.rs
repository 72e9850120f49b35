//! The watch: how long an exchange may be silent and how long it may take, in the words of each limit.
//!
//! One timer an exchange. Every piece of an answer moves the limit of silence on, but the timer is only
//! set anew when it rings. Knows no network.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};
use windlass_core::model::ModelFailure;

use crate::limits::{ANSWER_BYTES_MAX, ExchangeLimits};
use crate::target::Target;

/// Which limit passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    FirstByte,
    Idle,
    Total,
}

/// Watches one exchange.
#[derive(Debug)]
pub(crate) struct Watch {
    limits: ExchangeLimits,
    provider: String,
    started: Instant,
    /// When the last piece of the body came.
    heard: Option<Instant>,
    alarm: Pin<Box<Sleep>>,
}

impl Watch {
    /// Begins now.
    pub(crate) fn new(limits: ExchangeLimits, target: &Target) -> Self {
        let started = Instant::now();
        let (due, _) = due(&limits, started, None);
        let provider = target.provider.clone();
        Self { limits, provider, started, heard: None, alarm: Box::pin(sleep_until(due)) }
    }

    /// Ready when a limit has passed.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<ModelFailure> {
        loop {
            ready!(self.alarm.as_mut().poll(cx));
            let (due, limit) = due(&self.limits, self.started, self.heard);
            if Instant::now() >= due {
                return Poll::Ready(self.failure(limit));
            }
            self.alarm.as_mut().reset(due);
        }
    }

    /// A piece came. Somebody who always has a piece ready is limited too.
    pub(crate) fn hear(&mut self) -> Result<(), ModelFailure> {
        let now = Instant::now();
        let is_first = self.heard.replace(now).is_none();
        let (due, limit) = due(&self.limits, self.started, self.heard);
        if is_first {
            // Silence in the middle may be limited more tightly than silence at the beginning.
            self.alarm.as_mut().reset(due);
        }
        if now >= due && limit == Limit::Total { Err(self.failure(limit)) } else { Ok(()) }
    }

    /// The connection broke.
    pub(crate) fn cut(&self, error: &dyn Error) -> ModelFailure {
        let mut failure = ModelFailure::passing(
            "cut",
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
    pub(crate) fn endless(&self) -> ModelFailure {
        ModelFailure::fatal(
            "malformed",
            format!(
                "the answer of {} has more than {} MiB, which is not believed",
                self.provider,
                ANSWER_BYTES_MAX >> 20
            ),
        )
    }

    fn failure(&self, limit: Limit) -> ModelFailure {
        let provider = &self.provider;
        match limit {
            Limit::FirstByte => ModelFailure::passing(
                "timeout",
                format!(
                    "{provider} did not begin to answer within {} ms (first_byte_timeout_ms); raise that limit if the \
                     model is slow to begin",
                    self.limits.first_byte_timeout_ms
                ),
            ),
            Limit::Idle => ModelFailure::passing(
                "timeout",
                format!(
                    "{provider} fell silent in the middle of its answer for {} ms (idle_timeout_ms); raise that limit \
                     if the model pauses longer",
                    self.limits.idle_timeout_ms
                ),
            ),
            // Asking again would take as long again.
            Limit::Total => ModelFailure::fatal(
                "timeout",
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
    let after = |start: Instant, limit_ms: u64| {
        // A limit that no clock reaches is none.
        start.checked_add(Duration::from_millis(limit_ms)).unwrap_or(start + Duration::from_secs(1 << 30))
    };
    let total = (after(started, limits.total_timeout_ms), Limit::Total);
    let silence = match heard {
        None => (after(started, limits.first_byte_timeout_ms), Limit::FirstByte),
        Some(heard) => (after(heard, limits.idle_timeout_ms), Limit::Idle),
    };
    if silence.0 < total.0 { silence } else { total }
}

//! What all routes share. Cheap to clone.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use windlass_core::ports::host::ServedPort;
use windlass_core::protocol::ids::Millis;
use windlass_core::text::redact::Redactor;

use crate::config::ServerConfig;
use crate::error::{Problem, ProblemKind, RouteResult};
use crate::metrics::Metrics;
use crate::rate::RateLimiter;
use crate::routes::edison::Requests;
use crate::token::TokenCheck;

#[derive(Clone)]
pub(crate) struct ServerApp(Arc<AppState>);

/// What is behind an [`ServerApp`].
pub(crate) struct AppState {
    pub(crate) host: Arc<dyn ServedPort>,
    /// What the binary said.
    pub(crate) config: ServerConfig,
    /// Takes secrets out of what leaves the server.
    pub(crate) redactor: Redactor,
    pub(crate) metrics: Arc<Metrics>,
    /// Who may come in.
    pub(crate) token: TokenCheck,
    /// How often who may ask.
    pub(crate) rates: RateLimiter,
    /// The API document, as it is sent.
    pub(crate) document: Bytes,
    /// EDISON requests that go on, by the id that their clients gave them.
    pub(crate) edison: Arc<Requests>,
    /// Event streams that are open.
    streams: Arc<AtomicUsize>,
    /// Requests that are at work.
    requests: Arc<AtomicUsize>,
}

impl ServerApp {
    /// The state for a host.
    pub(crate) fn new(
        host: Arc<dyn ServedPort>,
        config: ServerConfig,
        metrics: Arc<Metrics>,
        document: Bytes,
    ) -> Self {
        // A model that has read the server's own token must not show it either.
        config.secrets.extend(config.token.clone());
        Self(Arc::new(AppState {
            redactor: config.secrets.redactor(),
            token: TokenCheck::new(&config, now_ms()),
            rates: RateLimiter::new(&config.limits),
            host,
            config,
            metrics,
            document,
            edison: Arc::default(),
            streams: Arc::default(),
            requests: Arc::default(),
        }))
    }

    /// A place among the event streams.
    pub(crate) fn enter_stream(&self) -> RouteResult<OpenSlot> {
        let max = self.config.limits.streams_max;
        OpenSlot::take(&self.streams, max).ok_or_else(|| {
            Problem::new(
                ProblemKind::Unavailable,
                "streams_full",
                format!("too many open event streams (at most {max}); close some or try again later"),
            )
            .retry_after(2_000)
        })
    }

    /// A place among the requests at work.
    pub(crate) fn enter_request(&self) -> RouteResult<OpenSlot> {
        let max = self.config.limits.requests_max;
        OpenSlot::take(&self.requests, max).ok_or_else(|| {
            Problem::new(
                ProblemKind::Unavailable,
                "requests_full",
                format!("too many requests at once (at most {max}); try again later"),
            )
            .retry_after(1_000)
        })
    }

    /// Event streams that are open.
    pub(crate) fn open_streams(&self) -> usize {
        self.streams.load(Ordering::Relaxed)
    }

    /// Requests that are at work.
    pub(crate) fn open_requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}

impl Deref for ServerApp {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.0
    }
}

/// A place that is given back when it is dropped.
pub(crate) struct OpenSlot(Arc<AtomicUsize>);

impl OpenSlot {
    fn take(count: &Arc<AtomicUsize>, max: usize) -> Option<Self> {
        let place = Self(Arc::clone(count));
        // Counted first: two that come at once cannot both get the last place.
        (count.fetch_add(1, Ordering::Relaxed) < max).then_some(place)
    }
}

impl Drop for OpenSlot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Now, for what the server itself writes.
pub(crate) fn now_ms() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis::try_from(since.as_millis()).unwrap_or(Millis::MAX)
}

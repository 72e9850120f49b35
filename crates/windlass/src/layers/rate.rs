//! So many calls or requests in a time; what is more waits.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures::{StreamExt, stream};
use serde_json::{Map, Value};
use windlass_core::ports::{BoxStream, ModelPort, ToolContext, ToolPort};
use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelFailureKind, ModelRequest};
use windlass_core::protocol::tool::{ToolFailure, ToolOutput};

use super::pause::pause;
use super::{ModelLayer, ToolLayer};
use crate::error::WindlassError;

/// Lets so many calls begin in a time; what is more waits its turn. Waiting ends when the call is cancelled, and counts
/// as time of the call. Clones share the count.
///
/// ```
/// use std::time::Duration;
/// use windlass::layers::RateLimit;
/// use windlass::prelude::*;
///
/// let builder = Windlass::builder().tool_layer(RateLimit::new(5, Duration::from_secs(1)));
/// ```
#[derive(Debug, Clone)]
pub struct RateLimit {
    calls_max: usize,
    time: Duration,
    /// When the newest calls began, oldest first; never more than `calls_max`.
    begun: Arc<Mutex<VecDeque<Instant>>>,
}

impl RateLimit {
    /// At most `calls_max` calls (one at least) in any stretch of `time`.
    pub fn new(calls_max: usize, time: Duration) -> Self {
        Self { calls_max: calls_max.max(1), time, begun: Arc::default() }
    }

    /// Takes a place, or says how long until one may be free.
    fn take(&self, now: Instant) -> Result<(), Duration> {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        while begun.front().is_some_and(|first| now.saturating_duration_since(*first) >= self.time) {
            begun.pop_front();
        }
        match begun.front() {
            Some(first) if begun.len() >= self.calls_max => {
                Err(self.time.saturating_sub(now.saturating_duration_since(*first)))
            }
            _ => {
                begun.push_back(now);
                Ok(())
            }
        }
    }

    async fn turn(&self) -> Result<(), WindlassError> {
        while let Err(wait) = self.take(Instant::now()) {
            pause(wait)?.await;
        }
        Ok(())
    }
}

#[async_trait]
impl ToolLayer for RateLimit {
    async fn run(
        &self,
        inner: &dyn ToolPort,
        args: &Map<String, Value>,
        context: &ToolContext,
    ) -> Result<ToolOutput, ToolFailure> {
        self.turn().await.map_err(|error| ToolFailure::internal(error.to_string()))?;
        inner.run(args, context).await
    }
}

impl ModelLayer for RateLimit {
    fn stream(
        &self,
        inner: &Arc<dyn ModelPort>,
        request: ModelRequest,
    ) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let (limit, inner) = (self.clone(), Arc::clone(inner));
        let begin = async move {
            match limit.turn().await {
                Ok(()) => inner.stream(request),
                Err(error) => {
                    let failure = ModelFailure::fatal(ModelFailureKind::Local, error.to_string());
                    Box::pin(stream::iter([Err(failure)])) as BoxStream<'static, _>
                }
            }
        };
        Box::pin(stream::once(begin).flatten())
    }
}

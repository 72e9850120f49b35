//! Another try when a provider fails before it has said anything.
//!
//! The run machine tries again too, as often as its profile says. So that the two do not multiply, what this layer gives
//! up is final: the machine does not ask again. What fails in the middle of an answer is the machine's business alone.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, stream};
use windlass_core::ports::{BoxStream, ModelPort};
use windlass_core::protocol::model::{ModelDelta, ModelFailure, ModelRequest};

use super::ModelLayer;
use super::pause::pause;

/// The longest wait before another try that the layer comes up with itself.
const DOUBLED_MAX: Duration = Duration::from_secs(30);

/// The longest wait that a provider may ask for, unless said: longer, and a user should be told instead.
const ASKED_MAX: Duration = Duration::from_secs(60);

/// The first wait, unless said: what passes by itself has mostly passed by then.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// Asks a model again when it fails for a while before it has said anything: overloaded, no connection, too many
/// requests. Waits as long as the provider asks for (`Retry-After`), twice as long each time otherwise.
///
/// The run itself tries again as often as its profile says (`model_retries_max`), and shows it. With this layer the number
/// of tries is the layer's for failures of that kind, quietly: when the layer gives up, the run does not begin anew. A
/// wait that is longer than [`wait_max`](Self::wait_max) is left to the run.
///
/// ```
/// use std::time::Duration;
/// use windlass::layers::ModelRetry;
/// use windlass::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let script = "user q\nmodel fail overloaded Busy.\nmodel fail overloaded Still busy.\nmodel text Here I am.\n";
/// let patient = ModelRetry::new(2).first_wait(Duration::from_millis(1));
/// let agent = Windlass::builder().script(script)?.model_layer(patient).build()?;
/// assert_eq!(agent.run_sync("q")?.text, "Here I am.");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ModelRetry {
    retries_max: u32,
    first_wait: Duration,
    wait_max: Duration,
}

impl ModelRetry {
    /// At most so many tries after the first.
    pub fn new(retries_max: u32) -> Self {
        Self { retries_max, first_wait: FIRST_WAIT, wait_max: ASKED_MAX }
    }

    /// Sets the first wait, where the provider asks for none: half a second unless said.
    pub fn first_wait(mut self, wait: Duration) -> Self {
        self.first_wait = wait;
        self
    }

    /// Sets the longest wait that a provider may ask for: a minute unless said.
    pub fn wait_max(mut self, wait: Duration) -> Self {
        self.wait_max = wait;
        self
    }

    /// How long to wait before another try; none where the failure is not this layer's.
    fn wait_before(&self, retries: u32, failure: &ModelFailure) -> Option<Duration> {
        if !failure.is_retryable {
            return None;
        }
        match failure.retry_after_ms.map(Duration::from_millis) {
            Some(asked) => (asked <= self.wait_max).then_some(asked),
            // Bounded before the shift: any number of tries may be set.
            None => Some(self.first_wait.saturating_mul(1 << retries.min(16)).min(DOUBLED_MAX)),
        }
    }
}

impl ModelLayer for ModelRetry {
    fn stream(
        &self,
        inner: &Arc<dyn ModelPort>,
        request: ModelRequest,
    ) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        let state = RetriedStep {
            layer: self.clone(),
            deltas: inner.stream(request.clone()),
            again: Some((Arc::clone(inner), request)),
            retries: 0,
            held: VecDeque::new(),
        };
        Box::pin(stream::unfold(state, RetriedStep::next))
    }
}

/// A step that may be asked for again.
struct RetriedStep {
    layer: ModelRetry,
    deltas: BoxStream<'static, Result<ModelDelta, ModelFailure>>,
    /// Whom to ask again and what; nothing once the model has spoken.
    again: Option<(Arc<dyn ModelPort>, ModelRequest)>,
    retries: u32,
    /// What came before the model spoke, and what follows it: another try would say it a second time.
    held: VecDeque<Result<ModelDelta, ModelFailure>>,
}

impl RetriedStep {
    async fn next(mut self) -> Option<(Result<ModelDelta, ModelFailure>, Self)> {
        loop {
            if self.again.is_none()
                && let Some(held) = self.held.pop_front()
            {
                return Some((held, self));
            }
            let news = self.deltas.next().await;
            let Some((inner, request)) = &self.again else {
                return news.map(|delta| (delta, self));
            };
            match news {
                // How far a prompt is read is no word yet, and news at once.
                Some(Ok(ModelDelta::Progress(progress))) => {
                    return Some((Ok(ModelDelta::Progress(progress)), self));
                }
                Some(Ok(ModelDelta::Notice(notice))) => self.held.push_back(Ok(ModelDelta::Notice(notice))),
                Some(Err(failure)) => {
                    let wait = self.layer.wait_before(self.retries, &failure);
                    let is_last = self.retries >= self.layer.retries_max;
                    let pause = wait.filter(|_| !is_last).and_then(|wait| pause(wait).ok());
                    let Some(pause) = pause else {
                        let is_final = wait.is_some();
                        let is_retryable = failure.is_retryable && !is_final;
                        self.held.push_back(Err(ModelFailure { is_retryable, ..failure }));
                        self.again = None;
                        continue;
                    };
                    tracing::debug!(model = inner.name(), code = failure.kind.word(), "asking again");
                    let (inner, request) = (Arc::clone(inner), request.clone());
                    pause.await;
                    self.retries = self.retries.saturating_add(1);
                    self.held.clear();
                    self.deltas = inner.stream(request);
                }
                Some(Ok(delta)) => {
                    self.held.push_back(Ok(delta));
                    self.again = None;
                }
                None => self.again = None,
            }
        }
    }
}

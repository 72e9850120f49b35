//! Runs that one request starts and attends: followed to their end, cancelled when the client goes away, and
//! without anybody who could be asked.
//!
//! That is how clients work that know one request and one answer. Runs of the native routes go on alone.

use std::sync::Arc;

use bytes::BytesMut;
use futures::StreamExt;
use windlass_core::permission::{PermissionAnswer, Question};
use windlass_core::ports::BoxStream;
use windlass_core::ports::host::{HostDelivery, HostError, ServedPort, StartedRun};
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::RunId;

use crate::stream::RecordProjection;

/// A run, and the place up to which it was followed.
pub(crate) struct Attended {
    host: Arc<dyn ServedPort>,
    started: StartedRun,
    events: BoxStream<'static, HostDelivery>,
    last_seq: u64,
    is_over: bool,
}

impl Attended {
    /// Follows a run that has just begun.
    pub(crate) async fn follow(host: &Arc<dyn ServedPort>, started: StartedRun) -> Result<Self, HostError> {
        let events = match host.events(&started.run_id, started.after_seq).await {
            Ok(events) => events,
            Err(error) => {
                // It has begun, and nobody would attend it.
                cancel(host, &started.run_id);
                return Err(error);
            }
        };
        Ok(Self { host: Arc::clone(host), last_seq: started.after_seq, started, events, is_over: false })
    }

    pub(crate) fn run_id(&self) -> &RunId {
        &self.started.run_id
    }

    /// Leaves the run to somebody else who attends it.
    pub(crate) fn leave(mut self) {
        self.is_over = true;
    }

    /// The next record; nothing after the run's end. Questions are denied: nobody can answer them.
    pub(crate) async fn next(&mut self) -> Result<Option<Arc<Record>>, HostError> {
        while !self.is_over {
            let record = match self.events.next().await {
                Some(HostDelivery::Record(record)) if record.seq > self.last_seq => record,
                Some(HostDelivery::Record(_)) => continue,
                Some(HostDelivery::Gap) => {
                    self.events = self.host.events(&self.started.run_id, self.last_seq).await?;
                    continue;
                }
                Some(HostDelivery::Deleted) | None => return Err(HostError::Closing),
            };
            self.last_seq = record.seq;
            if let Event::Durable(DurableEvent::PermissionRequested { question }) = &record.event {
                deny(&self.host, self.run_id(), question);
            }
            self.is_over = matches!(record.event, Event::Durable(DurableEvent::RunEnded { .. }));
            return Ok(Some(record));
        }
        Ok(None)
    }
}

impl Drop for Attended {
    fn drop(&mut self) {
        if !self.is_over {
            cancel(&self.host, &self.started.run_id);
        }
    }
}

/// What a client sees of a run whose questions nobody can answer.
pub(crate) struct Unasked<P> {
    host: Arc<dyn ServedPort>,
    inner: P,
}

impl<P> Unasked<P> {
    /// Denies every question, beside what the inner projection does.
    pub(crate) fn new(host: &Arc<dyn ServedPort>, inner: P) -> Self {
        Self { host: Arc::clone(host), inner }
    }
}

impl<P: RecordProjection> RecordProjection for Unasked<P> {
    fn write(&mut self, record: &Record, out: &mut BytesMut) {
        if let Event::Durable(DurableEvent::PermissionRequested { question }) = &record.event {
            deny(&self.host, &record.run_id, question);
        }
        self.inner.write(record, out);
    }
}

/// Stops a run whose client wants no more of it. One that has ended meanwhile stays as it is.
pub(crate) fn cancel(host: &Arc<dyn ServedPort>, run_id: &RunId) {
    let (host, run_id) = (Arc::clone(host), run_id.clone());
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(async move {
            if let Err(error) = host.cancel(&run_id).await {
                tracing::warn!(%run_id, %error, "a run could not be cancelled when its client went away");
            }
        });
    }
}

/// Denies a question, because nobody is there. One that is gone meanwhile needs no answer.
fn deny(host: &Arc<dyn ServedPort>, run_id: &RunId, question: &Question) {
    let (host, run_id) = (Arc::clone(host), run_id.clone());
    let (call_id, digest) = (question.call_id.clone(), question.digest.clone());
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        runtime.spawn(async move {
            let answer = PermissionAnswer::by_nobody();
            if let Err(error) = host.answer(&run_id, &call_id, &digest, answer).await {
                tracing::debug!(%run_id, %call_id, %error, "a question could not be denied");
            }
        });
    }
}

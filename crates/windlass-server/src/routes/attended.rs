//! A run that is attended by the request that started it: it is followed to its end, nobody is asked
//! anything, and it is cancelled when the client goes away.
//!
//! That is how clients work that know one request and one answer. Runs of the native routes go on alone.

use std::sync::Arc;

use futures::StreamExt;
use windlass_core::event::{Event, Record};
use windlass_core::host::{HostDelivery, HostError, HostPort, RunStart};
use windlass_core::ids::{RunId, SessionId};
use windlass_core::permission::{Decision, PermissionAnswer};
use windlass_core::port::BoxStream;

/// Who answers questions of an attended run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asking {
    /// Nobody can: what would need asking is denied.
    Denies,
    /// Somebody who sees the frames, over the native routes.
    Waits,
}

/// A run and the place up to which it was followed.
pub(crate) struct Attended {
    host: Arc<dyn HostPort>,
    run_id: RunId,
    session_id: SessionId,
    events: BoxStream<'static, HostDelivery>,
    last_seq: u64,
    asking: Asking,
    is_over: bool,
}

impl Attended {
    /// Starts a run and follows it from its first record.
    pub(crate) async fn begin(
        host: &Arc<dyn HostPort>,
        session_id: &SessionId,
        start: RunStart,
        asking: Asking,
    ) -> Result<Self, HostError> {
        let started = host.start_run(session_id, start).await?;
        let events = match host.events(&started.run_id, started.after_seq).await {
            Ok(events) => events,
            Err(error) => {
                // Nobody will attend it. If it cannot be cancelled either, it ends by its own limits.
                let _ = host.cancel(&started.run_id).await;
                return Err(error);
            }
        };
        Ok(Self {
            host: Arc::clone(host),
            run_id: started.run_id,
            session_id: started.session_id,
            events,
            last_seq: started.after_seq,
            asking,
            is_over: false,
        })
    }

    /// The run.
    pub(crate) fn run_id(&self) -> &RunId {
        &self.run_id
    }

    /// Its session.
    pub(crate) fn session_id(&self) -> &SessionId {
        &self.session_id
    }

    /// The next record; nothing after the run's end.
    pub(crate) async fn next(&mut self) -> Result<Option<Arc<Record>>, HostError> {
        while !self.is_over {
            let record = match self.events.next().await {
                Some(HostDelivery::Record(record)) if record.seq > self.last_seq => record,
                Some(HostDelivery::Record(_)) => continue,
                Some(HostDelivery::Gap) => {
                    self.events = self.host.events(&self.run_id, self.last_seq).await?;
                    continue;
                }
                None => {
                    return Err(HostError::Broken("the events of a run stopped before its end".into()));
                }
            };
            self.last_seq = record.seq;
            match &record.event {
                Event::PermissionRequested { question } if self.asking == Asking::Denies => {
                    let answer = PermissionAnswer::new(Decision::Deny);
                    // The question may be gone meanwhile: then it needs no answer.
                    let _ = self.host.answer(&self.run_id, &question.call_id, None, answer).await;
                }
                Event::RunEnded { .. } => self.is_over = true,
                _ => {}
            }
            return Ok(Some(record));
        }
        Ok(None)
    }

    /// Stops the run: the client wants no more of it.
    pub(crate) async fn cancel(&mut self) {
        self.is_over = true;
        // It may have ended meanwhile, which is what was wanted.
        let _ = self.host.cancel(&self.run_id).await;
    }
}

impl Drop for Attended {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let (host, run_id) = (Arc::clone(&self.host), self.run_id.clone());
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let _ = host.cancel(&run_id).await;
            });
        }
    }
}

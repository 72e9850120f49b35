//! The live records of a session, over as many connections as it takes.
//!
//! A connection that ends is asked for again after the last durable record, and what was seen already is left
//! out. A server that was killed forgets the deltas after that record and gives their numbers again: then the
//! reader is told that there is a gap, and begins again itself. A stream ends for good when the session is
//! forgotten, when the server wants no more of us, or when it was asked in vain for a while.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use futures::stream;
use tokio::time::Instant;
use windlass_core::ports::BoxStream;
use windlass_core::ports::host::{HostDelivery, HostError};
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::ids::{RunId, SessionId};
use windlass_models::frame::{FrameTooLong, Framing, Splitter};
use windlass_models::transport::ReplyBody;

use crate::address::ApiPath;
use crate::known::ServerFacts;
use crate::limits::{AGAIN_MAX, AGAIN_MS_MAX, AGAIN_MS_MIN, GOOD_STREAM_MS};
use crate::line::ServerLine;

/// One reader's place in a session.
pub(crate) struct Follower {
    line: Arc<ServerLine>,
    known: Arc<ServerFacts>,
    session_id: SessionId,
    /// Only this run, to its end.
    run_id: Option<RunId>,
    /// The newest record that was passed on.
    seen_seq: u64,
    /// The newest durable one: where a new connection begins.
    durable_seq: u64,
    reading: Option<StreamConnection>,
    ready: VecDeque<HostDelivery>,
    /// Connections in a row that gave nothing.
    failed: u32,
    is_over: bool,
}

impl Follower {
    /// Opens the records of a session after a number.
    pub(crate) async fn open(
        line: &Arc<ServerLine>,
        known: &Arc<ServerFacts>,
        session_id: &SessionId,
        after: u64,
    ) -> Result<Self, HostError> {
        Ok(Self {
            line: Arc::clone(line),
            known: Arc::clone(known),
            session_id: session_id.clone(),
            run_id: None,
            seen_seq: after,
            durable_seq: after,
            reading: Some(StreamConnection::open(line, session_id, after).await?),
            ready: VecDeque::new(),
            failed: 0,
            is_over: false,
        })
    }

    /// Passes on the records of one run alone, to its end.
    pub(crate) fn of_run(mut self, run_id: &RunId) -> Self {
        self.run_id = Some(run_id.clone());
        self
    }

    /// The reader as a stream.
    pub(crate) fn stream(self) -> BoxStream<'static, HostDelivery> {
        Box::pin(stream::unfold(self, |mut follower| async move {
            follower.next().await.map(|delivery| (delivery, follower))
        }))
    }

    async fn next(&mut self) -> Option<HostDelivery> {
        loop {
            if let Some(delivery) = self.ready.pop_front() {
                return Some(delivery);
            }
            if self.is_over {
                return None;
            }
            let Some(reading) = &mut self.reading else {
                self.reopen().await;
                continue;
            };
            let mut heard = Vec::new();
            let goes_on = reading.read(&mut heard).await;
            // Reset by what was heard and not by connecting: a server that takes and drops us is no good one.
            if !heard.is_empty() || reading.opened.elapsed() >= Duration::from_millis(GOOD_STREAM_MS) {
                self.failed = 0;
            }
            if !goes_on {
                self.reading = None;
            }
            // Also what came with the last piece of a connection.
            heard.into_iter().for_each(|heard| self.take(heard));
        }
    }

    fn take(&mut self, heard: StreamMessage) {
        if self.is_over {
            return;
        }
        let record = match heard {
            StreamMessage::Record(record) => record,
            StreamMessage::Deleted => return self.finish(HostDelivery::Deleted),
        };
        let is_durable = record.event.is_durable();
        // Begun again after the last durable record, a stream repeats the deltas that followed it.
        if record.seq <= self.durable_seq || (record.seq <= self.seen_seq && !is_durable) {
            return;
        }
        if record.seq <= self.seen_seq {
            // Its number was a delta's, which is no more.
            return self.finish(HostDelivery::Gap);
        }
        self.seen_seq = record.seq;
        if is_durable {
            self.durable_seq = record.seq;
        }
        match &self.run_id {
            Some(run_id) if record.run_id != *run_id => return,
            Some(_) => self.is_over = matches!(record.event, Event::Durable(DurableEvent::RunEnded { .. })),
            None => {}
        }
        self.ready.push_back(HostDelivery::Record(record));
    }

    /// Nothing comes after this. That a session is forgotten only readers of whole sessions hear.
    fn finish(&mut self, last: HostDelivery) {
        self.is_over = true;
        self.reading = None;
        if self.run_id.is_none() || last != HostDelivery::Deleted {
            self.ready.push_back(last);
        }
    }

    /// Asks once more, after a wait that grows.
    async fn reopen(&mut self) {
        if self.failed >= AGAIN_MAX {
            tracing::warn!(session = %self.session_id, "the server was asked in vain for a while");
            self.is_over = true;
            return;
        }
        // The first time without a wait: a stream may have ended in good order.
        if let Some(doublings) = self.failed.checked_sub(1) {
            let wait_ms = AGAIN_MS_MIN.saturating_mul(1 << doublings.min(16)).min(AGAIN_MS_MAX);
            tokio::time::sleep(Duration::from_millis(wait_ms)).await;
        }
        self.failed = self.failed.saturating_add(1);
        match StreamConnection::open(&self.line, &self.session_id, self.durable_seq).await {
            Ok(reading) => {
                self.reading = Some(reading);
                // It may be a server that was started anew, with other tools and another model.
                if let Err(error) = self.known.refresh(&self.line).await {
                    tracing::debug!(%error, "what the server says of itself could not be read again");
                }
            }
            Err(HostError::Missing { .. }) => self.finish(HostDelivery::Deleted),
            Err(HostError::Overloaded { retry_after_ms, .. }) => {
                tokio::time::sleep(Duration::from_millis(retry_after_ms.min(AGAIN_MS_MAX))).await;
            }
            // A restart takes a moment, in which nobody listens at the address.
            Err(HostError::Unreachable(why) | HostError::Incompatible(why) | HostError::Broken(why)) => {
                tracing::debug!(why, "the server is not there yet");
            }
            Err(HostError::Closing) => {}
            Err(error @ (HostError::Invalid { .. } | HostError::Busy(_) | HostError::Held(_))) => {
                self.give_up(&error)
            }
            Err(error @ (HostError::Unkeyed { .. } | HostError::Unauthorised(_))) => self.give_up(&error),
            Err(error @ (HostError::Stale(_) | HostError::Conflict(_) | HostError::NeedsConsent(_))) => {
                self.give_up(&error)
            }
        }
    }

    fn give_up(&mut self, error: &HostError) {
        tracing::warn!(session = %self.session_id, %error, "the server gives no more records");
        self.is_over = true;
    }
}

/// What a frame says.
enum StreamMessage {
    Record(Arc<Record>),
    Deleted,
}

struct StreamConnection {
    body: ReplyBody,
    splitter: Splitter,
    opened: Instant,
}

impl StreamConnection {
    async fn open(line: &ServerLine, session_id: &SessionId, after: u64) -> Result<Self, HostError> {
        let path = ApiPath::of(&["api", "sessions", session_id.as_str(), "records"])
            .with("after", &after.to_string())
            .with("deltas", "1");
        let body = line.stream(&path).await?;
        Ok(Self { body, splitter: Splitter::new(Framing::Sse), opened: Instant::now() })
    }

    /// Reads the next piece; whether more can come. A frame that is not whole is worth nothing: it comes again.
    async fn read(&mut self, heard: &mut Vec<StreamMessage>) -> bool {
        let Self { body, splitter, .. } = self;
        let mut cut = Ok(());
        let read = poll_fn(|cx| {
            body.poll_read(cx, &mut |piece| {
                cut = splitter.push(piece, &mut |name, payload| {
                    heard.extend(understand(name, payload));
                    Ok::<(), FrameTooLong>(())
                });
            })
        });
        let goes_on = matches!(read.await, Some(Ok(())));
        goes_on && cut.is_ok()
    }
}

fn understand(name: Option<&str>, payload: &str) -> Option<StreamMessage> {
    match name {
        None => match serde_json::from_str(payload) {
            Ok(record) => Some(StreamMessage::Record(record)),
            Err(error) => {
                tracing::warn!(%error, "a record is not understood; the server may be newer than this program");
                None
            }
        },
        Some("deleted") => Some(StreamMessage::Deleted),
        Some(_) => None,
    }
}

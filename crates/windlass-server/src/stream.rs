//! Event streams: from the records of a run or a session to the bytes on the socket.
//!
//! The socket pulls: records are taken from the host only when the connection has room, and all that are ready
//! go into one chunk. What a record looks like is the projection's business. A reader that was too slow is set
//! up again behind its last durable record, and what it has seen already is left out.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use bytes::{BufMut, Bytes, BytesMut};
use http_body::Frame;
use tokio::time::{Instant, Sleep};
use windlass_core::ports::host::{HostDelivery, HostError, HostPort};
use windlass_core::ports::{BoxFuture, BoxStream};
use windlass_core::protocol::event::{DurableEvent, Event, Record};
use windlass_core::protocol::frame;
use windlass_core::protocol::ids::{RunId, SessionId};

use crate::answer::EventStream;
use crate::endpoint::EVENT_STREAM;
use crate::error::{RouteResult, SuccessKind};
use crate::limits::{CHUNK_BYTES, CHUNK_RECORDS_MAX, HEARTBEAT, RESYNCS_MAX};
use crate::shutdown::Closing;
use crate::state::{OpenSlot, ServerApp};

/// What a client sees of records.
pub(crate) trait RecordProjection: Send + 'static {
    /// Writes what the client sees of a record; nothing for those that it does not see. The last record of a
    /// run is its end.
    fn write(&mut self, record: &Record, out: &mut BytesMut);

    /// Writes that the session is gone; only readers of whole sessions hear of that.
    fn write_deleted(&mut self, _out: &mut BytesMut) {}

    /// What says that the stream lives: a comment.
    fn heartbeat(&self) -> &'static [u8] {
        b":\n\n"
    }
}

pub(crate) type BoxProjection = Box<dyn RecordProjection>;

impl RecordProjection for BoxProjection {
    fn write(&mut self, record: &Record, out: &mut BytesMut) {
        (**self).write(record, out);
    }

    fn write_deleted(&mut self, out: &mut BytesMut) {
        (**self).write_deleted(out);
    }

    fn heartbeat(&self) -> &'static [u8] {
        (**self).heartbeat()
    }
}

/// SSE v1.1 (interface §3).
pub(crate) struct SseFrames {
    app: ServerApp,
}

impl SseFrames {
    /// The frames of v1.1, without secrets.
    pub(crate) fn new(app: &ServerApp) -> Self {
        Self { app: app.clone() }
    }
}

impl RecordProjection for SseFrames {
    fn write(&mut self, record: &Record, out: &mut BytesMut) {
        frame::write_sse(record, &self.app.redactor, &mut out.writer());
    }
}

/// How a stream is read.
#[derive(Debug, Clone, Default)]
pub(crate) struct StreamStart {
    /// The number after which records are wanted.
    pub(crate) after: u64,
    /// Whether the run is cancelled when the reader goes away before its end.
    pub(crate) cancels: bool,
    /// The server is asked to stop.
    pub(crate) closing: Closing,
}

/// Whose events are read.
#[derive(Debug, Clone)]
enum StreamSubject {
    /// A run's, to its end.
    Run(RunId),
    /// Those of all runs of a session, for as long as it is there.
    Session(SessionId),
}

impl StreamSubject {
    async fn open(&self, host: &dyn HostPort, after: u64) -> Result<Records, HostError> {
        match self {
            StreamSubject::Run(run_id) => host.events(run_id, after).await,
            StreamSubject::Session(session_id) => host.session_events(session_id, after).await,
        }
    }
}

/// The events of a run as an answer; it ends with the run's end.
pub(crate) async fn respond<P: RecordProjection + Unpin>(
    app: &ServerApp,
    run_id: &RunId,
    reading: StreamStart,
    projection: P,
) -> RouteResult<EventStream> {
    follow(app, StreamSubject::Run(run_id.clone()), reading, projection).await
}

/// The events of a session as an answer; it ends when the session is forgotten.
pub(crate) async fn respond_session<P: RecordProjection + Unpin>(
    app: &ServerApp,
    session_id: &SessionId,
    reading: StreamStart,
    projection: P,
) -> RouteResult<EventStream> {
    follow(app, StreamSubject::Session(session_id.clone()), reading, projection).await
}

async fn follow<P: RecordProjection + Unpin>(
    app: &ServerApp,
    subject: StreamSubject,
    reading: StreamStart,
    projection: P,
) -> RouteResult<EventStream> {
    // Before the store is asked: a reader without a place costs nothing.
    let place = app.enter_stream()?;
    let records = subject.open(&*app.host, reading.after).await?;
    let body = EventBody {
        app: app.clone(),
        subject,
        source: RecordSource::Open(records),
        projection,
        chunk: BytesMut::new(),
        seen_seq: reading.after,
        durable_seq: reading.after,
        resyncs: 0,
        heartbeat: Box::pin(tokio::time::sleep(HEARTBEAT)),
        written_at: Instant::now(),
        cancels: reading.cancels,
        closing: reading.closing.wait(),
        _place: place,
    };
    Ok(stream_response(Body::new(body)))
}

/// An answer whose body is an event stream.
pub(crate) fn stream_response(body: Body) -> EventStream {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // nginx would otherwise collect frames before it passes them on.
        (header::HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    EventStream((SuccessKind::Ok.status(), headers, body).into_response())
}

type Records = BoxStream<'static, HostDelivery>;

enum RecordSource {
    Open(Records),
    Opening(BoxFuture<'static, Result<Records, HostError>>),
    Ended,
}

struct EventBody<P> {
    app: ServerApp,
    subject: StreamSubject,
    source: RecordSource,
    projection: P,
    chunk: BytesMut,
    /// The newest record that was written.
    seen_seq: u64,
    /// The newest durable one: where a new source begins.
    durable_seq: u64,
    resyncs: u32,
    heartbeat: Pin<Box<Sleep>>,
    written_at: Instant,
    cancels: bool,
    closing: BoxFuture<'static, ()>,
    _place: OpenSlot,
}

impl<P: RecordProjection> EventBody<P> {
    /// Writes records until the chunk is full or nothing is ready; pending only if there is nothing to send.
    fn fill(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut taken = 0;
        while self.chunk.is_empty() || (self.chunk.len() < CHUNK_BYTES && taken < CHUNK_RECORDS_MAX) {
            match &mut self.source {
                RecordSource::Ended => return Poll::Ready(()),
                RecordSource::Opening(opening) => match opening.as_mut().poll(cx) {
                    Poll::Ready(Ok(records)) => self.source = RecordSource::Open(records),
                    Poll::Ready(Err(error)) => {
                        tracing::warn!(of = ?self.subject, %error, "a reader could not be set up again");
                        self.source = RecordSource::Ended;
                    }
                    Poll::Pending => return self.pending(),
                },
                RecordSource::Open(records) => match records.as_mut().poll_next(cx) {
                    Poll::Ready(Some(HostDelivery::Record(record))) => {
                        taken += 1;
                        self.take(&record);
                    }
                    Poll::Ready(Some(HostDelivery::Gap)) => self.reopen(),
                    Poll::Ready(Some(HostDelivery::Deleted)) => {
                        self.projection.write_deleted(&mut self.chunk);
                        self.source = RecordSource::Ended;
                    }
                    Poll::Ready(None) => self.source = RecordSource::Ended,
                    Poll::Pending => return self.pending(),
                },
            }
        }
        Poll::Ready(())
    }

    fn pending(&mut self) -> Poll<()> {
        if !self.chunk.is_empty() {
            return Poll::Ready(());
        }
        // A record that the client does not see may have made room for nothing.
        self.chunk = BytesMut::new();
        Poll::Pending
    }

    fn take(&mut self, record: &Record) {
        // Set up again behind the last durable record, a source gives the deltas after it once more.
        if record.seq <= self.seen_seq {
            return;
        }
        self.seen_seq = record.seq;
        if record.event.is_durable() {
            self.durable_seq = record.seq;
        }
        self.resyncs = 0;
        if self.chunk.capacity() - self.chunk.len() < FRAME_ROOM_BYTES {
            let wanted =
                if self.chunk.is_empty() { FIRST_CHUNK_BYTES } else { CHUNK_BYTES + FRAME_ROOM_BYTES };
            self.chunk.reserve(wanted.saturating_sub(self.chunk.len()));
        }
        self.projection.write(record, &mut self.chunk);
        if let (StreamSubject::Run(_), Event::Durable(DurableEvent::RunEnded { .. })) =
            (&self.subject, &record.event)
        {
            self.source = RecordSource::Ended;
            self.cancels = false;
        }
    }

    fn reopen(&mut self) {
        self.resyncs += 1;
        if self.resyncs > RESYNCS_MAX {
            tracing::warn!(of = ?self.subject, "a reader is too slow, also after being set up again");
            self.source = RecordSource::Ended;
            return;
        }
        let (host, subject, after) = (Arc::clone(&self.app.host), self.subject.clone(), self.durable_seq);
        self.source = RecordSource::Opening(Box::pin(async move { subject.open(&*host, after).await }));
    }

    /// The chunk as it goes out, with all of its memory: whoever waits for the reader keeps nothing of it.
    fn send(&mut self) -> Bytes {
        self.written_at = Instant::now();
        std::mem::take(&mut self.chunk).freeze()
    }

    fn poll_heartbeat(&mut self, cx: &mut Context<'_>) -> Poll<Bytes> {
        loop {
            ready!(self.heartbeat.as_mut().poll(cx));
            // The timer is moved here alone, not at every chunk: chunks are many, heartbeats few.
            let due = self.written_at + HEARTBEAT;
            let now = Instant::now();
            self.heartbeat.as_mut().reset(if due > now { due } else { now + HEARTBEAT });
            if due <= now {
                self.written_at = now;
                return Poll::Ready(Bytes::from_static(self.projection.heartbeat()));
            }
        }
    }
}

/// What a stream takes before it knows how much will come: a reader of a quiet run costs little.
const FIRST_CHUNK_BYTES: usize = 1024;

/// Room for one more frame of the usual size: a chunk that is nearly full is not made twice as large for it.
const FRAME_ROOM_BYTES: usize = 512;

impl<P: RecordProjection + Unpin> http_body::Body for EventBody<P> {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let body = &mut *self;
        let filled = body.fill(cx);
        if !body.chunk.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(body.send()))));
        }
        if filled.is_ready() {
            return Poll::Ready(None);
        }
        // Asked only now: what is ready still goes out.
        if body.closing.as_mut().poll(cx).is_ready() {
            // The run goes on after the restart, and its reader comes back: nobody went away.
            body.cancels = false;
            body.source = RecordSource::Ended;
            return Poll::Ready(None);
        }
        body.poll_heartbeat(cx).map(|beat| Some(Ok(Frame::data(beat))))
    }
}

impl<P> Drop for EventBody<P> {
    fn drop(&mut self) {
        let StreamSubject::Run(run_id) = &self.subject else { return };
        if !self.cancels {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (host, run_id) = (Arc::clone(&self.app.host), run_id.clone());
            runtime.spawn(async move {
                if let Err(error) = host.cancel(&run_id).await {
                    tracing::warn!(%run_id, %error, "a run could not be cancelled when its reader went away");
                }
            });
        }
    }
}

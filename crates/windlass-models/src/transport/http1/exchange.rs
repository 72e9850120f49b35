//! One exchange: a request goes out, the head of its answer comes in, and then its body.
//!
//! Machines that are polled, not tasks: dropping one closes its connection at once. A connection goes back
//! to the pool only when its answer was read to the end and nothing followed.

use std::io::{self, IoSlice};
use std::mem;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use thiserror::Error;
use windlass_core::ports::BoxFuture;

use super::HttpFault;
use super::connect::ConnectRoute;
use super::head::{HeadReader, ResponseHead};
use super::payload::{Payload, PayloadFault};
use super::pool::{ConnectionKey, Pool};
use super::socket::Socket;

/// A request on its way.
struct Outgoing {
    head: Vec<u8>,
    body: Vec<u8>,
    sent: usize,
    is_sent: bool,
    /// Why nothing more can be sent.
    fault: Option<io::Error>,
}

impl Outgoing {
    /// Sends as much as goes. What cannot be sent is no failure yet: an answer may say why.
    fn poll(&mut self, cx: &mut Context<'_>, socket: &mut Socket) {
        while !self.is_sent && self.fault.is_none() {
            let head = self.head.get(self.sent..).unwrap_or_default();
            let body = self.body.get(self.sent.saturating_sub(self.head.len())..).unwrap_or_default();
            let is_written = head.is_empty() && body.is_empty();
            // TLS may hold back what was written until it is flushed.
            let sent = if is_written {
                socket.poll_flush(cx).map_ok(|()| 0)
            } else {
                socket.poll_write(cx, &[IoSlice::new(head), IoSlice::new(body)])
            };
            match sent {
                Poll::Pending => return,
                Poll::Ready(Err(error)) => self.fault = Some(error),
                Poll::Ready(Ok(0)) if !is_written => self.fault = Some(io::ErrorKind::WriteZero.into()),
                Poll::Ready(Ok(count)) => {
                    self.sent = self.sent.saturating_add(count);
                    self.is_sent = is_written;
                }
            }
        }
    }
}

/// A request, until the head of its answer is there.
pub(crate) struct HttpExchange {
    pool: Arc<Pool>,
    way: Arc<ConnectRoute>,
    outgoing: Outgoing,
    socket: Option<Socket>,
    /// Whether the connection comes from the pool, and may have been closed there unseen.
    is_reused: bool,
    connecting: Option<BoxFuture<'static, Result<Socket, HttpFault>>>,
    reader: HeadReader,
}

impl HttpExchange {
    pub(super) fn new(pool: Arc<Pool>, way: Arc<ConnectRoute>, head: Vec<u8>, body: Vec<u8>) -> Self {
        let socket = pool.take(&way.place);
        let outgoing = Outgoing { head, body, sent: 0, is_sent: false, fault: None };
        let is_reused = socket.is_some();
        Self { pool, way, outgoing, socket, is_reused, connecting: None, reader: HeadReader::default() }
    }

    /// Ready with what `look` saw in the head and with the body.
    pub(crate) fn poll<T>(
        &mut self,
        cx: &mut Context<'_>,
        look: fn(&ResponseHead<'_>) -> T,
    ) -> Poll<Result<(T, HttpBody), HttpFault>> {
        loop {
            let Some(socket) = &mut self.socket else {
                let connecting = self.connecting.get_or_insert_with(|| self.way.connect());
                let connected = ready!(connecting.as_mut().poll(cx));
                self.connecting = None;
                self.socket = Some(connected?);
                continue;
            };
            // Both directions in one poll: a server may answer, and refuse, before it has read everything.
            self.outgoing.poll(cx, socket);
            if self.outgoing.is_sent && !self.is_reused {
                // It will not be sent again, and answers may take minutes.
                (self.outgoing.head, self.outgoing.body) = Default::default();
            }
            let read = socket.poll_read(cx, |bytes| {
                self.reader.push(bytes);
                bytes.is_empty()
            });
            match ready!(read) {
                Ok(false) => {}
                // Not a byte was answered, so whoever closed this did not know of the request.
                Ok(true) | Err(_) if self.is_reused && self.reader.is_untouched() => self.start_anew(),
                Ok(true) => return Poll::Ready(Err(self.closed(None))),
                Err(error) => return Poll::Ready(Err(self.closed(Some(error)))),
            }
            let read = self.reader.read(|head| {
                let payload = Payload::of(head)?;
                Ok((look(head), payload, head.is_kept_open()))
            });
            match read.and_then(Option::transpose) {
                Ok(None) => {}
                Ok(Some((told, payload, is_kept_open))) => {
                    return Poll::Ready(Ok((told, self.body(payload, is_kept_open))));
                }
                Err(fault) => {
                    return Poll::Ready(Err(HttpFault::Malformed(fault.to_string(), self.reader.quote())));
                }
            }
        }
    }

    /// Once more, on a connection of its own: that one is believed, whatever happens.
    fn start_anew(&mut self) {
        self.is_reused = false;
        self.socket = None;
        (self.outgoing.sent, self.outgoing.is_sent, self.outgoing.fault) = (0, false, None);
    }

    fn closed(&mut self, error: Option<io::Error>) -> HttpFault {
        // What stopped the sending says more than the end that followed from it.
        let error = self.outgoing.fault.take().or(error);
        let why = error.map_or_else(|| "the connection was closed".to_owned(), |error| error.to_string());
        HttpFault::Closed(why)
    }

    fn body(&mut self, payload: Payload, is_kept_open: bool) -> HttpBody {
        // An answer to half a request leaves the other half in the way.
        let is_reusable = is_kept_open && self.outgoing.is_sent;
        let home = is_reusable.then(|| (Arc::clone(&self.pool), Arc::clone(&self.way.place)));
        let held = mem::take(&mut self.reader).into_rest();
        let mut body = HttpBody { socket: self.socket.take(), payload, held, fault: None, home };
        // An answer without a body has ended with its head, and nobody may ever poll it.
        body.settle(body.held.is_empty());
        body
    }
}

/// What broke a body off.
#[derive(Debug, Error)]
pub(crate) enum BodyFault {
    /// What came is wrong.
    #[error(transparent)]
    Payload(#[from] PayloadFault),
    #[error(transparent)]
    Connection(#[from] io::Error),
}

/// The body of an answer.
pub(crate) struct HttpBody {
    /// Until the body has ended.
    socket: Option<Socket>,
    payload: Payload,
    /// What came together with the head.
    held: Vec<u8>,
    /// Told after what came before it.
    fault: Option<PayloadFault>,
    /// Where the connection goes when the body has ended, if it can be used again.
    home: Option<(Arc<Pool>, Arc<ConnectionKey>)>,
}

impl HttpBody {
    /// Hands the next piece to `sink`, once; `None` when the body has ended.
    pub(crate) fn poll_piece(
        &mut self,
        cx: &mut Context<'_>,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Poll<Option<Result<(), BodyFault>>> {
        let mut held = mem::take(&mut self.held);
        let mut passed = pass(&mut self.payload, &mut held, sink);
        loop {
            self.fault = self.fault.or(passed.fault);
            self.settle(passed.is_clean);
            if passed.is_given {
                return Poll::Ready(Some(Ok(())));
            }
            if let Some(fault) = self.fault.take() {
                self.socket = None;
                return Poll::Ready(Some(Err(fault.into())));
            }
            let Some(socket) = &mut self.socket else { return Poll::Ready(None) };
            let payload = &mut self.payload;
            let read = socket.poll_read(cx, |bytes| (!bytes.is_empty()).then(|| pass(payload, bytes, sink)));
            passed = match ready!(read) {
                Ok(Some(passed)) => passed,
                Ok(None) => {
                    self.socket = None;
                    return Poll::Ready(self.payload.end().err().map(|fault| Err(fault.into())));
                }
                Err(error) => {
                    self.socket = None;
                    return Poll::Ready(Some(Err(error.into())));
                }
            };
        }
    }

    /// Lets the connection go once the body has ended. What follows an answer nobody asked for, and a
    /// connection that has it is not used again.
    fn settle(&mut self, is_clean: bool) {
        if !self.payload.is_over() {
            return;
        }
        let (socket, home) = (self.socket.take(), self.home.take());
        if let Some((socket, (pool, place))) = socket.zip(home).filter(|_| is_clean) {
            pool.give(place, socket);
        }
    }
}

/// What became of some bytes.
struct TakenBytes {
    is_given: bool,
    is_clean: bool,
    fault: Option<PayloadFault>,
}

fn pass(payload: &mut Payload, bytes: &mut [u8], sink: &mut dyn FnMut(&[u8])) -> TakenBytes {
    let piece = payload.join(bytes);
    let body = bytes.get(piece.body).unwrap_or_default();
    if !body.is_empty() {
        sink(body);
    }
    TakenBytes { is_given: !body.is_empty(), is_clean: piece.used == bytes.len(), fault: piece.fault }
}

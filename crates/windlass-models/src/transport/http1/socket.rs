//! A connection: bare or behind TLS.
//!
//! Dropping it closes it at once. Knows no HTTP.

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::limits::READ_BYTES_MAX;

#[derive(Debug)]
pub(super) enum Socket {
    Bare(TcpStream),
    Safe(Box<TlsStream<TcpStream>>),
}

impl Socket {
    /// Hands what has come to `take`, in a room that only exists while somebody reads; nothing is the end.
    pub(super) fn poll_read<T>(
        &mut self,
        cx: &mut Context<'_>,
        take: impl FnOnce(&mut [u8]) -> T,
    ) -> Poll<io::Result<T>> {
        let mut room = [MaybeUninit::uninit(); READ_BYTES_MAX];
        let mut read = ReadBuf::uninit(&mut room);
        ready!(self.poll_fill(cx, &mut read))?;
        Poll::Ready(Ok(take(read.filled_mut())))
    }

    /// Writes from the first of the buffers on.
    pub(super) fn poll_write(
        &mut self,
        cx: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self {
            Self::Bare(socket) => Pin::new(socket).poll_write_vectored(cx, buffers),
            Self::Safe(socket) => Pin::new(socket).poll_write_vectored(cx, buffers),
        }
    }

    pub(super) fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Bare(socket) => Pin::new(socket).poll_flush(cx),
            Self::Safe(socket) => Pin::new(socket).poll_flush(cx),
        }
    }

    /// Whether the other side is there and silent, as far as is known without asking.
    pub(super) fn is_quiet(&mut self) -> bool {
        let mut room = [0];
        let mut read = ReadBuf::new(&mut room);
        // Nobody is to be woken: the next real read leaves a waker of its own.
        self.poll_fill(&mut Context::from_waker(Waker::noop()), &mut read).is_pending()
    }

    fn poll_fill(&mut self, cx: &mut Context<'_>, read: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Bare(socket) => Pin::new(socket).poll_read(cx, read),
            Self::Safe(socket) => Pin::new(socket).poll_read(cx, read),
        }
    }
}

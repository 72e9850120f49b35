//! Carries bytes between a program and a server, and counts them as they go, so that they are on record however it ends.

use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};
use windlass_core::protocol::tool::{ReachLog, ReachedHost};

/// A connection over which nothing goes for so long is dead.
const IDLE_MS_MAX: u64 = 300_000;
/// How often that is looked at.
const IDLE_LOOK_MS: u64 = 10_000;
/// Bytes that are read at once.
const PIECE_BYTES: usize = 32 * 1024;

/// What goes to and from one host.
pub(super) struct Account {
    log: ReachLog,
    host: String,
    address: IpAddr,
    begun: Instant,
    /// Milliseconds after the beginning at which something went last.
    last_ms: AtomicU64,
}

impl Account {
    /// Opens one: a connection is on record before its first byte.
    pub(super) fn open(log: &ReachLog, host: String, address: IpAddr) -> Self {
        let account =
            Self { log: log.clone(), host, address, begun: Instant::now(), last_ms: AtomicU64::new(0) };
        account.note(1, 0, 0);
        account
    }

    fn note(&self, requests: u32, bytes_out: usize, bytes_in: usize) {
        let elapsed = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_ms.store(elapsed, Ordering::Relaxed);
        let (host, address) = (self.host.clone(), Some(self.address.to_string()));
        let (bytes_out, bytes_in) = (bytes_out as u64, bytes_in as u64);
        self.log.note(ReachedHost { host, address, requests, bytes_out, bytes_in });
    }

    /// Ends when nothing went for long.
    async fn idle(&self) {
        loop {
            sleep(Duration::from_millis(IDLE_LOOK_MS)).await;
            let last = Duration::from_millis(self.last_ms.load(Ordering::Relaxed));
            if self.begun.elapsed().saturating_sub(last) > Duration::from_millis(IDLE_MS_MAX) {
                return;
            }
        }
    }
}

/// How much of what a program says goes to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UploadBound {
    /// Everything, until it stops.
    All,
    /// A body of so many bytes, and nothing after it.
    Body(u64),
}

/// Sends `first`, then carries both ways until both have stopped.
pub(super) async fn carry(
    client: &mut TcpStream,
    server: &mut TcpStream,
    first: &[u8],
    outgoing: UploadBound,
    account: &Account,
) -> io::Result<()> {
    server.write_all(first).await?;
    account.note(0, first.len(), 0);
    let (from_client, to_client) = client.split();
    let (from_server, to_server) = server.split();
    let sent = |count| account.note(0, count, 0);
    let received = |count| account.note(0, 0, count);
    let answer = pass(from_server, to_client, received);
    let both = async {
        match outgoing {
            UploadBound::All => tokio::try_join!(pass(from_client, to_server, sent), answer).map(|_| ()),
            UploadBound::Body(bytes) => {
                let mut body = from_client.take(bytes);
                // The server ends the connection after its answer; whatever the program says more is not read.
                let body = async {
                    pass_open(&mut body, to_server, sent).await?;
                    std::future::pending::<io::Result<()>>().await
                };
                tokio::select! {
                    ended = body => ended,
                    ended = answer => ended,
                }
            }
        }
    };
    tokio::select! {
        ended = both => ended,
        () = account.idle() => Ok(()),
    }
}

/// Carries one way until it stops, and says so on the other side.
async fn pass(
    from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    note: impl Fn(usize),
) -> io::Result<()> {
    pass_open(from, &mut to, note).await?;
    to.shutdown().await
}

async fn pass_open(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    note: impl Fn(usize),
) -> io::Result<()> {
    let mut piece = vec![0_u8; PIECE_BYTES];
    loop {
        let count = from.read(&mut piece).await?;
        if count == 0 {
            return Ok(());
        }
        // Noted first: what goes halfway has gone.
        note(count);
        to.write_all(piece.get(..count).unwrap_or_default()).await?;
    }
}

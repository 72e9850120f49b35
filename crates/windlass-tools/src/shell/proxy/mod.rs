//! The filtering proxy: the only way out of the sandbox, to hosts that the user granted.
//!
//! It runs in Windlass itself, outside, and ends with the command. Inside there is only its listener. Knows no rules and no
//! questions; how a command is held, `confine` knows.
//!
//! - `granted`: the list of the user
//! - `handover`: how the listener comes out of the sandbox
//! - `head`: the request of a program; `hello`: the first message of TLS
//! - `way`: list, addresses and the connection
//! - `carry`: bytes both ways, counted
//! - `refusal`: what is not done, in words

mod carry;
pub(crate) mod granted;
pub(crate) mod handover;
mod head;
pub(crate) mod hello;
pub(crate) mod refusal;
mod way;

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use windlass_core::protocol::tool::ReachLog;

use self::carry::{Account, UploadBound, carry};
use self::granted::GrantedHost;
use self::head::{Destination, Wish, read_head, understand};
use self::hello::{HelloFailure, NAME_REFUSED, read_hello};
use self::refusal::{ProxyRefusal, RefusalLog};
use crate::web::net_guard::NetGuard;

/// Connections of one command at once; more wait. Programs that fetch much use a dozen or two.
const CONNECTIONS_MAX: usize = 64;
/// How long a request may take to be said, and the first message of TLS.
const SPEAK_MS_MAX: u64 = 10_000;
/// How long after a failure to accept the next connection is looked at: files may be short for a moment.
const ACCEPT_PAUSE_MS: u64 = 50;
/// How much of what a refused program still says is read, and for how long.
const UNREAD_BYTES_MAX: usize = 256 * 1024;
const UNREAD_MS_MAX: u64 = 1_000;
/// Hosts that a refusal names.
const NAMED_MAX: usize = 8;

/// The answer that a tunnel is open.
const OPEN: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";

/// What the proxy of one command knows.
#[derive(Debug, Clone)]
pub(crate) struct ProxyParts {
    pub(crate) guard: Arc<NetGuard>,
    pub(crate) hosts: Arc<[GrantedHost]>,
    /// What is reached is noted here.
    pub(crate) reached: ReachLog,
    pub(crate) refused: RefusalLog,
}

impl ProxyParts {
    fn granted_words(&self) -> String {
        let named: Vec<String> = self.hosts.iter().take(NAMED_MAX).map(ToString::to_string).collect();
        let more = if self.hosts.len() > NAMED_MAX { " and others" } else { "" };
        format!("{}{more}", named.join(", "))
    }
}

/// The proxy of one command. It ends with this value, and everything that it carries.
pub(crate) struct HostProxy {
    _task: JoinSet<()>,
}

impl HostProxy {
    /// Waits for the listener, and then for programs.
    pub(crate) fn start(socket: UnixStream, parts: ProxyParts) -> Self {
        let mut task = JoinSet::new();
        task.spawn(async move {
            // Where no listener comes nothing can connect, and the command says so.
            if let Ok(listener) = handover::receive(socket).await {
                serve(listener, Arc::new(parts)).await;
            }
        });
        Self { _task: task }
    }
}

async fn serve(listener: tokio::net::TcpListener, parts: Arc<ProxyParts>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut connections = JoinSet::new();
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((client, _)) => {
                let parts = Arc::clone(&parts);
                connections.spawn(async move {
                    // Whoever is cut off in the middle is told by that.
                    let _ = answer(client, &parts).await;
                    drop(place);
                });
            }
            Err(_) => sleep(Duration::from_millis(ACCEPT_PAUSE_MS)).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

/// Does what one connection asks for, or says why not.
async fn answer(mut client: TcpStream, parts: &ProxyParts) -> io::Result<()> {
    let wait = Duration::from_millis(SPEAK_MS_MAX);
    let Ok(read) = timeout(wait, read_head(&mut client)).await else { return Ok(()) };
    let wish = match read {
        Ok(Some((head, early))) => understand(&head).map(|wish| (wish, early)),
        Ok(None) => return Ok(()),
        Err(refusal) => Err(refusal),
    };
    let carried = match wish {
        Ok((Wish::Tunnel(to), early)) => tunnel(&mut client, parts, &to, early).await,
        Ok((Wish::Plain { to, head, body_bytes }, early)) => {
            forward(&mut client, parts, &to, head, body_bytes, &early).await
        }
        Err(refusal) => Err(Ending::Refused(refusal)),
    };
    match carried {
        Ok(()) => Ok(()),
        Err(Ending::Broken(error)) => Err(error),
        Err(Ending::Refused(refusal)) => {
            let words = refusal.answer();
            parts.refused.note(refusal);
            dismiss(client, &words).await
        }
        // The tunnel is open already: what is said now must be TLS.
        Err(Ending::Closed(refusal)) => {
            parts.refused.note(refusal);
            dismiss(client, &NAME_REFUSED).await
        }
    }
}

/// Says the last word. What the program still says is read for a moment: a connection that is closed over unread bytes takes
/// the answer with it.
async fn dismiss(mut client: TcpStream, words: &[u8]) -> io::Result<()> {
    client.write_all(words).await?;
    client.shutdown().await?;
    let rest = async {
        let mut left = UNREAD_BYTES_MAX;
        let mut piece = [0_u8; 4_096];
        while let Ok(count @ 1..) = client.read(&mut piece).await {
            left = left.saturating_sub(count);
            if left == 0 {
                return;
            }
        }
    };
    // Whoever goes on speaking is cut off.
    let _ = timeout(Duration::from_millis(UNREAD_MS_MAX), rest).await;
    Ok(())
}

/// How a connection ended early.
enum Ending {
    /// With an answer.
    Refused(ProxyRefusal),
    /// After the answer was given.
    Closed(ProxyRefusal),
    Broken(io::Error),
}

impl From<ProxyRefusal> for Ending {
    fn from(refusal: ProxyRefusal) -> Self {
        Ending::Refused(refusal)
    }
}

impl From<io::Error> for Ending {
    fn from(error: io::Error) -> Self {
        Ending::Broken(error)
    }
}

async fn tunnel(
    client: &mut TcpStream,
    parts: &ProxyParts,
    to: &Destination,
    early: Vec<u8>,
) -> Result<(), Ending> {
    let mut way = way::open(parts, to).await?;
    client.write_all(OPEN).await?;
    let wait = Duration::from_millis(SPEAK_MS_MAX);
    let host = to.label();
    let hello = match timeout(wait, read_hello(client, early)).await {
        Ok(Ok(hello)) => hello,
        Ok(Err(HelloFailure::Silent)) => return Ok(()),
        Ok(Err(HelloFailure::NotTls)) | Err(_) => {
            return Err(Ending::Closed(ProxyRefusal::NotTls { host }));
        }
    };
    // No name is said for an address.
    let expected = Some(&to.host).filter(|host| host.parse::<std::net::IpAddr>().is_err());
    if hello.name.as_ref() != expected {
        return Err(Ending::Closed(ProxyRefusal::OtherName { host, name: hello.name }));
    }
    let account = Account::open(&parts.reached, host, way.address);
    Ok(carry(client, &mut way.server, &hello.bytes, UploadBound::All, &account).await?)
}

async fn forward(
    client: &mut TcpStream,
    parts: &ProxyParts,
    to: &Destination,
    head: Vec<u8>,
    body_bytes: u64,
    early: &[u8],
) -> Result<(), Ending> {
    let mut way = way::open(parts, to).await?;
    let account = Account::open(&parts.reached, to.label(), way.address);
    // Only what belongs to this request goes on.
    let whole = usize::try_from(body_bytes).unwrap_or(usize::MAX);
    let body = early.get(..early.len().min(whole)).unwrap_or_default();
    let left = body_bytes.saturating_sub(body.len() as u64);
    let first = [head.as_slice(), body].concat();
    Ok(carry(client, &mut way.server, &first, UploadBound::Body(left), &account).await?)
}

#[cfg(test)]
#[path = "proxy_tests.rs"]
mod tests;

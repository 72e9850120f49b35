//! The deeds about hosts: what the helper tries through the proxy and around it, and the server outside that tells what came.
//!
//! Every deed says another name in its first message of TLS, so the server knows whose it is. Bare, the same message goes
//! straight to the server: the control.

use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;
use windlass_core::ports::BoxFuture;
use windlass_core::protocol::tool::ReachLog;

use crate::shell::proxy::ProxyParts;
use crate::shell::proxy::granted::GrantedHost;
use crate::shell::proxy::hello::first_message;
use crate::shell::proxy::refusal::RefusalLog;
use crate::web::net_guard::{AddressLookup, AllowedHost, NetGuard};

/// How long a connection or an answer is waited for.
const ANSWER_MS_MAX: u64 = 500;
/// Longest answer of the proxy that is looked at.
const ANSWER_BYTES_MAX: usize = 4_096;
/// What the server says when something came.
const SEEN: &[u8] = b"seen";

/// Granted, and let through.
const GRANTED: &str = "granted.example";
/// As good as the first, but not granted.
const OTHER: &str = "other.example";
/// Granted, but a name of this machine like all of these; nobody allowed that.
const OWN: &str = "own.example";

/// A deed about hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReachDeed {
    Granted,
    Other,
    Around,
    OtherName,
    ByAddress,
    OwnMachine,
}

impl ReachDeed {
    /// The name that it says in TLS.
    fn name(self) -> &'static str {
        match self {
            ReachDeed::Granted => GRANTED,
            ReachDeed::Other => OTHER,
            ReachDeed::Around => "around.example",
            ReachDeed::OtherName => "hidden.example",
            ReachDeed::ByAddress => "address.example",
            ReachDeed::OwnMachine => OWN,
        }
    }

    /// The host that it asks the proxy for.
    fn host(self) -> Option<&'static str> {
        match self {
            ReachDeed::Granted | ReachDeed::OtherName => Some(GRANTED),
            ReachDeed::Other => Some(OTHER),
            ReachDeed::Around => None,
            ReachDeed::ByAddress => Some("127.0.0.1"),
            ReachDeed::OwnMachine => Some(OWN),
        }
    }

    /// Tries it.
    pub(crate) fn act(self, port: u16, proxy: Option<&str>) -> io::Result<()> {
        let through = self.host().zip(proxy);
        let mut stream = match through {
            Some((host, proxy)) => open_tunnel(host, port, proxy)?,
            None => connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?,
        };
        stream.write_all(&first_message(self.name())?)?;
        let mut seen = [0_u8; SEEN.len()];
        stream.read_exact(&mut seen)?;
        if seen == SEEN { Ok(()) } else { Err(io::Error::other("the connection was closed")) }
    }
}

fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let limit = Duration::from_millis(ANSWER_MS_MAX);
    let stream = TcpStream::connect_timeout(&address, limit)?;
    stream.set_read_timeout(Some(limit))?;
    Ok(stream)
}

fn open_tunnel(host: &str, port: u16, proxy: &str) -> io::Result<TcpStream> {
    let address = proxy.strip_prefix("http://").and_then(|address| address.parse().ok());
    let mut stream = connect(address.ok_or_else(|| io::Error::other("no proxy is named"))?)?;
    stream.write_all(format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n").as_bytes())?;
    let mut answer = Vec::new();
    let mut byte = [0_u8; 1];
    while !answer.ends_with(b"\r\n\r\n") && answer.len() < ANSWER_BYTES_MAX {
        stream.read_exact(&mut byte)?;
        answer.extend_from_slice(&byte);
    }
    let answer = String::from_utf8_lossy(&answer);
    let first = answer.lines().next().unwrap_or_default();
    if first.starts_with("HTTP/1.1 200 ") { Ok(stream) } else { Err(io::Error::other(first.to_owned())) }
}

/// The server outside.
pub(crate) struct ReachServer {
    pub(crate) port: u16,
    seen: Arc<Mutex<Vec<u8>>>,
    _task: JoinSet<()>,
}

impl ReachServer {
    pub(crate) fn start() -> io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let seen = Arc::new(Mutex::new(Vec::new()));
        let mut task = JoinSet::new();
        let shared = Arc::clone(&seen);
        task.spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut piece = [0_u8; ANSWER_BYTES_MAX];
                let wait = Duration::from_millis(ANSWER_MS_MAX);
                let read = tokio::time::timeout(wait, stream.read(&mut piece)).await;
                let Ok(Ok(count @ 1..)) = read else { continue };
                let bytes = piece.get(..count).unwrap_or_default();
                shared.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
                // Whoever asked may be gone.
                let _ = stream.write_all(SEEN).await;
            }
        });
        Ok(Self { port, seen, _task: task })
    }

    /// Whether the message of a deed came here.
    pub(crate) fn saw(&self, deed: ReachDeed) -> bool {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let name = deed.name().as_bytes();
        seen.windows(name.len()).any(|part| part == name)
    }

    /// A proxy in front of it: all names lead to this machine, and only those that stand here are let.
    pub(crate) fn proxy(&self) -> io::Result<ProxyParts> {
        let at = |host: &str| format!("{host}:{}", self.port);
        let allow: Result<Vec<AllowedHost>, _> =
            [GRANTED, OTHER, "127.0.0.1"].iter().map(|host| at(host).parse()).collect();
        let hosts: Result<Vec<GrantedHost>, _> = [GRANTED, OWN].iter().map(|host| at(host).parse()).collect();
        let guard = NetGuard::new(allow.map_err(io::Error::other)?, Arc::new(StageLookup));
        Ok(ProxyParts {
            guard: Arc::new(guard),
            hosts: hosts.map_err(io::Error::other)?.into(),
            reached: ReachLog::default(),
            refused: RefusalLog::default(),
        })
    }
}

/// Every name is this machine.
#[derive(Debug)]
struct StageLookup;

impl AddressLookup for StageLookup {
    fn lookup<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async { Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)]) })
    }
}

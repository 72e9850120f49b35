//! Connecting: names to addresses, addresses to sockets, through a proxy if need be, and TLS on top.
//!
//! One limit of time for all of it. Lives in a box of its own, for it is large and soon over.

use std::future::poll_fn;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use windlass_core::ports::BoxFuture;

use super::HttpFault;
use super::head::HeadReader;
use super::pool::ConnectionKey;
use super::proxy::Proxy;
use super::request::write_field;
use super::socket::Socket;
use super::trust::TrustRoots;

/// How a place is reached.
#[derive(Clone)]
pub(super) struct ConnectRoute {
    pub(super) place: Arc<ConnectionKey>,
    pub(super) proxy: Option<Proxy>,
    /// There is one for https, and only for that.
    pub(super) trust: Option<TrustRoots>,
    pub(super) timeout: Duration,
}

impl ConnectRoute {
    pub(super) fn connect(&self) -> BoxFuture<'static, Result<Socket, HttpFault>> {
        let way = self.clone();
        Box::pin(async move { timeout(way.timeout, open(&way)).await.unwrap_or(Err(HttpFault::Timeout)) })
    }
}

async fn open(way: &ConnectRoute) -> Result<Socket, HttpFault> {
    let socket = match &way.proxy {
        None => reach(&way.place.host, way.place.port, way.timeout).await?,
        Some(proxy) => {
            let reached = reach(&proxy.host, proxy.port, way.timeout).await;
            reached.map_err(|fault| match fault {
                HttpFault::Unreachable(why) => HttpFault::Unreachable(format!("{proxy}: {why}")),
                other => other,
            })?
        }
    };
    // A request is written at once and waited for.
    socket.set_nodelay(true).map_err(|error| HttpFault::Unreachable(error.to_string()))?;
    // Plain http needs no tunnel: a proxy forwards it.
    let Some(trust) = &way.trust else { return Ok(Socket::Bare(socket)) };
    let socket = match &way.proxy {
        None => socket,
        Some(proxy) => tunnel(socket, &way.place, proxy).await?,
    };
    Ok(Socket::Safe(Box::new(trust.greet(&way.place.host, socket).await?)))
}

/// Tries the addresses of a host one after another; none may use up the time of the others.
async fn reach(host: &str, port: u16, limit: Duration) -> Result<TcpStream, HttpFault> {
    let addresses: Vec<SocketAddr> = match host.parse::<IpAddr>() {
        Ok(address) => vec![SocketAddr::new(address, port)],
        Err(_) => {
            let found = lookup_host((host, port)).await;
            found.map_err(|error| HttpFault::Unreachable(error.to_string()))?.collect()
        }
    };
    let share = limit / u32::try_from(addresses.len().max(1)).unwrap_or(u32::MAX);
    let mut fault = HttpFault::Unreachable("the host has no address".to_owned());
    for address in addresses {
        fault = match timeout(share, TcpStream::connect(address)).await {
            Ok(Ok(socket)) => return Ok(socket),
            Ok(Err(error)) => HttpFault::Unreachable(error.to_string()),
            Err(_) => HttpFault::Timeout,
        };
    }
    Err(fault)
}

/// Asks a proxy for a way through.
async fn tunnel(mut socket: TcpStream, place: &ConnectionKey, proxy: &Proxy) -> Result<TcpStream, HttpFault> {
    let refused = |why: &str| HttpFault::Unreachable(format!("{proxy}: {why}"));
    let there = place.to_string();
    let mut head = format!("CONNECT {there} HTTP/1.1\r\n").into_bytes();
    write_field(&mut head, "host", &[&there]);
    if let Some(authorization) = &proxy.authorization {
        write_field(&mut head, "proxy-authorization", &[authorization]);
    }
    head.extend_from_slice(b"\r\n");
    socket.write_all(&head).await.map_err(|error| refused(&error.to_string()))?;

    let mut socket = Socket::Bare(socket);
    let mut reader = HeadReader::default();
    let status = loop {
        let read = poll_fn(|cx| {
            socket.poll_read(cx, |bytes| {
                reader.push(bytes);
                bytes.is_empty()
            })
        });
        match read.await {
            Ok(false) => {}
            Ok(true) => return Err(refused("it closed the connection")),
            Err(error) => return Err(refused(&error.to_string())),
        }
        match reader.read(|head| head.status) {
            Ok(None) => {}
            Ok(Some(status)) => break status,
            Err(fault) => return Err(refused(&fault.to_string())),
        }
    };
    match (status, socket) {
        // Whoever speaks before he was greeted is not the one behind the proxy.
        (200..=299, Socket::Bare(socket)) if reader.into_rest().is_empty() => Ok(socket),
        (407, _) => Err(refused("it wants a user and a password (status 407)")),
        (status, _) => Err(refused(&format!("it leads nowhere (status {status})"))),
    }
}

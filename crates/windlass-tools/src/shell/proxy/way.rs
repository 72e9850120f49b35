//! The way to a host: whether the user granted it, whether its address is one that may be reached, and the connection to that
//! very address. A name is looked up once.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use super::ProxyParts;
use super::head::Destination;
use super::refusal::ProxyRefusal;
use crate::web::net_guard::{ClientChoice, GuardFailure};

/// A lookup or a server that takes longer is down.
const CONNECT_MS_MAX: u64 = 10_000;

/// A connection to a host.
pub(super) struct OpenWay {
    pub(super) server: TcpStream,
    pub(super) address: IpAddr,
}

/// Connects to a destination, or says why not.
pub(super) async fn open(parts: &ProxyParts, to: &Destination) -> Result<OpenWay, ProxyRefusal> {
    if !parts.hosts.iter().any(|granted| granted.covers(&to.host, to.port)) {
        let granted = parts.granted_words();
        return Err(ProxyRefusal::NotGranted { host: to.label(), granted });
    }
    let unreachable = |why: String| ProxyRefusal::Unreachable { host: to.label(), why };
    let limit = Duration::from_millis(CONNECT_MS_MAX);
    let addresses = timeout(limit, addresses(parts, to));
    let addresses = addresses.await.map_err(|_| unreachable("its name was not found in time".into()))??;
    let mut last = "it has no address".to_owned();
    for address in addresses {
        match timeout(limit, TcpStream::connect(SocketAddr::new(address, to.port))).await {
            Ok(Ok(server)) => return Ok(OpenWay { server, address }),
            Ok(Err(error)) => last = error.to_string(),
            Err(_) => last = "it did not answer in time".to_owned(),
        }
    }
    Err(unreachable(last))
}

async fn addresses(parts: &ProxyParts, to: &Destination) -> Result<Vec<IpAddr>, ProxyRefusal> {
    let refusal = |failure: GuardFailure| match failure {
        GuardFailure::Refused(why) => ProxyRefusal::Closed { host: to.label(), why },
        GuardFailure::Malformed { reason, .. } => ProxyRefusal::Closed { host: to.label(), why: reason },
        GuardFailure::Unresolved { reason, .. } => {
            ProxyRefusal::Unreachable { host: to.label(), why: reason }
        }
    };
    let url = to.url().ok_or(ProxyRefusal::Malformed("its host cannot be read"))?;
    let choice = parts.guard.judge(&url).map_err(refusal)?;
    if let Ok(address) = to.host.parse() {
        return Ok(vec![address]);
    }
    let found = match choice {
        ClientChoice::Guarded => parts.guard.addresses(&to.host).await,
        ClientChoice::Allowed => parts.guard.look_up(&to.host).await,
    };
    found.map_err(refusal)
}

//! Keeps a fetched address away from this machine and its networks (server-side request forgery).
//!
//! Owns the judgement over a URL and over the addresses behind a name. A name is looked up once for a
//! connection, every address it has is checked, and the connection goes to those addresses and no others:
//! the client's resolver is this guard, so there is no second lookup that could answer differently.
//! Knows no requests and no pages.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;

use windlass_core::ports::BoxFuture;
use windlass_core::protocol::tool::ToolFailure;

use crate::web::address::forbidden_class;
use crate::web::http::Url;

/// Ports of protocols that a request can be smuggled into; everything below 1024 but the web's own is
/// refused without a list.
const FORBIDDEN_PORTS: [u16; 17] =
    [1080, 1433, 1521, 2049, 2375, 2376, 2379, 3306, 3389, 5432, 5900, 5984, 6379, 6667, 10250, 11211, 27017];

/// Longest URL that is looked at; browsers stop near here too.
const URL_BYTES_MAX: usize = 8 * 1024;

/// Names that mean this machine or its networks wherever they are looked up.
const FORBIDDEN_NAMES: [&str; 5] =
    ["localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback", "metadata"];

/// Endings of names that never belong to the public web.
const FORBIDDEN_ENDINGS: [&str; 6] =
    [".localhost", ".localdomain", ".local", ".internal", ".intranet", ".home.arpa"];

/// Finds the addresses of a name.
pub trait AddressLookup: Send + Sync + fmt::Debug {
    /// All addresses of `host`.
    fn lookup<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// Asks the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLookup;

impl AddressLookup for SystemLookup {
    fn lookup<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            Ok(tokio::net::lookup_host((host, 0)).await?.map(|address| address.ip()).collect())
        })
    }
}

/// A host that may be fetched from although it is not public: `intranet.example`, `127.0.0.1:8080`,
/// `[::1]:8080`. Without a port, any port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedHost {
    host: String,
    port: Option<u16>,
}

impl AllowedHost {
    fn covers(&self, host: &str, port: u16) -> bool {
        self.host == host && self.port.is_none_or(|allowed| allowed == port)
    }
}

/// The text is not `host` or `host:port`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a host: write 'name', 'name:port', '127.0.0.1:8080' or '[::1]:8080'")]
pub struct AllowedHostError(String);

impl FromStr for AllowedHost {
    type Err = AllowedHostError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || AllowedHostError(text.to_owned());
        let (name, port) = match text.rsplit_once(':') {
            // The last colon of a bare `[::1]` is inside the brackets.
            Some((name, port)) if !port.ends_with(']') => {
                (name, Some(port.parse::<u16>().map_err(|_| wrong())?))
            }
            Some(_) | None => (text, None),
        };
        if name.is_empty() || name.contains(['/', '@', '?', '#', '\\']) {
            return Err(wrong());
        }
        let url = Url::parse(&format!("http://{name}/")).map_err(|_| wrong())?;
        let host = url.host_str().map(canonical_host).filter(|host| !host.is_empty()).ok_or_else(wrong)?;
        Ok(Self { host, port })
    }
}

/// Why an address is not fetched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum GuardFailure {
    /// It is not a URL.
    #[error("'{url}' is not a URL: {reason}")]
    Malformed {
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    #[error("{0}")]
    Refused(String),
    /// The name has no address.
    #[error("the host '{host}' could not be found: {reason}")]
    Unresolved {
        host: String,
        /// What the lookup said.
        reason: String,
    },
}

impl From<GuardFailure> for ToolFailure {
    fn from(failure: GuardFailure) -> Self {
        let message = failure.to_string();
        match failure {
            GuardFailure::Malformed { url, .. } => ToolFailure::invalid_args(message)
                .at("url", "an absolute http or https URL", url)
                .hint("Send an absolute URL such as https://example.com/page."),
            GuardFailure::Refused(_) => ToolFailure::denied(message)
                .hint("Only public web pages can be fetched. Do not try other spellings of this address."),
            GuardFailure::Unresolved { .. } => {
                ToolFailure::io_error(message).hint("Check the spelling of the host name.")
            }
        }
    }
}

/// How a URL that passed is to be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClientChoice {
    /// By the client whose every connection is checked.
    Guarded,
    /// By the unchecked one: its host is on the allow list.
    Allowed,
}

/// Judges URLs and addresses.
#[derive(Debug, Clone)]
pub(crate) struct NetGuard {
    allow: Vec<AllowedHost>,
    lookup: Arc<dyn AddressLookup>,
}

impl NetGuard {
    /// A guard that lets the public web and the allowed hosts through.
    pub(crate) fn new(allow: Vec<AllowedHost>, lookup: Arc<dyn AddressLookup>) -> Self {
        Self { allow, lookup }
    }

    /// Reads a URL as a browser would, so that every spelling of an address becomes the address.
    pub(crate) fn parse(&self, text: &str) -> Result<Url, GuardFailure> {
        let malformed =
            |reason: String| GuardFailure::Malformed { url: text.chars().take(200).collect(), reason };
        if text.len() > URL_BYTES_MAX {
            return Err(malformed(format!("it is longer than {URL_BYTES_MAX} bytes")));
        }
        Url::parse(text.trim()).map_err(|error| malformed(error.to_string()))
    }

    /// Judges everything that can be judged without asking the network: asking about a name tells its
    /// owner, so nothing is looked up before the call is permitted.
    pub(crate) fn judge(&self, url: &Url) -> Result<ClientChoice, GuardFailure> {
        if !matches!(url.scheme(), "http" | "https") {
            return refuse(format!("only http and https are fetched, not '{}'", url.scheme()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("a URL with a user name or password is not fetched".into());
        }
        let (Some(host), Some(port)) = (url.host_str().map(canonical_host), url.port_or_known_default())
        else {
            return refuse("a URL without a host is not fetched".into());
        };
        // Before the ports: a server of one's own has whatever port it has.
        if self.allow.iter().any(|allowed| allowed.covers(&host, port)) {
            return Ok(ClientChoice::Allowed);
        }
        if !is_web_port(port) {
            return refuse(format!("port {port} is not a port of the web"));
        }
        match literal_address(&host) {
            Some(address) => check_address(&host, address)?,
            None => check_name(&host)?,
        }
        Ok(ClientChoice::Guarded)
    }

    /// The addresses of a name, all of them checked. One bad address refuses the name: which of them a
    /// connection takes is not ours to say.
    pub(crate) async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, GuardFailure> {
        let addresses = self.look_up(host).await?;
        for address in &addresses {
            check_address(host, *address)?;
        }
        Ok(addresses)
    }

    /// The addresses of a name that is allowed whatever they are.
    pub(crate) async fn look_up(&self, host: &str) -> Result<Vec<IpAddr>, GuardFailure> {
        let unresolved = |reason: String| GuardFailure::Unresolved { host: host.to_owned(), reason };
        let addresses = self.lookup.lookup(host).await.map_err(|error| unresolved(error.to_string()))?;
        if addresses.is_empty() {
            return Err(unresolved("it has no address".into()));
        }
        Ok(addresses)
    }
}

/// A host as it is compared: lower case, without brackets and without the root's dot.
pub(crate) fn canonical_host(host: &str) -> String {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

fn literal_address(host: &str) -> Option<IpAddr> {
    host.parse().ok()
}

fn check_address(host: &str, address: IpAddr) -> Result<(), GuardFailure> {
    let Some(class) = forbidden_class(address) else { return Ok(()) };
    let shown = address.to_string();
    if shown == host {
        return refuse(format!("{shown} is a {class} address"));
    }
    refuse(format!("'{host}' leads to {shown}, a {class} address"))
}

fn check_name(host: &str) -> Result<(), GuardFailure> {
    let is_forbidden = FORBIDDEN_NAMES.contains(&host)
        || FORBIDDEN_ENDINGS.iter().any(|ending| host.ends_with(ending))
        || host.is_empty()
        // One dot was taken off already: this name had several.
        || host.ends_with('.');
    if is_forbidden {
        return refuse(format!("'{host}' is a name of this machine or its network"));
    }
    Ok(())
}

fn is_web_port(port: u16) -> bool {
    matches!(port, 80 | 443) || (port >= 1024 && !FORBIDDEN_PORTS.contains(&port))
}

fn refuse<T>(reason: String) -> Result<T, GuardFailure> {
    Err(GuardFailure::Refused(reason))
}

#[cfg(test)]
#[path = "net_guard_tests.rs"]
mod tests;

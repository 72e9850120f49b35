//! Which hosts the user lets commands reach, and how they are written. Knows no network.

use std::fmt;
use std::str::FromStr;

use crate::web::http::Url;
use crate::web::net_guard::canonical_host;

/// Most hosts of one list: what a build fetches from is a handful, and a person reads the list.
pub const GRANTED_HOSTS_MAX: usize = 64;

/// The ports of a host that is named without one.
const USUAL_PORTS: [u16; 2] = [443, 80];

/// A host that commands may reach: `crates.io`, `*.crates.io`, `pypi.org:8443`, `[2606:4700::1111]`. Without a port 443 and 80.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantedHost {
    name: GrantedName,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum GrantedName {
    /// This one.
    Exact(String),
    /// All below it, and not itself.
    Below(String),
}

impl GrantedHost {
    /// Whether it covers a host, which is in canonical form.
    pub(crate) fn covers(&self, host: &str, port: u16) -> bool {
        let is_port = self.port.map_or(USUAL_PORTS.contains(&port), |own| own == port);
        let is_name = match &self.name {
            GrantedName::Exact(name) => name == host,
            GrantedName::Below(name) => host
                .strip_suffix(name.as_str())
                .and_then(|front| front.strip_suffix('.'))
                .is_some_and(|front| !front.is_empty()),
        };
        is_port && is_name
    }
}

/// The text names no host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a host: write 'crates.io', '*.crates.io' or 'pypi.org:8443'")]
pub struct GrantedHostError(String);

impl FromStr for GrantedHost {
    type Err = GrantedHostError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || GrantedHostError(text.chars().take(200).collect());
        let (name, port) = match text.rsplit_once(':') {
            // The last colon of a bare `[::1]` is inside the brackets.
            Some((name, port)) if !port.ends_with(']') => (name, Some(read_port(port).ok_or_else(wrong)?)),
            Some(_) | None => (text, None),
        };
        let below = name.strip_prefix("*.");
        let host = read_host(below.unwrap_or(name)).ok_or_else(wrong)?;
        let name = match below {
            None => GrantedName::Exact(host),
            // All of `.com` is no list.
            Some(_) if !host.contains('.') || host.parse::<std::net::IpAddr>().is_ok() => return Err(wrong()),
            Some(_) => GrantedName::Below(host),
        };
        Ok(Self { name, port })
    }
}

impl fmt::Display for GrantedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            GrantedName::Exact(name) if name.contains(':') => write!(f, "[{name}]")?,
            GrantedName::Exact(name) => f.write_str(name)?,
            GrantedName::Below(name) => write!(f, "*.{name}")?,
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// A port, in digits alone.
pub(crate) fn read_port(text: &str) -> Option<u16> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|port| is_plain && *port > 0)
}

/// A host in canonical form, read as a browser reads it: every spelling of an address becomes the address.
pub(crate) fn read_host(text: &str) -> Option<String> {
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || "/@?#\\*%".contains(c);
    if text.is_empty() || text.contains(is_odd) {
        return None;
    }
    let url = Url::parse(&format!("http://{text}/")).ok()?;
    let is_host_alone = url.port().is_none() && url.username().is_empty() && url.password().is_none();
    // Addresses know more signs, names of servers do not; what is shown to people must not be more than a name.
    let is_sign = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    let is_plain = |host: &String| !host.is_empty() && host.chars().all(is_sign);
    url.host_str().map(canonical_host).filter(|host| is_host_alone && is_plain(host))
}

#[cfg(test)]
#[path = "granted_tests.rs"]
mod tests;

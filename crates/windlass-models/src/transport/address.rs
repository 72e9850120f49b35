//! Addresses of servers, in their parts: http and https alone, with a host.
//!
//! Knows no connection. What a person writes may have characters that no address has, such as blanks in a path; they
//! are encoded here, as browsers do.

use fluent_uri::{Uri, UriRef};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// What stands in no address as it is.
const FOREIGN: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// What stands in no login as it is.
const FOREIGN_IN_LOGIN: &AsciiSet = &FOREIGN.add(b'#').add(b'/').add(b'?').add(b'@');

/// Where a request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerAddress {
    uri: Uri<String>,
    is_safe: bool,
    /// A name or an address, of IPv6 in brackets.
    host: String,
    port: Option<u16>,
}

impl ServerAddress {
    /// Reads an address; `None` if it is none, or not of a server that is asked by HTTP.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::of(Uri::parse(encoded(text.trim())).ok()?)
    }

    fn of(uri: Uri<String>) -> Option<Self> {
        let scheme = uri.scheme().as_str().to_ascii_lowercase();
        let is_safe = match scheme.as_str() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let authority = uri.authority()?;
        let host = authority.host().to_ascii_lowercase();
        // Encoded letters are no name that the name system knows.
        if host.is_empty() || host.contains('%') {
            return None;
        }
        let port = authority.port_to_u16().ok()?;
        Some(Self { is_safe, host, port, uri })
    }

    /// Where a server sends whoever asked here.
    pub(crate) fn join(&self, location: &str) -> Option<Self> {
        let base = self.uri.strip_fragment();
        let there = UriRef::parse(encoded(location.trim())).ok()?.resolve_against(&base).ok()?;
        Self::of(there)
    }

    pub(crate) fn as_str(&self) -> &str {
        self.uri.as_str()
    }

    pub(crate) fn is_safe(&self) -> bool {
        self.is_safe
    }

    pub(crate) fn scheme(&self) -> &'static str {
        if self.is_safe { "https" } else { "http" }
    }

    /// A name or an address, of IPv6 in brackets.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// The port, where it is not the usual one.
    pub(crate) fn unusual_port(&self) -> Option<u16> {
        self.port.filter(|port| *port != self.usual_port())
    }

    pub(crate) fn port(&self) -> u16 {
        self.port.unwrap_or(self.usual_port())
    }

    fn usual_port(&self) -> u16 {
        if self.is_safe { 443 } else { 80 }
    }

    /// The path as it is sent: never empty.
    pub(crate) fn path(&self) -> &str {
        let path = self.uri.path().as_str();
        if path.is_empty() { "/" } else { path }
    }

    pub(crate) fn query(&self) -> Option<&str> {
        self.uri.query().map(fluent_uri::pct_enc::EStr::as_str)
    }

    /// Name and password, still encoded, if the address has some.
    pub(crate) fn login(&self) -> Option<(&str, &str)> {
        let login = self.uri.authority()?.userinfo()?.as_str();
        let (name, password) = login.split_once(':').unwrap_or((login, ""));
        (!login.is_empty()).then_some((name, password))
    }
}

/// Everything behind the name of the server, encoded where it must be.
fn encoded(text: &str) -> String {
    let begin = text.find("://").map_or(0, |at| at.saturating_add(3));
    let is_whole = begin > 0 || text.starts_with("//");
    let named = text.get(begin..).unwrap_or_default();
    let length = if is_whole { named.find(['/', '?', '#']).unwrap_or(named.len()) } else { 0 };
    let (place, rest) = text.split_at(begin.saturating_add(length));
    format!("{}{}", with_known_name(place), utf8_percent_encode(&with_meant_percents(rest), FOREIGN))
}

/// A name of other letters as the name system knows it, and a login that is encoded where it must be.
fn with_known_name(place: &str) -> String {
    let begin = place.find("//").map_or(0, |at| at.saturating_add(2));
    let (scheme, named) = place.split_at(begin);
    let (login, host) = named.rsplit_once('@').map_or((None, named), |(login, host)| (Some(login), host));
    let host = if host.is_ascii() { host.to_owned() } else { ascii_host(host) };
    match login {
        Some(login) => {
            let login = with_meant_percents(login);
            format!("{scheme}{}@{host}", utf8_percent_encode(&login, FOREIGN_IN_LOGIN))
        }
        None => format!("{scheme}{host}"),
    }
}

/// A percent sign that encodes nothing is meant as one: passwords have them.
fn with_meant_percents(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let digits = piece.bytes().take(2).filter(u8::is_ascii_hexdigit).count();
        whole.push_str(if digits == 2 { "%" } else { "%25" });
        whole.push_str(piece);
    }
    whole
}

#[cfg(feature = "idna")]
fn ascii_host(host: &str) -> String {
    let (name, port) = host.rsplit_once(':').map_or((host, None), |(name, port)| (name, Some(port)));
    // What is no name stays as it is, and is then no address.
    let name = idna::domain_to_ascii(name).unwrap_or_else(|_| name.to_owned());
    port.map_or_else(|| name.clone(), |port| format!("{name}:{port}"))
}

/// Without the tables for it such a name is no address.
#[cfg(not(feature = "idna"))]
fn ascii_host(host: &str) -> String {
    host.to_owned()
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;

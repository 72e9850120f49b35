//! The head of a request to the proxy: read with bounds, and understood as one of the two things that are carried, a tunnel or
//! plain HTTP. Strict: what two readers could understand differently is refused.
//!
//! Knows no list and no address.

use tokio::io::{AsyncRead, AsyncReadExt};

use super::granted::{read_host, read_port};
use super::refusal::ProxyRefusal;
use crate::web::http::Url;

/// Longest head of a request, as servers have it.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// Most lines of one.
const LINES_MAX: usize = 100;
/// Where a head ends.
const END: &[u8] = b"\r\n\r\n";

/// Headers that are between a program and its proxy, or that would let a connection be used for something else afterwards.
const OWN_HEADERS: [&str; 9] = [
    "host",
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authorization",
    "proxy-authenticate",
    "upgrade",
    "te",
    "trailer",
];

/// Where a request leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Destination {
    /// In canonical form.
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) is_tunnel: bool,
}

impl Destination {
    /// As it is on record: with its port where that is not the usual one.
    pub(super) fn label(&self) -> String {
        let usual = if self.is_tunnel { 443 } else { 80 };
        let host = self.bracketed();
        if self.port == usual { host } else { format!("{host}:{}", self.port) }
    }

    /// The address that the guard judges.
    pub(super) fn url(&self) -> Option<Url> {
        let scheme = if self.is_tunnel { "https" } else { "http" };
        Url::parse(&format!("{scheme}://{}:{}/", self.bracketed(), self.port)).ok()
    }

    fn bracketed(&self) -> String {
        if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() }
    }
}

/// What a program wants.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// A connection to carry TLS.
    Tunnel(Destination),
    /// One request over plain HTTP: the head for the server, and how many bytes of a body follow it.
    Plain { to: Destination, head: Vec<u8>, body_bytes: u64 },
}

/// Reads the head of a request; what came after it is given as well. None where the program went away.
pub(super) async fn read_head(
    from: &mut (impl AsyncRead + Unpin),
) -> Result<Option<(Vec<u8>, Vec<u8>)>, ProxyRefusal> {
    let mut read = Vec::new();
    let mut piece = [0_u8; 4_096];
    loop {
        let count = from.read(&mut piece).await.unwrap_or(0);
        if count == 0 {
            return Ok(None);
        }
        // The end may lie across two pieces.
        let begin = read.len().saturating_sub(END.len());
        read.extend_from_slice(piece.get(..count).unwrap_or_default());
        let found = read.get(begin..).and_then(|rest| rest.windows(END.len()).position(|part| part == END));
        if let Some(place) = found {
            let rest = read.split_off(begin.saturating_add(place).saturating_add(END.len()));
            return Ok(Some((read, rest)));
        }
        if read.len() > HEAD_BYTES_MAX {
            return Err(ProxyRefusal::Malformed("its head is too long"));
        }
    }
}

/// Understands a head.
pub(super) fn understand(head: &[u8]) -> Result<Wish, ProxyRefusal> {
    let malformed = ProxyRefusal::Malformed;
    let text = std::str::from_utf8(head).map_err(|_| malformed("its head is no text"))?;
    let text = text.strip_suffix("\r\n\r\n").unwrap_or(text);
    let is_odd = |line: &str| line.contains(|c: char| c.is_control() && c != '\t');
    let mut lines = text.split("\r\n");
    let first = lines.next().unwrap_or_default();
    let fields: Vec<&str> = lines.collect();
    if fields.len() > LINES_MAX || is_odd(first) || fields.iter().any(|line| is_odd(line)) {
        return Err(malformed("its head cannot be read"));
    }
    let words: Vec<&str> = first.split(' ').collect();
    let &[method, target, version] = words.as_slice() else {
        return Err(malformed("its first line cannot be read"));
    };
    if !is_token(method) || !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
        return Err(malformed("its first line cannot be read"));
    }
    let fields = read_fields(&fields)?;
    match method {
        "CONNECT" => tunnel(target),
        method => plain(method, target, &fields),
    }
}

fn tunnel(target: &str) -> Result<Wish, ProxyRefusal> {
    let found = target.rsplit_once(':').and_then(|(host, port)| Some((read_host(host)?, read_port(port)?)));
    let (host, port) = found.ok_or(ProxyRefusal::Malformed("CONNECT wants HOST:PORT"))?;
    Ok(Wish::Tunnel(Destination { host, port, is_tunnel: true }))
}

fn plain(method: &str, target: &str, fields: &[(&str, &str)]) -> Result<Wish, ProxyRefusal> {
    let malformed = ProxyRefusal::Malformed;
    if !target.get(..7).is_some_and(|lead| lead.eq_ignore_ascii_case("http://")) {
        return Err(malformed("a proxy wants CONNECT or an address that begins with http://"));
    }
    let url = Url::parse(target).map_err(|_| malformed("its address cannot be read"))?;
    let host = url.host_str().and_then(read_host);
    let (Some(host), "", None) = (host, url.username(), url.password()) else {
        return Err(malformed("its address cannot be read"));
    };
    let to = Destination { host, port: url.port_or_known_default().unwrap_or(80), is_tunnel: false };
    let named: Vec<&str> = values(fields, "host").collect();
    let is_same = |name: &&str| authority(name) == Some((to.host.clone(), to.port));
    match named.as_slice() {
        [] => {}
        [name] if is_same(name) => {}
        [name] => {
            return Err(ProxyRefusal::OtherName { host: to.label(), name: Some((*name).to_owned()) });
        }
        _ => return Err(malformed("it has several Host headers")),
    }
    if values(fields, "transfer-encoding").next().is_some() {
        return Err(malformed("a body over plain HTTP must say its length"));
    }
    let lengths: Vec<&str> = values(fields, "content-length").collect();
    let body_bytes = match lengths.as_slice() {
        [] => 0,
        [length] if length.bytes().all(|byte| byte.is_ascii_digit()) => {
            length.parse().map_err(|_| malformed("the length of its body cannot be read"))?
        }
        _ => return Err(malformed("the length of its body cannot be read")),
    };
    let path = url.query().map_or(url.path().to_owned(), |query| format!("{}?{query}", url.path()));
    // One request a connection: what follows it could be for another host.
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", to.label());
    let dropped: Vec<String> = values(fields, "connection")
        .flat_map(|line| line.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    for (name, value) in fields {
        let lower = name.to_ascii_lowercase();
        // A length that a header calls its own business is still the length.
        let is_dropped = lower != "content-length" && dropped.contains(&lower);
        if !is_dropped && !OWN_HEADERS.contains(&lower.as_str()) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    head.push_str("\r\n");
    Ok(Wish::Plain { to, head: head.into_bytes(), body_bytes })
}

/// Host and port of a `Host` header.
fn authority(text: &str) -> Option<(String, u16)> {
    match text.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => Some((read_host(host)?, read_port(port)?)),
        Some(_) | None => Some((read_host(text)?, 80)),
    }
}

fn read_fields<'a>(lines: &[&'a str]) -> Result<Vec<(&'a str, &'a str)>, ProxyRefusal> {
    let read = lines.iter().map(|line| {
        let (name, value) = line.split_once(':')?;
        // A line that goes on with the one before begins with a blank, which no name has.
        is_token(name).then_some((name, value.trim_matches([' ', '\t'])))
    });
    read.collect::<Option<_>>().ok_or(ProxyRefusal::Malformed("a header cannot be read"))
}

fn values<'a>(fields: &'a [(&'a str, &'a str)], name: &'a str) -> impl Iterator<Item = &'a str> {
    fields.iter().filter(move |(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
}

fn is_token(text: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_sign)
}

#[cfg(test)]
#[path = "head_tests.rs"]
mod tests;

//! Addresses: where a server is, and where in it a thing is.

use std::net::IpAddr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use windlass_core::ports::host::HostError;
use windlass_models::failure::shown_url;

/// The port of `windlass serve`, where none is named.
const PORT: &str = "4117";

/// What is written in hexadecimal inside a piece of a path or a query.
const ENCODED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'~').remove(b'.');

/// The address of a server as a person writes it, in full and without a slash at its end: `box:4117`,
/// `http://127.0.0.1:4117/`, `https://box.example/windlass/`.
pub(crate) fn server(text: &str) -> Result<String, HostError> {
    let wrong = |why: &str| HostError::Invalid {
        field: Some("url"),
        message: format!(
            "'{}' is no address of a server: {why}; it looks like http://127.0.0.1:{PORT}",
            shown_url(text)
        ),
    };
    let text = text.trim();
    if text.contains(['?', '#']) {
        return Err(wrong("nothing may follow '?' or '#'"));
    }
    if text.contains(char::is_whitespace) {
        return Err(wrong("it has a space in it"));
    }
    let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
    let scheme = scheme.to_ascii_lowercase();
    if !matches!(scheme.as_str(), "http" | "https") {
        return Err(wrong("it must begin with http:// or https://"));
    }
    let rest = rest.trim_end_matches('/');
    let host = rest.split('/').next().unwrap_or_default();
    if host.is_empty() {
        return Err(wrong("it names no host"));
    }
    // A browser would take port 80 for an address with a scheme, and so do we; a name alone is a shorthand.
    let is_name = !text.contains("://") && host == rest && !has_port(host);
    Ok(if is_name { format!("{scheme}://{rest}:{PORT}") } else { format!("{scheme}://{rest}") })
}

/// How requests get to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerReach {
    /// They stay on this machine.
    ThisMachine,
    /// Over a network, encrypted.
    Encrypted,
    /// Over a network, readable by whoever is between.
    Plain,
}

/// How requests get to the server at an address.
pub fn reach_of(url: &str) -> Result<ServerReach, HostError> {
    let whole = server(url)?;
    let (scheme, rest) = whole.split_once("://").unwrap_or_default();
    let authority = rest.split('/').next().unwrap_or_default();
    // What stands before `@` is no part of the host.
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let name = if has_port(host) { host.rsplit_once(':').map_or(host, |(name, _)| name) } else { host };
    let name = name.to_ascii_lowercase();
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let is_near = match address {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => name == "localhost" || name.ends_with(".localhost"),
    };
    Ok(match (is_near, scheme) {
        (true, _) => ServerReach::ThisMachine,
        (false, "https") => ServerReach::Encrypted,
        (false, _) => ServerReach::Plain,
    })
}

/// Whether a port stands behind the host; the colons of `[::1]` are its own.
fn has_port(host: &str) -> bool {
    host.rsplit_once(']').map_or(host, |(_, after)| after).contains(':')
}

/// A path and its query, every piece written so that it stays one.
#[derive(Debug, Clone)]
pub(crate) struct ApiPath {
    text: String,
    has_query: bool,
}

impl ApiPath {
    /// A path of these pieces.
    pub(crate) fn of(pieces: &[&str]) -> Self {
        let mut text = String::new();
        for piece in pieces {
            text.push('/');
            encode(piece, &mut text);
        }
        Self { text, has_query: false }
    }

    /// With a field of the query.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.text.push(if self.has_query { '&' } else { '?' });
        self.has_query = true;
        self.text.push_str(name);
        self.text.push('=');
        encode(value, &mut self.text);
        self
    }

    /// With a field of the query, if there is a value.
    pub(crate) fn with_some(self, name: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// As it is sent.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }
}

fn encode(piece: &str, out: &mut String) {
    match piece {
        // A piece of dots alone would be taken for a step up.
        "." => out.push_str("%2E"),
        ".." => out.push_str("%2E%2E"),
        _ => out.extend(utf8_percent_encode(piece, &ENCODED)),
    }
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;

//! The head of a request: which headers it has, and how they are written.
//!
//! Nothing is written that could be read as another line. Knows no connection.

use std::io::Write as _;

use percent_encoding::percent_decode_str;
use windlass_core::text::base64;

use super::proxy::Proxy;
use crate::transport::address::ServerAddress;

/// Headers that say how the message itself travels, which is not for others to say.
const OWN: [&str; 9] = [
    "connection",
    "content-length",
    "expect",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A header that cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BadField;

/// The headers of a request, each name once.
#[derive(Default)]
pub(crate) struct HeaderFields<'a>(Vec<(&'a str, &'a str)>);

impl<'a> HeaderFields<'a> {
    /// Sets a header, instead of one of the same name.
    pub(crate) fn set(&mut self, name: &'a str, value: &'a str) -> Result<(), BadField> {
        let is_visible = |byte: u8| byte == b'\t' || (b' '..=b'~').contains(&byte);
        let is_own = OWN.iter().any(|own| name.eq_ignore_ascii_case(own));
        if is_own || name.is_empty() || !name.bytes().all(is_token) || !value.bytes().all(is_visible) {
            return Err(BadField);
        }
        self.0.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self.0.push((name, value));
        Ok(())
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(other, _)| other.eq_ignore_ascii_case(name))
    }
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// What is done with an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    /// Something is sent to it.
    Post,
    /// A part of it becomes another.
    Patch,
    Delete,
}

impl Method {
    /// Whether a body goes along, if only an empty one.
    pub(crate) fn has_body(self) -> bool {
        match self {
            Method::Post | Method::Patch => true,
            Method::Get | Method::Delete => false,
        }
    }

    /// As a request begins.
    fn word(self) -> &'static str {
        match self {
            Method::Get => "GET ",
            Method::Post => "POST ",
            Method::Patch => "PATCH ",
            Method::Delete => "DELETE ",
        }
    }
}

/// What is asked, but for a body.
pub(crate) struct HttpRequest<'a> {
    pub(crate) url: ServerAddress,
    pub(crate) fields: HeaderFields<'a>,
    pub(crate) method: Method,
}

impl HttpRequest<'_> {
    /// The head as it is sent, up to what [`end_head`] adds; a proxy that forwards is told the whole address.
    pub(super) fn head(&self, forwarder: Option<&Proxy>) -> Vec<u8> {
        let url = &self.url;
        let host = url.host();
        let port = url.unusual_port().map(|port| format!(":{port}")).unwrap_or_default();
        let mut head = Vec::with_capacity(512);
        head.extend_from_slice(self.method.word().as_bytes());
        if forwarder.is_some() {
            for part in [url.scheme(), "://", host, &port] {
                head.extend_from_slice(part.as_bytes());
            }
        }
        head.extend_from_slice(url.path().as_bytes());
        if let Some(query) = url.query() {
            head.push(b'?');
            head.extend_from_slice(query.as_bytes());
        }
        head.extend_from_slice(b" HTTP/1.1\r\n");
        if !self.fields.has("host") {
            write_field(&mut head, "host", &[host, &port]);
        }
        for (name, value) in &self.fields.0 {
            write_field(&mut head, name, &[value]);
        }
        if let (false, Some((name, password))) = (self.fields.has("authorization"), url.login()) {
            let password = percent_decode_str(password);
            let login: Vec<u8> = percent_decode_str(name).chain([b':']).chain(password).collect();
            write_field(&mut head, "authorization", &["Basic ", &base64::encode(&login)]);
        }
        if let Some(authorization) = forwarder.and_then(|proxy| proxy.authorization.as_deref()) {
            write_field(&mut head, "proxy-authorization", &[authorization]);
        }
        head
    }
}

/// Ends a head: the length of the body, if there is one, and the empty line.
pub(super) fn end_head(head: &mut Vec<u8>, body: Option<&[u8]>) {
    if let Some(body) = body {
        // Writing to a list does not fail.
        let _ = write!(head, "content-length: {}\r\n", body.len());
    }
    head.extend_from_slice(b"\r\n");
}

pub(super) fn write_field(head: &mut Vec<u8>, name: &str, value: &[&str]) {
    head.extend_from_slice(name.as_bytes());
    head.extend_from_slice(b": ");
    for part in value {
        head.extend_from_slice(part.as_bytes());
    }
    head.extend_from_slice(b"\r\n");
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;

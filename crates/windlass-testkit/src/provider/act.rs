//! Acts: what the server does on a connection to answer one request, as data.

use std::io::Write as _;

use serde_json::Value;

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    /// Send these bytes in one write.
    Write(Vec<u8>),
    /// Wait until the test lets the answer go on.
    Hold,
    /// Say nothing until the client goes away.
    Hang,
    Close,
}

/// A whole answer with a length.
pub(super) fn whole(status: u16, kind: &str, headers: &[(&str, &str)], body: &str) -> Vec<Act> {
    let mut bytes = head(status, kind, headers);
    let _ = write!(bytes, "content-length: {}\r\n\r\n{body}", body.len());
    vec![Act::Write(bytes)]
}

pub(super) fn document(status: u16, body: &Value) -> Vec<Act> {
    whole(status, "application/json", &[], &body.to_string())
}

pub(super) fn stream_head(kind: &str) -> Vec<u8> {
    let mut bytes = head(200, kind, &[("cache-control", "no-cache")]);
    bytes.extend_from_slice(b"transfer-encoding: chunked\r\n\r\n");
    bytes
}

/// A head whose end never comes.
pub(super) fn endless_head() -> Vec<u8> {
    head(200, "text/event-stream", &[])
}

/// The end of a stream.
pub(super) const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

pub(super) fn put_chunk(out: &mut Vec<u8>, bytes: &[u8]) {
    let _ = write!(out, "{:x}\r\n", bytes.len());
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
}

fn head(status: u16, kind: &str, headers: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {status} {}\r\ncontent-type: {kind}\r\n", reason(status)).into_bytes();
    for (name, value) in headers {
        let _ = write!(bytes, "{name}: {value}\r\n");
    }
    bytes
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        503 => "Service Unavailable",
        429 => "Too Many Requests",
        _ => "Internal Server Error",
    }
}

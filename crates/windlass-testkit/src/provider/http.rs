//! HTTP/1.1 as far as a provider's clients speak it: requests with a length, many on one connection.

use std::io;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::limits::REQUEST_BYTES_MAX;

/// A request as it came.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Incoming {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Reads the next request; `None` when the client has gone. What came after it stays in `buffer`.
pub(super) async fn read_request(
    stream: &mut TcpStream,
    buffer: &mut Vec<u8>,
) -> io::Result<Option<Incoming>> {
    let head_end = loop {
        if let Some(found) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            break found + 4;
        }
        if !read_more(stream, buffer).await? {
            return Ok(None);
        }
    };
    let head: Vec<u8> = buffer.drain(..head_end).collect();
    let mut request = parse_head(&String::from_utf8_lossy(&head))?;
    if request.header("expect").is_some() {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
    }
    let length = request.header("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
    while buffer.len() < length {
        if !read_more(stream, buffer).await? {
            return Ok(None);
        }
    }
    request.body = buffer.drain(..length).collect();
    Ok(Some(request))
}

async fn read_more(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> io::Result<bool> {
    if buffer.len() > REQUEST_BYTES_MAX {
        return Err(io::Error::other("the request is too long"));
    }
    Ok(stream.read_buf(buffer).await? > 0)
}

fn parse_head(head: &str) -> io::Result<Incoming> {
    let mut lines = head.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Err(io::Error::other("no request line"));
    };
    let headers = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    Ok(Incoming { method: method.to_owned(), path: path.to_owned(), headers, body: Vec::new() })
}

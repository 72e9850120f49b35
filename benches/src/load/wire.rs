//! HTTP/1.1 by hand, so that what a client costs is known and what it reads is what came.

use std::io;
use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

/// Bytes read at once.
const READ_BYTES: usize = 16 * 1024;

/// Knows where the server is.
#[derive(Debug, Clone, Copy)]
pub struct LoadClient {
    address: SocketAddr,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct LoadRequest<'a> {
    /// `GET` unless there is a body.
    pub body: Option<&'a str>,
    /// The path, with its query.
    pub path: &'a str,
    /// Whether an event stream is wanted.
    pub is_stream: bool,
    /// The number of the last event that was seen.
    pub last_id: Option<u64>,
    /// Bytes that the system takes before the server must wait; its own choice without.
    pub receive_bytes: Option<u32>,
}

impl LoadClient {
    /// A client of the server there.
    pub fn new(address: SocketAddr) -> Self {
        Self { address }
    }

    /// Connects and asks; nothing is read.
    pub async fn send(&self, ask: LoadRequest<'_>) -> io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        if let Some(bytes) = ask.receive_bytes {
            socket.set_recv_buffer_size(bytes)?;
        }
        let mut stream = socket.connect(self.address).await?;
        let method = if ask.body.is_some() { "POST" } else { "GET" };
        let accept = if ask.is_stream { "text/event-stream" } else { "application/json" };
        let last_id = ask.last_id.map(|id| format!("Last-Event-ID: {id}\r\n")).unwrap_or_default();
        let body = ask.body.unwrap_or_default();
        let request = format!(
            "{method} {} HTTP/1.1\r\nHost: {}\r\nAccept: {accept}\r\nConnection: close\r\n{last_id}\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            ask.path,
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).await?;
        Ok(stream)
    }

    /// Asks and reads the head of the answer.
    pub async fn open(&self, ask: LoadRequest<'_>) -> io::Result<AnswerStream> {
        let mut reading =
            AnswerStream { stream: self.send(ask).await?, raw: Vec::new(), left: Left::ToTheEnd, status: 0 };
        reading.read_head().await?;
        Ok(reading)
    }

    /// Asks and reads a whole answer, which must be JSON and no refusal.
    pub async fn ask(&self, path: &str, body: Option<&str>) -> io::Result<Value> {
        let mut reading = self.open(LoadRequest { path, body, ..LoadRequest::default() }).await?;
        let mut whole = Vec::new();
        while reading.more(&mut whole, READ_BYTES).await? {}
        let text = String::from_utf8_lossy(&whole);
        if !(200..300).contains(&reading.status) {
            return Err(io::Error::other(format!("{path}: {} {text}", reading.status)));
        }
        serde_json::from_str(&text).map_err(|error| io::Error::other(format!("{path}: {error}: {text}")))
    }

    pub async fn session(&self) -> io::Result<String> {
        text_of(&self.ask("/api/sessions", Some("{}")).await?, "session_id")
    }

    /// A new run in a new session.
    pub async fn run(&self) -> io::Result<String> {
        let path = format!("/api/sessions/{}/runs", self.session().await?);
        text_of(&self.ask(&path, Some("{\"message\":\"Go.\"}")).await?, "run_id")
    }
}

fn text_of(value: &Value, name: &str) -> io::Result<String> {
    let found = value.get(name).and_then(Value::as_str);
    found.map(str::to_owned).ok_or_else(|| io::Error::other(format!("no {name} in {value}")))
}

/// How much of a body is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    ToTheEnd,
    /// Bytes of the chunk that is being read; 0 when its head comes next.
    Chunk(usize),
    Nothing,
}

/// An answer while it is read.
#[derive(Debug)]
pub struct AnswerStream {
    stream: TcpStream,
    raw: Vec<u8>,
    left: Left,
    pub status: u16,
}

impl AnswerStream {
    async fn read_head(&mut self) -> io::Result<()> {
        let end = loop {
            if let Some(place) = memchr::memmem::find(&self.raw, b"\r\n\r\n") {
                break place;
            }
            if !self.fill(READ_BYTES).await? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        };
        let rest = self.raw.split_off(end + 4);
        let head = String::from_utf8_lossy(&self.raw).to_ascii_lowercase();
        self.status = head.split_whitespace().nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        if head.contains("transfer-encoding: chunked") {
            self.left = Left::Chunk(0);
        }
        self.raw = rest;
        Ok(())
    }

    async fn fill(&mut self, bytes_max: usize) -> io::Result<bool> {
        self.raw.reserve(bytes_max);
        let mut room = (&mut self.stream).take(bytes_max as u64);
        Ok(room.read_buf(&mut self.raw).await? > 0)
    }

    /// Reads at most so many bytes and puts what they hold of the body into `out`; false at its end. A stream that
    /// breaks off is an error.
    pub async fn more(&mut self, out: &mut Vec<u8>, bytes_max: usize) -> io::Result<bool> {
        let before = out.len();
        self.decode(out);
        if out.len() > before && self.left != Left::Nothing {
            return Ok(true);
        }
        let is_open = self.left != Left::Nothing && self.fill(bytes_max).await?;
        self.decode(out);
        match self.left {
            Left::Nothing => Ok(false),
            Left::ToTheEnd => Ok(is_open),
            Left::Chunk(_) if is_open => Ok(true),
            Left::Chunk(_) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn decode(&mut self, out: &mut Vec<u8>) {
        loop {
            match self.left {
                Left::Nothing => return,
                Left::ToTheEnd => return out.append(&mut self.raw),
                Left::Chunk(0) => {
                    // The line end of the chunk before stands in front of the next size.
                    let from = if self.raw.starts_with(b"\r\n") { 2 } else { 0 };
                    let Some(line) = self.raw.get(from..) else { return };
                    let Some(end) = memchr::memmem::find(line, b"\r\n") else { return };
                    let size = line.get(..end).and_then(|line| std::str::from_utf8(line).ok());
                    let size = size.and_then(|text| usize::from_str_radix(text.trim(), 16).ok()).unwrap_or(0);
                    self.raw.drain(..from + end + 2);
                    self.left = if size == 0 { Left::Nothing } else { Left::Chunk(size) };
                }
                Left::Chunk(size) => {
                    let taken = size.min(self.raw.len());
                    if taken == 0 {
                        return;
                    }
                    out.extend(self.raw.drain(..taken));
                    self.left = Left::Chunk(size - taken);
                }
            }
        }
    }
}

//! A client that speaks HTTP by hand, so that what is on the wire is what is tested.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::contract;

/// Knows where the server is.
#[derive(Clone)]
pub(crate) struct Client {
    address: SocketAddr,
    headers: Vec<(String, String)>,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address, headers: Vec::new() }
    }

    /// The same client with one more header on every request.
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut client = self.clone();
        client.headers.push((name.to_owned(), value.to_owned()));
        client
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, None).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.ask("DELETE", path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, Some(&body.to_string())).await
    }

    /// Asks and reads the whole answer, which must be as the API document says.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: Option<&str>) -> Answer {
        let mut reading = self.send(method, path, body).await;
        let mut rest = String::new();
        while let Some(frame) = reading.more().await {
            rest.push_str(&frame);
        }
        let answer = Answer { status: reading.status, headers: reading.headers, body: rest };
        contract::check(method, path, &answer);
        answer
    }

    pub(crate) async fn session(&self) -> String {
        let answer = self.ask("POST", "/api/sessions", None).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()["session_id"].as_str().unwrap().to_owned()
    }

    /// A new run in a new session.
    pub(crate) async fn run(&self) -> String {
        let session = self.session().await;
        let wish = serde_json::json!({"message": "Go."});
        let answer = self.post(&format!("/api/sessions/{session}/runs"), &wish).await;
        assert_eq!(answer.status, 202, "{answer:?}");
        answer.json()["run_id"].as_str().unwrap().to_owned()
    }

    /// The events of a run, after a number if there is one.
    pub(crate) async fn events(&self, run: &str, after: Option<u64>) -> StreamStart {
        let client =
            after.map_or_else(|| self.clone(), |after| self.with("Last-Event-ID", &after.to_string()));
        client.send("GET", &format!("/api/runs/{run}/events"), None).await
    }

    /// All events of a run, to its end.
    pub(crate) async fn all_events(&self, run: &str) -> String {
        self.events(run, None).await.rest().await
    }

    /// Sends a request and reads the head of its answer.
    pub(crate) async fn send(&self, method: &str, path: &str, body: Option<&str>) -> StreamStart {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = body {
            if !self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
                head.push_str("Content-Type: application/json\r\n");
            }
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        head.push_str(body.unwrap_or_default());
        // A server that refuses a body may close before it has read all of it.
        let _ = stream.write_all(head.as_bytes()).await;
        StreamStart::begin(stream).await
    }
}

/// An answer that is read as it comes.
pub(crate) struct StreamStart {
    stream: TcpStream,
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    raw: Vec<u8>,
    text: String,
    is_chunked: bool,
    is_over: bool,
}

impl StreamStart {
    async fn begin(stream: TcpStream) -> Self {
        let mut reading = Self {
            stream,
            status: 0,
            headers: Vec::new(),
            raw: Vec::new(),
            text: String::new(),
            is_chunked: false,
            is_over: false,
        };
        loop {
            if let Some(end) = find(&reading.raw, b"\r\n\r\n") {
                let head: Vec<u8> = reading.raw.drain(..end + 4).collect();
                reading.read_head(std::str::from_utf8(&head).unwrap());
                return reading;
            }
            assert!(reading.pull().await, "the connection ended before the head did");
        }
    }

    fn read_head(&mut self, head: &str) {
        let mut lines = head.split("\r\n").filter(|line| !line.is_empty());
        self.status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        self.headers = lines
            .map(|line| line.split_once(':').unwrap())
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect();
        let is = |name: &str, value: &str| {
            self.headers.iter().any(|(own, held)| own.eq_ignore_ascii_case(name) && held == value)
        };
        self.is_chunked = is("transfer-encoding", "chunked");
        self.is_over = is("content-length", "0") || matches!(self.status, 204 | 304);
    }

    async fn pull(&mut self) -> bool {
        let mut buffer = [0; 4096];
        match self.stream.read(&mut buffer).await {
            Ok(0) | Err(_) => false,
            Ok(count) => {
                self.raw.extend_from_slice(&buffer[..count]);
                true
            }
        }
    }

    /// The body as it is on the wire, to its end; for answers that are no text.
    pub(crate) async fn bytes(mut self) -> Vec<u8> {
        while !self.is_over && self.pull().await {}
        self.raw
    }

    /// More of the body, as it comes.
    pub(crate) async fn more(&mut self) -> Option<String> {
        while !self.is_over {
            if let Some(piece) = self.decode() {
                return Some(piece);
            }
            if !self.is_over && !self.pull().await {
                self.is_over = true;
                assert!(!self.is_chunked, "the body was cut");
            }
        }
        None
    }

    fn decode(&mut self) -> Option<String> {
        if !self.is_chunked {
            // What has come so far may end in the middle of a character.
            let whole = std::str::from_utf8(&self.raw).map_or_else(|error| error.valid_up_to(), str::len);
            let piece = String::from_utf8(self.raw.drain(..whole).collect()).unwrap();
            return (!piece.is_empty()).then_some(piece);
        }
        let line = find(&self.raw, b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&self.raw[..line]).unwrap(), 16).unwrap();
        if self.raw.len() < line + 2 + size + 2 {
            return None;
        }
        let chunk: Vec<u8> = self.raw.drain(..line + 2 + size + 2).collect();
        self.is_over = size == 0;
        (size > 0).then(|| String::from_utf8(chunk[line + 2..line + 2 + size].to_vec()).unwrap())
    }

    /// The next frame, with its empty line; comments are left out.
    pub(crate) async fn frame(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.text.find("\n\n") {
                let frame: String = self.text.drain(..end + 2).collect();
                if !frame.starts_with(':') {
                    return Some(frame);
                }
                continue;
            }
            let piece = self.more().await?;
            self.text.push_str(&piece);
        }
    }

    /// Reads on to the frame of a type.
    pub(crate) async fn wait_for(&mut self, kind: &str) -> Value {
        while let Some(frame) = self.frame().await {
            if frame.contains(&format!("\"type\":\"{kind}\"")) {
                return payload(&frame);
            }
        }
        panic!("the stream ended before {kind}")
    }

    /// What is left, as text.
    pub(crate) async fn rest(mut self) -> String {
        let mut all = String::new();
        while let Some(frame) = self.frame().await {
            all.push_str(&frame);
        }
        all
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

pub(crate) fn id_of(frame: &str) -> Option<u64> {
    frame.strip_prefix("id: ")?.lines().next()?.parse().ok()
}

pub(crate) fn payload(frame: &str) -> Value {
    let line = frame.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
    serde_json::from_str(line).unwrap()
}

/// The payloads of a whole stream.
pub(crate) fn payloads(text: &str) -> Vec<Value> {
    text.split_inclusive("\n\n").map(payload).collect()
}

//! A collector of OpenTelemetry on loopback: takes every export and keeps it.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// A collector; it takes exports until the test ends.
pub struct OtlpCollector {
    endpoint: String,
    heard: Receiver<OtlpExport>,
}

/// What came.
#[derive(Debug)]
pub struct OtlpExport {
    /// The head of the request, in lower case.
    pub head: String,
    pub body: Value,
}

impl OtlpCollector {
    /// Answers exports with these statuses in turn, and then with 200.
    pub fn start(statuses: &'static [u16]) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let endpoint = format!("http://{}", listener.local_addr()?);
        let (said, heard) = mpsc::channel();
        thread::spawn(move || {
            let mut statuses = statuses.iter().copied();
            for stream in listener.incoming().flatten() {
                // A client may go away whenever it likes.
                let _ = serve(&stream, &said, &mut statuses);
            }
        });
        Ok(Self { endpoint, heard })
    }

    /// Its address.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// The next export; waits for it so long.
    pub fn next(&self, patience: Duration) -> Option<OtlpExport> {
        self.heard.recv_timeout(patience).ok()
    }
}

impl OtlpExport {
    /// The attributes of what sent it.
    pub fn resource(&self) -> BTreeMap<String, Value> {
        self.body.pointer("/resourceSpans/0/resource").map(attributes).unwrap_or_default()
    }

    /// Its spans, in their order.
    pub fn spans(&self) -> Vec<Value> {
        let spans = self.body.pointer("/resourceSpans/0/scopeSpans/0/spans");
        spans.and_then(Value::as_array).cloned().unwrap_or_default()
    }
}

/// The attributes of a span or of a resource, as plain values.
pub fn attributes(of: &Value) -> BTreeMap<String, Value> {
    let plain = |value: &Value| value.as_object()?.values().next().cloned();
    let pairs = of.get("attributes").and_then(Value::as_array).into_iter().flatten();
    pairs
        .filter_map(|pair| Some((pair.get("key")?.as_str()?.to_owned(), plain(pair.get("value")?)?)))
        .collect()
}

fn serve(
    mut stream: &TcpStream,
    said: &Sender<OtlpExport>,
    statuses: &mut impl Iterator<Item = u16>,
) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        let head = head.to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        reader.read_exact(&mut body)?;
        // Whoever waited for it may be gone.
        let _ = said.send(OtlpExport { head, body: serde_json::from_slice(&body)? });
        let status = statuses.next().unwrap_or(200);
        write!(
            stream,
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nretry-after: 0\r\ncontent-length: 2\r\n\r\n{{}}"
        )?;
    }
}

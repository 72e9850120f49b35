//! A small HTTP server on loopback: answers by a function and keeps what it was asked.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// One request, as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// `GET /path?query`.
    pub(crate) line: String,
    /// Header lines in lower case.
    pub(crate) head: String,
    pub(crate) body: String,
}

/// A server; stops when it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Answers every request with what `answer` makes of its first line.
    pub(crate) async fn start(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (Arc::clone(&asked), Arc::new(answer));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&kept), Arc::clone(&answer)));
            }
        });
        Self { address, asked, task }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

async fn serve<F: Fn(&str) -> Vec<u8>>(mut stream: TcpStream, kept: Arc<Mutex<Vec<Asked>>>, answer: Arc<F>) {
    let mut bytes = Vec::new();
    let head_end = loop {
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&piece[..read]),
            _ => return,
        }
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
    };
    let text = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let line = text.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
    let head = text.to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
    while bytes.len() < head_end + length.unwrap_or(0) {
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&piece[..read]),
            _ => return,
        }
    }
    let body = String::from_utf8_lossy(&bytes[head_end..]).into_owned();
    kept.lock().unwrap().push(Asked { line: line.clone(), head, body });
    let reply = answer(&line);
    // A client that has read enough hangs up; that is its right.
    let _ = stream.write_all(&reply).await;
    let _ = stream.shutdown().await;
}

/// A port that is taken but refuses connections for as long as this is kept.
pub(crate) struct ClosedPort(TcpSocket);

impl ClosedPort {
    pub(crate) fn new() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        Self(socket)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.0.local_addr().unwrap()
    }
}

pub(crate) fn answer(status: u16, content_type: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    answer_with(status, &format!("Content-Type: {content_type}\r\n"), body.as_ref())
}

/// An answer with header lines of its own.
pub(crate) fn answer_with(status: u16, head: &str, body: &[u8]) -> Vec<u8> {
    let mut reply =
        format!("HTTP/1.1 {status} Any\r\n{head}Content-Length: {}\r\nConnection: close\r\n\r\n", body.len())
            .into_bytes();
    reply.extend_from_slice(body);
    reply
}

pub(crate) fn redirect(location: &str) -> Vec<u8> {
    answer_with(302, &format!("Location: {location}\r\n"), b"")
}

/// A gzip stream of `size` zeros: one literal, then copies of 258 bytes at 13 bits each.
pub(crate) fn gzip_of_zeros(size: usize) -> Vec<u8> {
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let (mut buffer, mut filled) = (0u32, 0);
    let mut put = |bits: &str| {
        for bit in bits.bytes() {
            buffer |= u32::from(bit == b'1') << filled;
            filled += 1;
            if filled == 8 {
                bytes.push(buffer as u8);
                (buffer, filled) = (0, 0);
            }
        }
    };
    // Last block, fixed codes, the literal 0.
    put("110");
    put("00110000");
    for _ in 0..size / 258 {
        put("1100010100000");
    }
    put("0000000");
    put("0000000");
    bytes.extend_from_slice(&[0; 8]);
    bytes
}

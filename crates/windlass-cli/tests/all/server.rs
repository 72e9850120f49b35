//! A server on loopback that says what it is told to say and remembers what it heard.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// The server; it ends with the test.
pub(crate) struct Server {
    address: String,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// A server that answers these paths with these bodies, and every other with 404.
    pub(crate) fn start(answers: &'static [(&'static str, &'static str)]) -> Self {
        Self::answering(move |request| {
            let path = request.split_whitespace().nth(1).unwrap_or_default();
            match answers.iter().find(|(own, _)| path.split('?').next() == Some(own)) {
                Some((_, body)) => whole("200 OK", body),
                None => whole("404 Not Found", "{\"error\":{\"message\":\"nothing here\"}}"),
            }
        })
    }

    /// A server that answers a request, head and body, with these bytes, and then closes.
    pub(crate) fn answering(answers: impl Fn(&str) -> Vec<u8> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = Arc::clone(&heard);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = answer(&stream, &answers, &ears);
            }
        });
        Self { address, heard }
    }

    pub(crate) fn address(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }

    /// The bodies of all requests, in order.
    pub(crate) fn bodies(&self) -> Vec<String> {
        let heard = self.heard.lock().unwrap();
        heard.iter().filter_map(|request| Some(request.split_once("\r\n\r\n")?.1.to_owned())).collect()
    }

    /// Everything that was asked: request line, headers, body.
    pub(crate) fn heard(&self) -> String {
        self.heard.lock().unwrap().join("\n")
    }
}

fn answer(
    stream: &TcpStream,
    answers: &impl Fn(&str) -> Vec<u8>,
    ears: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while reader.read_line(&mut head)? > 2 {}
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let request = format!("{head}{}", String::from_utf8_lossy(&body));
    ears.lock().unwrap().push(request.clone());
    let mut stream = stream;
    stream.write_all(&answers(&request))
}

/// A whole answer of JSON.
pub(crate) fn whole(status: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .into_bytes()
}

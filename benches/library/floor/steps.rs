//! The least that works: a bare socket, a body that only grows, and JSON read in place. Nothing is checked, judged or told.

#[path = "../measure.rs"]
mod measure;

use std::borrow::Cow;
use std::cell::RefCell;
use std::error::Error;
use std::fmt::Write as _;

use serde::Deserialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The request until the end of its first message.
const BEGINNING: &str = r#"{"model":"conversation-q4","stream":true,"tools":[{"type":"function","function":{"name":"add","description":"Adds two integers.","parameters":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}}}],"messages":[{"role":"user","content":"Count up."}"#;

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    choices: Vec<Choice<'a>>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    delta: Delta<'a>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, default)]
    content: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_calls: Vec<CallDelta<'a>>,
}

#[derive(Deserialize)]
struct CallDelta<'a> {
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    function: FunctionDelta<'a>,
}

#[derive(Deserialize)]
struct FunctionDelta<'a> {
    #[serde(borrow, default)]
    arguments: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Sum {
    a: i64,
    b: i64,
}

/// What a step said.
#[derive(Default)]
struct Said {
    text: String,
    call_id: String,
    arguments: String,
}

impl Said {
    fn read(&mut self, line: &[u8]) -> Result<(), Box<dyn Error>> {
        let Some(json) = line.strip_prefix(b"data: ").filter(|json| *json != b"[DONE]") else {
            return Ok(());
        };
        for choice in serde_json::from_slice::<Chunk>(json)?.choices {
            self.text.push_str(&choice.delta.content.unwrap_or_default());
            for call in choice.delta.tool_calls {
                self.call_id.push_str(&call.id.unwrap_or_default());
                self.arguments.push_str(&call.function.arguments.unwrap_or_default());
            }
        }
        Ok(())
    }
}

/// The place of the server, and a connection that waits.
struct Place {
    host: String,
    path: String,
    idle: RefCell<Option<TcpStream>>,
}

impl Place {
    fn new(url: String) -> Result<Self, Box<dyn Error>> {
        let rest = url.strip_prefix("http://").ok_or("the address must begin with http://")?;
        let (host, path) = rest.split_once('/').ok_or("the address needs a path")?;
        Ok(Self { host: host.to_owned(), path: path.to_owned(), idle: RefCell::default() })
    }

    async fn session(&self) -> Result<String, Box<dyn Error>> {
        let (mut body, mut buffer) = (BEGINNING.to_owned(), Vec::with_capacity(16 * 1024));
        loop {
            let idle = self.idle.take();
            let mut stream = match idle {
                Some(stream) => stream,
                None => {
                    let stream = TcpStream::connect(&self.host).await?;
                    stream.set_nodelay(true)?;
                    stream
                }
            };
            let request = format!(
                "POST /{}/chat/completions HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}]}}",
                self.path,
                self.host,
                body.len() + 2
            );
            stream.write_all(request.as_bytes()).await?;
            let said = read_answer(&mut stream, &mut buffer).await?;
            self.idle.replace(Some(stream));
            if said.call_id.is_empty() {
                return Ok(said.text);
            }
            let Sum { a, b } = serde_json::from_str(&said.arguments)?;
            let arguments = serde_json::to_string(&said.arguments)?;
            write!(
                body,
                r#",{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"add","arguments":{arguments}}}}}]}},{{"role":"tool","tool_call_id":"{id}","content":"{}"}}"#,
                a + b,
                id = said.call_id
            )?;
        }
    }
}

/// Reads a chunked answer to its last chunk; events are taken from the buffer as they come.
async fn read_answer(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Result<Said, Box<dyn Error>> {
    buffer.clear();
    let mut at = loop {
        if let Some(end) = memchr::memmem::find(buffer, b"\r\n\r\n") {
            break end + 4;
        }
        more(stream, buffer).await?;
    };
    if !buffer.starts_with(b"HTTP/1.1 200") {
        return Err(String::from_utf8_lossy(buffer).into());
    }
    let mut said = Said::default();
    loop {
        let Some(line) = memchr::memchr(b'\n', &buffer[at..]) else {
            more(stream, buffer).await?;
            continue;
        };
        let size = usize::from_str_radix(str::from_utf8(&buffer[at..at + line - 1])?, 16)?;
        let begin = at + line + 1;
        while buffer.len() < begin + size + 2 {
            more(stream, buffer).await?;
        }
        if size == 0 {
            return Ok(said);
        }
        for event in buffer[begin..begin + size].split(|byte| *byte == b'\n') {
            said.read(event)?;
        }
        at = begin + size + 2;
        if at == buffer.len() {
            buffer.clear();
            at = 0;
        }
    }
}

async fn more(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Result<(), Box<dyn Error>> {
    match stream.read_buf(buffer).await? {
        0 => Err("the provider hung up".into()),
        _ => Ok(()),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    measure::measure(Place::new, Place::session).await
}

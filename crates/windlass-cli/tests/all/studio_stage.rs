//! A server on its defaults and a client of Prompt Studio that reads its stream literally: split at blank lines,
//! `data: ` stripped. A search server on loopback finds one page about whatever is asked for.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use serde_json::{Value, json};

use crate::place::Place;
use crate::serve::Served;
use crate::server::{Server, whole};

pub(crate) const PATH: &str = "/api/chat/stream";

/// A script that thinks, searches, thinks and answers.
pub(crate) const SEARCHES: &str = "user What is new?\nmodel reasoning I should look.\nmodel text Let me look.\nmodel call 1 search_web {\"query\":\"news\"}\n\
    model usage input=10 output=5\nmodel end\nmodel reasoning Now I know.\nmodel text Nothing much.\nmodel usage input=20 output=7\n";

/// A server and what it searches.
pub(crate) struct Studio {
    pub(crate) place: Place,
    pub(crate) search: Server,
    pub(crate) served: Served,
}

/// A search server that speaks SearXNG's wire.
pub(crate) fn search_server() -> Server {
    Server::answering(|request| {
        let target = request.split_whitespace().nth(1).unwrap_or_default();
        let words =
            target.split_once("q=").map_or("", |(_, rest)| rest.split('&').next().unwrap_or_default());
        let page = json!({"title": format!("About {words}"), "url": "https://a.example/page", "content": "All of it."});
        whole("200 OK", &json!({"results": [page]}).to_string())
    })
}

/// The configuration that has it searched.
pub(crate) fn searching(server: &Server) -> String {
    format!("[web_search]\nbackend = \"searxng\"\nbase_url = \"{}\"\n", server.address(""))
}

impl Studio {
    /// A server on its defaults that plays a script: Prompt Studio's users search unasked.
    pub(crate) fn playing(script: &str) -> Self {
        let (place, search) = (Place::with(&[("a.script", script)]), search_server());
        place.configure(&searching(&search));
        let served = Served::start(&place, &[]);
        Self { place, search, served }
    }

    /// The body of a stream to its end.
    pub(crate) fn stream(&self, params: &[(&str, &str)]) -> String {
        let (_, body) = self.send(&query(params), "", None);
        body
    }

    /// The frames of a stream, as a literal client reads them.
    pub(crate) fn frames(&self, params: &[(&str, &str)]) -> Vec<Value> {
        literal(&self.stream(params))
    }

    /// Head and body of an answer, read to its end.
    pub(crate) fn send(&self, path: &str, headers: &str, body: Option<&str>) -> (String, String) {
        let mut answer = String::new();
        self.open(path, headers, body).read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }

    /// A connection whose answer is read as it comes.
    pub(crate) fn open(&self, path: &str, headers: &str, body: Option<&str>) -> TcpStream {
        let mut stream = TcpStream::connect(self.served.address()).unwrap();
        let (method, length) = (if body.is_some() { "POST" } else { "GET" }, body.unwrap_or_default().len());
        let head = format!(
            "{method} {path} HTTP/1.0\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{}{headers}\r\n",
            self.served.address(),
            self.served.key()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.unwrap_or_default().as_bytes()).unwrap();
        stream
    }

    /// Status and document of an answer to a request with a body, or without one.
    #[track_caller]
    pub(crate) fn json(&self, path: &str, body: Option<&Value>) -> (u16, Value) {
        let (head, answer) = self.send(path, "", body.map(Value::to_string).as_deref());
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
        (status, serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{path}: {error}: {answer}")))
    }

    /// The run that began last.
    pub(crate) fn newest(&self) -> String {
        let runs = self.served.json("GET /api/runs?rows=1", "");
        runs["runs"][0]["run_id"].as_str().unwrap().to_owned()
    }

    /// How a run ended, once it has: its last frame.
    pub(crate) fn end_of(&self, run: &str) -> Value {
        self.served.first(run, "done")
    }

    /// How many runs there were.
    pub(crate) fn runs(&self) -> usize {
        self.served.json("GET /api/runs", "")["runs"].as_array().unwrap().len()
    }
}

/// Reads until what came contains a text; gives all of it.
#[track_caller]
pub(crate) fn until(stream: &mut TcpStream, text: &str) -> String {
    let mut heard = Vec::new();
    let mut piece = [0; 4096];
    while !String::from_utf8_lossy(&heard).contains(text) {
        let read = stream.read(&mut piece).unwrap();
        assert!(read > 0, "it ended before '{text}': {}", String::from_utf8_lossy(&heard));
        heard.extend_from_slice(&piece[..read]);
    }
    String::from_utf8(heard).unwrap()
}

/// What a literal client reads: split at blank lines, strip `data: `. Everything else is an id or a comment.
#[track_caller]
pub(crate) fn literal(body: &str) -> Vec<Value> {
    let mut frames = Vec::new();
    for block in body.split("\n\n").filter(|block| !block.is_empty()) {
        match block.strip_prefix("data: ") {
            Some(json) => {
                frames.push(serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {block}")))
            }
            None => assert!(block.starts_with("id: ") || block.starts_with(':'), "a foreign block: {block}"),
        }
    }
    frames
}

/// The path with a query.
pub(crate) fn query(params: &[(&str, &str)]) -> String {
    let escape = |text: &str| -> String { text.bytes().map(|byte| format!("%{byte:02X}")).collect() };
    let pairs: Vec<String> = params.iter().map(|(name, value)| format!("{name}={}", escape(value))).collect();
    format!("{PATH}?{}", pairs.join("&"))
}

/// The `type` of every frame.
pub(crate) fn types(frames: &[Value]) -> Vec<&str> {
    frames.iter().map(|frame| frame["type"].as_str().unwrap()).collect()
}

pub(crate) fn of_type<'a>(frames: &'a [Value], kind: &str) -> Vec<&'a Value> {
    frames.iter().filter(|frame| frame["type"] == kind).collect()
}

pub(crate) fn said(frames: &[Value]) -> String {
    of_type(frames, "content").iter().map(|frame| frame["content"].as_str().unwrap()).collect()
}

/// The one end of a stream, after which nothing comes.
#[track_caller]
pub(crate) fn done(frames: &[Value]) -> Value {
    assert_eq!(of_type(frames, "done").len(), 1, "{frames:#?}");
    let last = frames.last().unwrap();
    assert_eq!((&last["type"], &last["done"]), (&json!("done"), &json!(true)));
    last.clone()
}

/// Holds a stream against a file of the repository, without what differs from run to run; `WINDLASS_REWRITE=1` writes it.
#[track_caller]
pub(crate) fn hold(path: &str, body: &str) {
    let mut text = body.to_owned();
    for (field, with) in [
        ("\"run_id\":\"", "ID"),
        ("\"session_id\":\"", "ID"),
        ("\"id\":\"chatcmpl-", "ID"),
        ("\"created\":", "0"),
    ] {
        let mut pieces = text.split(field);
        let first = pieces.next().unwrap_or_default().to_owned();
        let is_id = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        text =
            pieces.fold(first, |all, piece| format!("{all}{field}{with}{}", piece.trim_start_matches(is_id)));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(path);
    if std::env::var_os("WINDLASS_REWRITE").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(kept == text, "{path} is not as it should be; write it anew with WINDLASS_REWRITE=1\n{text}");
}

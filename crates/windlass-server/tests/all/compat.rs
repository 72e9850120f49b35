//! A real server on loopback over a host with scripted models, and a plain HTTP client for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use windlass_core::host::{HostError, ModelRow};
use windlass_core::permission::{ApproveMode, PolicySet};
use windlass_core::port::{BoxFuture, ToolContext, ToolPort};
use windlass_core::profile::{Profile, ProfileName};
use windlass_core::secret::Secret;
use windlass_core::tool::{Category, Effects, Link, Risk, ToolFailure, ToolOutput, ToolSpec, Visibility};
use windlass_engine::clock::Clock;
use windlass_engine::host::{Host, HostLimits, HostParts, ModelsPort, OpenModel};
use windlass_engine::memory_store::MemoryStore;
use windlass_engine::policy_store::PolicyStore;
use windlass_engine::registry::Registry;
use windlass_scripted::{Script, ScriptedModel};
use windlass_server::{ServerConfig, app, serve};

use crate::document::hold;

/// A step of waiting that no test on a loaded machine needs in full.
const PATIENCE: Duration = Duration::from_secs(20);

/// Scripts by name: `scripted/NAME`; `usual` is the default.
#[derive(Default)]
struct Scripts(Mutex<HashMap<String, Script>>);

impl ModelsPort for Scripts {
    fn open(&self, name: Option<&str>, _profile: &mut Profile) -> Result<OpenModel, HostError> {
        let name = name.unwrap_or("scripted/usual");
        let missing = || HostError::Missing { what: "model", id: name.to_owned() };
        let scripts = self.0.lock().unwrap();
        let script = name.strip_prefix("scripted/").and_then(|name| scripts.get(name)).ok_or_else(missing)?;
        Ok(OpenModel { model: Arc::new(ScriptedModel::new(script)), context_tokens: None })
    }

    fn list(&self) -> Vec<ModelRow> {
        let row = |name: &str, is_default, is_ready| ModelRow {
            name: name.to_owned(),
            is_default,
            is_ready,
            ..ModelRow::default()
        };
        vec![row("scripted/usual", true, true), row("openrouter/some-model", false, false)]
    }
}

/// What a stage is made with.
pub(crate) struct Scene {
    pub(crate) script: String,
    pub(crate) tools: Vec<Arc<dyn ToolPort>>,
    pub(crate) approve: ApproveMode,
    pub(crate) system: &'static str,
    pub(crate) token: Option<&'static str>,
}

impl Scene {
    pub(crate) fn new(script: &str) -> Self {
        Self {
            script: script.to_owned(),
            tools: Vec::new(),
            approve: ApproveMode::All,
            system: "",
            token: None,
        }
    }

    pub(crate) fn with_tools(mut self, tools: Vec<Arc<dyn ToolPort>>) -> Self {
        self.tools = tools;
        self
    }

    pub(crate) async fn open(self) -> Stage {
        let scripts = Arc::new(Scripts::default());
        let script = Script::parse("usual", &self.script).unwrap();
        scripts.0.lock().unwrap().insert("usual".to_owned(), script);
        let registry = Registry::new();
        registry.register_all(self.tools).unwrap();
        let system = self.system;
        let host = Host::new(HostParts {
            store: Arc::new(MemoryStore::new()),
            models: Arc::clone(&scripts) as Arc<dyn ModelsPort>,
            profiles: Arc::new(move |name| match name.map(str::parse::<ProfileName>) {
                None => Ok(Profile { instruction: system.to_owned(), ..Profile::default() }),
                Some(Ok(name)) => Ok(Profile { instruction: system.to_owned(), ..Profile::named(name) }),
                Some(Err(error)) => {
                    Err(HostError::Invalid { field: Some("profile"), message: error.to_string() })
                }
            }),
            registry,
            search: None,
            root: std::env::temp_dir(),
            policies: PolicyStore::in_memory(PolicySet::default()),
            approve: self.approve,
            audit: None,
            sampling: windlass_core::model::Sampling::default(),
            clock: Clock::system(),
            limits: HostLimits::default(),
        });
        let config = ServerConfig {
            token: self.token.map(|token| Secret::new(token.to_owned())),
            ..ServerConfig::default()
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (stop, stopped) = oneshot::channel::<()>();
        let router = app(Arc::clone(&host) as _, config);
        tokio::spawn(async move {
            serve(listener, router, async {
                let _ = stopped.await;
            })
            .await
            .unwrap();
        });
        Stage { host, address, _stop: stop }
    }
}

/// A server that runs.
pub(crate) struct Stage {
    pub(crate) host: Arc<Host>,
    pub(crate) address: String,
    _stop: oneshot::Sender<()>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Payloads of an event stream: name, if there is one, and data.
    pub(crate) fn events(&self) -> Vec<(Option<String>, String)> {
        let mut events = Vec::new();
        for block in self.body.split("\n\n").filter(|block| !block.is_empty()) {
            let mut name = None;
            let mut data = None;
            for line in block.lines() {
                if let Some(text) = line.strip_prefix("event: ") {
                    name = Some(text.to_owned());
                } else if let Some(text) = line.strip_prefix("data: ") {
                    data = Some(text.to_owned());
                } else {
                    assert!(line.starts_with("id: ") || line.starts_with(':'), "a foreign line: {line}");
                }
            }
            events.extend(data.map(|data| (name, data)));
        }
        events
    }

    /// The JSON payloads of an event stream.
    pub(crate) fn frames(&self) -> Vec<Value> {
        let read = |data: String| serde_json::from_str(&data).unwrap_or(Value::String(data));
        self.events().into_iter().map(|(_, data)| read(data)).collect()
    }

    /// What was said, in whatever frames: v1.1's, EDISON's or OpenAI's.
    pub(crate) fn said(&self) -> String {
        let piece = |frame: &Value| {
            let text = match frame["type"].as_str() {
                Some("content") => frame["content"].as_str(),
                Some(_) => None,
                None => frame["t"].as_str().or_else(|| frame["choices"][0]["delta"]["content"].as_str()),
            };
            text.unwrap_or_default().to_owned()
        };
        self.frames().iter().map(piece).collect()
    }

    /// The `type` of every frame.
    pub(crate) fn types(&self) -> Vec<String> {
        self.frames().iter().map(|frame| frame["type"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

/// A connection that reads a stream piece by piece.
pub(crate) struct Live {
    reader: BufReader<TcpStream>,
    rest: String,
}

impl Live {
    /// Reads until what came contains a text; gives all that came so far.
    pub(crate) async fn until(&mut self, text: &str) -> &str {
        while !self.rest.contains(text) {
            let mut chunk = vec![0; 4096];
            let read =
                tokio::time::timeout(PATIENCE, self.reader.read(&mut chunk)).await.expect("in time").unwrap();
            assert!(read > 0, "the stream ended before '{text}': {}", self.rest);
            self.rest.push_str(&String::from_utf8_lossy(&chunk[..read]));
        }
        &self.rest
    }

    pub(crate) async fn rest(mut self) -> String {
        let mut bytes = Vec::new();
        tokio::time::timeout(PATIENCE, self.reader.read_to_end(&mut bytes)).await.expect("in time").unwrap();
        self.rest.push_str(&String::from_utf8_lossy(&bytes));
        self.rest
    }
}

impl Stage {
    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Reply {
        self.send("POST", path, &[], Some(body.to_string())).await
    }

    /// Asks and reads the whole answer.
    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<String>,
    ) -> Reply {
        let (status, headers, mut reader) = self.begin(method, path, headers, body).await;
        let mut body = Vec::new();
        let reading = async {
            match headers.get("content-length") {
                Some(length) => {
                    body.resize(length.parse().unwrap(), 0);
                    reader.read_exact(&mut body).await.map(|_| ())
                }
                None if headers.contains_key("transfer-encoding") => {
                    read_chunks(&mut reader, &mut body).await
                }
                None => Ok(()),
            }
        };
        tokio::time::timeout(PATIENCE, reading).await.expect("the answer in time").unwrap();
        Reply { status, headers, body: String::from_utf8(body).unwrap() }
    }

    /// Asks and leaves the answer to be read as it comes.
    pub(crate) async fn live(&self, method: &str, path: &str, body: Option<Value>) -> Live {
        let (_, _, reader) = self.begin(method, path, &[], body.map(|body| body.to_string())).await;
        Live { reader, rest: String::new() }
    }

    /// Sends a request and closes the connection without reading an answer.
    pub(crate) async fn connect(&self, path: &str, body: Value) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        stream.write_all(self.head("POST", path, &[], Some(&body.to_string())).as_bytes()).await.unwrap();
        stream
    }

    fn head(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&str>) -> String {
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address);
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = body {
            head.push_str(&format!(
                "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            ));
        } else {
            head.push_str("\r\n");
        }
        head
    }

    async fn begin(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<String>,
    ) -> (u16, HashMap<String, String>, BufReader<TcpStream>) {
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        let head = self.head(method, path, headers, body.as_deref());
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        let mut status = 0;
        let mut headers = HashMap::new();
        let reading = async {
            loop {
                line.clear();
                reader.read_line(&mut line).await.unwrap();
                let text = line.trim_end();
                if text.is_empty() {
                    break;
                }
                if let Some(rest) = text.strip_prefix("HTTP/1.1 ") {
                    status = rest[..3].parse().unwrap();
                } else if let Some((name, value)) = text.split_once(": ") {
                    headers.insert(name.to_ascii_lowercase(), value.to_owned());
                }
            }
        };
        tokio::time::timeout(PATIENCE, reading).await.expect("the head in time");
        (status, headers, reader)
    }
}

async fn read_chunks(reader: &mut BufReader<TcpStream>, body: &mut Vec<u8>) -> std::io::Result<()> {
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).await?;
        let size =
            usize::from_str_radix(line.trim(), 16).unwrap_or_else(|_| panic!("a chunk size: {line:?}"));
        let mut chunk = vec![0; size + 2];
        reader.read_exact(&mut chunk).await?;
        if size == 0 {
            return Ok(());
        }
        body.extend_from_slice(&chunk[..size]);
    }
}

/// Replaces what differs from run to run: ids and times.
pub(crate) fn normalise(text: &str) -> String {
    let mut normal = String::new();
    for line in text.lines() {
        let (head, json) = line.split_once("data: ").unwrap_or(("", line));
        match serde_json::from_str::<Value>(json) {
            Ok(mut value) => {
                blank(&mut value);
                normal.push_str(&format!(
                    "{}{value}\n",
                    if line.starts_with("data: ") { "data: " } else { head }
                ));
            }
            Err(_) => normal.push_str(&format!("{line}\n")),
        }
    }
    normal
}

fn blank(value: &mut Value) {
    const CHANGING: [&str; 9] = [
        "ts",
        "created",
        "run_id",
        "session_id",
        "parent_id",
        "duration_ms",
        "started_ms",
        "request_id",
        "created_ms",
    ];
    match value {
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                if CHANGING.contains(&name.as_str()) && !field.is_null() {
                    *field = if field.is_number() { json!(0) } else { json!("ID") };
                } else if name == "id" && field.as_str().is_some_and(|id| id.starts_with("chatcmpl-")) {
                    *field = json!("chatcmpl-ID");
                } else {
                    blank(field);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(blank),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Compares with a golden file, once what differs from run to run is taken out.
pub(crate) fn assert_golden(path: &str, text: &str) {
    hold(&format!("fixtures/{path}"), &normalise(text));
}

type Work = dyn Fn(&Map<String, Value>) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> + Send + Sync;

/// A tool that is a closure.
pub(crate) struct FnTool {
    spec: ToolSpec,
    work: Box<Work>,
}

impl FnTool {
    pub(crate) fn doing(
        spec: ToolSpec,
        work: impl Fn(&Map<String, Value>) -> Result<ToolOutput, ToolFailure> + Send + Sync + 'static,
    ) -> Arc<dyn ToolPort> {
        let work = move |args: &Map<String, Value>| -> BoxFuture<'static, _> {
            let done = work(args);
            Box::pin(async move { done })
        };
        Arc::new(Self { spec, work: Box::new(work) })
    }

    /// A tool that does not end by itself.
    pub(crate) fn hanging(spec: ToolSpec) -> Arc<dyn ToolPort> {
        Arc::new(Self { spec, work: Box::new(|_| Box::pin(std::future::pending())) })
    }
}

impl ToolPort for FnTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(
        &'a self,
        args: &'a Map<String, Value>,
        _context: &'a ToolContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        (self.work)(args)
    }
}

/// The spec of a web search, without the web.
pub(crate) fn search_spec() -> ToolSpec {
    let mut spec = ToolSpec::new("web_search", "Search the web")
        .with_schema(json!({
            "type": "object",
            "properties": {
                "query": {"type": "string"},
                "max_results": {"type": "integer", "default": 5},
            },
            "required": ["query"],
        }))
        .with_effects(Effects::Read, Risk::Safe)
        .with_place(Category::Search, Visibility::Primary)
        .with_alias("search_web");
    spec.idempotent = true;
    spec
}

/// One page about whatever is asked for.
pub(crate) fn page_about(query: &str) -> ToolOutput {
    let link = Link {
        title: format!("About {query}"),
        url: "https://a.example/page".into(),
        snippet: "What there is to know.".into(),
    };
    let mut output =
        ToolOutput::json(json!([{"title": link.title, "url": link.url, "snippet": link.snippet}]));
    output.summary = Some(format!("Web search results: {} {} {}", link.title, link.url, link.snippet));
    output.links = vec![link];
    output
}

/// A web search that finds one page about whatever is asked for.
pub(crate) fn web_search() -> Arc<dyn ToolPort> {
    FnTool::doing(search_spec(), |args| Ok(page_about(args["query"].as_str().unwrap_or_default())))
}

/// The built-in tool of that name.
pub(crate) fn builtin(name: &str) -> Arc<dyn ToolPort> {
    let tools = windlass_tools::builtin(&windlass_tools::ToolsConfig::default());
    tools.into_iter().find(|tool| tool.spec().name == name).unwrap()
}

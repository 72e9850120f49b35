//! A cell of the table: one wire, a provider that plays any part, and what was heard of it.
//!
//! Scenarios see a cell and nothing of its protocol.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use windlass_core::calls::assemble::Assembler;
use windlass_core::ports::{BoxStream, ModelPort};
use windlass_core::protocol::ids::{CallId, RunId};
use windlass_core::protocol::message::{Message, Part, ToolMessage, text_of};
use windlass_core::protocol::model::{
    Kept, ModelDelta, ModelFailure, ModelRequest, ModelStep, Sampling, StepPurpose, ToolChoice, Usage,
};
use windlass_core::protocol::tool::{ToolCall, ToolSpec};
use windlass_models::catalog::{Overrides, target};
use windlass_models::limits::ExchangeLimits;
use windlass_models::{ModelName, ModelTarget, Transport, TransportConfig, WireKind, WireModel};
use windlass_testkit::provider::{ProviderServer, RequestLedger, VendorScript};

/// What a scenario found: nothing, or what was wrong.
pub(crate) type Verdict = Result<(), String>;

/// The key of every provider; nobody else may see it.
pub(crate) const KEY: &str = "sk-conformance-0123456789abcdef";

/// How long a cell waits for what must come.
const PATIENCE: Duration = Duration::from_secs(20);

/// Holds a value to what it should be.
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: T, wanted: T) -> Verdict {
    if got == wanted { Ok(()) } else { Err(format!("{what}: got {got:?}, wanted {wanted:?}")) }
}

/// Holds a fact to be so.
pub(crate) fn holds(is_so: bool, what: impl Into<String>) -> Verdict {
    if is_so { Ok(()) } else { Err(what.into()) }
}

/// One wire and a provider of its own.
pub(crate) struct Cell {
    wire: WireKind,
    server: Arc<ProviderServer>,
}

/// Everything that came of one request.
pub(crate) struct Heard {
    pub(crate) deltas: Vec<ModelDelta>,
    pub(crate) failure: Option<ModelFailure>,
    step: ModelStep,
}

impl Cell {
    pub(crate) fn new(wire: WireKind) -> Self {
        Self { wire, server: Arc::new(ProviderServer::start().unwrap()) }
    }

    /// A provider of the catalogue that speaks the wire; where there are many, one that keeps state.
    fn provider(&self) -> &'static str {
        match self.wire {
            WireKind::Chat => "openrouter",
            WireKind::Responses => "openai",
            WireKind::Messages => "anthropic",
            WireKind::Gemini => "gemini",
            WireKind::Ollama => "ollama",
        }
    }

    pub(crate) fn target(&self, script: &VendorScript) -> ModelTarget {
        let provider = self.provider();
        let name = ModelName { provider: provider.to_owned(), model: script.to_string() };
        let overrides = Overrides {
            base_url: Some(self.server.base_url(provider)),
            key: Some(KEY.into()),
            ..Overrides::default()
        };
        target(&name, &overrides).unwrap()
    }

    pub(crate) fn ledger(&self) -> RequestLedger {
        self.server.ledger()
    }

    /// The text of the last request.
    pub(crate) fn last_body(&self) -> String {
        let ledger = self.ledger();
        ledger
            .requests
            .last()
            .map(|last| String::from_utf8_lossy(&last.body).into_owned())
            .unwrap_or_default()
    }

    /// Waits without keeping the connection from being closed meanwhile.
    pub(crate) async fn wait_until(&self, wish: fn(&RequestLedger) -> bool) -> Option<RequestLedger> {
        let server = Arc::clone(&self.server);
        tokio::task::spawn_blocking(move || server.wait_until(PATIENCE, wish)).await.unwrap()
    }

    /// Asks the usual question.
    pub(crate) async fn ask(&self, script: &VendorScript) -> Heard {
        self.ask_with(script, request(vec![Message::user("Go on.")])).await
    }

    pub(crate) async fn ask_with(&self, script: &VendorScript, request: ModelRequest) -> Heard {
        hear(self.target(script), calm(), request).await
    }

    /// Asks, and holds the answer to be one, and the request to be legal.
    pub(crate) async fn answer(
        &self,
        script: &VendorScript,
        messages: Vec<Message>,
    ) -> Result<ModelStep, String> {
        self.answer_to(script, request(messages)).await
    }

    pub(crate) async fn answer_to(
        &self,
        script: &VendorScript,
        request: ModelRequest,
    ) -> Result<ModelStep, String> {
        let heard = self.ask_with(script, request).await;
        same("refusals", self.ledger().refusals(), Vec::new())?;
        heard.into_step()
    }

    /// An answer that has only begun.
    pub(crate) fn open(&self, script: &VendorScript) -> BoxStream<'static, Result<ModelDelta, ModelFailure>> {
        model(self.target(script), calm()).stream(request(vec![Message::user("Go on.")]))
    }
}

impl Heard {
    /// The step, if the answer was whole.
    pub(crate) fn into_step(self) -> Result<ModelStep, String> {
        match self.failure {
            Some(failure) => Err(format!("{}: {failure} ({:?})", failure.kind.word(), failure.detail)),
            None => Ok(self.step),
        }
    }

    pub(crate) fn texts(&self) -> Vec<&str> {
        let texts = self.deltas.iter().filter_map(|delta| match delta {
            ModelDelta::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    pub(crate) fn usage(&self) -> Usage {
        self.step.usage.unwrap_or_default()
    }

    /// A failure, after which nothing of the answer may be used.
    pub(crate) fn fails(&self, code: &str, is_retryable: bool) -> Result<&ModelFailure, String> {
        let Some(failure) = &self.failure else {
            return Err(format!("no failure, but {:?}", self.step));
        };
        same("code", (failure.kind.word(), failure.is_retryable), (code, is_retryable))
            .map_err(|error| format!("{error}: {failure}"))?;
        let is_finished = self.deltas.iter().any(|delta| matches!(delta, ModelDelta::Finish(_)));
        holds(!is_finished, "a failed answer has a finish")?;
        holds(!format!("{failure:?}").contains(KEY), "the key is in the failure")?;
        Ok(failure)
    }
}

/// Limits that no scenario reaches.
pub(crate) fn calm() -> ExchangeLimits {
    ExchangeLimits {
        connect_timeout_ms: 20_000,
        first_byte_timeout_ms: 20_000,
        idle_timeout_ms: 20_000,
        total_timeout_ms: 20_000,
        ..ExchangeLimits::default()
    }
}

fn model(target: ModelTarget, limits: ExchangeLimits) -> WireModel {
    let config = TransportConfig { limits, ..TransportConfig::default() };
    WireModel::new(target, Arc::new(Transport::new(config)))
}

/// Everything until the end or the failure.
pub(crate) async fn hear(target: ModelTarget, limits: ExchangeLimits, request: ModelRequest) -> Heard {
    let mut stream = model(target.clone(), limits).stream(request);
    let mut assembler = Assembler::new(target.name);
    let (mut deltas, mut failure) = (Vec::new(), None);
    while let Some(item) = next(&mut stream).await {
        assert!(failure.is_none(), "something comes after a failure: {item:?}");
        match item {
            Ok(delta) => {
                assembler.push(delta.clone());
                deltas.push(delta);
            }
            Err(error) => failure = Some(error),
        }
    }
    Heard { deltas, failure, step: assembler.finish() }
}

pub(crate) async fn next<T>(stream: &mut BoxStream<'static, T>) -> Option<T> {
    std::future::poll_fn(|cx| stream.as_mut().poll_next(cx)).await
}

/// A request with a system text and the tools of all parts.
pub(crate) fn request(messages: Vec<Message>) -> ModelRequest {
    let tool = |name: &str, argument: Option<&str>| {
        let properties = argument.map(|argument| (argument.to_owned(), json!({"type": "string"})));
        let schema = json!({"type": "object", "required": argument.into_iter().collect::<Vec<_>>(),
            "properties": properties.into_iter().collect::<serde_json::Map<_, _>>()});
        Arc::new(ToolSpec::new(name, "A tool.").with_schema(schema))
    };
    ModelRequest {
        run_id: RunId::new("run_1"),
        step: 1,
        purpose: StepPurpose::Work,
        system: "Be brief.".into(),
        examples: 0,
        messages: Arc::new(messages.into_iter().map(Arc::new).collect()),
        trailer: Vec::new(),
        live: Arc::default(),
        tools: Arc::new([
            tool("calculate", Some("expression")),
            tool("execute_command", Some("command")),
            tool("get_file_tree", None),
        ]),
        tool_choice: ToolChoice::Auto,
        sampling: Sampling::default(),
        kept: Kept::default(),
    }
}

/// Appends a step as a run does: what was said, and an outcome for every call.
pub(crate) fn append(history: &mut Vec<Message>, step: &ModelStep) {
    let number = history.len();
    let calls: Vec<(usize, ToolCall)> = step
        .calls
        .iter()
        .enumerate()
        .map(|(index, raw)| {
            let call = ToolCall {
                id: CallId::numbered((number * 100 + index) as u64),
                provider_id: raw.provider_id.clone(),
                step: 1,
                index: u32::try_from(index).unwrap(),
                name: raw.name.clone(),
                arguments: raw.args.to_text(),
                state: raw.state.clone(),
            };
            (raw.after_parts, call)
        })
        .collect();
    let outcomes: Vec<Message> = calls.iter().map(|(_, call)| Message::Tool(outcome_of(call))).collect();
    let mut parts = step.parts.clone();
    for (before, (after_parts, call)) in calls.into_iter().enumerate() {
        parts.insert(after_parts + before, Part::Call(call));
    }
    history.push(Message::Assistant { parts });
    history.extend(outcomes);
}

fn outcome_of(call: &ToolCall) -> ToolMessage {
    ToolMessage {
        call_id: call.id.clone(),
        provider_id: call.provider_id.clone(),
        name: call.name.clone(),
        content: format!("outcome of {}", call.name),
        is_ok: true,
        is_valid_call: true,
        label: None,
    }
}

/// Names and arguments of a step's calls.
pub(crate) fn calls_of(step: &ModelStep) -> Vec<(String, Value)> {
    let args = |text: String| serde_json::from_str(&text).unwrap_or(Value::String(text));
    step.calls.iter().map(|call| (call.name.clone(), args(call.args.to_text()))).collect()
}

/// The call that the provider's usual part makes.
pub(crate) fn command(step: usize, place: usize) -> (String, Value) {
    let command = format!("echo {step}.{place} >> ran.log # żółw 🦀");
    ("execute_command".to_owned(), json!({"command": command}))
}

pub(crate) fn said(step: &ModelStep) -> String {
    text_of(&step.parts)
}

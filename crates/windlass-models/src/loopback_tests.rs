//! Raw servers on this machine, which say exactly what a test wants, byte for byte.

use std::future::Future;
use std::sync::Arc;

use futures_core::Stream;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use windlass_core::ports::{BoxStream, ModelPort};
use windlass_core::protocol::ids::RunId;
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::{
    Kept, ModelDelta, ModelFailure, ModelRequest, Sampling, StepPurpose, ToolChoice,
};

use crate::limits::ExchangeLimits;
use crate::port::WireModel;
use crate::quirks::Quirks;
use crate::target::{Abilities, AuthForm, ModelTarget, WireKind};
use crate::transport::{Transport, TransportConfig};

pub(crate) const KEY: &str = "sk-test-0123456789";

/// Serves every connection with `talk`, one after another; gives the address.
pub(crate) async fn serve<F>(
    mut talk: impl FnMut(TcpStream) -> F + Send + 'static,
) -> (String, JoinHandle<()>)
where
    F: Future<Output = ()> + Send,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let task = tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            talk(socket).await;
        }
    });
    (url, task)
}

/// Answers every request with the same bytes and closes.
pub(crate) async fn serve_text(answer: impl Into<String>) -> String {
    let answer: String = answer.into();
    let (url, _) = serve(move |mut socket| {
        let answer = answer.clone();
        async move {
            read_request(&mut socket).await;
            let _ = socket.write_all(answer.as_bytes()).await;
        }
    })
    .await;
    url
}

/// Reads one request, head and body.
pub(crate) async fn read_request(socket: &mut (impl AsyncRead + Unpin)) -> String {
    let mut text = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let count = socket.read(&mut piece).await.unwrap_or(0);
        text.extend_from_slice(&piece[..count]);
        let shown = String::from_utf8_lossy(&text).into_owned();
        let Some((head, body)) = shown.split_once("\r\n\r\n") else {
            assert!(count > 0, "the client closed the connection after: {shown}");
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
        if body.len() >= length.unwrap_or(0) || count == 0 {
            return shown;
        }
    }
}

/// The head of an answer that comes in chunks.
pub(crate) fn head(status: &str, headers: &str) -> String {
    format!("HTTP/1.1 {status}\r\ntransfer-encoding: chunked\r\n{headers}\r\n")
}

/// The head of a good stream.
pub(crate) fn stream_head() -> String {
    head("200 OK", "content-type: text/event-stream\r\n")
}

/// A whole answer with a length.
pub(crate) fn whole(status: &str, media_type: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\n\r\n{body}")
}

pub(crate) fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

/// One event of the chat wire with some text.
pub(crate) fn text_event(text: &str) -> String {
    let payload = serde_json::json!({"choices": [{"index": 0, "delta": {"content": text}}]});
    format!("data: {payload}\n\n")
}

/// The last events of the chat wire.
pub(crate) const ENDING: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
    data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";

/// Writes, whether or not somebody still listens.
pub(crate) async fn say(socket: &mut (impl AsyncWrite + Unpin), text: &str) {
    let _ = socket.write_all(text.as_bytes()).await;
    let _ = socket.flush().await;
}

pub(crate) fn target(url: &str) -> ModelTarget {
    ModelTarget {
        name: "acme/m-1".into(),
        provider: "acme".into(),
        model: "m-1".into(),
        wire: WireKind::Chat,
        base_url: url.to_owned(),
        auth: AuthForm::Bearer,
        key: Some(KEY.into()),
        headers: vec![("x-title".into(), "windlass".into())],
        quirks: Quirks::default(),
        abilities: Abilities::default(),
    }
}

/// Limits that no passing test reaches, but for the one under test.
pub(crate) fn limits() -> ExchangeLimits {
    ExchangeLimits {
        connect_timeout_ms: 20_000,
        first_byte_timeout_ms: 20_000,
        idle_timeout_ms: 20_000,
        total_timeout_ms: 20_000,
        ..ExchangeLimits::default()
    }
}

pub(crate) fn transport(limits: ExchangeLimits) -> Arc<Transport> {
    Arc::new(Transport::new(TransportConfig { limits, ..TransportConfig::default() }))
}

pub(crate) fn request() -> ModelRequest {
    ModelRequest {
        run_id: RunId::new("run_1"),
        step: 1,
        purpose: StepPurpose::Work,
        system: "Be brief.".into(),
        examples: 0,
        messages: Arc::new(vec![Arc::new(Message::user("hi"))]),
        trailer: Vec::new(),
        live: Arc::default(),
        tools: Arc::new([]),
        tool_choice: ToolChoice::Auto,
        sampling: Sampling::default(),
        kept: Kept::default(),
    }
}

pub(crate) type Deltas = BoxStream<'static, Result<ModelDelta, ModelFailure>>;

pub(crate) fn ask(url: &str, limits: ExchangeLimits) -> Deltas {
    WireModel::new(target(url), transport(limits)).stream(request())
}

pub(crate) async fn next<S: Stream + Unpin>(stream: &mut S) -> Option<S::Item> {
    std::future::poll_fn(|cx| std::pin::Pin::new(&mut *stream).poll_next(cx)).await
}

/// Everything until the end or the failure.
pub(crate) async fn collect(mut stream: Deltas) -> (Vec<ModelDelta>, Option<ModelFailure>) {
    let mut deltas = Vec::new();
    while let Some(item) = next(&mut stream).await {
        match item {
            Ok(delta) => deltas.push(delta),
            Err(failure) => {
                assert_eq!(next(&mut stream).await, None, "nothing comes after a failure");
                return (deltas, Some(failure));
            }
        }
    }
    (deltas, None)
}

/// The text of some deltas.
pub(crate) fn text_of(deltas: &[ModelDelta]) -> String {
    let texts = deltas.iter().filter_map(|delta| match delta {
        ModelDelta::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

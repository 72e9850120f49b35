//! The line to a server: one request, one answer in JSON, or the error that it means.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use windlass_core::ports::host::HostError;
use windlass_core::text::secret::Secret;
use windlass_models::failure::shown_url;
use windlass_models::limits::ExchangeLimits;
use windlass_models::target::{Abilities, AuthForm, ModelTarget, WireKind};
use windlass_models::transport::{Method, ReplyBody, TargetRequest, TransportReply};
use windlass_models::{Quirks, Transport, TransportConfig};

use crate::address::{self, ApiPath};
use crate::errors::{RefusedRequest, misread, unreached};
use crate::limits::{ANSWER_BYTES_MAX, REFUSAL_BYTES_MAX, of_reading, of_stream, of_waiting, of_work};

const JSON: &str = "application/json";
const EVENT_STREAM: &str = "text/event-stream";

/// A server and the way to it.
#[derive(Debug)]
pub(crate) struct ServerLine {
    transport: Transport,
    target: ModelTarget,
    /// The address without anything secret.
    url: String,
}

impl ServerLine {
    pub(crate) fn new(
        url: &str,
        token: Option<Secret>,
        ca_pem: Option<Vec<u8>>,
    ) -> Result<Arc<Self>, HostError> {
        let base_url = address::server(url)?;
        // An empty header would be refused as a wrong token, where none at all might do.
        let token = token.filter(|token| !token.expose().is_empty());
        let transport =
            Transport::new(TransportConfig { limits: of_reading(), ca_pem, ..TransportConfig::default() });
        Ok(Arc::new(Self {
            transport,
            url: shown_url(&base_url),
            target: ModelTarget {
                name: "windlass".into(),
                provider: "the server".into(),
                model: String::new(),
                wire: WireKind::Chat,
                base_url,
                auth: AuthForm::Bearer,
                key: token,
                headers: Vec::new(),
                quirks: Quirks::default(),
                abilities: Abilities::default(),
            },
        }))
    }

    /// The server, without anything secret.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &ApiPath) -> Result<T, HostError> {
        self.ask(path, Method::Get, Vec::new(), of_reading()).await
    }

    /// Asks for work, which may take as long as a tool does.
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        path: &ApiPath,
        body: &impl Serialize,
    ) -> Result<T, HostError> {
        self.ask(path, Method::Post, written(body)?, of_work()).await
    }

    /// Asks for work that takes as long as it takes.
    pub(crate) async fn wait<T: DeserializeOwned>(
        &self,
        path: &ApiPath,
        body: &impl Serialize,
    ) -> Result<T, HostError> {
        self.ask(path, Method::Post, written(body)?, of_waiting()).await
    }

    /// Asks for something of which only the success matters.
    pub(crate) async fn tell(
        &self,
        path: &ApiPath,
        method: Method,
        body: Option<&(impl Serialize + Sync)>,
    ) -> Result<(), HostError> {
        let body = body.map(written).transpose()?.unwrap_or_default();
        let ask = TargetRequest { method, body, accept: JSON, limits: of_work() };
        let mut reply = self.send(path, ask).await?;
        // Read to its end, so that the connection can be used again.
        self.text(&mut reply.body).await.map(drop)
    }

    /// Opens an event stream.
    pub(crate) async fn stream(&self, path: &ApiPath) -> Result<ReplyBody, HostError> {
        let ask = TargetRequest {
            method: Method::Get,
            body: Vec::new(),
            accept: EVENT_STREAM,
            limits: of_stream(),
        };
        let reply = self.send(path, ask).await?;
        // A page that some proxy puts here would be read as a stream in which nothing ever happens.
        if reply.media_type != EVENT_STREAM {
            return Err(misread(&self.url, &asked(Method::Get, path), "no event stream"));
        }
        Ok(reply.body)
    }

    async fn ask<T: DeserializeOwned>(
        &self,
        path: &ApiPath,
        method: Method,
        body: Vec<u8>,
        limits: ExchangeLimits,
    ) -> Result<T, HostError> {
        let mut reply = self.send(path, TargetRequest { method, body, accept: JSON, limits }).await?;
        let text = self.text(&mut reply.body).await?;
        serde_json::from_str(&text).map_err(|error| {
            let why = if reply.media_type == JSON { error.to_string() } else { reply.media_type };
            misread(&self.url, &asked(method, path), &why)
        })
    }

    async fn send(&self, path: &ApiPath, ask: TargetRequest) -> Result<TransportReply, HostError> {
        let method = ask.method;
        let sent = self.transport.ask(&self.target, path.as_str(), ask).await;
        let mut reply = sent.map_err(|failure| unreached(&self.url, &failure))?;
        if (200..300).contains(&reply.status) {
            return Ok(reply);
        }
        // A refusal that breaks off is one all the same.
        let body = reply.body.read_text(REFUSAL_BYTES_MAX).await.unwrap_or_default();
        Err(RefusedRequest {
            url: &self.url,
            asked: &asked(method, path),
            has_token: self.target.key.is_some(),
            status: reply.status,
            retry_after_ms: reply.retry_after_ms,
            body: &self.without_token(&body),
        }
        .error())
    }

    async fn text(&self, body: &mut ReplyBody) -> Result<String, HostError> {
        body.read_text(ANSWER_BYTES_MAX).await.map_err(|failure| unreached(&self.url, &failure))
    }

    /// A server that says the token back does not get it onto a screen.
    fn without_token<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.target.key {
            Some(token) if text.contains(token.expose()) => Cow::Owned(token.redacted(text)),
            Some(_) | None => Cow::Borrowed(text),
        }
    }
}

fn written(body: &impl Serialize) -> Result<Vec<u8>, HostError> {
    serde_json::to_vec(body)
        .map_err(|error| HostError::Broken(format!("a request cannot be written: {error}")))
}

/// What was asked, for people: without the query, which may be long.
fn asked(method: Method, path: &ApiPath) -> String {
    let verb = match method {
        Method::Get => "GET",
        Method::Post => "POST",
        Method::Patch => "PATCH",
        Method::Delete => "DELETE",
    };
    let path = path.as_str();
    format!("{verb} {}", path.split('?').next().unwrap_or(path))
}

//! The HTTP client of the tools; the only file that names it.
//!
//! Owns connections, time limits and size limits. Follows no redirect and uses no proxy: both would reach
//! addresses that nobody checked. Knows no tool and no wire of a back end.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub(crate) use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use serde_json::Value;
use windlass_core::protocol::tool::{ReachLog, ReachedHost, ToolFailure};

use crate::web::net_guard::{GuardFailure, NetGuard};
use windlass_core::text::secret::Secret;

/// A server that has not accepted a connection by then is down.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest silence in the middle of an answer.
const READ_TIMEOUT: Duration = Duration::from_secs(15);
/// Most time for one exchange; the engine's own limit for the call is usually shorter.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(120);

/// What went wrong in an exchange. No text here carries a URL or a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HttpFailure {
    /// The guard refused a connection.
    #[error(transparent)]
    Guard(GuardFailure),
    /// Nobody answered in time.
    #[error("no answer in time")]
    Timeout,
    /// No connection, or it broke.
    #[error("{0}")]
    Connection(String),
    /// The body is larger than allowed.
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
    /// The body is not JSON.
    #[error("the answer is not JSON: {0}")]
    NotJson(String),
    /// The client could not be made.
    #[error("the HTTP client could not start: {0}")]
    Setup(String),
}

impl HttpFailure {
    /// The outcome of a call to `server` that ended so.
    pub(crate) fn of(self, server: &str) -> ToolFailure {
        match self {
            HttpFailure::Guard(failure) => failure.into(),
            HttpFailure::Timeout | HttpFailure::Connection(_) => {
                ToolFailure::io_error(format!("{server} did not answer: {self}"))
                    .hint("The same call may work later.")
            }
            HttpFailure::TooLarge(_) | HttpFailure::NotJson(_) => {
                ToolFailure::io_error(format!("{server} gave an answer that cannot be used: {self}"))
            }
            HttpFailure::Setup(_) => ToolFailure::unavailable(self.to_string()),
        }
    }
}

/// A client. Made on first use: reading the system's certificates takes milliseconds that a run without
/// the network should not pay.
#[derive(Debug)]
pub(crate) struct HttpClient {
    names: NameResolution,
    client: OnceLock<Result<reqwest::Client, String>>,
}

/// Who finds the addresses of a name.
#[derive(Debug, Clone)]
enum NameResolution {
    /// The operating system, unchecked: for servers that the configuration names.
    System,
    /// The guard, unchecked: for hosts on its allow list.
    Allowed(Arc<NetGuard>),
    /// The guard, checking every address.
    Guarded(Arc<NetGuard>),
}

impl HttpClient {
    /// A client for servers that the configuration names.
    pub(crate) fn new() -> Self {
        Self::with(NameResolution::System)
    }

    /// A client for hosts on the guard's allow list.
    pub(crate) fn allowed(guard: Arc<NetGuard>) -> Self {
        Self::with(NameResolution::Allowed(guard))
    }

    /// A client that only connects to addresses the guard has checked. An address that is written out in
    /// the URL needs no lookup, so the guard must have judged the URL before.
    pub(crate) fn guarded(guard: Arc<NetGuard>) -> Self {
        Self::with(NameResolution::Guarded(guard))
    }

    fn with(names: NameResolution) -> Self {
        Self { names, client: OnceLock::new() }
    }

    /// Asks for a page.
    pub(crate) async fn get(
        &self,
        url: &Url,
        accept: &'static str,
        keys: &[(&'static str, Secret)],
        reached: &ReachLog,
    ) -> Result<HttpReply, HttpFailure> {
        let keys: Vec<_> = keys.iter().map(|(name, key)| ((*name).to_owned(), key.clone())).collect();
        self.get_with(url, accept, &keys, reached).await
    }

    /// The same with headers of any name.
    pub(crate) async fn get_with(
        &self,
        url: &Url,
        accept: &'static str,
        headers: &[(String, Secret)],
        reached: &ReachLog,
    ) -> Result<HttpReply, HttpFailure> {
        let client = self.client()?;
        let mut all = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
        all.extend(secret_headers(headers.iter().map(|(name, value)| (name.as_str(), value)))?);
        send(client, client.get(url.clone()).headers(all), reached).await
    }

    /// Sends JSON and asks for JSON.
    pub(crate) async fn post_json(
        &self,
        url: &Url,
        keys: &[(&'static str, Secret)],
        body: &Value,
        reached: &ReachLog,
    ) -> Result<HttpReply, HttpFailure> {
        let client = self.client()?;
        let request = client.post(url.clone()).header(ACCEPT, "application/json");
        send(
            client,
            request.headers(secret_headers(keys.iter().map(|(name, key)| (*name, key)))?).json(body),
            reached,
        )
        .await
    }

    fn client(&self) -> Result<&reqwest::Client, HttpFailure> {
        self.client
            .get_or_init(|| build(&self.names))
            .as_ref()
            .map_err(|reason| HttpFailure::Setup(reason.clone()))
    }
}

/// The head of an answer; the body is read by [`HttpReply::body`] or [`HttpReply::json`].
#[derive(Debug)]
pub(crate) struct HttpReply {
    response: reqwest::Response,
    reached: ReachLog,
}

/// A body, or its beginning.
#[derive(Debug)]
pub(crate) struct HttpBody {
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_cut: bool,
}

impl HttpReply {
    pub(crate) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// What the body is said to be.
    pub(crate) fn content_type(&self) -> Option<&str> {
        self.response.headers().get(CONTENT_TYPE)?.to_str().ok()
    }

    /// Where a redirect leads, as it was written.
    pub(crate) fn location(&self) -> Option<&str> {
        self.response.headers().get(LOCATION)?.to_str().ok()
    }

    /// Reads at most `bytes_max` bytes, counted after decompression: what would come after them is never
    /// read, so a body that unpacks to gigabytes costs no more than this.
    pub(crate) async fn body(mut self, bytes_max: usize) -> Result<HttpBody, HttpFailure> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.response.chunk().await.map_err(failure_of)? {
            self.reached.note(ReachedHost { bytes_in: piece.len() as u64, ..host_of(&self.response) });
            let room = bytes_max.saturating_sub(bytes.len());
            bytes.extend_from_slice(piece.get(..room).unwrap_or(&piece));
            if piece.len() > room {
                return Ok(HttpBody { bytes, is_cut: true });
            }
        }
        Ok(HttpBody { bytes, is_cut: false })
    }

    /// Reads a JSON body.
    pub(crate) async fn json(self, bytes_max: usize) -> Result<Value, HttpFailure> {
        let body = self.body(bytes_max).await?;
        if body.is_cut {
            return Err(HttpFailure::TooLarge(bytes_max));
        }
        serde_json::from_slice(&body.bytes).map_err(|error| HttpFailure::NotJson(error.to_string()))
    }
}

/// The guard as the client's resolver: no connection is made to an address that did not pass here.
struct GuardedNames {
    guard: Arc<NetGuard>,
    is_checking: bool,
}

impl Resolve for GuardedNames {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = Arc::clone(&self.guard);
        let is_checking = self.is_checking;
        Box::pin(async move {
            let found = match is_checking {
                true => guard.addresses(name.as_str()).await?,
                false => guard.look_up(name.as_str()).await?,
            };
            // The client puts in the port of the URL.
            let addresses: Addrs = Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

fn build(names: &NameResolution) -> Result<reqwest::Client, String> {
    // Another part of the process may have installed a provider first, and any will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder =
        || {
            let builder = reqwest::Client::builder()
                .user_agent(concat!("windlass/", env!("CARGO_PKG_VERSION")))
                .redirect(reqwest::redirect::Policy::none())
                .referer(false)
                .no_proxy()
                .connect_timeout(CONNECT_TIMEOUT)
                .read_timeout(READ_TIMEOUT)
                .timeout(TOTAL_TIMEOUT);
            match names {
                NameResolution::System => builder,
                NameResolution::Allowed(guard) => builder
                    .dns_resolver(Arc::new(GuardedNames { guard: Arc::clone(guard), is_checking: false })),
                NameResolution::Guarded(guard) => builder
                    .dns_resolver(Arc::new(GuardedNames { guard: Arc::clone(guard), is_checking: true })),
            }
        };
    // A machine without certificates can still speak plain HTTP; https fails there at the handshake.
    builder()
        .build()
        .or_else(|_| builder().tls_certs_only([]).build())
        .map_err(|error| error.without_url().to_string())
}

fn secret_headers<'a>(keys: impl Iterator<Item = (&'a str, &'a Secret)>) -> Result<HeaderMap, HttpFailure> {
    let mut headers = HeaderMap::new();
    for (name, key) in keys {
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| HttpFailure::Setup(format!("'{name}' is no name of a header")))?;
        let mut value = HeaderValue::from_str(key.expose())
            .map_err(|_| HttpFailure::Setup("the API key has characters that no header can carry".into()))?;
        // Whoever prints the request sees that there is a key, and not which.
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// Sends a request, and notes that it was sent, to whom, and how much of it there was.
async fn send(
    client: &reqwest::Client,
    request: reqwest::RequestBuilder,
    reached: &ReachLog,
) -> Result<HttpReply, HttpFailure> {
    let request = request.build().map_err(failure_of)?;
    let url = request.url().clone();
    let line = request.method().as_str().len() + url.as_str().len();
    let headers: usize =
        request.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    let body = request.body().and_then(|body| body.as_bytes()).map_or(0, <[u8]>::len);
    let sent = ReachedHost { requests: 1, bytes_out: (line + headers + body) as u64, ..nothing_of(&url) };
    match client.execute(request).await {
        Ok(response) => {
            reached.note(ReachedHost { address: address_of(&response), ..sent });
            Ok(HttpReply { response, reached: reached.clone() })
        }
        Err(error) => {
            let failure = failure_of(error);
            // What the guard refused was not connected to.
            if !matches!(failure, HttpFailure::Guard(_)) {
                reached.note(sent);
            }
            Err(failure)
        }
    }
}

/// The host of an address, with nothing sent to it yet.
fn nothing_of(url: &Url) -> ReachedHost {
    let host = url.host_str().unwrap_or_default();
    let host = match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    };
    ReachedHost { host, address: None, requests: 0, bytes_out: 0, bytes_in: 0 }
}

fn host_of(response: &reqwest::Response) -> ReachedHost {
    ReachedHost { address: address_of(response), ..nothing_of(response.url()) }
}

fn address_of(response: &reqwest::Response) -> Option<String> {
    response.remote_addr().map(|address| address.ip().to_string())
}

fn failure_of(error: reqwest::Error) -> HttpFailure {
    let error = error.without_url();
    let mut cause: &(dyn std::error::Error + 'static) = &error;
    // The innermost cause says what happened ("connection refused"); the outer ones only say where.
    while let Some(source) = cause.source() {
        cause = source;
        if let Some(failure) = cause.downcast_ref::<GuardFailure>() {
            return HttpFailure::Guard(failure.clone());
        }
    }
    if error.is_timeout() {
        return HttpFailure::Timeout;
    }
    HttpFailure::Connection(cause.to_string())
}

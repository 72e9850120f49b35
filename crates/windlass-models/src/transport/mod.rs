//! The transport: one request out, the bytes of its answer in, within limits, and in words what went wrong.
//!
//! Owns the way out, certificates, keys and time limits. Follows no redirects, for a redirect would carry
//! the key away. Dropping an answer closes its connection at once. Knows no wire.
//!
//! `address` reads where a request goes, `http1` is the client, `watch` its time limits, `wait` how long a provider asks to wait, `unread` what a
//! provider left unread of a request.

use std::fmt;
use std::future::poll_fn;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use windlass_core::protocol::model::{ModelFailure, ModelFailureKind};
use windlass_core::text::secret::Secret;

use self::address::ServerAddress;
use self::http1::head::ResponseHead;
use self::http1::{
    HeaderFields, Http1Client, HttpBody, HttpExchange, HttpFault, HttpRequest, Proxies, RequestEnvelope,
    TrustRoots,
};
use self::watch::{Alarms, ExchangeWatch};
use crate::failure::{malformed, redact, shown_url};
use crate::limits::ExchangeLimits;
use crate::target::{AuthForm, ModelTarget};

pub(crate) mod address;
pub mod http1;
pub(crate) mod unread;
pub mod wait;
mod watch;

pub use self::http1::Method;

#[derive(Debug, Clone)]
pub struct TransportConfig {
    pub limits: ExchangeLimits,
    /// Certificates of authorities that are trusted beside those of the system, as PEM.
    pub ca_pem: Option<Vec<u8>>,
    /// Whether the proxy of the environment is used (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`);
    /// never for this machine itself. Without the feature `proxy` there is none.
    pub uses_proxy: bool,
    /// A proxy for everything, this machine included, instead of the environment's.
    pub proxy: Option<ProxyRoute>,
}

/// A proxy that was asked for.
#[derive(Debug, Clone)]
pub struct ProxyRoute {
    /// Its address, perhaps with a password.
    pub url: Secret,
    /// Hosts that are reached without it, in the form of `NO_PROXY`.
    pub bypass: Option<String>,
}

impl Default for TransportConfig {
    fn default() -> Self {
        Self { limits: ExchangeLimits::default(), ca_pem: None, uses_proxy: true, proxy: None }
    }
}

/// The ways out. Each has connections of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TransportRoute {
    /// No certificates, no proxy.
    Plain,
    Direct,
    /// Certificates and a proxy, if there is one for the host.
    Proxied,
}

/// Sends requests; keeps connections open between them.
#[derive(Debug, Default)]
pub struct Transport {
    config: TransportConfig,
    /// Certificates take milliseconds to load.
    trust: OnceLock<Result<TrustRoots, String>>,
    plain: OnceLock<Result<Http1Client, String>>,
    direct: OnceLock<Result<Http1Client, String>>,
    proxied: OnceLock<Result<Http1Client, String>>,
    alarms: Arc<Alarms>,
    /// The last address that was written: a run asks the same one at every step.
    address: Mutex<Option<Arc<Address>>>,
}

/// An address that requests can be sent to, and what it was made of.
struct Address {
    base_url: String,
    path: String,
    accept: &'static str,
    method: Method,
    auth: AuthForm,
    key: Option<Secret>,
    headers: Vec<(String, String)>,
    route: TransportRoute,
    envelope: RequestEnvelope,
}

impl Address {
    fn is_of(&self, target: &ModelTarget, path: &str, accept: &str, method: Method) -> bool {
        self.base_url == target.base_url
            && self.path == path
            && self.accept == accept
            && self.method == method
            && self.auth == target.auth
            && self.key == target.key
            && self.headers == target.headers
    }
}

/// Headers and keys are not shown.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base_url = shown_url(&self.base_url);
        f.debug_struct("Address")
            .field("base_url", &base_url)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// What is asked of a target.
#[derive(Debug, Clone)]
pub struct TargetRequest {
    /// What is done with the address.
    pub method: Method,
    /// JSON; goes along with methods that have a body.
    pub body: Vec<u8>,
    /// The media type that is hoped for.
    pub accept: &'static str,
    /// Limits of this exchange; a connection is waited for as long as the transport's own say.
    pub limits: ExchangeLimits,
}

/// The beginning of an answer.
#[derive(Debug)]
pub struct TransportReply {
    pub status: u16,
    /// How long the provider asks us to wait.
    pub retry_after_ms: Option<u64>,
    /// The media type in lower case, without parameters; empty if there is none.
    pub media_type: String,
    pub body: ReplyBody,
}

impl Transport {
    pub fn new(config: TransportConfig) -> Self {
        Self { config, ..Self::default() }
    }

    /// Posts a JSON body to the target; `accept` is the media type that is hoped for.
    pub async fn post(
        &self,
        target: &ModelTarget,
        path: &str,
        body: Vec<u8>,
        accept: &'static str,
    ) -> Result<TransportReply, ModelFailure> {
        let limits = self.config.limits.clone();
        self.ask(target, path, TargetRequest { method: Method::Post, body, accept, limits }).await
    }

    /// Gets something of the target: lists of models, the state of a server.
    pub async fn get(&self, target: &ModelTarget, path: &str) -> Result<TransportReply, ModelFailure> {
        let (accept, limits) = ("application/json", self.config.limits.clone());
        self.ask(target, path, TargetRequest { method: Method::Get, body: Vec::new(), accept, limits }).await
    }

    /// Asks anything of the target, within limits of its own.
    pub async fn ask(
        &self,
        target: &ModelTarget,
        path: &str,
        ask: TargetRequest,
    ) -> Result<TransportReply, ModelFailure> {
        let (opening, body) = self.ask_looking(target, path, ask, ReplyHead::of).await?;
        let ReplyHead { status, retry_after_ms, media_type } = opening;
        tracing::debug!(provider = %target.provider, status, media_type, "answer begins");
        Ok(TransportReply { status, retry_after_ms, media_type, body })
    }

    /// The same for somebody who wants to see something else of the head.
    pub(crate) async fn ask_looking<T>(
        &self,
        target: &ModelTarget,
        path: &str,
        ask: TargetRequest,
        look: fn(&ResponseHead<'_>) -> T,
    ) -> Result<(T, ReplyBody), ModelFailure> {
        let TargetRequest { method, body, accept, limits } = ask;
        let mut exchange = self.begin(target, path, method, body, accept)?;
        let mut watch = ExchangeWatch::new(limits, target, &self.alarms);
        let answered = poll_fn(|cx| match exchange.poll(cx, look) {
            // Asked before the watch: an answer that is there wins over a limit that has just passed.
            Poll::Ready(answered) => Poll::Ready(Ok(answered)),
            Poll::Pending => watch.poll(cx).map(Err),
        });
        let (seen, body) = answered.await?.map_err(|fault| self.unanswered(target, fault))?;
        Ok((seen, ReplyBody { source: Some(body), watch, bytes: 0 }))
    }

    fn begin(
        &self,
        target: &ModelTarget,
        path: &str,
        method: Method,
        body: Vec<u8>,
        accept: &'static str,
    ) -> Result<HttpExchange, ModelFailure> {
        let address = self.address(target, path, accept, method)?;
        let client = self.client(address.route).map_err(|why| unusable(target, why))?;
        // Bytes that no length announces would be read as the next request.
        let body = if method.has_body() { body } else { Vec::new() };
        Ok(client.begin(&address.envelope, body))
    }

    fn address(
        &self,
        target: &ModelTarget,
        path: &str,
        accept: &'static str,
        method: Method,
    ) -> Result<Arc<Address>, ModelFailure> {
        let mut last = self.address.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(address) = last.as_ref().filter(|last| last.is_of(target, path, accept, method)) {
            return Ok(Arc::clone(address));
        }
        let url = url_of(target, path)?;
        let route = route_of(&self.config, &url);
        let key = key(target);
        let fields = fields(target, accept, method.has_body(), key.as_ref())?;
        let client = self.client(route).map_err(|why| unusable(target, why))?;
        let trust = || {
            let ca_pem = self.config.ca_pem.as_deref();
            self.trust.get_or_init(|| TrustRoots::load(ca_pem)).clone()
        };
        let connect_timeout = Duration::from_millis(self.config.limits.connect_timeout_ms);
        let addressed = client.address(&HttpRequest { url, fields, method }, trust, connect_timeout);
        let envelope = addressed.map_err(|fault| self.unanswered(target, fault))?;
        let address = Arc::new(Address {
            base_url: target.base_url.clone(),
            path: path.to_owned(),
            accept,
            method,
            auth: target.auth.clone(),
            key: target.key.clone(),
            headers: target.headers.clone(),
            route,
            envelope,
        });
        *last = Some(Arc::clone(&address));
        Ok(address)
    }

    fn client(&self, route: TransportRoute) -> Result<&Http1Client, &str> {
        let client = match route {
            TransportRoute::Plain => &self.plain,
            TransportRoute::Direct => &self.direct,
            TransportRoute::Proxied => &self.proxied,
        };
        client.get_or_init(|| open(&self.config, route)).as_ref().map_err(String::as_str)
    }

    /// A request that got no answer.
    fn unanswered(&self, target: &ModelTarget, fault: HttpFault) -> ModelFailure {
        let place = shown_url(&target.base_url);
        let detail = redact(target, &fault.to_string()).into_owned();
        let mut failure = match &fault {
            HttpFault::Unusable(why) => return unusable(target, why),
            HttpFault::Malformed(why, piece) => return malformed(target, piece, why),
            HttpFault::Timeout => {
                let limit_ms = self.config.limits.connect_timeout_ms;
                return ModelFailure::passing(
                    ModelFailureKind::Timeout,
                    format!(
                        "{place} did not accept a connection within {limit_ms} ms (connect_timeout_ms); check that \
                         the server runs and that base_url is right"
                    ),
                );
            }
            // Asking again would find the same certificate.
            HttpFault::Untrusted(_) => ModelFailure::fatal(
                ModelFailureKind::Network,
                format!(
                    "the certificate of {place} is not trusted ({detail}); add its authority to the system, to \
                     SSL_CERT_FILE or to ca_file"
                ),
            ),
            HttpFault::Unreachable(_) => ModelFailure::passing(
                ModelFailureKind::Network,
                format!(
                    "no connection to {place} ({detail}); check that the server runs and that base_url is right"
                ),
            ),
            HttpFault::Closed(_) => ModelFailure::passing(
                ModelFailureKind::Network,
                format!("{place} closed the connection without an answer ({detail})"),
            ),
        };
        failure.detail = Some(detail);
        failure
    }
}

/// What is kept of the head of an answer.
struct ReplyHead {
    status: u16,
    retry_after_ms: Option<u64>,
    media_type: String,
}

impl ReplyHead {
    fn of(head: &ResponseHead<'_>) -> Self {
        // A success has headers about limits too, and they ask nobody to wait.
        let retry_after_ms = if (200..300).contains(&head.status) {
            None
        } else {
            let now_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
            wait::of_headers(|name| head.field(name), u64::try_from(now_ms).unwrap_or(u64::MAX))
        };
        let media_type = head.field("content-type").and_then(|value| value.split(';').next());
        let media_type = media_type.unwrap_or_default().trim().to_ascii_lowercase();
        Self { status: head.status, retry_after_ms, media_type }
    }
}

/// Bytes of an answer as they come.
pub struct ReplyBody {
    /// Dropped as soon as the answer has ended or failed.
    source: Option<HttpBody>,
    watch: ExchangeWatch,
    bytes: u64,
}

impl ReplyBody {
    /// Hands the next piece to `sink`; `None` when the answer has ended in an orderly way.
    pub fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Poll<Option<Result<(), ModelFailure>>> {
        let Some(source) = self.source.as_mut() else { return Poll::Ready(None) };
        let mut bytes = 0;
        let read = source.poll_piece(cx, &mut |piece| {
            bytes = piece.len();
            sink(piece);
        });
        let failure = match read {
            Poll::Pending => ready!(self.watch.poll(cx)),
            Poll::Ready(None) => {
                self.source = None;
                return Poll::Ready(None);
            }
            Poll::Ready(Some(Err(error))) => self.watch.cut(&error),
            Poll::Ready(Some(Ok(()))) => {
                self.bytes = self.bytes.saturating_add(bytes as u64);
                match self.watch.hear(self.bytes) {
                    Err(failure) => failure,
                    Ok(()) => return Poll::Ready(Some(Ok(()))),
                }
            }
        };
        self.source = None;
        Poll::Ready(Some(Err(failure)))
    }

    /// Reads what is left after the last word, so that the connection can be used again; ready when there is
    /// no more, or when it was waited for long enough.
    pub(crate) fn poll_drain(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            match self.poll_read(cx, &mut |_| {}) {
                Poll::Ready(Some(Ok(()))) => {}
                Poll::Ready(Some(Err(_)) | None) => return Poll::Ready(()),
                Poll::Pending => return self.watch.poll_drain(cx),
            }
        }
    }

    /// Reads at most `bytes_max` bytes of what is left, as text.
    pub async fn read_text(&mut self, bytes_max: usize) -> Result<String, ModelFailure> {
        let mut text: Vec<u8> = Vec::new();
        while text.len() < bytes_max {
            match poll_fn(|cx| self.poll_read(cx, &mut |piece| text.extend_from_slice(piece))).await {
                Some(read) => read?,
                None => break,
            }
        }
        text.truncate(bytes_max);
        Ok(String::from_utf8(text)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    /// Closes the connection, if the answer has not ended.
    pub fn close(&mut self) {
        self.source = None;
    }
}

impl fmt::Debug for ReplyBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyBody").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// The path goes before a query of the base URL, as Azure's API version needs it; a query of its own follows that.
fn url_of(target: &ModelTarget, path: &str) -> Result<ServerAddress, ModelFailure> {
    let (base, base_query) = parted(&target.base_url);
    let (path, path_query) = parted(path);
    if target.base_url.contains('#') {
        let shown = shown_url(&target.base_url);
        let why = format!("base_url '{shown}' goes on with '#', which no server sees; take that part out");
        return Err(unusable(target, &why));
    }
    // A download has no path of its own, and the last slash of its address belongs to it.
    let base = if path.starts_with('/') { base.trim_end_matches('/') } else { base };
    let mut text = [base, path].concat();
    for query in [base_query, path_query].into_iter().flatten() {
        text.push(if text.contains('?') { '&' } else { '?' });
        text.push_str(query);
    }
    ServerAddress::parse(&text).ok_or_else(|| {
        let shown = shown_url(&target.base_url);
        unusable(target, &format!("'{shown}' is no http or https address"))
    })
}

fn parted(url: &str) -> (&str, Option<&str>) {
    url.split_once('?').map_or((url, None), |(place, query)| (place, Some(query)))
}

fn route_of(config: &TransportConfig, url: &ServerAddress) -> TransportRoute {
    // Local model servers are the usual case, and no proxy knows them.
    let is_proxied = config.proxy.is_some() || (config.uses_proxy && !is_loopback(url));
    match (is_proxied, url.is_safe()) {
        (true, _) => TransportRoute::Proxied,
        (false, false) => TransportRoute::Plain,
        (false, true) => TransportRoute::Direct,
    }
}

pub(crate) fn is_loopback(url: &ServerAddress) -> bool {
    let host = url.host();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    address.map_or(host == "localhost" || host.ends_with(".localhost"), |address| address.is_loopback())
}

fn open(config: &TransportConfig, route: TransportRoute) -> Result<Http1Client, String> {
    let proxies = match (route, &config.proxy) {
        (TransportRoute::Plain | TransportRoute::Direct, _) => None,
        (TransportRoute::Proxied, None) => Proxies::of_environment(),
        (TransportRoute::Proxied, Some(asked)) => {
            let proxies = Proxies::all(asked.url.expose(), asked.bypass.as_deref());
            Some(proxies.map_err(|why| format!("the proxy '{}' {why}", shown_url(asked.url.expose())))?)
        }
    };
    Ok(Http1Client::new(proxies))
}

/// The value of the header that carries the key.
fn key(target: &ModelTarget) -> Option<Secret> {
    let key = target.key.as_ref()?;
    match &target.auth {
        AuthForm::Bearer => Some(key.bearer()),
        AuthForm::Header(_) => Some(key.clone()),
        AuthForm::Open => None,
    }
}

fn fields<'a>(
    target: &'a ModelTarget,
    accept: &'static str,
    has_body: bool,
    key: Option<&'a Secret>,
) -> Result<HeaderFields<'a>, ModelFailure> {
    let own = [
        ("user-agent", concat!("windlass/", env!("CARGO_PKG_VERSION"))),
        ("accept", accept),
        // A compressed stream comes in gulps.
        ("accept-encoding", "identity"),
    ];
    let content_type = has_body.then_some(("content-type", "application/json"));
    let others = target.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut fields = HeaderFields::default();
    // A later header replaces an earlier one: the user's win over ours, and the key below over both.
    for (name, value) in own.into_iter().chain(content_type).chain(others) {
        let set = fields.set(name, value);
        set.map_err(|_| unusable(target, &format!("'{name}' is no usable header")))?;
    }
    let name = match &target.auth {
        AuthForm::Header(name) => name.as_str(),
        AuthForm::Bearer | AuthForm::Open => "authorization",
    };
    if let Some(key) = key {
        fields.set(name, key.expose()).map_err(|_| {
            let provider = &target.provider;
            let why = "has characters that no header can carry";
            ModelFailure::fatal(
                ModelFailureKind::Auth,
                format!("the key of {provider} {why}; check the key of {provider}"),
            )
        })?;
    }
    Ok(fields)
}

fn unusable(target: &ModelTarget, why: &str) -> ModelFailure {
    let why = redact(target, why);
    ModelFailure::fatal(
        ModelFailureKind::BadRequest,
        format!("{} cannot be asked: {why}; check its configuration", target.provider),
    )
}

#[cfg(test)]
#[path = "transport_tests.rs"]
mod tests;

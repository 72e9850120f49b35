//! The transport: one request out, the bytes of its answer in, within limits. Alone here speaks HTTP.
//!
//! Owns connections, certificates, proxies and time limits. Follows no redirects, for a redirect would
//! carry the key away. Dropping an answer closes its connection at once. Knows no wire.

use std::error::Error as _;
use std::fmt::Write as _;
use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_core::Stream;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Client, ClientBuilder, NoProxy, Proxy, Request, Response, Url};
use windlass_core::model::ModelFailure;
use windlass_core::secret::Secret;

use crate::failure::{redact, shown_url};
use crate::limits::{ANSWER_BYTES_MAX, ExchangeLimits};
use crate::target::{AuthForm, Target};
use crate::wait;
use crate::watch::Watch;

/// How requests travel.
#[derive(Debug, Clone)]
pub struct TransportConfig {
    /// Time limits.
    pub limits: ExchangeLimits,
    /// Certificates of authorities that are trusted beside those of the system, as PEM.
    pub ca_pem: Option<Vec<u8>>,
    /// Whether the proxy of the environment is used (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`);
    /// never for this machine itself.
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

/// The ways out. Certificates take milliseconds to load, so each way is opened when it is first needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    /// No certificates, no proxy.
    Plain,
    /// Certificates, no proxy.
    Direct,
    /// Certificates and a proxy, if there is one for the host.
    Proxied,
}

/// Sends requests; keeps connections open between them.
#[derive(Debug, Default)]
pub struct Transport {
    config: TransportConfig,
    plain: OnceLock<Result<Client, String>>,
    direct: OnceLock<Result<Client, String>>,
    proxied: OnceLock<Result<Client, String>>,
}

/// The beginning of an answer.
#[derive(Debug)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// How long the provider asks us to wait.
    pub retry_after_ms: Option<u64>,
    /// The media type in lower case, without parameters; empty if there is none.
    pub media_type: String,
    /// The rest.
    pub body: ReplyBody,
}

impl Transport {
    /// Opens nothing yet.
    pub fn new(config: TransportConfig) -> Self {
        Self { config, ..Self::default() }
    }

    /// Posts a JSON body to the target; `accept` is the media type that is hoped for.
    pub async fn post(
        &self,
        target: &Target,
        path: &str,
        body: Vec<u8>,
        accept: &'static str,
    ) -> Result<Reply, ModelFailure> {
        let (client, url) = self.route(target, path)?;
        let request = client.post(url).headers(headers(target, accept)?).body(body);
        self.send(target, client, request.header(CONTENT_TYPE, "application/json").build()).await
    }

    /// Gets something of the target: lists of models, the state of a server.
    pub async fn get(&self, target: &Target, path: &str) -> Result<Reply, ModelFailure> {
        let (client, url) = self.route(target, path)?;
        self.send(target, client, client.get(url).headers(headers(target, "application/json")?).build()).await
    }

    async fn send(
        &self,
        target: &Target,
        client: &Client,
        request: Result<Request, reqwest::Error>,
    ) -> Result<Reply, ModelFailure> {
        let request = request.map_err(|error| unusable(target, &error.without_url().to_string()))?;
        let mut watch = Watch::new(self.config.limits.clone(), target);
        let mut sending = std::pin::pin!(client.execute(request));
        let sent = poll_fn(|cx| match sending.as_mut().poll(cx) {
            Poll::Ready(sent) => Poll::Ready(Ok(sent)),
            Poll::Pending => watch.poll(cx).map(Err),
        });
        match sent.await? {
            Ok(response) => Ok(reply(target, response, watch)),
            Err(error) => Err(self.unsent(target, error)),
        }
    }

    fn route(&self, target: &Target, path: &str) -> Result<(&Client, Url), ModelFailure> {
        let url = Url::parse(&[target.base_url.as_str(), path].concat());
        let url = url.ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let Some(url) = url else {
            let shown = shown_url(&target.base_url);
            return Err(unusable(target, &format!("'{shown}' is no http or https address")));
        };
        let route = route_of(&self.config, &url);
        let client = match route {
            Route::Plain => &self.plain,
            Route::Direct => &self.direct,
            Route::Proxied => &self.proxied,
        };
        match client.get_or_init(|| open(&self.config, route)) {
            Ok(client) => Ok((client, url)),
            Err(why) => Err(unusable(target, why)),
        }
    }

    /// A request that got no answer.
    fn unsent(&self, target: &Target, error: reqwest::Error) -> ModelFailure {
        let error = error.without_url();
        let place = shown_url(&target.base_url);
        let causes = causes(target, &error);
        if error.is_connect() && error.is_timeout() {
            let limit_ms = self.config.limits.connect_timeout_ms;
            return ModelFailure::passing(
                "timeout",
                format!(
                    "{place} did not accept a connection within {limit_ms} ms (connect_timeout_ms); check that the \
                     server runs and that base_url is right"
                ),
            );
        }
        let cause = causes.last().map_or("no cause was given", String::as_str);
        let mut failure = if causes.iter().any(|cause| cause.contains("peer certificate")) {
            ModelFailure::fatal(
                "network",
                format!(
                    "the certificate of {place} is not trusted ({cause}); add its authority to the system, to \
                     SSL_CERT_FILE or to ca_file"
                ),
            )
        } else if error.is_connect() {
            ModelFailure::passing(
                "network",
                format!(
                    "no connection to {place} ({cause}); check that the server runs and that base_url is right"
                ),
            )
        } else {
            ModelFailure::passing(
                "network",
                format!("{place} closed the connection without an answer ({cause})"),
            )
        };
        failure.detail = Some(causes.join(": "));
        failure
    }
}

/// Bytes of an answer as they come.
pub struct ReplyBody {
    /// Dropped as soon as the answer has ended or failed.
    source: Option<Pin<Box<dyn Source>>>,
    watch: Watch,
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
        let read = source.as_mut().poll_piece(cx, &mut |piece| {
            bytes = piece.len();
            sink(piece);
        });
        let failure = match read {
            Poll::Pending => ready!(self.watch.poll(cx)),
            Poll::Ready(None) => {
                self.source = None;
                return Poll::Ready(None);
            }
            Poll::Ready(Some(Err(error))) => self.watch.cut(&error.without_url()),
            Poll::Ready(Some(Ok(()))) => {
                self.bytes = self.bytes.saturating_add(bytes as u64);
                match self.watch.hear() {
                    Err(failure) => failure,
                    Ok(()) if self.bytes > ANSWER_BYTES_MAX => self.watch.endless(),
                    Ok(()) => return Poll::Ready(Some(Ok(()))),
                }
            }
        };
        self.source = None;
        Poll::Ready(Some(Err(failure)))
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

impl std::fmt::Debug for ReplyBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReplyBody").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// A stream of pieces, whatever type holds their bytes.
trait Source: Send {
    fn poll_piece(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Poll<Option<Result<(), reqwest::Error>>>;
}

impl<S, B> Source for S
where
    S: Stream<Item = Result<B, reqwest::Error>> + Send,
    B: AsRef<[u8]>,
{
    fn poll_piece(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Poll<Option<Result<(), reqwest::Error>>> {
        self.poll_next(cx).map(|item| item.map(|piece| piece.map(|piece| sink(piece.as_ref()))))
    }
}

fn reply(target: &Target, response: Response, watch: Watch) -> Reply {
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
    let now_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
    let status = response.status();
    let retry_after_ms = if status.is_success() {
        None
    } else {
        wait::of_headers(header, u64::try_from(now_ms).unwrap_or(u64::MAX))
    };
    let media_type = header("content-type").and_then(|value| value.split(';').next()).unwrap_or_default();
    tracing::debug!(provider = %target.provider, status = status.as_u16(), media_type, "answer begins");
    Reply {
        status: status.as_u16(),
        retry_after_ms,
        media_type: media_type.trim().to_ascii_lowercase(),
        body: ReplyBody { source: Some(Box::pin(response.bytes_stream())), watch, bytes: 0 },
    }
}

fn route_of(config: &TransportConfig, url: &Url) -> Route {
    // Local model servers are the usual case, and no proxy knows them.
    let is_proxied = config.proxy.is_some() || (config.uses_proxy && !is_loopback(url));
    match (is_proxied, url.scheme()) {
        (true, _) => Route::Proxied,
        (false, "http") => Route::Plain,
        (false, _) => Route::Direct,
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    address.map_or(host == "localhost" || host.ends_with(".localhost"), |address| address.is_loopback())
}

fn open(config: &TransportConfig, route: Route) -> Result<Client, String> {
    // Another part of the process may have installed a provider first, and any will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .user_agent(concat!("windlass/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .tcp_nodelay(true)
        // A compressed stream comes in gulps.
        .no_gzip()
        .connect_timeout(Duration::from_millis(config.limits.connect_timeout_ms));
    let builder = match route {
        Route::Plain => builder.no_proxy().tls_certs_only([]),
        Route::Direct => with_authorities(builder.no_proxy(), config)?,
        Route::Proxied => with_proxy(with_authorities(builder, config)?, config)?,
    };
    builder.build().map_err(|error| {
        let mut text = error.to_string();
        if let Some(cause) = error.source() {
            let _ = write!(text, ": {cause}");
        }
        text
    })
}

fn with_authorities(builder: ClientBuilder, config: &TransportConfig) -> Result<ClientBuilder, String> {
    let Some(pem) = &config.ca_pem else { return Ok(builder) };
    let authorities = Certificate::from_pem_bundle(pem).unwrap_or_default();
    if authorities.is_empty() {
        return Err("ca_file has no certificate in PEM form".to_owned());
    }
    Ok(builder.tls_certs_merge(authorities))
}

fn with_proxy(builder: ClientBuilder, config: &TransportConfig) -> Result<ClientBuilder, String> {
    let Some(route) = &config.proxy else { return Ok(builder) };
    let proxy = Proxy::all(route.url.expose())
        .map_err(|_| format!("the proxy '{}' has no usable address", shown_url(route.url.expose())))?;
    Ok(builder.proxy(proxy.no_proxy(route.bypass.as_deref().and_then(NoProxy::from_string))))
}

fn headers(target: &Target, accept: &'static str) -> Result<HeaderMap, ModelFailure> {
    let mut headers = HeaderMap::with_capacity(target.headers.len().saturating_add(6));
    headers.insert(ACCEPT, HeaderValue::from_static(accept));
    for (name, value) in &target.headers {
        let pair = name.parse::<HeaderName>().ok().zip(HeaderValue::from_str(value).ok());
        let (name, value) = pair.ok_or_else(|| unusable(target, &format!("'{name}' is no usable header")))?;
        headers.insert(name, value);
    }
    let Some(key) = &target.key else { return Ok(headers) };
    let (name, key) = match &target.auth {
        AuthForm::Bearer => (Some(AUTHORIZATION), key.bearer()),
        AuthForm::Header(name) => (name.parse::<HeaderName>().ok(), key.clone()),
        AuthForm::Open => return Ok(headers),
    };
    let Some((name, mut value)) = name.zip(HeaderValue::from_str(key.expose()).ok()) else {
        let provider = &target.provider;
        return Err(ModelFailure::fatal(
            "auth",
            format!(
                "the key of {provider} has characters that no header can carry; check the key of {provider}"
            ),
        ));
    };
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(headers)
}

fn unusable(target: &Target, why: &str) -> ModelFailure {
    let why = redact(target, why);
    ModelFailure::fatal(
        "bad_request",
        format!("{} cannot be asked: {why}; check its configuration", target.provider),
    )
}

/// What happened, from the outermost to the innermost cause, without secrets.
fn causes(target: &Target, error: &reqwest::Error) -> Vec<String> {
    let mut texts = Vec::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        texts.push(redact(target, &error.to_string()).into_owned());
        cause = error.source();
    }
    texts
}

#[cfg(test)]
#[path = "transport_tests.rs"]
mod tests;

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::*;
use crate::loopback::*;

const CA: &[u8] = include_bytes!("../../../../fixtures/tls/ca.pem");
const CERTIFICATE: &[u8] = include_bytes!("../../../../fixtures/tls/server.pem");
const CERTIFICATE_KEY: &[u8] = include_bytes!("../../../../fixtures/tls/server.key.pem");

fn with(config: impl FnOnce(&mut TransportConfig)) -> Transport {
    let mut own = TransportConfig { limits: limits(), ..TransportConfig::default() };
    config(&mut own);
    Transport::new(own)
}

async fn post(transport: &Transport, url: &str) -> Result<String, ModelFailure> {
    let mut reply = transport.post(&target(url), "/x", b"{}".to_vec(), "application/json").await?;
    reply.body.read_text(1_000).await
}

fn acceptor() -> TlsAcceptor {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE).unwrap();
    let key = PrivateKeyDer::from_pem_slice(CERTIFICATE_KEY).unwrap();
    let config = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate], key);
    TlsAcceptor::from(Arc::new(config.unwrap()))
}

async fn serve_tls() -> String {
    let acceptor = acceptor();
    let (url, _) = serve(move |socket| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(mut socket) = acceptor.accept(socket).await else { return };
            read_request(&mut socket).await;
            say(&mut socket, &whole("200 OK", "text/plain", "safe")).await;
            let _ = socket.shutdown().await;
        }
    })
    .await;
    url.replace("http://", "https://")
}

#[tokio::test]
async fn an_authority_of_ones_own_is_trusted_beside_those_of_the_system() {
    let url = serve_tls().await;
    let trusting = with(|config| config.ca_pem = Some(CA.to_vec()));
    assert_eq!(post(&trusting, &url).await.unwrap(), "safe");
    let by_name = url.replace("127.0.0.1", "localhost");
    assert_eq!(post(&trusting, &by_name).await.unwrap(), "safe");
}

#[tokio::test]
async fn a_safe_connection_carries_many_requests_too() {
    let acceptor = acceptor();
    let (url, _) = serve(move |socket| {
        let acceptor = acceptor.clone();
        async move {
            let mut socket = acceptor.accept(socket).await.unwrap();
            for count in 1..4 {
                read_request(&mut socket).await;
                say(&mut socket, &whole("200 OK", "text/plain", &format!("answer {count}"))).await;
            }
        }
    })
    .await;
    let trusting = with(|config| config.ca_pem = Some(CA.to_vec()));
    let url = url.replace("http://", "https://");
    for count in 1..4 {
        assert_eq!(post(&trusting, &url).await.unwrap(), format!("answer {count}"));
    }
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_is_refused_with_the_way_out() {
    let failure = post(&with(|_| ()), &serve_tls().await).await.unwrap_err();
    assert_eq!((failure.kind.word(), failure.is_retryable), ("network", false), "{failure:?}");
    for word in ["certificate", "SSL_CERT_FILE", "ca_file"] {
        assert!(failure.message.contains(word), "{failure}");
    }
}

#[tokio::test]
async fn an_authority_that_is_no_certificate_is_told() {
    let transport = with(|config| config.ca_pem = Some(b"nonsense".to_vec()));
    let failure = post(&transport, "https://localhost:1").await.unwrap_err();
    assert!(failure.message.contains("ca_file") && !failure.is_retryable, "{failure}");
}

#[tokio::test]
async fn plain_http_on_this_machine_needs_neither_certificates_nor_a_proxy() {
    let url = serve_text(whole("200 OK", "text/plain", "here")).await;
    let transport = with(|config| config.ca_pem = Some(b"nonsense that is never read".to_vec()));
    assert_eq!(post(&transport, &url).await.unwrap(), "here");
    assert!(
        transport.plain.get().is_some()
            && transport.direct.get().is_none()
            && transport.proxied.get().is_none()
    );
}

#[test]
fn each_address_has_its_way_out() {
    let route = |config: &TransportConfig, url: &str| route_of(config, &ServerAddress::parse(url).unwrap());
    let system = TransportConfig::default();
    for url in ["http://localhost:1", "http://127.8.8.8", "http://[::1]:2", "http://x.localhost"] {
        assert_eq!(route(&system, url), TransportRoute::Plain, "{url}");
    }
    assert_eq!(route(&system, "https://localhost"), TransportRoute::Direct);
    assert_eq!(route(&system, "http://10.0.0.1"), TransportRoute::Proxied);
    assert_eq!(route(&system, "https://localhost.example.com"), TransportRoute::Proxied);
    let direct = TransportConfig { uses_proxy: false, ..TransportConfig::default() };
    assert_eq!(route(&direct, "http://10.0.0.1"), TransportRoute::Plain);
    assert_eq!(route(&direct, "https://10.0.0.1"), TransportRoute::Direct);
    let asked = ProxyRoute { url: "http://proxy:3128".into(), bypass: None };
    let asked = TransportConfig { proxy: Some(asked), ..TransportConfig::default() };
    assert_eq!(route(&asked, "http://localhost"), TransportRoute::Proxied);
}

/// A proxy that tells the first line it was asked with, and answers itself or tunnels.
async fn serve_proxy() -> (String, oneshot::Receiver<String>) {
    let (asked, was_asked) = oneshot::channel();
    let mut asked = Some(asked);
    let (url, _) = serve(move |mut socket| {
        let asked = asked.take();
        async move {
            let request = read_request(&mut socket).await;
            let line = request.lines().next().unwrap_or_default().to_owned();
            if let Some(asked) = asked {
                asked.send(line.clone()).unwrap();
            }
            let Some(host) = line.strip_prefix("CONNECT ").and_then(|rest| rest.split(' ').next()) else {
                return say(&mut socket, &whole("200 OK", "text/plain", "by proxy")).await;
            };
            let mut there = TcpStream::connect(host).await.unwrap();
            say(&mut socket, "HTTP/1.1 200 OK\r\n\r\n").await;
            let _ = tokio::io::copy_bidirectional(&mut socket, &mut there).await;
        }
    })
    .await;
    (url, was_asked)
}

#[tokio::test]
async fn a_proxy_is_asked_for_plain_http_with_the_whole_address() {
    let (url, was_asked) = serve_proxy().await;
    let transport = with(|config| config.proxy = Some(ProxyRoute { url: url.as_str().into(), bypass: None }));
    assert_eq!(post(&transport, "http://models.test:8080/v1").await.unwrap(), "by proxy");
    assert_eq!(was_asked.await.unwrap(), "POST http://models.test:8080/v1/x HTTP/1.1");
}

#[tokio::test]
async fn a_proxy_is_a_tunnel_for_https() {
    let (url, was_asked) = serve_proxy().await;
    let transport = with(|config| {
        config.proxy = Some(ProxyRoute { url: url.as_str().into(), bypass: None });
        config.ca_pem = Some(CA.to_vec());
    });
    let there = serve_tls().await;
    assert_eq!(post(&transport, &there).await.unwrap(), "safe");
    let host = there.trim_start_matches("https://");
    assert_eq!(was_asked.await.unwrap(), format!("CONNECT {host} HTTP/1.1"));
}

#[tokio::test]
async fn hosts_that_are_to_be_reached_without_the_proxy_are() {
    let url = serve_text(whole("200 OK", "text/plain", "here")).await;
    let route =
        ProxyRoute { url: "http://127.0.0.1:1".into(), bypass: Some("models.test, 127.0.0.1".into()) };
    let transport = with(|config| config.proxy = Some(route));
    assert_eq!(post(&transport, &url).await.unwrap(), "here");
}

#[tokio::test]
async fn the_password_of_a_proxy_is_never_shown() {
    let route = ProxyRoute { url: "http://me:hunter22@127.0.0.1:1".into(), bypass: None };
    let transport = with(|config| config.proxy = Some(route));
    let failure = post(&transport, "http://models.test").await.unwrap_err();
    let wrong = ProxyRoute { url: "http://me:hunter22@:::".into(), bypass: None };
    let unusable = post(&with(|config| config.proxy = Some(wrong)), "http://models.test").await.unwrap_err();
    let shown = format!("{transport:?} {failure:?} {unusable:?}");
    assert!(!shown.contains("hunter22"), "{shown}");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let answer =
        "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/steal\r\ncontent-length: 0\r\n\r\n";
    let url = serve_text(answer).await;
    let reply = with(|_| ()).post(&target(&url), "/x", Vec::new(), "*/*").await.unwrap();
    assert_eq!(reply.status, 307);
}

#[tokio::test]
async fn an_address_that_is_none_is_told_without_its_secrets() {
    for url in ["nonsense", "ftp://host", "https://u:hunter22@[bad"] {
        let failure = post(&with(|_| ()), url).await.unwrap_err();
        assert_eq!((failure.kind.word(), failure.is_retryable), ("bad_request", false), "{url}");
        assert!(!failure.message.contains("hunter22"), "{failure}");
    }
}

#[tokio::test]
async fn a_key_that_no_header_can_carry_is_told_without_the_key() {
    let broken = ModelTarget { key: Some("sk-broken\nkey".into()), ..target("http://127.0.0.1:1") };
    let failure = with(|_| ()).get(&broken, "/models").await.unwrap_err();
    assert_eq!(failure.kind.word(), "auth");
    assert!(!format!("{failure:?}").contains("sk-broken"));
}

#[tokio::test]
async fn a_key_may_have_a_header_of_its_own_or_none() {
    for (auth, expected) in
        [(AuthForm::Header("x-api-key".into()), Some("x-api-key")), (AuthForm::Open, None)]
    {
        let (got, request_text) = oneshot::channel::<String>();
        let mut got = Some(got);
        let (url, _) = serve(move |mut socket| {
            let got = got.take();
            async move {
                got.unwrap().send(read_request(&mut socket).await).unwrap();
                say(&mut socket, &whole("200 OK", "application/json", "[]")).await;
            }
        })
        .await;
        let target = ModelTarget { auth, ..target(&url) };
        with(|_| ()).get(&target, "/models?limit=5").await.unwrap();
        let sent = request_text.await.unwrap();
        assert!(sent.starts_with("GET /models?limit=5 HTTP/1.1\r\n"), "{sent}");
        let line = sent.lines().find(|line| line.contains(KEY)).and_then(|line| line.split(':').next());
        assert_eq!(line, expected);
    }
}

#[tokio::test]
async fn a_text_is_read_no_further_than_asked() {
    let url = serve_text(whole("200 OK", "text/plain", &"x".repeat(5_000))).await;
    assert_eq!(post(&with(|_| ()), &url).await.unwrap().len(), 1_000);
}

#[tokio::test]
async fn an_answer_that_does_not_end_is_not_believed() {
    let (url, _) = serve(|mut socket| async move {
        read_request(&mut socket).await;
        say(&mut socket, "HTTP/1.1 200 OK\r\n\r\n").await;
        let page = vec![b' '; 1 << 20];
        while socket.write_all(&page).await.is_ok() {}
    })
    .await;
    let mut reply = with(|_| ()).get(&target(&url), "/x").await.unwrap();
    let failure = reply.body.read_text(usize::MAX).await.unwrap_err();
    assert_eq!((failure.kind.word(), failure.is_retryable), ("malformed", false));
}

#[tokio::test]
async fn an_exchange_may_have_limits_of_its_own_and_any_method() {
    for method in [Method::Get, Method::Post, Method::Patch, Method::Delete] {
        let (asked, was_asked) = oneshot::channel::<String>();
        let mut asked = Some(asked);
        let (url, _) = serve(move |mut socket| {
            let asked = asked.take();
            async move {
                asked.unwrap().send(read_request(&mut socket).await).unwrap();
                say(&mut socket, &whole("200 OK", "text/plain", &"x".repeat(5_000))).await;
            }
        })
        .await;
        let small = with(|config| config.limits.answer_bytes_max = 1_000);
        let limits = ExchangeLimits { answer_bytes_max: u64::MAX, ..limits() };
        let ask = TargetRequest { method, body: b"{}".to_vec(), accept: "text/event-stream", limits };
        let mut reply = small.ask(&target(&url), "/x", ask).await.unwrap();
        assert_eq!(reply.body.read_text(usize::MAX).await.unwrap().len(), 5_000);
        let asked = was_asked.await.unwrap().to_lowercase();
        assert!(asked.starts_with(&format!("{method:?} /x ").to_lowercase()), "{asked}");
        assert!(asked.contains("accept: text/event-stream\r\n"), "{asked}");
        assert_eq!(asked.ends_with("\r\n\r\n{}"), method.has_body(), "{asked}");
        assert_eq!(asked.contains("content-type"), method.has_body(), "{asked}");
    }
}

#[tokio::test]
async fn an_answer_is_bound_by_the_limit_of_its_own_exchange() {
    let url = serve_text(whole("200 OK", "text/plain", &"x".repeat(5_000))).await;
    let small = with(|config| config.limits.answer_bytes_max = 1_000);
    let mut reply = small.get(&target(&url), "/x").await.unwrap();
    assert_eq!(reply.body.read_text(usize::MAX).await.unwrap_err().kind.word(), "malformed");
}

#[tokio::test]
async fn a_host_that_accepts_no_connection_is_a_timeout_that_names_its_limit() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let transport = with(|config| {
        config.limits.connect_timeout_ms = 50;
        config.ca_pem = Some(CA.to_vec());
    });
    // The system takes the connection, but the handshake is part of it and nobody answers that.
    let failure = post(&transport, &url).await.unwrap_err();
    assert_eq!((failure.kind.word(), failure.is_retryable), ("timeout", true));
    assert!(failure.message.contains("connect_timeout_ms") && failure.message.contains("50 ms"), "{failure}");
    drop(listener);
}

#[tokio::test]
async fn a_reader_that_goes_away_frees_the_server() {
    let (closed, was_closed) = oneshot::channel::<usize>();
    let mut closed = Some(closed);
    let (url, _) = serve(move |mut socket| {
        let closed = closed.take();
        async move {
            read_request(&mut socket).await;
            say(&mut socket, &stream_head()).await;
            closed.unwrap().send(socket.read(&mut [0]).await.unwrap_or(0)).unwrap();
        }
    })
    .await;
    let mut reply = with(|_| ()).get(&target(&url), "/x").await.unwrap();
    reply.body.close();
    assert_eq!(was_closed.await, Ok(0));
}

#[test]
fn azure_0_a_query_of_the_base_url_stays_behind_the_path() {
    let url = |base: &str, path: &str| url_of(&target(base), path).map(|url| url.as_str().to_owned());
    for (base, path, whole) in [
        (
            "https://host/v1?api-version=1",
            "/chat/completions",
            "https://host/v1/chat/completions?api-version=1",
        ),
        ("https://host/v1/?api-version=1", "/models", "https://host/v1/models?api-version=1"),
        ("https://host/v1?a=1&b=2", "/m:stream?alt=sse", "https://host/v1/m:stream?a=1&b=2&alt=sse"),
        ("https://host/v1", "/m:stream?alt=sse", "https://host/v1/m:stream?alt=sse"),
        ("https://host/file/?download=true", "", "https://host/file/?download=true"),
    ] {
        assert_eq!(url(base, path).unwrap(), whole);
    }
    let refused = url("https://host/v1?key=hidden#top", "/x").unwrap_err();
    assert!(refused.message.contains("'https://host/v1' goes on with '#'"), "{}", refused.message);
    assert!(!refused.message.contains("hidden"), "{}", refused.message);
}

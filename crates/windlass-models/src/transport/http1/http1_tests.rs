//! The client against servers that say exactly what a test wants.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use windlass_core::protocol::model::ModelFailure;

use super::*;
use crate::limits::{HEAD_BYTES_MAX, IDLE_CONNECTION_MS_MAX};
use crate::loopback::*;
use crate::transport::{ProxyRoute, Transport, TransportConfig};

fn client() -> Transport {
    Transport::new(TransportConfig { limits: limits(), ..TransportConfig::default() })
}

fn through(proxy: &str) -> Transport {
    let proxy = Some(ProxyRoute { url: proxy.into(), bypass: None });
    Transport::new(TransportConfig { limits: limits(), proxy, ..TransportConfig::default() })
}

async fn ask(client: &Transport, url: &str) -> Result<String, ModelFailure> {
    let mut reply = client.post(&target(url), "/x", b"{}".to_vec(), "*/*").await?;
    reply.body.read_text(usize::MAX).await
}

/// What is answered on each connection, request by request; a connection is closed after its last answer.
async fn serve_script(script: &'static [&'static [&'static str]]) -> (String, Arc<AtomicUsize>) {
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    let (url, _) = serve(move |mut socket| {
        let answers = script.get(count.fetch_add(1, Ordering::SeqCst)).copied().unwrap_or_default();
        async move {
            for answer in answers {
                read_request(&mut socket).await;
                say(&mut socket, answer).await;
            }
        }
    })
    .await;
    (url, connections)
}

const YES: &str = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nyes";
const CHUNKS: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\ny\r\n2\r\nes\r\n0\r\n\r\n";

#[tokio::test]
async fn a_connection_carries_many_requests() {
    const NONE: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    let (url, connections) =
        serve_script(&[&[YES, CHUNKS, NONE, "HTTP/1.1 204 No Content\r\n\r\n", YES]]).await;
    let client = client();
    for expected in ["yes", "yes", "", "", "yes"] {
        assert_eq!(ask(&client, &url).await.as_deref(), Ok(expected));
    }
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_connection_that_was_told_to_close_is_not_used_again() {
    let last = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 3\r\n\r\nyes";
    let old = "HTTP/1.0 200 OK\r\ncontent-length: 3\r\n\r\nyes";
    let until_close = "HTTP/1.1 200 OK\r\n\r\nyes";
    for answer in [last, old, until_close] {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let (url, _) = serve(move |mut socket| {
            counted.fetch_add(1, Ordering::SeqCst);
            async move {
                read_request(&mut socket).await;
                say(&mut socket, answer).await;
            }
        })
        .await;
        let client = client();
        for _ in 0..2 {
            assert_eq!(ask(&client, &url).await.as_deref(), Ok("yes"), "{answer}");
        }
        assert_eq!(count.load(Ordering::SeqCst), 2, "{answer}");
    }
}

#[tokio::test]
async fn an_answer_that_was_not_read_to_its_end_closes_its_connection() {
    let (url, connections) = serve_script(&[&[YES], &[YES]]).await;
    let client = client();
    drop(client.post(&target(&url), "/x", Vec::new(), "*/*").await.unwrap());
    assert_eq!(ask(&client, &url).await.as_deref(), Ok("yes"));
    assert_eq!(connections.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_connection_that_was_closed_while_it_waited_is_replaced_once() {
    // The second request is read, and instead of an answer the connection is closed.
    let (url, connections) = serve_script(&[&[YES, ""], &[YES]]).await;
    let client = client();
    for _ in 0..2 {
        assert_eq!(ask(&client, &url).await.as_deref(), Ok("yes"));
    }
    assert_eq!(connections.load(Ordering::SeqCst), 2);

    let (url, connections) = serve_script(&[&[YES, ""], &[""], &[YES]]).await;
    assert_eq!(ask(&client, &url).await.as_deref(), Ok("yes"));
    let failure = ask(&client, &url).await.unwrap_err();
    assert_eq!((failure.kind.word(), failure.is_retryable), ("network", true), "{failure:?}");
    assert_eq!(connections.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn nothing_is_asked_twice_after_a_byte_of_an_answer() {
    for (begun, code) in [("H", "network"), ("HTTP/1.1 100 Continue\r\n\r\n", "network")] {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let (url, _) = serve(move |mut socket| {
            counted.fetch_add(1, Ordering::SeqCst);
            async move {
                for answer in [YES, begun] {
                    read_request(&mut socket).await;
                    say(&mut socket, answer).await;
                }
            }
        })
        .await;
        let client = client();
        assert_eq!(ask(&client, &url).await.as_deref(), Ok("yes"));
        let failure = ask(&client, &url).await.unwrap_err();
        assert_eq!((failure.kind.word(), failure.is_retryable), (code, true), "{failure:?}");
        assert_eq!(count.load(Ordering::SeqCst), 1, "{begun:?}");
    }
}

#[tokio::test]
async fn what_follows_an_answer_makes_its_connection_useless() {
    let (url, connections) = serve_script(&[
        &["HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nyesHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil"],
        &["HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\nx"],
        &["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nyes\r\n0\r\n\r\nx"],
        &[YES],
    ])
    .await;
    let client = client();
    for expected in ["yes", "", "yes", "yes"] {
        assert_eq!(ask(&client, &url).await.as_deref(), Ok(expected));
    }
    assert_eq!(connections.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn what_comes_while_a_connection_waits_makes_it_useless_too() {
    let (read, is_read) = oneshot::channel::<()>();
    let (said, was_said) = oneshot::channel::<()>();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let (mut first, _) = listener.accept().await.unwrap();
        read_request(&mut first).await;
        say(&mut first, YES).await;
        is_read.await.unwrap();
        say(&mut first, "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil").await;
        said.send(()).unwrap();
        let (mut second, _) = listener.accept().await.unwrap();
        read_request(&mut second).await;
        say(&mut second, YES).await;
    });
    let client = client();
    assert_eq!(ask(&client, &url).await.as_deref(), Ok("yes"));
    read.send(()).unwrap();
    was_said.await.unwrap();
    // The runtime looks at its sockets whenever somebody yields.
    for _ in 0..5 {
        tokio::task::yield_now().await;
    }
    assert_eq!(ask(&client, &url).await.as_deref(), Ok("yes"));
    server.await.unwrap();
}

#[tokio::test]
async fn interim_answers_are_no_answers() {
    let hints = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n";
    let url = serve_text([hints, YES].concat()).await;
    assert_eq!(ask(&client(), &url).await.as_deref(), Ok("yes"));
}

#[tokio::test]
async fn a_body_without_a_length_ends_with_its_connection() {
    let url = serve_text("HTTP/1.1 200 OK\r\n\r\nall of it").await;
    assert_eq!(ask(&client(), &url).await.as_deref(), Ok("all of it"));
}

#[tokio::test]
async fn a_body_that_ends_before_its_end_is_cut() {
    for answer in [
        "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\na\r\nhalf",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n",
    ] {
        let url = serve_text(answer).await;
        let mut reply = client().post(&target(&url), "/x", Vec::new(), "*/*").await.unwrap();
        assert_eq!(reply.body.read_text(4).await.as_deref(), Ok("half"), "{answer}");
        let failure = reply.body.read_text(10).await.unwrap_err();
        assert_eq!((failure.kind.word(), failure.is_retryable), ("cut", true), "{answer}: {failure:?}");
    }
}

#[tokio::test]
async fn what_is_no_answer_is_told_as_such() {
    let long = format!("HTTP/1.1 200 OK\r\nx: {}", "y".repeat(2 * HEAD_BYTES_MAX));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(200));
    let gzip = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nyes";
    for (answer, words) in [
        ("SSH-2.0-OpenSSH_9.6\r\n", "HTTP/1.1"),
        (long.as_str(), "head"),
        (&many, "headers"),
        (gzip, "gzip"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab", "content-length"),
        ("HTTP/1.1 101 Switching Protocols\r\n\r\n", "101"),
    ] {
        let failure = ask(&client(), &serve_text(answer).await).await.unwrap_err();
        assert_eq!(failure.kind.word(), "malformed", "{failure:?}");
        assert!(failure.message.contains(words), "{failure}");
    }
}

#[tokio::test]
async fn a_header_that_could_become_two_is_refused_before_anything_is_sent() {
    let client = client();
    for (name, value) in [("x", "a\r\nevil: b"), ("x\r\nevil", "b"), ("content-length", "1"), ("x", "\0")] {
        let mut target = target("http://127.0.0.1:1");
        target.headers = vec![(name.into(), value.into())];
        let failure = client.get(&target, "/x").await.unwrap_err();
        assert_eq!((failure.kind.word(), failure.is_retryable), ("bad_request", false), "{failure:?}");
        assert!(failure.message.contains("no usable header"), "{failure}");
    }
}

#[tokio::test]
async fn an_answer_may_come_before_the_request_has_gone() {
    let (url, _) = serve(|mut socket| async move {
        let mut piece = [0; 1024];
        let _ = socket.read(&mut piece).await;
        say(&mut socket, "HTTP/1.1 413 Too Large\r\ncontent-length: 8\r\n\r\ntoo much").await;
        // The rest of the request is not wanted, and its sender may go away.
        while socket.read(&mut piece).await.is_ok_and(|count| count > 0) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let client = client();
    let mut reply = client.post(&target(&url), "/x", vec![b' '; 64 << 20], "*/*").await.unwrap();
    assert_eq!(reply.status, 413);
    assert_eq!(reply.body.read_text(100).await.as_deref(), Ok("too much"));
}

#[tokio::test]
async fn a_large_body_arrives_whole() {
    let body = vec![b'x'; 3 << 20];
    let (url, _) = serve(|mut socket| async move {
        let request = read_request_bytes(&mut socket).await;
        let length = request.to_string();
        say(&mut socket, &whole("200 OK", "text/plain", &length)).await;
    })
    .await;
    let mut reply = client().post(&target(&url), "/x", body.clone(), "*/*").await.unwrap();
    assert_eq!(reply.body.read_text(100).await.unwrap(), body.len().to_string());
}

/// How long a body is, counted and not looked at.
async fn read_request_bytes(socket: &mut TcpStream) -> usize {
    let mut got = Vec::new();
    loop {
        assert_ne!(socket.read_buf(&mut got).await.unwrap(), 0);
        let Some(end) = got.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&got[..end]).to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        let length: usize = length.parse().unwrap();
        let mut body = vec![0; (end + 4 + length) - got.len()];
        socket.read_exact(&mut body).await.unwrap();
        return length;
    }
}

#[tokio::test]
async fn an_old_connection_is_not_used_again() {
    let (url, connections) = serve_script(&[&[YES], &[YES]]).await;
    let client = client();
    assert_eq!(ask(&client, &url).await.as_deref(), Ok("yes"));
    tokio::time::pause();
    tokio::time::advance(Duration::from_millis(IDLE_CONNECTION_MS_MAX + 1)).await;
    tokio::time::resume();
    assert_eq!(ask(&client, &url).await.as_deref(), Ok("yes"));
    assert_eq!(connections.load(Ordering::SeqCst), 2);
}

#[test]
fn a_connection_of_another_runtime_is_not_used() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (serving, first, second) = (runtime(), runtime(), runtime());
    let (url, connections) = serving.block_on(serve_script(&[&[YES], &[YES]]));
    let server = std::thread::spawn(move || serving.block_on(std::future::pending::<()>()));
    let client = client();
    for runtime in [&first, &second] {
        assert_eq!(runtime.block_on(ask(&client, &url)).as_deref(), Ok("yes"));
    }
    assert_eq!(connections.load(Ordering::SeqCst), 2);
    drop(server);
}

#[tokio::test]
async fn a_proxy_gets_its_password_and_its_refusal_is_told_without_it() {
    let (got, mut was_got) = tokio::sync::mpsc::unbounded_channel();
    let (proxy, _) = serve(move |mut socket| {
        let got = got.clone();
        async move {
            got.send(read_request(&mut socket).await).unwrap();
            say(&mut socket, "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n").await;
        }
    })
    .await;
    let client = through(&proxy.replace("http://", "http://me:hunter22@"));
    let failure = ask(&client, "https://models.test").await.unwrap_err();
    assert_eq!((failure.kind.word(), failure.is_retryable), ("network", true));
    assert!(failure.message.contains("407") && failure.message.contains("proxy"), "{failure}");
    let asked = was_got.recv().await.unwrap();
    assert!(asked.starts_with("CONNECT models.test:443 HTTP/1.1\r\nhost: models.test:443\r\n"), "{asked}");
    assert!(asked.contains("proxy-authorization: Basic bWU6aHVudGVyMjI=\r\n"), "{asked}");
    assert!(!asked.contains(KEY), "{asked}");

    let mut reply = client.get(&target("http://models.test"), "/x").await.unwrap();
    assert_eq!((reply.status, reply.body.read_text(10).await.as_deref()), (407, Ok("")));
    let asked = was_got.recv().await.unwrap();
    assert!(asked.starts_with("GET http://models.test/x HTTP/1.1\r\nhost: models.test\r\n"), "{asked}");
    assert!(asked.contains("proxy-authorization: Basic bWU6aHVudGVyMjI=\r\n"), "{asked}");
    assert!(!format!("{failure:?} {client:?}").contains("hunter22"));
}

#[tokio::test]
async fn a_proxy_that_cannot_be_spoken_to_is_told() {
    for proxy in ["socks5://me:hunter22@127.0.0.1:1", "https://me:hunter22@127.0.0.1:1"] {
        let failure = ask(&through(proxy), "http://models.test").await.unwrap_err();
        assert_eq!((failure.kind.word(), failure.is_retryable), ("bad_request", false));
        assert!(failure.message.contains("http:// proxy"), "{failure}");
        assert!(!format!("{failure:?}").contains("hunter22"), "{failure}");
    }
}

#[tokio::test]
async fn a_proxy_that_speaks_too_early_is_not_believed() {
    for answer in ["HTTP/1.1 200 OK\r\n\r\nunasked", "HTTP/1.1 200", "nonsense\r\n"] {
        let failure = ask(&through(&serve_text(answer).await), "https://models.test").await.unwrap_err();
        assert_eq!((failure.kind.word(), failure.is_retryable), ("network", true), "{answer:?}");
        assert!(failure.message.contains("the proxy 127.0.0.1"), "{failure}");
    }
}

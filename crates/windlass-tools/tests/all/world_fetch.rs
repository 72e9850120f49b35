use std::io;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use windlass_core::permission::{Preview, Target};
use windlass_core::ports::BoxFuture;
use windlass_core::protocol::tool::{Effects, Risk, ToolFailure};
use windlass_tools::{AddressLookup, FetchConfig, ToolsConfig};

use crate::context::Bench;
use crate::loopback::{ClosedPort, Server, answer, answer_with, gzip_of_zeros, redirect};

/// Names with addresses that change from one question to the next.
#[derive(Debug, Default)]
struct Names {
    answers: Mutex<Vec<Vec<IpAddr>>>,
    questions: AtomicUsize,
}

impl Names {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let read = |list: &&[&str]| list.iter().map(|address| address.parse().unwrap()).collect();
        Arc::new(Self {
            answers: Mutex::new(answers.iter().map(read).collect()),
            questions: AtomicUsize::new(0),
        })
    }

    fn questions(&self) -> usize {
        self.questions.load(Ordering::SeqCst)
    }
}

impl AddressLookup for Names {
    fn lookup<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        self.questions.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.is_empty() { None } else { Some(answers.remove(0)) };
        let unknown = move || io::Error::other(format!("{host} is unknown"));
        Box::pin(async move { answer.ok_or_else(unknown) })
    }
}

fn bench_with(allow: &[String], names: Arc<Names>, stay_on_host: bool) -> Bench {
    let allow_hosts = allow.iter().map(|host| host.parse().unwrap()).collect();
    let fetch = FetchConfig { allow_hosts, stay_on_host, lookup: Some(names) };
    Bench::new(&ToolsConfig { fetch, ..ToolsConfig::default() })
}

/// A bench that may fetch from this server; names have no addresses.
fn bench_for(server: &Server) -> Bench {
    bench_with(&[server.address.to_string()], Names::new(&[]), false)
}

async fn refused(bench: &Bench, url: &str) -> ToolFailure {
    let failure = bench.call("fetch_url", json!({"url": url})).await.unwrap_err();
    assert_eq!(failure.kind.word(), "permission_denied", "{url}: {failure:?}");
    failure
}

#[tokio::test]
async fn a_page_is_given_as_readable_text() {
    let html = "<title>Knots</title><nav>Menu</nav><h1>Bowline</h1><p>A loop. <a href='/more'>More</a></p>";
    let server = Server::start(move |_| answer(200, "text/html; charset=utf-8", html)).await;
    let bench = bench_for(&server);
    let url = server.url("/knots");
    let output = bench.call("fetch_url", json!({"url": url})).await.unwrap();
    let expected = format!("Knots\n{url}\n\n# Bowline\n\nA loop. [More]({})", server.url("/more"));
    assert_eq!(output.readable(), expected);
    assert_eq!(output.json["title"], "Knots");
    assert_eq!(output.json["content_type"], "text/html");
    assert_eq!(output.links[0].title, "Knots");
    assert!(!output.is_truncated);
    let asked = &server.asked()[0];
    assert_eq!(asked.line, "GET /knots");
    assert!(asked.head.contains("user-agent: windlass/0."));
    assert!(!asked.head.contains("referer") && !asked.head.contains("cookie"));
}

#[tokio::test]
async fn plain_text_and_json_pass_as_they_are_and_other_bodies_are_refused() {
    let server = Server::start(|line| match line {
        "GET /text" => answer(200, "text/plain; charset=iso-8859-1", b"caf\xe9 <b>"),
        "GET /json" => answer(200, "application/json", r#"{"a": "<b>"}"#),
        "GET /untyped" => answer_with(200, "", b"just words"),
        "GET /binary" => answer_with(200, "", b"\x7fELF\0\0"),
        "GET /empty" => answer(200, "text/html", "<script>app()</script>"),
        _ => answer(200, "image/png", "x".repeat(1_000)),
    })
    .await;
    let bench = bench_for(&server);
    for (path, text) in [("/text", "café <b>"), ("/json", r#"{"a": "<b>"}"#), ("/untyped", "just words")] {
        let output = bench.call("fetch_url", json!({"url": server.url(path)})).await.unwrap();
        assert_eq!(output.json["text"], text);
    }
    for (path, received) in [("/picture", "image/png"), ("/binary", "binary data")] {
        let failure = bench.call("fetch_url", json!({"url": server.url(path)})).await.unwrap_err();
        assert_eq!((failure.kind.word(), failure.received.as_deref()), ("invalid_args", Some(received)));
    }
    let empty = bench.call("fetch_url", json!({"url": server.url("/empty")})).await.unwrap();
    assert!(empty.readable().contains("no readable text"));
}

#[tokio::test]
async fn statuses_become_failures() {
    let server =
        Server::start(|line| answer(line.trim_start_matches("GET /").parse().unwrap(), "text/html", "x"))
            .await;
    let bench = bench_for(&server);
    for (status, kind) in
        [(404, "not_found"), (410, "not_found"), (403, "io_error"), (500, "io_error"), (304, "io_error")]
    {
        let failure =
            bench.call("fetch_url", json!({"url": server.url(&format!("/{status}"))})).await.unwrap_err();
        assert_eq!(failure.kind.word(), kind, "{status}");
        assert!(failure.message.contains(&status.to_string()));
    }
}

#[tokio::test]
async fn a_long_page_is_cut_after_a_sentence_and_says_so() {
    let server = Server::start(|_| answer(200, "text/plain", "One sentence here. ".repeat(1_000))).await;
    let bench = bench_for(&server);
    let output = bench.call("fetch_url", json!({"url": server.url("/"), "chars_max": 500})).await.unwrap();
    let text = output.json["text"].as_str().unwrap();
    assert!(text.len() <= 500 && text.ends_with("here."));
    assert!(output.is_truncated && output.readable().ends_with("of at least 19000 characters]"));
    let failure =
        bench.call("fetch_url", json!({"url": server.url("/"), "chars_max": 99})).await.unwrap_err();
    assert_eq!(failure.field.as_deref(), Some("chars_max"));
}

#[tokio::test]
async fn a_huge_body_is_read_to_its_bound_and_no_further() {
    let server = Server::start(|line| match line {
        "GET /large" => answer(200, "text/plain", "x".repeat(5 << 20)),
        // A gigabyte, packed.
        _ => answer_with(
            200,
            "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n",
            &gzip_of_zeros(1 << 30),
        ),
    })
    .await;
    let bench = bench_for(&server);
    for path in ["/large", "/bomb"] {
        let output = bench.call("fetch_url", json!({"url": server.url(path)})).await.unwrap();
        assert_eq!(output.json["total_chars"], 2 << 20, "{path}");
        assert!(output.is_truncated);
    }
}

#[tokio::test]
async fn redirects_are_followed_up_to_five() {
    let server = Server::start(|line| match line.trim_start_matches("GET /").parse::<u32>() {
        Ok(0) => answer(200, "text/plain", "arrived"),
        Ok(left) => redirect(&format!("/{}", left - 1)),
        Err(_) if line == "GET /nowhere" => answer_with(302, "", b""),
        Err(_) if line == "GET /broken" => redirect("http://["),
        Err(_) => redirect("/loop"),
    })
    .await;
    let bench = bench_for(&server);
    let output = bench.call("fetch_url", json!({"url": server.url("/5")})).await.unwrap();
    assert_eq!(output.json["text"], "arrived");
    assert_eq!(output.json["redirects"].as_array().unwrap().len(), 5);
    assert_eq!(output.json["url"], server.url("/0"));
    for path in ["/6", "/loop", "/nowhere", "/broken"] {
        let failure = bench.call("fetch_url", json!({"url": server.url(path)})).await.unwrap_err();
        assert_eq!(failure.kind.word(), "io_error", "{path}");
    }
}

#[tokio::test]
async fn a_redirect_to_a_forbidden_address_is_refused_before_anything_is_sent() {
    let inner = Server::start(|_| answer(200, "text/plain", "secret")).await;
    let port = inner.address.port();
    for target in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("//127.1:{port}/"),
        format!("http://user@127.0.0.1:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "gopher://127.0.0.1:6379/_x".to_owned(),
    ] {
        let location = target.clone();
        let outer = Server::start(move |_| redirect(&location)).await;
        let failure = refused(&bench_for(&outer), &outer.url("/")).await;
        assert!(failure.message.contains("redirects to an address that is not fetched"), "{target}");
    }
    assert!(inner.asked().is_empty());
}

#[tokio::test]
async fn a_server_can_be_kept_from_sending_us_to_another_host() {
    let second = Server::start(|_| answer(200, "text/plain", "second")).await;
    let target = second.url("/there");
    let first =
        Server::start(move |line| if line == "GET /own" { redirect("/page") } else { redirect(&target) })
            .await;
    let allow = [first.address.to_string(), second.address.to_string()];
    let following = bench_with(&allow, Names::new(&[]), false);
    assert_eq!(
        following.call("fetch_url", json!({"url": first.url("/")})).await.unwrap().json["text"],
        "second"
    );
    assert_eq!(second.asked().len(), 1);
    let staying = bench_with(&allow, Names::new(&[]), true);
    let output = staying.call("fetch_url", json!({"url": first.url("/own")})).await.unwrap();
    assert_eq!(output.json["redirects_to"], second.url("/there"));
    assert!(output.readable().contains("Call fetch_url with that address"));
    assert_eq!(second.asked().len(), 1);
}

#[tokio::test]
async fn addresses_of_this_machine_are_refused_in_any_spelling() {
    let server = Server::start(|_| answer(200, "text/plain", "secret")).await;
    let port = server.address.port();
    let bench = bench_with(&[], Names::new(&[]), false);
    for url in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://0x7f.1:{port}/"),
        format!("http://0177.0.0.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://0.0.0.0:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://localhost.:{port}/"),
        "http://169.254.169.254/".to_owned(),
        "http://[::ffff:10.0.0.1]/".to_owned(),
    ] {
        refused(&bench, &url).await;
        let inspected = bench.inspect("fetch_url", json!({"url": url})).await.unwrap_err();
        assert_eq!(inspected.kind.word(), "permission_denied");
    }
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_the_connection_goes_to_what_was_checked() {
    let server = Server::start(|_| answer(200, "text/plain", "here")).await;
    let port = server.address.port();
    // A second lookup would lead to an address where nobody listens.
    let names = Names::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let bench = bench_with(&["pinned.example".to_owned()], Arc::clone(&names), false);
    let url = format!("http://pinned.example:{port}/");
    let output = bench.call("fetch_url", json!({"url": url})).await.unwrap();
    assert_eq!(output.json["text"], "here");
    assert_eq!(names.questions(), 1);
    assert!(server.asked()[0].head.contains(&format!("host: pinned.example:{port}")));
}

#[tokio::test]
async fn a_name_that_leads_inside_is_refused_whatever_it_led_to_before() {
    let server = Server::start(|_| answer(200, "text/plain", "secret")).await;
    let url = format!("http://rebind.example:{}/", server.address.port());
    for answers in
        [&["127.0.0.1"][..], &["93.184.216.34", "127.0.0.1"], &["::1"], &["::ffff:127.0.0.1"], &["10.0.0.1"]]
    {
        let names = Names::new(&[answers]);
        let bench = bench_with(&[], Arc::clone(&names), false);
        // Before permission nobody is asked: the question itself would tell the name to its owner.
        bench.inspect("fetch_url", json!({"url": url})).await.unwrap();
        assert_eq!(names.questions(), 0);
        let failure = refused(&bench, &url).await;
        assert!(failure.message.starts_with("'rebind.example' leads to "), "{}", failure.message);
        assert_eq!(names.questions(), 1);
    }
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn a_port_that_is_allowed_does_not_open_its_neighbours() {
    let server = Server::start(|_| answer(200, "text/plain", "secret")).await;
    let other = format!("local.example:{}", server.address.port() ^ 1);
    let bench = bench_with(&[other], Names::new(&[&["127.0.0.1"]]), false);
    refused(&bench, &format!("http://local.example:{}/", server.address.port())).await;
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn an_unknown_host_and_a_silent_one_are_told_apart() {
    let bench = bench_with(&[], Names::new(&[]), false);
    let unknown = bench.call("fetch_url", json!({"url": "http://nobody.example/"})).await.unwrap_err();
    assert_eq!(unknown.message, "the host 'nobody.example' could not be found: nobody.example is unknown");
    let closed = ClosedPort::new();
    let address = closed.address();
    let bench = bench_with(&[address.to_string()], Names::new(&[]), false);
    let silent = bench.call("fetch_url", json!({"url": format!("http://{address}/")})).await.unwrap_err();
    assert!(silent.message.contains("did not answer"), "{}", silent.message);
    let broken = bench.call("fetch_url", json!({"url": "not a url"})).await.unwrap_err();
    assert_eq!(broken.kind.word(), "invalid_args");
}

#[tokio::test]
async fn the_inspection_names_the_host_in_one_spelling() {
    let bench = bench_with(&[], Names::new(&[]), false);
    for (url, host) in [
        ("https://Docs.RS./serde", "docs.rs"),
        ("HTTP://example.com:8080/x", "example.com:8080"),
        ("https://example.com:443", "example.com"),
    ] {
        let inspection = bench.inspect("fetch_url", json!({"url": url})).await.unwrap();
        assert_eq!(inspection.targets, [Target::Host(host.to_owned())]);
        assert!(matches!(inspection.preview, Some(Preview::Text(text)) if text.starts_with("GET http")));
    }
    let spec = bench.tool("fetch_url").spec();
    assert_eq!((spec.effects, spec.risk), (Effects::External, Risk::Medium));
    assert!(spec.inspected && spec.untrusted_output);
    assert_eq!(spec.aliases, ["read_url", "web_fetch", "summarize_url"]);
}

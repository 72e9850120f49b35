use serde_json::{Value, json};
use windlass_core::protocol::tool::ToolFailure;
use windlass_tools::{SearchBackend, SearchBackendKind, ToolsConfig, WebSearchConfig};

use crate::context::Bench;
use crate::loopback::{ClosedPort, Server, answer};

fn bench(kind: SearchBackendKind, base_url: String) -> Bench {
    let api_key = (kind != SearchBackendKind::Searxng).then(|| "key-123".into());
    let backend = SearchBackend { kind, base_url: Some(base_url), api_key };
    let web_search = WebSearchConfig { backend: Some(backend) };
    Bench::new(&ToolsConfig { web_search, ..ToolsConfig::default() })
}

/// A server that gives one answer, and the tool that asks it.
async fn searching(kind: SearchBackendKind, status: u16, body: Value) -> (Server, Bench) {
    let body = body.to_string();
    let server = Server::start(move |_| answer(status, "application/json", &body)).await;
    let bench = bench(kind, server.url(""));
    (server, bench)
}

fn searxng_answer() -> Value {
    json!({"query": "rust", "number_of_results": 0, "answers": [], "corrections": [], "infoboxes": [],
        "suggestions": ["rustc"], "unresponsive_engines": [],
        "results": (1..=8).map(|n| json!({
            "template": "default.html", "engine": "mojeek", "engines": ["mojeek"], "category": "general",
            "title": format!("Page {n}"), "url": format!("https://example.org/{n}"),
            "content": format!("About rust {n}"), "score": 1.0 / f64::from(n), "positions": [n],
            "parsed_url": ["https", "example.org", "/", "", "", ""], "publishedDate": null,
        })).collect::<Vec<_>>()})
}

fn brave_answer() -> Value {
    json!({"type": "search",
        "query": {"original": "rust", "more_results_available": true, "is_navigational": false},
        "mixed": {"type": "mixed", "main": [{"type": "web", "index": 0, "all": false}]},
        "web": {"type": "search", "family_friendly": true, "results": [{
            "type": "search_result", "subtype": "generic", "title": "Rust &amp; friends",
            "url": "https://www.rust-lang.org/", "is_source_local": false, "language": "en",
            "description": "A <strong>language</strong> empowering everyone", "page_age": "2026-01-02T03:04:05",
            "profile": {"name": "Rust"}, "meta_url": {"hostname": "www.rust-lang.org"}}]}})
}

fn tavily_answer() -> Value {
    json!({"query": "rust", "follow_up_questions": null, "answer": null, "images": [],
        "results": [{"url": "https://doc.rust-lang.org/book/", "title": "The Book",
            "content": "by Steve Klabnik", "score": 0.93, "raw_content": null}],
        "response_time": 0.9, "request_id": "r-1"})
}

#[tokio::test]
async fn e_3_e_21_searxng_gives_a_list_of_title_url_snippet() {
    let (server, bench) = searching(SearchBackendKind::Searxng, 200, searxng_answer()).await;
    let output = bench.call("web_search", json!({"query": "rust"})).await.unwrap();
    let list = output.json.as_array().unwrap();
    assert_eq!(list.len(), 5);
    assert_eq!(
        list[0],
        json!({"title": "Page 1", "url": "https://example.org/1", "snippet": "About rust 1"})
    );
    assert_eq!(output.links.len(), 5);
    let asked = &server.asked()[0];
    assert_eq!(asked.line, "GET /search?q=rust&format=json");
    assert!(asked.head.contains("user-agent: windlass/"));
    assert!(!asked.head.contains("authorization"));
}

#[tokio::test]
async fn e_28_a_search_is_summed_up_by_its_first_three_pages() {
    let (_server, bench) = searching(SearchBackendKind::Searxng, 200, searxng_answer()).await;
    let output = bench.call("web_search", json!({"query": "rust"})).await.unwrap();
    assert_eq!(
        output.summary.as_deref(),
        Some(
            "Web search results: Page 1 https://example.org/1 About rust 1 \
             | Page 2 https://example.org/2 About rust 2 | Page 3 https://example.org/3 About rust 3"
        )
    );
}

#[tokio::test]
async fn e_21_s_22_brave_is_asked_with_its_token_and_a_freshness() {
    let (server, bench) = searching(SearchBackendKind::Brave, 200, brave_answer()).await;
    let args = json!({"query": "rust", "max_results": 3, "time_hint": "last week"});
    let output = bench.call("web_search", args).await.unwrap();
    let expected = json!([{"title": "Rust & friends", "url": "https://www.rust-lang.org/",
        "snippet": "A language empowering everyone"}]);
    assert_eq!(output.json, expected);
    let asked = &server.asked()[0];
    assert_eq!(asked.line, "GET /res/v1/web/search?q=rust&count=3&freshness=pw");
    assert!(asked.head.contains("x-subscription-token: key-123"));
}

#[tokio::test]
async fn e_21_s_22_tavily_is_asked_with_its_key_and_dates() {
    let (server, bench) = searching(SearchBackendKind::Tavily, 200, tavily_answer()).await;
    let args = json!({"query": "rust", "after": "2025-01-01", "before": "2025-12-31"});
    let output = bench.call("web_search", args).await.unwrap();
    assert_eq!(output.json[0]["title"], "The Book");
    let asked = &server.asked()[0];
    assert_eq!(asked.line, "POST /search");
    assert!(asked.head.contains("authorization: bearer key-123"));
    let body: Value = serde_json::from_str(&asked.body).unwrap();
    let expected =
        json!({"query": "rust", "max_results": 5, "start_date": "2025-01-01", "end_date": "2025-12-31"});
    assert_eq!(body, expected);
}

#[tokio::test]
async fn e_25_without_a_server_the_tool_is_unavailable_and_says_how_to_cure_it() {
    let failure = Bench::default().call("web_search", json!({"query": "rust"})).await.unwrap_err();
    assert_eq!((failure.message.as_str(), failure.kind.word()), ("web_search unavailable", "unavailable"));
    let hint = failure.hint.clone().unwrap();
    for word in ["web_search.backend", "searxng", "brave", "tavily", "base_url", "api_key"] {
        assert!(hint.contains(word), "{hint}");
    }
    assert_eq!(failure.message, "web_search unavailable");
}

#[tokio::test]
async fn e_29_a_search_that_finds_nothing_says_so() {
    for (kind, body) in [
        (SearchBackendKind::Searxng, json!({"results": [], "unresponsive_engines": []})),
        (SearchBackendKind::Brave, json!({"type": "search", "query": {"original": "x"}})),
        (SearchBackendKind::Tavily, json!({"query": "x", "results": []})),
    ] {
        let (_server, bench) = searching(kind, 200, body).await;
        let output = bench.call("web_search", json!({"query": "x"})).await.unwrap();
        assert_eq!(output.json, json!([]));
        assert_eq!(output.summary.as_deref(), Some("Web search returned no details"));
    }
}

#[tokio::test]
async fn r_8_a_server_that_is_down_or_broken_is_a_failure_and_never_an_empty_list() {
    for kind in [SearchBackendKind::Searxng, SearchBackendKind::Brave, SearchBackendKind::Tavily] {
        let closed = ClosedPort::new();
        let failure = ask(&bench(kind, format!("http://{}", closed.address()))).await;
        assert_eq!(failure.kind.word(), "io_error");
        assert!(failure.message.contains("did not answer"), "{}", failure.message);
        for (status, word) in [
            (500, "io_error"),
            (502, "io_error"),
            (429, "io_error"),
            (401, "unavailable"),
            (403, "unavailable"),
            (302, "io_error"),
        ] {
            let (_server, bench) =
                searching(kind, status, json!({"results": [], "web": {"results": []}})).await;
            assert_eq!(ask(&bench).await.kind.word(), word, "{kind:?} {status}");
        }
        let server = Server::start(|_| answer(200, "text/html", "<h1>Maintenance</h1>")).await;
        assert!(ask(&bench(kind, server.url(""))).await.message.contains("not JSON"));
        let server =
            Server::start(|_| b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"results\": [".to_vec())
                .await;
        assert_eq!(ask(&bench(kind, server.url(""))).await.kind.word(), "io_error");
    }
    let engines = json!({"results": [], "unresponsive_engines": [["google", "CAPTCHA"]]});
    let (_server, bench) = searching(SearchBackendKind::Searxng, 200, engines).await;
    assert_eq!(ask(&bench).await.message, "SearXNG could not search: no engine answered (google: CAPTCHA)");
}

async fn ask(bench: &Bench) -> ToolFailure {
    let failure = bench.call("web_search", json!({"query": "rust"})).await.unwrap_err();
    assert!(!format!("{failure:?}").contains("key-123"), "{failure:?}");
    failure
}

#[tokio::test]
async fn an_answer_without_end_is_not_read_to_it() {
    let server = Server::start(|_| {
        let body = format!("{{\"results\": [{}", "{\"title\": \"x\"},".repeat(300_000));
        answer(200, "application/json", body)
    })
    .await;
    let failure = ask(&bench(SearchBackendKind::Searxng, server.url(""))).await;
    assert!(failure.message.contains("larger than"), "{}", failure.message);
}

#[test]
fn keys_are_never_printed() {
    let shown = format!(
        "{:?}",
        SearchBackend { kind: SearchBackendKind::Brave, base_url: None, api_key: Some("key-123".into()) }
    );
    assert!(shown.contains("***") && !shown.contains("key-123"), "{shown}");
}

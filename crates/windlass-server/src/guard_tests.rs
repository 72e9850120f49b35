use axum::body::Body;
use windlass_core::text::redact::Redactor;

use super::*;

fn request(path: &str, headers: &[(&str, &str)]) -> Request {
    let mut request = Request::builder().uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::empty()).unwrap()
}

fn config(bound: Option<&str>) -> ServerConfig {
    ServerConfig {
        hosts: vec!["box.lan".to_owned()],
        origins: vec!["https://app.example".to_owned()],
        address: bound.map(|bound| bound.parse().unwrap()),
        ..ServerConfig::default()
    }
}

fn check_at(bound: Option<&str>, path: &str, headers: &[(&str, &str)]) -> Result<AskedFrom, String> {
    let (config, request) = (config(bound), request(path, headers));
    check_host(request.uri(), request.headers(), &config)
        .and_then(|host| check_origin(&request, host, &config.origins, true))
        .map_err(|problem| problem.code().to_owned())
}

fn check(path: &str, headers: &[(&str, &str)]) -> Result<(), String> {
    check_at(None, path, headers).map(drop)
}

#[test]
fn a_name_that_was_pointed_here_is_refused() {
    for host in [
        "127.0.0.1:4117",
        "[::1]:4117",
        "localhost",
        "LOCALHOST:1",
        "a.localhost:80",
        "box.lan:9",
        "10.1.2.3",
    ] {
        assert_eq!(check("/", &[("host", host)]), Ok(()), "{host}");
    }
    for host in [
        "evil.example",
        "evil.example:4117",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "",
        "box.lan.evil",
        "0.0.0.0:4117",
        "[::]:4117",
        "[::ffff:127.0.0.1]:4117",
        "[127.0.0.1]",
        "::1",
        "127.1",
        "2130706433",
    ] {
        assert_eq!(check("/", &[("host", host)]), Err("host_refused".into()), "{host}");
    }
    assert!(check("/", &[]).is_err());
    assert!(check("/", &[("host", "localhost"), ("host", "evil.example")]).is_err());
    assert!(check("/", &[("host", "localhost"), ("host", "localhost")]).is_err());
}

#[test]
fn only_the_address_that_is_listened_on_is_a_name_of_the_server() {
    let hosts = |bound, wanted: &[&str]| {
        let all = ["127.0.0.1", "127.0.0.2", "[::1]", "localhost", "10.1.2.3", "0.0.0.0", "[::]", "box.lan"];
        for host in all.into_iter().chain(["[::ffff:127.0.0.1]", "[::ffff:10.1.2.3]", "evil.example"]) {
            let is_let_in = check_at(Some(bound), "/", &[("host", host)]).is_ok();
            assert_eq!(is_let_in, wanted.contains(&host), "{host} at {bound}");
        }
    };
    hosts("127.0.0.1", &["127.0.0.1", "localhost", "box.lan"]);
    hosts("::1", &["[::1]", "localhost", "box.lan"]);
    hosts("10.1.2.3", &["10.1.2.3", "box.lan"]);
    hosts("0.0.0.0", &["127.0.0.1", "127.0.0.2", "[::1]", "localhost", "10.1.2.3", "box.lan"]);
    hosts("::", &["127.0.0.1", "127.0.0.2", "[::1]", "localhost", "10.1.2.3", "box.lan"]);
}

#[test]
fn a_request_line_may_name_the_host_again_but_no_other() {
    let line = "http://127.0.0.1:4117/api/sessions";
    assert_eq!(check(line, &[("host", "127.0.0.1:4117")]), Ok(()));
    assert_eq!(check(line, &[]), Ok(()));
    for other in ["127.0.0.1:4118", "localhost:4117", "evil.example"] {
        assert_eq!(check(line, &[("host", other)]), Err("host_refused".into()), "{other}");
    }
}

#[test]
fn only_own_and_listed_pages_may_ask() {
    let from = |origin| check("/api/sessions", &[("host", "localhost:4117"), ("origin", origin)]);
    assert_eq!(from("http://localhost:4117"), Ok(()));
    assert_eq!(from("https://app.example"), Ok(()));
    for origin in
        ["http://evil.example", "http://localhost:3000", "null", "https://app.example.evil", "file://"]
    {
        assert_eq!(from(origin), Err("origin_refused".into()), "{origin}");
    }
}

#[test]
fn pictures_of_other_pages_cannot_start_anything_and_links_lead_to_pages_alone() {
    let host = ("host", "localhost:4117");
    let foreign = ("sec-fetch-site", "cross-site");
    assert_eq!(check("/api/chat/stream", &[host, foreign]), Err("origin_refused".into()));
    assert_eq!(
        check("/api/chat/stream", &[host, foreign, ("sec-fetch-mode", "navigate")]),
        Err("origin_refused".into())
    );
    assert_eq!(check("/docs", &[host, foreign, ("sec-fetch-mode", "navigate")]), Ok(()));
    assert_eq!(check("/api/sessions", &[host, ("sec-fetch-site", "same-origin")]), Ok(()));
}

#[tokio::test]
async fn a_panic_is_a_problem_document_and_not_the_end_of_the_connection() {
    let panicked = AssertUnwindSafe(async { assert!(request("/x", &[]).uri().path() == "/y", "it broke") });
    let panic = panicked.catch_unwind().await.unwrap_err();
    let response = broken(&Redactor::default(), &Method::GET, "/x", &*panic);
    assert_eq!(response.status().as_u16(), 500);
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/problem+json");
}

#[test]
fn where_a_request_was_made_is_what_its_browser_says() {
    let host = ("host", "localhost:4117");
    let from = |headers: &[(&str, &str)]| check_at(None, "/api/x", &[&[host], headers].concat());
    assert_eq!(from(&[]), Ok(AskedFrom::Unsaid));
    assert_eq!(from(&[("origin", "http://localhost:4117")]), Ok(AskedFrom::OwnPage));
    assert_eq!(from(&[("sec-fetch-site", "same-origin")]), Ok(AskedFrom::OwnPage));
    assert_eq!(from(&[("origin", "https://app.example")]), Ok(AskedFrom::ListedPage));
    assert_eq!(from(&[("sec-fetch-site", "none")]), Ok(AskedFrom::AddressLine));
}

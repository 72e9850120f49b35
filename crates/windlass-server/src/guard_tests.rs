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

fn check(path: &str, headers: &[(&str, &str)]) -> Result<(), String> {
    let (hosts, origins) = (["box.lan".to_owned()], ["https://app.example".to_owned()]);
    let request = request(path, headers);
    check_host(request.uri(), request.headers(), &hosts)
        .and_then(|host| check_origin(&request, host, &origins, true))
        .map_err(|problem| problem.code().to_owned())
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
    ] {
        assert_eq!(check("/", &[("host", host)]), Err("host_refused".into()), "{host}");
    }
    assert!(check("/", &[]).is_err());
    assert!(check("/", &[("host", "localhost"), ("host", "evil.example")]).is_err());
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

//! The web app as the server gives it: whatever was built, these things hold.

use std::io::Read as _;

use windlass_server::ServerConfig;

use crate::stage::Stage;
use crate::streams::TALK;

const PAGES: [&str; 12] = [
    "/",
    "/s/session_1",
    "/runs/run_1",
    "/compare",
    "/tasks",
    "/tools",
    "/tools/read_file",
    "/permissions",
    "/models",
    "/search",
    "/saves",
    "/saves/save_1",
];

/// Paths of files that a page names.
fn named(page: &str) -> Vec<String> {
    let quoted =
        page.split('"').filter(|piece| piece.starts_with('/') && !piece.contains(char::is_whitespace));
    quoted.map(str::to_owned).collect()
}

async fn guarded() -> Stage {
    let token = Some("open-sesame-open".into());
    Stage::with(TALK, ServerConfig { token, ..ServerConfig::default() }).await
}

#[tokio::test]
async fn every_page_of_the_app_opens_without_a_token_and_nothing_else_does() {
    let stage = guarded().await;
    let client = stage.client();
    let index = client.get("/").await;
    for path in PAGES {
        let page = client.get(path).await;
        assert_eq!(
            (page.status, page.header("content-type")),
            (200, Some("text/html; charset=utf-8")),
            "{path}"
        );
        assert_eq!(page.header("cache-control"), Some("no-cache"), "{path}");
        assert_eq!(page.body, index.body, "{path}");
    }
    for path in named(&index.body) {
        assert_eq!(client.get(&path).await.status, 200, "{path}");
    }
    for path in ["/api/about", "/api/sessions", "/docs", "/metrics", "/s", "/runs"] {
        assert_eq!(client.send("GET", path, None).await.status, 401, "{path}");
    }
    assert_eq!(client.send("POST", "/tools", Some("{}")).await.status, 401);
}

#[tokio::test]
async fn what_the_page_names_is_there_and_may_be_kept_for_good() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let index = client.get("/").await.body;
    assert!(!index.contains("://"), "the page takes something from elsewhere: {index}");
    let hashed: Vec<String> = named(&index).into_iter().filter(|path| path.starts_with("/assets/")).collect();
    assert!(hashed.iter().any(|path| path.ends_with(".js")), "{index}");
    for path in hashed {
        let file = client.get(&path).await;
        let kind = file.header("content-type").unwrap();
        assert!(
            kind.starts_with("text/") || kind.starts_with("image/") || kind.starts_with("font/"),
            "{path}: {kind}"
        );
        assert_eq!(file.header("cache-control"), Some("public, max-age=31536000, immutable"), "{path}");
        assert_eq!(file.header("x-content-type-options"), Some("nosniff"));
    }
    let icon = client.get("/favicon.svg").await;
    assert_eq!(icon.header("content-type"), Some("image/svg+xml"));
    assert_eq!(icon.header("cache-control"), Some("no-cache"));
}

#[tokio::test]
async fn what_a_browser_has_is_not_sent_again() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let index = client.get("/").await;
    let tag = index.header("etag").unwrap();
    let again = client.with("If-None-Match", tag).get("/tasks").await;
    assert_eq!((again.status, again.body.as_str(), again.header("etag")), (304, "", Some(tag)));
    assert_eq!(again.header("cache-control"), Some("no-cache"));
    assert_eq!(again.header("vary"), Some("Accept-Encoding"));
    let other = client.with("If-None-Match", "\"other\"").get("/").await;
    assert_eq!((other.status, other.body), (200, index.body));
}

#[tokio::test]
async fn files_are_compressed_for_those_who_take_that() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let index = client.get("/").await;
    let script = named(&index.body).into_iter().find(|path| path.ends_with(".js")).unwrap();
    let plain = client.get(&script).await;
    assert_eq!((plain.header("content-encoding"), plain.header("vary")), (None, Some("Accept-Encoding")));
    let packed = client.with("Accept-Encoding", "br, GZIP;q=0.8").send("GET", &script, None).await;
    let header = |name: &str| {
        packed.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.clone())
    };
    assert_eq!(header("content-encoding").as_deref(), Some("gzip"));
    assert_eq!(header("vary").as_deref(), Some("Accept-Encoding"));
    let tag = header("etag").unwrap();
    assert_ne!(Some(tag.as_str()), plain.header("etag"));
    let bytes = packed.bytes().await;
    assert!(bytes.len() < plain.body.len());
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).unwrap();
    assert_eq!(text, plain.body);
    let known = client.with("Accept-Encoding", "gzip").with("If-None-Match", &tag).get(&script).await;
    assert_eq!(known.status, 304);
    let refused = client.with("Accept-Encoding", "gzip;q=0").get(&script).await;
    assert_eq!(refused.header("content-encoding"), None);
}

#[tokio::test]
async fn a_file_that_is_not_there_is_a_problem_and_no_page() {
    let stage = Stage::new(TALK).await;
    for path in ["/assets/nothing.js", "/assets/../index.html", "/assets/%2e%2e/index.html"] {
        let answer = stage.client().send("GET", path, None).await;
        assert_eq!(answer.status, 404, "{path}");
    }
    let missing = stage.client().get("/assets/nothing.js").await;
    assert_eq!(
        (missing.code().as_str(), missing.header("cache-control")),
        ("asset_not_found", Some("no-store"))
    );
    assert_eq!(stage.client().get("/s").await.code(), "route_not_found");
}

#[tokio::test]
async fn an_unknown_address_is_the_app_for_browsers_and_a_problem_for_programs() {
    let stage = Stage::new(TALK).await;
    let browser = stage.client().with("Accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    let page = browser.get("/nowhere/at/all").await;
    assert_eq!((page.status, page.header("content-type")), (404, Some("text/html; charset=utf-8")));
    assert_eq!(stage.client().get("/nowhere/at/all").await.code(), "route_not_found");
    for path in ["/api/nowhere", "/v1/nowhere", "/api"] {
        let kind = browser.get(path).await.header("content-type").map(str::to_owned);
        assert!(kind.is_some_and(|kind| kind.contains("json")), "{path}");
    }
    assert_eq!(browser.ask("POST", "/nowhere", None).await.code(), "route_not_found");
}

#[tokio::test]
async fn links_of_other_pages_lead_to_the_app_and_forms_and_scripts_do_not() {
    let stage = Stage::new(TALK).await;
    let foreign = stage.client().with("Sec-Fetch-Site", "cross-site");
    let link = foreign.with("Sec-Fetch-Mode", "navigate");
    for path in PAGES {
        assert_eq!(link.get(path).await.status, 200, "{path}");
        assert_eq!(foreign.with("Sec-Fetch-Mode", "no-cors").get(path).await.status, 403, "{path}");
        assert_eq!(link.ask("POST", path, None).await.status, 403, "{path}");
    }
    assert_eq!(link.get("/api/sessions").await.status, 403);
    assert_eq!(link.get("/docs").await.status, 200);
    assert_eq!(stage.client().ask("POST", "/", None).await.status, 405);
}

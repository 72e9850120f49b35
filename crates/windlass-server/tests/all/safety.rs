//! What the server refuses, and what it never lets out.

use serde_json::json;
use windlass_core::text::redact::SecretRegistry;
use windlass_server::{Rate, ServerConfig, ServerLimits};

use crate::stage::Stage;
use crate::streams::TALK;

fn limited(limits: ServerLimits) -> ServerConfig {
    ServerConfig { limits, ..ServerConfig::default() }
}

#[tokio::test]
async fn foreign_names_and_pages_are_refused_on_every_route() {
    let stage = Stage::new(TALK).await;
    for path in ["/", "/healthz", "/api/sessions", "/metrics", "/nothing", "/openapi.json"] {
        let rebound = stage.client().with("Host", "evil.example").get(path).await;
        assert_eq!((rebound.status, rebound.code().as_str()), (403, "host_refused"), "{path}");
        let foreign = stage.client().with("Origin", "http://evil.example").get(path).await;
        assert_eq!((foreign.status, foreign.code().as_str()), (403, "origin_refused"), "{path}");
    }
    let own = format!("http://{}", stage.address);
    assert_eq!(stage.client().with("Origin", &own).get("/api/sessions").await.status, 200);
    let simple = stage.client().with("Origin", "http://evil.example").with("Content-Type", "text/plain");
    assert_eq!(simple.ask("POST", "/api/sessions", Some("{}")).await.status, 403);
}

#[tokio::test]
async fn a_listed_page_may_ask_and_is_told_so() {
    let config = ServerConfig { origins: vec!["https://app.example".into()], ..ServerConfig::default() };
    let stage = Stage::with(TALK, config).await;
    let page = stage.client().with("Origin", "https://app.example");
    let answer = page.get("/api/sessions").await;
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example"));
    let preflight =
        page.with("Access-Control-Request-Method", "POST").ask("OPTIONS", "/api/sessions", None).await;
    assert_eq!(preflight.status, 204);
    assert!(preflight.header("access-control-allow-headers").unwrap().contains("last-event-id"));
}

#[tokio::test]
async fn a_server_with_a_token_lets_nobody_in_without_it() {
    let stage =
        Stage::with(TALK, ServerConfig { token: Some("open-sesame".into()), ..ServerConfig::default() })
            .await;
    let refused = stage.client().get("/api/sessions").await;
    assert_eq!((refused.status, refused.header("www-authenticate")), (401, Some("Bearer")));
    assert_eq!(
        stage.client().with("Authorization", "Bearer open-sesam").get("/api/sessions").await.status,
        401
    );
    assert_eq!(
        stage.client().with("Authorization", "Bearer open-sesame").get("/api/sessions").await.status,
        200
    );
    assert_eq!(stage.client().get("/healthz").await.status, 200);
    assert_eq!(stage.client().get("/metrics").await.status, 401);
}

#[tokio::test]
async fn a_server_without_a_folder_trusts_none_and_says_so() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let trust = client.post("/api/trust", &json!({"digest": "a"})).await;
    for answer in [client.get("/api/trust").await, trust, client.ask("DELETE", "/api/trust", None).await] {
        assert_eq!((answer.status, answer.code().as_str()), (404, "folder_not_found"));
    }
}

#[tokio::test]
async fn what_is_too_much_is_refused_with_a_wait_and_never_a_crash() {
    let near_rate = Rate { per_second: 1, burst: 4 };
    let limits = ServerLimits { near_rate, body_bytes_max: 1_000, ..ServerLimits::default() };
    let stage = Stage::with(TALK, limited(limits)).await;
    let client = stage.client();
    let large = client.post("/api/sessions", &json!({"title": "x".repeat(2_000)})).await;
    assert_eq!((large.status, large.code().as_str()), (413, "body_too_large"));
    for _ in 0..3 {
        assert_eq!(client.get("/healthz").await.status, 200);
    }
    let refused = client.get("/healthz").await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "too_many_requests"));
    assert_eq!(refused.header("retry-after"), Some("1"));
}

#[tokio::test]
async fn requests_beyond_the_bound_are_told_to_come_back() {
    let stage = Stage::with(TALK, limited(ServerLimits { requests_max: 0, ..ServerLimits::default() })).await;
    let refused = stage.client().get("/api/sessions").await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "requests_full"));
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(stage.client().get("/healthz").await.status, 200, "what is open to all takes no place");
}

#[tokio::test]
async fn a_head_that_is_too_large_ends_the_connection_and_not_the_server() {
    let stage = Stage::new(TALK).await;
    let huge = stage.client().with("X-Filler", &"x".repeat(20_000)).send("GET", "/healthz", None).await;
    assert_eq!(huge.status, 431);
    let many = (0..100).fold(stage.client(), |client, number| client.with(&format!("X-{number}"), "x"));
    assert_eq!(many.send("GET", "/healthz", None).await.status, 431);
    assert_eq!(stage.client().get("/healthz").await.status, 200);
}

#[tokio::test]
async fn every_refusal_is_a_problem_document() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let cases = [
        (client.get("/nothing").await, 404, "route_not_found"),
        (client.delete("/api/sessions").await, 405, "method_not_allowed"),
        (client.with("Accept", "image/png").get("/api/sessions").await, 406, "not_acceptable"),
        (
            client.with("Content-Type", "text/plain").ask("POST", "/api/sessions", Some("{}")).await,
            415,
            "not_json",
        ),
        (client.ask("POST", "/api/sessions", Some("{")).await, 400, "bad_json"),
        (client.ask("POST", "/api/sessions", Some("[]")).await, 400, "invalid_request"),
        (client.get("/api/sessions?rows=many").await, 400, "invalid_request"),
        (client.get("/api/sessions?before=x").await, 400, "invalid_request"),
        (client.get("/api/sessions/%FF").await, 400, "invalid_request"),
        (client.get("/api/tasks").await, 400, "invalid_request"),
    ];
    for (answer, status, code) in cases {
        assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{code}");
        assert_eq!((answer.status, answer.code().as_str()), (status, code));
        assert_eq!(answer.json()["status"], status);
        assert_eq!(answer.header("allow").is_some(), status == 405);
    }
}

#[tokio::test]
async fn answers_keep_browsers_strict() {
    let stage = Stage::new(TALK).await;
    let answer = stage.client().get("/").await;
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(answer.header("x-frame-options"), Some("DENY"));
}

#[tokio::test]
async fn planted_secrets_do_not_come_out_anywhere() {
    let (own, known) = ("correct-horse-battery", "sk-abcdefghijklmnop0123456789");
    let script = format!(
        "chunk all\nuser Go.\nmodel reasoning The key is {own}.\nmodel text It is {known} or {own}.\n\
         model call 1 calculate {{\"expression\":\"{own}\"}}\ntool 1 ok {{\"found\":\"Bearer abcdefghijklmnop\",\"{own}\":1}}\n\
         model call 2 read_file {{\"path\":\"{own}\"}}\ntool 2 fail not_found No {own} here\nmodel text {own}\n"
    );
    let config = ServerConfig { secrets: SecretRegistry::from_iter([own.into()]), ..ServerConfig::default() };
    let stage = Stage::with(&script, config).await;
    let client = stage.client();
    let session = client.session().await;
    let wish = json!({"message": format!("My key is {own}.")});
    let started = client.post(&format!("/api/sessions/{session}/runs"), &wish).await.json();
    let run = started["run_id"].as_str().unwrap();
    let mut reading = client.events(run, None).await;
    let asked = reading.wait_for("permission_request").await;
    let mut seen = client.get(&format!("/api/runs/{run}/permissions")).await.body;
    let answer = json!({"decision": "once", "digest": asked["digest"]});
    client.post(&format!("/api/runs/{run}/permissions/call_2"), &answer).await;
    reading.wait_for("done").await;
    seen.push_str(&client.all_events(run).await);
    for path in ["", "/trace", "/steps/1", "/steps/2", "/steps/3"] {
        seen.push_str(&client.get(&format!("/api/runs/{run}{path}")).await.body);
    }
    for path in ["/api/sessions".to_owned(), format!("/api/sessions/{session}"), "/metrics".into()] {
        seen.push_str(&client.get(&path).await.body);
    }
    assert!(seen.contains("***"));
    for secret in [own, known, "abcdefghijklmnop"] {
        assert!(!seen.contains(secret), "{secret} came out in {seen}");
    }
}

use super::*;

fn error(status: u16, body: &str) -> HostError {
    let (url, asked) = ("http://box:4117", "GET /api/x");
    RefusedRequest { url, asked, has_token: false, status, retry_after_ms: Some(2_000), body }.error()
}

fn problem(status: u16, code: &str) -> HostError {
    let body = serde_json::json!({
        "type": "about:blank", "title": "T", "status": status, "code": code, "detail": "Why.",
        "field": "model", "subject": "x",
    });
    error(status, &body.to_string())
}

#[test]
fn every_problem_is_the_error_that_the_host_meant() {
    let why = || "Why.".to_owned();
    for (status, code, meant) in [
        (404, "run_not_found", HostError::Missing { what: "run", id: "x".into() }),
        (404, "rule_not_found", HostError::Missing { what: "rule", id: "x".into() }),
        (400, "invalid_request", HostError::Invalid { field: Some("model"), message: why() }),
        (413, "body_too_large", HostError::Invalid { field: Some("model"), message: why() }),
        (409, "step_missing", HostError::Invalid { field: Some("step"), message: why() }),
        (409, "run_goes_on", HostError::Busy("x".into())),
        (409, "session_held", HostError::Held("x".into())),
        (409, "question_stale", HostError::Stale(why())),
        (409, "digest_mismatch", HostError::Stale(why())),
        (409, "conflict", HostError::Conflict(why())),
        (503, "overloaded", HostError::Overloaded { message: why(), retry_after_ms: 2_000 }),
        (429, "too_often", HostError::Overloaded { message: why(), retry_after_ms: 2_000 }),
        (503, "closing", HostError::Closing),
        (500, "internal", HostError::Broken(why())),
        (504, "timed_out", HostError::Broken(why())),
    ] {
        assert_eq!(problem(status, code), meant, "{code}");
    }
    let older = problem(404, "route_not_found");
    assert!(matches!(older, HostError::Incompatible(_)), "{older:?}");
    let older = older.to_string();
    assert!(older.contains("GET /api/x") && older.contains("older"), "{older}");
}

#[test]
fn a_server_that_wants_a_token_is_told_from_one_that_refuses_it() {
    let without = problem(401, "unauthorized");
    assert_eq!(without, HostError::Unauthorised("http://box:4117 wants a token".to_owned()));
    let refusal = RefusedRequest {
        url: "http://box",
        asked: "GET /",
        has_token: true,
        status: 401,
        retry_after_ms: None,
        body: "",
    };
    assert!(refusal.error().to_string().contains("refuses the token"));
}

#[test]
fn what_others_say_on_the_way_is_told_as_theirs() {
    assert!(matches!(error(503, "<html>"), HostError::Overloaded { retry_after_ms: 2_000, .. }));
    let gateway = error(502, "<html>").to_string();
    assert!(gateway.contains("before http://box:4117"), "{gateway}");
    for told in [error(404, "not found"), error(403, "{}"), error(200, "[]")] {
        let told = told.to_string();
        assert!(told.contains("not as Windlass does") && told.contains("GET /api/x"), "{told}");
    }
}

#[test]
fn a_server_that_is_not_there_is_told_with_what_was_tried() {
    let told = |code: &str, is_retryable: bool| {
        let mut failure = ModelFailure::passing(code, "the words of models");
        (failure.is_retryable, failure.detail) = (is_retryable, Some("refused".into()));
        unreached("http://box:4117", &failure).to_string()
    };
    for code in ["network", "timeout", "cut", "malformed", "bad_request"] {
        assert!(told(code, true).contains("http://box:4117"), "{code}");
    }
    assert!(told("network", true).contains("refused") && told("network", true).contains("windlass serve"));
    assert_eq!(told("network", false), "the words of models", "certificates have words of their own");
}

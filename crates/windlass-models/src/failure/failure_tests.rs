use serde_json::json;

use super::*;
use crate::quirks::Quirks;
use crate::target::{Abilities, AuthForm, WireKind};

const KEY: &str = "sk-very-secret-123";

fn target() -> ModelTarget {
    ModelTarget {
        name: "acme/m-1".into(),
        provider: "acme".into(),
        model: "m-1".into(),
        wire: WireKind::Chat,
        base_url: "https://user:pw@api.acme.test/v1?key=q".into(),
        auth: AuthForm::Bearer,
        key: Some(KEY.into()),
        headers: vec![("x-extra-token".into(), "tok-abcdefgh".into())],
        quirks: Quirks::default(),
        abilities: Abilities::default(),
    }
}

fn failure(status: u16, body: &str) -> ModelFailure {
    of_status(&target(), status, None, body)
}

/// Status, body, code, whether asking again may help.
const CASES: &[(u16, &str, &str, bool)] = &[
    (401, r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#, "auth", false),
    (403, r#"{"error":"forbidden"}"#, "auth", false),
    (
        400,
        r#"[{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}]"#,
        "auth",
        false,
    ),
    (
        404,
        r#"{"error":{"message":"The model `m-1` does not exist","code":"model_not_found"}}"#,
        "model_unknown",
        false,
    ),
    (404, r#"{"error":"model 'm-1' not found, try pulling it first"}"#, "model_unknown", false),
    (
        404,
        r#"{"type":"error","error":{"type":"not_found_error","message":"model: m-1"}}"#,
        "model_unknown",
        false,
    ),
    (400, r#"{"error":{"message":"Model Not Exist"}}"#, "model_unknown", false),
    (400, r#"{"error":{"message":"m-1 is not a valid model ID","code":400}}"#, "model_unknown", false),
    (404, "404 page not found", "bad_request", false),
    (404, "<!DOCTYPE html><html></html>", "bad_request", false),
    (402, r#"{"error":{"message":"Insufficient credits","code":402}}"#, "quota", false),
    (
        429,
        r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#,
        "quota",
        false,
    ),
    (
        400,
        r#"{"error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}"#,
        "quota",
        false,
    ),
    (429, r#"{"error":{"message":"Rate limit reached","type":"requests"}}"#, "rate_limit", true),
    (429, "", "rate_limit", true),
    (400, r#"{"error":{"message":"tools[0]: bad","type":"invalid_request_error"}}"#, "bad_request", false),
    (
        422,
        r#"{"detail":[{"loc":["body","x"],"msg":"Extra inputs are not permitted"}]}"#,
        "bad_request",
        false,
    ),
    (400, "", "bad_request", false),
    (413, "", "context_overflow", false),
    (400, r#"{"error":{"message":"x","code":"context_length_exceeded"}}"#, "context_overflow", false),
    (
        400,
        r#"{"error":{"code":400,"message":"y","type":"exceed_context_size_error"}}"#,
        "context_overflow",
        false,
    ),
    (500, r#"{"error":{"message":"oops","type":"server_error"}}"#, "overloaded", true),
    (
        500,
        r#"{"error":{"message":"The model produced output that does not match the expected peg-native format"}}"#,
        "overloaded",
        true,
    ),
    (502, "<html>Bad gateway</html>", "overloaded", true),
    (503, "", "overloaded", true),
    (
        529,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        "overloaded",
        true,
    ),
    (408, "", "timeout", true),
    (504, "", "overloaded", true),
    (501, "", "bad_request", false),
    (307, "", "bad_request", false),
    (400, r#"{"error":{"message":"The response was filtered","code":"content_filter"}}"#, "filtered", false),
    (418, "teapot", "bad_request", false),
];

#[test]
fn every_status_and_text_has_its_code_and_says_whether_to_ask_again() {
    for (status, body, code, is_retryable) in CASES {
        let failure = failure(*status, body);
        assert_eq!(
            (failure.kind.word(), failure.is_retryable),
            (*code, *is_retryable),
            "{status} {body}: {failure:?}"
        );
    }
}

#[test]
fn r_41_a_model_without_tools_is_a_clear_error_that_names_the_way_out() {
    let texts = [
        (400, "registry.ollama.ai/library/m-1 does not support tools"),
        (404, "No endpoints found that support tool use. To learn more about provider routing, visit"),
        (400, "`tool calling` is not supported with this model"),
        (400, "Function calling is not enabled for this model"),
        (400, "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"),
        (500, "tools param requires --jinja flag"),
    ];
    for (status, text) in texts {
        let failure = failure(
            if status == 500 { 400 } else { status },
            &json!({"error": {"message": text}}).to_string(),
        );
        assert_eq!((failure.kind.word(), failure.is_retryable), ("no_tool_support", false), "{text}");
        for way in ["another model", "calls = \"tags\"", "windlass models doctor acme/m-1", text] {
            assert!(failure.message.contains(way), "{way} is not in: {failure}");
        }
    }
    let choice = failure(400, r#"{"error":{"message":"tool_choice 'required' is not supported"}}"#);
    assert_eq!(choice.kind.word(), "bad_request");
}

#[test]
fn r_62_an_error_object_inside_an_answer_is_judged_by_what_it_says() {
    let cases = [
        (json!({"message": "Provider returned error", "code": 429}), "rate_limit", true),
        (json!({"message": "Provider disconnected", "code": "502"}), "overloaded", true),
        (json!({"type": "overloaded_error", "message": "Overloaded"}), "overloaded", true),
        (
            json!({"type": "invalid_request_error", "message": "prompt is too long: 9 > 8"}),
            "context_overflow",
            false,
        ),
        (json!({"type": "authentication_error", "message": "invalid x-api-key"}), "auth", false),
        (json!({"type": "invalid_request_error", "message": "bad"}), "bad_request", false),
        (
            json!({"code": "rate_limit_exceeded", "message": "slow down, try again in 1.5s"}),
            "rate_limit",
            true,
        ),
        (json!("something broke"), "overloaded", true),
        (json!({"strange": [1]}), "overloaded", true),
        (
            json!({"code": 400, "message": "Provider returned error",
                   "metadata": {"raw": "{\"error\":{\"message\":\"m does not support tools\"}}"}}),
            "no_tool_support",
            false,
        ),
    ];
    for (error, code, is_retryable) in cases {
        let failure = in_band(&target(), &error);
        assert_eq!((failure.kind.word(), failure.is_retryable), (code, is_retryable), "{error}: {failure:?}");
    }
}

#[test]
fn a_wait_comes_from_the_header_or_from_what_the_provider_says() {
    assert_eq!(of_status(&target(), 429, Some(2_000), "try again in 9s").retry_after_ms, Some(2_000));
    assert_eq!(failure(429, "Please try again in 9s.").retry_after_ms, Some(9_000));
    let gemini = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED",
        "message": "You exceeded your current quota, please check your plan and billing details.",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "17s"}]}});
    let failed = failure(429, &gemini.to_string());
    assert_eq!((failed.kind.word(), failed.retry_after_ms), ("rate_limit", Some(17_000)));
    assert_eq!(of_status(&target(), 401, Some(2_000), "").retry_after_ms, None);
}

#[test]
fn openai_0_cerebras_says_nothing_when_a_request_is_too_long() {
    let cerebras = ModelTarget { provider: "cerebras".into(), ..target() };
    for status in [400, 413] {
        assert_eq!(of_status(&cerebras, status, None, "").kind.word(), "context_overflow");
    }
}

#[test]
fn no_key_is_in_any_failure_although_the_provider_echoes_it() {
    let echo = json!({"error": {"message": format!("bad key {KEY} and tok-abcdefgh, {}", "x".repeat(600)), "type": KEY}});
    let failures = [
        failure(401, &echo.to_string()),
        failure(500, &format!("plain {KEY}")),
        in_band(&target(), &echo),
        malformed(&target(), KEY, &format!("expected {KEY}")),
        of_page(&target(), &format!("<html>{KEY}")),
    ];
    for failure in failures {
        let shown = format!("{failure} {failure:?} {}", serde_json::to_string(&failure).unwrap());
        assert!(!shown.contains(KEY) && !shown.contains("tok-abcdefgh"), "{shown}");
        assert!(shown.contains("***"), "{shown}");
        assert!(failure.message.chars().count() < QUOTE_CHARS_MAX + 300);
    }
}

#[test]
fn an_address_is_shown_without_user_password_and_query() {
    let failure = failure(404, "nothing");
    assert!(failure.message.contains("https://api.acme.test/v1"), "{failure}");
    assert!(!failure.message.contains("pw") && !failure.message.contains("key=q"), "{failure}");
}

#[test]
fn a_missing_key_is_told_apart_from_a_wrong_one() {
    assert!(failure(401, "").message.contains("check the key of acme"));
    let open = ModelTarget { key: None, ..target() };
    assert!(of_status(&open, 401, None, "").message.contains("none is set"));
}

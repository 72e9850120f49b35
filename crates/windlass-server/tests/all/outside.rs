//! Calls from outside a run: what somebody said yes to, what is still refused, and what the log says of it.

use serde_json::{Value, json};

use crate::client::Client;
use crate::stage::Stage;

const NOTHING: &str = "user Go.\nmodel text Hi.\n";

/// The same with the consent of somebody who looked at what would be asked.
async fn agreed(client: &Client, tool: &str, mut body: Value) -> Value {
    let asked = client.post(&format!("/api/tools/{tool}/call"), &body).await;
    assert_eq!((asked.status, &asked.json()["code"]), (409, &json!("needs_consent")), "{asked:?}");
    body["digest"] = asked.json()["question"]["digest"].clone();
    body["approve"] = "once".into();
    call(client, tool, body).await
}

async fn call(client: &Client, tool: &str, body: Value) -> Value {
    let answer = client.post(&format!("/api/tools/{tool}/call"), &body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

#[tokio::test]
async fn a_call_that_somebody_said_yes_to_runs_and_no_other() {
    let stage = Stage::new(NOTHING).await;
    let client = stage.client();
    let arguments = json!({"path": "a"});
    let asked = client.post("/api/tools/write_file/call", &json!({"arguments": arguments})).await;
    let question = &asked.json()["question"];
    assert_eq!((asked.status, &question["arguments"]), (409, &json!("{\"path\":\"a\"}")));
    let allowed = agreed(&client, "write_file", json!({"arguments": arguments})).await;
    assert_eq!((&allowed["status"], &allowed["result"]), (&json!("ok"), &json!("fine")));
    assert_eq!(allowed["outcome"]["body"]["Ok"]["json"], "fine", "the outcome whole");
    let again = client.post("/api/tools/write_file/call", &json!({"arguments": arguments})).await;
    assert_eq!(again.status, 409, "once is once");
    let digest = &question["digest"];
    let other = json!({"arguments": {"path": "b"}, "approve": "once", "digest": digest});
    let stale = client.post("/api/tools/write_file/call", &other).await;
    assert_eq!((stale.status, &stale.json()["code"]), (409, &json!("question_stale")));
    let unnamed = json!({"arguments": arguments, "approve": "once"});
    let unnamed = client.post("/api/tools/write_file/call", &unnamed).await;
    assert_eq!((unnamed.status, &unnamed.json()["field"]), (400, &json!("digest")));
    let invalid =
        call(&client, "write_file", json!({"arguments": {}, "approve": "once", "digest": digest})).await;
    assert_eq!((&invalid["status"], &invalid["error"]["kind"]), (&json!("failed"), &json!("invalid_args")));
    let wrong = client.post("/api/tools/write_file/call", &json!({"approve": "always"})).await;
    assert_eq!((wrong.status, &wrong.json()["field"]), (400, &json!("approve")));
}

#[tokio::test]
async fn r_51_a_critical_call_needs_its_word_from_outside_too() {
    let stage = Stage::new(NOTHING).await;
    let client = stage.client();
    let asked = client.post("/api/policies/explain", &json!({"tool": "drop_tables"})).await.json();
    let word = asked["question"]["confirm_word"].as_str().unwrap();
    assert_eq!((&asked["question"]["risk"], word), (&json!("critical"), "drop_tables"));
    for confirmation in [Value::Null, json!("yes")] {
        let refused = agreed(&client, "drop_tables", json!({"confirmation": confirmation})).await;
        assert_eq!(refused["status"], "denied", "{refused}");
    }
    let allowed = agreed(&client, "drop_tables", json!({"confirmation": word})).await;
    assert_eq!(allowed["status"], "ok", "{allowed}");
}

#[tokio::test]
async fn a_rule_that_denies_wins_over_whoever_says_yes() {
    let stage = Stage::new(NOTHING).await;
    let client = stage.client();
    client.post("/api/policies", &json!({"effect": "deny", "rule": "write_file"})).await;
    let body = json!({"arguments": {"path": "a"}, "approve": "once", "digest": "any"});
    assert_eq!(call(&client, "write_file", body).await["status"], "denied");
    let explained = client
        .post("/api/policies/explain", &json!({"tool": "write_file", "arguments": {"path": "a"}}))
        .await
        .json();
    assert!(explained.get("question").is_none(), "{explained}");
}

#[tokio::test]
async fn where_nobody_is_ever_asked_nobody_can_have_said_yes() {
    let stage = Stage::new("approve never\nuser Go.\nmodel text Hi.\n").await;
    let body = json!({"arguments": {"path": "a"}, "approve": "once", "digest": "any"});
    assert_eq!(call(&stage.client(), "write_file", body).await["status"], "denied");
}

#[tokio::test]
async fn what_would_be_asked_is_explained_before_anything_runs() {
    let stage = Stage::new(NOTHING).await;
    let client = stage.client();
    let body = json!({"tool": "write_file", "arguments": {"path": "a"}});
    let explained = client.post("/api/policies/explain", &body).await.json();
    let question = &explained["question"];
    assert_eq!((&question["tool"], &question["risk"]), (&json!("write_file"), &json!("high")));
    assert_eq!(question["arguments"], "{\"path\":\"a\"}");
    assert_eq!((&question["rule"], &question["preview"]["kind"]), (&json!("write_file"), &json!("text")));
    assert!(question["digest"].is_string() && question.get("confirm_word").is_none(), "{question}");
    let safe = client.post("/api/policies/explain", &json!({"tool": "calculate"})).await.json();
    assert!(safe.get("question").is_none(), "{safe}");
}

#[tokio::test]
async fn decisions_are_read_back_newest_first_and_by_tool() {
    let stage = Stage::new(NOTHING).await;
    let client = stage.client();
    assert_eq!(client.get("/api/policies/audit").await.json()["entries"], json!([]));
    call(&client, "calculate", json!({})).await;
    agreed(&client, "write_file", json!({"arguments": {"path": "a"}})).await;
    let entries = client.get("/api/policies/audit").await.json()["entries"].clone();
    let decisions: Vec<(&str, &str)> = entries
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (entry["tool"].as_str().unwrap(), entry["decision"].as_str().unwrap()))
        .collect();
    assert_eq!(
        decisions,
        [("write_file", "user_approved"), ("write_file", "denied_by_policy"), ("calculate", "auto_approved")]
    );
    assert_eq!(
        (&entries[0]["args"], &entries[0]["reason"]),
        (&json!("{\"path\":\"a\"}"), &json!("user: once"))
    );
    assert!(entries[0]["ts_ms"].as_u64().unwrap() > 0);
    let newest = client.get("/api/policies/audit?rows=1").await.json();
    assert_eq!(newest["entries"], json!([entries[0]]));
    let of_tool = client.get("/api/policies/audit?tool=calculate").await.json();
    assert_eq!(of_tool["entries"], json!([entries[2]]));
    assert_eq!(client.get("/api/policies/audit?rows=x").await.status, 400);
}

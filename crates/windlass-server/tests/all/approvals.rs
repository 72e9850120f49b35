//! Approvals over HTTP: an answer counts once, for one run, and for exactly the question that was shown.

use serde_json::{Value, json};

use crate::client::{Client, StreamStart};
use crate::stage::Stage;

const ASKS: &str = "user Go.\nmodel call 1 read_file {\"path\":\"a\"}\nmodel call 2 read_file {\"path\":\"b\"}\n\
    tool 1 text A\ntool 2 text B\nmodel text Read.\n";

async fn asked(stage: &Stage) -> (Client, String, StreamStart, Value) {
    let client = stage.client();
    let run = client.run().await;
    let mut reading = client.events(&run, None).await;
    let question = reading.wait_for("permission_request").await;
    (client, run, reading, question)
}

#[tokio::test]
async fn an_answer_with_the_right_digest_counts_and_only_once() {
    let stage = Stage::new(ASKS).await;
    let (client, run, mut reading, question) = asked(&stage).await;
    let path = format!("/api/runs/{run}/permissions/{}", question["id"].as_str().unwrap());
    let listed = client.get(&format!("/api/runs/{run}/permissions")).await.json();
    assert_eq!(listed["questions"][0]["digest"], question["digest"]);
    let answer = json!({"decision": "session", "digest": question["digest"]});
    assert_eq!(client.post(&path, &answer).await.status, 204);
    reading.wait_for("permission_decision").await;
    let again = client.post(&path, &answer).await;
    assert_eq!((again.status, again.code().as_str()), (409, "question_stale"));
}

#[tokio::test]
async fn a_wrong_digest_a_foreign_run_and_a_wrong_word_are_refused() {
    let stage = Stage::new(ASKS).await;
    let (client, run, _reading, question) = asked(&stage).await;
    let (_, other, _other_reading, foreign) = asked(&stage).await;
    let call = question["id"].as_str().unwrap();
    let path = format!("/api/runs/{run}/permissions/{call}");
    assert_ne!(foreign["digest"], question["digest"]);
    let wrong = client.post(&path, &json!({"decision": "once", "digest": foreign["digest"]})).await;
    assert_eq!((wrong.status, wrong.code().as_str()), (409, "digest_mismatch"));
    let never = client
        .post(&format!("/api/runs/{other}/permissions/call_99"), &json!({"decision": "once", "digest": "0"}))
        .await;
    assert_eq!((never.status, never.code().as_str()), (409, "question_stale"));
    for without in [json!({"decision": "once"}), json!({"decision": "deny", "digest": ""})] {
        let without = client.post(&path, &without).await;
        assert_eq!((without.status, without.code().as_str()), (400, "digest_required"));
    }
    let word = client.post(&path, &json!({"decision": "yes"})).await;
    assert_eq!((word.status, word.json()["field"].as_str()), (400, Some("decision")));
    let kind = client.post(&path, &json!({"decision": 1})).await;
    assert_eq!((kind.status, kind.json()["field"].as_str()), (400, Some("decision")));
    assert_eq!(
        client
            .post("/api/runs/none/permissions/call_1", &json!({"decision": "once", "digest": "0"}))
            .await
            .status,
        404
    );
    assert_eq!(
        client.get(&format!("/api/runs/{run}/permissions")).await.json()["questions"][0]["call_id"],
        call
    );
}

#[tokio::test]
async fn several_questions_are_answered_at_once_or_not_at_all() {
    let stage = Stage::new(ASKS).await;
    let (client, run, mut reading, _) = asked(&stage).await;
    reading.wait_for("permission_request").await;
    let path = format!("/api/runs/{run}/permissions");
    let open = client.get(&path).await.json();
    let digests: Vec<&Value> =
        open["questions"].as_array().unwrap().iter().map(|one| &one["digest"]).collect();
    let answers = |second: &Value| {
        json!({"answers": [
            {"call_id": "call_1", "decision": "once", "digest": digests[0]},
            {"call_id": "call_2", "decision": "deny", "digest": second},
        ]})
    };
    assert_eq!(client.post(&path, &answers(digests[0])).await.code(), "digest_mismatch");
    assert_eq!(client.get(&path).await.json()["questions"].as_array().unwrap().len(), 2);
    assert_eq!(client.post(&path, &json!({"answers": []})).await.status, 400);
    assert_eq!(client.post(&path, &answers(digests[1])).await.status, 204);
    assert_eq!(reading.wait_for("done").await["outcome"], "completed");
    let trace = client.get(&format!("/api/runs/{run}/trace")).await.json();
    assert_eq!(
        (&trace["tools"][0]["status"], &trace["tools"][1]["status"]),
        (&json!("completed"), &json!("failed"))
    );
}

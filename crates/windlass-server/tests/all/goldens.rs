//! Golden files: the streams of fixture scripts, with ids and times made the same every time.

use serde_json::json;

use crate::client::Client;
use crate::document::{hold, place};
use crate::stage::Stage;

/// Scripts whose streams are kept.
const KEPT: [&str; 9] = [
    "plain_answer",
    "one_call",
    "reasoning",
    "approve_once",
    "call_fails",
    "model_fails_for_good",
    "search_quota",
    "bad_json_corrected",
    "text_before_call",
];

/// Reads a run and allows every call that asks.
async fn read_allowing(client: &Client, run: &str) -> String {
    let mut reading = client.events(run, None).await;
    let mut all = String::new();
    while let Some(frame) = reading.frame().await {
        all.push_str(&frame);
        if frame.contains("\"type\":\"permission_request\"") {
            let question = crate::client::payload(&frame);
            let path = format!("/api/runs/{run}/permissions/{}", question["id"].as_str().unwrap());
            let answer = json!({"decision": "once", "digest": question["digest"]});
            assert_eq!(client.post(&path, &answer).await.status, 204);
        }
    }
    all
}

/// The same text whenever and wherever it was made.
fn normalised(stream: &str, ids: &[(&str, String)]) -> String {
    let mut text = stream.to_owned();
    for (name, id) in ids {
        text = text.replace(id.as_str(), name);
    }
    for field in ["\"ts\":", "\"duration_ms\":"] {
        text = replace_after(&text, field, |c| c.is_ascii_digit(), "0");
    }
    for (field, name) in [("\"digest\":\"", "DIGEST"), ("\"parent_id\":\"", "MESSAGE")] {
        text = replace_after(&text, field, |c| c != '"', name);
    }
    text
}

fn replace_after(text: &str, field: &str, belongs: impl Fn(char) -> bool, with: &str) -> String {
    let mut pieces = text.split(field);
    let mut all = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        all.push_str(field);
        all.push_str(with);
        all.push_str(piece.trim_start_matches(&belongs));
    }
    all
}

#[tokio::test]
async fn s_1_the_streams_of_fixture_scripts_are_those_that_are_kept() {
    for name in KEPT {
        let script = std::fs::read_to_string(place(&format!("fixtures/scripts/{name}.script"))).unwrap();
        let stage = Stage::new(&script).await;
        let client = stage.client();
        let session = client.session().await;
        let wish = json!({"message": "Go."});
        let started = client.post(&format!("/api/sessions/{session}/runs"), &wish).await.json();
        let run = started["run_id"].as_str().unwrap().to_owned();
        let stream = read_allowing(&client, &run).await;
        let ids = [("RUN", run), ("SESSION", session)];
        hold(&format!("fixtures/sse/{name}.sse"), &normalised(&stream, &ids));
    }
}

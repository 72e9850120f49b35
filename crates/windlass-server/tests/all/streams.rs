//! Event streams: what every client can rely on.

use serde_json::json;
use windlass_server::{ServerConfig, ServerLimits};

use crate::client::{id_of, payload, payloads};
use crate::stage::Stage;

pub(crate) const TALK: &str = "user Go.\nmodel reasoning I should count.\nmodel text One two three four.\n\
    model call 1 calculate {\"expression\":\"1+2\"}\ntool 1 ok 3\nmodel text It is three.\n";

#[tokio::test]
async fn s_1_s_4_frames_are_data_lines_and_durable_ones_have_ids_that_grow() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let run = client.run().await;
    let mut reading = client.events(&run, None).await;
    assert_eq!(reading.status, 200);
    assert!(reading.headers.contains(&("content-type".into(), "text/event-stream".into())));
    let (mut last, mut kinds) = (0, Vec::new());
    while let Some(frame) = reading.frame().await {
        assert!(frame.ends_with("\n\n") && !frame.contains("event:"), "{frame}");
        assert_eq!(frame.lines().filter(|line| line.starts_with("data: ")).count(), 1);
        let said = payload(&frame);
        assert!(said["type"].is_string() && said["ts"].is_u64(), "{frame}");
        let is_piece = ["content", "reasoning", "tool_call_delta"].contains(&said["type"].as_str().unwrap());
        assert_eq!(id_of(&frame).is_none(), is_piece, "{frame}");
        if let Some(id) = id_of(&frame) {
            assert!(id > last);
            last = id;
        }
        kinds.push(said["type"].as_str().unwrap().to_owned());
    }
    for kind in ["run_started", "reasoning", "content", "tool_calls", "tool_executing", "tool_result", "done"]
    {
        assert!(kinds.iter().any(|own| own == kind), "{kind} is missing in {kinds:?}");
    }
}

#[tokio::test]
async fn s_36_the_answer_stands_in_the_stream_and_in_the_trace() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let run = client.run().await;
    let said: String = payloads(&client.all_events(&run).await)
        .iter()
        .filter(|said| said["type"] == "content")
        .filter_map(|said| said["content"].as_str().map(str::to_owned))
        .collect();
    assert!(said.ends_with("It is three."), "{said}");
    let trace = client.get(&format!("/api/runs/{run}/trace")).await.json();
    assert_eq!(trace["answer"], "It is three.");
}

#[tokio::test]
async fn r_24_events_arrive_before_the_model_is_done() {
    let stage = Stage::new("user Go.\nmodel text First.\nmodel hang\n").await;
    let client = stage.client();
    let run = client.run().await;
    let mut reading = client.events(&run, None).await;
    assert_eq!(reading.wait_for("content").await["content"], "First.");
    assert!(client.get(&format!("/api/runs/{run}")).await.json()["outcome"].is_null());
    assert_eq!(client.ask("POST", &format!("/api/runs/{run}/cancel"), None).await.status, 200);
    assert_eq!(reading.wait_for("done").await["outcome"], "cancelled");
    assert_eq!(reading.frame().await, None);
}

#[tokio::test]
async fn r_25_every_stream_ends_with_exactly_one_done() {
    for (script, outcome) in [
        ("user Go.\nmodel text Hi.\n", "completed"),
        ("user Go.\nmodel fail! auth The key was refused\n", "failed"),
        ("user Go.\nmodel text cut\nmodel cut\nmodel fail! broken Gone\n", "failed"),
        ("user Go.\nmodel raw-call 1 calculate not json\nmodel end\nmodel text So be it.\n", "completed"),
    ] {
        let stage = Stage::new(script).await;
        let client = stage.client();
        let run = client.run().await;
        let said = payloads(&client.all_events(&run).await);
        assert_eq!(said.iter().filter(|one| one["type"] == "done").count(), 1, "{script}");
        let last = said.last().unwrap();
        assert_eq!(
            (&last["type"], &last["done"], &last["run_id"]),
            (&json!("done"), &json!(true), &json!(run))
        );
        assert_eq!(last["outcome"], outcome, "{script}");
    }
}

#[tokio::test]
async fn a_start_that_accepts_a_stream_is_answered_with_the_run_itself() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let session = client.session().await;
    let path = format!("/api/sessions/{session}/runs");
    let wish = json!({"message": "Go."}).to_string();
    let streamed = client.with("Accept", "text/event-stream").send("POST", &path, Some(&wish)).await;
    assert_eq!(streamed.status, 200);
    let text = streamed.rest().await;
    let run = payloads(&text)[0]["run_id"].as_str().unwrap().to_owned();
    assert_eq!(client.all_events(&run).await, text);
}

#[tokio::test]
async fn a_run_goes_on_when_its_reader_leaves_unless_asked_otherwise() {
    let stage = Stage::new("user Go.\nmodel text First.\nmodel hang\n").await;
    let client = stage.client();
    let (kept, dropped) = (client.run().await, client.run().await);
    for (run, query) in [(&kept, ""), (&dropped, "?cancel_on_disconnect=1")] {
        let mut reading = client.send("GET", &format!("/api/runs/{run}/events{query}"), None).await;
        reading.wait_for("content").await;
    }
    let mut watcher = client.events(&dropped, None).await;
    assert_eq!(watcher.wait_for("done").await["outcome"], "cancelled");
    assert!(client.get(&format!("/api/runs/{kept}")).await.json()["outcome"].is_null());
    client.ask("POST", &format!("/api/runs/{kept}/cancel"), None).await;
}

#[tokio::test]
async fn a_number_that_is_none_is_refused_and_the_header_counts_before_the_query() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let run = client.run().await;
    let whole = client.all_events(&run).await;
    let path = format!("/api/runs/{run}/events");
    for wrong in ["x", "-1", "1.5", "", "99999999999999999999", "9223372036854775808"] {
        assert_eq!(client.get(&format!("{path}?after={wrong}")).await.code(), "bad_event_id", "{wrong}");
    }
    assert_eq!(client.with("Last-Event-ID", "x").get(&path).await.code(), "bad_event_id");
    let both = client.with("Last-Event-ID", "0").get(&format!("{path}?after=x")).await;
    assert_eq!(both.code(), "bad_event_id");
    let from_start = client.with("Last-Event-ID", "0").send("GET", &format!("{path}?after=9"), None).await;
    assert_eq!(from_start.rest().await, whole);
    assert_eq!(client.get(&format!("{path}?format=other")).await.status, 400);
}

#[tokio::test]
async fn a_reader_that_has_seen_the_end_need_not_come_back() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let run = client.run().await;
    let whole = client.all_events(&run).await;
    let last = whole.split_inclusive("\n\n").filter_map(id_of).last().unwrap();
    assert_eq!(client.get(&format!("/api/runs/{run}/events?after={last}")).await.status, 204);
}

#[tokio::test]
async fn only_so_many_streams_are_open_at_once() {
    let limits = ServerLimits { streams_max: 1, ..ServerLimits::default() };
    let config = ServerConfig { limits, ..ServerConfig::default() };
    let stage = Stage::with("user Go.\nmodel text First.\nmodel hang\n", config).await;
    let client = stage.client();
    let run = client.run().await;
    let mut first = client.events(&run, None).await;
    first.wait_for("content").await;
    let refused = client.get(&format!("/api/runs/{run}/events")).await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "streams_full"));
    assert!(refused.header("retry-after").is_some());
    client.ask("POST", &format!("/api/runs/{run}/cancel"), None).await;
    first.wait_for("done").await;
}

#[tokio::test]
async fn streams_end_without_a_done_when_the_server_stops_for_the_run_goes_on_later() {
    let mut stage = Stage::new("user Go.\nmodel text First.\nmodel hang\n").await;
    let client = stage.client();
    let run = client.run().await;
    let mut reading = client.events(&run, None).await;
    reading.wait_for("content").await;
    stage.stop().await;
    while let Some(frame) = reading.frame().await {
        assert!(!frame.contains("\"type\":\"done\""), "{frame}");
    }
}

//! The records of a session: as a page, and as a stream that goes on over its runs.

use serde_json::{Value, json};
use windlass_core::protocol::event::Record;
use windlass_core::protocol::view::SessionView;
use windlass_core::text::redact::SecretRegistry;
use windlass_core::text::secret::Secret;
use windlass_server::ServerConfig;

use crate::client::{Client, StreamStart, id_of, payload};
use crate::stage::Stage;

const TALK: &str = "user Go.\nmodel reasoning I should look.\nmodel text One two three four five.\n\
    model call 1 calculate {\"expression\":\"1+2\"}\nmodel call 2 get_file_tree {}\nmodel usage input=10 output=5\n\
    tool 1 ok 3\ntool 2 ok [\"a\"]\nmodel text Six seven eight.\n\
    user Again.\nmodel text Nine ten.\n";

async fn start(client: &Client, session: &str) -> String {
    let started = client.post(&format!("/api/sessions/{session}/runs"), &json!({"message": "Go."})).await;
    assert_eq!(started.status, 202, "{started:?}");
    started.json()["run_id"].as_str().unwrap().to_owned()
}

/// A run in a session, to its end.
async fn play(client: &Client, session: &str) -> String {
    let run = start(client, session).await;
    client.all_events(&run).await;
    run
}

async fn stream(client: &Client, session: &str, query: &str) -> StreamStart {
    let path = format!("/api/sessions/{session}/records{query}");
    let reading = client.with("Accept", "text/event-stream").send("GET", &path, None).await;
    assert_eq!(reading.status, 200);
    reading
}

async fn page(client: &Client, session: &str, query: &str) -> Value {
    let answer = client.get(&format!("/api/sessions/{session}/records{query}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

/// Frames up to the end of so many runs.
async fn read_runs(reading: &mut StreamStart, runs: usize) -> Vec<String> {
    let (mut frames, mut ended) = (Vec::new(), 0);
    while ended < runs {
        let frame = reading.frame().await.expect("the stream goes on");
        ended += usize::from(frame.contains("\"type\":\"run_ended\""));
        frames.push(frame);
    }
    frames
}

fn records_of(values: impl IntoIterator<Item = Value>) -> Vec<Record> {
    values.into_iter().map(|value| serde_json::from_value(value).unwrap()).collect()
}

fn list(page: &Value) -> Vec<Value> {
    page["records"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_session_without_runs_is_a_silent_stream_that_shows_runs_of_anybody_until_it_is_deleted() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let session = client.session().await;
    // The head of the answer comes at once, and nothing after it.
    let mut reading = stream(&client, &session, "").await;
    let first = play(&stage.client(), &session).await;
    let second = play(&stage.client(), &session).await;
    let frames = read_runs(&mut reading, 2).await;
    let runs: Vec<String> =
        frames.iter().map(|frame| payload(frame)["run_id"].as_str().unwrap().to_owned()).collect();
    assert!(runs.first() == Some(&first) && runs.last() == Some(&second));
    assert_eq!(client.delete(&format!("/api/sessions/{session}")).await.status, 204);
    assert_eq!(reading.frame().await.as_deref(), Some("event: deleted\ndata: {}\n\n"));
    assert_eq!(reading.frame().await, None);
}

#[tokio::test]
async fn deleting_a_session_in_which_a_run_goes_on_ends_its_stream_too() {
    let stage = Stage::new("user Go.\nmodel text First.\nmodel hang\n").await;
    let client = stage.client();
    let session = client.session().await;
    let mut reading = stream(&client, &session, "").await;
    start(&client, &session).await;
    reading.wait_for("text_delta").await;
    assert_eq!(client.delete(&format!("/api/sessions/{session}")).await.status, 204);
    assert!(reading.rest().await.ends_with("event: deleted\ndata: {}\n\n"));
}

#[tokio::test]
async fn a_stream_and_a_page_give_the_same_records_and_the_same_view() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let session = client.session().await;
    let mut live = stream(&client, &session, "").await;
    play(&client, &session).await;
    play(&client, &session).await;
    let frames = read_runs(&mut live, 2).await;
    let streamed: Vec<Value> = frames.iter().map(|frame| payload(frame)).collect();
    assert_eq!(list(&page(&client, &session, "?deltas=1").await), streamed);
    let mut late = stream(&client, &session, "").await;
    assert_eq!(read_runs(&mut late, 2).await, frames);
    // A stream without deltas and a page have the durable records alone, which make the same view.
    let mut durable = stream(&client, &session, "?deltas=0").await;
    let durable: Vec<Value> = read_runs(&mut durable, 2).await.iter().map(|frame| payload(frame)).collect();
    let whole = page(&client, &session, "").await;
    assert_eq!(list(&whole), durable);
    assert_eq!((&whole["has_more"], &whole["last_seq"]), (&json!(false), &durable.last().unwrap()["seq"]));
    let (all, few) = (records_of(streamed), records_of(durable));
    assert!(few.len() < all.len() && few.iter().all(|record| record.event.is_durable()));
    assert_eq!(SessionView::fold(&all), SessionView::fold(&few));
}

#[tokio::test]
async fn durable_records_have_ids_and_a_reader_that_comes_back_with_one_gets_the_rest() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let session = client.session().await;
    play(&client, &session).await;
    play(&client, &session).await;
    let frames = read_runs(&mut stream(&client, &session, "").await, 2).await;
    for (at, frame) in frames.iter().enumerate() {
        let record: Record = serde_json::from_value(payload(frame)).unwrap();
        assert_eq!(id_of(frame), record.event.is_durable().then_some(record.seq));
        let Some(id) = id_of(frame).filter(|_| at + 1 < frames.len()) else { continue };
        let back = client.with("Last-Event-ID", &id.to_string());
        let left = frames[at + 1..].iter().filter(|frame| frame.contains("run_ended")).count();
        let rest = read_runs(&mut stream(&back, &session, "?after=0").await, left).await;
        assert_eq!(rest, &frames[at + 1..]);
        assert_eq!(
            read_runs(&mut stream(&client, &session, &format!("?after={id}")).await, left).await,
            rest
        );
    }
    for wrong in ["?after=x", "?deltas=maybe", "?clip=-1", "?rows=0", "?rows=5001"] {
        let answer = client.get(&format!("/api/sessions/{session}/records{wrong}")).await;
        assert_eq!(answer.status, 400, "{wrong}");
    }
    assert_eq!(client.get("/api/sessions/nobody/records").await.code(), "session_not_found");
}

#[tokio::test]
async fn pages_of_any_size_make_the_whole() {
    let stage = Stage::new(TALK).await;
    let client = stage.client();
    let session = client.session().await;
    assert_eq!(page(&client, &session, "").await, json!({"records": [], "last_seq": 0, "has_more": false}));
    play(&client, &session).await;
    for deltas in [0, 1] {
        let whole = list(&page(&client, &session, &format!("?deltas={deltas}")).await);
        for rows in [1, 2, 3, whole.len() - 1, whole.len(), whole.len() + 1] {
            let (mut all, mut after) = (Vec::new(), 0);
            loop {
                let query = format!("?deltas={deltas}&rows={rows}&after={after}");
                let part = page(&client, &session, &query).await;
                all.extend(list(&part));
                after = part["last_seq"].as_u64().unwrap();
                assert_eq!(part["has_more"] == json!(true), all.len() < whole.len(), "{rows}");
                if part["has_more"] == json!(false) {
                    break;
                }
            }
            assert_eq!(all, whole);
        }
    }
}

#[tokio::test]
async fn a_reader_that_comes_in_the_middle_of_a_step_gets_all_that_was_said_in_it() {
    // More pieces than a log keeps and than are held back from the journal.
    for words in [3, 1_500, 2_600] {
        let text = "word ".repeat(words);
        let script = format!("chunk words\nuser Go.\nmodel text {text}\nmodel text last\nmodel hang\n");
        let stage = Stage::new(&script).await;
        let client = stage.client();
        let session = client.session().await;
        start(&client, &session).await;
        let mut early = stream(&client, &session, "").await;
        let mut said = String::new();
        while !said.ends_with("last") {
            said.push_str(early.wait_for("text_delta").await["event"]["text"].as_str().unwrap());
        }
        let mut late = stream(&client, &session, "?after=2").await;
        let mut heard = String::new();
        while heard.len() < said.len() {
            heard.push_str(late.wait_for("text_delta").await["event"]["text"].as_str().unwrap());
        }
        assert_eq!(heard, said);
        let page = page(&client, &session, "?after=2&deltas=1&rows=5000").await;
        let read: String =
            list(&page).iter().map(|one| one["event"]["text"].as_str().unwrap().to_owned()).collect();
        assert_eq!(read, said);
    }
}

#[tokio::test]
async fn clip_cuts_the_outcomes_of_calls_and_marks_their_records() {
    let long = "é".repeat(300);
    let script = format!(
        "user Go.\nmodel text {long}\nmodel call 1 calculate {{\"expression\":\"1\"}}\n\
         model call 2 get_file_tree {{}}\ntool 1 ok {{\"deep\":[\"{long}\",7]}}\ntool 2 ok [\"a\"]\nmodel text {long}\n"
    );
    let stage = Stage::new(&script).await;
    let client = stage.client();
    let session = client.session().await;
    play(&client, &session).await;
    let whole = list(&page(&client, &session, "").await);
    let clipped = list(&page(&client, &session, "?clip=200").await);
    let mut cut = 0;
    for (whole, clipped) in whole.iter().zip(&clipped) {
        if clipped["clipped"] == json!(true) {
            cut += 1;
            assert_eq!(
                clipped["event"]["outcome"]["body"]["Ok"]["json"]["deep"],
                json!(["é".repeat(200), 7])
            );
            assert!(!clipped.to_string().contains(&"é".repeat(201)));
            // It is still a record.
            records_of([clipped.clone()]);
        } else {
            assert_eq!(clipped, whole);
        }
    }
    assert_eq!((cut, whole.len()), (1, clipped.len()));
    let streamed = read_runs(&mut stream(&client, &session, "?clip=200&deltas=0").await, 1).await;
    assert_eq!(streamed.iter().map(|frame| payload(frame)).collect::<Vec<_>>(), clipped);
}

#[tokio::test]
async fn secrets_are_struck_out_of_records_too() {
    let config = ServerConfig {
        secrets: SecretRegistry::from_iter([Secret::new("planted-secret")]),
        ..ServerConfig::default()
    };
    let script = "user Go.\nmodel reasoning planted-secret\nmodel text planted-secret\n\
        model call 1 calculate {\"expression\":\"planted-secret\"}\ntool 1 text planted-secret\nmodel text planted-secret\n";
    let stage = Stage::with(script, config).await;
    let client = stage.client();
    let session = client.session().await;
    play(&client, &session).await;
    let streamed = read_runs(&mut stream(&client, &session, "").await, 1).await.concat();
    let page = page(&client, &session, "?deltas=1").await.to_string();
    for text in [streamed, page] {
        assert!(text.contains("***") && !text.contains("planted-secret"), "{text}");
    }
}

#[tokio::test]
async fn the_record_of_a_question_has_the_digest_that_binds_its_answer() {
    let script =
        "approve ask\nuser Go.\nmodel call 1 write_file {\"path\":\"a\"}\ntool 1 ok 1\nmodel text Done.\n";
    let stage = Stage::new(script).await;
    let client = stage.client();
    let session = client.session().await;
    let mut reading = stream(&client, &session, "").await;
    let run = start(&client, &session).await;
    let asked = reading.wait_for("permission_requested").await;
    let call = asked["event"]["question"]["call_id"].as_str().unwrap();
    let path = format!("/api/runs/{run}/permissions/{call}");
    let wrong = client.post(&path, &json!({"decision": "once", "digest": "00"})).await;
    assert_eq!(wrong.status, 409);
    let answered = client
        .post(&path, &json!({"decision": "once", "digest": asked["event"]["question"]["digest"]}))
        .await;
    assert_eq!(answered.status, 204);
    assert_eq!(reading.wait_for("run_ended").await["event"]["outcome"], "completed");
}

#[tokio::test]
async fn after_a_restart_a_reader_that_comes_back_misses_nothing() {
    let stage = Stage::new(TALK).await;
    let session = stage.client().session().await;
    play(&stage.client(), &session).await;
    let mut reading = stream(&stage.client(), &session, "").await;
    let mut frames = read_runs(&mut reading, 1).await;
    let last = id_of(frames.last().unwrap()).unwrap();
    let (again, rest) = tokio::join!(stage.restart(), reading.rest());
    assert_eq!(rest, "", "the stream ends with the server, without a word");
    play(&again.client(), &session).await;
    frames
        .extend(read_runs(&mut stream(&again.client(), &session, &format!("?after={last}")).await, 1).await);
    assert_eq!(read_runs(&mut stream(&again.client(), &session, "").await, 2).await, frames);
}

#[tokio::test]
async fn a_call_is_shown_whole_with_its_question_decision_and_outcome() {
    let long = "é".repeat(9_000);
    let script = format!(
        "approve ask\nuser Go.\nmodel call 1 write_file {{\"path\":\"a\"}}\nmodel call 2 get_file_tree {{}}\n\
         tool 1 text {long}\nmodel text Done.\n"
    );
    let stage = Stage::new(&script).await;
    let client = stage.client();
    let session = client.session().await;
    let mut reading = stream(&client, &session, "").await;
    let run = start(&client, &session).await;
    reading.wait_for("permission_requested").await;
    let path = format!("/api/runs/{run}/calls/call_1");
    let asked = client.get(&path).await.json();
    assert_eq!(
        (&asked["call"]["name"], &asked["question"]["tool"]),
        (&json!("write_file"), &json!("write_file"))
    );
    for missing in ["started_ms", "ended_ms", "decision", "outcome", "message"] {
        assert!(asked.get(missing).is_none(), "{asked}");
    }
    let answer = json!({"decision": "session", "digest": asked["question"]["digest"]});
    assert_eq!(client.post(&format!("/api/runs/{run}/permissions/call_1"), &answer).await.status, 204);
    reading.wait_for("run_ended").await;
    let ended = client.get(&path).await.json();
    assert_eq!(
        (&ended["decision"]["decision"], &ended["decision"]["by"]),
        (&json!("session"), &json!("user"))
    );
    assert!(ended["decision"]["rule"].is_string(), "{ended}");
    assert_eq!(ended["outcome"]["body"]["Ok"]["json"], json!(long));
    assert_eq!(ended["message"]["call_id"], "call_1");
    let times = ["requested_ms", "started_ms", "ended_ms"].map(|name| ended[name].as_u64().unwrap());
    assert!(times.is_sorted(), "{times:?}");
    let unasked = client.get(&format!("/api/runs/{run}/calls/call_2")).await.json();
    assert!(unasked.get("question").is_none() && unasked["outcome"].is_object(), "{unasked}");
    assert_eq!((&unasked["category"], &unasked["visibility"]), (&json!("other"), &json!("secondary")));
    assert!(unasked["allowed_by"].is_string(), "{unasked}");
    assert_eq!(client.get(&format!("/api/runs/{run}/calls/call_9")).await.code(), "call_not_found");
    assert_eq!(client.get("/api/runs/nothing/calls/call_1").await.code(), "run_not_found");
}

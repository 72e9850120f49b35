//! Embeddings over loopback, byte for byte as the vendors document them.

use std::sync::Mutex;

use serde_json::Value;

use super::*;
use crate::loopback::{KEY, limits, read_request, say, serve, target, transport, whole};

/// No waiting between tries.
fn eager() -> EmbedPatience {
    EmbedPatience { wait_ms: 0, wait_ms_max: 0, ..EmbedPatience::default() }
}

struct NoCounts;

impl windlass_core::ports::search::embed::WordCounts for NoCounts {
    fn passages(&self) -> u64 {
        0
    }

    fn holding(&self, _word: &str) -> u64 {
        0
    }
}

type Requests = Arc<Mutex<Vec<String>>>;

/// A server that answers each request with what `answer` makes of its number and body.
async fn server(answer: impl Fn(usize, &Value) -> String + Send + Sync + 'static) -> (String, Requests) {
    let requests: Requests = Arc::default();
    let (seen, answer) = (Arc::clone(&requests), Arc::new(answer));
    let (url, _) = serve(move |mut socket| {
        let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
        async move {
            let request = read_request(&mut socket).await;
            let body = request.split_once("\r\n\r\n").map_or("", |(_, body)| body);
            let body = serde_json::from_str(body).unwrap_or(Value::Null);
            let number = {
                let mut seen = seen.lock().unwrap();
                seen.push(request.clone());
                seen.len()
            };
            let text = answer(number, &body).replacen("\r\n", "\r\nconnection: close\r\n", 1);
            say(&mut socket, &text).await;
        }
    })
    .await;
    (url, requests)
}

fn embedder(url: &str, wire: WireKind) -> EndpointEmbedder {
    let target = ModelTarget { wire, ..target(url) };
    EndpointEmbedder::new(target, transport(limits()), eager()).unwrap()
}

fn ok(body: &Value) -> String {
    whole("200 OK", "application/json", &body.to_string())
}

/// Vectors that tell which text they are of: its length.
fn rows(body: &Value, field: &str) -> Vec<Value> {
    let texts = body[field].as_array().unwrap();
    let row = |(at, text): (usize, &Value)| json!({"object": "embedding", "index": at, "embedding": [text.as_str().unwrap().len(), 1.0]});
    texts.iter().enumerate().map(row).collect()
}

#[tokio::test]
async fn openai_embeddings_come_in_the_order_of_their_texts_whatever_the_order_of_rows() {
    let (url, requests) = server(|_, body| {
        let mut rows = rows(body, "input");
        rows.reverse();
        ok(&json!({"object": "list", "data": rows, "model": "m-1", "usage": {"prompt_tokens": 5, "total_tokens": 5}}))
    })
    .await;
    let embedder = embedder(&url, WireKind::Chat);
    let vectors = embedder.embed(&["a", "bb", ""], Side::Passage).await.unwrap();
    assert_eq!(vectors, [[1.0, 1.0], [2.0, 1.0], [1.0, 1.0]]);
    let request = requests.lock().unwrap().remove(0);
    assert!(request.starts_with("POST /embeddings HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("Bearer {KEY}")) && request.contains("\"encoding_format\":\"float\""));
    assert_eq!(embedder.name(), "acme/m-1");
}

#[tokio::test]
async fn ollama_embeddings_are_a_list_of_lists() {
    let (url, requests) = server(|_, body| {
        let vectors: Vec<Value> = rows(body, "input").iter().map(|row| row["embedding"].clone()).collect();
        ok(&json!({"model": "m-1", "embeddings": vectors, "total_duration": 14_143_917, "prompt_eval_count": 8}))
    })
    .await;
    let vectors = embedder(&url, WireKind::Ollama).embed(&["a", "bb"], Side::Query(&NoCounts)).await.unwrap();
    assert_eq!(vectors, [[1.0, 1.0], [2.0, 1.0]]);
    assert!(requests.lock().unwrap()[0].starts_with("POST /api/embed HTTP/1.1\r\n"));
}

#[tokio::test]
async fn many_texts_go_in_several_requests_and_stay_in_order() {
    let (url, requests) = server(|_, body| ok(&json!({"data": rows(body, "input")}))).await;
    let texts: Vec<String> = (1..=150).map(|length| "x".repeat(length)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder(&url, WireKind::Chat).embed(&texts, Side::Passage).await.unwrap();
    assert!((1..=150).zip(&vectors).all(|(length, vector)| vector[0] == length as f32));
    assert_eq!(requests.lock().unwrap().len(), 3);
    let long = "y".repeat(BATCH_BYTES_MAX + 1);
    assert_eq!(batch_length(&[&long, "a"]), 1);
    assert_eq!(batch_length(&["a", &long]), 1);
    assert_eq!(batch_length(&["a", "b"]), 2);
}

#[tokio::test]
async fn a_server_that_is_busy_is_asked_again_for_passages_and_not_for_a_query() {
    let busy = |number: usize, body: &Value| match number {
        1 | 2 => {
            whole("503 Service Unavailable", "application/json", "{\"error\":{\"message\":\"loading\"}}")
        }
        _ => ok(&json!({"data": rows(body, "input")})),
    };
    let (url, requests) = server(busy).await;
    assert!(embedder(&url, WireKind::Chat).embed(&["a"], Side::Passage).await.is_ok());
    assert_eq!(requests.lock().unwrap().len(), 3);
    let (url, requests) = server(busy).await;
    assert!(embedder(&url, WireKind::Chat).embed(&["a"], Side::Query(&NoCounts)).await.is_err());
    assert_eq!(requests.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_refusal_is_told_once_and_without_the_key() {
    let (url, requests) = server(|_, _| {
        let text = json!({"error": {"message": format!("Incorrect API key provided: {KEY}"), "code": "invalid_api_key"}});
        whole("401 Unauthorized", "application/json", &text.to_string())
    })
    .await;
    let failure = embedder(&url, WireKind::Chat).embed(&["a"], Side::Passage).await.unwrap_err();
    assert!(!failure.0.contains(KEY) && failure.0.contains("acme"), "{failure}");
    assert_eq!(requests.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn vectors_that_cannot_be_are_refused() {
    for (answer, why) in [
        (json!({"data": []}), "0 vectors for 1 texts"),
        (json!({"data": [{"index": 0, "embedding": []}]}), "a vector of 0 numbers"),
        (
            json!({"data": [{"index": 0, "embedding": vec![0.5; DIMENSION_MAX + 1]}]}),
            "a vector of 4097 numbers",
        ),
        (json!({"object": "list"}), "no embeddings"),
        (json!({"data": [{"index": 0, "embedding": "AAAA"}]}), "no embeddings"),
    ] {
        let (url, _) = server(move |_, _| ok(&answer)).await;
        let failure = embedder(&url, WireKind::Chat).embed(&["a"], Side::Passage).await.unwrap_err();
        assert!(failure.0.contains(why), "{failure}");
    }
}

#[tokio::test]
async fn a_model_that_changes_the_length_of_its_vectors_is_another_model() {
    let (url, _) =
        server(|number, _| ok(&json!({"data": [{"index": 0, "embedding": vec![0.5; number]}]}))).await;
    let embedder = embedder(&url, WireKind::Chat);
    assert!(embedder.embed(&["a"], Side::Passage).await.is_ok());
    let failure = embedder.embed(&["a"], Side::Passage).await.unwrap_err();
    assert!(failure.0.contains("of 1 and of 2 numbers"), "{failure}");
}

#[tokio::test]
async fn a_server_that_says_nothing_is_not_waited_for_forever() {
    let (url, _) = serve(|mut socket| async move {
        read_request(&mut socket).await;
        std::future::pending::<()>().await;
    })
    .await;
    let patience = EmbedPatience { query_timeout_ms: 30, ..eager() };
    let embedder = EndpointEmbedder::new(target(&url), transport(limits()), patience).unwrap();
    let failure = embedder.embed(&["a"], Side::Query(&NoCounts)).await.unwrap_err();
    assert!(failure.0.contains("30 ms"), "{failure}");
}

#[tokio::test]
async fn a_server_that_is_not_there_and_a_page_are_failures() {
    let (url, task) = serve(|_| async {}).await;
    task.abort();
    let _ = task.await;
    let failure = embedder(&url, WireKind::Chat).embed(&["a"], Side::Passage).await.unwrap_err();
    assert!(failure.0.contains("127.0.0.1"), "{failure}");
    let (url, _) = server(|_, _| whole("200 OK", "text/html", "<html>Log in</html>")).await;
    let failure = embedder(&url, WireKind::Chat).embed(&["a"], Side::Query(&NoCounts)).await.unwrap_err();
    assert!(failure.0.contains("web page"), "{failure}");
}

#[test]
fn a_wire_without_embeddings_is_refused_at_once() {
    let target = ModelTarget { wire: WireKind::Messages, ..target("http://127.0.0.1:1") };
    let failure = EndpointEmbedder::new(target, transport(limits()), eager()).unwrap_err();
    assert!(failure.0.contains("no embeddings"), "{failure}");
}

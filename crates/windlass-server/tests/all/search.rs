//! Searching the project over HTTP, with a real index of real files.

use serde_json::json;
use windlass_core::ports::host::HostSessions;
use windlass_core::ports::search::NewDocument;
use windlass_core::protocol::event::{DurableEvent, Event};
use windlass_core::protocol::ids::SessionId;

use crate::stage::Stage;

const SCRIPT: &str = "user Go.\nmodel text Done.\n";
const FILES: [(&str, &str); 2] = [
    ("hoist.rs", "/// Hauls the anchor up.\npub fn haul_anchor(rope: &str) -> usize {\n    rope.len()\n}\n"),
    ("notes.md", "# Ropes\n\nHemp ropes are soaked in tar before the voyage.\n"),
];

#[tokio::test]
async fn a_search_gives_passages_with_their_place_and_the_parts_of_their_score() {
    let stage = Stage::indexed(SCRIPT, &FILES).await;
    let found = stage.client().get("/api/search?q=haul_anchor&top_k=3").await;
    assert_eq!(found.status, 200, "{found:?}");
    let best = found.json()["passages"][0].clone();
    assert_eq!((&best["path"], &best["language"]), (&json!("hoist.rs"), &json!("rust")));
    assert_eq!(best["symbol"], "haul_anchor");
    assert!(best["text"].as_str().unwrap().contains("rope.len()"));
    assert!(best["parts"]["lexical"].as_f64().unwrap() > 0.0, "{best}");
    let id = format!("hoist.rs#{}:{}", best["start"], best["end"]);
    assert_eq!(best["id"], id);
    let one = stage.client().get("/api/search?q=rope&top_k=1&kind=lexical").await.json();
    assert_eq!(one["passages"].as_array().unwrap().len(), 1);
    let nothing = stage.client().get("/api/search?q=xylophone").await;
    assert_eq!((nothing.status, nothing.json()), (200, json!({"passages": []})));
}

#[tokio::test]
async fn the_index_says_what_it_holds() {
    let stage = Stage::indexed(SCRIPT, &FILES).await;
    let status = stage.client().get("/api/index").await.json();
    assert_eq!(status["files"], 2);
    assert!(status["passages"].as_u64() >= Some(2) && status["completed_ms"].is_u64(), "{status}");
    assert!(status.get("indexing").is_none());
}

#[tokio::test]
async fn r_8_without_an_index_a_search_is_a_problem_and_not_an_empty_list() {
    let stage = Stage::new(SCRIPT).await;
    for path in ["/api/search?q=rope", "/api/index"] {
        let answer = stage.client().get(path).await;
        assert_eq!((answer.status, answer.code().as_str()), (404, "index_not_found"), "{path}");
    }
}

#[tokio::test]
async fn wrong_wishes_are_named() {
    let stage = Stage::indexed(SCRIPT, &FILES).await;
    for (query, field) in [
        ("q=", "q"),
        ("q=%20", "q"),
        ("q=rope&top_k=0", "top_k"),
        ("q=rope&top_k=1000", "top_k"),
        ("q=rope&kind=guess", "kind"),
    ] {
        let answer = stage.client().get(&format!("/api/search?{query}")).await;
        assert_eq!((answer.status, &answer.json()["field"]), (400, &json!(field)), "{query}");
    }
    assert_eq!(stage.client().get("/api/search").await.status, 400);
    let long = stage.client().get(&format!("/api/search?q={}", "a".repeat(6_000))).await;
    assert_eq!((long.status, &long.json()["field"]), (400, &json!("q")));
}

async fn context(stage: &Stage, chat: &str, body: serde_json::Value) -> Option<String> {
    let reply = stage.client().post("/chat", &body).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let session = stage.host.session_by_key(&format!("edison:{chat}")).await.unwrap().unwrap();
    let records = stage.host.records(&session.session_id, 0).await.unwrap();
    records.iter().rev().find_map(|record| match &record.event {
        Event::Durable(DurableEvent::NoteAdded { text }) => Some(text.clone()),
        _ => None,
    })
}

#[tokio::test]
async fn e_31_e_40_the_context_of_a_chat_comes_from_the_index_and_has_a_bound() {
    let long = "Hemp ropes and tar, again and again, on every voyage.\n\n".repeat(200);
    let files = [FILES[0], FILES[1], ("long.md", long.as_str())];
    let stage = Stage::indexed(SCRIPT, &files).await;
    let body = |mode: &str, chat: &str| json!({"message": "What is done with hemp ropes before the voyage?", "mode": mode, "chat_id": chat});
    let text = context(&stage, "c1", body("agent", "c1")).await.unwrap();
    assert!(text.contains("From notes.md:") || text.contains("From long.md:"), "{text}");
    assert!(text.chars().count() <= 2_000 + "Context: ".len(), "{}", text.chars().count());
    // A talk without tools is no work on the project.
    assert_eq!(context(&stage, "c2", body("chat", "c2")).await, None);
}

#[tokio::test]
async fn e_22_e_40_a_chat_sees_its_own_documents_and_no_others() {
    let stage = Stage::indexed(&SCRIPT.repeat(2), &[]).await;
    let ask = |chat: &str| json!({"message": "Tell me about the kraken", "mode": "chat", "chat_id": chat});
    assert_eq!(context(&stage, "c1", ask("c1")).await, None);
    let session = stage.host.session_by_key("edison:c1").await.unwrap().unwrap().session_id;
    let text = "The kraken sleeps below the ninth wave.";
    let note = |session_id: SessionId, name: &str, text: &str| NewDocument {
        name: name.to_owned(),
        session_id: Some(session_id),
        bytes: text.as_bytes().to_vec(),
    };
    stage.search().add_document(note(session, "legend.md", text)).await.unwrap();
    let others = note(SessionId::new("other"), "x.md", "A kraken of others.");
    stage.search().add_document(others).await.unwrap();
    let context = context(&stage, "c1", ask("c1")).await.unwrap();
    assert!(context.contains("the ninth wave") && !context.contains("of others"), "{context}");
}

#[tokio::test]
async fn e_22_documents_are_added_listed_found_and_removed() {
    let stage = Stage::indexed(SCRIPT, &FILES).await;
    let client = stage.client();
    let session = client.post("/api/sessions", &json!({})).await.json()["session_id"].clone();
    let body = json!({"name": "legend.md", "text": "# Legend\n\nThe kraken sleeps.", "session_id": session});
    let added = client.post("/api/documents", &body).await;
    assert_eq!(added.status, 201, "{added:?}");
    let id = added.json()["document_id"].as_str().unwrap().to_owned();
    let coded = json!({"name": "log.html", "base64": "PHA+QSBrcmFrZW4gd2FzIHNlZW4uPC9wPg=="});
    assert_eq!(client.post("/api/documents", &coded).await.status, 201);
    let listed = client.get("/api/documents").await.json();
    let names: Vec<_> = listed["documents"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert_eq!(names, ["legend.md", "log.html"]);
    let own = format!("/api/documents?session_id={}", session.as_str().unwrap());
    assert_eq!(client.get(&own).await.json()["documents"].as_array().unwrap().len(), 1);
    let found = async |query: &str| {
        let found = client.get(&format!("/api/search?q=kraken{query}")).await.json();
        let paths = found["passages"].as_array().unwrap().iter();
        let mut paths: Vec<_> = paths.map(|it| it["path"].as_str().unwrap().to_owned()).collect();
        paths.sort();
        paths
    };
    assert_eq!(found("").await, ["legend.md", "log.html"]);
    assert_eq!(found("&scope=documents").await, ["legend.md", "log.html"]);
    assert_eq!(found("&scope=project").await, Vec::<String>::new());
    let of_session = format!("&session_id={}", session.as_str().unwrap());
    assert_eq!(found(&of_session).await, ["legend.md"]);
    assert_eq!(found(&format!("{of_session}&scope=reachable")).await, ["legend.md", "log.html"]);
    assert_eq!(found("&session_id=other&scope=reachable").await, ["log.html"]);
    assert_eq!(client.get("/api/search?q=kraken&scope=reachable").await.status, 400);
    let first = client.get("/api/search?q=sleeps").await.json()["passages"][0].clone();
    assert_eq!(first["document_id"], id);
    assert_eq!(client.delete(&format!("/api/documents/{id}")).await.status, 204);
    let gone = client.delete(&format!("/api/documents/{id}")).await;
    assert_eq!((gone.status, gone.code().as_str()), (404, "document_not_found"));
    assert_eq!(found("").await, ["log.html"]);
}

#[tokio::test]
async fn documents_of_a_session_go_with_it() {
    let stage = Stage::indexed(SCRIPT, &[]).await;
    let client = stage.client();
    let session = client.post("/api/sessions", &json!({})).await.json()["session_id"].clone();
    let body = json!({"name": "a.md", "text": "# Kraken", "session_id": session});
    assert_eq!(client.post("/api/documents", &body).await.status, 201);
    let path = format!("/api/sessions/{}", session.as_str().unwrap());
    assert_eq!(client.delete(&path).await.status, 204);
    assert_eq!(client.get("/api/documents").await.json(), json!({"documents": []}));
    assert_eq!(client.get("/api/search?q=kraken").await.json(), json!({"passages": []}));
}

#[tokio::test]
async fn a_document_that_cannot_be_taken_says_why() {
    let stage = Stage::indexed(SCRIPT, &[]).await;
    for (body, status, field) in [
        (json!({"name": " ", "text": "x"}), 400, "name"),
        (json!({"name": "a.md"}), 400, "text"),
        (json!({"name": "a.md", "text": "x", "base64": "eA=="}), 400, "text"),
        (json!({"name": "a.md", "base64": "!"}), 400, "base64"),
        (json!({"name": "a.pdf", "text": "no PDF"}), 400, "document"),
    ] {
        let answer = stage.client().post("/api/documents", &body).await;
        assert_eq!((answer.status, &answer.json()["field"]), (status, &json!(field)), "{body}");
    }
    let lost = json!({"name": "a.md", "text": "x", "session_id": "nobody"});
    assert_eq!(stage.client().post("/api/documents", &lost).await.code(), "session_not_found");
    let none = Stage::new(SCRIPT).await;
    assert_eq!(none.client().get("/api/documents").await.code(), "index_not_found");
}

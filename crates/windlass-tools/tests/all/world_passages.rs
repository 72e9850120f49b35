use std::sync::Arc;

use serde_json::json;
use windlass_core::ids::SessionId;
use windlass_core::port::BoxFuture;
use windlass_core::tool::ToolFailure;
use windlass_tools::{Passages, ToolsConfig, summarize};

use crate::context::Bench;

/// Finds passages that share a word with the question, most shared words first.
#[derive(Debug)]
struct WordIndex(Vec<(SessionId, &'static str)>);

impl Passages for WordIndex {
    fn get_context<'a>(
        &'a self,
        query: &'a str,
        limit: usize,
        session: &'a SessionId,
        is_global: bool,
    ) -> BoxFuture<'a, Result<Vec<String>, ToolFailure>> {
        Box::pin(async move {
            if query == "break" {
                return Err(ToolFailure::io_error("the index is not readable"));
            }
            let shared = |text: &str| query.split(' ').filter(|word| text.contains(word)).count();
            let own = self.0.iter().filter(|(owner, _)| is_global || owner == session);
            let mut found: Vec<(usize, &str)> = own.map(|(_, text)| (shared(text), *text)).collect();
            found.retain(|(score, _)| *score > 0);
            found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
            Ok(found.into_iter().take(limit).map(|(_, text)| text.to_owned()).collect())
        })
    }
}

fn bench() -> Bench {
    let own = Bench::default().context.session_id;
    let other = SessionId::new("of another ship");
    let index = WordIndex(vec![
        (own.clone(), "the rope is new"),
        (own.clone(), "the anchor and the rope hold"),
        (own.clone(), "the anchor is old"),
        (own, "the chain is old"),
        (other, "a rope of another ship"),
    ]);
    Bench::new(&ToolsConfig { passages: Some(Arc::new(index)), ..ToolsConfig::default() })
}

#[tokio::test]
async fn e_4_e_22_passages_come_from_the_session_unless_global() {
    let bench = bench();
    let own = bench.call("rag_search", json!({"query": "anchor rope"})).await.unwrap();
    assert_eq!(own.json, json!(["the anchor and the rope hold", "the rope is new", "the anchor is old"]));
    let one = bench.call("rag_search", json!({"query": "rope", "limit": 1})).await.unwrap();
    assert_eq!(one.json.as_array().unwrap().len(), 1);
    let all = bench.call("rag_search", json!({"query": "rope", "global": true, "limit": 9})).await.unwrap();
    assert!(all.json.as_array().unwrap().contains(&json!("a rope of another ship")));
}

#[test]
fn e_4_the_arguments_have_their_defaults() {
    let bench = bench();
    let spec = bench.tool("rag_search").spec();
    assert_eq!(spec.signature(), "rag_search(query:str,limit:int,global:bool)");
    assert_eq!(spec.property("limit").unwrap()["default"], 3);
    assert_eq!(spec.property("global").unwrap()["default"], false);
    assert!(spec.requires("query"));
}

#[tokio::test]
async fn e_28_e_29_passages_are_summed_up_and_none_is_said() {
    let bench = bench();
    let found = bench.call("rag_search", json!({"query": "chain"})).await.unwrap();
    assert_eq!(found.summary.as_deref(), Some("RAG search results: the chain is old"));
    let nothing = bench.call("rag_search", json!({"query": "zebra"})).await.unwrap();
    assert_eq!(nothing.json, json!([]));
    assert_eq!(nothing.summary.as_deref(), Some("RAG search returned no chunks"));
}

#[tokio::test]
async fn e_25_without_an_index_the_tool_says_it_is_not_available() {
    let failure = Bench::default().call("rag_search", json!({"query": "rope"})).await.unwrap_err();
    assert_eq!((failure.message.as_str(), failure.kind.word()), ("RAG not available", "unavailable"));
    assert_eq!(summarize("rag_search", Err(&failure)), "rag_search failed: RAG not available");
    let broken = bench().call("rag_search", json!({"query": "break"})).await.unwrap_err();
    assert_eq!(broken.message, "the index is not readable");
}

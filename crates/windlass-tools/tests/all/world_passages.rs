use serde_json::json;
use windlass_core::ports::search::SearchFailure;
use windlass_core::protocol::ids::SessionId;

use crate::context::Bench;
use crate::shelf::Shelf;

fn bench() -> Bench {
    let own = Bench::default().context.session_id;
    let other = SessionId::new("of another ship");
    let documents = vec![
        (own.clone(), "the rope is new"),
        (own.clone(), "the anchor and the rope hold"),
        (own.clone(), "the anchor is old"),
        (own, "the chain is old"),
        (other, "a rope of another ship"),
    ];
    Bench::new(&Shelf { documents, ..Shelf::default() }.config().1)
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
async fn e_25_r_8_without_an_index_the_tool_says_it_is_not_available() {
    let failure = Bench::default().call("rag_search", json!({"query": "rope"})).await.unwrap_err();
    assert_eq!((failure.message.as_str(), failure.kind.word()), ("RAG not available", "unavailable"));
    assert_eq!(failure.message, "RAG not available");
    for (failure, message) in [
        (SearchFailure::Missing("there is no index yet".to_owned()), "RAG not available"),
        (SearchFailure::Broken("not readable".to_owned()), "The search failed: not readable"),
    ] {
        let bench = Bench::new(&Shelf { failure: Some(failure), ..Shelf::default() }.config().1);
        let failure = bench.call("rag_search", json!({"query": "rope"})).await.unwrap_err();
        assert_eq!(failure.message, message);
    }
}

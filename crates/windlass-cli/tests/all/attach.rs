//! `windlass attach`: finding a server that runs, being let in, and what is said when that fails.

use crate::place::Place;
use crate::serve::Served;

const SCRIPT: &str = "user Hi\nmodel text Hello there.\n";
const TOKEN: &str = "0123456789abcdef-token";

fn place() -> Place {
    Place::with(&[("a.script", SCRIPT), ("token", TOKEN), ("other", "another-0123456789")])
}

#[test]
fn a_server_that_is_not_there_is_told_before_anything_is_drawn() {
    let place = place();
    place
        .windlass(&["attach", "127.0.0.1:1"])
        .complains(1, &["no server at http://127.0.0.1:1", "windlass serve"]);
    place.windlass(&["attach", "ftp://box"]).complains(2, &["'ftp://box'", "http://127.0.0.1:4117"]);
    place.windlass(&["attach"]).exits(2);
}

#[test]
fn a_server_lets_in_whoever_has_its_token_from_a_file_or_a_variable() {
    let place = place();
    let served = Served::start(&place, &["--token-file", "token"]);
    let attach = ["attach", served.address()];
    place.windlass(&attach).complains(2, &["wants a token", "--token-file FILE", "WINDLASS_TOKEN"]);
    let wrong = [&attach[..], &["--token-file", "other"]].concat();
    let told = place.windlass(&wrong).complains(2, &["refuses the token"]);
    assert!(!told.err.contains("another-0123456789"), "{}", told.err);
    let none = [&attach[..], &["--token-file", "a.script"]].concat();
    place.windlass(&none).complains(2, &["has no token in it", "--token-file"]);
    let right = [&attach[..], &["--token-file", "token"]].concat();
    place.windlass(&right).complains(2, &["needs a terminal"]);
    let told = place.windlass_with(&attach, &[("WINDLASS_TOKEN", TOKEN)]).complains(2, &["needs a terminal"]);
    assert!(!told.err.contains("WINDLASS_TOKEN"), "the variable is known: {}", told.err);
}

#[test]
fn a_session_is_found_by_the_beginning_of_its_id() {
    let place = place();
    let served = Served::start(&place, &[]);
    let session = served.json("POST /api/sessions", "{}");
    let id = session["session_id"].as_str().unwrap();
    let url = format!("http://{}/", served.address());
    let attach = |wanted: &str| place.windlass(&["attach", &url, "--session", wanted]);
    attach(id).complains(2, &["needs a terminal"]);
    attach(&id[..13]).complains(2, &["needs a terminal"]);
    attach("zzz").complains(2, &["there is no session 'zzz'"]);
    place.windlass(&["attach", &url, "--continue"]).complains(2, &["needs a terminal"]);
}

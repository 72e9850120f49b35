//! Sixty variables and keys of every source, looked for in everything that a server gives: each stream, each answer, its metrics
//! and its records. What a program is told about a secret of the server is looked for, too.

use std::fs;
use std::io::Write as _;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::thread;

use serde_json::{Value, json};
use windlass_testkit::collector::OtlpCollector;

use crate::executors::{Hand, tools};
use crate::lifeline::PATIENCE;
use crate::place::Place;
use crate::secrets::{CONFIGURED, bytes_below, has_none, place, windlass};
use crate::serve::Served;
use crate::studio_stage::until;

/// What is kept in the keyring.
const OF_KEYRING: &str = "ring-of-the-keeper-71";

/// A keyring of files: what `secret-tool` does, as far as it is used.
const SECRET_TOOL: &str = "#!/bin/sh\nfor last in \"$@\"; do :; done\nfile=\"$HOME/../project/ring/$last\"\n\
    case $1 in\nstore) cat > \"$file\";;\nlookup) cat \"$file\";;\nclear) rm -f \"$file\";;\nesac\n";

/// The same project, with a keyring in which one more key is.
fn stocked(collector: &OtlpCollector) -> Place {
    let place = place(collector.endpoint());
    place.write("bin/secret-tool", SECRET_TOOL);
    fs::set_permissions(place.path("bin/secret-tool"), fs::Permissions::from_mode(0o755)).unwrap();
    place.write("ring/.keep", "");
    let path = path_of(&place);
    let set = ["models", "key", "set", "openrouter"];
    place.windlass_told(&set, OF_KEYRING, &[("PATH", &path)]).exits(0);
    let config = fs::read_to_string(place.config_file()).unwrap().replace(
        "[providers.xai]",
        "[providers.openrouter]\nbase_url = \"http://127.0.0.1:9/v1\"\n[providers.xai]\nbase_url = \"http://127.0.0.1:9/v1\"",
    );
    place.configure(&config);
    // Now all of them: those that commands and keyrings give are asked for before the file is read.
    place.write("notes.txt", &format!("{}\n{OF_KEYRING}\n", CONFIGURED.join("\n")));
    place
}

fn serve(place: &Place) -> Served {
    let mut command = windlass(
        place,
        &["serve", "--addr", "127.0.0.1:0", "--model", "scripted/a.script", "--approve", "all", "-vv"],
    );
    command.env("PATH", path_of(place));
    Served::spawn(command)
}

fn path_of(place: &Place) -> String {
    format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap())
}

/// Nothing of it has a secret, and something has a mark where one was.
#[track_caller]
fn is_clean(what: &str, text: &str) {
    has_none(what, text);
    assert!(!text.contains(OF_KEYRING), "{what} has {OF_KEYRING}: {text}");
    assert!(text.contains("***"), "{what} has no mark: {text}");
}

/// The whole of an answer that ends.
fn whole(served: &Served, head: &str, body: &Value) -> String {
    let (status, text) = served.ask(head, &body.to_string());
    assert!((200..300).contains(&status), "{head}: {status} {text}");
    text
}

/// Every address of the API that gives a document, for this run and its session.
fn addresses(served: &Served, session: &str, run: &str) -> Vec<String> {
    let document = served.json("GET /openapi.json", "");
    let paths = document["paths"].as_object().unwrap();
    let gives = |item: &Value| {
        item["get"]["responses"]["200"]["content"].as_object().is_some_and(|of| !of.contains_key("text/html"))
    };
    let of_ours =
        |path: &&String| path.starts_with("/api/") || path.starts_with("/v1/") || *path == "/metrics";
    let filled =
        paths.iter().filter(|(_, item)| gives(item)).map(|(path, _)| path).filter(of_ours).map(|path| {
            let id = if path.starts_with("/api/runs/") { run } else { session };
            let path = path
                .replace("{id}", id)
                .replace("{step}", "1")
                .replace("{call_id}", "call_2")
                .replace("{name}", "read_file");
            match path.as_str() {
                "/api/search" => format!("{path}?q=config"),
                _ => path,
            }
        });
    filled.filter(|path| !path.ends_with("/stream")).collect()
}

#[test]
fn u_78_sixty_variables_and_keys_of_every_source_are_in_no_stream_answer_or_record_of_a_server() {
    let collector = OtlpCollector::start(&[]).unwrap();
    let place = stocked(&collector);
    let served = serve(&place);
    // What a command and the keyring give is known from when it is needed.
    for model in ["xai/m", "openrouter/m"] {
        let body = json!({"name": model});
        is_unmarked(model, &served.ask("POST /api/models/doctor", &body.to_string()).1);
    }
    let session = served.json("POST /api/sessions", "{}")["session_id"].as_str().unwrap().to_owned();
    let begun = served.json(&format!("POST /api/sessions/{session}/runs"), "{\"message\":\"Look\"}");
    let run = begun["run_id"].as_str().unwrap().to_owned();
    served.wait_for(&run, "done");
    is_clean("the stream of a run", &served.ask(&format!("GET /api/runs/{run}/events"), "").1);
    is_clean(
        "the stream of a session",
        &heard(&served, &format!("GET /api/sessions/{session}/records"), "The key is"),
    );
    for (head, body) in [
        ("POST /api/chat/stream", json!({"prompt": "Look"})),
        ("POST /chat", json!({"message": "Look", "mode": "agent"})),
        ("POST /chat/stream", json!({"message": "Look", "mode": "agent"})),
        ("POST /chat/stream?format=edison", json!({"message": "Look", "mode": "agent"})),
        (
            "POST /v1/chat/completions",
            json!({"model": "windlass", "messages": [{"role": "user", "content": "Look"}]}),
        ),
        (
            "POST /v1/chat/completions",
            json!({"model": "windlass", "stream": true, "messages": [{"role": "user", "content": "Look"}]}),
        ),
    ] {
        is_clean(head, &whole(&served, head, &body));
    }
    let addresses = addresses(&served, &session, &run);
    assert!(addresses.len() > 20, "{addresses:?}");
    for path in &addresses {
        is_unmarked(path, &served.ask(&format!("GET {path}"), "").1);
    }
    is_clean("the trace", &served.ask(&format!("GET /api/runs/{run}/trace"), "").1);
    let saved = served.ask("POST /api/saves", &json!({"run_id": run}).to_string()).1;
    is_unmarked("a snapshot", &saved);
    let (_, log) = served.stop();
    is_unmarked("the log", &log);
    let exported = collector.next(PATIENCE).unwrap().body.to_string();
    is_unmarked("an export", &exported);
    let mut kept = String::new();
    bytes_below(&place.data_folder(), &mut kept);
    is_clean("the data folder", &kept);
}

/// Nothing of it has a secret; not everything had one.
#[track_caller]
fn is_unmarked(what: &str, text: &str) {
    is_clean(what, &format!("{text}***"));
}

/// What comes on a stream that does not end, until a text.
fn heard(served: &Served, head: &str, text: &str) -> String {
    let mut stream = TcpStream::connect(served.address()).unwrap();
    let (host, key) = (served.address(), served.key());
    write!(stream, "{head} HTTP/1.1\r\nhost: {host}\r\n{key}accept: text/event-stream\r\n\r\n").unwrap();
    until(&mut stream, text)
}

#[test]
fn u_78_what_a_server_makes_for_itself_is_kept_out_when_somebody_says_it_back() {
    let script = "user Look\nmodel call 1 look_up {\"word\":\"x\"}\nmodel end\nmodel text Done.\n";
    let place = Place::with(&[("a.script", script)]);
    let mut served = Served::start(&place, &["--approve", "all"]);
    let code = served.says("#sign-in=").split_once("#sign-in=").unwrap().1.trim().to_owned();
    let (secret, run) = thread::scope(|scope| {
        let mut hand = Hand::open(&served, "office", 60, tools());
        let session = served.json("POST /api/sessions", "{}")["session_id"].as_str().unwrap().to_owned();
        let begun = served.json(&format!("POST /api/sessions/{session}/runs"), "{\"message\":\"Look\"}");
        let taken = scope.spawn(move || {
            let call = hand.take();
            (hand, call)
        });
        let (hand, call) = taken.join().unwrap();
        let said = format!("{} and {} and {code}.", hand.secret, served.token());
        assert_eq!(hand.answer(&call, &json!({"output": said})).0, 204);
        (hand.secret.clone(), begun["run_id"].as_str().unwrap().to_owned())
    });
    served.wait_for(&run, "done");
    let events = served.ask(&format!("GET /api/runs/{run}/events"), "").1;
    let token = served.token().to_owned();
    served.stop();
    let mut kept = String::new();
    bytes_below(&place.data_folder(), &mut kept);
    assert!(events.contains("*** and *** and ***"), "{events}");
    for (what, value) in [("the executor's secret", &secret), ("the token", &token), ("the code", &code)] {
        assert!(!events.contains(value.as_str()), "{what} is in the stream");
        // The token is in the file in which it is kept.
        assert!(
            kept.matches(value.as_str()).count() <= usize::from(what == "the token"),
            "{what} is in the record"
        );
    }
}

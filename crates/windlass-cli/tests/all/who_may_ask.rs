//! Who may ask a server, and how long it listens: the token, the cookie of a browser, names, slow clients, TLS.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::place::{Place, Said};
use crate::serve::Served;

const SCRIPT: &str = "user Hi\nmodel text Hello there.\n";

/// Somebody else on this machine.
const NOBODY: u32 = 65_534;

fn place() -> Place {
    Place::with(&[("a.script", SCRIPT)])
}

/// Headers of somebody who has no token.
fn stranger(served: &Served) -> String {
    format!("host: {}\r\n", served.address())
}

fn status(served: &Served, headers: &str, head: &str, body: &str) -> u16 {
    served.ask_as(headers, head, body).0
}

fn sessions(served: &Served) -> usize {
    served.json("GET /api/sessions", "")["sessions"].as_array().unwrap().len()
}

/// Whether a stream has the whole answer of the script.
fn answers(stream: &str) -> bool {
    stream.contains("\"content\":\"there.\"") && stream.contains("\"type\":\"done\"")
}

#[test]
fn u_72_a_server_wants_its_token_which_is_made_once_for_its_owner_alone() {
    let place = place();
    let served = Served::start(&place, &[]);
    let file = place.data_folder().join("token");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let token = std::fs::read_to_string(&file).unwrap().trim().to_owned();
    let signs = token.strip_prefix("wl_").unwrap();
    assert!(signs.len() == 64 && signs.bytes().all(|byte| byte.is_ascii_hexdigit()), "{token}");
    assert_eq!(place.windlass(&["token"]).exits(0).out.trim(), token);
    let all = stranger(&served);
    for (head, body) in [
        ("GET /api/sessions", ""),
        ("POST /api/sessions", "{}"),
        ("POST /api/tools/execute_command/call", "{\"arguments\":{\"command\":\"id\"},\"approve\":\"once\"}"),
        ("GET /v1/models", ""),
        ("POST /v1/chat/completions", "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"),
        ("POST /chat", "{\"message\":\"Hi\"}"),
        ("POST /chat/stream", "{\"message\":\"Hi\"}"),
        ("GET /api/chat/stream?prompt=Hi", ""),
        ("POST /api/chat/stream", "{\"prompt\":\"Hi\"}"),
        ("GET /api/saves", ""),
        ("GET /metrics", ""),
        ("GET /openapi.json", ""),
        ("GET /nothing", ""),
    ] {
        assert_eq!(status(&served, &all, head, body), 401, "{head}");
        let wrong = format!("{all}authorization: Bearer {}\r\n", "0".repeat(64));
        assert_eq!(status(&served, &wrong, head, body), 401, "{head}");
    }
    for open in ["/healthz", "/readyz", "/", "/tools"] {
        assert_eq!(status(&served, &all, &format!("GET {open}"), ""), 200, "{open}");
    }
    assert_eq!(sessions(&served), 0, "nothing was begun");
    // As an OpenAI client sends its `api_key`.
    assert_eq!(served.ask("GET /v1/models", "").0, 200);
    let (_, err) = served.stop();
    assert!(err.contains("#sign-in=") && err.contains("windlass token") && !err.contains(&token), "{err}");
    // A later start has the same one, and closes a file that was opened meanwhile.
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let served = Served::start(&place, &[]);
    assert_eq!(served.token(), token);
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(served.stop().1.contains("could be read by others"));
}

#[test]
fn u_72_another_user_of_the_machine_is_refused() {
    let place = place();
    let served = Served::start(&place, &[]);
    let other = Place::new();
    let as_other = |mut command: Command| {
        if rustix::process::getuid().is_root() {
            command.uid(NOBODY).gid(NOBODY).current_dir("/");
        }
        Said::of(command.output().unwrap())
    };
    let url = format!("http://{}/api/tools/execute_command/call", served.address());
    let body = "{\"arguments\":{\"command\":\"id\"},\"approve\":\"once\"}";
    let mut curl = place.bare("curl");
    curl.args(["-s", "-w", "%{http_code}", "-H", "content-type: application/json", "-d", body, &url]);
    let said = as_other(curl).exits(0);
    assert!(said.out.ends_with("401") && said.out.contains("\"code\":\"unauthorized\""), "{}", said.out);
    // The token of somebody else's own servers is another one.
    let said = other.windlass(&["attach", served.address()]).complains(2, &["wants a token"]);
    assert!(!said.err.contains(served.token()));
    let theirs = other.windlass(&["token"]).exits(0).out;
    assert_ne!(theirs.trim(), served.token());
    other.windlass(&["attach", served.address()]).complains(2, &["refuses the token"]);
    if rustix::process::getuid().is_root() {
        let mut cat = place.bare("cat");
        cat.arg(place.data_folder().join("token"));
        assert_eq!(as_other(cat).exits(1).out, "");
    }
    // One's own is found without a word.
    place.windlass(&["attach", served.address()]).complains(2, &["needs a terminal"]);
}

fn code_of(link: &str) -> String {
    let code = link.split_once("#sign-in=").unwrap_or_else(|| panic!("no link: {link}")).1.trim();
    json!({"code": code}).to_string()
}

/// The cookie of an answer that signed in.
fn cookie_of(head: &str) -> String {
    let line = head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    line.unwrap_or_else(|| panic!("no cookie: {head}")).to_owned()
}

#[test]
fn u_72_the_link_that_serve_prints_signs_a_browser_in_once() {
    let place = place();
    let mut served = Served::start(&place, &[]);
    let code = code_of(&served.says("#sign-in="));
    let (host, own) = (stranger(&served), format!("origin: http://{}\r\n", served.address()));
    // A page of somewhere else cannot use it up.
    let foreign = format!("{host}origin: http://evil.example\r\n");
    assert_eq!(status(&served, &foreign, "POST /api/sign-in", &code), 403);
    assert_eq!(status(&served, &host, "GET /api/sign-in", &code), 401, "no GET has effects");
    let (status_, head, _) = served.ask_as(&format!("{host}{own}"), "POST /api/sign-in", &code);
    assert_eq!(status_, 204, "{head}");
    let cookie = cookie_of(&head);
    assert!(cookie.contains("; SameSite=Strict; HttpOnly") && !cookie.contains(served.token()), "{cookie}");
    let (again, head, _) = served.ask_as(&host, "POST /api/sign-in", &code);
    assert!(again == 401 && !head.contains("set-cookie"), "{head}");
    // Reading and streaming take the cookie alone; changing something takes a page of the server's own.
    let signed = format!("{host}cookie: {}\r\n", cookie.split(';').next().unwrap());
    assert_eq!(status(&served, &signed, "GET /api/sessions", ""), 200);
    assert_eq!(status(&served, &signed, "POST /api/sessions", "{}"), 403);
    assert_eq!(
        status(&served, &format!("{signed}sec-fetch-site: none\r\n"), "POST /api/sessions", "{}"),
        403
    );
    let same = format!("{signed}sec-fetch-site: same-origin\r\n");
    assert_eq!(status(&served, &same, "POST /api/sessions", "{}"), 201);
    let (status_, _, begun) = served.ask_as(&format!("{signed}{own}"), "POST /api/sessions", "{}");
    assert_eq!(status_, 201);
    let session = serde_json::from_str::<Value>(&begun).unwrap()["session_id"].as_str().unwrap().to_owned();
    let wish = format!("{signed}{own}accept: text/event-stream\r\n");
    let run = format!("POST /api/sessions/{session}/runs");
    let (_, _, stream) = served.ask_as(&wish, &run, "{\"message\":\"Hi\"}");
    assert!(answers(&stream), "{stream}");
    let foreign = format!("{signed}origin: http://127.0.0.1:1\r\n");
    assert_eq!(status(&served, &foreign, "POST /api/sessions", "{}"), 403);
    // The token itself signs in as well, and a wrong one does not.
    let token = json!({"token": format!(" {} ", served.token())}).to_string();
    cookie_of(&served.ask_as(&host, "POST /api/sign-in", &token).1);
    let wrong = json!({"token": "0".repeat(64)}).to_string();
    assert_eq!(status(&served, &host, "POST /api/sign-in", &wrong), 401);
    for none in ["{}", "[]", "", "{\"code\":\"a\",\"token\":\"b\"}"] {
        assert_eq!(status(&served, &host, "POST /api/sign-in", none), 400, "{none}");
    }
    let huge = json!({"token": "x".repeat(10_000)}).to_string();
    assert_eq!(status(&served, &host, "POST /api/sign-in", &huge), 413);
    // A new link, made without asking the server; after a restart it is void, and the cookie is not.
    let address = served.address().to_owned();
    let link = || place.windlass(&["token", "--link", "--addr", &address]).exits(0).out;
    assert_eq!(status(&served, &host, "POST /api/sign-in", &code_of(&link())), 204);
    let kept = code_of(&link());
    served.kill();
    let served = Served::spawn(place.command(&["serve", "--addr", &address, "--model", "scripted/a.script"]));
    assert_eq!(status(&served, &host, "POST /api/sign-in", &kept), 401);
    assert_eq!(status(&served, &host, "POST /api/sign-in", &code), 401);
    assert_eq!(status(&served, &signed, "GET /api/sessions", ""), 200);
    // Another token makes every cookie void.
    served.kill();
    std::fs::remove_file(place.data_folder().join("token")).unwrap();
    let served = Served::spawn(place.command(&["serve", "--addr", &address, "--model", "scripted/a.script"]));
    assert_eq!(status(&served, &signed, "GET /api/sessions", ""), 401);
}

#[test]
fn u_72_without_a_token_is_said_warned_about_and_kept_to_this_machine() {
    let place = place();
    let serve = ["serve", "--model", "scripted/a.script", "--no-token"];
    for open in ["0.0.0.0:0", "[::]:0"] {
        place.windlass(&[&serve[..], &["--addr", open]].concat()).complains(2, &["no token", "--no-token"]);
    }
    place.windlass(&[&serve[..], &["--token-file", "x"]].concat()).exits(2);
    let served = Served::start(&place, &["--no-token"]);
    assert_eq!(status(&served, &stranger(&served), "POST /api/sessions", "{}"), 201);
    let foreign = format!("{}origin: http://evil.example\r\n", stranger(&served));
    assert_eq!(status(&served, &foreign, "POST /api/sessions", "{}"), 403);
    let (_, err) = served.stop();
    assert!(err.contains("warning:") && err.contains("every user of this machine"), "{err}");
    assert!(!place.data_folder().join("token").exists());
    // The same from a file, which a flag for a token beats.
    place.configure("[server]\nno_token = true\n");
    place.windlass(&["token"]).complains(2, &["want no token", "config.toml"]);
    let served = Served::start(&place, &[]);
    assert_eq!(status(&served, &stranger(&served), "GET /api/sessions", ""), 200);
    drop(served);
    place.write("token", "0123456789abcdef0123456789abcdef\n");
    let served = Served::start(&place, &["--token-file", "token"]);
    assert_eq!(status(&served, &stranger(&served), "GET /api/sessions", ""), 401);
}

#[test]
fn u_73_only_the_address_that_is_listened_on_names_the_server() {
    let place = place();
    let served = Served::start(&place, &[]);
    let port = served.address().rsplit_once(':').unwrap().1;
    let named =
        |host: &str| status(&served, &format!("host: {host}\r\n{}", served.key()), "GET /api/sessions", "");
    for own in ["127.0.0.1", "localhost", "a.localhost"] {
        assert_eq!(named(&format!("{own}:{port}")), 200, "{own}");
    }
    for other in [
        "0.0.0.0",
        "[::]",
        "[::1]",
        "127.0.0.2",
        "127.1",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "192.168.1.5",
        "evil.example",
    ] {
        assert_eq!(named(&format!("{other}:{port}")), 403, "{other}");
    }
    // A request line that names the host says it twice, as proxies do.
    let line = |host: &str| format!("GET http://{host}/api/sessions");
    let headers = format!("{}{}", stranger(&served), served.key());
    assert_eq!(status(&served, &headers, &line(served.address()), ""), 200);
    assert_eq!(status(&served, &headers, &line("evil.example"), ""), 403);
    assert_eq!(status(&served, &headers, &line(&format!("localhost:{port}")), ""), 403);
}

#[test]
fn u_73_a_get_begins_a_run_only_for_whoever_shows_that_they_meant_it() {
    let place = place();
    let served = Served::start(&place, &[]);
    let host = stranger(&served);
    let token = json!({"token": served.token()}).to_string();
    let cookie = cookie_of(&served.ask_as(&host, "POST /api/sign-in", &token).1);
    let signed = format!("{host}cookie: {}\r\n", cookie.split(';').next().unwrap());
    let stream = "GET /api/chat/stream?prompt=Hi&request_id=one";
    assert_eq!(status(&served, &host, stream, ""), 401);
    for unsaid in ["", "sec-fetch-site: none\r\nsec-fetch-mode: navigate\r\n"] {
        let (_, _, told) = served.ask_as(&format!("{signed}{unsaid}"), stream, "");
        assert!(told.contains("begin_refused") && told.contains("\"type\":\"done\""), "{told}");
    }
    for site in ["cross-site", "same-site"] {
        let headers = format!("{signed}sec-fetch-site: {site}\r\n");
        assert_eq!(status(&served, &headers, stream, ""), 403, "{site}");
    }
    assert_eq!(sessions(&served), 0, "nothing was begun");
    let own = format!("{signed}sec-fetch-site: same-origin\r\n");
    let (_, _, first) = served.ask_as(&own, stream, "");
    assert!(answers(&first), "{first}");
    // Reading the same run on is no beginning.
    let (_, _, again) = served.ask_as(&signed, stream, "");
    assert!(answers(&again), "{again}");
    assert_eq!(sessions(&served), 1);
    let (_, told) = served.ask("GET /api/chat/stream?prompt=Hi&request_id=two", "");
    assert!(answers(&told), "{told}");
    assert_eq!(sessions(&served), 2);
    drop(served);
    // Where no token is wanted, programs and the server's own pages may; an address that somebody follows does nothing.
    let served = Served::start(&place, &["--no-token"]);
    let host = stranger(&served);
    let (_, _, told) =
        served.ask_as(&format!("{host}sec-fetch-site: none\r\n"), "GET /api/chat/stream?prompt=Hi", "");
    assert!(told.contains("begin_refused"), "{told}");
    assert_eq!(sessions(&served), 2);
    for meant in ["", "sec-fetch-site: same-origin\r\n"] {
        let (_, _, told) = served.ask_as(&format!("{host}{meant}"), "GET /api/chat/stream?prompt=Hi", "");
        assert!(answers(&told), "{told}");
    }
}

/// A request whose body does not come.
fn half(served: &Served, head: &str, headers: &str) -> TcpStream {
    let mut stream = TcpStream::connect(served.address()).unwrap();
    let host = served.address();
    write!(stream, "{head} HTTP/1.1\r\nhost: {host}\r\n{headers}content-type: application/json\r\ncontent-length: 100\r\n\r\n{{")
        .unwrap();
    stream
}

#[test]
fn u_84_a_body_that_does_not_come_is_dropped_at_30_seconds_and_takes_no_place_without_the_token() {
    let place = place();
    let served = Served::start(&place, &[]);
    let begun = Instant::now();
    let mut slow = half(&served, "POST /api/sessions", &served.key());
    let mut signing_in = half(&served, "POST /api/sign-in", "");
    // Whoever has no token is refused before the body is waited for, and what is open to all takes no place.
    let waiting: Vec<TcpStream> = (0..20).map(|_| half(&served, "POST /api/sign-in", "")).collect();
    for _ in 0..20 {
        let mut refused = half(&served, "POST /api/sessions", "");
        let mut answer = [0; 12];
        refused.read_exact(&mut answer).unwrap();
        assert!(answer.ends_with(b"401"));
    }
    let open = |text: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix("windlass_open_requests "));
        line.unwrap_or_else(|| panic!("{text}")).parse::<u32>().unwrap()
    };
    assert_eq!(open(&served.ask("GET /metrics", "").1), 2, "the slow one and this one");
    drop(waiting);
    for stream in [&mut slow, &mut signing_in] {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("body_too_slow"), "{answer}");
    }
    let took = begun.elapsed();
    assert!((Duration::from_secs(30)..Duration::from_secs(45)).contains(&took), "{took:?}");
    assert_eq!(open(&served.ask("GET /metrics", "").1), 1);
}

#[test]
fn u_84_a_server_speaks_tls_with_a_certificate_and_attach_trusts_the_one_it_is_given() {
    let place = place();
    let tls = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/tls");
    let file = |name: &str| tls.join(name).to_str().unwrap().to_owned();
    let (cert, key, ca) = (file("server.pem"), file("server.key.pem"), file("ca.pem"));
    let mut served = Served::start(&place, &["--tls-cert", &cert, "--tls-key", &key]);
    let url = format!("https://{}", served.address());
    assert!(served.says("#sign-in=").contains(&format!("{url}/#sign-in=")));
    let curl = |args: &[&str]| {
        let mut command = place.bare("curl");
        Said::of(command.args(["-sS", "-i", "--cacert", &ca]).args(args).output().unwrap())
    };
    let token = json!({"token": served.token()}).to_string();
    let said = curl(&["-d", &token, &format!("{url}/api/sign-in")]).exits(0);
    assert!(said.out.contains(" 204 ") && said.out.contains("HttpOnly; Secure"), "{}", said.out);
    let bearer = format!("Authorization: Bearer {}", served.token());
    assert!(curl(&["-H", &bearer, &format!("{url}/api/sessions")]).exits(0).out.contains("{\"sessions\":[]"));
    // Over plain HTTP nothing is said at all.
    let mut plain = TcpStream::connect(served.address()).unwrap();
    // It may hang up before all of it was said.
    let _ = write!(plain, "GET /healthz HTTP/1.1\r\nhost: {}\r\n\r\n", served.address());
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"));
    place.windlass(&["attach", &url, "--tls-ca", &ca]).complains(2, &["needs a terminal"]);
    place.windlass(&["attach", &url]).complains(1, &["certificate"]);
    place.windlass(&["attach", &url, "--tls-ca", "nowhere"]).complains(2, &["nowhere", "--tls-ca"]);
    drop(served);
    let wrong = |cert: &str, key: &str| {
        place.windlass(&["serve", "--model", "scripted/a.script", "--tls-cert", cert, "--tls-key", key])
    };
    wrong("a.script", &key).complains(2, &["no certificate in PEM form", "--tls-cert"]);
    wrong(&cert, "a.script").complains(2, &["no private key in PEM form", "--tls-key"]);
    wrong(&cert, "nowhere").complains(2, &["nowhere", "--tls-key"]);
    wrong(&ca, &key).complains(2, &["cannot be used"]);
    place.windlass(&["serve", "--tls-cert", &cert]).exits(2);
}

#[test]
fn u_84_attach_warns_where_others_can_read_along() {
    let place = place();
    // An address that stands for all of this machine's: nothing leaves it, but attach cannot know.
    let told = place.windlass(&["attach", "http://0.0.0.0:1"]).complains(1, &["no server at"]);
    assert!(told.err.contains("warning:") && told.err.contains("is not encrypted"), "{}", told.err);
    let told = place.windlass(&["attach", "127.0.0.1:1"]).complains(1, &["no server at"]);
    assert!(!told.err.contains("encrypted"), "{}", told.err);
    let told = place.windlass(&["attach", "https://0.0.0.0:1"]).complains(1, &["no server at"]);
    assert!(!told.err.contains("encrypted"), "{}", told.err);
}

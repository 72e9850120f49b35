//! Connections that are refused, break, and come back.

use std::sync::{Arc, Mutex};

use futures::StreamExt as _;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use windlass_core::ports::host::{HostDelivery, HostError, HostPolicies, HostRuns, HostSessions};
use windlass_core::protocol::event::{DurableEvent, Event};
use windlass_core::protocol::ids::SessionId;
use windlass_core::text::secret::Secret;
use windlass_server::ServerConfig;

use super::TALK;
use super::stage::{Stage, begin, is_end, record, say, until};
use windlass_client::RemoteHost;

const TOKEN: &str = "tok-0123456789abcdef";

async fn refusal(url: &str, token: Option<&str>) -> String {
    RemoteHost::connect(url, token.map(Secret::from), None).await.unwrap_err().to_string()
}

#[tokio::test]
async fn a_token_is_asked_for_checked_and_never_shown() {
    let config = ServerConfig { token: Some(Secret::new(TOKEN)), ..ServerConfig::default() };
    let stage = Stage::with(TALK, config).await;
    let told = refusal(&stage.url(), None).await;
    assert!(told.contains("wants a token"), "{told}");
    let told = refusal(&stage.url(), Some("tok-of-another-place")).await;
    assert!(told.contains("refuses the token") && !told.contains("tok-of"), "{told}");
    let told = refusal(&stage.url(), Some("line\nbreak")).await;
    assert!(told.contains("the token has characters") && !told.contains("break"), "{told}");
    let host = stage.remote().await;
    assert!(!format!("{host:?}").contains(TOKEN));
    assert!(
        host.sessions(windlass_core::ports::store::SessionQuery { rows_max: 1, ..Default::default() })
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_with_its_address() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let told = refusal(&address.to_string(), None).await;
    assert!(
        told.contains(&format!("no server at http://{address}")) && told.contains("windlass serve"),
        "{told}"
    );
    let told = refusal("ftp://box", None).await;
    assert!(told.contains("http:// or https://"), "{told}");
}

/// Answers the connections that come with these texts, one each; the last one for all that follow. Gives the
/// address and what was asked.
async fn actor(answers: Vec<String>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = Arc::clone(&asked);
    tokio::spawn(async move {
        for number in 0.. {
            let Ok((mut socket, _)) = listener.accept().await else { return };
            let head = read_head(&mut socket).await;
            heard.lock().unwrap().push(head);
            let answer = &answers[number.min(answers.len() - 1)];
            let _ = socket.write_all(answer.as_bytes()).await;
        }
    });
    (url, asked)
}

async fn read_head(socket: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match socket.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    String::from_utf8(head).unwrap()
}

fn answer(status: &str, media_type: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

fn stream_of(frames: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{frames}")
}

fn frame(seq: u64, event: &serde_json::Value) -> String {
    let is_delta = event["type"] == "text_delta";
    let id = if is_delta { String::new() } else { format!("id: {seq}\n") };
    let record = json!({
        "seq": seq, "ts_ms": seq, "session_id": "s", "run_id": "r", "parent_id": "m", "event": event,
    });
    format!("{id}data: {record}\n\n")
}

fn note(seq: u64) -> String {
    frame(seq, &json!({"type": "note_added", "text": "noted"}))
}

fn delta(seq: u64) -> String {
    frame(seq, &json!({"type": "text_delta", "text": "a"}))
}

/// What a server says when a host connects.
fn greeting() -> Vec<String> {
    let about =
        json!({"version": "1", "root": "/", "model": "a/b", "profile": "default", "tool_loop_v2": false});
    let json = "application/json";
    vec![answer("200 OK", json, &about.to_string()), answer("200 OK", json, "{\"tools\":[]}")]
}

async fn follow(answers: Vec<String>) -> (Vec<HostDelivery>, Vec<String>) {
    let (url, asked) = actor([greeting(), answers].concat()).await;
    let host = RemoteHost::connect(&url, None, None).await.unwrap();
    let stream = host.session_events(&SessionId::from("s"), 0).await.unwrap();
    let seen = stream.collect().await;
    let asked = asked.lock().unwrap().iter().map(|head| head.lines().next().unwrap().to_owned()).collect();
    (seen, asked)
}

fn shown(seen: &[HostDelivery]) -> Vec<String> {
    seen.iter()
        .map(|delivery| match delivery {
            HostDelivery::Record(record) => record.seq.to_string(),
            HostDelivery::Gap => "gap".to_owned(),
            HostDelivery::Deleted => "deleted".to_owned(),
        })
        .collect()
}

const DELETED: &str = "event: deleted\ndata: {}\n\n";

#[tokio::test]
async fn somebody_else_at_the_address_is_told_from_windlass() {
    for (said, word) in [
        (answer("404 Not Found", "text/html", "<h1>Nope</h1>"), "gave 404"),
        (answer("200 OK", "text/html", "<h1>Hello</h1>"), "text/html"),
        (answer("200 OK", "application/json", "{\"models\":[]}"), "missing field"),
        (answer("302 Found", "text/html", ""), "gave 302"),
        ("SSH-2.0-OpenSSH_9.6\r\n".to_owned(), "no HTTP"),
    ] {
        let (url, _) = actor(vec![said]).await;
        let told = refusal(&url, None).await;
        assert!(told.contains(word) && told.contains(&url) && told.contains("windlass serve"), "{told}");
    }
}

#[tokio::test]
async fn a_lost_connection_is_taken_up_after_the_last_durable_record_and_nothing_comes_twice() {
    let first = stream_of(&[note(1), delta(2), delta(3), ": half a frame\ndata: {\"se".to_owned()].concat());
    let second = stream_of(&[delta(2), delta(3), delta(4), note(5), DELETED.to_owned()].concat());
    let (seen, asked) = follow([vec![first, second], greeting()].concat()).await;
    assert_eq!(shown(&seen), ["1", "2", "3", "4", "5", "deleted"]);
    assert!(asked[2].contains("after=0&deltas=1") && asked[3].contains("after=1&deltas=1"), "{asked:?}");
}

#[tokio::test]
async fn numbers_that_come_again_for_something_else_are_a_gap() {
    let first = stream_of(&[note(1), delta(2), delta(3)].concat());
    let second = stream_of(&[note(2), note(3)].concat());
    let (seen, _) = follow([vec![first, second], greeting()].concat()).await;
    assert_eq!(shown(&seen), ["1", "2", "3", "gap"]);
}

#[tokio::test]
async fn a_session_that_was_forgotten_meanwhile_is_told() {
    let gone = json!({"code": "session_not_found", "detail": "there is no session 's'", "subject": "s"});
    let gone = answer("404 Not Found", "application/problem+json", &gone.to_string());
    let (seen, _) = follow(vec![stream_of(&note(1)), gone]).await;
    assert_eq!(shown(&seen), ["1", "deleted"]);
}

#[tokio::test]
async fn a_server_that_stays_away_ends_the_stream() {
    let away = answer("502 Bad Gateway", "text/html", "");
    let (seen, asked) = follow(vec![stream_of(&note(1)), away]).await;
    assert_eq!((shown(&seen), asked.len()), (vec!["1".to_owned()], 3 + 5));
    let refused = answer("401 Unauthorized", "text/html", "");
    let (seen, asked) = follow(vec![stream_of(&note(1)), refused]).await;
    assert_eq!(
        (shown(&seen), asked.len()),
        (vec!["1".to_owned()], 3 + 1),
        "a token does not get right by waiting"
    );
}

#[tokio::test]
async fn what_a_newer_server_says_beside_is_left_out() {
    let newer = frame(2, &json!({"type": "song_sung", "text": "la"}));
    let (seen, _) =
        follow(vec![stream_of(&[note(1), newer, ":\n\n".into(), note(3), DELETED.into()].concat())]).await;
    assert_eq!(shown(&seen), ["1", "3", "deleted"]);
}

#[tokio::test]
async fn a_server_that_goes_and_comes_back_in_the_middle_of_a_stream_is_found_again() {
    let mut stage = Stage::new(TALK).await;
    let host = stage.remote().await;
    let session = begin(&*host).await;
    let mut stream = host.session_events(&session, 0).await.unwrap();
    host.start_run(&session, say("Go.")).await.unwrap();
    let first = until(&mut stream, is_end).await;
    stage.shut().await;
    let asked = host.session(&session).await;
    assert!(matches!(&asked, Err(HostError::Unreachable(why)) if why.contains("no server at")), "{asked:?}");
    let (next, ()) = tokio::join!(record(&mut stream), async {
        stage.open().await;
        host.start_run(&session, say("Again.")).await.unwrap();
    });
    assert!(matches!(next.event, Event::Durable(DurableEvent::RunStarted { .. })));
    assert_eq!(next.seq, first[first.len() - 1].seq + 1, "nothing is missing and nothing comes twice");
    until(&mut stream, is_end).await;
}

#[tokio::test]
async fn a_host_that_was_closed_and_another_in_its_place_go_on_with_the_same_stream() {
    let mut stage = Stage::new(TALK).await;
    let host = stage.remote().await;
    let session = begin(&*host).await;
    let mut stream = host.session_events(&session, 0).await.unwrap();
    host.start_run(&session, say("Go.")).await.unwrap();
    until(&mut stream, is_end).await;
    stage.restart().await;
    host.start_run(&session, say("Again.")).await.unwrap();
    let seen = until(&mut stream, is_end).await;
    assert!(matches!(seen[0].event, Event::Durable(DurableEvent::RunStarted { .. })));
    let rule = stage.local.add_rule("deny", "fetch_url").await.unwrap();
    assert!(host.rules().await.unwrap().contains(&rule), "rules are asked for each time");
    stage.shut().await;
    stage.open().await;
    stage.local.delete_session(&session).await.unwrap();
    assert_eq!(stream.next().await, Some(HostDelivery::Deleted));
}

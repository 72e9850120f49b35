//! The server held to its own promises by a client of bare TCP: every fault, every protocol, every refusal.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream as Client};

use serde_json::{Value, json};

use super::super::fault::VendorFault;
use super::super::script::{VendorScript, VendorTool};
use super::super::taught::TaughtCall;
use super::*;

const PATIENCE: Duration = Duration::from_secs(30);
const CHAT: &str = "/openai/v1/chat/completions";

fn send(server: &ProviderServer, path: &str, body: &Value) -> Client {
    let mut client = Client::connect(server.address()).unwrap();
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk-secret\r\nanthropic-version: 2023-06-01\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    client.write_all(head.as_bytes()).unwrap();
    client.write_all(body.as_bytes()).unwrap();
    client
}

/// Everything that comes until the server ends the connection, or the answer is whole.
fn receive_bytes(client: &mut Client) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = client.read(&mut buffer).unwrap();
        bytes.extend_from_slice(&buffer[..read]);
        let has_length = String::from_utf8_lossy(&bytes).contains("content-length");
        if read == 0 || bytes.ends_with(b"\r\n0\r\n\r\n") || has_length {
            return bytes;
        }
    }
}

fn receive(client: &mut Client) -> String {
    String::from_utf8_lossy(&receive_bytes(client)).into_owned()
}

/// The body of a chunked answer, put together again.
fn unchunk(answer: &[u8]) -> String {
    let find = |bytes: &[u8], what: &[u8]| bytes.windows(what.len()).position(|some| some == what);
    let mut rest = &answer[find(answer, b"\r\n\r\n").unwrap() + 4..];
    let mut body = Vec::new();
    while let Some(at) = find(rest, b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..at]).unwrap(), 16).unwrap();
        rest = &rest[at + 2..];
        body.extend_from_slice(&rest[..size]);
        rest = &rest[size + 2..];
        if size == 0 {
            break;
        }
    }
    String::from_utf8(body).unwrap()
}

fn chat(script: &VendorScript, messages: &Value) -> Value {
    let parameters = json!({"type": "object", "properties": {}});
    json!({"model": script.to_string(), "stream": true, "messages": messages,
        "tools": [{"type": "function", "function": {"name": "execute_command", "parameters": parameters}}]})
}

fn hi() -> Value {
    json!([{"role": "user", "content": "hi"}])
}

fn ask(server: &ProviderServer, script: &VendorScript) -> String {
    receive(&mut send(server, CHAT, &chat(script, &hi())))
}

fn ask_bytes(server: &ProviderServer, script: &VendorScript) -> Vec<u8> {
    receive_bytes(&mut send(server, CHAT, &chat(script, &hi())))
}

/// The contents of an SSE body, joined.
fn content(body: &str) -> String {
    let payloads = body.lines().filter_map(|line| line.strip_prefix("data: "));
    payloads
        .filter_map(|payload| serde_json::from_str::<Value>(payload).ok())
        .filter_map(|chunk| {
            chunk.pointer("/choices/0/delta/content").and_then(Value::as_str).map(str::to_owned)
        })
        .collect()
}

fn with(fault: VendorFault) -> VendorScript {
    VendorScript { fault: Some(fault), ..VendorScript::default() }
}

#[test]
fn a_text_comes_whole_and_is_recorded() {
    let server = ProviderServer::start().unwrap();
    let script = VendorScript::default();
    let body = unchunk(&ask_bytes(&server, &script));
    assert_eq!(content(&body), script.answer());
    assert!(body.ends_with("data: [DONE]\n\n"));
    let ledger = server.ledger();
    assert_eq!(ledger.requests.len(), 1);
    assert_eq!(ledger.requests[0].header("authorization"), Some("Bearer sk-secret"));
    assert_eq!(ledger.bodies()[0]["model"], script.to_string());
    assert!(ledger.refusals().is_empty());
    let closed = server.wait_until(PATIENCE, |ledger| ledger.connections[0].closed.is_some()).unwrap();
    assert!(closed.connections[0].is_closed_by_client);
}

#[test]
fn faults_that_come_instead_of_an_answer_look_like_themselves() {
    let server = ProviderServer::start().unwrap();
    let begins = |fault, head: &str, body: &str| {
        let answer = ask(&server, &with(fault));
        assert!(answer.starts_with(head) && answer.contains(body), "{fault:?}: {answer}");
    };
    begins(VendorFault::Status500, "HTTP/1.1 500", "server_error");
    begins(VendorFault::RateLimit, "HTTP/1.1 429", "\r\nretry-after: 1\r\n");
    begins(VendorFault::HtmlPage, "HTTP/1.1 200", "<html>");
    begins(VendorFault::NoToolSupport, "HTTP/1.1 404", "support tool use");
    begins(VendorFault::ErrorBody, "HTTP/1.1 200", "{\"error\":");
    begins(VendorFault::KeyInError, "HTTP/1.1 401", "sk-secret");
    begins(VendorFault::Overflow, "HTTP/1.1 400", "maximum context length");
    begins(VendorFault::Status503, "HTTP/1.1 503", "server_error");
    begins(VendorFault::ModelUnknown, "HTTP/1.1 404", "does not exist");
    begins(VendorFault::Whole, "HTTP/1.1 200", "\"chat.completion\"");
    assert_eq!(ask(&server, &with(VendorFault::CloseBeforeHead)), "");
}

#[test]
fn faults_of_the_stream_look_like_themselves() {
    let server = ProviderServer::start().unwrap();
    let whole = unchunk(&ask_bytes(&server, &VendorScript::default()));
    let body = |fault| unchunk(&ask_bytes(&server, &with(fault)));
    let cut = ask_bytes(&server, &with(VendorFault::Cut));
    assert!(!cut.ends_with(b"0\r\n\r\n"));
    let said = content(&unchunk(&cut));
    assert!(!said.is_empty() && content(&whole).starts_with(&said) && said != content(&whole));
    let malformed = body(VendorFault::MalformedEvent);
    assert!(malformed.contains("\"del\n\n"));
    assert_ne!(content(&malformed), content(&whole), "the event that broke is lost");
    assert!(!body(VendorFault::NoLastWord).contains("[DONE]"));
    assert_eq!(content(&body(VendorFault::Empty)), "");
    assert!(body(VendorFault::ErrorEvent).ends_with("\"code\":null}}\n\n"));
    for fault in [VendorFault::SplitCharacters, VendorFault::ByteByByte] {
        assert_eq!(content(&body(fault)), content(&whole), "{fault:?}");
    }
    let odd = body(VendorFault::OddFraming);
    assert!(odd.contains(": keep-alive\r\n") && odd.contains("data: {\r\ndata:\"id\""));
    let length = body(VendorFault::Length);
    assert!(length.contains("\"length\"") && whole.contains("żółw000"));
}

#[test]
fn faults_of_calls_look_like_themselves() {
    let server = ProviderServer::start().unwrap();
    let calls = |fault| {
        let script = VendorScript { steps: 1, parallel: 2, fault: Some(fault), ..VendorScript::default() };
        unchunk(&ask_bytes(&server, &script))
    };
    assert!(calls(VendorFault::BadArgs).contains("\\\"cwd\\\": "));
    assert!(calls(VendorFault::UnknownTool).contains("no_such_tool"));
    assert!(calls(VendorFault::WrongType).contains(":7"));
    assert_eq!(calls(VendorFault::DuplicateId).matches("\"cSameSame\"").count(), 2);
    let length = calls(VendorFault::Length);
    assert!(length.contains("\"length\"") && !length.contains("ran.log"));
}

#[test]
fn silence_lasts_until_the_client_goes() {
    let server = ProviderServer::start().unwrap();
    for fault in [VendorFault::Hang, VendorFault::EndlessHead] {
        let mut client = send(&server, CHAT, &chat(&with(fault), &hi()));
        let mut byte = [0];
        client.read_exact(&mut byte).unwrap();
        let number = server.ledger().connections.len() - 1;
        assert!(server.ledger().connections[number].closed.is_none());
        client.shutdown(Shutdown::Both).unwrap();
        let ledger =
            server.wait_until(PATIENCE, |ledger| ledger.connections[number].closed.is_some()).unwrap();
        assert!(ledger.connections[number].is_closed_by_client);
    }
}

#[test]
fn an_answer_is_held_until_the_test_lets_it_go() {
    let server = ProviderServer::start().unwrap();
    let script = VendorScript { hold_after: 2, words: 3, ..VendorScript::default() };
    let mut client = send(&server, CHAT, &chat(&script, &hi()));
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains("000") {
        let mut byte = [0];
        client.read_exact(&mut byte).unwrap();
        seen.push(byte[0]);
    }
    client.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    let mut rest = [0; 256];
    while client.read(&mut rest).is_ok() {}
    assert!(!String::from_utf8_lossy(&rest).contains("001"));
    server.release();
    client.set_read_timeout(None).unwrap();
    assert!(receive(&mut client).contains("002"));
}

#[test]
fn a_forced_choice_is_obeyed_and_a_forbidden_one_unless_it_is_told_otherwise() {
    let server = ProviderServer::start().unwrap();
    let choosing = |script: &VendorScript, choice: Value| {
        let mut body = chat(script, &hi());
        body["tool_choice"] = choice;
        unchunk(&receive_bytes(&mut send(&server, CHAT, &body)))
    };
    let calls = |answer: String| answer.contains("\"tool_calls\":[");
    let named = json!({"type": "function", "function": {"name": "execute_command"}});
    assert!(
        calls(choosing(&VendorScript::default(), named))
            && calls(choosing(&VendorScript::default(), json!("required")))
    );
    assert!(!calls(choosing(&VendorScript { steps: 1, ..VendorScript::default() }, json!("none"))));
    assert!(calls(choosing(&with(VendorFault::Disobeys), json!("none"))));
}

#[test]
fn a_fault_that_comes_once_comes_once() {
    let server = ProviderServer::start().unwrap();
    let script = VendorScript { fault_times: 1, fault_step: Some(0), ..with(VendorFault::Status500) };
    assert!(ask(&server, &script).starts_with("HTTP/1.1 500"));
    assert!(ask(&server, &script).starts_with("HTTP/1.1 200"));
    assert_eq!(server.ledger().connections.len(), 2);
}

#[test]
fn what_chat_vendors_refuse_is_refused_in_their_words() {
    let server = ProviderServer::start().unwrap();
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "execute_command", "arguments": "{}"}});
    let outcome = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "x"});
    let user = json!({"role": "user", "content": "hi"});
    let said = |calls: Value| json!({"role": "assistant", "content": null, "tool_calls": calls});
    let cases = [
        ("openai", json!([user, said(json!([call("a")]))]), "did not have response messages: a"),
        ("openai", json!([user, outcome("a")]), "must be a response to a preceeding message"),
        ("openai", json!([user, said(json!([call("a")])), user]), "did not have response messages"),
        ("openai", json!([user, said(json!([call("a"), call("a")]))]), "Duplicate value"),
        ("openai", json!([user, {"role": "assistant", "content": null}]), "expected a string, got null"),
        ("openai", json!([{"role": "robot", "content": "x"}]), "Invalid value: 'robot'"),
        ("mistral", json!([user, said(json!([call("a")])), outcome("a")]), "with a length of 9"),
        (
            "xai",
            json!([user, said(json!([call("a"), call("b")])), outcome("b"), outcome("a")]),
            "in the order of their calls",
        ),
        ("deepseek", json!([user, said(json!([call("a")])), outcome("a")]), "expected a string"),
    ];
    for (vendor, messages, words) in cases {
        let path = format!("/{vendor}/v1/chat/completions");
        let answer = receive(&mut send(&server, &path, &chat(&VendorScript::default(), &messages)));
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains(words), "{words}: {answer}");
        assert!(server.ledger().requests.last().unwrap().refusal.as_ref().unwrap().contains(words));
    }
}

/// The body of a first request of each protocol, and its path.
fn first_requests(script: &VendorScript) -> [(String, Value); 5] {
    let model = script.to_string();
    let schema = json!({"type": "object", "properties": {}});
    let function = json!({"name": "execute_command", "parameters": schema});
    [
        (CHAT.to_owned(), chat(script, &hi())),
        (
            "/openai/v1/responses".to_owned(),
            json!({"model": model, "stream": true, "input": hi(),
                "tools": [{"type": "function", "name": "execute_command", "parameters": schema}]}),
        ),
        (
            "/anthropic/v1/messages".to_owned(),
            json!({"model": model, "stream": true, "max_tokens": 9, "messages": hi(),
                "tools": [{"name": "execute_command", "input_schema": schema}]}),
        ),
        (
            format!("/google/v1beta/models/{model}:streamGenerateContent?alt=sse"),
            json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}],
                "tools": [{"functionDeclarations": [function]}]}),
        ),
        (
            "/ollama/api/chat".to_owned(),
            json!({"model": model, "messages": hi(), "tools": [{"type": "function", "function": function}]}),
        ),
    ]
}

#[test]
fn every_protocol_speaks_texts_calls_and_thoughts() {
    let server = ProviderServer::start().unwrap();
    let text = VendorScript { thinks: true, ..VendorScript::default() };
    let calls = VendorScript { steps: 1, parallel: 2, thinks: true, ..VendorScript::default() };
    for (path, body) in first_requests(&text) {
        let answer = unchunk(&receive_bytes(&mut send(&server, &path, &body)));
        assert!(answer.contains("żółw003🦀") && answer.contains("twice. 🦀"), "{path}: {answer}");
    }
    for (path, body) in first_requests(&calls) {
        let answer = unchunk(&receive_bytes(&mut send(&server, &path, &body)));
        assert!(answer.contains("execute_command"), "{path}: {answer}");
        assert!(answer.contains("0.1 >> ran.log"), "{path}: {answer}");
    }
    assert!(server.ledger().refusals().is_empty(), "{:?}", server.ledger().refusals());
}

#[test]
fn every_protocol_refuses_calls_without_outcomes_and_thoughts_that_do_not_come_back() {
    let server = ProviderServer::start().unwrap();
    let script = VendorScript { steps: 1, tool: VendorTool::Tree, thinks: true, ..VendorScript::default() };
    for (path, mut body) in first_requests(&script) {
        let (key, call, outcome) = match path.rsplit('/').next().unwrap() {
            "completions" => continue,
            "responses" => (
                "input",
                json!({"type": "function_call", "call_id": "a", "name": "get_file_tree", "arguments": "{}"}),
                json!({"type": "function_call_output", "call_id": "a", "output": "x"}),
            ),
            "messages" => (
                "messages",
                json!({"role": "assistant", "content": [
                    {"type": "tool_use", "id": "a", "name": "get_file_tree", "input": {}}]}),
                json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]}),
            ),
            "chat" => (
                "messages",
                json!({"role": "assistant", "content": "", "tool_calls": [
                    {"function": {"name": "get_file_tree", "arguments": {}}}]}),
                json!({"role": "tool", "tool_name": "get_file_tree", "content": "x"}),
            ),
            _ => (
                "contents",
                json!({"role": "model", "parts": [{"functionCall": {"name": "get_file_tree", "args": {}}}]}),
                json!({"role": "user", "parts": [
                    {"functionResponse": {"name": "get_file_tree", "response": {"output": "x"}}}]}),
            ),
        };
        body[key].as_array_mut().unwrap().push(call);
        let answer = receive(&mut send(&server, &path, &body));
        assert!(answer.starts_with("HTTP/1.1 400"), "{path}: {answer}");
        body[key].as_array_mut().unwrap().push(outcome);
        let answer = receive(&mut send(&server, &path, &body));
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("got []"), "{path}: {answer}");
    }
    assert_eq!(server.ledger().refusals().len(), 8);
}

#[test]
fn taught_steps_are_said_in_order_once_their_requests_have_what_they_need() {
    let server = ProviderServer::start().unwrap();
    let call = TaughtCall { id: "a".into(), name: "add".into(), arguments: r#"{"a":1}"#.into() };
    let first = TaughtStep { calls: vec![call], ..TaughtStep::default() };
    let needs = (vec!["42".to_owned()], vec!["secret".to_owned()]);
    let last = TaughtStep {
        text: r#"{"sum": 42}"#.into(),
        contains: needs.0,
        lacks: needs.1,
        ..TaughtStep::default()
    };
    let script = server.teach_steps(vec![first, last]);
    let ask = |said: &str, choice: &str| {
        let tool = json!({"type": "function", "function": {"name": "sum", "parameters": {"type": "object"}}});
        let body = json!({"model": script.to_string(), "messages": [{"role": "user", "content": said}],
            "tools": [tool], "tool_choice": choice});
        receive(&mut send(&server, CHAT, &body))
    };
    assert!(ask("go", "auto").contains(r#""arguments":"{\"a\":1}""#));
    for wrong in ["nothing", "42 and a secret"] {
        assert!(ask(wrong, "auto").starts_with("HTTP/1.1 400"), "{wrong}");
    }
    assert!(ask("42", "auto").contains(r#""content":"{\"sum\": 42}""#));
    // Then from the beginning, and where a call is demanded the text is what it is called with.
    assert!(ask("go", "required").contains(r#""name":"add""#));
    let forced = ask("42", "required");
    assert!(
        forced.contains(r#""name":"sum""#) && forced.contains(r#""arguments":"{\"sum\": 42}""#),
        "{forced}"
    );
}

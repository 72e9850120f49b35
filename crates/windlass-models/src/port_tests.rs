use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::oneshot;
use windlass_core::protocol::message::Message;
use windlass_core::protocol::model::{Finish, Notice, NoticeKind};
use windlass_core::protocol::tool::ToolSpec;

use super::*;
use crate::limits::ExchangeLimits;
use crate::loopback::*;
use crate::lower::lower;
use crate::target::{Prices, WireKind};

#[tokio::test]
async fn r_24_deltas_are_given_before_the_answer_has_ended() {
    let (seen, was_seen) = oneshot::channel::<()>();
    let mut was_seen = Some(was_seen);
    let (url, _) = serve(move |mut socket| {
        let was_seen = was_seen.take();
        async move {
            read_request(&mut socket).await;
            say(&mut socket, &stream_head()).await;
            say(&mut socket, &chunk(&text_event("first"))).await;
            // The rest is only sent when the client has shown what it has.
            was_seen.unwrap().await.unwrap();
            say(&mut socket, &chunk(&[text_event(" second").as_str(), ENDING].concat())).await;
            say(&mut socket, "0\r\n\r\n").await;
        }
    })
    .await;
    let mut stream = ask(&url, limits());
    assert_eq!(next(&mut stream).await, Some(Ok(ModelDelta::Text("first".into()))));
    seen.send(()).unwrap();
    let (deltas, failure) = collect(stream).await;
    assert_eq!((text_of(&deltas).as_str(), failure), (" second", None));
    assert!(deltas.contains(&ModelDelta::Finish(Finish::Stop)));
}

#[tokio::test]
async fn an_answer_that_comes_byte_by_byte_is_the_same() {
    let (url, _) = serve(|mut socket| async move {
        read_request(&mut socket).await;
        say(&mut socket, &stream_head()).await;
        for byte in [text_event("Zwölf 🦀").as_str(), ENDING].concat().as_bytes() {
            let _ = socket.write_all(&[b"1\r\n".as_slice(), &[*byte], b"\r\n"].concat()).await;
        }
        say(&mut socket, "0\r\n\r\n").await;
    })
    .await;
    let (deltas, failure) = collect(ask(&url, limits())).await;
    assert_eq!((text_of(&deltas).as_str(), failure), ("Zwölf 🦀", None));
}

#[tokio::test]
async fn a_cut_stream_gives_what_came_and_then_a_failure_that_may_pass() {
    let cut = [stream_head(), chunk(&text_event("half")), "ff\r\ndata: {\"cho".into()].concat();
    let (deltas, failure) = collect(ask(&serve_text(cut).await, limits())).await;
    let failure = failure.unwrap();
    assert_eq!(text_of(&deltas), "half");
    assert_eq!((failure.kind.word(), failure.is_retryable), ("cut", true));
    assert!(!deltas.iter().any(|delta| matches!(delta, ModelDelta::Finish(_))));
}

#[tokio::test]
async fn a_stream_that_ends_in_an_orderly_way_in_the_middle_of_an_event_is_cut_too() {
    let cut = [stream_head(), chunk(&text_event("half")), chunk("data: {\"cho"), "0\r\n\r\n".into()].concat();
    let (deltas, failure) = collect(ask(&serve_text(cut).await, limits())).await;
    assert_eq!((text_of(&deltas).as_str(), failure.unwrap().kind.word()), ("half", "cut"));
}

#[tokio::test]
async fn a_stall_before_the_headers_is_a_timeout_that_names_its_limit() {
    let (url, _) = serve(|mut socket| async move {
        read_request(&mut socket).await;
        let _ = socket.read(&mut [0]).await;
    })
    .await;
    let limits = ExchangeLimits { first_byte_timeout_ms: 40, ..limits() };
    let failure = collect(ask(&url, limits)).await.1.unwrap();
    assert_eq!((failure.kind.word(), failure.is_retryable), ("timeout", true));
    assert!(
        failure.message.contains("first_byte_timeout_ms") && failure.message.contains("40 ms"),
        "{failure}"
    );
}

#[tokio::test]
async fn a_stall_between_headers_and_body_is_still_the_first_byte() {
    let (url, _) = serve(|mut socket| async move {
        read_request(&mut socket).await;
        say(&mut socket, &stream_head()).await;
        let _ = socket.read(&mut [0]).await;
    })
    .await;
    let limits = ExchangeLimits { first_byte_timeout_ms: 40, ..limits() };
    assert!(collect(ask(&url, limits)).await.1.unwrap().message.contains("first_byte_timeout_ms"));
}

#[tokio::test]
async fn a_stall_after_the_first_event_gives_the_event_and_then_a_timeout() {
    let (url, _) = serve(|mut socket| async move {
        read_request(&mut socket).await;
        say(&mut socket, &[stream_head(), chunk(&text_event("half"))].concat()).await;
        let _ = socket.read(&mut [0]).await;
    })
    .await;
    let limits = ExchangeLimits { idle_timeout_ms: 40, ..limits() };
    let (deltas, failure) = collect(ask(&url, limits)).await;
    let failure = failure.unwrap();
    assert_eq!((text_of(&deltas).as_str(), failure.kind.word()), ("half", "timeout"));
    assert!(failure.message.contains("idle_timeout_ms") && failure.is_retryable, "{failure}");
}

#[tokio::test]
async fn a_server_that_never_stops_talking_reaches_the_limit_of_the_whole() {
    let (url, _) = serve(|mut socket| async move {
        read_request(&mut socket).await;
        say(&mut socket, &stream_head()).await;
        while socket.write_all(chunk(": still here\n\n").as_bytes()).await.is_ok() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let limits = ExchangeLimits { total_timeout_ms: 60, ..limits() };
    let failure = collect(ask(&url, limits)).await.1.unwrap();
    assert_eq!((failure.kind.word(), failure.is_retryable), ("timeout", false));
    assert!(failure.message.contains("total_timeout_ms"), "{failure}");
}

#[tokio::test]
async fn cancel_closes_the_connection_at_once() {
    for is_streaming in [true, false] {
        let (closed, was_closed) = oneshot::channel::<usize>();
        let (begun, has_begun) = oneshot::channel::<()>();
        let mut once = Some((closed, begun));
        let (url, _) = serve(move |mut socket| {
            let once = once.take();
            async move {
                let (closed, begun) = once.unwrap();
                read_request(&mut socket).await;
                if is_streaming {
                    say(&mut socket, &[stream_head(), chunk(&text_event("half"))].concat()).await;
                }
                begun.send(()).unwrap();
                // No more than an end of file: the client has gone.
                closed.send(socket.read(&mut [0]).await.unwrap_or(0)).unwrap();
            }
        })
        .await;
        let mut stream = ask(&url, limits());
        if is_streaming {
            assert_eq!(next(&mut stream).await, Some(Ok(ModelDelta::Text("half".into()))));
        } else {
            tokio::select! {
                _ = next(&mut stream) => panic!("nothing was answered"),
                begun = has_begun => begun.unwrap(),
            }
        }
        drop(stream);
        assert_eq!(was_closed.await, Ok(0));
    }
}

#[tokio::test]
async fn a_web_page_with_status_200_is_no_answer() {
    let pages = [
        whole("200 OK", "text/html; charset=utf-8", "<!DOCTYPE html><h1>Log in</h1>"),
        whole("200 OK", "application/json", "\n<html>gateway</html>"),
    ];
    for page in pages {
        let failure = collect(ask(&serve_text(page).await, limits())).await.1.unwrap();
        assert_eq!((failure.kind.word(), failure.is_retryable), ("malformed", true));
        assert!(failure.message.contains("web page") && failure.message.contains("base_url"), "{failure}");
    }
}

#[tokio::test]
async fn refusals_are_told_with_the_providers_words_and_its_wait() {
    let busy = head("429 Too Many Requests", "retry-after: 3\r\n");
    let busy = [busy, chunk("{\"error\":{\"message\":\"slow down\"}}"), "0\r\n\r\n".into()].concat();
    let failure = collect(ask(&serve_text(busy).await, limits())).await.1.unwrap();
    assert_eq!((failure.kind.word(), failure.retry_after_ms), ("rate_limit", Some(3_000)));
    assert!(failure.message.contains("slow down"));

    let broken = whole("500 Internal Server Error", "text/plain", "oops");
    let failure = collect(ask(&serve_text(broken).await, limits())).await.1.unwrap();
    assert_eq!((failure.kind.word(), failure.is_retryable), ("overloaded", true));
}

#[tokio::test]
async fn a_connection_that_is_closed_or_refused_may_pass() {
    let closed = collect(ask(&serve_text("").await, limits())).await.1.unwrap();
    assert_eq!((closed.kind.word(), closed.is_retryable), ("network", true));
    // Port 1 of this machine: nobody listens.
    let refused = collect(ask("http://127.0.0.1:1/v1", limits())).await.1.unwrap();
    assert_eq!((refused.kind.word(), refused.is_retryable), ("network", true));
    assert!(refused.message.contains("http://127.0.0.1:1/v1"), "{refused}");
}

#[tokio::test]
async fn r_62_an_error_event_ends_the_stream_with_what_it_says() {
    let error = "data: {\"error\":{\"code\":502,\"message\":\"Provider disconnected\"}}\n\n";
    let text =
        [stream_head(), chunk(&text_event("half")), chunk(error), chunk(ENDING), "0\r\n\r\n".into()].concat();
    let (deltas, failure) = collect(ask(&serve_text(text).await, limits())).await;
    assert_eq!((text_of(&deltas).as_str(), failure.unwrap().kind.word()), ("half", "overloaded"));
    let whole = whole("200 OK", "application/json", "{\"error\":{\"message\":\"m does not support tools\"}}");
    assert_eq!(
        collect(ask(&serve_text(whole).await, limits())).await.1.unwrap().kind.word(),
        "no_tool_support"
    );
}

#[tokio::test]
async fn r_32_a_line_that_cannot_be_read_is_a_failure_and_never_an_answer() {
    let text = [stream_head(), chunk(&text_event("half")), chunk("data: {oops\n\n"), chunk(ENDING)].concat();
    let (deltas, failure) = collect(ask(&serve_text(text).await, limits())).await;
    assert_eq!((text_of(&deltas).as_str(), failure.unwrap().kind.word()), ("half", "malformed"));
}

#[tokio::test]
async fn a_server_that_does_not_stream_gives_a_stream_of_one() {
    let body = json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": "whole"}, "finish_reason": "stop"}]});
    for media_type in ["application/json", "text/plain", "application/json; charset=utf-8"] {
        let answer = whole("200 OK", media_type, &format!("\n\n{body}"));
        let (deltas, failure) = collect(ask(&serve_text(answer).await, limits())).await;
        assert_eq!((text_of(&deltas).as_str(), failure), ("whole", None), "{media_type}");
    }
}

#[tokio::test]
async fn a_stream_under_a_wrong_label_is_still_a_stream() {
    for label in ["content-type: text/plain\r\n", "content-type: application/json\r\n", ""] {
        let text =
            [head("200 OK", label), chunk(": hello\n\n"), chunk(&text_event("yes")), chunk(ENDING)].concat();
        let (deltas, failure) = collect(ask(&serve_text(text).await, limits())).await;
        assert_eq!((text_of(&deltas).as_str(), failure), ("yes", None), "{label:?}");
    }
}

#[tokio::test]
async fn the_connection_is_used_again_after_the_last_word() {
    static CONNECTIONS: AtomicUsize = AtomicUsize::new(0);
    let (url, _) = serve(|mut socket| async move {
        CONNECTIONS.fetch_add(1, Ordering::SeqCst);
        for _ in 0..3 {
            read_request(&mut socket).await;
            say(&mut socket, &[stream_head(), chunk(&text_event("yes")), chunk(ENDING)].concat()).await;
            say(&mut socket, "0\r\n\r\n").await;
        }
    })
    .await;
    let model = WireModel::new(target(&url), transport(limits()));
    for _ in 0..3 {
        assert_eq!(text_of(&collect(model.stream(request())).await.0), "yes");
    }
    assert_eq!(CONNECTIONS.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_server_that_keeps_the_connection_open_after_its_last_word_is_not_waited_for() {
    let (url, _) = serve(|mut socket| async move {
        read_request(&mut socket).await;
        say(&mut socket, &[stream_head(), chunk(&text_event("yes")), chunk(ENDING)].concat()).await;
        let _ = socket.read(&mut [0]).await;
    })
    .await;
    let (deltas, failure) = collect(ask(&url, limits())).await;
    assert_eq!((text_of(&deltas).as_str(), failure), ("yes", None));
}

#[tokio::test]
async fn usage_gets_its_cost_where_prices_are_known() {
    let text = [stream_head(), chunk(ENDING)].concat();
    let mut target = target(&serve_text(text).await);
    target.abilities.prices = Some(Prices { input: 1.0, cached: 0.0, output: 10.0 });
    let (deltas, _) = collect(WireModel::new(target, transport(limits())).stream(request())).await;
    let usage = deltas.iter().find_map(|delta| match delta {
        ModelDelta::Usage(usage) => Some(*usage),
        _ => None,
    });
    let expected = Usage { input: 10, output: 2, cost_usd: Some(30.0 / 1e6), ..Usage::default() };
    assert_eq!(usage, Some(expected));
}

#[tokio::test]
async fn a_call_comes_back_under_the_tools_own_name() {
    let specs = [Arc::new(ToolSpec::new("files.read", "Reads."))];
    let wire_name = lower(&target(""), &specs).tools[0].name.clone();
    assert_ne!(wire_name, "files.read");
    let function = json!({"name": wire_name, "arguments": "{}"});
    let calls = json!([{"index": 0, "id": "c1", "type": "function", "function": function}]);
    let call = json!({"choices": [{"index": 0, "delta": {"tool_calls": calls}}]});
    let text = [stream_head(), chunk(&format!("data: {call}\n\n")), chunk(ENDING)].concat();
    let mut request = request();
    request.tools = Arc::new(specs);
    let model = WireModel::new(target(&serve_text(text).await), transport(limits()));
    let (deltas, _) = collect(model.stream(request)).await;
    let names: Vec<&str> = deltas
        .iter()
        .filter_map(|delta| match delta {
            ModelDelta::Call(call) => call.name.as_deref(),
            _ => None,
        })
        .collect();
    assert_eq!(names, ["files.read"]);
}

#[tokio::test]
async fn the_key_goes_in_its_header_and_is_in_no_failure() {
    let (got, request_text) = oneshot::channel::<String>();
    let mut got = Some(got);
    let (url, _) = serve(move |mut socket| {
        let got = got.take();
        async move {
            let text = read_request(&mut socket).await;
            if let Some(got) = got {
                got.send(text).unwrap();
            }
            let echo = format!("{{\"error\":{{\"message\":\"bad key {KEY}\"}}}}");
            say(&mut socket, &whole("401 Unauthorized", "application/json", &echo)).await;
        }
    })
    .await;
    let model = WireModel::new(target(&url), transport(limits()));
    let failure = collect(model.stream(request())).await.1.unwrap();
    let sent = request_text.await.unwrap().to_lowercase();
    assert!(sent.starts_with("post /chat/completions http/1.1\r\n"), "{sent}");
    assert!(sent.contains(&format!("authorization: bearer {KEY}\r\n")), "{sent}");
    assert!(
        sent.contains("x-title: windlass\r\n") && sent.contains("content-type: application/json\r\n"),
        "{sent}"
    );
    assert_eq!(failure.kind.word(), "auth");
    let shown = format!("{failure} {failure:?} {model:?}");
    assert!(!shown.contains(KEY), "{shown}");
}

#[tokio::test]
async fn a_wire_of_lines_is_read_a_line_at_a_time() {
    let line = "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"yes\"},\"done\":false}\n";
    let text = [head("200 OK", "content-type: application/x-ndjson\r\n"), chunk(line)].concat();
    let target = ModelTarget { wire: WireKind::Ollama, ..target(&serve_text(text).await) };
    let (_, failure) = collect(WireModel::new(target, transport(limits())).stream(request())).await;
    assert_eq!(
        failure.map(|failure| failure.kind),
        Some(windlass_core::protocol::model::ModelFailureKind::Cut)
    );
}

#[tokio::test]
async fn ollama_5_a_prompt_that_the_daemon_cut_is_told_once_a_run() {
    let answer = r#"{"model":"m-1","message":{"role":"assistant","content":"Yes."},"done":true,"done_reason":"stop","prompt_eval_count":4096,"eval_count":2}"#;
    let url = serve_text(whole("200 OK", "application/x-ndjson", &format!("{answer}\n"))).await;
    let mut target = target(&url);
    target.wire = WireKind::Ollama;
    target.quirks.context_tokens_asked = Some(4_096);
    let model = WireModel::new(target, transport(limits()));
    let mut long = request();
    long.messages = Arc::new(vec![Arc::new(Message::user("word ".repeat(10_000)))]);
    let told = |deltas: &[ModelDelta]| {
        let notices = deltas.iter().filter_map(|delta| match delta {
            ModelDelta::Notice(Notice { kind: NoticeKind::Trimmed, rule, .. }) => Some(rule.clone()),
            _ => None,
        });
        notices.collect::<Vec<_>>()
    };
    let (deltas, failure) = collect(model.stream(long.clone())).await;
    assert_eq!((told(&deltas), failure), (vec!["provider_truncated".to_owned()], None));
    let (deltas, _) = collect(model.stream(long.clone())).await;
    assert_eq!(told(&deltas), [""; 0], "nobody wants to be told at every step");
    let (deltas, _) = collect(model.stream(request())).await;
    assert_eq!(told(&deltas), [""; 0], "a short prompt is read whole");
}

/// Serves like `serve_text`, and gives what it got.
async fn overhear(answer: String) -> (String, Arc<std::sync::Mutex<Vec<String>>>) {
    let heard: Arc<std::sync::Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&heard);
    let (url, _) = serve(move |mut socket| {
        let (answer, kept) = (answer.clone(), Arc::clone(&kept));
        async move {
            let request = read_request(&mut socket).await;
            kept.lock().unwrap().push(request);
            say(&mut socket, &answer).await;
        }
    })
    .await;
    (url, heard)
}

#[tokio::test]
async fn what_is_written_is_what_the_server_gets_on_every_wire_and_has_no_key() {
    let wires = [WireKind::Chat, WireKind::Responses, WireKind::Messages, WireKind::Gemini, WireKind::Ollama];
    for wire in wires {
        let (url, heard) = overhear(whole("500 Broken", "application/json", "{}")).await;
        let target = ModelTarget { wire, ..target(&url) };
        let model = WireModel::new(target, transport(limits()));
        let spec = Arc::new(ToolSpec::new("list.tasks", "Lists tasks"));
        let mut request = ModelRequest { tools: Arc::new([spec]), ..request() };
        // The second step goes on from what was kept of the first; what is written does not.
        for said in ["first", "second"] {
            let written = model.written(&request).unwrap();
            collect(model.stream(request.clone())).await;
            let sent = heard.lock().unwrap().pop().unwrap();
            let (head, body) = sent.split_once("\r\n\r\n").unwrap();
            let body: serde_json::Value = serde_json::from_str(body).unwrap();
            assert_eq!(written.body, body, "{wire:?}");
            let line = head.lines().next().unwrap();
            let path = written.url.strip_prefix(&url).unwrap();
            assert_eq!(line, format!("{} {path} HTTP/1.1", written.method), "{wire:?}");
            assert!(!format!("{written:?}").contains(KEY), "{wire:?}");
            let messages = Arc::make_mut(&mut request.messages);
            messages.extend([Message::assistant(said), Message::user("more")].map(Arc::new));
        }
    }
}

#[test]
fn what_is_written_has_no_password_of_its_address() {
    let target = target("https://me:secret@models.example/v1?token=secret");
    let written = WireModel::new(target, transport(limits())).written(&request()).unwrap();
    assert_eq!(written.url, "https://models.example/v1/chat/completions");
}

//! What OpenAI's clients rely on, on a server as a user starts it: runs with the server's tools, calls of the caller's own
//! tools handed back, streams, errors in its shape.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::place::Place;
use crate::serve::Served;
use crate::studio_stage::{Studio, hold, search_server, until};

const PATH: &str = "/v1/chat/completions";

fn user(text: &str) -> Value {
    json!([{"role": "user", "content": text}])
}

fn weather() -> Value {
    json!([{"type": "function", "function": {
        "name": "get_weather", "description": "Weather of a town",
        "parameters": {"type": "object", "properties": {"town": {"type": "string"}}, "required": ["town"]},
    }}])
}

/// Our tools and no stream, our tools and a stream, the caller's tools and no stream, the caller's tools and a stream.
fn forms() -> [(Value, bool); 4] {
    [(json!([]), false), (json!([]), true), (weather(), false), (weather(), true)]
}

#[track_caller]
fn completed(studio: &Studio, body: &Value) -> Value {
    let (status, answer) = studio.json(PATH, Some(body));
    assert_eq!(status, 200, "{answer}");
    answer
}

/// The chunks of a stream; the last is `[DONE]`.
#[track_caller]
fn chunks(stream: &str) -> Vec<Value> {
    let chunk = |block: &str| {
        let data = block.strip_prefix("data: ").unwrap_or_else(|| panic!("a foreign block: {block}"));
        serde_json::from_str(data).unwrap_or_else(|_| data.into())
    };
    stream.split_terminator("\n\n").filter(|block| !block.starts_with(':')).map(chunk).collect()
}

/// The text and the finish of an answer, streamed or whole.
#[track_caller]
fn said(studio: &Studio, mut body: Value, is_stream: bool) -> (String, String) {
    if !is_stream {
        let choice = completed(studio, &body)["choices"][0].clone();
        let text = choice["message"]["content"].as_str().unwrap_or_default().to_owned();
        return (text, choice["finish_reason"].as_str().unwrap().to_owned());
    }
    body["stream"] = json!(true);
    let chunks = chunks(&studio.send(PATH, "", Some(&body.to_string())).1);
    assert_eq!(chunks.last(), Some(&json!("[DONE]")));
    let choices = || chunks.iter().map(|chunk| &chunk["choices"][0]);
    let text = choices().filter_map(|choice| choice["delta"]["content"].as_str()).collect();
    (text, choices().find_map(|choice| choice["finish_reason"].as_str()).unwrap().to_owned())
}

#[test]
fn a_request_without_tools_is_a_run_with_ours() {
    let script = "user What is 25 * 17 + 89?\nmodel reasoning Let me count.\nmodel call 1 calculate {\"expression\":\"25 * 17 + 89\"}\n\
                  model usage input=10 output=5 reasoning=2\nmodel end\nexpect-request contains 514\nmodel text It is 514.\n\
                  model usage input=20 output=7 cached=4\n";
    let studio = Studio::playing(script);
    let answer = completed(&studio, &json!({"model": "windlass", "messages": user("What is 25 * 17 + 89?")}));
    assert_eq!(
        (&answer["object"], &answer["model"]),
        (&json!("chat.completion"), &json!("scripted/a.script"))
    );
    let choice = &answer["choices"][0];
    assert_eq!((&choice["index"], &choice["finish_reason"]), (&json!(0), &json!("stop")));
    assert_eq!(choice["message"]["content"], "It is 514.");
    assert_eq!(choice["message"]["reasoning_content"], "Let me count.");
    assert!(choice["message"].get("tool_calls").is_none(), "our calls are our business");
    let usage = &answer["usage"];
    let counts = (&usage["prompt_tokens"], &usage["completion_tokens"], &usage["total_tokens"]);
    assert_eq!(counts, (&json!(30), &json!(12), &json!(42)));
    assert_eq!(usage["prompt_tokens_details"]["cached_tokens"], 4);
    assert_eq!(usage["completion_tokens_details"]["reasoning_tokens"], 2);
    assert_eq!(studio.served.json("GET /api/sessions", "")["sessions"][0]["origin"], "openai");
}

#[test]
fn a_run_streams_text_and_reasoning_alone() {
    let script = "chunk 4\nuser Go.\nmodel reasoning Let me see.\nmodel text One moment.\nmodel call 1 calculate {\"expression\":\"1+1\"}\n\
                  model usage input=10 output=5\nmodel end\nmodel text It is 2.\nmodel usage input=20 output=7\n";
    let studio = Studio::playing(script);
    let body = json!({"model": "windlass", "messages": user("Go."), "stream": true, "stream_options": {"include_usage": true}});
    let (head, stream) = studio.send(PATH, "", Some(&body.to_string()));
    assert!(head.to_lowercase().contains("content-type: text/event-stream"), "{head}");
    hold("openai/run_stream.sse", &stream);
    assert!(!stream.contains("tool_calls"), "our calls are our business");
    assert_eq!(said(&studio, body, true), ("One moment.\n\nIt is 2.".to_owned(), "stop".to_owned()));
}

#[test]
fn history_and_system_text_reach_the_model() {
    let script = "user One.\nmodel text -\nuser Two.\nexpect-request contains Speak like a pirate.\nexpect-request contains Be brief.\n\
                  expect-request contains Ours comes first.\nexpect-request contains user: One.\nexpect-request contains note: Louder!\n\
                  expect-request contains sunny\nmodel text Aye.\n";
    let place = Place::with(&[("a.script", script)]);
    place.configure("system = \"Ours comes first.\"\n");
    let served = Served::start(&place, &[]);
    let studio = Studio { place, search: search_server(), served };
    let messages = json!([
        {"role": "system", "content": "Speak like a pirate."},
        {"role": "developer", "content": [{"type": "text", "text": "Be brief."}]},
        {"role": "user", "content": "One."},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": "{\"town\":\"Bonn\"}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
        {"role": "assistant", "content": "It is sunny."},
        {"role": "system", "content": "Louder!"},
        {"role": "user", "content": [{"type": "text", "text": "Two."}]},
    ]);
    let answer = completed(&studio, &json!({"messages": messages, "unknown_field": {"is": "ignored"}}));
    assert_eq!(answer["choices"][0]["message"]["content"], "Aye.");
}

#[test]
fn a_callers_own_tools_are_handed_back_and_their_results_taken() {
    let script = "user Weather?\nexpect-request tool-choice auto\nmodel call 1 id=abc get_weather {\"town\":\"Bonn\"}\nmodel usage input=3 output=4\n\
                  expect-request contains sunny\nmodel text Sunny in Bonn.\n";
    let studio = Studio::playing(script);
    let answer = completed(&studio, &json!({"messages": user("Weather?"), "tools": weather()}));
    let message = &answer["choices"][0]["message"];
    assert_eq!(message["content"], Value::Null, "{answer}");
    assert_eq!(answer["choices"][0]["finish_reason"], "tool_calls");
    let call = &message["tool_calls"][0];
    let function = json!({"name": "get_weather", "arguments": "{\"town\":\"Bonn\"}"});
    assert_eq!(*call, json!({"id": "abc", "type": "function", "function": function}));
    assert_eq!(answer["usage"]["total_tokens"], 7);
    let messages = json!([
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": null, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "abc", "content": "sunny"},
    ]);
    let body = json!({"messages": messages, "tools": weather()});
    assert_eq!(said(&studio, body, false), ("Sunny in Bonn.".to_owned(), "stop".to_owned()));
    assert_eq!(studio.runs(), 0, "nothing ran here");
}

#[test]
fn r_21_two_parallel_calls_of_a_caller_stream_interleaved_by_index() {
    let script = "interleave true\nchunk 5\nuser Weather?\nmodel text Let me see.\nmodel call 1 id=a get_weather {\"town\":\"Bonn\"}\n\
                  model call 2 id=b get_weather {\"town\":\"Rome\"}\nmodel usage input=3 output=4\n";
    let studio = Studio::playing(script);
    let body = json!({"messages": user("Weather?"), "tools": weather(), "stream": true, "stream_options": {"include_usage": true}});
    let (_, stream) = studio.send(PATH, "", Some(&body.to_string()));
    hold("openai/calls_stream.sse", &stream);
    let mut calls: [(Vec<String>, String); 2] = Default::default();
    for chunk in chunks(&stream) {
        for piece in chunk["choices"][0]["delta"]["tool_calls"].as_array().into_iter().flatten() {
            let call = &mut calls[usize::try_from(piece["index"].as_u64().unwrap()).unwrap()];
            call.0.extend(piece.get("id").and_then(Value::as_str).map(str::to_owned));
            call.1.push_str(piece["function"]["arguments"].as_str().unwrap());
        }
    }
    assert_eq!(calls[0], (vec!["a".to_owned()], "{\"town\":\"Bonn\"}".to_owned()));
    assert_eq!(calls[1], (vec!["b".to_owned()], "{\"town\":\"Rome\"}".to_owned()));
    let alone = json!({"messages": user("Weather?"), "tools": weather(), "parallel_tool_calls": false});
    let message = completed(&studio, &alone)["choices"][0]["message"].clone();
    assert_eq!(message["tool_calls"].as_array().unwrap().len(), 1);
    assert_eq!(message["content"], "Let me see.");
}

#[test]
fn r_22_a_callers_call_without_arguments_has_an_empty_object() {
    let studio = Studio::playing("user Go.\nmodel call 1 get_weather\n");
    let mut body = json!({"messages": user("Go."), "tools": weather()});
    let whole = completed(&studio, &body);
    assert_eq!(whole["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"], "{}");
    body["stream"] = json!(true);
    let (_, stream) = studio.send(PATH, "", Some(&body.to_string()));
    let streamed = chunks(&stream);
    let pieces = streamed.iter().map(|chunk| &chunk["choices"][0]["delta"]["tool_calls"][0]["function"]);
    assert_eq!(pieces.filter_map(|function| function["arguments"].as_str()).collect::<String>(), "{}");
}

#[test]
fn every_tool_choice_is_understood() {
    let function = json!({"type": "function", "function": {"name": "get_weather"}});
    for (choice, word) in [
        (json!("auto"), "auto"),
        (json!("required"), "required"),
        (function.clone(), "named:get_weather"),
        (
            json!({"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [function]}}),
            "required",
        ),
    ] {
        let script = format!(
            "user Go.\nexpect-request tool-choice {word}\nmodel call 1 get_weather {{\"town\":\"x\"}}\n"
        );
        completed(
            &Studio::playing(&script),
            &json!({"messages": user("Go."), "tools": weather(), "tool_choice": choice}),
        );
    }
    let studio = Studio::playing("user Go.\nmodel text No.\nmodel call 1 get_weather {\"town\":\"x\"}\n");
    let answer =
        completed(&studio, &json!({"messages": user("Go."), "tools": weather(), "tool_choice": "none"}));
    let choice = &answer["choices"][0];
    assert_eq!(choice["finish_reason"], "stop", "a call that is forbidden is not handed on");
    assert!(choice["message"].get("tool_calls").is_none());
}

/// An error of OpenAI's shape with this status, type, parameter and code.
#[track_caller]
fn assert_error(answer: (String, String), status: u16, kind: &str, param: Value, code: &str) {
    let (head, body) = answer;
    assert!(head.contains(&format!(" {status} ")), "{head}\n{body}");
    assert!(head.to_lowercase().contains("content-type: application/json"), "{head}");
    let body: Value = serde_json::from_str(&body).unwrap();
    let error = &body["error"];
    assert_eq!(
        (&error["type"], &error["param"], &error["code"]),
        (&json!(kind), &param, &json!(code)),
        "{body}"
    );
    assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()));
}

#[test]
fn errors_have_its_shape_and_status() {
    let studio = Studio::playing("user Go.\nmodel text Hi.\n");
    let wrong = "invalid_request_error";
    let send = |body: Value| studio.send(PATH, "", Some(&body.to_string()));
    for (field, body) in [
        ("n", json!({"messages": user("Go."), "n": 2})),
        ("messages", json!({"messages": []})),
        ("messages[0].role", json!({"messages": [{"role": "wizard", "content": "x"}]})),
        (
            "messages[0].tool_call_id",
            json!({"messages": [{"role": "tool", "tool_call_id": "nobody", "content": "x"}]}),
        ),
        ("temperature", json!({"messages": user("Go."), "temperature": 3})),
        ("functions", json!({"messages": user("Go."), "functions": [{"name": "x"}]})),
        (
            "tools[0]",
            json!({"messages": user("Go."), "tools": [{"type": "custom", "custom": {"name": "x"}}]}),
        ),
        ("messages", json!({"messages": 7})),
    ] {
        assert_error(send(body), 400, wrong, json!(field), "invalid_request");
    }
    for tools in [json!(null), weather()] {
        let body = json!({"model": "no/such", "messages": user("Go."), "tools": tools});
        assert_error(send(body), 404, wrong, Value::Null, "model_not_found");
    }
    assert_error(studio.send(PATH, "", Some("{\"messages\":")), 400, wrong, Value::Null, "bad_json");
    let (head, body) = studio.send(PATH, "", None);
    assert!(head.to_lowercase().contains("allow: post"), "{head}");
    assert_error((head, body), 405, wrong, Value::Null, "method_not_allowed");
    assert_error(studio.send("/v1/nothing", "", None), 404, wrong, Value::Null, "route_not_found");
    assert_error(studio.send("/v1/models/none", "", None), 404, wrong, Value::Null, "model_not_found");
}

#[test]
fn clients_need_the_token_where_there_is_one() {
    let place = Place::with(&[
        ("a.script", "user Go.\nmodel text Hi.\n"),
        ("token", "0123456789abcdef0123456789abcdef\n"),
    ]);
    let served = Served::start(&place, &["--token-file", "token"]);
    let studio = Studio { place, search: search_server(), served };
    let body = json!({"messages": user("Go.")}).to_string();
    let send = |token: &str| studio.send(PATH, &format!("authorization: Bearer {token}\r\n"), Some(&body));
    assert_error(send("wrong"), 401, "authentication_error", Value::Null, "unauthorized");
    let (head, answer) = send("0123456789abcdef0123456789abcdef");
    assert!(head.contains(" 200 "), "{head} {answer}");
}

#[test]
fn failures_of_the_model_have_their_own_status() {
    for (line, status, kind, code) in [
        ("fail! rate_limit Too fast.", 429, "rate_limit_error", "rate_limit_exceeded"),
        ("fail! overloaded Too much.", 503, "server_error", "overloaded"),
        ("fail! context_overflow Too long.", 400, "invalid_request_error", "context_length_exceeded"),
        ("fail! auth The key is wrong.", 502, "server_error", "provider_auth"),
    ] {
        let studio = Studio::playing(&format!("user Go.\nmodel {line}\n"));
        for (tools, is_stream) in forms() {
            let body = json!({"messages": user("Go."), "tools": tools, "stream": is_stream}).to_string();
            let answer = studio.send(PATH, "", Some(&body));
            let waits = answer.0.to_lowercase().contains("retry-after: ");
            assert_eq!(waits, matches!(status, 429 | 503), "{}", answer.0);
            assert_error(answer, status, kind, Value::Null, code);
        }
    }
    let studio = Studio::playing("user Go.\nmodel fail rate_limit after=2s Too fast.\n");
    let (head, _) =
        studio.send(PATH, "", Some(&json!({"messages": user("Go."), "tools": weather()}).to_string()));
    assert!(head.contains(" 429 ") && head.to_lowercase().contains("retry-after: 2"), "{head}");
}

#[test]
fn r_62_a_stream_that_breaks_in_the_middle_ends_with_an_error_and_done() {
    let studio = Studio::playing("user Go.\nmodel text Well, the\nmodel fail! network The line is dead.\n");
    let mut begun = 0;
    for tools in [json!([]), weather()] {
        let body = json!({"messages": user("Go."), "tools": tools, "stream": true}).to_string();
        let (head, stream) = studio.send(PATH, "", Some(&body));
        // What fails before a word was sent has its own status.
        if !head.contains(" 200 ") {
            assert_error((head, stream), 502, "server_error", Value::Null, "network");
            continue;
        }
        begun += 1;
        let chunks = chunks(&stream);
        assert_eq!(chunks.last(), Some(&json!("[DONE]")));
        assert_eq!(chunks[chunks.len() - 2]["error"]["code"], "network", "{stream}");
        let finishes = chunks.iter().filter(|chunk| chunk["choices"][0]["finish_reason"].is_string()).count();
        assert_eq!(finishes, 0, "a broken answer has no finish");
    }
    assert!(begun > 0, "no stream had begun");
}

#[test]
fn stop_words_end_an_answer() {
    let studio = Studio::playing("chunk 3\nuser Go.\nmodel text One two STOP three.\n");
    for (tools, is_stream) in forms() {
        let body = json!({"messages": user("Go."), "tools": tools, "stop": ["STOP", "never"]});
        assert_eq!(said(&studio, body, is_stream), ("One two ".to_owned(), "stop".to_owned()));
    }
}

#[test]
fn an_answer_that_was_cut_says_length() {
    let studio =
        Studio::playing("user Go.\nmodel text One\nmodel end length\nmodel text two\nmodel end length\n");
    for tools in [json!([]), weather()] {
        let body = json!({"messages": user("Go."), "tools": tools, "max_completion_tokens": 2});
        assert_eq!(said(&studio, body, false).1, "length");
    }
}

#[test]
fn a_client_that_goes_away_cancels_its_run() {
    let studio = Studio::playing("user Go.\nmodel text Once upon a time\nmodel hang\n");
    let body = json!({"messages": user("Go."), "stream": true}).to_string();
    let mut live = studio.open(PATH, "", Some(&body));
    until(&mut live, "time");
    drop(live);
    assert_eq!(studio.end_of(&studio.newest())["outcome"], "cancelled");
}

/// Whoever waits for a whole answer and goes away in the middle of a call cancels it too.
#[test]
fn a_client_that_goes_away_before_its_answer_cancels_its_run() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = Place::with(&[("a.script", "user Go.\nmodel call 1 web_search {\"query\":\"tea\"}\n")]);
    place.configure(&format!(
        "[web_search]\nbackend = \"searxng\"\nbase_url = \"http://{}\"\n",
        silent.local_addr().unwrap()
    ));
    let served = Served::start(&place, &[]);
    let studio = Studio { place, search: search_server(), served };
    let asked =
        studio.open(PATH, "", Some(&json!({"messages": user("Go."), "profile": "studio"}).to_string()));
    let _in_the_call = silent.accept().unwrap();
    drop(asked);
    assert_eq!(studio.end_of(&studio.newest())["outcome"], "cancelled");
}

#[test]
fn what_would_need_asking_is_denied() {
    let script = "user Go.\nmodel call 1 write_file {\"path\":\"new.txt\",\"content\":\"x\"}\nmodel end\n\
                  expect-request contains permission\nmodel text I may not.\n";
    let studio = Studio::playing(script);
    for is_stream in [false, true] {
        let body = json!({"messages": user("Go.")});
        assert_eq!(said(&studio, body, is_stream), ("I may not.".to_owned(), "stop".to_owned()));
    }
    assert!(!studio.place.path("new.txt").exists());
}

#[test]
fn models_are_listed_and_shown() {
    let studio = Studio::playing("user Go.\nmodel text Hi.\n");
    let (_, list) = studio.json("/v1/models", None);
    let names: Vec<&str> =
        list["data"].as_array().unwrap().iter().filter_map(|model| model["id"].as_str()).collect();
    assert_eq!(
        (list["object"].as_str(), &names[..2]),
        (Some("list"), &["windlass", "scripted/a.script"][..]),
        "{list}"
    );
    for name in ["windlass", "scripted/a.script", "scripted%2Fa.script"] {
        let (status, model) = studio.json(&format!("/v1/models/{name}"), None);
        assert_eq!((status, &model["object"]), (200, &json!("model")), "{model}");
    }
}

//! What OpenAI's clients rely on.

use futures::StreamExt;
use serde_json::{Value, json};
use windlass_core::event::{Event, RunOutcome};
use windlass_core::host::{HostDelivery, HostPort, ServedPort};
use windlass_core::permission::ApproveMode;
use windlass_core::store::RunQuery;
use windlass_core::tool::{Effects, Risk, ToolOutput, ToolSpec};

use crate::compat::{FnTool, Scene, Stage, assert_golden, builtin};

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

/// Waits for the end of the only run.
async fn end_of_run(stage: &Stage) -> RunOutcome {
    let run = stage.host.runs(RunQuery { rows_max: 1, ..RunQuery::default() }).await.unwrap().remove(0);
    let mut events = stage.host.events(&run.run_id, 0).await.unwrap();
    while let Some(delivery) = events.next().await {
        if let HostDelivery::Record(record) = delivery
            && let Event::RunEnded { outcome, .. } = record.event
        {
            return outcome;
        }
    }
    panic!("the run has no end")
}

#[tokio::test]
async fn openai_request_without_tools_is_a_run_with_ours() {
    let script = "user What is 25 * 17 + 89?\nmodel reasoning Let me count.\nmodel call 1 calculate {\"expression\":\"25 * 17 + 89\"}\n\
                  model usage input=10 output=5 reasoning=2\nmodel end\nexpect-request contains 514\nmodel text It is 514.\n\
                  model usage input=20 output=7 cached=4\n";
    let stage = Scene::new(script).with_tools(vec![builtin("calculate")]).open().await;
    let reply =
        stage.post(PATH, json!({"model": "windlass", "messages": user("What is 25 * 17 + 89?")})).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let answer = reply.json();
    assert_eq!(answer["object"], "chat.completion");
    assert_eq!(answer["model"], "scripted/usual");
    let choice = &answer["choices"][0];
    assert_eq!((&choice["index"], &choice["finish_reason"]), (&json!(0), &json!("stop")));
    assert_eq!(choice["message"]["content"], "It is 514.");
    assert_eq!(choice["message"]["reasoning_content"], "Let me count.");
    assert!(choice["message"].get("tool_calls").is_none(), "our calls are our business");
    let usage = &answer["usage"];
    assert_eq!(
        (&usage["prompt_tokens"], &usage["completion_tokens"], &usage["total_tokens"]),
        (&json!(30), &json!(12), &json!(42))
    );
    assert_eq!(usage["prompt_tokens_details"]["cached_tokens"], 4);
    assert_eq!(usage["completion_tokens_details"]["reasoning_tokens"], 2);
    let sessions = stage.get("/api/sessions").await.json();
    assert_eq!(sessions["sessions"][0]["origin"], "openai");
}

#[tokio::test]
async fn openai_run_streams_text_and_reasoning_alone() {
    let script = "chunk 4\nuser Go.\nmodel reasoning Let me see.\nmodel text One moment.\nmodel call 1 calculate {\"expression\":\"1+1\"}\n\
                  model usage input=10 output=5\nmodel end\nmodel text It is 2.\nmodel usage input=20 output=7\n";
    let stage = Scene::new(script).with_tools(vec![builtin("calculate")]).open().await;
    let body = json!({"model": "windlass", "messages": user("Go."), "stream": true, "stream_options": {"include_usage": true}});
    let reply = stage.post(PATH, body).await;
    assert_eq!(reply.headers["content-type"], "text/event-stream");
    assert_golden("openai/run_stream.sse", &reply.body);
    let frames = reply.frames();
    let text: String =
        frames.iter().filter_map(|frame| frame["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(text, "One moment.\n\nIt is 2.");
    assert_eq!(frames.last(), Some(&json!("[DONE]")));
    assert!(!reply.body.contains("tool_calls"), "our calls are our business");
}

#[tokio::test]
async fn openai_history_and_system_text_reach_the_model() {
    let script = "user One.\nmodel text -\nuser Two.\nexpect-request contains Speak like a pirate.\nexpect-request contains Be brief.\n\
                  expect-request contains Ours comes first.\nexpect-request contains user: One.\nexpect-request contains note: Louder!\n\
                  expect-request contains sunny\nmodel text Aye.\n";
    let mut scene = Scene::new(script);
    scene.system = "Ours comes first.";
    let stage = scene.open().await;
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
    let reply = stage.post(PATH, json!({"messages": messages, "unknown_field": {"is": "ignored"}})).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(reply.json()["choices"][0]["message"]["content"], "Aye.");
}

#[tokio::test]
async fn openai_callers_own_tools_are_handed_back_and_their_results_taken() {
    let script = "user Weather?\nexpect-request tool-choice auto\nmodel call 1 id=abc get_weather {\"town\":\"Bonn\"}\nmodel usage input=3 output=4\n\
                  expect-request contains sunny\nmodel text Sunny in Bonn.\n";
    let stage = Scene::new(script).open().await;
    let reply = stage.post(PATH, json!({"messages": user("Weather?"), "tools": weather()})).await;
    let answer = reply.json();
    let message = &answer["choices"][0]["message"];
    assert_eq!(message["content"], Value::Null, "{answer}");
    assert_eq!(answer["choices"][0]["finish_reason"], "tool_calls");
    let call = &message["tool_calls"][0];
    assert_eq!(
        *call,
        json!({"id": "abc", "type": "function", "function": {"name": "get_weather", "arguments": "{\"town\":\"Bonn\"}"}})
    );
    assert_eq!(answer["usage"]["total_tokens"], 7);
    let messages = json!([
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": null, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "abc", "content": "sunny"},
    ]);
    let reply = stage.post(PATH, json!({"messages": messages, "tools": weather()})).await;
    assert_eq!(reply.json()["choices"][0]["message"]["content"], "Sunny in Bonn.");
    assert_eq!(reply.json()["choices"][0]["finish_reason"], "stop");
    assert!(
        stage.host.runs(RunQuery { rows_max: 1, ..RunQuery::default() }).await.unwrap().is_empty(),
        "nothing ran here"
    );
}

#[tokio::test]
async fn r_21_two_parallel_calls_of_a_caller_stream_interleaved_by_index() {
    let script = "interleave true\nchunk 5\nuser Weather?\nmodel text Let me see.\nmodel call 1 id=a get_weather {\"town\":\"Bonn\"}\n\
                  model call 2 id=b get_weather {\"town\":\"Rome\"}\nmodel usage input=3 output=4\n";
    let stage = Scene::new(script).open().await;
    let body = json!({"messages": user("Weather?"), "tools": weather(), "stream": true, "stream_options": {"include_usage": true}});
    let reply = stage.post(PATH, body.clone()).await;
    assert_golden("openai/calls_stream.sse", &reply.body);
    let mut calls: [(Vec<String>, String); 2] = Default::default();
    for frame in reply.frames() {
        for piece in frame["choices"][0]["delta"]["tool_calls"].as_array().into_iter().flatten() {
            let call = &mut calls[usize::try_from(piece["index"].as_u64().unwrap()).unwrap()];
            call.0.extend(piece.get("id").and_then(Value::as_str).map(str::to_owned));
            call.1.push_str(piece["function"]["arguments"].as_str().unwrap());
        }
    }
    assert_eq!(calls[0], (vec!["a".to_owned()], "{\"town\":\"Bonn\"}".to_owned()));
    assert_eq!(calls[1], (vec!["b".to_owned()], "{\"town\":\"Rome\"}".to_owned()));
    let mut alone = body;
    alone["parallel_tool_calls"] = json!(false);
    alone["stream"] = json!(false);
    let answer = stage.post(PATH, alone).await.json();
    assert_eq!(answer["choices"][0]["message"]["tool_calls"].as_array().unwrap().len(), 1);
    assert_eq!(answer["choices"][0]["message"]["content"], "Let me see.");
}

#[tokio::test]
async fn r_22_a_callers_call_without_arguments_has_an_empty_object() {
    let stage = Scene::new("user Go.\nmodel call 1 get_weather\n").open().await;
    for is_stream in [false, true] {
        let reply =
            stage.post(PATH, json!({"messages": user("Go."), "tools": weather(), "stream": is_stream})).await;
        let sent = if is_stream {
            let pieces = reply.frames();
            pieces
                .iter()
                .filter_map(|frame| {
                    frame["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"].as_str()
                })
                .collect()
        } else {
            reply.json()["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        assert_eq!(sent, "{}");
    }
}

#[tokio::test]
async fn openai_every_tool_choice_is_understood() {
    let choices = [
        (json!("auto"), "auto"),
        (json!("required"), "required"),
        (json!({"type": "function", "function": {"name": "get_weather"}}), "named:get_weather"),
        (
            json!({"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [{"type": "function", "function": {"name": "get_weather"}}]}}),
            "required",
        ),
    ];
    for (choice, word) in choices {
        let script = format!(
            "user Go.\nexpect-request tool-choice {word}\nmodel call 1 get_weather {{\"town\":\"x\"}}\n"
        );
        let stage = Scene::new(&script).open().await;
        let reply = stage
            .post(PATH, json!({"messages": user("Go."), "tools": weather(), "tool_choice": choice}))
            .await;
        assert_eq!(reply.status, 200, "{word}: {}", reply.body);
    }
    let stage =
        Scene::new("user Go.\nmodel text No.\nmodel call 1 get_weather {\"town\":\"x\"}\n").open().await;
    let reply =
        stage.post(PATH, json!({"messages": user("Go."), "tools": weather(), "tool_choice": "none"})).await;
    assert_eq!(
        reply.json()["choices"][0]["finish_reason"],
        "stop",
        "a call that is forbidden is not handed on"
    );
    assert!(reply.json()["choices"][0]["message"].get("tool_calls").is_none());
}

fn assert_error(reply: &crate::compat::Reply, status: u16, kind: &str, param: Value, code: &str) {
    assert_eq!(reply.status, status, "{}", reply.body);
    assert!(reply.headers["content-type"].starts_with("application/json"), "{:?}", reply.headers);
    let body = reply.json();
    let error = &body["error"];
    assert_eq!(
        (&error["type"], &error["param"], &error["code"]),
        (&json!(kind), &param, &json!(code)),
        "{body}"
    );
    assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()));
}

#[tokio::test]
async fn openai_errors_have_its_shape_and_status() {
    let stage = Scene::new("user Go.\nmodel text Hi.\n").open().await;
    let wrong = "invalid_request_error";
    let ask = async |body: Value| stage.post(PATH, body).await;
    assert_error(
        &ask(json!({"messages": user("Go."), "n": 2})).await,
        400,
        wrong,
        json!("n"),
        "invalid_request",
    );
    assert_error(&ask(json!({"messages": []})).await, 400, wrong, json!("messages"), "invalid_request");
    let reply = ask(json!({"messages": [{"role": "wizard", "content": "x"}]})).await;
    assert_error(&reply, 400, wrong, json!("messages[0].role"), "invalid_request");
    let reply = ask(json!({"messages": [{"role": "tool", "tool_call_id": "nobody", "content": "x"}]})).await;
    assert_error(&reply, 400, wrong, json!("messages[0].tool_call_id"), "invalid_request");
    let reply = ask(json!({"messages": user("Go."), "temperature": 3})).await;
    assert_error(&reply, 400, wrong, json!("temperature"), "invalid_request");
    let reply = ask(json!({"messages": user("Go."), "functions": [{"name": "x"}]})).await;
    assert_error(&reply, 400, wrong, json!("functions"), "invalid_request");
    let reply =
        ask(json!({"messages": user("Go."), "tools": [{"type": "custom", "custom": {"name": "x"}}]})).await;
    assert_error(&reply, 400, wrong, json!("tools[0]"), "invalid_request");
    for tools in [json!(null), weather()] {
        let reply = ask(json!({"model": "no/such", "messages": user("Go."), "tools": tools})).await;
        assert_error(&reply, 404, wrong, Value::Null, "model_not_found");
    }
    let reply = stage.send("POST", PATH, &[], Some("{\"messages\":".to_owned())).await;
    assert_error(&reply, 400, wrong, Value::Null, "bad_json");
    let reply = stage.send("POST", PATH, &[], Some("{\"messages\": 7}".to_owned())).await;
    assert_error(&reply, 400, wrong, json!("messages"), "invalid_request");
    assert_error(&stage.get(PATH).await, 405, wrong, Value::Null, "method_not_allowed");
    assert_eq!(stage.get(PATH).await.headers["allow"], "POST");
    assert_error(&stage.get("/v1/nothing").await, 404, wrong, Value::Null, "route_not_found");
}

#[tokio::test]
async fn openai_clients_need_the_token_where_there_is_one() {
    let mut scene = Scene::new("user Go.\nmodel text Hi.\n");
    scene.token = Some("a-token-of-some-length");
    let stage = scene.open().await;
    let body = json!({"messages": user("Go.")}).to_string();
    let reply = stage.send("POST", PATH, &[("Authorization", "Bearer wrong")], Some(body.clone())).await;
    assert_error(&reply, 401, "authentication_error", Value::Null, "unauthorized");
    let reply =
        stage.send("POST", PATH, &[("Authorization", "Bearer a-token-of-some-length")], Some(body)).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
}

#[tokio::test]
async fn openai_failures_of_the_model_have_their_own_status() {
    let failures = [
        ("fail! rate_limit Too fast.", 429, "rate_limit_error", "rate_limit_exceeded"),
        ("fail! overloaded Too much.", 503, "server_error", "overloaded"),
        ("fail! context_overflow Too long.", 400, "invalid_request_error", "context_length_exceeded"),
        ("fail! auth The key is wrong.", 502, "server_error", "provider_auth"),
    ];
    for (line, status, kind, code) in failures {
        let stage = Scene::new(&format!("user Go.\nmodel {line}\n")).open().await;
        for (tools, is_stream) in
            [(json!([]), false), (json!([]), true), (weather(), false), (weather(), true)]
        {
            let reply =
                stage.post(PATH, json!({"messages": user("Go."), "tools": tools, "stream": is_stream})).await;
            assert_error(&reply, status, kind, Value::Null, code);
            assert_eq!(reply.headers.contains_key("retry-after"), matches!(status, 429 | 503));
        }
    }
    let stage = Scene::new("user Go.\nmodel fail rate_limit after=2s Too fast.\n").open().await;
    let reply = stage.post(PATH, json!({"messages": user("Go."), "tools": weather()})).await;
    assert_eq!((reply.status, reply.headers["retry-after"].as_str()), (429, "2"));
}

#[tokio::test]
async fn r_62_a_stream_that_breaks_in_the_middle_ends_with_an_error_and_done() {
    let stage =
        Scene::new("user Go.\nmodel text Well, the\nmodel fail! network The line is dead.\n").open().await;
    for tools in [json!([]), weather()] {
        let reply = stage.post(PATH, json!({"messages": user("Go."), "tools": tools, "stream": true})).await;
        let frames = reply.frames();
        // A run that says nothing before it fails has its own status; this one had begun.
        if reply.status != 200 {
            assert_error(&reply, 502, "server_error", Value::Null, "network");
            continue;
        }
        assert_eq!(frames.last(), Some(&json!("[DONE]")));
        assert_eq!(frames[frames.len() - 2]["error"]["code"], "network", "{}", reply.body);
        let finishes = frames.iter().filter(|frame| frame["choices"][0]["finish_reason"].is_string()).count();
        assert_eq!(finishes, 0, "a broken answer has no finish");
    }
}

#[tokio::test]
async fn openai_stop_words_end_an_answer() {
    let stage = Scene::new("chunk 3\nuser Go.\nmodel text One two STOP three.\n").open().await;
    for (tools, is_stream) in [(json!([]), false), (json!([]), true), (weather(), false), (weather(), true)] {
        let body =
            json!({"messages": user("Go."), "tools": tools, "stream": is_stream, "stop": ["STOP", "never"]});
        let reply = stage.post(PATH, body).await;
        let (text, finish) = if is_stream {
            let frames = reply.frames();
            let text: String =
                frames.iter().filter_map(|frame| frame["choices"][0]["delta"]["content"].as_str()).collect();
            let finish = frames
                .iter()
                .find_map(|frame| frame["choices"][0]["finish_reason"].as_str().map(str::to_owned));
            (text, finish.unwrap())
        } else {
            let choice = &reply.json()["choices"][0];
            (
                choice["message"]["content"].as_str().unwrap().to_owned(),
                choice["finish_reason"].as_str().unwrap().to_owned(),
            )
        };
        assert_eq!((text.as_str(), finish.as_str()), ("One two ", "stop"), "{}", reply.body);
    }
}

#[tokio::test]
async fn openai_an_answer_that_was_cut_says_length() {
    let script = "user Go.\nmodel text One\nmodel end length\nmodel text two\nmodel end length\n";
    for tools in [json!([]), weather()] {
        let stage = Scene::new(script).open().await;
        let body = json!({"messages": user("Go."), "tools": tools, "max_completion_tokens": 2});
        let reply = stage.post(PATH, body).await;
        assert_eq!(reply.json()["choices"][0]["finish_reason"], "length", "{}", reply.body);
    }
}

#[tokio::test]
async fn openai_a_client_that_goes_away_cancels() {
    let stage = Scene::new("user Go.\nmodel text Once upon a time\nmodel hang\n").open().await;
    let mut live = stage.live("POST", PATH, Some(json!({"messages": user("Go."), "stream": true}))).await;
    live.until("time").await;
    drop(live);
    assert_eq!(end_of_run(&stage).await, RunOutcome::Cancelled);
}

#[tokio::test]
async fn openai_a_client_that_goes_away_before_its_answer_cancels() {
    let hanging = FnTool::hanging(ToolSpec::new("wait", "Waits"));
    let stage = Scene::new("user Go.\nmodel call 1 wait {}\n").with_tools(vec![hanging]).open().await;
    let mut seen = stage.host.observe();
    let connection = stage.connect(PATH, json!({"messages": user("Go.")})).await;
    while !matches!(seen.next().await.unwrap().event, Event::CallStarted { .. }) {}
    drop(connection);
    assert_eq!(end_of_run(&stage).await, RunOutcome::Cancelled);
}

#[tokio::test]
async fn openai_what_would_need_asking_is_denied() {
    let spec = ToolSpec::new("write_it", "Writes").with_effects(Effects::Write, Risk::Medium);
    let writer = FnTool::doing(spec, |_| Ok(ToolOutput::text("written")));
    let script =
        "user Go.\nmodel call 1 write_it {}\nexpect-request contains permission\nmodel text I may not.\n";
    for is_stream in [false, true] {
        let mut scene = Scene::new(script).with_tools(vec![std::sync::Arc::clone(&writer)]);
        scene.approve = ApproveMode::Ask;
        let stage = scene.open().await;
        let reply = stage.post(PATH, json!({"messages": user("Go."), "stream": is_stream})).await;
        let said = if is_stream {
            reply.said()
        } else {
            reply.json()["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
        };
        assert_eq!(said, "I may not.", "{}", reply.body);
    }
}

#[tokio::test]
async fn openai_models_are_listed_and_shown() {
    let stage = Scene::new("user Go.\nmodel text Hi.\n").open().await;
    let list = stage.get("/v1/models").await.json();
    let names: Vec<&str> =
        list["data"].as_array().unwrap().iter().filter_map(|model| model["id"].as_str()).collect();
    assert_eq!((list["object"].as_str(), names), (Some("list"), vec!["windlass", "scripted/usual"]));
    for name in ["windlass", "scripted/usual", "scripted%2Fusual"] {
        let model = stage.get(&format!("/v1/models/{name}")).await.json();
        assert_eq!(model["object"], "model", "{model}");
    }
    assert_error(
        &stage.get("/v1/models/none").await,
        404,
        "invalid_request_error",
        Value::Null,
        "model_not_found",
    );
}

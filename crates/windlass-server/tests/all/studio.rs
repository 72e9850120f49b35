//! Prompt Studio's contract over HTTP: SSE v1.1, its parameters, its snapshots.

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::host::HostPort;
use windlass_core::store::RunQuery;
use windlass_core::tool::{ErrorKind, ToolFailure, ToolOutput, ToolSpec};

use crate::compat::{FnTool, Reply, Scene, Stage, assert_golden, builtin, query, search_spec, web_search};

const PATH: &str = "/api/chat/stream";

const SEARCHES: &str = "user What is new?\nmodel reasoning I should look.\nmodel text Let me look.\nmodel call 1 search_web {\"query\":\"news\"}\n\
    model usage input=10 output=5\nmodel end\nmodel reasoning Now I know.\nmodel text Nothing much.\nmodel usage input=20 output=7\n";

async fn ask(stage: &Stage, prompt: &str) -> Reply {
    stage.get(&query(PATH, &[("prompt", prompt)])).await
}

/// a stream ends with exactly one `done`, and nothing comes after it.
fn done_of(reply: &Reply) -> Value {
    let frames = reply.frames();
    let ends = frames.iter().filter(|frame| frame["type"] == "done").count();
    assert_eq!(ends, 1, "exactly one done: {}", reply.body);
    let last = frames.last().unwrap().clone();
    assert_eq!((&last["type"], &last["done"]), (&json!("done"), &json!(true)));
    last
}

#[tokio::test]
async fn s_4_to_s_13_frames_have_their_minimum_fields() {
    let stage = Scene::new(SEARCHES).with_tools(vec![web_search()]).open().await;
    let reply = ask(&stage, "What is new?").await;
    // S-4: one media type, frames of `data:` alone (an `id:` line before durable ones), a type in each.
    assert_eq!(reply.headers["content-type"], "text/event-stream");
    assert!(!reply.body.contains("event:"), "no event lines");
    assert_golden("sse/studio_search.sse", &reply.body);
    let frames = reply.frames();
    assert!(
        frames.iter().all(|frame| frame["type"].is_string() && frame["ts"].is_u64()),
        "S-5: ts is always sent"
    );
    let first = |kind: &str| frames.iter().find(|frame| frame["type"] == kind).unwrap().clone();
    // S-5, S-9.
    assert!(first("reasoning")["content"].is_string() && first("content")["content"].is_string());
    // S-6: arguments are a string.
    let calls = &first("tool_calls")["calls"];
    assert_eq!((&calls[0]["id"], &calls[0]["arguments"]), (&json!("call_1"), &json!("{\"query\":\"news\"}")));
    // S-7, S-8, S-12, S-21: place and prominence on both.
    for kind in ["tool_executing", "tool_result"] {
        let frame = first(kind);
        assert_eq!(
            (&frame["id"], &frame["category"], &frame["visibility"]),
            (&json!("call_1"), &json!("search"), &json!("primary")),
            "{frame}"
        );
    }
    assert_eq!(first("tool_result")["result"]["success"], true);
    assert!(first("tool_result")["result"]["result"].is_array());
    // S-11.
    assert_eq!(done_of(&reply)["outcome"], "completed");
}

#[tokio::test]
async fn s_34_the_order_is_reasoning_tools_reasoning_response() {
    let stage = Scene::new(SEARCHES).with_tools(vec![web_search()]).open().await;
    let mut types = ask(&stage, "What is new?").await.types();
    types.retain(|kind| {
        matches!(
            kind.as_str(),
            "reasoning" | "tool_calls" | "tool_executing" | "tool_result" | "content" | "done"
        )
    });
    types.dedup();
    // the text before a call has its place too; S-35: the thinking after a tool streams as well.
    assert_eq!(
        types,
        [
            "reasoning",
            "content",
            "tool_calls",
            "tool_executing",
            "tool_result",
            "reasoning",
            "content",
            "done"
        ]
    );
}

#[tokio::test]
async fn s_1_get_and_post_and_both_loops_have_the_same_frames() {
    let mut bodies = Vec::new();
    for v2 in ["false", "true"] {
        for is_post in [false, true] {
            let stage = Scene::new(SEARCHES).with_tools(vec![web_search()]).open().await;
            let reply = if is_post {
                stage.post(PATH, json!({"prompt": "What is new?", "tool_loop_v2": v2})).await
            } else {
                stage.get(&query(PATH, &[("prompt", "What is new?"), ("tool_loop_v2", v2)])).await
            };
            done_of(&reply);
            let mut types = reply.types();
            types.sort();
            types.dedup();
            bodies.push(types);
        }
    }
    // S-2: the flag selects when execution starts; the contract is one.
    assert!(bodies.iter().all(|types| *types == bodies[0]), "{bodies:?}");
}

#[tokio::test]
async fn s_17_with_the_flag_a_call_starts_before_the_stream_ends() {
    let script = "user Go.\nmodel call 1 search_web {\"query\":\"a\"}\nmodel text And\nmodel hang\n";
    let stage = Scene::new(script).with_tools(vec![web_search()]).open().await;
    let mut live = stage
        .live(
            "GET",
            &query(PATH, &[("prompt", "Go."), ("tool_loop_v2", "on"), ("cancel_on_disconnect", "1")]),
            None,
        )
        .await;
    // the model never ends, and the result is there.
    live.until("tool_result").await;
}

#[tokio::test]
async fn r_24_events_arrive_before_the_provider_stream_ends() {
    let stage = Scene::new("user Go.\nmodel reasoning Hm.\nmodel text One\nmodel hang\n").open().await;
    let mut live =
        stage.live("GET", &query(PATH, &[("prompt", "Go."), ("cancel_on_disconnect", "1")]), None).await;
    assert_eq!(live.status, 200);
    let seen = live.until("\"content\":\"One\"").await;
    assert!(seen.contains("\"type\":\"reasoning\""), "{seen}");
}

#[tokio::test]
async fn r_21_two_parallel_calls_interleaved_by_index_both_run() {
    let script = "interleave true\nchunk 3\nuser Go.\nmodel call 1 search_web {\"query\":\"a\"}\nmodel call 2 search_web {\"query\":\"b\"}\n\
        expect-request contains About a\nexpect-request contains About b\nmodel text Both.\n";
    for v2 in ["0", "1"] {
        let stage = Scene::new(script).with_tools(vec![web_search()]).open().await;
        let reply = stage.get(&query(PATH, &[("prompt", "Go."), ("tool_loop_v2", v2)])).await;
        let results = reply.types().iter().filter(|kind| *kind == "tool_result").count();
        assert_eq!((results, done_of(&reply)["outcome"].as_str()), (2, Some("completed")), "{}", reply.body);
    }
}

#[tokio::test]
async fn r_22_a_call_without_arguments_runs_with_an_empty_object() {
    let tool = FnTool::doing(ToolSpec::new("ping", "Pings"), |args| {
        Ok(ToolOutput::text(format!("{} arguments", args.len())))
    });
    let stage =
        Scene::new("user Go.\nmodel call 1 ping\nexpect-request contains 0 arguments\nmodel text Pong.\n")
            .with_tools(vec![tool])
            .open()
            .await;
    let reply = ask(&stage, "Go.").await;
    assert!(reply.body.contains("\"arguments\":\"{}\""), "{}", reply.body);
    assert_eq!(done_of(&reply)["outcome"], "completed");
}

#[tokio::test]
async fn r_23_several_steps_search_then_count_then_answer() {
    let script = "user Go.\nmodel call 1 search_web {\"query\":\"a\"}\nmodel end\nexpect-request contains About a\nmodel call 2 calculate {\"expression\":\"25 * 17 + 89\"}\nmodel end\n\
        expect-request contains 514\nmodel text It is 514.\n";
    let stage = Scene::new(script).with_tools(vec![web_search(), builtin("calculate")]).open().await;
    let reply = ask(&stage, "Go.").await;
    let results: Vec<Value> =
        reply.frames().into_iter().filter(|frame| frame["type"] == "tool_result").collect();
    assert_eq!(results.len(), 2, "{}", reply.body);
    // S-21: utilities are hidden from chips.
    assert_eq!((&results[1]["category"], &results[1]["visibility"]), (&json!("utility"), &json!("hidden")));
    assert_eq!(reply.said(), "It is 514.");
}

#[tokio::test]
async fn r_25_every_stream_ends_with_one_done_whatever_goes_wrong() {
    // The model fails.
    let stage = Scene::new("user Go.\nmodel fail! auth The key is wrong.\n").open().await;
    let reply = ask(&stage, "Go.").await;
    assert_eq!(done_of(&reply)["outcome"], "failed");
    assert!(reply.types().contains(&"error".to_owned()));
    // A bad request, told in the stream: an EventSource reads nothing else.
    for params in [
        vec![],
        vec![("prompt", "Go."), ("temperature", "hot")],
        vec![("prompt", "Go."), ("tools", "[\"nope\"]")],
        vec![("prompt", "Go."), ("model", "no/such")],
    ] {
        let reply = stage.get(&query(PATH, &params)).await;
        assert_eq!((reply.status, reply.headers["content-type"].as_str()), (200, "text/event-stream"));
        assert_eq!(reply.types(), ["error", "done"], "{params:?}: {}", reply.body);
        done_of(&reply);
    }
    // A body can be refused with a status, and the stream is the same.
    let reply = stage.post(PATH, json!({"prompt": ""})).await;
    assert_eq!((reply.status, reply.types()), (400, vec!["error".to_owned(), "done".to_owned()]));
    let reply = stage.send("POST", PATH, &[], Some("{".to_owned())).await;
    assert_eq!((reply.status, reply.types()), (400, vec!["error".to_owned(), "done".to_owned()]));
    // No key (A.3).
    let reply = stage
        .get(&query(PATH, &[("prompt", "Go."), ("provider", "openrouter"), ("model", "some-model")]))
        .await;
    assert_eq!(reply.types(), ["warning", "done"], "{}", reply.body);
    assert_eq!(reply.frames()[0]["message"], "Set OPENROUTER_API_KEY to enable streaming.");
}

#[tokio::test]
async fn s_36_an_answer_appears_also_at_the_limit_and_r_27_its_calls_are_refused() {
    let script = "user Go.\nmodel call 1 search_web {\"query\":\"a\"}\nmodel end\nexpect-request tool-choice forbidden\nmodel text Enough.\nmodel call 2 search_web {\"query\":\"b\"}\n";
    let stage = Scene::new(script).with_tools(vec![web_search()]).open().await;
    let reply = stage.get(&query(PATH, &[("prompt", "Go."), ("max_tool_calls", "1")])).await;
    let warnings: Vec<Value> =
        reply.frames().into_iter().filter(|frame| frame["type"] == "warning").collect();
    let codes: Vec<&str> = warnings.iter().filter_map(|frame| frame["code"].as_str()).collect();
    assert_eq!(codes, ["MAX_STEPS", "FINALIZE_REFUSED_CALL"], "{}", reply.body);
    assert_eq!(reply.said(), "Enough.");
    // S-3, S-20: the final step ran no tool.
    assert_eq!(reply.types().iter().filter(|kind| *kind == "tool_executing").count(), 1);
    assert_eq!(done_of(&reply)["outcome"], "limit_reached");
}

#[tokio::test]
async fn r_28_the_seventh_search_is_trimmed_with_one_warning() {
    let calls = |from: u32, to: u32| -> String {
        (from..=to).map(|n| format!("model call {n} search_web {{\"query\":\"q{n}\"}}\n")).collect()
    };
    let script = format!(
        "user Go.\n{}model end\nmodel call 7 search_web {{\"query\":\" Q1 \"}}\n{}model end\nmodel text Enough.\n",
        calls(1, 6),
        calls(8, 9)
    );
    let stage = Scene::new(&script).with_tools(vec![web_search()]).open().await;
    let reply = ask(&stage, "Go.").await;
    let frames = reply.frames();
    let warnings: Vec<&Value> = frames.iter().filter(|frame| frame["code"] == "TOOL_CLAMP").collect();
    assert_eq!(warnings.len(), 1, "S-23: one warning a run: {}", reply.body);
    assert_eq!(warnings[0]["message"], "Trimmed tool calls to 6");
    let trimmed =
        frames.iter().filter(|frame| frame["result"]["error"] == "Search trimmed by clamp (6)").count();
    assert_eq!(trimmed, 2);
    done_of(&reply);
}

#[tokio::test]
async fn s_8_a_failed_tool_is_told_and_the_model_goes_on() {
    let down = FnTool::doing(search_spec(), |_| Err(ToolFailure::new(ErrorKind::Unavailable, "it is down")));
    let stage = Scene::new("user Go.\nmodel call 1 search_web {\"query\":\"a\"}\nexpect-request contains it is down\nmodel text No luck.\n").with_tools(vec![down]).open().await;
    let reply = ask(&stage, "Go.").await;
    let result = reply.frames().into_iter().find(|frame| frame["type"] == "tool_result").unwrap();
    assert_eq!(
        (&result["result"]["success"], &result["result"]["error"]),
        (&json!(false), &json!("it is down"))
    );
    assert_eq!(reply.said(), "No luck.");
}

#[tokio::test]
async fn s_14_the_parameters_reach_the_run() {
    let script = "user Go.\nexpect-request contains Speak like a pirate.\nexpect-request tool-choice named:calculate\nmodel call 1 calculate {\"expression\":\"1\"}\nmodel end\nmodel text Aye.\n";
    let stage = Scene::new(script).with_tools(vec![web_search(), builtin("calculate")]).open().await;
    let params = [
        ("prompt", "Go."),
        ("system", "Speak like a pirate."),
        ("temperature", "0.3"),
        ("top_p", "0.9"),
        ("max_tokens", "100"),
        ("seed", "7"),
        ("reasoning_effort", "high"),
        ("tools", "[\"search_web\",{\"type\":\"function\",\"function\":{\"name\":\"calculate\"}}]"),
        ("tool_choice", "calculate"),
        ("max_tool_calls", "3"),
        ("response_format", "json_object"),
        ("logit_bias", "{}"),
    ];
    let reply = stage.get(&query(PATH, &params)).await;
    let run = stage.host.runs(RunQuery { rows_max: 1, ..RunQuery::default() }).await.unwrap().remove(0);
    assert_eq!(run.profile, "studio", "{}", reply.body);
    let records = stage.host.records(&run.session_id, 0).await.unwrap();
    let windlass_core::event::Event::RunStarted { wishes, .. } = &records[0].event else {
        panic!("no start")
    };
    assert_eq!(wishes.tools, Some(vec!["web_search".to_owned(), "calculate".to_owned()]));
    assert_eq!(wishes.steps_max, Some(3));
    let sampling = &wishes.sampling;
    assert_eq!(
        (sampling.temperature, sampling.top_p, sampling.output_tokens_max, sampling.seed),
        (Some(0.3), Some(0.9), Some(100), Some(7))
    );
    assert_eq!(
        (sampling.reasoning_effort.as_deref(), sampling.response_format.clone()),
        (Some("high"), Some(json!({"type": "json_object"})))
    );
}

#[tokio::test]
async fn r_29_a_snapshot_has_the_complete_trace() {
    let stage = Scene::new(SEARCHES).with_tools(vec![web_search()]).open().await;
    let reply = ask(&stage, "What is new?").await;
    let run_id = done_of(&reply)["run_id"].clone();
    let body = json!({"title": "News", "kind": "state", "provider": "scripted", "model": "scripted/usual", "data": {"prompt": "What is new?"}, "run_id": run_id});
    let saved = stage.post("/api/saves", body).await;
    assert_eq!(saved.status, 201, "{}", saved.body);
    let id = saved.json()["id"].as_str().unwrap().to_owned();
    let save = stage.get(&format!("/api/saves/{id}")).await.json();
    assert_eq!(
        (&save["title"], &save["kind"], &save["data"]["prompt"]),
        (&json!("News"), &json!("state"), &json!("What is new?"))
    );
    let trace = &save["data"]["runTrace"];
    assert_eq!(*trace, stage.get(&format!("/api/runs/{}/trace", run_id.as_str().unwrap())).await.json());
    // S-31: times, states, durations, thinking, tokens.
    let thoughts: Vec<&str> =
        trace["reasoning"].as_array().unwrap().iter().filter_map(|block| block["content"].as_str()).collect();
    assert_eq!(thoughts, ["I should look.", "Now I know."]);
    let tool = &trace["tools"][0];
    assert_eq!(
        (&tool["name"], &tool["status"], &tool["parameters"]),
        (&json!("web_search"), &json!("completed"), &json!({"query": "news"}))
    );
    assert!(tool["durationMs"].is_u64() && tool["startedAt"].is_string() && tool["endedAt"].is_string());
    assert_eq!(tool["links"][0]["url"], "https://a.example/page");
    assert_eq!((&trace["tokens"]["total"], &trace["answer"]), (&json!(42), &json!("Nothing much.")));
    assert!(trace["totalDurationMs"].is_u64() && !trace["endedAt"].as_str().unwrap().is_empty());
    assert_eq!(stage.get("/api/saves").await.json()["saves"][0]["id"], json!(id));
    assert_eq!(stage.send("DELETE", &format!("/api/saves/{id}"), &[], None).await.status, 204);
    assert_eq!(stage.get(&format!("/api/saves/{id}")).await.status, 404);
    assert_eq!(stage.post("/api/saves", json!({"title": "x".repeat(81)})).await.status, 400);
}

#[tokio::test]
async fn a_client_that_comes_back_reads_the_same_run_on_and_runs_nothing_again() {
    let stage = Scene::new(SEARCHES).with_tools(vec![web_search()]).open().await;
    let path = query(PATH, &[("prompt", "What is new?"), ("request_id", "r1")]);
    let whole = stage.get(&path).await;
    let last_id = |body: &str| {
        body.lines().filter_map(|line| line.strip_prefix("id: ")).next_back().unwrap().to_owned()
    };
    let ids: Vec<String> =
        whole.body.lines().filter_map(|line| line.strip_prefix("id: ").map(str::to_owned)).collect();
    for id in &ids[..ids.len() - 1] {
        let rest = stage.send("GET", &path, &[("Last-Event-ID", id)], None).await;
        let from = whole.body.find(&format!("id: {id}\n")).unwrap();
        let seen = whole.body[from..].find("\n\n").map(|end| from + end + 2).unwrap();
        assert_eq!(rest.body, whole.body[seen..], "after {id}");
    }
    // At its end there is nothing to come back for.
    assert_eq!(stage.send("GET", &path, &[("Last-Event-ID", &last_id(&whole.body))], None).await.status, 204);
    // Without a name it cannot be found again, and nothing runs.
    let reply =
        stage.send("GET", &query(PATH, &[("prompt", "What is new?")]), &[("Last-Event-ID", "3")], None).await;
    assert_eq!(reply.status, 204);
    assert_eq!(stage.host.runs(RunQuery { rows_max: 10, ..RunQuery::default() }).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_studio_run_goes_on_when_its_client_goes_away() {
    let tool = FnTool::hanging(ToolSpec::new("wait", "Waits"));
    let stage = Arc::new(Scene::new("user Go.\nmodel call 1 wait {}\n").with_tools(vec![tool]).open().await);
    let mut live = stage.live("GET", &query(PATH, &[("prompt", "Go.")]), None).await;
    live.until("tool_executing").await;
    drop(live);
    let run = stage.host.runs(RunQuery { rows_max: 1, ..RunQuery::default() }).await.unwrap().remove(0);
    let mut again = stage.live("GET", &format!("/api/runs/{}/events", run.run_id), None).await;
    again.until("tool_executing").await;
    stage.host.cancel(&run.run_id).await.unwrap();
    again.until("\"type\":\"done\"").await;
}

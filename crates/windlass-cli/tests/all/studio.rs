//! Prompt Studio's contract on a server as a user starts it: SSE v1.1 for literal clients, its parameters, its
//! snapshots, coming back to a run.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::studio_stage::{PATH, SEARCHES, Studio, done, literal, of_type, query, said, types, until};

#[test]
fn u_36_s_4_to_s_12_a_literal_client_and_curl_read_the_same_frames_with_their_fields() {
    let studio = Studio::playing(SEARCHES);
    let params = [("prompt", "What is new?"), ("request_id", "once")];
    let (head, body) = studio.send(&query(&params), "", None);
    let frames = literal(&body);
    // S-4: one media type, every frame `data: ` and JSON on one line; its id is a block of its own, behind it.
    assert!(head.to_lowercase().contains("content-type: text/event-stream"), "{head}");
    assert!(!body.contains("event:"), "{body}");
    let blocks: Vec<&str> = body.split_terminator("\n\n").collect();
    assert!(blocks.iter().all(|block| block.lines().count() == 1), "{body}");
    assert!(blocks[0].starts_with("data: ") && blocks[1].starts_with("id: "), "{body}");
    assert!(frames.iter().all(|frame| frame["type"].is_string() && frame["ts"].is_u64()), "{body}");
    // curl reads the same run again, byte for byte.
    let url = format!("http://{}{}", studio.served.address(), query(&params));
    let key = format!("Authorization: Bearer {}", studio.served.token());
    let curl = studio.place.bare("curl").args(["-sS", "-N", "-H", &key, &url]).output().unwrap();
    assert_eq!(String::from_utf8(curl.stdout).unwrap(), body, "{}", String::from_utf8_lossy(&curl.stderr));
    assert_eq!(studio.runs(), 1);
    // S-5, S-6, S-9, S-11.
    let first = |kind: &str| of_type(&frames, kind)[0].clone();
    assert!(first("reasoning")["content"].is_string() && first("content")["content"].is_string());
    let call = &first("tool_calls")["calls"][0];
    assert_eq!(*call, json!({"id": "call_1", "name": "search_web", "arguments": "{\"query\":\"news\"}"}));
    assert_eq!(done(&frames)["outcome"], "completed");
    // S-7, S-8, S-12, S-21: one name, place and prominence on both; the seed's shape of results.
    for kind in ["tool_executing", "tool_result"] {
        let frame = first(kind);
        let seen = (&frame["id"], &frame["name"], &frame["category"], &frame["visibility"]);
        let expected = (&json!("call_1"), &json!("search_web"), &json!("search"), &json!("primary"));
        assert_eq!(seen, expected, "{frame}");
    }
    let page = json!({"title": "About news", "url": "https://a.example/page", "snippet": "All of it."});
    let result = &first("tool_result")["result"];
    assert_eq!((&result["success"], &result["result"]), (&json!(true), &json!({"results": [page]})));
    let deltas = of_type(&frames, "tool_call_delta");
    assert!(deltas.iter().all(|frame| frame["name"] == "search_web"), "{deltas:?}");
}

#[test]
fn s_12_s_21_every_tool_has_one_of_three_places_and_one_of_three_prominences() {
    let tools = Studio::playing(SEARCHES).served.json("GET /api/tools", "");
    let seen = |field: &str| -> BTreeSet<String> {
        let tools = tools["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool[field].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(seen("category").into_iter().collect::<Vec<_>>(), ["other", "search", "utility"]);
    assert_eq!(seen("visibility").into_iter().collect::<Vec<_>>(), ["hidden", "primary", "secondary"]);
}

#[test]
fn s_34_s_35_the_order_is_reasoning_tools_reasoning_response() {
    let frames = Studio::playing(SEARCHES).frames(&[("prompt", "What is new?")]);
    let mut order = types(&frames);
    order.retain(|kind| {
        matches!(*kind, "reasoning" | "tool_calls" | "tool_executing" | "tool_result" | "content" | "done")
    });
    order.dedup();
    let expected = [
        "reasoning",
        "content",
        "tool_calls",
        "tool_executing",
        "tool_result",
        "reasoning",
        "content",
        "done",
    ];
    assert_eq!(order, expected);
}

/// What differs from run to run is taken out.
fn lasting(frame: &Value) -> String {
    let mut frame = frame.clone();
    let fields = frame.as_object_mut().unwrap();
    for name in ["ts", "run_id", "session_id", "parent_id", "duration_ms"] {
        fields.remove(name);
    }
    frame.to_string()
}

#[test]
fn s_1_s_2_get_and_post_and_both_loops_give_the_same_frames_of_one_version() {
    let mut streams = Vec::new();
    for v2 in ["false", "true"] {
        for is_post in [false, true] {
            let studio = Studio::playing(SEARCHES);
            let body = json!({"prompt": "What is new?", "tool_loop_v2": v2}).to_string();
            let (path, body) = match is_post {
                true => (PATH.to_owned(), Some(body.as_str())),
                false => (query(&[("prompt", "What is new?"), ("tool_loop_v2", v2)]), None),
            };
            let frames = literal(&studio.send(&path, "", body).1);
            assert_eq!((&frames[0]["type"], &frames[0]["v"]), (&json!("run_started"), &json!("1.1")));
            done(&frames);
            streams.push(frames.iter().map(lasting).collect::<Vec<_>>());
        }
    }
    assert_eq!(streams[0], streams[1], "GET and POST");
    assert_eq!(streams[2], streams[3], "GET and POST, with the flag");
    // The flag selects when a call starts: the frames are the same, some of them earlier.
    let counted = |frames: &[String]| {
        let mut counts = BTreeMap::new();
        frames.iter().for_each(|frame| *counts.entry(frame.clone()).or_insert(0) += 1);
        counts
    };
    assert_eq!(counted(&streams[0]), counted(&streams[2]));
}

#[test]
fn s_17_r_24_with_the_flag_a_call_starts_and_ends_before_the_provider_has_finished() {
    let script = "user Go.\nmodel call 1 search_web {\"query\":\"a\"}\nmodel text And\nmodel hang\n";
    let studio = Studio::playing(script);
    let params = [("prompt", "Go."), ("tool_loop_v2", "on"), ("cancel_on_disconnect", "1")];
    until(&mut studio.open(&query(&params), "", None), "tool_result");
}

#[test]
fn r_24_events_arrive_before_the_provider_stream_ends() {
    let studio = Studio::playing("user Go.\nmodel reasoning Hm.\nmodel text One\nmodel hang\n");
    let path = query(&[("prompt", "Go."), ("cancel_on_disconnect", "1")]);
    let seen = until(&mut studio.open(&path, "", None), "\"content\":\"One\"");
    assert!(seen.contains("\"type\":\"reasoning\""), "{seen}");
}

#[test]
fn r_21_two_parallel_calls_interleaved_by_index_both_run() {
    let script = "interleave true\nchunk 3\nuser Go.\nmodel call 1 search_web {\"query\":\"a\"}\nmodel call 2 search_web {\"query\":\"b\"}\n\
        expect-request contains About a\nexpect-request contains About b\nmodel text Both.\n";
    for v2 in ["0", "1"] {
        let frames = Studio::playing(script).frames(&[("prompt", "Go."), ("tool_loop_v2", v2)]);
        assert_eq!((of_type(&frames, "tool_result").len(), said(&frames)), (2, "Both.".to_owned()));
    }
}

#[test]
fn r_22_r_23_a_call_without_arguments_then_a_search_then_a_sum() {
    let script = "user Go.\nmodel call 1 get_current_time\nmodel end\nmodel call 2 search_web {\"query\":\"a\"}\nmodel end\n\
        expect-request contains About a\nmodel call 3 calculate {\"expression\":\"25 * 17 + 89\"}\nmodel end\n\
        expect-request contains 514\nmodel text It is 514.\n";
    let frames = Studio::playing(script).frames(&[("prompt", "Go.")]);
    assert_eq!(of_type(&frames, "tool_calls")[0]["calls"][0]["arguments"], "{}");
    let results = of_type(&frames, "tool_result");
    assert!(results.iter().all(|frame| frame["result"]["success"] == true), "{results:#?}");
    // S-21: utilities are hidden from chips.
    assert_eq!((&results[2]["category"], &results[2]["visibility"]), (&json!("utility"), &json!("hidden")));
    assert!(results[2]["result"]["result"].is_object(), "S-8: {}", results[2]);
    assert_eq!(said(&frames), "It is 514.");
}

#[test]
fn r_25_every_stream_ends_with_one_done_whatever_goes_wrong() {
    let studio = Studio::playing("user Go.\nmodel fail! auth The key is wrong.\n");
    let frames = studio.frames(&[("prompt", "Go.")]);
    assert_eq!(done(&frames)["outcome"], "failed");
    assert_eq!(of_type(&frames, "error").len(), 1);
    // A bad request, told in the stream: an EventSource reads nothing else.
    for params in [
        vec![],
        vec![("prompt", "Go."), ("temperature", "hot")],
        vec![("prompt", "Go."), ("tools", "[\"nope\"]")],
        vec![("prompt", "Go."), ("model", "no/such")],
    ] {
        let (head, body) = studio.send(&query(&params), "", None);
        assert!(head.contains(" 200 "), "{params:?}: {head}");
        assert_eq!(types(&literal(&body)), ["error", "done"], "{params:?}: {body}");
    }
    // A body can be refused with a status, and the stream is the same.
    for body in ["{\"prompt\": \"\"}", "{"] {
        let (head, body) = studio.send(PATH, "", Some(body));
        assert!(head.contains(" 400 "), "{head}");
        assert_eq!(types(&literal(&body)), ["error", "done"]);
    }
}

#[test]
fn s_3_s_36_r_27_an_answer_appears_also_at_the_limit_and_its_calls_are_refused() {
    let script = "user Go.\nmodel call 1 search_web {\"query\":\"a\"}\nmodel end\nexpect-request tool-choice forbidden\nmodel text Enough.\nmodel call 2 search_web {\"query\":\"b\"}\n";
    let frames = Studio::playing(script).frames(&[("prompt", "Go."), ("max_tool_calls", "1")]);
    let codes: Vec<&str> =
        of_type(&frames, "warning").iter().filter_map(|frame| frame["code"].as_str()).collect();
    assert_eq!(codes, ["MAX_STEPS", "FINALIZE_REFUSED_CALL"], "{frames:#?}");
    assert_eq!((said(&frames).as_str(), of_type(&frames, "tool_executing").len()), ("Enough.", 1));
    assert_eq!(done(&frames)["outcome"], "limit_reached");
}

#[test]
fn r_29_s_31_a_snapshot_has_the_complete_trace() {
    let studio = Studio::playing(SEARCHES);
    let run_id = done(&studio.frames(&[("prompt", "What is new?")]))["run_id"].clone();
    let body =
        json!({"title": "News", "kind": "state", "data": {"prompt": "What is new?"}, "run_id": run_id});
    let id = studio.served.json("POST /api/saves", &body.to_string())["id"].as_str().unwrap().to_owned();
    let save = studio.served.json(&format!("GET /api/saves/{id}"), "");
    assert_eq!((&save["title"], &save["data"]["prompt"]), (&json!("News"), &json!("What is new?")));
    let trace = &save["data"]["runTrace"];
    let run = run_id.as_str().unwrap();
    assert_eq!(*trace, studio.served.json(&format!("GET /api/runs/{run}/trace"), ""));
    let thoughts: Vec<&str> =
        trace["reasoning"].as_array().unwrap().iter().filter_map(|block| block["content"].as_str()).collect();
    assert_eq!(thoughts, ["I should look.", "Now I know."]);
    let tool = &trace["tools"][0];
    assert_eq!((&tool["status"], &tool["parameters"]), (&json!("completed"), &json!({"query": "news"})));
    assert!(tool["durationMs"].is_u64() && tool["startedAt"].is_string() && tool["endedAt"].is_string());
    assert_eq!(tool["links"][0]["url"], "https://a.example/page");
    assert_eq!((&trace["tokens"]["total"], &trace["answer"]), (&json!(42), &json!("Nothing much.")));
    assert_eq!(studio.served.json("GET /api/saves", "")["saves"][0]["id"], json!(id));
    assert_eq!(studio.served.ask(&format!("DELETE /api/saves/{id}"), "").0, 204);
    assert_eq!(studio.served.ask(&format!("GET /api/saves/{id}"), "").0, 404);
    assert_eq!(studio.served.ask("POST /api/saves", &json!({"title": "x".repeat(81)}).to_string()).0, 400);
}

#[test]
fn u_36_a_client_that_comes_back_reads_the_same_run_on_and_runs_nothing_again() {
    let studio = Studio::playing(SEARCHES);
    let path = query(&[("prompt", "What is new?"), ("request_id", "r1")]);
    let whole = studio.send(&path, "", None).1;
    let ids: Vec<&str> = whole.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
    let (last, earlier) = ids.split_last().unwrap();
    for id in earlier {
        let mark = format!("id: {id}\n\n");
        let seen = whole.find(&mark).unwrap() + mark.len();
        let rest = studio.send(&path, &format!("last-event-id: {id}\r\n"), None).1;
        assert_eq!(rest, whole[seen..], "after {id}");
    }
    // At its end there is nothing to come back for; without a name it cannot be found again, and nothing runs.
    let unnamed = query(&[("prompt", "What is new?")]);
    for (path, id) in [(&path, *last), (&unnamed, "3")] {
        let (head, _) = studio.send(path, &format!("last-event-id: {id}\r\n"), None);
        assert!(head.contains(" 204 "), "{head}");
    }
    assert_eq!(studio.runs(), 1);
}

#[test]
fn a_studio_run_goes_on_when_its_client_goes_away() {
    let studio = Studio::playing("user Go.\nmodel text Hm\nmodel hang\n");
    let mut live = studio.open(&query(&[("prompt", "Go.")]), "", None);
    until(&mut live, "\"content\":\"Hm\"");
    drop(live);
    let run = studio.served.json("GET /api/runs", "")["runs"][0]["run_id"].as_str().unwrap().to_owned();
    assert!(studio.served.json(&format!("GET /api/runs/{run}"), "")["ended_ms"].is_null());
    studio.served.json(&format!("POST /api/runs/{run}/cancel"), "");
    studio.served.wait_for(&run, "done");
}

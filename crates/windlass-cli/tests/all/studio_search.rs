//! Searching as Prompt Studio's users know it: quotas, a key in the environment, repeats that say so, and a failing
//! server.

use serde_json::{Value, json};

use crate::place::Place;
use crate::serve::Served;
use crate::server::{Server, whole};
use crate::studio_stage::{Studio, done, of_type, said, search_server, searching};

/// So many searches in one step, and an answer.
fn searches(count: u32) -> String {
    let calls: String =
        (1..=count).map(|n| format!("model call {n} search_web {{\"query\":\"q{n}\"}}\n")).collect();
    format!("user Go.\n{calls}model end\nmodel text Enough.\n")
}

/// Asserts that so many of the searches ran, and that the rest was trimmed with one warning.
#[track_caller]
fn assert_trimmed(frames: &[Value], ran: usize, trimmed: usize) {
    assert_eq!(of_type(frames, "tool_executing").len(), ran, "{frames:#?}");
    let warnings: Vec<&Value> = frames.iter().filter(|frame| frame["code"] == "TOOL_CLAMP").collect();
    assert_eq!(warnings.len(), 1, "{frames:#?}");
    let warned = (&warnings[0]["type"], &warnings[0]["message"]);
    assert_eq!(warned, (&json!("warning"), &json!(format!("Trimmed tool calls to {ran}"))));
    let refusal = json!(format!("Search trimmed by clamp ({ran})"));
    assert_eq!(frames.iter().filter(|frame| frame["result"]["error"] == refusal).count(), trimmed);
    assert_eq!(said(frames), "Enough.");
}

#[test]
fn u_44_s_10_s_23_six_searches_run_and_each_beyond_is_trimmed_with_one_warning() {
    let studio = Studio::playing(&searches(8));
    assert_trimmed(&studio.frames(&[("prompt", "Go.")]), 6, 2);
    assert_eq!(studio.search.heard().matches("GET /search").count(), 6);
}

#[test]
fn r_28_repeats_do_not_count_against_the_quota() {
    let mut script = searches(6).replace("model text Enough.\n", "");
    script.push_str("model call 7 search_web {\"query\":\" Q1 \"}\nmodel call 8 search_web {\"query\":\"q8\"}\nmodel end\nmodel text Enough.\n");
    let frames = Studio::playing(&script).frames(&[("prompt", "Go.")]);
    assert_trimmed(&frames, 6, 1);
    let cached: Vec<&Value> = frames.iter().filter(|frame| frame["cached"] == true).collect();
    assert_eq!((cached.len(), &cached[0]["id"]), (1, &json!("call_7")), "S-22: {frames:#?}");
}

/// A paid server opens with its key in the environment alone; ten searches then run.
#[test]
fn u_44_s_23_a_key_of_brave_is_read_and_gives_ten_searches() {
    let brave = Server::answering(|_| {
        let page = json!({"title": "A page", "url": "https://a.example/page", "description": "All of it."});
        whole("200 OK", &json!({"type": "search", "web": {"results": [page]}}).to_string())
    });
    let place = Place::with(&[("a.script", &searches(12))]);
    place.configure(&format!("[web_search]\nbase_url = \"{}\"\n", brave.address("")));
    let vars = [("BRAVE_API_KEY", "brave-key-0123456789")];
    let args = ["--model", "scripted/a.script"];
    let served = Served::start_with(&place, &args, &vars);
    let studio = Studio { place, search: brave, served };
    assert_trimmed(&studio.frames(&[("prompt", "Go.")]), 10, 2);
    let heard = studio.search.heard().to_lowercase();
    assert_eq!(heard.matches("get /res/v1/web/search").count(), 10, "{heard}");
    assert_eq!(heard.matches("x-subscription-token: brave-key-0123456789").count(), 10);
    // Who set a number means it.
    let place = Place::with(&[("a.script", &searches(4))]);
    let base = studio.search.address("");
    place.configure(&format!("[web_search]\nbase_url = \"{base}\"\n[limits]\nsearch_calls_max = 3\n"));
    let served = Served::start_with(&place, &args, &vars);
    let studio = Studio { place, search: search_server(), served };
    assert_trimmed(&studio.frames(&[("prompt", "Go.")]), 3, 1);
}

#[test]
fn u_44_s_20_a_finalize_hint_is_told_in_the_last_step_and_in_no_other() {
    let script = "user Go.\nexpect-request lacks You searched\nmodel call 1 search_web {\"query\":\"a\"}\nmodel end\n\
        expect-request contains You searched the web: do not deny it.\nexpect-request tool-choice forbidden\nmodel text It is so.\n";
    let hint = ("finalize_hint", "You searched the web: do not deny it.");
    let frames = Studio::playing(script).frames(&[("prompt", "Go."), ("max_tool_calls", "1"), hint]);
    assert_eq!((said(&frames).as_str(), &done(&frames)["outcome"]), ("It is so.", &json!("limit_reached")));
}

/// The next request says of a repeated read that it is cached, whatever the envelope; `fresh` reads again.
#[test]
fn u_38_a_cached_answer_says_so_in_every_envelope_and_a_fresh_one_is_fetched() {
    let native = "model call 1 web_search {\"query\":\"a\"}\nmodel end\nexpect-request lacks \"cached\":true\n\
        model call 2 web_search {\"query\":\" A \"}\nmodel end\nexpect-request contains \"cached\":true\n\
        model call 3 web_search {\"query\":\"a\",\"fresh\":true}\nmodel end\nmodel text Done.\n";
    let text = "model text {\"tool\":\"web_search\",\"args\":{\"query\":\"a\"}}\nmodel end\nexpect-request lacks (cached)\n\
        model text {\"tool\":\"web_search\",\"args\":{\"query\":\" A \"}}\nmodel end\nexpect-request contains (cached)\n\
        model text {\"tool\":\"web_search\",\"args\":{\"query\":\"a\",\"fresh\":true}}\nmodel end\nmodel text Done.\n";
    for (profile, steps) in [("default", native), ("studio", native), ("zodo", native), ("edison", text)] {
        let search = search_server();
        let place = Place::with(&[("a.script", &format!("user Go.\n{steps}"))]);
        place.configure(&searching(&search));
        let args = [
            "run",
            "--model",
            "scripted/a.script",
            "--profile",
            profile,
            "--allow",
            "web_search",
            "--json",
            "Go.",
        ];
        let ran = place.windlass(&args).exits(0);
        let cached: Vec<Value> =
            ran.lines().into_iter().filter(|frame| frame["type"] == "tool_result").collect();
        let marks: Vec<bool> = cached.iter().map(|frame| frame["cached"] == true).collect();
        assert_eq!(marks, [false, true, false], "{profile}: {}", ran.out);
        assert_eq!(search.heard().matches("GET /search").count(), 2, "{profile}");
    }
}

#[test]
fn s_8_a_search_that_fails_is_told_and_the_model_goes_on() {
    let script = "user Go.\nmodel call 1 search_web {\"query\":\"a\"}\nmodel end\nexpect-request contains answered with status 500\nmodel text No luck.\n";
    let down = Server::answering(|_| whole("500 Internal Server Error", "{}"));
    let place = Place::with(&[("a.script", script)]);
    place.configure(&searching(&down));
    let served = Served::start(&place, &[]);
    let frames = Studio { place, search: down, served }.frames(&[("prompt", "Go.")]);
    let result = of_type(&frames, "tool_result")[0]["result"].clone();
    assert_eq!(result["success"], false);
    assert!(result["error"].as_str().unwrap().contains("status 500"), "{result}");
    assert_eq!(said(&frames), "No luck.");
}

//! Runs against strict providers on loopback: streaming, pairing, echo, refusals, keys, cancelling.

use std::time::{Duration, Instant};

use serde_json::Value;
use windlass_testkit::provider::{VendorFault, VendorScript, VendorTool};

use crate::lifeline::PATIENCE;
use crate::providers_stage::{CALM, KEY, Stage, Watched, lines_of};

const PLAIN: &str = "openai-compatible";

/// One provider for each protocol, and those with manners of their own.
const WIRES: [&str; 9] =
    [PLAIN, "openai", "openai-chat", "anthropic", "gemini", "ollama", "openrouter", "deepseek", "mistral"];

/// Long enough for a loaded machine; a connection that is closed by a timeout is closed much later.
const AT_ONCE: Duration = Duration::from_secs(10);

/// Runs the script on a provider and asserts that it went well: the answer, the calls, no refusal.
#[track_caller]
fn goes_well(vendor: &str, script: &VendorScript) -> Stage {
    let stage = Stage::new();
    let ran = stage.run(vendor, script, &[]);
    let refusals = format!("{vendor}: {:#?}", stage.server.ledger().refusals());
    assert_eq!(ran.code, 0, "{refusals}\n{}\n{}", ran.out, ran.err);
    assert_eq!(ran.out.trim(), script.answer(), "{refusals}\n{}", ran.err);
    if script.tool == VendorTool::Command {
        assert_eq!(stage.ran_log(), lines_of(script.steps, script.parallel), "{refusals}");
    }
    stage.assert_nothing_refused();
    assert_eq!(stage.server.ledger().requests.len(), script.steps + 1, "{refusals}");
    stage
}

#[test]
fn every_wire_gives_a_text() {
    for vendor in WIRES {
        goes_well(vendor, &VendorScript::default());
    }
}

#[test]
fn every_wire_makes_one_call_and_call_after_call() {
    for vendor in WIRES {
        goes_well(vendor, &VendorScript { steps: 1, ..VendorScript::default() });
        goes_well(vendor, &VendorScript { steps: 4, ..VendorScript::default() });
    }
}

#[test]
fn r_21_two_parallel_calls_interleaved_by_index_both_run_on_every_wire() {
    for vendor in WIRES {
        goes_well(vendor, &VendorScript { steps: 2, parallel: 3, ..VendorScript::default() });
    }
}

#[test]
fn r_22_a_call_without_argument_text_runs_with_an_empty_object() {
    for vendor in WIRES {
        let stage = Stage::new();
        let script = VendorScript { steps: 1, tool: VendorTool::Tree, ..VendorScript::default() };
        let ran = stage.run(vendor, &script, &["--json"]).exits(0);
        let results = ran.of_type("tool_result");
        assert_eq!(
            (results.len(), &results[0]["result"]["success"]),
            (1, &true.into()),
            "{vendor}: {}",
            ran.out
        );
        stage.assert_nothing_refused();
    }
}

#[test]
fn r_23_multi_step_search_then_read_then_answer() {
    for vendor in WIRES {
        let stage = Stage::new();
        stage.place.write("hay.txt", "straw\nthe needle is here\n");
        let script = VendorScript { steps: 2, tool: VendorTool::Research, ..VendorScript::default() };
        let ran = stage.run(vendor, &script, &[]).exits(0);
        assert_eq!(ran.out.trim(), script.answer(), "{vendor}");
        stage.assert_nothing_refused();
        let bodies = stage.server.ledger().bodies();
        assert_eq!(bodies.len(), 3, "{vendor}");
        assert!(bodies[1].to_string().contains("hay.txt"), "{vendor}: the search found it");
        assert!(bodies[2].to_string().contains("the needle is here"), "{vendor}: it was read");
    }
}

#[test]
fn r_24_events_arrive_before_the_provider_stream_ends() {
    for vendor in WIRES {
        let stage = Stage::new();
        // Far enough that every protocol has said its first word, and far from the last.
        let script = VendorScript { words: 40, hold_after: 12, ..VendorScript::default() };
        let watched = Watched::start(stage.command(vendor, &script, &["--json"]));
        let first = watched.wait_for("content");
        assert!(first["content"].as_str().unwrap().contains("żółw000"), "{vendor}: {first}");
        stage.server.release();
        watched.wait_for("done");
        assert_eq!(watched.end(), Some(0), "{vendor}");
    }
}

#[test]
fn r_26_text_before_a_call_is_kept_in_the_assistant_message() {
    for vendor in WIRES {
        let stage =
            goes_well(vendor, &VendorScript { steps: 1, speaks_first: true, ..VendorScript::default() });
        let second = stage.server.ledger().bodies().pop().unwrap().to_string();
        assert_eq!(second.matches(VendorScript::PREAMBLE).count(), 1, "{vendor}: {second}");
    }
}

#[test]
fn reasoning_state_comes_back_byte_for_byte_or_the_provider_refuses() {
    for vendor in ["openai", "anthropic", "gemini", "ollama", "openrouter", "deepseek", "xai"] {
        for parallel in [1, 2] {
            goes_well(vendor, &VendorScript { steps: 3, parallel, thinks: true, ..VendorScript::default() });
        }
    }
}

/// The strict servers bite: without the echo the next request is refused, and the run says why.
#[test]
fn a_provider_that_does_not_see_its_state_again_refuses() {
    // Gemini's state belongs to the call and goes with it whatever is configured.
    for vendor in ["openai", "anthropic", "ollama", "openrouter", "deepseek"] {
        let quirks = format!("{CALM}[providers.{vendor}.quirks]\necho = \"never\"\n");
        let stage = Stage::with_limits(&quirks);
        let script = VendorScript { steps: 1, thinks: true, ..VendorScript::default() };
        let ran = stage.run(vendor, &script, &["--json"]).exits(1);
        assert_eq!(ran.error_code(), "bad_request", "{vendor}: {}", ran.out);
        assert_eq!(stage.server.ledger().refusals().len(), 1, "{vendor}");
    }
}

#[test]
fn reasoning_is_shown_and_is_no_part_of_the_answer() {
    for vendor in WIRES {
        let stage = Stage::new();
        let script = VendorScript { steps: 1, thinks: true, ..VendorScript::default() };
        let ran = stage.run(vendor, &script, &["--json"]).exits(0);
        let text = |kind: &str| -> String {
            ran.of_type(kind).iter().map(|event| event["content"].as_str().unwrap()).collect()
        };
        assert!(text("reasoning").contains("Step 0: «żółw»"), "{vendor}: {}", ran.out);
        assert_eq!(text("content").trim(), script.answer(), "{vendor}: {}", ran.out);
    }
}

#[test]
fn r_56_the_prefix_of_a_request_is_byte_identical_from_step_to_step() {
    for vendor in WIRES {
        let stage = goes_well(vendor, &VendorScript { steps: 4, parallel: 2, ..VendorScript::default() });
        let requests = stage.server.ledger().requests;
        for pair in requests.windows(2) {
            let [before, after] = [&pair[0], &pair[1]].map(|request| without_marks(&request.body));
            let (old, new) = (json_of(&before), json_of(&after));
            let key =
                ["messages", "input", "contents"].into_iter().find(|key| old.get(key).is_some()).unwrap();
            let last = old[key].as_array().unwrap().last().unwrap().to_string();
            let end = before.rfind(&last).expect("documents are written as they are ordered") + last.len();
            let same = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
            assert!(same >= end, "{vendor}: only {same} of {end} bytes stay the same");
            assert_eq!(old["tools"].to_string(), new["tools"].to_string(), "{vendor}");
        }
    }
}

/// Marks of a cache say where it ends and are no part of what is cached: they move with the end.
fn without_marks(body: &[u8]) -> String {
    String::from_utf8(body.to_vec()).unwrap().replace(r#","cache_control":{"type":"ephemeral"}"#, "")
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn r_31_and_s_18_guardrails_are_on_the_wire() {
    let script = VendorScript { steps: 1, ..VendorScript::default() };
    for body in goes_well("xai", &script).server.ledger().bodies() {
        assert_eq!(body["parallel_tool_calls"], false, "{body}");
        assert!(body.get("response_format").is_none() && body.pointer("/text/format").is_none(), "{body}");
    }
    for body in goes_well("anthropic", &script).server.ledger().bodies() {
        assert_eq!(body["tool_choice"]["disable_parallel_tool_use"], true, "{body}");
    }
}

#[test]
fn r_41_a_model_without_tool_support_is_a_clear_error_after_exactly_one_request() {
    for vendor in [PLAIN, "openrouter", "ollama"] {
        let stage = Stage::new();
        let script =
            VendorScript { steps: 1, fault: Some(VendorFault::NoToolSupport), ..VendorScript::default() };
        let ran = stage.run(vendor, &script, &["--json"]).exits(1);
        assert_eq!(ran.error_code(), "no_tool_support", "{vendor}: {}", ran.out);
        let message = ran.of_type("error")[0]["message"].as_str().unwrap().to_owned();
        let names = [script.to_string().as_str(), "tools", "another model", "windlass models doctor"]
            .map(str::to_owned);
        assert!(names.iter().all(|name| message.contains(name)), "{vendor}: {message}");
        assert!(ran.of_type("content").is_empty(), "{vendor}: {}", ran.out);
        assert_eq!(stage.server.ledger().requests.len(), 1, "{vendor}");
    }
}

#[test]
fn r_62_an_error_object_with_status_200_is_an_error() {
    for vendor in WIRES {
        let script = |times| VendorScript {
            fault: Some(VendorFault::ErrorBody),
            fault_times: times,
            ..VendorScript::default()
        };
        let stage = Stage::new();
        let ran = stage.run(vendor, &script(0), &["--json"]).exits(1);
        assert!(!ran.error_code().is_empty() && ran.of_type("content").is_empty(), "{vendor}: {}", ran.out);
        let ran = Stage::new().run(vendor, &script(1), &[]).exits(0);
        assert_eq!(ran.out.trim(), VendorScript::default().answer(), "{vendor}");
    }
}

#[test]
fn r_32_a_malformed_line_is_never_shown_as_an_answer() {
    for vendor in WIRES {
        for (step, steps) in [(0, 0), (1, 2)] {
            let script = VendorScript {
                steps,
                fault: Some(VendorFault::MalformedEvent),
                fault_step: Some(step),
                ..VendorScript::default()
            };
            let stage = Stage::new();
            let ran = stage.run(vendor, &script, &[]).exits(1);
            assert!(!ran.out.contains("\"del") && !ran.out.contains("\"mess"), "{vendor}: {}", ran.out);
            assert_eq!(stage.ran_log(), lines_of(step, 1), "{vendor}");
        }
    }
}

#[test]
fn r_63_an_answer_cut_by_its_length_is_continued_once_and_then_stops() {
    for vendor in WIRES {
        let script = |times| VendorScript {
            words: 12,
            fault: Some(VendorFault::Length),
            fault_times: times,
            ..VendorScript::default()
        };
        let stage = Stage::new();
        let ran = stage.run(vendor, &script(1), &[]).exits(0);
        assert_eq!(ran.out.trim(), script(1).answer(), "{vendor}");
        stage.assert_nothing_refused();
        assert_eq!(stage.server.ledger().requests.len(), 2, "{vendor}");

        let stage = Stage::new();
        let ran = stage.run(vendor, &script(0), &[]).exits(3);
        assert!(ran.out.starts_with("żółw000🦀 żółw001🦀"), "{vendor}: {}", ran.out);
        assert_eq!(stage.server.ledger().requests.len(), 2, "{vendor}");
    }
}

#[test]
fn a_rate_limit_is_told_as_waiting_and_the_provider_is_left_in_peace_so_long() {
    for vendor in WIRES {
        let stage = Stage::new();
        let script =
            VendorScript { fault: Some(VendorFault::RateLimit), fault_times: 1, ..VendorScript::default() };
        let ran = stage.run(vendor, &script, &["--json"]).exits(0);
        let waiting = ran.of_type("waiting");
        assert_eq!(waiting.len(), 1, "{vendor}: {}", ran.out);
        let requests = stage.server.ledger().requests;
        assert_eq!(requests.len(), 2, "{vendor}");
        assert!(requests[1].at.duration_since(requests[0].at) >= Duration::from_secs(1), "{vendor}");
    }
}

#[test]
fn cancelling_closes_the_connection_at_once_and_exits_130() {
    for vendor in WIRES {
        let stage = Stage::new();
        let script = VendorScript { words: 40, hold_after: 12, ..VendorScript::default() };
        let watched = Watched::start(stage.command(vendor, &script, &["--json"]));
        watched.wait_for("content");
        let cancelled = Instant::now();
        watched.interrupt();
        let ledger = stage
            .server
            .wait_until(PATIENCE, |ledger| ledger.connections.iter().all(|one| one.closed.is_some()))
            .unwrap_or_else(|| panic!("{vendor}: the connection stays open"));
        let closed = ledger.connections.iter().filter_map(|one| one.closed).max().unwrap();
        assert!(closed.duration_since(cancelled) < AT_ONCE, "{vendor}");
        assert!(ledger.connections.iter().any(|one| one.is_closed_by_client), "{vendor}");
        let done = watched.wait_for("done");
        assert_eq!(done["outcome"], "cancelled", "{vendor}");
        assert_eq!(watched.end(), Some(130), "{vendor}");
    }
}

#[test]
fn cancelling_before_the_first_byte_closes_the_connection_too() {
    let stage = Stage::new();
    let script = VendorScript { fault: Some(VendorFault::EndlessHead), ..VendorScript::default() };
    let watched = Watched::start(stage.command(PLAIN, &script, &["--json"]));
    stage.server.wait_until(PATIENCE, |ledger| ledger.requests.len() == 1).expect("nobody asked");
    watched.interrupt();
    stage
        .server
        .wait_until(AT_ONCE, |ledger| ledger.connections[0].closed.is_some())
        .expect("the connection stays open");
    assert_eq!(watched.end(), Some(130));
}

#[test]
fn keys_travel_in_their_header_and_are_seen_nowhere_else() {
    for (vendor, header) in [
        ("openai", "authorization"),
        ("openai-chat", "authorization"),
        ("anthropic", "x-api-key"),
        ("gemini", "x-goog-api-key"),
        ("deepseek", "authorization"),
    ] {
        let stage = Stage::new();
        let script = VendorScript { fault: Some(VendorFault::KeyInError), ..VendorScript::default() };
        // The stage itself asserts that no output has the key in it.
        let ran = stage.run(vendor, &script, &["--json", "-vv"]).exits(1);
        assert!(ran.out.contains("\"auth\""), "{vendor}: {}", ran.out);
        let ledger = stage.server.ledger();
        assert_eq!(ledger.requests.len(), 1, "{vendor}: a wrong key is not tried again");
        let request = &ledger.requests[0];
        assert!(request.header(header).unwrap().ends_with(KEY), "{vendor}");
        assert!(
            !request.path.contains(KEY) && !String::from_utf8_lossy(&request.body).contains(KEY),
            "{vendor}"
        );
        let named = |value: &str| value.contains(KEY);
        assert_eq!(request.headers.iter().filter(|(_, value)| named(value)).count(), 1, "{vendor}");
    }
}

#[test]
fn an_unreachable_provider_is_a_typed_error_that_says_where() {
    let stage = Stage::new();
    // A port that was free a moment ago and has no listener now.
    let gone = windlass_testkit::provider::ProviderServer::start().unwrap().base_url("openai");
    let mut command = stage.command(PLAIN, &VendorScript::default(), &["--json"]);
    command.env("WINDLASS_BASE_URL", &gone);
    let ran = crate::providers_stage::run(command).exits(1);
    assert_eq!(ran.error_code(), "network", "{}", ran.out);
    let message = ran.of_type("error")[0]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("127.0.0.1"), "{message}");
}

#[test]
fn usage_is_told_in_one_form_on_every_wire() {
    for vendor in WIRES {
        let stage = Stage::new();
        let ran = stage.run(vendor, &VendorScript::default(), &["--json"]).exits(0);
        let usage = ran.of_type("usage").pop().unwrap_or_else(|| panic!("{vendor}: {}", ran.out));
        assert_eq!((&usage["input"], &usage["output"]), (&50.into(), &12.into()), "{vendor}: {usage}");
    }
}

#[test]
fn ollama_is_asked_for_a_context_that_holds_more_than_its_default() {
    let stage = goes_well("ollama", &VendorScript::default());
    let body = stage.server.ledger().bodies().pop().unwrap();
    assert!(body["options"]["num_ctx"].as_u64().is_some_and(|tokens| tokens > 8_000), "{body}");
}

#[test]
fn z_22_tools_are_sent_as_functions_with_a_schema_and_the_answer_is_streamed() {
    let body: Value = goes_well(PLAIN, &VendorScript::default()).server.ledger().bodies().pop().unwrap();
    assert_eq!(body["stream"], true);
    let tools = body["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["function"]["name"] == "calculate"), "{body}");
    for tool in tools {
        assert_eq!(
            (&tool["type"], &tool["function"]["parameters"]["type"]),
            (&"function".into(), &"object".into())
        );
        assert!(tool["function"]["description"].is_string(), "{tool}");
    }
}

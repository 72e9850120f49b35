//! What people who come from ploke meet: calls as events with all their ids.

use serde_json::Value;

use crate::place::Place;

const READ: &str = "user Read\nmodel call 1 read_file {\"path\":\"a.txt\"}\nmodel end\n\
                    model call 2 read_file {\"path\":\"none.txt\"}\nmodel end\nmodel text Read.\n";

/// The records of the newest session.
fn export(place: &Place) -> Vec<Value> {
    let sessions = place.windlass(&["sessions", "list", "--json"]).exits(0).json();
    let session = sessions[0]["session_id"].as_str().unwrap();
    let records = place.windlass(&["sessions", "export", session]).exits(0).out;
    records.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// P-3, P-5 to P-7: a call that is requested, completed or failed carries request, parent and call; the vendor, the
/// arguments, and what the model gets, to the letter.
#[test]
fn u_42_p_3_p_5_p_6_p_7_requested_completed_and_failed_calls_carry_all_ids_and_the_vendor() {
    let place = Place::with(&[("r.script", READ), ("a.txt", "hello\n")]);
    let args = ["run", "--model", "scripted/r.script", "--profile", "ploke", "--approve", "all", "Read"];
    assert_eq!(place.windlass(&args).exits(0).out, "Read.\n");
    let records = export(&place);
    let of = |kind: &str| records.iter().filter(|it| it["event"]["type"] == kind).collect::<Vec<_>>();
    let first = of("run_started")[0];
    for record in of("call_requested").into_iter().chain(of("call_ended")) {
        assert_eq!((&record["run_id"], &record["parent_id"]), (&first["run_id"], &first["parent_id"]));
    }
    let [read, missing] = of("call_requested")[..] else { panic!("{records:?}") };
    for (record, id, path) in [(read, "call_1", "a.txt"), (missing, "call_2", "none.txt")] {
        let event = &record["event"];
        assert_eq!((&event["vendor"], &event["call"]["id"]), (&"scripted".into(), &id.into()), "{event}");
        assert_eq!(event["call"]["name"], "read_file");
        assert_eq!(event["call"]["arguments"], format!("{{\"path\":\"{path}\"}}"));
    }
    let [completed, failed] = of("call_ended")[..] else { panic!("{records:?}") };
    let content = |record: &Value| -> Value {
        assert_eq!(record["event"]["message"]["role"], "tool");
        serde_json::from_str(record["event"]["message"]["content"].as_str().unwrap()).unwrap()
    };
    assert_eq!((&completed["event"]["call_id"], &content(completed)["ok"]), (&"call_1".into(), &true.into()));
    assert!(content(completed).to_string().contains("hello"));
    assert_eq!((&failed["event"]["call_id"], &content(failed)["ok"]), (&"call_2".into(), &false.into()));
    assert!(content(failed)["error"].as_str().unwrap().contains("none.txt"), "{failed}");
}

const CONTEXT: &str = "request_code_context {\"token_budget\":1000,\"hint\":\"anchor\"}";

/// Only reading is repeated from memory: the model reads that it was, in ploke's own envelope.
#[test]
fn u_38_a_cached_answer_says_so_in_plokes_envelope() {
    let script = format!(
        "user Look\nmodel call 1 {CONTEXT}\nmodel end\nexpect-request contains \"ok\":true\nexpect-request lacks \"cached\":true\n\
         model call 2 {CONTEXT}\nmodel end\nexpect-request contains \"cached\":true\nmodel text Done.\n"
    );
    let place = Place::with(&[("r.script", &script), ("a.rs", "fn haul_anchor() {}\n")]);
    let args = ["run", "--model", "scripted/r.script", "--profile", "ploke", "--json", "Look"];
    let said = place.windlass(&args).exits(0);
    let marks: Vec<bool> = said
        .lines()
        .iter()
        .filter(|frame| frame["type"] == "tool_result")
        .map(|frame| frame["cached"] == true)
        .collect();
    assert_eq!(marks, [false, true], "{}", said.out);
}

/// P-21: thirty seconds unless a tool has its own time; then the model is told in words that help, and goes on.
#[test]
fn p_21_a_call_that_takes_too_long_fails_with_a_message_that_helps_and_the_run_goes_on() {
    let script = format!(
        "user Look\nmodel call 1 {CONTEXT}\nmodel end\nexpect-request contains \"ok\":false\n\
         expect-request contains Timed out waiting for tool result\nmodel text I shall look elsewhere.\n"
    );
    let place = Place::with(&[("r.script", &script), ("a.rs", "fn haul_anchor() {}\n")]);
    // Its first call builds the index, which takes longer than this.
    place.configure("[tool_timeouts]\nrequest_code_context = \"1ms\"\n");
    let args = ["run", "--model", "scripted/r.script", "--profile", "ploke", "--json", "Look"];
    let said = place.windlass(&args).exits(0);
    let frames = said.lines();
    let result = frames.iter().find(|frame| frame["type"] == "tool_result").unwrap();
    assert_eq!(result["result"]["success"], false, "{result}");
    assert!(result["result"]["error"].as_str().unwrap().contains("timed out after"), "{result}");
    let records = export(&place);
    let begun = records.iter().find(|record| record["event"]["type"] == "run_started").unwrap();
    assert_eq!(begun["event"]["wishes"]["setup"]["profile"]["limits"]["call_timeout_ms"], 30_000);
}

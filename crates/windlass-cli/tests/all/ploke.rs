//! What people who come from ploke meet: calls as events with all their ids.

use serde_json::Value;

use crate::place::Place;

const READ: &str = "user Read\nmodel call 1 read_file {\"path\":\"a.txt\"}\nmodel end\n\
                    model call 2 read_file {\"path\":\"none.txt\"}\nmodel end\nmodel text Read.\n";

/// P-3, P-5 to P-7: a call that is requested, completed or failed carries request, parent and call; the vendor, the
/// arguments, and what the model gets, to the letter.
#[test]
fn u_42_p_3_p_5_p_6_p_7_requested_completed_and_failed_calls_carry_all_ids_and_the_vendor() {
    let place = Place::with(&[("r.script", READ), ("a.txt", "hello\n")]);
    let args = ["run", "--model", "scripted/r.script", "--profile", "ploke", "--approve", "all", "Read"];
    assert_eq!(place.windlass(&args).exits(0).out, "Read.\n");
    let sessions = place.windlass(&["sessions", "list", "--json"]).exits(0).json();
    let session = sessions[0]["session_id"].as_str().unwrap();
    let records = place.windlass(&["sessions", "export", session]).exits(0).out;
    let records: Vec<Value> = records.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
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

use serde_json::json;
use windlass_core::protocol::tool::{ToolFailure, ToolOutcome, ToolOutput};

use crate::context::Bench;

fn bench() -> Bench {
    let bench = Bench::default();
    let log: String =
        (1..=5_000).map(|n| format!("line {n}{}\n", if n % 1_000 == 0 { " ERROR ä" } else { "" })).collect();
    bench.results.put("call_2", ToolOutcome::ok(ToolOutput::text(log)));
    bench.results.put("call_3", ToolOutcome::failed(ToolFailure::not_found("File not found: x")));
    bench.results.put("call_4", ToolOutcome::ok(ToolOutput::json(json!({"a": [1, 2]}))));
    bench
}

#[tokio::test]
async fn a_whole_result_is_read_page_by_page() {
    let bench = bench();
    let (mut offset, mut whole) = (json!(0), String::new());
    while !offset.is_null() {
        let page = bench.call("read_result", json!({"ref": "call_2", "offset": offset})).await.unwrap();
        whole.push_str(page.json["text"].as_str().unwrap());
        assert_eq!(page.json["total_chars"], json!(48_933));
        offset = page.json["next_offset"].clone();
    }
    assert_eq!(whole.lines().count(), 5_000);
    let page = bench.call("read_result", json!({"ref": "call_2", "offset": 10, "limit": 5})).await.unwrap();
    assert_eq!(page.readable(), "[call_2: from 10 of 48933 characters; next_offset 15]\ne 2\nl");
}

#[tokio::test]
async fn a_pattern_gives_the_matching_lines() {
    let bench = bench();
    let found = bench.call("read_result", json!({"ref": "call_2", "pattern": "ERROR .$"})).await.unwrap();
    assert_eq!(found.json["matches"], 5);
    assert_eq!(found.json["next_offset"], json!(null));
    assert!(found.json["text"].as_str().unwrap().starts_with("1000: line 1000 ERROR ä\n"));
    let failure = bench.call("read_result", json!({"ref": "call_2", "pattern": "("})).await.unwrap_err();
    assert_eq!((failure.kind.word(), failure.field.as_deref()), ("invalid_args", Some("pattern")));
}

#[tokio::test]
async fn failures_and_json_can_be_read_again_and_an_unknown_handle_is_not_found() {
    let bench = bench();
    let failed = bench.call("read_result", json!({"ref": "call_3"})).await.unwrap();
    assert_eq!(failed.json["text"], "File not found: x");
    let object = bench.call("read_result", json!({"ref": "call_4"})).await.unwrap();
    assert_eq!(object.json["text"], r#"{"a":[1,2]}"#);
    let unknown = bench.call("read_result", json!({"ref": "call_99"})).await.unwrap_err();
    assert_eq!(unknown.kind.word(), "not_found");
    assert_eq!(unknown.message, "There is no result 'call_99' in this session");
}

#[test]
fn what_is_read_again_stays_untrusted() {
    let bench = bench();
    let spec = bench.tool("read_result").spec();
    assert!(spec.untrusted_output && !spec.repeatable);
}

#[test]
fn the_handles_of_results_that_exist_are_said() {
    assert_eq!(bench().live_values("read_result", "results"), ["call_2", "call_3", "call_4"]);
    assert_eq!(bench().live_values("read_result", "tasks"), Vec::<String>::new());
}

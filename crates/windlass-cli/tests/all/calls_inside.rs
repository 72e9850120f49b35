//! Calls that calls make: in the journal under the call around them, and wherever a run is shown.

use std::sync::Arc;

use serde_json::{Value, json};
use windlass_core::ports::JournalPort as _;
use windlass_core::ports::store::StorePort as _;
use windlass_core::protocol::event::{DurableEvent, Event};
use windlass_core::protocol::tool::{InnerCall, inside_of};
use windlass_store::{SqliteStore, StoreConfig};

use crate::pane::Pane;
use crate::place::Place;
use crate::recovery::run_of;

/// A script that calls tools, one of them a script that calls tools itself.
const ADD_TWICE: &str = "/// Adds twice\n/// @param n integer the number\n\
    fn add_twice(args) { call_tool(\"add_one\", #{n: args.n}); \
    try { call_tool(\"open_door\") } catch (e) {} 1 }\n";

const ADD_ONE: &str = "/// Adds one\n/// @param n integer the number\n\
    fn add_one(args) { call_tool(\"calculate\", #{expression: `${args.n} + 1`}) }\n";

const SCRIPT: &str = "approve all\nuser Go\nmodel call 1 add_twice {\"n\":41}\nmodel end\nmodel text Done.\n";

fn stage() -> Place {
    Place::trusting(&[
        ("a.script", SCRIPT),
        (".windlass/tools/add_twice.rhai", ADD_TWICE),
        (".windlass/tools/add_one.rhai", ADD_ONE),
    ])
}

/// The records of a session that has calls inside calls: their kind, place and cause.
pub(crate) fn inner_records(place: &Place) -> Vec<Value> {
    let exported = place.windlass(&["sessions", "export", "s"]).exits(0).out;
    let records = exported.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let is_inner =
        |record: &Value| record["event"]["type"].as_str().is_some_and(|kind| kind.starts_with("inner_call_"));
    records.filter(is_inner).collect()
}

#[test]
fn u_29_calls_inside_a_call_are_on_record_under_it() {
    let place = stage();
    let run = ["run", "--model", "scripted/a.script", "--session", "s"];
    let streamed = place.windlass(&[&run[..], &["--json"]].concat()).exits(0).out;
    let frames: Vec<Value> = streamed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = frames.iter().map(|frame| frame["type"].as_str().unwrap()).collect();
    let first = kinds.iter().position(|kind| *kind == "inner_tool_executing").unwrap();
    let result = kinds.iter().position(|kind| *kind == "tool_result").unwrap();
    assert!(first < result, "as they happen, not with the outcome: {kinds:?}");
    let calculate = frames.iter().find(|frame| frame["name"] == "calculate").unwrap();
    assert_eq!((&calculate["id"], &calculate["path"]), (&json!("call_1"), &json!([1, 1])));

    let records = inner_records(&place);
    let told: Vec<(&str, String)> = records
        .iter()
        .map(|record| (record["event"]["type"].as_str().unwrap(), record["event"]["path"].to_string()))
        .collect();
    let expected = [
        ("inner_call_started", "[1]"),
        ("inner_call_started", "[1,1]"),
        ("inner_call_ended", "[1,1]"),
        ("inner_call_ended", "[1]"),
        ("inner_call_started", "[2]"),
        ("inner_call_ended", "[2]"),
    ];
    assert_eq!(told, expected.map(|(kind, path)| (kind, path.to_owned())));
    assert!(
        records.iter().all(|record| record["cause"] == json!({"type": "called_inside", "call_id": "call_1"}))
    );
    assert!(
        !place.windlass(&["sessions", "export", "s"]).exits(0).out.contains("\"inside\""),
        "once on record"
    );
}

#[test]
fn u_29_calls_inside_a_call_are_shown_under_it() {
    let place = stage();
    place.windlass(&["run", "--model", "scripted/a.script", "--session", "s", "-q"]).exits(0);
    let id = run_of(&place, "a.script");
    let shown = place.windlass(&["runs", "show", &id, "--json"]).exits(0).json();
    let inside = &shown["story"]["steps"][0]["calls"][0]["inside"];
    let deeper = &inside[0]["inside"][0];
    assert_eq!((&deeper["name"], &deeper["status"]), (&json!("calculate"), &json!("ok")), "{shown}");
    assert!(deeper["said"].as_str().unwrap().contains("42"), "{inside}");
    assert_eq!((&inside[1]["name"], &inside[1]["status"]), (&json!("open_door"), &json!("failed")));
    let text = place.windlass(&["runs", "show", &id]).exits(0).out;
    let lines = ["  ↳ add_one {\"n\":41}  ok", "    ↳ calculate 41 + 1  ok", "  ↳ open_door  failed"];
    assert!(lines.iter().all(|line| text.contains(line)), "{text}");
    let trace = place.windlass(&["runs", "trace", &id]).exits(0).json();
    assert_eq!(trace["tools"][0]["inside"], *inside);
    let replayed = place.windlass(&["runs", "replay", &id]).exits(0).out;
    assert!(replayed.starts_with("the same"), "{replayed}");
}

#[test]
fn u_29_the_inspector_of_the_terminal_app_shows_calls_inside_a_call_under_it() {
    let place = stage();
    let pane = Pane::start(&place, 100, 40, "--model scripted/a.script --approve all");
    pane.type_text("Go");
    pane.press("Enter");
    pane.wait_for("Done.");
    pane.press("C-t");
    let screen = pane.wait_for("calls that it made");
    for line in ["\n   ✓ add_one 41 · ok", "\n     ✓ calculate 41 + 1 · ok", "\n   ✗ open_door"] {
        assert!(screen.contains(line), "{line}:\n{screen}");
    }
}

/// Before calls inside calls had records of their own, the outcome of the call around them had them.
#[test]
fn u_29_u_27_calls_inside_calls_of_an_older_journal_are_still_shown() {
    let place = stage();
    place.windlass(&["run", "--model", "scripted/a.script", "--session", "s", "-q"]).exits(0);
    let older = |inside: &[InnerCall], event: &mut Event| {
        if let Event::Durable(DurableEvent::CallEnded { outcome, .. }) = event {
            Arc::make_mut(outcome).meta.inside = inside.to_vec();
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(&place.data_folder(), StoreConfig::default()).unwrap();
        let begin = store.session(&"s".into()).await.unwrap().begin;
        let mut records = store.load(&"s".into(), 0).await.unwrap();
        let inside = inside_of(records.iter().map(AsRef::as_ref), &"call_1".into());
        records.retain(|record| !record.event.name().starts_with("inner-call"));
        for record in &mut records {
            let record = Arc::make_mut(record);
            (record.session_id, record.run_id) = ("older".into(), "older-run".into());
            older(&inside, &mut record.event);
        }
        store.copy_session(&"older".into(), begin, records, 1).await.unwrap();
    });
    let text = place.windlass(&["runs", "show", "older-run"]).exits(0).out;
    assert!(
        text.contains("  ↳ add_one {\"n\":41}  ok") && text.contains("    ↳ calculate 41 + 1  ok"),
        "{text}"
    );
    let replayed = place.windlass(&["runs", "replay", "older-run"]).exits(0).out;
    assert!(replayed.starts_with("the same"), "{replayed}");
}

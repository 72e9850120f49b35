use windlass_core::limits::SUMMARY_CHARS_MAX;
use windlass_core::protocol::tool::{Effects, Risk};

use crate::context::Bench;

const NAMES: [&str; 11] = [
    "add_task",
    "calculate",
    "fetch_url",
    "generate_image",
    "get_current_time",
    "list_tasks",
    "rag_search",
    "read_result",
    "system_stats",
    "update_task",
    "web_search",
];

#[test]
fn the_four_tools_of_the_edison_profile_are_there_among_all() {
    let bench = Bench::default();
    for name in NAMES {
        assert_eq!(bench.tool(name).spec().name, name);
    }
}

#[test]
fn every_spec_is_sound_and_says_what_it_does() {
    let bench = Bench::default();
    for tool in bench.tools() {
        let spec = tool.spec();
        spec.check().unwrap();
        assert!(spec.description.len() > 20, "{}", spec.name);
        assert!(!spec.examples.is_empty(), "{}", spec.name);
        for arg in spec.args() {
            assert!(arg.description.is_some(), "{}.{}", spec.name, arg.name);
        }
        // What is free of risk must be free of effects on the outside.
        assert!(spec.risk != Risk::Safe || spec.effects != Effects::External, "{}", spec.name);
    }
}

#[test]
fn names_and_aliases_are_unique() {
    let bench = Bench::default();
    let mut names: Vec<String> = Vec::new();
    for tool in bench.tools() {
        names.push(tool.spec().name.clone());
        names.extend(tool.spec().aliases.iter().cloned());
    }
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[tokio::test]
async fn e_26_every_output_carries_a_short_summary() {
    let bench = Bench::default();
    for name in ["calculate", "get_current_time", "list_tasks", "add_task", "generate_image"] {
        let args = bench.tool(name).spec().examples[0].clone();
        let output = bench.call(name, args).await.unwrap();
        let summary = output.summary.clone().unwrap();
        assert_eq!(Some(&summary), bench.tool(name).summary(&output).as_ref());
        assert!(summary.chars().count() <= SUMMARY_CHARS_MAX);
    }
}

#[tokio::test]
async fn z_5_the_clock_answers_with_the_time_in_iso_8601() {
    let output = Bench::default().call("get_current_time", serde_json::json!({})).await.unwrap();
    let text = output.readable().into_owned();
    let time: jiff::Timestamp = text.parse().unwrap();
    let now = jiff::Timestamp::now();
    assert!(text.len() == 20 && text.ends_with('Z'));
    assert!((now.as_second() - time.as_second()).abs() < 60);
}

//! A model file reads its prompt: how far it is, is told while it reads.

use serde_json::Value;

use crate::place::Place;

/// A model file that is always there: the built-in one, opened as any other file.
const MODEL: &str =
    concat!("local/", env!("CARGO_MANIFEST_DIR"), "/../../models/builtin/windlass-builtin.gguf");

#[test]
fn u_20_how_far_a_prompt_is_read_is_told() {
    let place = Place::new();
    let long = "the quick brown fox jumps over the lazy dog ".repeat(40);
    let ask = ["run", "--model", MODEL, "--no-tools", "--max-output-tokens", "8", "--json", &long];
    let events = place.windlass(&ask).lines();
    let told: Vec<&Value> = events.iter().filter(|event| event["type"] == "step_progress").collect();
    assert!(told.len() >= 2, "{events:?}");
    let read: Vec<u64> = told.iter().map(|event| event["tokens_read"].as_u64().unwrap()).collect();
    let total = told[0]["tokens_total"].as_u64().unwrap();
    assert!(
        read.is_sorted_by(|one, next| one < next) && read.iter().all(|read| *read < total),
        "{read:?} of {total}"
    );
    assert!(told.iter().all(|event| event["tokens_total"] == total), "{told:?}");
    // It is no part of what is kept for ever: what comes first of the answer ends it.
    let last = events.iter().rposition(|event| event["type"] == "step_progress").unwrap();
    assert!(events.iter().take(last).all(|event| event["type"] != "content"), "{events:?}");
    // A short one is read at once, and nothing is told.
    let events = place
        .windlass(&["run", "--model", MODEL, "--no-tools", "--max-output-tokens", "8", "--json", "hi"])
        .lines();
    assert!(events.iter().all(|event| event["type"] != "step_progress"), "{events:?}");
}

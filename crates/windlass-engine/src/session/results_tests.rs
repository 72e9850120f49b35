use serde_json::json;
use windlass_core::protocol::tool::{ToolFailure, ToolOutput};

use super::*;

fn outcome(text: &str) -> Arc<ToolOutcome> {
    Arc::new(ToolOutcome::ok(ToolOutput::text(text)))
}

fn text_of(results: &SessionResults, reference: &str) -> Option<String> {
    results.find(reference).map(|outcome| outcome.output().unwrap().readable().into_owned())
}

#[test]
fn outcomes_are_found_by_call_id_and_by_provider_id() {
    let results = SessionResults::new();
    results.insert(&CallId::numbered(1), Some("toolu_1"), outcome("one"));
    results.insert(&CallId::numbered(2), None, outcome("two"));
    assert_eq!(text_of(&results, "call_1").as_deref(), Some("one"));
    assert_eq!(text_of(&results, "toolu_1").as_deref(), Some("one"));
    assert_eq!(text_of(&results, "call_2").as_deref(), Some("two"));
    assert_eq!(text_of(&results, "call_3"), None);
}

#[test]
fn of_two_calls_with_one_provider_id_both_are_kept_and_the_later_is_found_by_it() {
    let results = SessionResults::new();
    results.insert(&CallId::numbered(1), Some("same"), outcome("one"));
    results.insert(&CallId::numbered(2), Some("same"), outcome("two"));
    assert_eq!(text_of(&results, "same").as_deref(), Some("two"));
    assert_eq!(text_of(&results, "call_1").as_deref(), Some("one"));
}

#[test]
fn a_provider_id_that_looks_like_a_call_id_does_not_hide_the_call() {
    let results = SessionResults::new();
    results.insert(&CallId::numbered(1), Some("call_2"), outcome("one"));
    results.insert(&CallId::numbered(2), Some("x"), outcome("two"));
    assert_eq!(text_of(&results, "call_2").as_deref(), Some("two"));
}

#[test]
fn the_oldest_outcomes_go_when_the_bytes_are_used_up() {
    let results = SessionResults::with_bytes_max(10_000);
    for number in 1..=10 {
        let provider_id = format!("p{number}");
        results.insert(&CallId::numbered(number), Some(&provider_id), outcome(&"x".repeat(1_500)));
        assert!(results.bytes() <= 10_000);
    }
    assert_eq!(text_of(&results, "call_1"), None);
    assert_eq!(text_of(&results, "p1"), None);
    assert!(text_of(&results, "call_10").is_some());
    let kept = results.lock();
    assert_eq!(kept.by_id.len(), kept.by_provider_id.len());
    assert_eq!(kept.by_id.len(), kept.oldest_first.len());
}

#[test]
fn an_outcome_larger_than_the_store_is_not_kept() {
    let results = SessionResults::with_bytes_max(1_000);
    results.insert(&CallId::numbered(1), None, outcome(&"x".repeat(5_000)));
    assert_eq!(text_of(&results, "call_1"), None);
    assert_eq!(results.bytes(), 0);
}

#[test]
fn a_second_outcome_of_a_call_takes_the_place_of_the_first() {
    let results = SessionResults::new();
    results.insert(&CallId::numbered(1), Some("a"), outcome("one"));
    results.insert(&CallId::numbered(1), Some("b"), outcome("two"));
    assert_eq!(text_of(&results, "call_1").as_deref(), Some("two"));
    assert_eq!(text_of(&results, "a"), None);
}

#[test]
fn every_part_of_an_outcome_counts() {
    let json = size_of_outcome(&ToolOutcome::ok(ToolOutput::json(json!({"a": ["b".repeat(1_000)]}))));
    assert!((1_000..2_000).contains(&json));
    let failed = ToolOutcome::failed(ToolFailure::internal("m".repeat(100)).hint("h".repeat(100)));
    assert_eq!(size_of_outcome(&failed), 200);
}

use super::*;
use crate::sample::{call_requested, run_started};

fn book(text: &str) -> CallBook {
    CallBook::new(&Script::parse("t", &format!("user Hi\n{text}")).unwrap())
}

#[test]
fn a_call_is_known_by_its_provider_id_in_any_order() {
    let mut calls = book("model call 1 a\nmodel call 2 id=x a");
    calls.see(&run_started());
    calls.see(&call_requested(1, Some("x")));
    calls.see(&call_requested(2, Some("script_1")));
    assert_eq!(calls.id(2), Some(&CallId::numbered(1)));
    assert_eq!(calls.number(&CallId::numbered(2)), Some(1));
    assert_eq!(calls.id(3), None);
}

#[test]
fn r_36_calls_with_the_same_id_or_none_are_known_by_their_order() {
    let mut calls =
        book("model call 1 id=x a\nmodel call 2 id=x a\nmodel call 3 id=- a\nmodel call 4 id=- a");
    for (id, provider_id) in [(5, Some("x")), (6, Some("x")), (7, None), (8, Some("made_up"))] {
        calls.see(&call_requested(id, provider_id));
    }
    let ids = [1, 2, 3, 4].map(|number| calls.id(number).unwrap().clone());
    assert_eq!(ids, [5, 6, 7, 8].map(CallId::numbered));
}

#[test]
fn a_call_seen_twice_is_learnt_once() {
    let mut calls = book("model call 1 id=- a\nmodel call 2 id=- a");
    calls.see(&call_requested(1, None));
    calls.see(&call_requested(1, None));
    assert_eq!(calls.id(2), None);
}

#[test]
fn calls_of_a_lost_step_are_nobody_s() {
    let mut calls = book("model call 1 id=- a\nmodel cut\nmodel call 2 id=- a");
    calls.see(&call_requested(1, None));
    assert_eq!(calls.number(&CallId::numbered(1)), Some(2));
}

#[test]
fn calls_written_as_text_are_known_by_their_count() {
    let mut calls = book("model text x");
    calls.see(&call_requested(1, None));
    calls.see(&call_requested(2, None));
    assert_eq!(calls.id(2), Some(&CallId::numbered(2)));
}

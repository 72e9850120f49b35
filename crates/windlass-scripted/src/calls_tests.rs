use super::*;
use crate::sample::{call_requested, run_started, step_started};

/// The numbers of calls that are requested at these places, as (run, step, index) from 0.
fn numbers(script: &str, places: &[(usize, usize, u32)]) -> Vec<Option<u32>> {
    let mut calls = CallBook::new(&Script::parse("t", script).unwrap());
    let (mut runs, mut steps, mut id) = (0, 0, 10);
    let mut numbers = Vec::new();
    for (run, step, index) in places {
        while runs <= *run {
            calls.see(&run_started());
            runs += 1;
            steps = 0;
        }
        while steps <= *step {
            calls.see(&step_started(1));
            steps += 1;
        }
        id += 1;
        calls.see(&call_requested(id, *index));
        let number = calls.number(&CallId::numbered(id));
        assert_eq!(number.and_then(|number| calls.id(number)), Some(&CallId::numbered(id)));
        numbers.push(number);
    }
    numbers
}

#[test]
fn a_call_is_known_by_its_place() {
    let script = "user a\nmodel call 7 a\nmodel call 3 a\nmodel end\nmodel call 1 a\nuser b\nmodel call 2 a";
    let places = [(0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)];
    assert_eq!(numbers(script, &places), [Some(7), Some(3), Some(1), Some(2)]);
}

#[test]
fn r_36_calls_with_the_same_id_or_none_are_told_apart() {
    let script = "user a\nmodel call 1 id=x a\nmodel call 2 id=x a\nmodel call 3 id=- a\nmodel call 4 id=- a";
    let places = [(0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 0, 3)];
    assert_eq!(numbers(script, &places), [Some(1), Some(2), Some(3), Some(4)]);
}

#[test]
fn a_run_that_ended_early_and_a_lost_step_are_passed_over() {
    let script = "user a\nmodel call 1 a\nmodel cut\nmodel call 2 a\nmodel end\nmodel call 3 a\nuser b\nmodel call 4 a";
    assert_eq!(numbers(script, &[(0, 1, 0), (1, 0, 0)]), [Some(2), Some(4)]);
}

#[test]
fn calls_written_as_text_are_known_by_their_count() {
    assert_eq!(numbers("user a\nmodel text x", &[(0, 0, 0), (0, 0, 1)]), [Some(11), Some(12)]);
}

//! Cases added up.

use super::*;

fn measured(score: f64, has_answer: bool) -> Measured {
    Measured {
        line: 1,
        score,
        is_passed: Measured::passes(score),
        why: None,
        outputs: has_answer.then(Map::new),
        run_id: None,
        elapsed_ms: 1,
    }
}

#[test]
fn a_case_without_an_answer_counts_against_the_score() {
    let tally = CaseTally::of(&[measured(1.0, true), measured(0.5, true), measured(0.0, false)]);
    assert_eq!((tally.cases, tally.passed, tally.unanswered), (3, 1, 1));
    assert_eq!(tally.score, 0.5);
}

#[test]
fn nothing_measured_is_worth_nothing() {
    assert_eq!(CaseTally::of(&[]), CaseTally::default());
}

use super::*;

#[test]
fn a_swapped_missing_or_added_letter_is_near() {
    assert_eq!(nearest("txet", MODEL), Some("text"));
    assert_eq!(nearest("reasonning", MODEL), Some("reasoning"));
    assert_eq!(nearest("usr", BODY), Some("user"));
    assert_eq!(nearest("USER", BODY), Some("user"));
    assert_eq!(nearest("call-requestet", EVENTS), Some("call-requested"));
}

#[test]
fn a_word_like_none_has_no_nearest() {
    assert_eq!(nearest("banana", BODY), None);
    assert_eq!(nearest(&"x".repeat(10_000), BODY), None);
}

#[test]
fn distance_counts_edits() {
    assert_eq!(distance("", "abc"), 3);
    assert_eq!(distance("abc", ""), 3);
    assert_eq!(distance("abc", "abc"), 0);
    assert_eq!(distance("kitten", "sitting"), 3);
    assert_eq!(distance("ab", "ba"), 1);
}

#[test]
fn stop_reasons_are_written_as_on_the_wire() {
    for reason in &REASONS {
        assert_eq!(serde_json::to_value(reason).unwrap(), reason_word(reason));
    }
    for purpose in PURPOSES {
        assert_eq!(serde_json::to_value(purpose).unwrap(), purpose_word(purpose));
    }
    for status in STATUSES {
        assert_eq!(serde_json::to_value(status).unwrap(), status_word(status));
    }
}

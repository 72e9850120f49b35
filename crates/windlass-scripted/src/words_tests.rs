use super::*;

#[test]
fn stop_reasons_are_written_as_on_the_wire() {
    for reason in &REASONS {
        assert_eq!(serde_json::to_value(reason).unwrap(), reason_word(reason));
    }
    for purpose in PURPOSES {
        assert_eq!(serde_json::to_value(purpose).unwrap(), purpose_word(purpose));
    }
    for status in STATUSES {
        assert_eq!(serde_json::to_value(status).unwrap(), status.word());
    }
}

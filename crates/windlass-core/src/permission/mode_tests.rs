use super::*;

#[test]
fn every_word_reads_back_and_a_dash_is_an_underscore() {
    for mode in ApproveMode::ALL {
        assert_eq!(ApproveMode::from_word(mode.word()), Some(mode));
        assert_eq!(serde_json::to_value(mode).unwrap(), mode.word());
    }
    assert_eq!(ApproveMode::from_word("read-only"), Some(ApproveMode::ReadOnly));
    assert_eq!(ApproveMode::from_word("everything"), None);
}

#[test]
fn the_four_choices_go_round() {
    let mut mode = ApproveMode::ReadOnly;
    for expected in [ApproveMode::Ask, ApproveMode::Edit, ApproveMode::All, ApproveMode::ReadOnly] {
        mode = mode.next_choice();
        assert_eq!(mode, expected);
    }
    assert_eq!(ApproveMode::Never.next_choice(), ApproveMode::Ask);
}

#[test]
fn nobody_is_asked_where_nobody_is_there() {
    for mode in ApproveMode::ALL {
        let alone = mode.unattended();
        assert!(!matches!(alone, ApproveMode::Ask | ApproveMode::Edit | ApproveMode::Stage), "{mode:?}");
        assert_eq!(alone.unattended(), alone);
    }
}

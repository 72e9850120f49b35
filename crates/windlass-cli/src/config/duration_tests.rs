use super::*;

#[test]
fn durations_are_read_with_their_units() {
    for (text, ms) in
        [("500ms", 500), ("5s", 5_000), ("2m", 120_000), ("1h", 3_600_000), ("1h30m", 5_400_000), ("0s", 0)]
    {
        assert_eq!(parse_ms(text), Ok(ms), "{text}");
    }
}

#[test]
fn what_is_no_duration_is_said_with_an_example() {
    for text in ["", " ", "5", "s", "5 s", "5d", "-5s", "5.5s", "5sx", "99999999999999999999s"] {
        let error = parse_ms(text).unwrap_err();
        assert!(error.contains("1h30m") || error.contains("a year"), "{text}: {error}");
    }
    assert!(parse_ms("9999999h").unwrap_err().contains("longer than a year"));
    assert!(parse_positive_ms("0s").unwrap_err().contains("no time"));
}

#[test]
fn durations_are_shown_in_the_unit_that_fits() {
    assert_eq!(
        [show_ms(3), show_ms(999), show_ms(1_250), show_ms(125_000)],
        ["3 ms", "999 ms", "1.2 s", "2 m 5 s"]
    );
}

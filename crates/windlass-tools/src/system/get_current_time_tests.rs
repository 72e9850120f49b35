use super::*;

fn at(second: i64, zone: &str) -> ToolOutput {
    describe(Timestamp::from_second(second).unwrap(), find_zone(zone).unwrap())
}

#[test]
fn z_5_utc_is_written_as_iso_8601_with_a_z() {
    let output = at(1_768_478_400, "UTC");
    assert_eq!(output.readable(), "2026-01-15T12:00:00Z");
    assert_eq!(output.json["timestamp"], "2026-01-15T12:00:00Z");
    assert_eq!(output.json["unix_timestamp"], 1_768_478_400);
    assert_eq!(output.json["timezone"], "UTC");
    assert_eq!(output.json["date"], "2026-01-15");
    assert_eq!(output.json["time"], "12:00:00");
    assert_eq!(output.json["formatted"], "Thursday, 15 January 2026, 12:00:00 UTC");
}

#[test]
fn another_zone_is_written_with_its_offset_on_that_day() {
    assert_eq!(at(1_768_478_400, "Europe/Berlin").readable(), "2026-01-15T13:00:00+01:00");
    assert_eq!(at(1_784_116_800, "Europe/Berlin").readable(), "2026-07-15T14:00:00+02:00");
    assert_eq!(at(1_768_478_400, "asia/kolkata").json["timezone"], "Asia/Kolkata");
    assert_eq!(at(-1, "utc").readable(), "1969-12-31T23:59:59Z");
}

#[test]
fn an_unknown_zone_is_answered_with_the_nearest_names() {
    for (wanted, expected) in [
        ("Europe/Berln", "Europe/Berlin"),
        ("berlin", "Europe/Berlin"),
        ("New York", "America/New_York"),
        ("Asia/Tokio", "Asia/Tokyo"),
    ] {
        let failure = find_zone(wanted).unwrap_err();
        assert_eq!(failure.message, format!("Unknown time zone '{wanted}'"));
        let hint = failure.hint.unwrap();
        assert!(hint.contains(expected), "{wanted}: {hint}");
    }
}

#[test]
fn nonsense_is_told_how_a_zone_is_written() {
    let failure = find_zone(&"?".repeat(10_000)).unwrap_err();
    assert!(failure.message.chars().count() < 100);
    assert!(failure.hint.unwrap().contains("IANA name"));
    assert!(find_zone("../../etc/passwd").is_err());
}

#[test]
fn s_21_the_clock_is_a_hidden_utility_that_is_never_cached() {
    let port = crate::typed::port(GetCurrentTime);
    let spec = port.spec();
    assert_eq!((spec.category, spec.visibility), (Category::Utility, Visibility::Hidden));
    assert!(spec.repeatable && spec.effects == Effects::Read && spec.risk == Risk::Safe);
}

#[test]
fn edit_distance_counts_changes() {
    for (from, to, distance) in
        [("", "", 0), ("abc", "", 3), ("", "ab", 2), ("kitten", "sitting", 3), ("ab", "ba", 2)]
    {
        assert_eq!(edit_distance(from, to), distance, "{from} {to}");
    }
}

use super::*;

#[test]
fn times_are_said_as_exactly_as_a_reader_wants_them() {
    let said: Vec<String> =
        [0, 850, 999, 1_000, 2_449, 59_949, 59_950, 185_400, 3_599_499, 7_800_000].map(duration).into();
    let wanted = [
        "0 ms",
        "850 ms",
        "999 ms",
        "1.0 s",
        "2.4 s",
        "59.9 s",
        "1 min 00 s",
        "3 min 05 s",
        "59 min 59 s",
        "2 h 10 min",
    ];
    assert_eq!(said, wanted);
    assert_eq!(running(850), "0.9 s");
}

#[test]
fn sizes_and_counts_have_at_most_three_digits() {
    let said: Vec<String> =
        [0, 512, 999, 1_000, 4_249, 9_950, 12_900, 999_499, 999_500, 13_000_000].map(bytes).into();
    let wanted = ["0 B", "512 B", "999 B", "1.0 kB", "4.2 kB", "10 kB", "13 kB", "999 kB", "1.0 MB", "13 MB"];
    assert_eq!(said, wanted);
    assert!(bytes(u64::MAX).ends_with("TB"));
}

#[test]
fn money_is_said_in_dollars() {
    assert_eq!([0.0, 0.000_01, 0.003_1, 1.304].map(dollars), ["$0", "< $0.0001", "$0.0031", "$1.30"]);
    assert_eq!((plural(1, "call"), plural(2, "call")), ("1 call".into(), "2 calls".into()));
}

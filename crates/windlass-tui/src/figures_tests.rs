use super::*;

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

use super::{dollars, gauge, tokens};

#[test]
fn tokens_fit_into_five_columns() {
    assert_eq!(
        [0, 999, 1_000, 99_999, 456_789, 1_250_000].map(tokens),
        ["0", "999", "1.0k", "99.9k", "456k", "1.2M"]
    );
}

#[test]
fn money_shows_digits_that_say_something() {
    assert_eq!(
        [0.0, 0.000_42, 0.0423, 0.5, 12.345].map(dollars),
        ["$0", "$0.0004", "$0.042", "$0.500", "$12.35"]
    );
}

#[test]
fn a_gauge_is_full_at_the_end_and_never_longer() {
    assert_eq!(gauge(0, 100).0, "▕░░░░░░▏ 0 %");
    assert_eq!(gauge(1, 1_000).0, "▕█░░░░░▏ 0 %");
    assert_eq!(gauge(23, 100).0, "▕█░░░░░▏ 23 %");
    assert_eq!(gauge(50, 100), ("▕███░░░▏ 50 %".to_owned(), 50));
    assert_eq!(gauge(300, 100).0, "▕██████▏ 300 %");
    assert_eq!(gauge(300, 0).0, "▕█░░░░░▏ 0 %");
}

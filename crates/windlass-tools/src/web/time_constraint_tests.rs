use jiff::civil::date;

use super::*;

#[test]
fn s_22_words_become_dates() {
    // A Thursday.
    let today = date(2026, 1, 15);
    for (words, hint, after, days_ago) in [
        ("today", "today", date(2026, 1, 15), 0),
        ("Yesterday ", "yesterday", date(2026, 1, 14), 1),
        ("this week", "this week", date(2026, 1, 12), 3),
        ("last week", "last week", date(2026, 1, 8), 7),
        ("past_week", "last week", date(2026, 1, 8), 7),
        ("week", "last week", date(2026, 1, 8), 7),
        ("this month", "this month", date(2026, 1, 1), 14),
        ("last month", "last month", date(2025, 12, 15), 31),
        ("this year", "this year", date(2026, 1, 1), 14),
        ("last year", "last year", date(2025, 1, 15), 365),
        ("last 1 day", "last day", date(2026, 1, 14), 1),
        ("last 3 days", "last 3 days", date(2026, 1, 12), 3),
        ("LAST 2 WEEKS", "last 2 weeks", date(2026, 1, 1), 14),
        ("past 6 months", "last 6 months", date(2025, 7, 15), 184),
        ("last-10-years", "last 10 years", date(2016, 1, 15), 3_653),
        ("pm", "last month", date(2025, 12, 15), 31),
    ] {
        let parsed = TimeConstraint::parse(words, today).unwrap_or_else(|| panic!("{words}"));
        assert_eq!(
            (parsed.time_hint.as_str(), parsed.after, parsed.days_ago),
            (hint, after, days_ago),
            "{words}"
        );
    }
}

#[test]
fn s_22_a_month_back_from_its_last_day_stays_in_the_month_before() {
    let parsed = TimeConstraint::parse("last month", date(2026, 3, 31)).unwrap();
    assert_eq!(parsed.after, date(2026, 2, 28));
}

#[test]
fn s_22_other_words_mean_no_time() {
    for words in [
        "",
        "latest",
        "soon",
        "last",
        "last 0 days",
        "last 99999999999 years",
        "last x weeks",
        "last 3 moons",
        "next week",
        "last 1000 years ago",
        "9 days",
    ] {
        assert_eq!(TimeConstraint::parse(words, date(2026, 1, 15)), None, "{words}");
    }
    assert!(TimeConstraint::parse("last 1000 years", date(2026, 1, 15)).is_some());
    assert_eq!(TimeConstraint::parse("last 1000 years", date(-9998, 1, 15)), None);
}

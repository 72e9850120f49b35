//! Words for a stretch of time (`yesterday`, `last 3 weeks`) and the dates they mean (S-22).
//!
//! Owns the words; "today" comes in as a date. Knows no search engine.

use jiff::Span;
use jiff::civil::Date;

/// The words that are understood, for help and refusals.
pub const TIME_WORDS: &str = "today, yesterday, this week, last week, this month, last month, this year, last year, \
     last N days, last N weeks, last N months, last N years";

/// Most units that can be counted back.
const COUNT_MAX: i64 = 1_000;

/// A stretch of time up to today.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeConstraint {
    /// The words, in one spelling.
    pub time_hint: String,
    /// The first day of it.
    pub after: Date,
    /// How many days before today that is.
    pub days_ago: i32,
}

impl TimeConstraint {
    /// Reads words; `None` when they mean no time. "last week" is counted back from today, "this week"
    /// begins on Monday.
    pub fn parse(words: &str, today: Date) -> Option<Self> {
        let words = words.to_lowercase().replace(['_', '-'], " ");
        let words: Vec<&str> = words.split_whitespace().collect();
        let (time_hint, after) = match words.as_slice() {
            ["today" | "day" | "pd"] | ["last" | "past", "day"] => ("today".to_owned(), today),
            ["yesterday"] => ("yesterday".to_owned(), back(today, Span::new().days(1))?),
            ["this", "week"] => {
                let since_monday = i64::from(today.weekday().to_monday_zero_offset());
                ("this week".to_owned(), back(today, Span::new().days(since_monday))?)
            }
            ["this", "month"] => ("this month".to_owned(), today.first_of_month()),
            ["this", "year"] => ("this year".to_owned(), today.first_of_year()),
            ["week" | "pw"] => counted(today, 1, Unit::Week)?,
            ["month" | "pm"] => counted(today, 1, Unit::Month)?,
            ["year" | "py"] => counted(today, 1, Unit::Year)?,
            ["last" | "past" | "previous", unit] => counted(today, 1, Unit::read(unit)?)?,
            ["last" | "past" | "previous", count, unit] => {
                let count = count.parse().ok().filter(|count| (1..=COUNT_MAX).contains(count))?;
                counted(today, count, Unit::read(unit)?)?
            }
            _ => return None,
        };
        let days_ago = (today - after).get_days();
        Some(Self { time_hint, after, days_ago })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Day,
    Week,
    Month,
    Year,
}

impl Unit {
    fn read(word: &str) -> Option<Self> {
        match word.strip_suffix('s').unwrap_or(word) {
            "day" => Some(Unit::Day),
            "week" => Some(Unit::Week),
            "month" => Some(Unit::Month),
            "year" => Some(Unit::Year),
            _ => None,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Unit::Day => "day",
            Unit::Week => "week",
            Unit::Month => "month",
            Unit::Year => "year",
        }
    }
}

fn counted(today: Date, count: i64, unit: Unit) -> Option<(String, Date)> {
    let span = match unit {
        Unit::Day => Span::new().try_days(count),
        Unit::Week => Span::new().try_weeks(count),
        Unit::Month => Span::new().try_months(count),
        Unit::Year => Span::new().try_years(count),
    };
    let hint = match count {
        1 => format!("last {}", unit.word()),
        _ => format!("last {count} {}s", unit.word()),
    };
    Some((hint, back(today, span.ok()?)?))
}

fn back(today: Date, span: Span) -> Option<Date> {
    today.checked_sub(span).ok()
}

#[cfg(test)]
#[path = "time_constraint_tests.rs"]
mod tests;

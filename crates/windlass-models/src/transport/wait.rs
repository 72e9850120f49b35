//! How long a provider asked us to wait: in headers, in seconds, durations and dates, and in prose.
//!
//! Pure: the time comes in. What is longer than a user would wait is cut to the limit.

use std::time::UNIX_EPOCH;

use crate::limits::RETRY_AFTER_MS_MAX;

/// Headers that only say when a limit is lifted, most telling first.
const RESETS: [&str; 4] =
    ["x-ratelimit-reset-requests", "x-ratelimit-reset-tokens", "x-ratelimit-reset", "ratelimit-reset"];

/// What the headers of a refusal say; `header` looks one up, `now_ms` is the Unix time.
pub fn of_headers<'a>(header: impl Fn(&str) -> Option<&'a str>, now_ms: u64) -> Option<u64> {
    // The finer of the two, where both are there.
    let wait = header("retry-after-ms")
        .and_then(|text| millis(text.trim(), 1.0))
        .or_else(|| header("retry-after").and_then(|text| of_moment(text, now_ms)));
    let wait = wait.or_else(|| {
        // Each limit has its own header, and the longest wait satisfies them all.
        RESETS.iter().filter_map(|name| of_moment(header(name)?, now_ms)).max()
    });
    wait.map(|wait| wait.min(RETRY_AFTER_MS_MAX))
}

/// What an error text says: `try again in 7.5s`, `retry in 1m3s`.
pub fn of_text(lower_text: &str) -> Option<u64> {
    let marks = ["try again in ", "retry in ", "retry after ", "\"retrydelay\":\""];
    let text = marks.iter().find_map(|mark| Some(lower_text.split_once(mark)?.1))?;
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(text.len());
    let (span, rest) = text.split_at_checked(end)?;
    // The sentence may end right behind it.
    let span = span.trim_end_matches('.');
    let wait = of_span(span)
        .or_else(|| rest.trim_start().starts_with("second").then(|| millis(span, 1000.0)).flatten())?;
    Some(wait.min(RETRY_AFTER_MS_MAX))
}

/// Seconds, a duration, a Unix time or an HTTP date.
fn of_moment(text: &str, now_ms: u64) -> Option<u64> {
    let text = text.trim();
    let Some(seconds) = number(text) else {
        return of_span(text).or_else(|| Some(date_ms(text)?.saturating_sub(now_ms)));
    };
    // Nobody waits thirty years: numbers of that size are moments.
    if seconds >= 1e12 {
        Some(millis(text, 1.0)?.saturating_sub(now_ms))
    } else if seconds >= 1e9 {
        Some(millis(text, 1000.0)?.saturating_sub(now_ms))
    } else {
        millis(text, 1000.0)
    }
}

fn of_span(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (amount, unit) = rest.split_at_checked(rest.find(|c: char| c.is_ascii_alphabetic())?)?;
        let end = unit.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(unit.len());
        let (unit, after) = unit.split_at_checked(end)?;
        let unit_ms = match unit {
            "ms" => 1.0,
            "s" => 1000.0,
            "m" => 60_000.0,
            "h" => 3_600_000.0,
            "d" => 86_400_000.0,
            _ => return None,
        };
        total = total.saturating_add(millis(amount, unit_ms)?);
        rest = after;
    }
    (!text.is_empty()).then_some(total)
}

fn number(text: &str) -> Option<f64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|_| is_plain)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, and `as` saturates"
)]
fn millis(text: &str, unit_ms: f64) -> Option<u64> {
    number(text).map(|amount| (amount * unit_ms).ceil() as u64)
}

/// The Unix time of `Sun, 06 Nov 1994 08:49:37 GMT` and of the older forms of dates in HTTP.
fn date_ms(text: &str) -> Option<u64> {
    let since = httpdate::parse_http_date(text).ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: u64 = 784_111_777_000;

    fn of(headers: &[(&str, &'static str)]) -> Option<u64> {
        of_headers(|name| headers.iter().find(|(own, _)| *own == name).map(|(_, value)| *value), NOW_MS)
    }

    #[test]
    fn retry_after_is_seconds_milliseconds_or_a_date() {
        assert_eq!(of(&[("retry-after", "7")]), Some(7_000));
        assert_eq!(of(&[("retry-after", "0.25")]), Some(250));
        assert_eq!(of(&[("retry-after", "7"), ("retry-after-ms", "1500")]), Some(1_500));
        assert_eq!(of(&[("retry-after", "Sun, 06 Nov 1994 08:49:42 GMT")]), Some(5_000));
        assert_eq!(of(&[("retry-after", "Sun, 06 Nov 1994 08:49:30 GMT")]), Some(0));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn nonsense_is_no_wait() {
        for text in
            ["", "soon", "-5", "Sun, 99 Nov 1994 08:49:42 GMT", "Sun, 06 Foo 1994 08:49:42 GMT", "1x", "s"]
        {
            assert_eq!(of_headers(|name| (name == "retry-after").then_some(text), NOW_MS), None, "{text:?}");
        }
    }

    #[test]
    fn a_wait_is_bounded() {
        assert_eq!(of(&[("retry-after", "86400")]), Some(RETRY_AFTER_MS_MAX));
        assert_eq!(of(&[("retry-after", "999999999999999999999")]), Some(RETRY_AFTER_MS_MAX));
        assert_eq!(of_text("try again in 100h"), Some(RETRY_AFTER_MS_MAX));
    }

    #[test]
    fn resets_are_durations_and_moments_and_the_longest_counts() {
        let both = [("x-ratelimit-reset-requests", "120ms"), ("x-ratelimit-reset-tokens", "1m3.5s")];
        assert_eq!(of(&both), Some(63_500));
        assert_eq!(of(&[("x-ratelimit-reset", "784111779")]), Some(RETRY_AFTER_MS_MAX));
        assert_eq!(
            of_headers(|name| (name == "x-ratelimit-reset").then_some("1700000003"), 1_700_000_000_000),
            Some(3_000)
        );
        assert_eq!(
            of_headers(|name| (name == "x-ratelimit-reset").then_some("1700000000500"), 1_700_000_000_000),
            Some(500)
        );
        assert_eq!(of(&[("retry-after", "2"), ("x-ratelimit-reset-tokens", "9s")]), Some(2_000));
    }

    #[test]
    fn prose_is_read_too() {
        assert_eq!(of_text("rate limit reached. please try again in 7.66s. visit x"), Some(7_660));
        assert_eq!(of_text("please try again in 1m2s."), Some(62_000));
        assert_eq!(of_text("please retry after 20 seconds."), Some(20_000));
        assert_eq!(of_text("\"retrydelay\":\"17s\""), Some(17_000));
        assert_eq!(of_text("try again in a while"), None);
    }

    #[test]
    fn dates_follow_the_calendar() {
        assert_eq!(date_ms("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(date_ms("Sun, 06 Nov 1994 08:49:37 GMT"), Some(NOW_MS));
        assert_eq!(date_ms("Thu, 29 Feb 2024 12:00:00 GMT"), Some(1_709_208_000_000));
        assert_eq!(date_ms("Fri, 01 Mar 2024 00:00:00 GMT"), Some(1_709_251_200_000));
    }
}

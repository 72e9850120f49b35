//! Times as people and interfaces read them: how long, how long ago, and moments of the calendar in universal time.
//!
//! Reads no clock: what is now comes in.

/// `850 ms`, `2.4 s`, `3 min 05 s`, `2 h 10 min`.
pub fn duration(ms: u64) -> String {
    if ms < 1_000 {
        return format!("{ms} ms");
    }
    running(ms)
}

/// The same of something that still goes on, which does not flicker in milliseconds: `0.8 s`.
pub fn running(ms: u64) -> String {
    // What is longer would round to `60.0 s`.
    if ms < 59_950 {
        let tenths = ms.saturating_add(50) / 100;
        return format!("{}.{} s", tenths / 10, tenths % 10);
    }
    let seconds = ms.saturating_add(500) / 1_000;
    if seconds < 3_600 {
        return format!("{} min {:02} s", seconds / 60, seconds % 60);
    }
    format!("{} h {:02} min", seconds / 3_600, seconds / 60 % 60)
}

/// The same where there is little room: `7s`, `1m 05s`, `2h 03m`.
pub fn elapsed(ms: u64) -> String {
    let seconds = ms / 1_000;
    match (seconds / 3_600, seconds / 60 % 60) {
        (0, 0) => format!("{seconds}s"),
        (0, minutes) => format!("{minutes}m {:02}s", seconds % 60),
        (hours, minutes) => format!("{hours}h {minutes:02}m"),
    }
}

/// How long ago something was: `just now`, `5 min ago`, `3 h ago`, `2 days ago`.
pub fn ago(now_ms: u64, then_ms: u64) -> String {
    let minutes = now_ms.saturating_sub(then_ms) / 60_000;
    match (minutes, minutes / 60, minutes / 1_440) {
        (0, _, _) => "just now".to_owned(),
        (minutes, 0, _) => format!("{minutes} min ago"),
        (_, hours, 0) => format!("{hours} h ago"),
        (_, _, 1) => "1 day ago".to_owned(),
        (_, _, days) => format!("{days} days ago"),
    }
}

/// Seconds without needless digits: 7500 → "7.5", 12000 → "12".
pub fn seconds(ms: u64) -> String {
    let text = format!("{}.{:03}", ms / 1_000, ms % 1_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A moment of the proleptic Gregorian calendar, in universal time.
pub struct CalendarTime {
    pub year: u64,
    pub month: u64,
    pub day: u64,
    pub hour: u64,
    pub minute: u64,
    pub second: u64,
}

impl CalendarTime {
    /// Counts from the epoch, in eras of 400 years that begin in March.
    pub fn of_second(second: u64) -> Self {
        // So many days lie between 1 March of the year 0 and the epoch; 400 years have 146,097.
        let shifted = second / 86_400 + 719_468;
        let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        // From March on every five months have 153 days.
        let shifted_month = (5 * day_of_year + 2) / 153;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        Self {
            year: year_of_era + era * 400 + u64::from(month <= 2),
            month,
            day: day_of_year - (153 * shifted_month + 2) / 5 + 1,
            hour: second / 3_600 % 24,
            minute: second / 60 % 60,
            second: second % 60,
        }
    }
}

/// Milliseconds since the epoch as RFC 3339 in UTC.
pub fn rfc3339(ms: u64) -> String {
    let CalendarTime { year, month, day, hour, minute, second } = CalendarTime::of_second(ms / 1_000);
    let mut text = String::with_capacity("2000-01-01T00:00:00.000Z".len());
    // Digit by digit: a trace has four of these a step, and formatting takes twenty times as long.
    if year > 9_999 {
        text.push_str(&year.to_string());
    } else {
        push_two(&mut text, year / 100);
        push_two(&mut text, year % 100);
    }
    for (mark, number) in [('-', month), ('-', day), ('T', hour), (':', minute), (':', second)] {
        text.push(mark);
        push_two(&mut text, number);
    }
    text.push('.');
    text.push(digit(ms / 100));
    push_two(&mut text, ms);
    text.push('Z');
    text
}

/// The last two digits of a number.
fn push_two(text: &mut String, number: u64) {
    text.push(digit(number / 10));
    text.push(digit(number));
}

/// The last digit of a number.
fn digit(number: u64) -> char {
    char::from(b'0'.saturating_add(u8::try_from(number % 10).unwrap_or_default()))
}

#[cfg(test)]
#[path = "time_tests.rs"]
mod tests;

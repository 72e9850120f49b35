//! `get_current_time`: the time in a time zone (Z-5, S-21).
//!
//! Owns the reading of zone names; the zones themselves come from the system, or from the copy that is
//! built in where the system has none.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use windlass_core::ports::ToolContext;
use windlass_core::protocol::tool::{Category, Effects, Risk, ToolFailure, ToolOutput, ToolSpec, Visibility};
use windlass_core::text::markdown::{escape, readable};

use crate::typed::{TypedTool, text_arg};

/// How many near names an unknown zone is answered with.
const SUGGESTIONS_MAX: usize = 3;
/// No zone has a longer name; longer texts are not compared with all of them.
const ZONE_CHARS_MAX: usize = 64;

pub(crate) struct GetCurrentTime;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct GetCurrentTimeArgs {
    /// IANA name such as 'Europe/Berlin', or 'UTC', or 'local'
    #[serde(default = "utc")]
    timezone: String,
}

fn utc() -> String {
    "UTC".to_owned()
}

impl TypedTool for GetCurrentTime {
    const NAME: &'static str = "get_current_time";
    const ABOUT: &'static str = "Get the current date and time in a time zone. Use it where an answer depends on today; do \
                                 not guess the date.";
    type Args = GetCurrentTimeArgs;

    fn declare(&self, spec: ToolSpec) -> ToolSpec {
        ToolSpec {
            idempotent: true,
            // The same question has another answer a second later: never from a cache.
            repeatable: true,
            own_output: true,
            examples: vec![json!({}), json!({"timezone": "Europe/Berlin"})],
            ..spec.with_effects(Effects::Read, Risk::Safe).with_place(Category::Utility, Visibility::Hidden)
        }
    }

    async fn run(&self, args: GetCurrentTimeArgs, _context: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        Ok(describe(Timestamp::now(), find_zone(args.timezone.trim())?))
    }

    fn display(&self, args: &Map<String, Value>, value: &Value) -> Option<String> {
        let zone = Some(text_arg(args, "timezone")).filter(|zone| !zone.is_empty()).unwrap_or("UTC");
        let text = readable(value);
        Some(match text.split_once('T') {
            Some((date, rest)) => {
                let clock = rest.get(..5).unwrap_or(rest);
                format!("It is **{}** on {} ({}).", escape(clock), escape(date), escape(zone))
            }
            None => format!("It is {} ({}).", escape(&text), escape(zone)),
        })
    }
}

/// One moment in all the forms of the outcome.
fn describe(now: Timestamp, zone: TimeZone) -> ToolOutput {
    let zoned = Zoned::new(now, zone);
    let is_utc = zoned.time_zone() == &TimeZone::UTC;
    let form = if is_utc { "%Y-%m-%dT%H:%M:%SZ" } else { "%Y-%m-%dT%H:%M:%S%:z" };
    let timestamp = zoned.strftime(form).to_string();
    let zone_name = zoned.time_zone().iana_name().unwrap_or("local").to_owned();
    let json = json!({
        "timestamp": timestamp,
        "timezone": zone_name,
        "unix_timestamp": now.as_second(),
        "formatted": zoned.strftime("%A, %d %B %Y, %H:%M:%S %Z").to_string(),
        "date": zoned.strftime("%Y-%m-%d").to_string(),
        "time": zoned.strftime("%H:%M:%S").to_string(),
    });
    ToolOutput::json(json).with_text(timestamp)
}

fn find_zone(name: &str) -> Result<TimeZone, ToolFailure> {
    if name.is_empty() || ["utc", "z", "gmt"].contains(&name.to_ascii_lowercase().as_str()) {
        return Ok(TimeZone::UTC);
    }
    if name.eq_ignore_ascii_case("local") {
        return Ok(TimeZone::system());
    }
    if let Ok(zone) = TimeZone::get(name) {
        return Ok(zone);
    }
    let shown: String = name.chars().take(ZONE_CHARS_MAX).collect();
    let near = nearest_zones(&shown);
    let hint = match near.as_slice() {
        [] => "Use an IANA name such as 'Europe/Berlin', or 'UTC'.".to_owned(),
        near => format!("Did you mean {}?", near.join(", ")),
    };
    Err(ToolFailure::invalid_args(format!("Unknown time zone '{shown}'"))
        .at("timezone", "an IANA time zone name, 'UTC' or 'local'", shown)
        .hint(hint))
}

/// The zones whose whole name or city is closest to what was written.
fn nearest_zones(wanted: &str) -> Vec<String> {
    let wanted = wanted.to_lowercase().replace(' ', "_");
    let wanted_city = wanted.rsplit('/').next().unwrap_or(&wanted);
    let mut near: Vec<(usize, String)> = jiff::tz::db()
        .available()
        .filter_map(|name| {
            let lower = name.as_str().to_lowercase();
            let city = lower.rsplit('/').next().unwrap_or(&lower);
            let distance = edit_distance(&wanted, &lower).min(edit_distance(wanted_city, city) + 1);
            // Further than a third of the letters is another word.
            (distance <= 1 + wanted.chars().count() / 3).then(|| (distance, name.as_str().to_owned()))
        })
        .collect();
    near.sort();
    near.truncate(SUGGESTIONS_MAX);
    near.into_iter().map(|(_, name)| name).collect()
}

/// How many letters must be changed, added or taken away.
fn edit_distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, b) in row.iter_mut().skip(1).zip(to.chars()) {
            let changed = diagonal + usize::from(a != b);
            diagonal = *cell;
            left = changed.min(*cell + 1).min(left + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
#[path = "get_current_time_tests.rs"]
mod tests;

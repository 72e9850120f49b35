//! Settings become limits: those of the profile first, then what was set.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};
use windlass_core::limits::Limits;

use super::Settings;
use super::key::LIMITS;
use super::value::{Setting, Source, Value};
use crate::complaint::{Complaint, Result};
use crate::config::duration::parse_ms;

/// Puts what was set in place of the profile's limits; afterwards `settings` has every limit.
pub(crate) fn apply(settings: &mut Settings, profile: &'static str, limits: &mut Limits) -> Result<()> {
    let mut fields = to_fields(limits);
    for (field, place) in &mut fields {
        let name = format!("{LIMITS}{field}");
        match settings.get(&name) {
            Some(setting) => *place = setting.value.to_json(),
            None => settings.put(&name, Setting::new(from_json(place), Source::Profile(profile))),
        }
    }
    *limits = serde_json::from_value(Json::Object(fields)).map_err(|error| {
        Complaint::usage(format!("a limit is out of range: {error}")).cure("windlass config explain limits")
    })?;
    keep_time_for_work(settings, limits);
    Ok(())
}

/// The times of single tools, by name.
pub(crate) fn tool_times(settings: &Settings, times: &Map<String, Json>) -> Result<BTreeMap<String, u64>> {
    let read = |(name, value): (&String, &Json)| {
        let time = match value {
            Json::String(text) => parse_ms(text).ok(),
            other => other.as_u64(),
        };
        let time = time.filter(|ms| *ms > 0);
        time.map(|ms| (name.clone(), ms)).ok_or_else(|| {
            let place = settings.get("tool_timeouts").map(|setting| setting.source.to_string());
            Complaint::usage(format!(
                "the time of {name} must be milliseconds, or a duration such as \"30s\""
            ))
            .at(place.unwrap_or_default())
        })
    };
    times.iter().map(read).collect()
}

/// A short run must not keep all its time for the final answer.
fn keep_time_for_work(settings: &mut Settings, limits: &mut Limits) {
    const RESERVE: &str = "limits.final_reserve_ms";
    let is_own = settings.get(RESERVE).is_some_and(|setting| !matches!(setting.source, Source::Profile(_)));
    let quarter_ms = limits.run_timeout_ms / 4;
    if !is_own && limits.final_reserve_ms > quarter_ms {
        limits.final_reserve_ms = quarter_ms;
        settings
            .put(RESERVE, Setting::new(Value::Count(quarter_ms), Source::Follows("limits.run_timeout_ms")));
    }
}

/// A search server that is paid for is asked more often, unless somebody said how often.
pub(crate) fn pay_for_searches(settings: &mut Settings, limits: &mut Limits) {
    const SEARCHES: &str = "limits.search_calls_max";
    let is_own = settings.get(SEARCHES).is_some_and(|setting| !matches!(setting.source, Source::Profile(_)));
    if let Some(paid) = limits.search_calls_paid_max.filter(|_| !is_own) {
        limits.search_calls_max = Some(paid);
        let value = Value::Count(paid.into());
        settings.put(SEARCHES, Setting::new(value, Source::Follows("limits.search_calls_paid_max")));
    }
}

fn to_fields(limits: &Limits) -> Map<String, Json> {
    match serde_json::to_value(limits) {
        Ok(Json::Object(fields)) => fields,
        // Numbers and options always serialise as an object.
        Ok(_) | Err(_) => Map::new(),
    }
}

fn from_json(value: &Json) -> Value {
    value.as_u64().map_or(Value::Nothing, Value::Count)
}

//! Settings become limits: those of the profile first, then what was set.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};
use windlass_core::limits::{Limits, final_reserve_max};

use super::key::LIMITS;
use super::value::{Setting, SettingSource, SettingValue};
use super::{PROJECT_FILE, Settings};
use crate::complaint::{CommandError, Result};
use crate::config::duration::parse_ms;

/// Puts what was set in place of the profile's limits; afterwards `settings` has every limit.
pub(crate) fn apply(settings: &mut Settings, profile: &'static str, limits: &mut Limits) -> Result<()> {
    let mut fields = to_fields(limits);
    for (field, place) in &mut fields {
        let name = format!("{LIMITS}{field}");
        match settings.get(&name) {
            Some(setting) if !raises(setting, place) => *place = setting.value.to_json(),
            Some(_) | None => {
                settings.put(&name, Setting::new(from_json(place), SettingSource::Profile(profile)))
            }
        }
    }
    *limits = serde_json::from_value(Json::Object(fields)).map_err(|error| {
        CommandError::usage(format!("a limit is out of range: {error}"))
            .cure("windlass config explain limits")
    })?;
    let Limits { run_timeout_ms, tokens_max, .. } = *limits;
    let time = ("limits.final_reserve_ms", "limits.run_timeout_ms", Some(run_timeout_ms));
    keep_for_work(settings, time, &mut limits.final_reserve_ms);
    let tokens = ("limits.final_reserve_tokens", "limits.tokens_max", tokens_max);
    keep_for_work(settings, tokens, &mut limits.final_reserve_tokens);
    Ok(())
}

/// Whether a project's own file would raise a limit of the profile: it can only lower one.
fn raises(setting: &Setting, of_profile: &Json) -> bool {
    let is_projects = matches!(&setting.source, SettingSource::File(path, _) if path.ends_with(PROJECT_FILE));
    is_projects && !is_at_most(&setting.value.to_json(), of_profile)
}

/// Whether one limit is not above another; without a number there is no limit at all.
pub(crate) fn is_at_most(limit: &Json, other: &Json) -> bool {
    let number = |value: &Json| value.as_f64().unwrap_or(f64::INFINITY);
    number(limit) <= number(other)
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
            CommandError::usage(format!(
                "the time of {name} must be milliseconds, or a duration such as \"30s\""
            ))
            .at(place.unwrap_or_default())
        })
    };
    times.iter().map(read).collect()
}

/// A short run must not keep all its time for the final answer, and a small one not all its tokens: given are the names
/// of reserve and budget, and the budget.
fn keep_for_work(
    settings: &mut Settings,
    (name, of, budget): (&str, &'static str, Option<u64>),
    reserve: &mut u64,
) {
    let is_own =
        settings.get(name).is_some_and(|setting| !matches!(setting.source, SettingSource::Profile(_)));
    let Some(most) = budget.map(final_reserve_max).filter(|most| !is_own && *reserve > *most) else { return };
    *reserve = most;
    settings.put(name, Setting::new(SettingValue::Count(most), SettingSource::Follows(of)));
}

/// A search server that is paid for is asked more often, unless somebody said how often.
pub(crate) fn pay_for_searches(settings: &mut Settings, limits: &mut Limits) {
    const SEARCHES: &str = "limits.search_calls_max";
    let is_own =
        settings.get(SEARCHES).is_some_and(|setting| !matches!(setting.source, SettingSource::Profile(_)));
    if let Some(paid) = limits.search_calls_paid_max.filter(|_| !is_own) {
        limits.search_calls_max = Some(paid);
        let value = SettingValue::Count(paid.into());
        settings.put(SEARCHES, Setting::new(value, SettingSource::Follows("limits.search_calls_paid_max")));
    }
}

fn to_fields(limits: &Limits) -> Map<String, Json> {
    match serde_json::to_value(limits) {
        Ok(Json::Object(fields)) => fields,
        // Numbers and options always serialise as an object.
        Ok(_) | Err(_) => Map::new(),
    }
}

fn from_json(value: &Json) -> SettingValue {
    match (value.as_u64(), value) {
        (Some(count), _) => SettingValue::Count(count),
        (None, Json::Number(number)) => SettingValue::Number(number.clone()),
        (None, _) => SettingValue::Nothing,
    }
}

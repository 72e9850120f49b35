use super::*;

#[test]
fn a_profile_has_one_word_everywhere() {
    for name in ProfileName::ALL {
        assert_eq!(name.word().parse::<ProfileName>(), Ok(name));
        assert_eq!(name.to_string(), name.word());
        assert_eq!(serde_json::to_value(name).unwrap(), name.word());
        assert_eq!(Profile::named(name).name, name);
    }
    assert_eq!(ProfileName::default(), ProfileName::Default);
    assert_eq!(
        "turbo".parse::<ProfileName>().unwrap_err().to_string(),
        "unknown profile 'turbo'; the profiles are default, edison, dspy, studio, ploke and zodo"
    );
}

/// One row of the table of profiles: the number in each, in the order of `ProfileName::ALL`.
fn row<T: PartialEq + std::fmt::Debug>(what: impl Fn(&Profile) -> T, expected: [T; 6]) {
    assert_eq!(ProfileName::ALL.map(|name| what(&Profile::named(name))), expected);
}

#[test]
fn every_profile_has_the_numbers_of_its_system() {
    // default, edison, dspy, studio, ploke, zodo
    row(|profile| profile.limits.steps_max, [10, 5, 5, 5, 3, 10]);
    row(|profile| profile.limits.calls_per_step_max, [15, 1, 1, 15, 15, 15]);
    row(|profile| profile.limits.call_timeout_ms, [30_000, 12_000, 600_000, 7_500, 30_000, 600_000]);
    row(|profile| profile.limits.result_chars_max, [16_000, 16_000, 200_000, 200_000, 200_000, 64_000]);
    row(|profile| profile.limits.context_chars_max, [16_000, 2_000, 16_000, 16_000, 16_000, 16_000]);
    row(|profile| profile.limits.corrections_per_call_max, [1; 6]);
    row(|profile| profile.limits.corrections_per_run_max, [3, 5, 3, 3, 3, 3]);
    row(|profile| profile.limits.search_calls_max, [None, None, None, Some(6), None, None]);
    row(|profile| profile.limits.search_calls_paid_max, [None, None, None, Some(10), None, None]);
    row(|profile| profile.limits.display_bytes_max, [500, 200, 500, 500, 500, 500]);
}

#[test]
fn every_profile_offers_the_tools_of_its_system_and_asks_what_its_system_asks() {
    let counts = |profile: &Profile| profile.tools.as_ref().map(Vec::len);
    row(counts, [None, Some(4), None, Some(3), Some(8), Some(15)]);
    row(|profile| profile.offers("execute_command"), [true, false, true, false, false, true]);
    row(|profile| profile.offers("web_search"), [true, true, true, true, false, true]);
    row(
        |profile| profile.unasked_tools.contains(&"web_search".to_owned()),
        [false, true, false, true, false, false],
    );
    use Reading::{ByRisk, Free};
    row(|profile| profile.reading, [Free, ByRisk, Free, ByRisk, Free, ByRisk]);
}

#[test]
fn e_46_the_time_of_a_tool_is_what_was_set_for_it_then_its_own_then_that_of_all_calls() {
    let mut profile = Profile::edison();
    let mut spec = ToolSpec::new("web_search", "");
    assert_eq!(profile.timeout_ms(&spec), 12_000);
    spec.timeout_ms = Some(45_000);
    assert_eq!(profile.timeout_ms(&spec), 45_000);
    profile.tool_timeouts_ms.insert("web_search".into(), 900);
    assert_eq!(profile.timeout_ms(&spec), 900);
}

#[test]
fn every_profile_has_the_manners_of_its_system() {
    use AtCap::{Fail, Finalise};
    use Dialect::{Field, Native, Text};
    use OnToolError::{Abort, Continue};
    row(|profile| profile.dialect, [Native, Text, Field, Native, Native, Native]);
    row(
        |profile| profile.envelope,
        [
            Envelope::Windlass,
            Envelope::Edison,
            Envelope::Value,
            Envelope::Studio,
            Envelope::Ploke,
            Envelope::Zodo,
        ],
    );
    row(|profile| profile.on_tool_error, [Continue, Continue, Abort, Continue, Continue, Continue]);
    row(|profile| profile.at_cap, [Finalise, Finalise, Fail, Finalise, Fail, Finalise]);
    row(
        |profile| profile.uncorrected,
        [
            Uncorrected::Finalise,
            Uncorrected::Reject,
            Uncorrected::Ignore,
            Uncorrected::Ignore,
            Uncorrected::Ignore,
            Uncorrected::Ignore,
        ],
    );
    row(|profile| profile.has_sources_suffix, [false, true, false, false, false, false]);
    row(|profile| profile.has_failure_notes, [false, false, false, false, true, false]);
    row(|profile| profile.caches_repeats, [true, true, false, true, true, true]);
    row(|profile| profile.executes_while_streaming, [false; 6]);
}

#[test]
fn a_profile_survives_its_file() {
    for name in ProfileName::ALL {
        let profile = Profile::named(name);
        let text = serde_json::to_string(&profile).unwrap();
        assert_eq!(serde_json::from_str::<Profile>(&text).unwrap(), profile);
    }
}

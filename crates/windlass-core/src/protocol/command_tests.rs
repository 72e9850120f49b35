use super::*;

fn wrong(change: impl Fn(&mut RunWishes)) -> Option<(&'static str, String)> {
    let mut wishes = RunWishes::default();
    change(&mut wishes);
    wishes.check().err().map(|WrongSetting { name, why }| (name, why))
}

#[test]
fn a_budget_that_cannot_be_one_is_named_with_what_it_may_be() {
    assert_eq!(wrong(|_| {}), None);
    for calls in [0, WISHED_CALLS_MAX + 1, u32::MAX] {
        let why = "'calls_max' must be from 1 to 10000".to_owned();
        assert_eq!(wrong(|wishes| wishes.calls_max = Some(calls)), Some(("calls_max", why)));
    }
    for tokens in [0, WISHED_TOKENS_MAX + 1, u64::MAX] {
        let (name, why) = wrong(|wishes| wishes.tokens_max = Some(tokens)).unwrap();
        assert_eq!((name, why.as_str()), ("tokens_max", "'tokens_max' must be from 1 to 1000000000"));
    }
    for time in [0, WISHED_TIMEOUT_MS_MAX + 1] {
        assert_eq!(wrong(|wishes| wishes.run_timeout_ms = Some(time)).unwrap().0, "run_timeout_ms");
    }
    for cost in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, WISHED_COST_USD_MAX * 1.01] {
        let (name, why) = wrong(|wishes| wishes.cost_usd_max = Some(cost)).unwrap();
        assert_eq!(name, "cost_usd_max", "{cost}");
        assert_eq!(why, "'cost_usd_max' must be more than 0 and at most 100000 US dollars");
    }
}

#[test]
fn the_least_and_the_most_of_every_budget_can_be_wished() {
    for (calls, tokens, cost, time) in [
        (1, 1, f64::MIN_POSITIVE, 1),
        (WISHED_CALLS_MAX, WISHED_TOKENS_MAX, WISHED_COST_USD_MAX, WISHED_TIMEOUT_MS_MAX),
    ] {
        let wishes = RunWishes {
            calls_max: Some(calls),
            tokens_max: Some(tokens),
            cost_usd_max: Some(cost),
            run_timeout_ms: Some(time),
            ..RunWishes::default()
        };
        assert_eq!(wishes.check(), Ok(()));
        let written = serde_json::to_string(&wishes).unwrap();
        assert_eq!(serde_json::from_str::<RunWishes>(&written).unwrap(), wishes, "{written}");
    }
}

#[test]
fn wishes_of_a_record_without_budgets_have_none() {
    let old: RunWishes = serde_json::from_str(r#"{"version":3,"tools_allowed":true,"steps_max":2}"#).unwrap();
    assert_eq!(old, RunWishes { steps_max: Some(2), ..RunWishes::default() });
    let written = serde_json::to_value(&old).unwrap();
    for field in ["calls_max", "tokens_max", "cost_usd_max", "run_timeout_ms"] {
        assert!(written.get(field).is_none(), "{written}");
    }
}

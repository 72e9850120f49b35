use super::*;
use crate::protocol::command::RunSetup;

fn settings(system: &str, profile: Profile) -> Arc<RunSettings> {
    Arc::new(RunSettings {
        profile,
        model: "m".into(),
        system: system.into(),
        context_tokens: None,
        form: None,
    })
}

#[test]
fn a_callers_system_text_and_step_limit_hold_for_its_run() {
    let settings = |system: &str| settings(system, Profile::default());
    let wishes = |system: &str, steps_max: u32| RunWishes {
        system: Some(system.into()),
        steps_max: Some(steps_max),
        ..RunWishes::default()
    };
    let usual = settings("Ours.");
    assert!(Arc::ptr_eq(&usual, &usual.wished(&RunWishes::default())));
    let own = usual.wished(&wishes("Theirs.", 3));
    assert_eq!((own.system.as_ref(), own.profile.limits.steps_max), ("Ours.\n\nTheirs.", 3));
    assert_eq!(usual.system.as_ref(), "Ours.");
    let own = settings("").wished(&wishes("Theirs.", 0));
    assert_eq!((own.system.as_ref(), own.profile.limits.steps_max), ("Theirs.", 1));
    let own = usual.wished(&wishes("  ", 1_000));
    assert_eq!((own.system.as_ref(), own.profile.limits.steps_max), ("Ours.", 20));
}

const BUDGETS: RunWishesOf = |calls, tokens, cost, time| RunWishes {
    calls_max: Some(calls),
    tokens_max: Some(tokens),
    cost_usd_max: Some(cost),
    run_timeout_ms: Some(time),
    ..RunWishes::default()
};

type RunWishesOf = fn(u32, u64, f64, u64) -> RunWishes;

/// What can be wished, and what is kept of it for the final answer.
fn budgets(limits: &Limits) -> (u32, Option<u64>, Option<f64>, u64, u64, u64) {
    let Limits { calls_per_run_max, tokens_max, cost_usd_max, run_timeout_ms, .. } = *limits;
    let (tokens, time) = (limits.final_reserve_tokens, limits.final_reserve_ms);
    (calls_per_run_max, tokens_max, cost_usd_max, run_timeout_ms, tokens, time)
}

#[test]
fn budgets_are_set_where_the_profile_has_none_and_lowered_where_it_has_one() {
    let usual = settings("", Profile::default());
    let own = usual.wished(&BUDGETS(5, 40_000, 0.5, 200_000));
    let wished = (5, Some(40_000), Some(0.5), 200_000, 2_000, 30_000);
    assert_eq!(budgets(&own.profile.limits), wished);
    let lower = Arc::new(RunSettings { profile: own.profile.clone(), ..RunSettings::clone(&usual) });
    let more = lower.wished(&BUDGETS(9_000, 50_000, 7.0, 300_000));
    assert_eq!(budgets(&more.profile.limits), wished, "nobody can wish for more than the profile allows");
    assert_eq!(more.wished(&BUDGETS(9_000, 50_000, 7.0, 300_000)).profile, more.profile);
}

#[test]
fn a_small_budget_keeps_a_quarter_of_it_for_the_final_answer() {
    let own = settings("", Profile::default()).wished(&BUDGETS(1, 1_000, 0.5, 2_000));
    assert_eq!(budgets(&own.profile.limits), (1, Some(1_000), Some(0.5), 2_000, 250, 500));
}

#[test]
fn what_a_run_began_with_is_limited_by_what_was_wished_for_it() {
    let begun = RunSetup {
        system: "Then.".into(),
        profile: Profile {
            limits: Limits { tokens_max: Some(900), ..Limits::default() },
            ..Profile::default()
        },
        context_tokens: None,
        model_below: None,
        tools: Default::default(),
        executed: Default::default(),
    };
    let wishes = RunWishes { setup: Some(Arc::new(begun)), ..BUDGETS(2, 1_000, 0.5, 2_000) };
    let now = settings("Now.", Profile::studio());
    let own = now.wished(&wishes);
    assert_eq!((own.system.as_ref(), own.profile.limits.calls_per_run_max), ("Then.", 2));
    assert_eq!(own.profile.limits.tokens_max, Some(900));
    assert_eq!(own.wished(&wishes).profile, own.profile, "a run that is taken up is limited once");
}

use serde_json::json;

use super::*;
use crate::protocol::ids::CallId;
use crate::protocol::tool::{Effects, Risk, ToolCall, ToolFailure, ToolOutput, ToolSpec, Visibility};

fn call(spec: ToolSpec, args: Value) -> CheckedCall {
    let call = ToolCall {
        id: CallId::numbered(1),
        provider_id: None,
        step: 1,
        index: 0,
        name: spec.name.clone(),
        arguments: args.to_string(),
        state: None,
    };
    let args = args.as_object().unwrap().clone();
    CheckedCall { call, spec: Arc::new(spec), args, dropped_args: Vec::new(), is_fresh: false }
}

fn read(args: Value) -> CheckedCall {
    call(ToolSpec::new("read", "Reads").with_effects(Effects::Read, Risk::Safe), args)
}

fn write(args: Value) -> CheckedCall {
    call(ToolSpec::new("write", "Writes").with_effects(Effects::Write, Risk::Safe), args)
}

fn search(query: &str) -> CheckedCall {
    let spec = ToolSpec::new("search", "Searches").with_place(Category::Search, Visibility::Primary);
    call(spec, json!({"query": query, "limit": 3}))
}

fn ok(value: Value) -> Arc<ToolOutcome> {
    Arc::new(ToolOutcome::ok(ToolOutput::json(value)))
}

fn failed(message: &str) -> Arc<ToolOutcome> {
    Arc::new(ToolOutcome::failed(ToolFailure::io_error(message)))
}

fn judge(guard: &mut RepeatGuard, call: &CheckedCall) -> RepeatVerdict {
    guard.judge(call, Some(3), None)
}

/// Runs a call that must be allowed to run.
fn run(guard: &mut RepeatGuard, call: &CheckedCall, outcome: &Arc<ToolOutcome>) {
    match judge(guard, call) {
        RepeatVerdict::Run(ticket) => guard.record(ticket, outcome, true),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_read_that_worked_is_given_again_until_the_limit() {
    let mut guard = RepeatGuard::default();
    let outcome = ok(json!(1));
    run(&mut guard, &read(json!({"a": 1, "b": 2})), &outcome);
    let again = |is_last| RepeatVerdict::Cached { outcome: Arc::clone(&outcome), is_last };
    assert_eq!(judge(&mut guard, &read(json!({"b": 2, "a": 1}))), again(false));
    assert_eq!(judge(&mut guard, &read(json!({"a": 1, "b": 2}))), again(true));
    assert!(
        matches!(judge(&mut guard, &read(json!({"a": 2, "b": 2}))), RepeatVerdict::Run(_)),
        "other arguments"
    );
}

#[test]
fn one_tool_is_not_another_with_the_same_arguments() {
    let mut guard = RepeatGuard::default();
    run(&mut guard, &read(json!({"a": 1})), &ok(json!(1)));
    let mut other = read(json!({"a": 1}));
    other.spec = Arc::new(ToolSpec::new("peek", "Peeks"));
    assert!(matches!(judge(&mut guard, &other), RepeatVerdict::Run(_)));
}

#[test]
fn the_same_call_waits_while_it_runs() {
    let mut guard = RepeatGuard::default();
    let RepeatVerdict::Run(ticket) = judge(&mut guard, &read(json!({}))) else { panic!("must run") };
    assert_eq!(judge(&mut guard, &read(json!({}))), RepeatVerdict::Wait);
    let mut fresh = read(json!({}));
    fresh.is_fresh = true;
    assert!(matches!(judge(&mut guard, &fresh), RepeatVerdict::Run(_)), "a fresh one does not wait");
    guard.record(ticket, &ok(json!(1)), false);
    assert!(
        matches!(judge(&mut guard, &read(json!({}))), RepeatVerdict::Run(_)),
        "it never ran, so nothing is known"
    );
}

#[test]
fn a_write_makes_earlier_reads_old() {
    let mut guard = RepeatGuard::default();
    run(&mut guard, &read(json!({})), &ok(json!("before")));
    run(&mut guard, &write(json!({})), &ok(json!("done")));
    run(&mut guard, &read(json!({})), &ok(json!("after")));
    let again = RepeatVerdict::Cached { outcome: ok(json!("after")), is_last: false };
    assert_eq!(judge(&mut guard, &read(json!({}))), again, "counted anew");
}

#[test]
fn a_failure_is_never_given_again_but_refused_at_the_limit() {
    let mut guard = RepeatGuard::default();
    run(&mut guard, &read(json!({})), &failed("down"));
    run(&mut guard, &read(json!({})), &failed("down"));
    assert_eq!(judge(&mut guard, &read(json!({}))), RepeatVerdict::Refuse);
    let mut guard = RepeatGuard::default();
    run(&mut guard, &read(json!({})), &failed("down"));
    run(&mut guard, &read(json!({})), &failed("another"));
    run(&mut guard, &read(json!({})), &failed("another"));
    assert_eq!(judge(&mut guard, &read(json!({}))), RepeatVerdict::Refuse, "only equal failures count");
}

#[test]
fn a_write_runs_again_until_its_outcome_did_not_change_at_the_limit() {
    let mut guard = RepeatGuard::default();
    run(&mut guard, &write(json!({})), &ok(json!("done")));
    run(&mut guard, &write(json!({})), &ok(json!("done")));
    assert_eq!(judge(&mut guard, &write(json!({}))), RepeatVerdict::Refuse);
    // Another write in between changes the world.
    run(&mut guard, &write(json!({"other": 1})), &ok(json!("done")));
    run(&mut guard, &write(json!({})), &ok(json!("done")));
    run(&mut guard, &write(json!({})), &ok(json!("done")));
    assert_eq!(judge(&mut guard, &write(json!({}))), RepeatVerdict::Refuse);
}

#[test]
fn repeatable_tools_and_profiles_that_do_not_care_are_left_alone() {
    let mut spec = ToolSpec::new("poll", "Polls");
    spec.repeatable = true;
    let poll = call(spec, json!({}));
    let mut guard = RepeatGuard::default();
    for _ in 0..5 {
        run(&mut guard, &poll, &ok(json!(1)));
    }
    for _ in 0..5 {
        let RepeatVerdict::Run(ticket) = guard.judge(&read(json!({})), None, None) else {
            panic!("must run")
        };
        assert!(
            matches!(guard.judge(&read(json!({})), None, None), RepeatVerdict::Run(_)),
            "nor does it wait"
        );
        guard.record(ticket, &ok(json!(1)), true);
    }
}

#[test]
fn s_22_searches_are_compared_as_their_users_mean_them() {
    assert_eq!(key_of(&search("  Rust ASYNC ")), key_of(&search("rust async")));
    assert_ne!(key_of(&search("rust")), key_of(&search("async")));
    assert_ne!(key_of(&read(json!({"path": "A"}))), key_of(&read(json!({"path": "a"}))));
    let utility = |text: &str| {
        let spec = ToolSpec::new("calc", "Calculates").with_place(Category::Utility, Visibility::Hidden);
        key_of(&call(spec, json!({"text": text})))
    };
    assert_ne!(utility("A"), utility("a"));
}

#[test]
fn s_23_r_28_searches_have_a_quota_and_repeats_do_not_count() {
    let mut guard = RepeatGuard::default();
    let judge = |guard: &mut RepeatGuard, call: &CheckedCall| guard.judge(call, Some(9), Some(2));
    for query in ["a", "b"] {
        let RepeatVerdict::Run(ticket) = judge(&mut guard, &search(query)) else {
            panic!("{query} must run")
        };
        guard.record(ticket, &ok(json!(query)), true);
        assert!(matches!(judge(&mut guard, &search(query)), RepeatVerdict::Cached { .. }));
    }
    assert_eq!(judge(&mut guard, &search("c")), RepeatVerdict::OverQuota(2));
    let mut fresh = search("a");
    fresh.is_fresh = true;
    assert_eq!(judge(&mut guard, &fresh), RepeatVerdict::OverQuota(2), "a fresh one counts");
    assert!(matches!(judge(&mut guard, &search("a")), RepeatVerdict::Cached { .. }));
    assert!(
        matches!(judge(&mut guard, &read(json!({}))), RepeatVerdict::Run(_)),
        "only searches have a quota"
    );
}

use serde_json::json;

use super::super::ApproveMode;
use super::super::case::*;
use super::super::policy::PolicySet;
use super::super::rule::{RuleEffect, RuleSource};
use super::*;

fn asked(permissions: &Permissions, file: &str) -> PendingQuestion {
    let (call, inspection) = reading(file);
    question(permissions.judge(call, inspection))
}

fn edited(decision: Decision, rule: &str) -> PermissionAnswer {
    PermissionAnswer { rule: Some(rule.into()), ..answer(decision) }
}

/// What happens to `file` now: who approves it, or `ask`.
fn then(permissions: &Permissions, file: &str) -> String {
    let (call, inspection) = reading(file);
    judged(permissions, call, inspection)
}

#[test]
fn z_14_a_question_carries_the_tool_complete_arguments_and_the_risk() {
    let long = "x".repeat(5_000);
    let call = call_of(reader(), json!({ "path": "a", "text": long, "n": 1 }));
    let pending = question(with_rules([]).judge(call, touching([path("a")])));
    let asked = pending.question();
    assert_eq!(asked.tool, "read_file");
    assert_eq!(asked.arguments, format!(r#"{{"path":"a","text":"{long}","n":1}}"#));
    assert_eq!(asked.risk.label(), "MEDIUM");
    assert_eq!(asked.call_id, "call_1".into());
    assert_eq!(asked.targets, [path("a")]);
    assert_eq!(asked.rule, "read_file(a)");
    assert_eq!((&asked.preview, &asked.confirm_word), (&None, &None));
    assert_eq!(pending.call().call.id, "call_1".into());
}

#[test]
fn r_51_the_risk_shown_is_the_true_one() {
    for risk in [Risk::Low, Risk::Medium, Risk::High, Risk::Critical] {
        let pending = question(with_rules([]).judge(call("t", risk), Inspection::default()));
        assert_eq!(pending.question().risk, risk);
    }
}

#[test]
fn z_12_high_calls_always_show_a_preview_and_critical_ones_need_a_word() {
    let asked = |risk, preview: Option<Preview>| {
        let call = call_of(spec("drop_table", risk), json!({ "name": "users" }));
        let inspection = Inspection { preview, ..Inspection::default() };
        let pending = question(with_rules([]).judge(call, inspection));
        (pending.question().preview.clone(), pending.question().confirm_word.clone())
    };
    let arguments = Some(Preview::Text("{\n  \"name\": \"users\"\n}".into()));
    let diff = Some(Preview::Diff("-a\n+b".into()));
    assert_eq!(asked(Risk::Medium, None), (None, None));
    assert_eq!(asked(Risk::Medium, diff.clone()), (diff.clone(), None));
    assert_eq!(asked(Risk::High, None), (arguments.clone(), None));
    assert_eq!(asked(Risk::High, diff.clone()), (diff, None));
    assert_eq!(asked(Risk::Critical, None), (arguments, Some("drop_table".into())));
}

#[test]
fn once_is_this_call_only() {
    let mut permissions = with_rules([]);
    let answered = asked(&permissions, "a").answer(&mut permissions, &answer(Decision::Once));
    let call = answered.verdict.unwrap();
    assert_eq!((call.decision_word(), call.decision()), ("user", Decision::Once));
    assert!(call.is_by_user());
    assert_eq!((answered.stored, answered.rule, answered.problem), (None, None, None));
    assert_eq!(then(&permissions, "a"), "ask");
}

#[test]
fn session_lasts_until_the_session_ends() {
    let mut permissions = with_rules([]);
    let answered = asked(&permissions, "a").answer(&mut permissions, &answer(Decision::Session));
    assert_eq!(answered.verdict.unwrap().decision(), Decision::Session);
    assert_eq!((answered.stored, answered.problem), (None, None));
    assert_eq!(answered.rule.as_deref(), Some("read_file(a)"));
    assert_eq!(then(&permissions, "a"), "grant");
    assert_eq!(then(&permissions, "b"), "ask");
    assert_eq!(then(&with_rules([]), "a"), "ask", "another session knows nothing of it");
}

#[test]
fn remember_returns_a_rule_to_store_and_holds_at_once() {
    let mut permissions = with_rules([deny("other")]);
    let answered = asked(&permissions, "a").answer(&mut permissions, &answer(Decision::Remember));
    assert_eq!(answered.verdict.unwrap().decision(), Decision::Remember);
    let rule = answered.stored.unwrap();
    assert_eq!((rule.id.as_str(), rule.to_string().as_str()), ("r2", "read_file(a)"));
    assert_eq!((rule.effect, rule.source, rule.created_ms), (RuleEffect::Allow, RuleSource::User, 0));
    assert_eq!((answered.rule.as_deref(), answered.problem), (Some("read_file(a)"), None));
    assert_eq!(then(&permissions, "a"), "rule:r2");
    assert!(permissions.grants().rules().is_empty(), "it ends when the rule is removed");
}

#[test]
fn r_48_remember_for_one_file_does_not_allow_another() {
    let mut permissions = with_rules([]);
    let answered = asked(&permissions, "a").answer(&mut permissions, &answer(Decision::Remember));
    assert_eq!(then(&permissions, "b"), "ask");
    assert_eq!(then(&permissions, "a/b"), "ask");
    let next = with_rules(answered.stored);
    assert_eq!(then(&next, "a"), "rule:r1");
    assert_eq!(then(&next, "b"), "ask");
}

#[test]
fn r_48_remember_works_for_every_kind_of_tool() {
    let cases = [
        ("write_file", vec![path("src/*")], vec![path("src/a")]),
        ("fetch_url", vec![host("example.com:81")], vec![host("example.com")]),
        ("execute_command", vec![command("ls *.rs | wc -l")], vec![command("ls")]),
        ("move_file", vec![path("a"), path("b")], vec![path("a"), path("c")]),
        ("run_in", vec![command("make"), path("sub")], vec![command("make"), path("")]),
        ("odd_tool", vec![], vec![path("a")]),
    ];
    for (tool, targets, others) in cases {
        for risk in [Risk::Low, Risk::Medium, Risk::High, Risk::Critical] {
            let mut permissions = with_rules([]);
            let pending = question(permissions.judge(call(tool, risk), touching(targets.clone())));
            let confirmed =
                PermissionAnswer { confirmation: Some(tool.into()), ..answer(Decision::Remember) };
            let answered = pending.answer(&mut permissions, &confirmed);
            let stored: PolicySet = answered.stored.into_iter().collect();
            let loaded = PolicySet::from_json(&stored.to_json()).unwrap();
            let next = Permissions::new(Arc::new(loaded), ApproveMode::Ask);
            assert_eq!(judged(&next, call(tool, risk), touching(targets.clone())), "rule:r1", "{tool}");
            let other = judged(&next, call(tool, risk), touching(others.clone()));
            assert_eq!(
                other == "ask",
                !targets.is_empty() || risk == Risk::Critical,
                "{tool}: a tool without targets has only its name, and that covers no other critical call"
            );
        }
    }
}

#[test]
fn a_rule_changed_by_the_user_is_kept_if_it_covers_the_call() {
    let mut permissions = with_rules([]);
    let wide = edited(Decision::Remember, "read_file(src/**)");
    let answered = asked(&permissions, "src/a").answer(&mut permissions, &wide);
    assert_eq!(answered.stored.unwrap().to_string(), "read_file(src/**)");
    assert_eq!((answered.rule.as_deref(), answered.problem), (Some("read_file(src/**)"), None));
    assert_eq!(then(&permissions, "src/b"), "rule:r1");
    let answered = asked(&permissions, "docs/a")
        .answer(&mut permissions, &edited(Decision::Session, "read_file(docs/*)"));
    assert_eq!((answered.stored, answered.rule.as_deref()), (None, Some("read_file(docs/*)")));
    assert_eq!(then(&permissions, "docs/b"), "grant");
}

#[test]
fn a_changed_rule_that_cannot_be_kept_allows_once_and_says_so() {
    for decision in [Decision::Session, Decision::Remember] {
        for (rule, problem) in [
            ("read_file(", "has no ')'"),
            (
                "read_file(b)",
                "'read_file(b)' does not cover this call; the narrowest rule that does is 'read_file(a)'",
            ),
            ("write_file", "does not cover this call"),
        ] {
            let mut permissions = with_rules([]);
            let answered = asked(&permissions, "a").answer(&mut permissions, &edited(decision, rule));
            assert_eq!(answered.verdict.unwrap().decision(), Decision::Once);
            assert_eq!((answered.stored, answered.rule), (None, None));
            let told = answered.problem.unwrap();
            assert!(told.starts_with("allowed once only") && told.contains(problem), "{told}");
            assert_eq!(then(&permissions, "a"), "ask");
        }
    }
}

#[test]
fn remembering_what_a_rule_wants_asked_is_told() {
    let mut permissions = with_rules([ask("scope:read_files")]);
    let answered = asked(&permissions, "a").answer(&mut permissions, &answer(Decision::Remember));
    assert!(answered.stored.is_some());
    let expected = "the rule is stored, but rule r1 (scope:read_files) still asks";
    assert_eq!(answered.problem.as_deref(), Some(expected));
    assert_eq!(then(&permissions, "a"), "ask");
    let answered = asked(&permissions, "b").answer(&mut permissions, &answer_of_session());
    assert_eq!(answered.problem, None);
}

fn answer_of_session() -> PermissionAnswer {
    answer(Decision::Session)
}

#[test]
fn r_47_a_user_who_denies_gives_a_refusal_in_the_words_of_appendix_a_5() {
    let mut permissions = with_rules([]);
    let answered = asked(&permissions, "a").answer(&mut permissions, &answer(Decision::Deny));
    let denied = answered.verdict.unwrap_err();
    assert_eq!(denied.refusal.message, "User denied permission for this operation");
    assert_eq!((denied.refusal.gate, denied.refusal.by().as_str()), (Gate::User, "user"));
    assert_eq!(denied.call.call.id, "call_1".into());
    assert_eq!((answered.stored, answered.rule, answered.problem), (None, None, None));
    assert_eq!(then(&permissions, "a"), "ask");
}

#[test]
fn a_critical_call_runs_only_with_its_word_typed() {
    let run = |decision, confirmation: Option<&str>| {
        let mut permissions = with_rules([]);
        let pending = question(permissions.judge(call("drop", Risk::Critical), Inspection::default()));
        let given = PermissionAnswer { confirmation: confirmation.map(Into::into), ..answer(decision) };
        let answered = pending.answer(&mut permissions, &given);
        let granted = permissions.grants().rules().len();
        (answered.verdict.map_err(|denied| denied.refusal), granted)
    };
    for decision in [Decision::Once, Decision::Session, Decision::Remember] {
        for wrong in [None, Some("yes"), Some("")] {
            let (verdict, granted) = run(decision, wrong);
            let refusal = verdict.unwrap_err();
            assert_eq!(
                refusal.message,
                "The call was not confirmed: a critical call needs 'drop' to be typed"
            );
            assert_eq!((refusal.gate, granted), (Gate::User, 0));
        }
        assert!(run(decision, Some("drop")).0.is_ok());
    }
    assert_eq!(run(Decision::Deny, Some("drop")).0.unwrap_err().message, USER_DENIED);
}

#[test]
fn r_49_a_rule_that_came_up_while_the_user_thought_still_denies() {
    let mut permissions = with_rules([]);
    let pending = asked(&permissions, "a");
    permissions.set_rules(Arc::new(PolicySet::from_iter([deny("read_file(a)")])));
    let answered = pending.answer(&mut permissions, &answer(Decision::Remember));
    assert_eq!(answered.verdict.unwrap_err().refusal.by(), "rule:r1");
    assert_eq!(answered.stored, None);
    assert!(permissions.grants().rules().is_empty());
}

#[test]
fn a_gate_that_closed_while_the_user_thought_stays_closed() {
    let mut permissions = with_rules([]);
    let pending = asked(&permissions, "a");
    permissions.begin_run(super::super::GateSettings { tools_allowed: false, ..Default::default() });
    let refusal = pending.answer(&mut permissions, &answer(Decision::Once)).verdict.unwrap_err().refusal;
    assert_eq!(refusal.gate, Gate::ToolsAllowed);
}

#[test]
fn r_57_a_callers_denial_outlives_the_answer() {
    let caller = with_rules([deny("read_file(a)")]);
    let pending = asked(&with_rules([]), "a");
    let mut child = with_rules([]).narrowed(&caller);
    let refusal = pending.answer(&mut child, &answer(Decision::Once)).verdict.unwrap_err().refusal;
    assert_eq!(refusal.by(), "rule:r1");
}

#[test]
fn a_low_call_is_asked_once_a_session_whatever_lets_it_run() {
    for (decision, next) in [
        (Decision::Once, "risk"),
        (Decision::Session, "risk"),
        (Decision::Remember, "risk"),
        (Decision::Deny, "ask"),
    ] {
        let mut permissions = with_rules([]);
        let pending = question(permissions.judge(call("t", Risk::Low), touching([path("a")])));
        let _ = pending.answer(&mut permissions, &answer(decision));
        assert_eq!(judged(&permissions, call("t", Risk::Low), touching([path("b")])), next, "{decision:?}");
        assert_eq!(judged(&permissions, call("t", Risk::Medium), touching([path("b")])), "ask");
    }
    let mut permissions = with_rules([]);
    let pending = question(permissions.judge(call("t", Risk::Medium), Inspection::default()));
    let _ = pending.answer(&mut permissions, &answer(Decision::Once));
    assert!(!permissions.grants().was_asked("t"), "only low is asked once");
}

#[test]
fn a_withdrawn_question_gives_its_call_back() {
    let checked = asked(&with_rules([]), "a").withdraw();
    assert_eq!(checked, reading("a").0);
}

#[test]
fn one_answer_can_settle_another_question() {
    let mut permissions = with_rules([]);
    let (first, second) = (asked(&permissions, "src/a"), asked(&permissions, "src/b"));
    let _ = first.answer(&mut permissions, &edited(Decision::Session, "read_file(src/**)"));
    assert_eq!(approved(second.reconsider(&permissions)).decision_word(), "grant");
    let third = asked(&permissions, "docs/a");
    assert_eq!(question(third.reconsider(&permissions)).question().rule, "read_file(docs/a)");
}

#[test]
fn an_approved_call_gives_what_is_needed_to_run_it() {
    let permissions = with_rules([allow("read_file")]);
    let (checked, inspection) = reading("a");
    let call = approved(permissions.judge(checked.clone(), inspection));
    assert_eq!(call.call(), &checked.call);
    assert_eq!(call.checked(), &checked);
    assert_eq!(call.spec(), &checked.spec);
    assert_eq!(call.args(), &checked.args);
    assert_eq!((call.decision(), call.is_by_user()), (Decision::Once, false));
    let (call, by, held) = call.into_parts();
    assert_eq!((call, by.as_str(), held.is_known()), (checked, "rule:r1", true));
}

#[test]
fn every_decision_has_its_audit_line() {
    let mut permissions = with_rules([deny("read_file(secret)"), allow("read_file(free)")]);
    let line = |verdict: Result<ApprovedCall, Denied>| match verdict {
        Ok(call) => call.audit(5).to_string(),
        Err(denied) => denied.audit(5).to_string(),
    };
    let (call, inspection) = reading("free");
    let free = line(Ok(approved(permissions.judge(call, inspection))));
    assert_eq!(free, r#"[5] auto_approved read_file | rule:r2 | args={"path":"free"}"#);
    let (call, inspection) = reading("secret");
    let Judgement::Denied(denied) = permissions.judge(call, inspection) else { panic!("denied by a rule") };
    assert_eq!(
        line(Err(denied)),
        r#"[5] denied_by_policy read_file | rule:r1: A rule denies this operation: read_file(secret) | args={"path":"secret"}"#
    );
    let session = asked(&permissions, "a").answer(&mut permissions, &answer(Decision::Session));
    let expected = r#"[5] user_approved read_file | user: session | args={"path":"a"}"#;
    assert_eq!(line(session.verdict), expected);
    let denied = asked(&permissions, "b").answer(&mut permissions, &answer(Decision::Deny));
    assert_eq!(
        line(denied.verdict),
        r#"[5] denied_by_user read_file | user: User denied permission for this operation | args={"path":"b"}"#
    );
}

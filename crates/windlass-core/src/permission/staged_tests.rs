use serde_json::json;

use super::super::case::*;
use super::super::{ApproveMode, Decision, Judgement, Preview, Stance};
use super::*;
use crate::protocol::tool::{OutcomeStatus, Risk};

fn edit() -> (CheckedCall, Inspection) {
    let mut inspection = touching([path("a.txt")]);
    inspection.preview = Some(Preview::Diff("-1\n+2\n".into()));
    inspection.pins.insert("expected_sha256".into(), json!("abc"));
    (call_of(spec("write_file", Risk::High), json!({"path": "./a.txt", "content": "2"})), inspection)
}

#[test]
fn r_39_an_edit_that_would_be_asked_about_is_staged_and_rules_still_win() {
    for mode in [ApproveMode::Stage, ApproveMode::StageOnly] {
        let judged = |rules: Vec<_>| {
            let (call, inspection) = edit();
            self::judged(&in_mode(mode, rules), call, inspection)
        };
        assert_eq!(judged(vec![]), "stage");
        assert_eq!(judged(vec![ask("write_file")]), "stage", "a rule that asks is no consent");
        assert!(judged(vec![allow("write_file(a.txt)")]).starts_with("rule:"), "a rule that allows runs it");
        assert!(judged(vec![deny("write_file")]).starts_with("denied by rule:"));
    }
}

#[test]
fn what_is_no_edit_is_asked_about_or_denied_as_if_nothing_were_staged() {
    let read = || reading("a.txt");
    let judged_in = |mode| {
        let (call, inspection) = read();
        judged(&in_mode(mode, []), call, inspection)
    };
    assert_eq!(judged_in(ApproveMode::Stage), "ask");
    assert_eq!(judged_in(ApproveMode::StageOnly), "denied by mode");
    assert_eq!(judged(&in_mode(ApproveMode::StageOnly, []), call("add", Risk::Safe), touching([])), "risk");
    let refused = refusal(in_mode(ApproveMode::StageOnly, []).judge(read().0, read().1));
    assert!(refused.message.contains("nobody is asked in this run"), "{}", refused.message);
}

#[test]
fn r_57_a_sub_agent_stages_what_its_caller_stages() {
    let caller = in_mode(ApproveMode::Stage, []);
    let agent = in_mode(ApproveMode::All, []).narrowed(&caller);
    let (call, inspection) = edit();
    assert_eq!(judged(&agent, call, inspection), "stage");
}

#[test]
fn r_39_a_proposal_says_what_awaits_and_is_pinned_to_what_was_looked_at() {
    let (call, inspection) = edit();
    let Judgement::Stage(pending) = in_mode(ApproveMode::Stage, []).judge(call, inspection.clone()) else {
        panic!("not staged")
    };
    let asked = pending.question().clone();
    assert_eq!(asked.arguments, r#"{"path":"./a.txt","content":"2"}"#);
    let staged = pending.put_off();
    assert!(staged.audit(5).to_string().contains("mode: staged, awaits approval"), "{}", staged.audit(5));
    let outcome = staged.into_outcome();
    assert_eq!(outcome.status(), OutcomeStatus::Staged);
    let failure = outcome.failure().unwrap();
    assert_eq!(failure.kind.zodo_word(), "permission_denied", "Z-10: one of seven");
    assert_eq!(
        failure.message,
        "The edit is staged as proposal call_1 and awaits the user's approval; nothing was written. Leave this \
         file alone until you are told that the edit was applied; other files can be edited"
    );
    let proposal = outcome.meta.proposal.as_deref().unwrap();
    assert_eq!(proposal.arguments, r#"{"path":"./a.txt","content":"2","expected_sha256":"abc"}"#);
    assert_eq!((&proposal.preview, &proposal.targets), (&asked.preview, &asked.targets));
    assert_eq!(proposal.rule, "write_file(a.txt)");
    let again = Inspection::of_proposal(proposal);
    assert_eq!((again.targets, again.preview), (inspection.targets, inspection.preview));
}

#[test]
fn an_explanation_says_that_an_edit_would_be_staged() {
    let (call, inspection) = edit();
    let explained = in_mode(ApproveMode::Stage, []).explain(&call, &inspection);
    assert_eq!((explained.decides, explained.stance), (Gate::Mode, Stance::Stages));
    assert_eq!(explained.stance.word(), "stages");
    let mode = explained.gates.last().unwrap();
    assert_eq!(mode.reason, "what needs asking is settled by 'stage'");
    assert_eq!(ApproveMode::from_word("stage"), Some(ApproveMode::Stage));
}

#[test]
fn a_question_that_was_asked_stays_asked_when_edits_are_staged_now() {
    let (call, inspection) = edit();
    let pending = question(in_mode(ApproveMode::Ask, []).judge(call, inspection));
    let mut staging = in_mode(ApproveMode::Stage, []);
    let Judgement::Stage(pending) = pending.reconsider(&staging) else { panic!("not staged") };
    assert_eq!(pending.question().arguments, r#"{"path":"./a.txt","content":"2"}"#, "as it was shown");
    assert!(pending.answer(&mut staging, &answer(Decision::Once)).verdict.is_ok());
}

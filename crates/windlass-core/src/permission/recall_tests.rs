use super::super::case::{
    allow, answer, approved, call, deny, judged, question, reading, refusal, with_rules,
};
use super::*;

fn id() -> CallId {
    CallId::numbered(1)
}

#[test]
fn what_was_allowed_once_stays_allowed_whatever_the_rules_say_now() {
    let mut permissions = with_rules([deny("read_file")]);
    permissions.recall(id(), Recalled::Approved { by: Some("grant".into()) });
    let (call, inspection) = reading("src/a.rs");
    assert_eq!(judged(&permissions, call, inspection), "grant");
    permissions.forget_recalled();
    let (call, inspection) = reading("src/a.rs");
    assert!(judged(&permissions, call, inspection).starts_with("denied by rule:"));
}

#[test]
fn who_allowed_it_is_found_again_or_it_was_the_record() {
    let mut permissions = with_rules([allow("read_file(src/**)")]);
    permissions.recall(id(), Recalled::Approved { by: None });
    let (call, inspection) = reading("src/a.rs");
    assert!(judged(&permissions, call, inspection).starts_with("rule:"));
    let (call, inspection) = reading("docs/a.md");
    assert_eq!(judged(&permissions, call, inspection), "record");
}

#[test]
fn what_was_asked_is_asked_and_what_was_refused_is_refused_in_the_same_words() {
    let mut permissions = with_rules([allow("read_file")]);
    permissions.recall(id(), Recalled::Asked { risk: Risk::High, is_unordered: false });
    let (checked, inspection) = reading("a");
    assert_eq!(question(permissions.judge(checked, inspection)).question().risk, Risk::High);
    let denied = Recalled::Denied { by: Some("rule:r7".into()), refusal: told("Not this.", "Stop.") };
    permissions.recall(id(), denied);
    let (checked, inspection) = reading("a");
    let refusal = refusal(permissions.judge(checked, inspection));
    assert_eq!((refusal.by().as_str(), refusal.message.as_str()), ("rule:r7", "Not this."));
}

fn told(message: &str, hint: &str) -> RecalledRefusal {
    RecalledRefusal { message: message.into(), hint: hint.into(), denied_by: Some(DeniedBy::Rule) }
}

#[test]
fn an_answer_leads_to_what_it_led_to_then() {
    let mut permissions = with_rules([]);
    let (checked, inspection) = reading("src/a.rs");
    let pending = question(permissions.judge(checked, inspection));
    permissions.set_rules(std::sync::Arc::new([deny("read_file")].into_iter().collect()));
    let recorded = RecalledAnswer {
        decision: Decision::Session,
        rule: Some("read_file(src/**)".into()),
        problem: None,
        message: None,
        refusal: None,
    };
    permissions.recall_answer(id(), recorded);
    let answered = pending.answer(&mut permissions, &answer(Decision::Once));
    assert_eq!(answered.verdict.unwrap().decision(), Decision::Session);
    assert_eq!(permissions.grants().rules().len(), 1);
}

#[test]
fn a_denial_on_record_stays_one() {
    for refusal in [None, Some(told("The call was not confirmed", "Do not."))] {
        let mut permissions = with_rules([]);
        let pending = question(permissions.judge(call("launch", Risk::Medium), Inspection::default()));
        let was_told = refusal.as_ref().map(|refusal| refusal.message.clone());
        let decision = Decision::Deny;
        let recorded = RecalledAnswer { decision, rule: None, problem: None, message: None, refusal };
        permissions.recall_answer(id(), recorded);
        let denied = pending.answer(&mut permissions, &answer(Decision::Once)).verdict.unwrap_err();
        assert_eq!(denied.refusal.gate, Gate::User);
        assert!(was_told.is_none_or(|message| message == denied.refusal.message));
    }
}

#[test]
fn grants_and_questions_of_a_session_are_put_back() {
    let mut permissions = with_rules([]);
    let granted = |text: &str| Rule::granted(7, text, "s".into(), 0).unwrap();
    permissions.restore(&[granted("read_file(src/**)")], &["web_search".into()]);
    let (checked, inspection) = reading("src/a.rs");
    assert_eq!(approved(permissions.judge(checked, inspection)).decision_word(), "grant");
    let low = call("web_search", Risk::Low);
    assert_eq!(approved(permissions.judge(low, Inspection::default())).decision_word(), "risk");
    permissions.retain_grants(&[granted("read_file(lib/**)")]);
    let (checked, inspection) = reading("src/a.rs");
    question(permissions.judge(checked, inspection));
}

//! Calls, targets and rules for the tests of this module.

use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::protocol::ids::CallId;
use crate::protocol::tool::{CheckedCall, Effects, Risk, Scope, ToolCall, ToolSpec};

pub(super) fn spec(name: &str, risk: Risk) -> ToolSpec {
    ToolSpec::new(name, "a tool").with_effects(Effects::External, risk)
}

pub(super) fn reader() -> ToolSpec {
    spec("read_file", Risk::Medium).with_scopes([Scope::ReadFiles])
}

pub(super) fn call_of(spec: ToolSpec, args: Value) -> CheckedCall {
    let Value::Object(args) = args else { panic!("arguments are an object") };
    CheckedCall {
        call: ToolCall {
            id: CallId::numbered(1),
            provider_id: None,
            step: 1,
            index: 0,
            name: spec.name.clone(),
            arguments: "as the model wrote them".into(),
            state: None,
        },
        spec: Arc::new(spec),
        args,
        dropped_args: Vec::new(),
        is_fresh: false,
    }
}

pub(super) fn call(name: &str, risk: Risk) -> CheckedCall {
    call_of(spec(name, risk), json!({}))
}

pub(super) fn reading(file: &str) -> (CheckedCall, Inspection) {
    (call_of(reader(), json!({ "path": file })), touching([path(file)]))
}

pub(super) fn path(text: &str) -> Target {
    Target::Path(text.into())
}

pub(super) fn host(text: &str) -> Target {
    Target::Host(text.into())
}

pub(super) fn command(text: &str) -> Target {
    Target::Command(text.into())
}

pub(super) fn touching(targets: impl IntoIterator<Item = Target>) -> Inspection {
    Inspection { targets: targets.into_iter().collect(), ..Inspection::default() }
}

pub(super) fn pattern(text: &str) -> RulePattern {
    text.parse().unwrap()
}

pub(super) fn rule(effect: RuleEffect, text: &str) -> Rule {
    Rule::parse(effect, text, RuleSource::User).unwrap()
}

pub(super) fn allow(text: &str) -> Rule {
    rule(RuleEffect::Allow, text)
}

pub(super) fn ask(text: &str) -> Rule {
    rule(RuleEffect::Ask, text)
}

pub(super) fn deny(text: &str) -> Rule {
    rule(RuleEffect::Deny, text)
}

/// The permissions of an asking session with these rules.
pub(super) fn with_rules(rules: impl IntoIterator<Item = Rule>) -> Permissions {
    Permissions::new(Arc::new(rules.into_iter().collect()), ApproveMode::Ask)
}

pub(super) fn in_mode(mode: ApproveMode, rules: impl IntoIterator<Item = Rule>) -> Permissions {
    Permissions::new(Arc::new(rules.into_iter().collect()), mode)
}

pub(super) fn question(judgement: Judgement) -> PendingQuestion {
    match judgement {
        Judgement::Ask(question) => question,
        Judgement::Stage(question) => panic!("staged: {:?}", question.question()),
        Judgement::Approved(call) => panic!("approved by {}", call.decision_word()),
        Judgement::Denied(denied) => panic!("denied: {}", denied.refusal.message),
    }
}

pub(super) fn approved(judgement: Judgement) -> ApprovedCall {
    match judgement {
        Judgement::Approved(call) => call,
        Judgement::Ask(question) | Judgement::Stage(question) => panic!("asked: {:?}", question.question()),
        Judgement::Denied(denied) => panic!("denied: {}", denied.refusal.message),
    }
}

pub(super) fn refusal(judgement: Judgement) -> Refusal {
    match judgement {
        Judgement::Denied(denied) => denied.refusal,
        Judgement::Approved(call) => panic!("approved by {}", call.decision_word()),
        Judgement::Ask(question) | Judgement::Stage(question) => panic!("asked: {:?}", question.question()),
    }
}

/// What became of a call, in one word: who approved it, `ask`, `stage`, or `denied by …`.
pub(super) fn judged(permissions: &Permissions, call: CheckedCall, inspection: Inspection) -> String {
    match permissions.judge(call, inspection) {
        Judgement::Approved(call) => call.decision_word().to_owned(),
        Judgement::Ask(_) => "ask".into(),
        Judgement::Stage(_) => "stage".into(),
        Judgement::Denied(denied) => format!("denied by {}", denied.refusal.by()),
    }
}

pub(super) fn answer(decision: Decision) -> PermissionAnswer {
    PermissionAnswer::new(decision)
}

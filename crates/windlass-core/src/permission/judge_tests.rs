use serde_json::json;

use super::super::case::*;
use super::super::{Decision, Preview, RuleSource};
use super::*;
use crate::permission::Target;
use crate::protocol::model::ToolChoice;
use crate::protocol::tool::Effects;
use crate::protocol::tool::{ErrorKind, Scope};

const RISKS: [Risk; 5] = [Risk::Safe, Risk::Low, Risk::Medium, Risk::High, Risk::Critical];

fn by_risk(permissions: &Permissions) -> [String; 5] {
    RISKS.map(|risk| judged(permissions, call("t", risk), Inspection::default()))
}

#[test]
fn z_12_without_rules_the_risk_decides() {
    assert_eq!(by_risk(&with_rules([])), ["risk", "ask", "ask", "ask", "ask"]);
}

#[test]
fn z_12_the_risk_of_a_call_is_the_higher_of_tool_and_inspection() {
    let judged_at = |own, found| {
        let inspection = Inspection { risk: found, ..Inspection::default() };
        match with_rules([]).judge(call("t", own), inspection) {
            Judgement::Ask(question) | Judgement::Stage(question) => question.question().risk,
            Judgement::Approved(_) => Risk::Safe,
            Judgement::Denied(denied) => panic!("{}", denied.refusal.message),
        }
    };
    assert_eq!(judged_at(Risk::Safe, Some(Risk::Critical)), Risk::Critical);
    assert_eq!(judged_at(Risk::High, Some(Risk::Safe)), Risk::High, "a tool cannot lower its own risk");
    assert_eq!(judged_at(Risk::Medium, Some(Risk::High)), Risk::High);
    assert_eq!(judged_at(Risk::Safe, None), Risk::Safe);
}

#[test]
fn never_denies_what_would_need_asking() {
    let permissions = in_mode(ApproveMode::Never, []);
    let denied = "denied by mode";
    assert_eq!(by_risk(&permissions), ["risk", denied, denied, denied, denied]);
}

#[test]
fn safe_runs_safe_and_low_and_denies_the_rest() {
    let permissions = in_mode(ApproveMode::Safe, []);
    let denied = "denied by mode";
    assert_eq!(by_risk(&permissions), ["risk", "mode", denied, denied, denied]);
    let refusal = refusal(permissions.judge(call("t", Risk::Medium), Inspection::default()));
    assert!(refusal.message.contains("only safe and low"), "{}", refusal.message);
}

#[test]
fn all_runs_everything_that_no_rule_denies() {
    let permissions = in_mode(ApproveMode::All, [deny("rm")]);
    assert_eq!(by_risk(&permissions), ["risk", "mode", "mode", "mode", "mode"]);
    assert_eq!(judged(&permissions, call("rm", Risk::Safe), Inspection::default()), "denied by rule:r1");
}

#[test]
fn rules_that_allow_hold_in_every_mode() {
    for mode in [ApproveMode::Ask, ApproveMode::Never, ApproveMode::Safe, ApproveMode::All] {
        let permissions = in_mode(mode, [allow("t")]);
        assert_eq!(by_risk(&permissions), ["rule:r1"; 5], "{mode:?}");
    }
}

#[test]
fn rules_that_ask_beat_rules_that_allow_and_safety() {
    let rules = || [allow("t"), ask("t")];
    let denied = "denied by mode";
    assert_eq!(by_risk(&with_rules(rules())), ["ask"; 5]);
    assert_eq!(by_risk(&in_mode(ApproveMode::Never, rules())), [denied; 5]);
    assert_eq!(by_risk(&in_mode(ApproveMode::Safe, rules())), [denied; 5]);
    assert_eq!(by_risk(&in_mode(ApproveMode::All, rules())), ["mode"; 5]);
    let permissions = in_mode(ApproveMode::Safe, rules());
    let refusal = refusal(permissions.judge(call("t", Risk::Safe), Inspection::default()));
    assert!(refusal.hint.contains("take out rule r2"), "{}", refusal.hint);
}

#[test]
fn r_49_a_denied_pattern_denies_safe_tools_grants_and_allow_rules() {
    let safe = || call_of(spec("read_file", Risk::Safe).with_scopes([Scope::ReadFiles]), json!({}));
    let secret = || touching([path("secrets/key")]);
    let mut permissions = with_rules([allow("read_file"), deny("scope:read_files(secrets/**)")]);
    permissions.grant(&pattern("read_file"));
    assert_eq!(judged(&permissions, safe(), secret()), "denied by rule:r2");
    assert_eq!(judged(&permissions, safe(), touching([path("src/a")])), "grant");
    let mixed = touching([path("src/a"), path("secrets/key")]);
    assert_eq!(judged(&permissions, safe(), mixed), "denied by rule:r2", "one target is enough");
}

#[test]
fn r_47_a_denied_call_is_an_outcome_of_kind_permission_denied() {
    let (call, inspection) = reading("a");
    let refusal = refusal(with_rules([deny("read_file")]).judge(call, inspection));
    assert_eq!(refusal.gate, Gate::DenyRule);
    let failure = refusal.to_failure();
    assert_eq!(failure.kind, ErrorKind::PermissionDenied);
    assert_eq!(failure.kind.zodo_word(), "permission_denied");
}

#[test]
fn a_grant_is_asked_before_the_rules_that_ask_or_allow() {
    let mut permissions = with_rules([ask("t"), allow("t")]);
    permissions.grant(&pattern("t"));
    assert_eq!(by_risk(&permissions), ["grant"; 5]);
}

#[test]
fn z_15_a_stored_rule_allows_in_another_session() {
    let stored = PolicySet::from_iter([allow("read_file(a)")]).to_json();
    let loaded = Arc::new(PolicySet::from_json(&stored).unwrap());
    let permissions = Permissions::new(loaded, ApproveMode::Ask);
    let (call, inspection) = reading("a");
    assert_eq!(judged(&permissions, call, inspection), "rule:r1");
    let (call, inspection) = reading("b");
    assert_eq!(judged(&permissions, call, inspection), "ask");
}

#[test]
fn low_calls_are_asked_once_a_session_for_each_tool() {
    let mut permissions = with_rules([]);
    permissions.note_asked("t");
    assert_eq!(by_risk(&permissions), ["risk", "risk", "ask", "ask", "ask"]);
    assert_eq!(judged(&permissions, call("u", Risk::Low), Inspection::default()), "ask");
}

#[test]
fn the_first_three_gates_are_asked_before_the_arguments_are_looked_at_and_again_after() {
    let mut permissions = with_rules([allow("t")]);
    assert_eq!(permissions.admit(&spec("t", Risk::Safe)), Ok(()));
    let cases = [
        (GateSettings { tools_allowed: false, ..GateSettings::default() }, Gate::ToolsAllowed),
        (GateSettings { module_tools_enabled: Some(false), ..GateSettings::default() }, Gate::Module),
        (GateSettings { tool_choice: ToolChoice::Forbidden, ..GateSettings::default() }, Gate::Request),
    ];
    for (settings, gate) in cases {
        permissions.begin_run(settings.clone());
        assert_eq!(permissions.settings(), &settings);
        assert_eq!(permissions.admit(&spec("t", Risk::Safe)).unwrap_err().gate, gate);
        let denied = format!("denied by {}", gate.word());
        assert_eq!(judged(&permissions, call("t", Risk::Safe), Inspection::default()), denied);
    }
    permissions.begin_run(GateSettings::default());
    assert_eq!(permissions.admit(&spec("t", Risk::Safe)), Ok(()));
}

#[test]
fn a_new_run_keeps_the_sessions_grants() {
    let mut permissions = with_rules([]);
    permissions.grant(&pattern("t"));
    permissions.begin_run(GateSettings::default());
    assert_eq!(permissions.grants().rules().len(), 1);
    assert_eq!(by_risk(&permissions), ["grant"; 5]);
}

#[test]
fn rules_and_mode_can_be_changed_while_a_session_lives() {
    let mut permissions = with_rules([]);
    permissions.set_rules(Arc::new(PolicySet::from_iter([deny("t")])));
    assert_eq!(by_risk(&permissions), ["denied by rule:r1"; 5]);
    assert_eq!(permissions.rules().rules().len(), 1);
    permissions.set_rules(Arc::default());
    assert_eq!(permissions.mode(), ApproveMode::Ask);
    permissions.set_mode(ApproveMode::All);
    assert_eq!(permissions.mode(), ApproveMode::All);
    assert_eq!(by_risk(&permissions), ["risk", "mode", "mode", "mode", "mode"]);
}

#[test]
fn r_57_a_sub_agent_is_denied_what_either_denies() {
    let (call, inspection) = reading("a");
    let child = in_mode(ApproveMode::All, [allow("*")]);
    let caller = with_rules([deny("read_file")]);
    assert_eq!(judged(&child.narrowed(&caller), call.clone(), inspection.clone()), "denied by rule:r1");
    assert_eq!(judged(&caller.narrowed(&child), call, inspection), "denied by rule:r1");
}

#[test]
fn r_57_a_sub_agent_is_asked_what_either_asks() {
    let (call, inspection) = reading("a");
    let child = in_mode(ApproveMode::All, [allow("*")]);
    let caller = with_rules([]);
    assert_eq!(judged(&child.narrowed(&caller), call.clone(), inspection.clone()), "ask");
    assert_eq!(judged(&caller.narrowed(&child), call.clone(), inspection.clone()), "ask");
    let never = in_mode(ApproveMode::Never, []);
    assert_eq!(judged(&caller.narrowed(&never), call, inspection), "denied by mode");
}

#[test]
fn r_57_a_sub_agent_runs_what_both_allow() {
    let (call, inspection) = reading("a");
    let child = with_rules([allow("read_file")]);
    let caller = in_mode(ApproveMode::All, []);
    assert_eq!(judged(&child.narrowed(&caller), call.clone(), inspection.clone()), "rule:r1");
    assert_eq!(judged(&caller.narrowed(&child), call, inspection), "mode");
}

#[test]
fn r_57_a_sub_agent_of_a_sub_agent_is_held_by_all_above_it() {
    let free = in_mode(ApproveMode::All, []);
    let top = with_rules([deny("t")]);
    let nested = free.narrowed(&free.narrowed(&top));
    let held_twice = free.narrowed(&free).narrowed(&top);
    let held_first = free.narrowed(&top).narrowed(&free);
    for permissions in [nested, held_twice, held_first] {
        assert_eq!(by_risk(&permissions), ["denied by rule:r1"; 5]);
    }
}

#[test]
fn r_57_a_child_has_gates_of_its_own_and_those_of_its_caller() {
    let mut caller = with_rules([allow("a"), allow("b"), allow("c")]);
    let only = |names: &[&str]| GateSettings {
        allow_list: Some(names.iter().map(|name| (*name).to_owned()).collect()),
        ..GateSettings::default()
    };
    caller.begin_run(only(&["a", "b"]));
    let child = caller.child(only(&["b", "c"]));
    for (tool, is_admitted) in [("a", false), ("b", true), ("c", false)] {
        assert_eq!(child.admit(&spec(tool, Risk::Safe)).is_ok(), is_admitted, "{tool}");
        let judged = judged(&child, call(tool, Risk::Medium), Inspection::default());
        assert_eq!(judged.starts_with("rule:"), is_admitted, "{tool}: {judged}");
    }
    let grandchild = child.child(GateSettings::default());
    assert!(grandchild.admit(&spec("c", Risk::Safe)).is_err());
    assert_eq!(caller.settings(), &only(&["a", "b"]));
}

#[test]
fn r_57_an_answer_given_to_a_child_holds_for_the_child_and_not_for_its_caller() {
    let caller = with_rules([]);
    let mut child = caller.child(GateSettings::default());
    let (call, inspection) = reading("a");
    let asked = question(child.judge(call.clone(), inspection.clone()));
    assert!(asked.answer(&mut child, &answer(Decision::Session)).verdict.is_ok());
    assert_eq!(judged(&child, call.clone(), inspection.clone()), "grant");
    assert_eq!(judged(&caller, call, inspection), "ask");
}

#[test]
fn r_57_a_low_call_of_a_child_is_asked_once() {
    let mut child = with_rules([]).child(GateSettings::default());
    let asked = question(child.judge(call("t", Risk::Low), Inspection::default()));
    assert!(asked.answer(&mut child, &answer(Decision::Once)).verdict.is_ok());
    assert_eq!(judged(&child, call("t", Risk::Low), Inspection::default()), "risk");
}

#[test]
fn a_flag_rule_denies_like_any_other() {
    let flag = Rule { source: RuleSource::Flag, ..deny("t") };
    let permissions = with_rules([allow("t"), flag]);
    let refusal = refusal(permissions.judge(call("t", Risk::Safe), Inspection::default()));
    assert!(refusal.hint.contains("--deny"));
}

#[test]
fn z_12_a_tool_of_which_every_call_is_denied_is_refused_and_no_other() {
    let specs: Vec<Arc<ToolSpec>> =
        ["read_file", "run_it", "write_file"].map(|name| Arc::new(ToolSpec::new(name, "Does it"))).into();
    let refused = |permissions: &Permissions| {
        let refused = specs.iter().filter(|spec| permissions.refuses(spec));
        refused.map(|spec| spec.name.as_str()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(refused(&with_rules([])), "");
    assert_eq!(refused(&with_rules([deny("run_it"), deny("read_file(secrets/**)")])), "run_it");
    assert_eq!(refused(&with_rules([deny("*")])), "read_file run_it write_file");
    assert_eq!(refused(&in_mode(ApproveMode::Never, [])), "", "what needs asking may be granted");

    let mut gated = with_rules([deny("write_file")]);
    let settings = GateSettings { allow_list: Some(vec!["read_file".to_owned()]), ..GateSettings::default() };
    assert_eq!(refused(&gated.child(settings.clone())), "run_it write_file", "the caller's rules hold too");
    gated.begin_run(GateSettings { tools_allowed: false, ..settings });
    assert_eq!(refused(&gated), "read_file run_it write_file");
}

fn writing(file: &str) -> (CheckedCall, Inspection) {
    let spec = spec("write_file", Risk::High).with_effects(Effects::Write, Risk::High);
    let diff = Some(Preview::Diff("+x".into()));
    let inspection = Inspection { preview: diff, ..touching([path(file)]) };
    (call_of(spec.with_scopes([Scope::WriteFiles]), json!({ "path": file })), inspection)
}

#[test]
fn no_group_rule_grant_or_mode_changes_a_protected_path() {
    let judge = |permissions: &Permissions, file: &str| {
        let (call, inspection) = writing(file);
        judged(permissions, call, inspection)
    };
    let groups = ["write_file", "write_file(*)", "write_file(.git/**)", "scope:write_files", "*", "*(.git/)"];
    let rules = || groups.map(allow);
    for (mode, expected) in [
        (ApproveMode::Ask, "ask"),
        (ApproveMode::Edit, "ask"),
        (ApproveMode::Stage, "stage"),
        (ApproveMode::All, "denied by protected"),
        (ApproveMode::Safe, "denied by protected"),
        (ApproveMode::Never, "denied by protected"),
        (ApproveMode::EditOnly, "denied by protected"),
        (ApproveMode::ReadOnly, "denied by mode"),
    ] {
        let mut permissions = in_mode(mode, rules());
        groups.iter().for_each(|text| permissions.grant(&pattern(text)));
        assert_eq!(judge(&permissions, ".git/hooks/x"), expected, "{mode:?}");
        assert_eq!(judge(&permissions, "sub/AGENTS.md"), expected, "{mode:?}");
        let opened = in_mode(mode, [allow("write_file(.git/hooks/x)")]);
        let is_read_only = mode == ApproveMode::ReadOnly;
        let expected = if is_read_only { "denied by mode" } else { "rule:r1" };
        assert_eq!(judge(&opened, ".git/hooks/x"), expected, "{mode:?}");
        assert_ne!(judge(&opened, ".git/hooks/y"), "rule:r1", "{mode:?}");
    }
    let mut granted = with_rules([]);
    granted.grant(&pattern("write_file(.git/hooks/x)"));
    assert_eq!(judge(&granted, ".git/hooks/x"), "grant");
    // Reading is as free as before.
    let reader = reader().with_effects(Effects::Read, Risk::Medium);
    let (call, inspection) = (call_of(reader, json!({})), touching([path(".git/config")]));
    assert_eq!(judged(&with_rules([allow("read_file")]), call, inspection), "rule:r1");
}

#[test]
fn only_a_rule_for_just_that_call_covers_a_critical_one() {
    let critical = |targets: Vec<Target>| {
        let inspection = Inspection { risk: Some(Risk::Critical), ..touching(targets) };
        (call("execute_command", Risk::High), inspection)
    };
    for text in ["*", "execute_command", "execute_command(rm *)", "execute_command(*)"] {
        let mut permissions = with_rules([allow(text)]);
        permissions.grant(&pattern(text));
        let (call, inspection) = critical(vec![command("rm -rf build")]);
        assert_eq!(judged(&permissions, call, inspection), "ask", "{text}");
    }
    let exact = with_rules([allow("execute_command(rm -rf build)")]);
    let (call, inspection) = critical(vec![command("rm -rf build")]);
    assert_eq!(judged(&exact, call, inspection), "rule:r1");
    // A tool that names nothing has nothing narrower than its own name.
    let (call, inspection) = critical(Vec::new());
    assert_eq!(judged(&with_rules([allow("*")]), call, inspection), "ask");
    let (call, inspection) = critical(Vec::new());
    assert_eq!(judged(&with_rules([allow("execute_command")]), call, inspection), "rule:r1");
}

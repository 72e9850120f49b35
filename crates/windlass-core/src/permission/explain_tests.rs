use super::super::case::*;
use super::super::{ApproveMode, GateSettings, Judgement, Preview};
use super::*;

fn explained(permissions: &Permissions, call: &CheckedCall, inspection: &Inspection) -> (Gate, Stance) {
    let explanation = permissions.explain(call, inspection);
    (explanation.decides, explanation.stance)
}

fn found(explanation: &Explanation, gate: Gate) -> (Stance, &str) {
    let finding = explanation.gates.iter().find(|finding| finding.gate == gate).unwrap();
    (finding.stance, &finding.reason)
}

#[test]
fn every_gate_is_listed_in_order_with_its_reason() {
    let (call, inspection) = reading("src/a");
    let explanation = with_rules([]).explain(&call, &inspection);
    let gates: Vec<Gate> = explanation.gates.iter().map(|finding| finding.gate).collect();
    assert_eq!(gates, Gate::ALL[..18]);
    let reasons: Vec<&str> = explanation.gates.iter().map(|finding| finding.reason.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "it destroys nothing beyond the project",
            "the run allows tools",
            "no module forbids tools",
            "the request includes the tool",
            "the arguments fit",
            "the tool accepts its targets",
            "no rule denies it",
            "the mode is not read_only, or it only reads",
            "it changes nothing that other programs obey, or a rule names exactly that path",
            "no text from outside is known here; with some, this call would be asked about",
            "not granted in this session",
            "no rule wants it asked",
            "no rule allows it",
            "no sandbox that lets it run unasked",
            "no free reading in the project",
            "the profile leaves it to the risk",
            "medium calls are asked each time",
            "what needs asking is settled by 'ask'",
        ]
    );
    assert_eq!((explanation.decides, explanation.stance), (Gate::Risk, Stance::Asks));
    assert_eq!((explanation.tool.as_str(), explanation.risk), ("read_file", Risk::Medium));
    assert_eq!(explanation.targets, [path("src/a")]);
    assert_eq!(explanation.rule, "read_file(src/a)");
}

#[test]
fn each_gate_explains_what_it_says() {
    let (call, inspection) = reading("a");
    let mut permissions = with_rules([deny("read_file"), ask("*"), allow("read_file(*)")]);
    permissions.grant(&pattern("read_file(a)"));
    permissions.begin_run(GateSettings { tools_allowed: false, ..GateSettings::default() });
    let explanation = permissions.explain(&call, &inspection);
    assert_eq!((explanation.decides, explanation.stance), (Gate::ToolsAllowed, Stance::Denies));
    assert_eq!(
        found(&explanation, Gate::ToolsAllowed),
        (Stance::Denies, "Tools are not allowed in this run")
    );
    assert_eq!(found(&explanation, Gate::Module).0, Stance::Passes);
    let denies = (Stance::Denies, "A rule denies this operation: read_file");
    assert_eq!(found(&explanation, Gate::DenyRule), denies);
    assert_eq!(found(&explanation, Gate::Grant), (Stance::Allows, "rule g1 (grant): read_file(a)"));
    assert_eq!(found(&explanation, Gate::AskRule), (Stance::Asks, "rule r2 (user): *"));
    assert_eq!(found(&explanation, Gate::AllowRule), (Stance::Allows, "rule r3 (user): read_file(*)"));
    assert_eq!(found(&explanation, Gate::Mode).0, Stance::Passes, "nothing was left to ask");
}

#[test]
fn every_risk_explains_itself() {
    let reason = |permissions: &Permissions, risk| {
        let explanation = permissions.explain(&call("t", risk), &Inspection::default());
        let (stance, reason) = found(&explanation, Gate::Risk);
        (stance, reason.to_owned())
    };
    let mut permissions = with_rules([]);
    for (risk, stance, expected) in [
        (Risk::Safe, Stance::Allows, "safe calls run"),
        (Risk::Low, Stance::Asks, "low calls are asked once a session"),
        (Risk::Medium, Stance::Asks, "medium calls are asked each time"),
        (Risk::High, Stance::Asks, "high calls are asked each time, with a preview"),
        (Risk::Critical, Stance::Asks, "critical calls need the tool's name typed"),
    ] {
        assert_eq!(reason(&permissions, risk), (stance, expected.to_owned()));
    }
    permissions.note_asked("t");
    let low = reason(&permissions, Risk::Low);
    assert_eq!(low, (Stance::Allows, "low, and asked before in this session".to_owned()));
}

#[test]
fn the_mode_is_explained_where_it_decides() {
    let (call, inspection) = reading("a");
    for (mode, stance) in [
        (ApproveMode::Never, Stance::Denies),
        (ApproveMode::Safe, Stance::Denies),
        (ApproveMode::All, Stance::Allows),
    ] {
        let explanation = in_mode(mode, []).explain(&call, &inspection);
        assert_eq!((explanation.decides, explanation.stance), (Gate::Mode, stance));
        let reason = format!("what needs asking is settled by '{}'", mode.word());
        assert_eq!(found(&explanation, Gate::Mode), (stance, reason.as_str()));
    }
}

#[test]
fn r_57_a_caller_is_explained_where_it_decides() {
    let (call, inspection) = reading("a");
    let free = with_rules([allow("read_file")]);
    let explanation = free.narrowed(&with_rules([])).explain(&call, &inspection);
    assert_eq!((explanation.decides, explanation.stance), (Gate::Caller, Stance::Asks));
    let reason = "its caller's risk: medium calls are asked each time";
    assert_eq!(found(&explanation, Gate::Caller), (Stance::Asks, reason));
    let explanation = with_rules([]).narrowed(&in_mode(ApproveMode::All, [])).explain(&call, &inspection);
    assert_eq!((explanation.decides, explanation.stance), (Gate::Risk, Stance::Asks));
    let reason = "its caller's mode: approved without asking";
    assert_eq!(found(&explanation, Gate::Caller), (Stance::Allows, reason));
    let low = super::super::case::call("t", Risk::Low);
    let explanation = free.narrowed(&in_mode(ApproveMode::Safe, [])).explain(&low, &Inspection::default());
    assert_eq!(found(&explanation, Gate::Caller).1, reason, "the mode, not an earlier answer");
}

#[test]
fn what_is_explained_is_what_happens() {
    let rules = || [deny("d"), ask("k"), allow("a"), allow("k")];
    let edit = Inspection { preview: Some(Preview::Diff("+1".into())), ..Inspection::default() };
    let looked = |is_edit: bool| if is_edit { edit.clone() } else { Inspection::default() };
    for mode in ApproveMode::ALL {
        let plain = in_mode(mode, rules());
        let narrowed = plain.narrowed(&with_rules([deny("a")]));
        for permissions in [plain, narrowed] {
            for tool in ["d", "k", "a", "other"] {
                let risks = [Risk::Safe, Risk::Low, Risk::Medium, Risk::High, Risk::Critical];
                for (risk, is_edit) in risks.into_iter().flat_map(|risk| [(risk, false), (risk, true)]) {
                    let (_, stance) = explained(&permissions, &call(tool, risk), &looked(is_edit));
                    let happened = match permissions.judge(call(tool, risk), looked(is_edit)) {
                        Judgement::Approved(_) => Stance::Allows,
                        Judgement::Ask(_) => Stance::Asks,
                        Judgement::Stage(_) => Stance::Stages,
                        Judgement::Denied(_) => Stance::Denies,
                    };
                    assert_eq!(stance, happened, "{mode:?} {tool} {risk:?}");
                }
            }
        }
    }
}

#[test]
fn stances_have_their_words() {
    let stances = [Stance::Passes, Stance::Allows, Stance::Asks, Stance::Stages, Stance::Denies];
    assert_eq!(stances.map(Stance::word), ["passes", "allows", "asks", "stages", "denies"]);
    for stance in stances {
        assert_eq!(serde_json::to_value(stance).unwrap(), stance.word());
    }
}

//! Questions, answers, inspections and gates on the way of a call.

use std::sync::Arc;

use serde_json::json;
use windlass_core::permission::{
    ApproveMode, Decision, DeniedBy, GateSettings, Inspection, PermissionAnswer, PolicySet, Preview,
    Question, Target,
};
use windlass_core::profile::Profile;
use windlass_core::protocol::event::{DurableEvent, Event};
use windlass_core::protocol::ids::CallId;
use windlass_core::protocol::model::{StepPurpose, ToolChoice};
use windlass_core::protocol::tool::{ErrorKind, RawCall, Risk, ToolFailure, ToolSpec};
use windlass_core::run::Input;

use crate::sim::{Done, Sim, call};

fn asked(calls: Vec<RawCall>) -> Sim {
    let mut sim = Sim::new(Profile::default(), ApproveMode::Ask);
    sim.start("Go");
    sim.want(calls);
    sim
}

fn read(path: &str) -> RawCall {
    call("read_file", json!({"path": path}))
}

fn question(sim: &Sim, number: u64) -> &Question {
    let id = CallId::numbered(number);
    for event in &sim.events {
        if let Event::Durable(DurableEvent::PermissionRequested { question }) = event
            && question.call_id == id
        {
            return question;
        }
    }
    panic!("nobody was asked about {id}");
}

/// Decisions in order: call, decision, by, rule, problem.
fn decisions(sim: &Sim) -> Vec<(&str, Decision, &str, Option<&str>, bool)> {
    let mut decisions = Vec::new();
    for event in &sim.events {
        if let Event::Durable(DurableEvent::PermissionDecided {
            call_id, decision, by, rule, problem, ..
        }) = event
        {
            decisions.push((call_id.as_str(), *decision, by.as_str(), rule.as_deref(), problem.is_some()));
        }
    }
    decisions
}

#[test]
fn a_call_that_is_allowed_once_runs_once() {
    let mut sim = asked(vec![read("a")]);
    assert_eq!(sim.story(), "run-started step-started step-ended call-requested permission-requested");
    assert_eq!(sim.done.last(), Some(&Done::Ask("call_1".into())));
    sim.decide(1, Decision::Once);
    assert!(sim.story().ends_with("permission-requested permission-decided call-started"));
    assert_eq!(decisions(&sim), [("call_1", Decision::Once, "user", None, false)]);
    sim.ended(1, json!("A"));
    assert_eq!(sim.outcome(1).meta.decision.as_deref(), Some("user"));
    sim.want(vec![read("b")]);
    assert_eq!(sim.done.last(), Some(&Done::Ask("call_2".into())), "asked again");
}

#[test]
fn a_denied_call_gives_a_tool_message_and_the_run_goes_on() {
    let mut sim = asked(vec![read("a")]);
    sim.decide(1, Decision::Deny);
    assert!(sim.story().ends_with("permission-decided call-ended step-started"));
    assert_eq!(decisions(&sim), [("call_1", Decision::Deny, "user", None, false)]);
    assert_eq!(
        sim.content(1),
        r#"{"ok":false,"error":{"kind":"permission_denied","message":"User denied permission for this operation","hint":"Do not repeat the call.","denied_by":"user"}}"#
    );
    assert_eq!(sim.request().purpose, StepPurpose::Work, "a denial is nothing to correct");
    assert_eq!(sim.ran(), []);
}

#[test]
fn a_session_grant_covers_the_next_call() {
    let mut sim = asked(vec![read("a")]);
    sim.decide(1, Decision::Session);
    assert_eq!(decisions(&sim), [("call_1", Decision::Session, "user", Some("read_file"), false)]);
    sim.ended(1, json!("A"));
    sim.want(vec![read("b")]);
    assert_eq!(sim.running(), [2]);
    sim.ended(2, json!("B"));
    assert_eq!(sim.outcome(2).meta.decision.as_deref(), Some("grant"));
    assert_eq!(sim.stored_rules, Vec::<String>::new());
}

#[test]
fn a_remembered_answer_is_stored_as_a_rule() {
    let mut sim = asked(vec![read("a")]);
    sim.decide(1, Decision::Remember);
    assert_eq!(decisions(&sim), [("call_1", Decision::Remember, "user", Some("read_file"), false)]);
    assert_eq!(sim.stored_rules.len(), 1);
    assert!(sim.stored_rules[0].contains("read_file"), "{:?}", sim.stored_rules);
    assert_eq!(sim.running(), [1]);
}

#[test]
fn a_rule_that_cannot_be_kept_allows_once_and_says_so() {
    let mut sim = asked(vec![read("a")]);
    let answer = PermissionAnswer { rule: Some("((".into()), ..PermissionAnswer::new(Decision::Remember) };
    sim.input(Input::PermissionAnswered { call_id: CallId::numbered(1), answer });
    assert_eq!(decisions(&sim), [("call_1", Decision::Once, "user", None, true)]);
    assert_eq!((sim.running(), sim.stored_rules.len()), (vec![1], 0));
}

#[test]
fn an_answer_settles_the_other_questions_it_covers() {
    let mut sim = asked(vec![
        call("web_search", json!({"query": "a"})),
        call("web_search", json!({"query": "b"})),
        read("c"),
    ]);
    assert_eq!(sim.asking.len(), 3, "reads are asked about side by side");
    sim.decide(1, Decision::Once);
    // Low risk is asked once a session: the second search needs no answer any more.
    assert_eq!(
        decisions(&sim),
        [("call_1", Decision::Once, "user", None, false), ("call_2", Decision::Session, "risk", None, false)]
    );
    assert!(sim.done.contains(&Done::Withdraw("call_2".into())));
    assert_eq!(sim.running(), [1, 2]);
    assert_eq!(sim.asking.iter().map(CallId::as_str).collect::<Vec<_>>(), ["call_3"]);
    sim.decide(3, Decision::Once);
    assert_eq!(sim.running(), [1, 2, 3]);
}

#[test]
fn a_rule_that_came_meanwhile_denies_what_is_still_asked() {
    let mut sim = asked(vec![read("a"), read("b")]);
    let rules = r#"{"policies":[{"tool_name":"read_file","decision":"always_deny","created_at":1}]}"#;
    sim.permissions.set_rules(Arc::new(PolicySet::from_json(rules).unwrap()));
    sim.decide(1, Decision::Once);
    let [first, second] = decisions(&sim)[..] else { panic!("two decisions") };
    assert_eq!((first.0, first.1, first.2), ("call_1", Decision::Deny, "user"));
    assert_eq!((second.0, second.1), ("call_2", Decision::Deny));
    assert!(second.2.starts_with("rule:"), "{}", second.2);
    assert!(sim.done.contains(&Done::Withdraw("call_2".into())));
    for number in 1..=2 {
        assert_eq!(sim.failure(number).0, ErrorKind::PermissionDenied);
    }
    assert!(sim.is_thinking, "all calls are settled");
}

#[test]
fn r_51_the_question_shows_all_arguments_and_the_true_risk() {
    let long = "x".repeat(10_000);
    let mut sim = asked(vec![call("write_file", json!({"path": long}))]);
    let inspection = Inspection {
        targets: vec![Target::Path("a.txt".into())],
        preview: Some(Preview::Diff("+1".into())),
        risk: Some(Risk::Critical),
        ..Inspection::default()
    };
    sim.inspected(1, Ok(inspection));
    let asked = question(&sim, 1);
    assert_eq!(asked.arguments, format!(r#"{{"path":"{long}"}}"#), "nothing is cut");
    assert_eq!(
        (asked.tool.as_str(), asked.risk, asked.risk.label()),
        ("write_file", Risk::Critical, "CRITICAL")
    );
    assert_eq!(asked.targets, [Target::Path("a.txt".into())]);
    assert_eq!(asked.preview, Some(Preview::Diff("+1".into())));

    let sim = {
        let mut sim = self::asked(vec![call("write_file", json!({"path": "a"}))]);
        sim.inspected(1, Ok(Inspection::default()));
        sim
    };
    assert_eq!(question(&sim, 1).risk, Risk::High);
    assert_eq!(question(&self::asked(vec![read("a")]), 1).risk, Risk::Medium);
}

#[test]
fn an_inspected_call_is_inspected_then_asked_then_run() {
    let mut sim = asked(vec![call("write_file", json!({"path": "a"}))]);
    assert_eq!(sim.done.last(), Some(&Done::Inspect("call_1".into())));
    assert_eq!(sim.story(), "run-started step-started step-ended call-requested");
    sim.inspected(1, Ok(Inspection { targets: vec![Target::Path("a".into())], ..Inspection::default() }));
    assert_eq!(sim.done.last(), Some(&Done::Ask("call_1".into())));
    assert_eq!(question(&sim, 1).rule, "write_file(a)");
    sim.decide(1, Decision::Once);
    assert_eq!(sim.running(), [1]);
}

#[test]
fn an_inspected_call_that_needs_no_answer_runs_at_once() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Go");
    sim.want(vec![call("write_file", json!({"path": "a"})), call("write_file", json!({"path": "b"}))]);
    sim.inspected(1, Ok(Inspection::default()));
    assert_eq!(sim.running(), [1]);
    sim.ended(1, json!("done"));
    sim.inspected(2, Err(ToolFailure::denied("outside of the root")));
    assert!(sim.is_thinking, "all calls are settled");
}

#[test]
fn a_refused_inspection_gives_the_next_call_its_turn() {
    let mut sim = Sim::of(Profile::default());
    sim.start("Go");
    sim.want(vec![call("write_file", json!({"path": "a"})), call("touch", json!({"path": "b"}))]);
    sim.inspected(1, Err(ToolFailure::denied("outside of the root")));
    assert_eq!(sim.running(), [2]);
}

#[test]
fn a_call_refused_by_its_inspection_is_not_asked_about() {
    let mut sim = asked(vec![call("write_file", json!({"path": "../x"}))]);
    sim.inspected(1, Err(ToolFailure::denied("outside of the root")));
    assert_eq!(sim.failure(1), (ErrorKind::PermissionDenied, "outside of the root"));
    assert!(!sim.story().contains("permission-requested"));
    assert!(sim.is_thinking);
}

#[test]
fn effects_are_asked_about_one_after_the_other() {
    let mut sim = asked(vec![call("launch", json!({})), call("write_file", json!({"path": "a"}))]);
    assert_eq!(sim.done.last(), Some(&Done::Ask("call_1".into())));
    sim.decide(1, Decision::Once);
    let message = "The call was not confirmed: a critical call needs 'launch' to be typed";
    assert_eq!(sim.failure(1), (ErrorKind::PermissionDenied, message));
    assert_eq!(sim.done.last(), Some(&Done::Inspect("call_2".into())));
}

#[test]
fn a_critical_call_runs_when_its_word_is_typed() {
    let mut sim = asked(vec![call("launch", json!({}))]);
    let answer =
        PermissionAnswer { confirmation: Some("launch".into()), ..PermissionAnswer::new(Decision::Once) };
    sim.input(Input::PermissionAnswered { call_id: CallId::numbered(1), answer });
    assert_eq!(sim.running(), [1]);
}

fn gated(settings: GateSettings) -> Sim {
    let mut sim = Sim::of(Profile::default());
    sim.permissions.begin_run(settings);
    sim.start("Go");
    // Bad arguments do not matter: the first three gates stand before the schema.
    sim.want(vec![call("add", json!({"a": "x"}))]);
    sim
}

#[test]
fn the_first_gates_stand_before_the_schema() {
    let no_tools = GateSettings { tools_allowed: false, ..GateSettings::default() };
    let module = GateSettings {
        module_tools_enabled: Some(false),
        module: Some("npc.guard".into()),
        ..GateSettings::default()
    };
    let listed = GateSettings { allow_list: Some(vec!["look".into()]), ..GateSettings::default() };
    let named = GateSettings { tool_choice: ToolChoice::Named("look".into()), ..GateSettings::default() };
    for (settings, message) in [
        (no_tools, "Tools are not allowed in this run"),
        (module, "Tools not enabled for module: npc.guard"),
        (listed, "Tool 'add' is not among the tools of this request"),
        (named, "This request only allows the tool 'look', not 'add'"),
    ] {
        let sim = gated(settings);
        assert_eq!(sim.failure(1), (ErrorKind::PermissionDenied, message));
        assert_eq!(sim.request().purpose, StepPurpose::Work);
        let line = format!("denied_by_policy add | {message} | args={{\"a\":\"x\"}}");
        assert_eq!(sim.audit.iter().map(|line| line.split_once("] ").unwrap().1).collect::<Vec<_>>(), [line]);
    }
}

#[test]
fn every_decision_is_written_down() {
    let mut sim = asked(vec![call("look", json!({})), read("a"), read("b"), call("add", json!({"a": "x"}))]);
    sim.decide(2, Decision::Once);
    sim.decide(3, Decision::Deny);
    let lines: Vec<_> = sim.audit.iter().map(|line| line.split_once("] ").unwrap().1).collect();
    assert_eq!(
        lines,
        [
            "failed_validation add | a must be int | args={\"a\":\"x\"}",
            "auto_approved look | risk | args={}",
            "user_approved read_file | user: once | args={\"path\":\"a\"}",
            "denied_by_user read_file | user: User denied permission for this operation | args={\"path\":\"b\"}",
        ]
    );
    assert!(sim.audit[1].starts_with("[1002] "), "{}", sim.audit[1]);
}

#[test]
fn z_12_a_request_has_no_tool_that_is_denied_whole() {
    let rules = r#"{"policies":[{"tool_name":"read_file","decision":"always_deny","created_at":1}]}"#;
    let rules = PolicySet::from_json(rules).expect("rules");
    let mut sim = Sim::with_rules(Profile::default(), ApproveMode::Ask, rules);
    sim.start("Go.");
    let has = |tools: &[Arc<ToolSpec>]| tools.iter().any(|spec| spec.name == "read_file");
    assert!(!has(&sim.request().tools) && !sim.request().tools.is_empty());
    let mut sim = Sim::new(Profile::default(), ApproveMode::Ask);
    sim.start("Go.");
    assert!(has(&sim.request().tools));
}

fn looked_at(path: &str) -> Result<Inspection, ToolFailure> {
    Ok(Inspection { targets: vec![Target::Path(path.into())], ..Inspection::default() })
}

#[test]
fn questions_come_in_call_order_whichever_inspection_ends_first() {
    let specs = crate::sim::specs().into_iter().map(|mut spec| {
        spec.inspected |= spec.name == "read_file";
        spec
    });
    let mut sim = Sim::new(Profile::default(), ApproveMode::Ask).with_tools(specs.collect());
    sim.start("Go");
    sim.want(vec![read("a"), read("b"), read("c"), read("d")]);
    sim.inspected(3, looked_at("c"));
    sim.inspected(2, looked_at("b"));
    assert!(!sim.story().contains("permission"), "the first call is not judged yet: {}", sim.story());
    sim.inspected(1, looked_at("a"));
    sim.inspected(4, looked_at("d"));
    let asked = sim.events.iter().filter_map(|event| match event {
        Event::Durable(DurableEvent::PermissionRequested { question }) => {
            Some((question.call_id.as_str(), question.position, question.total))
        }
        _ => None,
    });
    let asked: Vec<_> = asked.collect();
    assert_eq!(asked, [("call_1", 1, 4), ("call_2", 2, 4), ("call_3", 3, 4), ("call_4", 4, 4)]);
    sim.decide(2, Decision::Deny);
    assert_eq!(sim.outcome(2).failure().unwrap().denied_by, Some(DeniedBy::User));
}

#[test]
fn a_question_whose_turn_comes_after_a_grant_is_not_asked() {
    let specs = crate::sim::specs().into_iter().map(|mut spec| {
        spec.inspected |= spec.name == "read_file";
        spec
    });
    let mut sim = Sim::new(Profile::default(), ApproveMode::Ask).with_tools(specs.collect());
    sim.start("Go");
    sim.want(vec![read("a"), read("b"), read("./a")]);
    sim.inspected(1, looked_at("a"));
    sim.inspected(3, looked_at("a"));
    sim.decide(1, Decision::Session);
    assert_eq!(sim.running(), [1]);
    sim.inspected(2, looked_at("b"));
    assert_eq!(sim.running(), [1, 3], "the grant covers the third; the second is asked about");
}

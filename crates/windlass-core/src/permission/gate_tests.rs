use super::super::case::{command, deny, rule, spec};
use super::super::rule::RuleEffect;
use super::*;
use crate::protocol::tool::{ErrorKind, Risk};

fn refused(settings: GateSettings) -> Option<Refusal> {
    settings.refuse(&spec("web_search", Risk::Low).with_alias("search_web"))
}

fn words(refusal: &Refusal) -> (&str, &str, &str) {
    (refusal.gate.word(), &refusal.message, &refusal.hint)
}

#[test]
fn the_default_refuses_nothing() {
    assert_eq!(refused(GateSettings::default()), None);
}

#[test]
fn the_first_gate_is_the_run() {
    let refusal = refused(GateSettings { tools_allowed: false, ..GateSettings::default() }).unwrap();
    let expected = ("tools_allowed", "Tools are not allowed in this run", "Answer without calling tools.");
    assert_eq!(words(&refusal), expected);
}

#[test]
fn the_second_gate_is_the_module() {
    let module = |enabled, name: Option<&str>| {
        refused(GateSettings {
            module_tools_enabled: enabled,
            module: name.map(Into::into),
            ..GateSettings::default()
        })
    };
    let refusal = module(Some(false), Some("npc.merchant")).unwrap();
    let expected = ("module", "Tools not enabled for module: npc.merchant", "Answer without calling tools.");
    assert_eq!(words(&refusal), expected);
    assert!(module(Some(false), None).unwrap().message.ends_with("(unnamed)"));
    assert_eq!(module(Some(true), Some("m")), None);
    assert_eq!(module(None, Some("m")), None);
}

#[test]
fn the_third_gate_is_the_requests_list() {
    let listed = |names: &[&str]| {
        let list = names.iter().map(|name| (*name).to_owned()).collect();
        refused(GateSettings { allow_list: Some(list), ..GateSettings::default() })
    };
    assert_eq!(listed(&["add", "web_search"]), None);
    assert_eq!(listed(&["search_web"]), None, "an alias means the tool");
    let message = "Tool 'web_search' is not among the tools of this request";
    assert_eq!(words(&listed(&["add", "sub"]).unwrap()), ("request", message, "Use one of: add, sub."));
    assert_eq!(words(&listed(&[]).unwrap()), ("request", message, "Answer without calling tools."));
}

#[test]
fn the_third_gate_is_also_the_tool_choice() {
    let chosen = |tool_choice| refused(GateSettings { tool_choice, ..GateSettings::default() });
    assert_eq!(chosen(ToolChoice::Auto), None);
    assert_eq!(chosen(ToolChoice::Required), None);
    assert_eq!(chosen(ToolChoice::Named("web_search".into())), None);
    assert_eq!(chosen(ToolChoice::Named("search_web".into())), None);
    let named = chosen(ToolChoice::Named("add".into())).unwrap();
    let expected = ("request", "This request only allows the tool 'add', not 'web_search'", "Call add.");
    assert_eq!(words(&named), expected);
    let forbidden = chosen(ToolChoice::Forbidden).unwrap();
    let expected = ("request", "This request forbids tool calls", "Answer without calling tools.");
    assert_eq!(words(&forbidden), expected);
}

#[test]
fn the_first_closed_gate_speaks() {
    let mut settings = GateSettings {
        tools_allowed: false,
        module_tools_enabled: Some(false),
        module: None,
        allow_list: Some(Vec::new()),
        tool_choice: ToolChoice::Forbidden,
        ..GateSettings::default()
    };
    let gate = |settings: &GateSettings| refused(settings.clone()).unwrap().gate;
    assert_eq!(gate(&settings), Gate::ToolsAllowed);
    settings.tools_allowed = true;
    assert_eq!(gate(&settings), Gate::Module);
    settings.module_tools_enabled = None;
    assert_eq!(gate(&settings), Gate::Request);
}

#[test]
fn a_refusal_is_an_outcome_of_kind_permission_denied() {
    let failure = Refusal::by_rule(&Rule { id: "r7".into(), ..deny("read_file(a)") }).to_failure();
    assert_eq!(failure.kind, ErrorKind::PermissionDenied);
    assert_eq!(failure.message, "A rule denies this operation: read_file(a)");
    let hint = "Do not repeat the call; the user can take the rule out with `windlass policy remove r7`.";
    assert_eq!(failure.hint.as_deref(), Some(hint));
}

#[test]
fn a_rule_that_denies_says_where_it_stands() {
    let hint = |source| Refusal::by_rule(&Rule { source, ..deny("add") }).hint;
    assert!(hint(RuleSource::Project).contains("project"));
    assert!(hint(RuleSource::Flag).contains("--deny"));
    assert!(hint(RuleSource::Grant).contains("session"));
}

#[test]
fn a_refusal_names_who_decided() {
    assert_eq!(Refusal::by_rule(&Rule { id: "r7".into(), ..deny("add") }).by(), "rule:r7");
    assert_eq!(Refusal::new(Gate::Mode, "m", "h").by(), "mode");
}

#[test]
fn what_nobody_can_be_asked_about_says_how_to_allow_it() {
    let spec = spec("execute_command", Risk::High);
    let targets = [command("echo 'a'")];
    let matter = Matter {
        spec: &spec,
        targets: &targets,
        risk: Risk::High,
        is_edit: true,
        taint: None,
        sandbox: None,
        has_caution: false,
    };
    let never = Refusal::by_mode(ApproveMode::Never, None, matter);
    let message = "Permission is needed for execute_command (risk HIGH), but nobody is asked in this run";
    let hint = r"Do not repeat the call. The user can allow it with --allow 'execute_command(echo '\''a'\'')', for good with `windlass policy allow 'execute_command(echo '\''a'\'')'`, or be asked with --approve ask.";
    assert_eq!(words(&never), ("mode", message, hint));
    let safe = Refusal::by_mode(ApproveMode::Safe, None, matter);
    assert!(safe.message.ends_with("but this run approves only safe and low calls by itself"));
    let asking = Rule { id: "r3".into(), ..rule(RuleEffect::Ask, "scope:execute_commands") };
    let by_rule = Refusal::by_mode(ApproveMode::Safe, Some(&asking), matter);
    let message =
        "A rule wants execute_command asked, but nobody is asked in this run: scope:execute_commands";
    let hint = "Do not repeat the call. The user can be asked with --approve ask, or take out rule r3.";
    assert_eq!(words(&by_rule), ("mode", message, hint));
}

#[test]
fn gates_have_words_and_sentences_in_their_order() {
    let words = Gate::ALL.map(Gate::word);
    assert_eq!(
        words,
        [
            "floor",
            "tools_allowed",
            "module",
            "request",
            "schema",
            "targets",
            "deny_rule",
            "read_only",
            "protected",
            "taint",
            "grant",
            "ask_rule",
            "allow_rule",
            "confined",
            "reading",
            "profile",
            "risk",
            "mode",
            "caller",
            "user"
        ]
    );
    assert!(Gate::ALL.is_sorted());
    for gate in Gate::ALL {
        assert!(gate.sentence().ends_with('.'), "{gate:?}");
        assert_eq!(serde_json::to_value(gate).unwrap(), gate.word());
    }
}

#[test]
fn approve_modes_are_read_by_their_word() {
    let modes = [ApproveMode::Ask, ApproveMode::Never, ApproveMode::Safe, ApproveMode::All];
    assert_eq!(modes.map(ApproveMode::word), ["ask", "never", "safe", "all"]);
    for mode in modes {
        assert_eq!(ApproveMode::from_word(mode.word()), Some(mode));
    }
    assert_eq!(ApproveMode::from_word("yes"), None);
}

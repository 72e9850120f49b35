use super::super::case::{allow, command, deny, path, pattern, reader, spec};
use super::*;
use crate::protocol::tool::Risk;

#[test]
fn every_text_form_reads_and_writes_itself() {
    for text in [
        "read_file",
        "read_file(src/main.rs)",
        "read_file(src/**)",
        "read_file(*.md)",
        "execute_command(git status *)",
        "execute_command(python -c print(1))",
        "fetch_url(example.com)",
        "fetch_url(*.example.com)",
        "fetch_url(localhost:8080)",
        "move_file(a.txt)(b.txt)",
        "*",
        "*(docs/**)",
        "scope:read_files",
        "scope:read_files(docs/**)",
        r"write_file(a\*b)",
        "mcp-tool_1",
    ] {
        let read = pattern(text);
        assert_eq!(read.to_string(), text);
        assert_eq!(allow(text).to_string(), text);
        assert_eq!(pattern(&read.to_string()), read);
    }
    assert_eq!(pattern("  read_file \n"), pattern("read_file"));
}

#[test]
fn the_parts_of_a_rule_are_told_apart() {
    let read = pattern("move_file(a)(b *)");
    assert_eq!(read.tool, ToolPattern::Named("move_file".into()));
    assert_eq!(read.targets, [TargetPattern::parse("a").unwrap(), TargetPattern::parse("b *").unwrap()]);
    assert_eq!(pattern("*").tool, ToolPattern::Any);
    assert_eq!(pattern("scope:network_access").tool, ToolPattern::Scope(Scope::NetworkAccess));
}

#[test]
fn every_scope_has_its_word() {
    for (word, scope) in [
        ("read_files", Scope::ReadFiles),
        ("write_files", Scope::WriteFiles),
        ("execute_commands", Scope::ExecuteCommands),
        ("network_access", Scope::NetworkAccess),
        ("system_info", Scope::SystemInfo),
        ("task_management", Scope::TaskManagement),
    ] {
        assert_eq!(scope_of(word), Some(scope));
        assert_eq!(ToolPattern::Scope(scope).to_string(), format!("scope:{word}"));
    }
    assert_eq!(scope_of("read"), None);
}

#[test]
fn a_bad_rule_says_what_was_wrong_and_shows_an_example() {
    let cases = [
        ("", RuleError::Empty),
        ("  ", RuleError::Empty),
        ("read file", RuleError::ToolName("read file".into())),
        ("(a)", RuleError::ToolName(String::new())),
        ("read_file*", RuleError::ToolName("read_file*".into())),
        ("scope:files", RuleError::ScopeName("files".into())),
        ("read_file(src/**", RuleError::OpenBracket("read_file(src/**".into())),
        ("read_file(a) b", RuleError::OpenBracket("read_file(a) b".into())),
        ("read_file()", RuleError::EmptyPattern),
        ("read_file(a)()", RuleError::EmptyPattern),
        ("read_file( a)", RuleError::OuterSpace(" a".into())),
        (r"read_file(a\)", RuleError::LoneEscape(r"a\".into())),
    ];
    for (text, expected) in cases {
        let error = text.parse::<RulePattern>().unwrap_err();
        assert_eq!(error, expected, "{text:?}");
        assert!(error.to_string().contains("read_file"), "{error}");
    }
    assert!("a".repeat(64).parse::<RulePattern>().is_ok());
    assert!("a".repeat(129).parse::<RulePattern>().is_err());
}

#[test]
fn an_allow_rule_needs_the_tools_own_name_and_a_deny_rule_also_takes_an_alias() {
    let search = spec("web_search", Risk::Low).with_alias("search_web");
    assert!(pattern("web_search").covers(&search, &[]));
    assert!(!pattern("search_web").covers(&search, &[]));
    assert!(!pattern("web").covers(&search, &[]));
    assert!(pattern("web_search").touches(&search, &[]));
    assert!(pattern("search_web").touches(&search, &[]));
    assert!(!pattern("web").touches(&search, &[]));
    assert!(pattern("*").covers(&search, &[]) && pattern("*").touches(&search, &[]));
}

#[test]
fn a_scope_allows_tools_that_touch_nothing_else_and_denies_all_that_touch_it() {
    let scope = pattern("scope:read_files");
    let both = spec("upload_file", Risk::High).with_scopes([Scope::ReadFiles, Scope::NetworkAccess]);
    let second = spec("grab_file", Risk::High).with_scopes([Scope::NetworkAccess, Scope::ReadFiles]);
    let none = spec("add", Risk::Safe);
    assert!(scope.covers(&reader(), &[]));
    assert!(!scope.covers(&both, &[]) && !scope.covers(&second, &[]) && !scope.covers(&none, &[]));
    assert!(scope.touches(&reader(), &[]) && scope.touches(&both, &[]) && scope.touches(&second, &[]));
    assert!(!scope.touches(&none, &[]));
}

#[test]
fn an_allow_rule_names_every_target_and_a_deny_rule_one() {
    let tool = reader();
    let rule = pattern("read_file(a)(b)");
    assert!(rule.covers(&tool, &[path("a")]));
    assert!(rule.covers(&tool, &[path("a"), path("b")]));
    assert!(!rule.covers(&tool, &[path("a"), path("c")]));
    assert!(!rule.covers(&tool, &[]), "nothing known is touched, so nothing is named");
    assert!(rule.touches(&tool, &[path("c"), path("b")]));
    assert!(!rule.touches(&tool, &[path("c")]));
    assert!(!rule.touches(&tool, &[]));
    assert!(pattern("read_file").covers(&tool, &[path("a")]));
    assert!(pattern("read_file").touches(&tool, &[path("a")]));
    let other = spec("write_file", Risk::High);
    assert!(!rule.covers(&other, &[path("a")]) && !rule.touches(&other, &[path("a")]));
}

#[test]
fn r_48_the_narrowest_rule_is_the_tool_with_exactly_its_targets() {
    let tool = reader();
    let text = |targets: &[Target]| RulePattern::narrowest(&tool, targets).to_string();
    assert_eq!(text(&[path("src/main.rs")]), "read_file(src/main.rs)");
    assert_eq!(text(&[Target::Host("example.com:81".into())]), "read_file(example.com:81)");
    assert_eq!(text(&[command("git status -s")]), "read_file(git status -s)");
    assert_eq!(text(&[path("a"), path("b"), path("a")]), "read_file(a)(b)");
    assert_eq!(text(&[]), "read_file");
}

#[test]
fn r_48_the_narrowest_rule_covers_its_call_and_reads_back() {
    let tool = reader();
    let odd = [path("src/*"), command("ls)(rm | x *"), Target::Host("a.b".into()), path(r"\"), path("")];
    let rule = RulePattern::narrowest(&tool, &odd);
    assert!(rule.covers(&tool, &odd));
    assert_eq!(pattern(&rule.to_string()), rule);
    assert!(!rule.covers(&tool, &[path("src/a")]));
}

#[test]
fn effects_and_sources_have_their_words() {
    let effects = [RuleEffect::Allow, RuleEffect::Ask, RuleEffect::Deny];
    assert_eq!(effects.map(RuleEffect::word), ["allow", "ask", "deny"]);
    let sources = [RuleSource::User, RuleSource::Project, RuleSource::Flag, RuleSource::Grant];
    assert_eq!(sources.map(RuleSource::word), ["user", "project", "flag", "grant"]);
}

#[test]
fn a_rule_starts_without_a_name_and_takes_its_time_from_outside() {
    let rule = deny("read_file").stamped(42);
    assert_eq!((rule.id.as_str(), rule.created_ms), ("", 42));
    assert_eq!((rule.effect, rule.source), (RuleEffect::Deny, RuleSource::User));
    assert_eq!(deny("read_file").created_ms, 0);
}

#[test]
fn rules_about_hosts_say_that_they_hold_for_every_path() {
    let cases: Vec<serde_json::Value> =
        serde_json::from_str(include_str!("../../../../fixtures/host_notes.json")).unwrap();
    assert!(cases.len() > 10);
    for case in cases {
        assert_eq!(host_note(case["rule"].as_str().unwrap()), case["note"].as_str(), "{case}");
    }
    assert_eq!(pattern("fetch_url(a.b/c)").path_of_host().unwrap().to_string(), "a.b/c");
    assert!(pattern("fetch_url(a.b)").path_of_host().is_none());
    assert!(pattern("read_file(a.b/c)").path_of_host().is_none());
}

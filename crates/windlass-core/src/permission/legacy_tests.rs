use super::super::policy::{PolicyError, PolicySet};
use super::super::rule::{RuleError, RuleSource};

fn read(text: &str) -> Vec<String> {
    let set = PolicySet::from_json(text).unwrap();
    assert!(set.rules().iter().all(|rule| rule.source == RuleSource::User));
    set.rules()
        .iter()
        .map(|rule| format!("{} {} {rule} {}", rule.id, rule.effect.word(), rule.created_ms))
        .collect()
}

#[test]
fn the_array_shape_is_read_as_appendix_a_5_writes_it() {
    let text = r#"[{"scope":"read_files","mode":"always_allow","path_patterns":["*"],"deny_patterns":[]}]"#;
    assert_eq!(read(text), ["r1 allow scope:read_files 0"]);
    assert!(read("[]").is_empty());
}

#[test]
fn the_policies_shape_is_read_as_appendix_a_5_writes_it() {
    let text = r#"{"policies":[{"tool_name":"read_file","decision":"always_allow","created_at":1705680000000},
        {"tool_name":"write_file","decision":"always_deny"}]}"#;
    assert_eq!(read(text), ["r1 allow read_file 1705680000000", "r2 deny write_file 0"]);
    assert!(read(r#"{"policies":[]}"#).is_empty());
}

#[test]
fn each_mode_becomes_its_effect() {
    for (mode, effect) in
        [("always_allow", "allow"), ("allow_once", "ask"), ("ask_each_time", "ask"), ("deny", "deny")]
    {
        let text =
            format!(r#"[{{"scope":"write_files","mode":"{mode}","path_patterns":["docs/**","*.md"]}}]"#);
        assert_eq!(read(&text), [format!("r1 {effect} scope:write_files(docs/**)(*.md) 0")]);
    }
}

#[test]
fn r_49_denied_patterns_become_a_rule_that_denies() {
    let text = r#"[{"scope":"read_files","mode":"always_allow","path_patterns":["src/**","*"],"deny_patterns":["secrets/**","*.pem"]}]"#;
    assert_eq!(read(text), ["r1 allow scope:read_files 0", "r2 deny scope:read_files(secrets/**)(*.pem) 0"]);
    let text = r#"[{"scope":"read_files","mode":"ask_each_time","deny_patterns":["x","*"]}]"#;
    assert_eq!(read(text), ["r1 ask scope:read_files 0", "r2 deny scope:read_files 0"]);
}

#[test]
fn no_pattern_never_widens_what_was_said() {
    let entry = |scope: &str, mode: &str| {
        read(&format!(r#"[{{"scope":"{scope}","mode":"{mode}","path_patterns":[]}}]"#))
    };
    for scope in ["read_files", "write_files"] {
        assert!(entry(scope, "always_allow").is_empty(), "files without a path are nothing");
        assert_eq!(entry(scope, "deny"), [format!("r1 deny scope:{scope} 0")]);
        assert_eq!(entry(scope, "ask_each_time"), [format!("r1 ask scope:{scope} 0")]);
    }
    for scope in ["execute_commands", "network_access", "system_info", "task_management"] {
        assert_eq!(entry(scope, "always_allow"), [format!("r1 allow scope:{scope} 0")]);
    }
}

#[test]
fn r_61_an_unknown_word_in_an_older_file_is_an_error_that_names_its_entry() {
    for text in [
        r#"[{"scope":"files","mode":"deny"}]"#,
        r#"[{"scope":"read_files","mode":"sometimes"}]"#,
        r#"[{"scope":"read_files"}]"#,
        r#"{"policies":[{"tool_name":"read_file","decision":"sometimes"}]}"#,
        r#"{"policies":[{"decision":"always_allow"}]}"#,
    ] {
        let error = PolicySet::from_json(text).unwrap_err();
        let PolicyError::Entry { entry: 1, problem } = &error else { panic!("{text}: {error}") };
        assert!(!problem.is_empty());
    }
    for (text, problem) in [
        (r#"[{"scope":"read_files","mode":"deny","path_patterns":[""]}]"#, RuleError::EmptyPattern),
        (
            r#"[{"scope":"read_files","mode":"deny","deny_patterns":[" a"]}]"#,
            RuleError::OuterSpace(" a".into()),
        ),
        (
            r#"{"policies":[{"tool_name":"a b","decision":"always_allow"}]}"#,
            RuleError::ToolName("a b".into()),
        ),
    ] {
        assert_eq!(PolicySet::from_json(text), Err(PolicyError::Rule { entry: 1, problem }));
    }
}

use super::super::case::{allow, ask, deny, path, reader, spec};
use super::*;
use crate::protocol::tool::Risk;

fn set(rules: impl IntoIterator<Item = Rule>) -> PolicySet {
    rules.into_iter().collect()
}

fn texts(set: &PolicySet) -> Vec<String> {
    set.rules().iter().map(|rule| format!("{} {} {rule}", rule.id, rule.effect.word())).collect()
}

#[test]
fn the_file_is_readable_by_hand_and_reads_back() {
    let set = set([allow("read_file(src/**)").stamped(7), deny(r"execute_command(rm \*)"), ask("*")]);
    let expected = r#"{
  "version": 1,
  "rules": [
    {
      "id": "r1",
      "effect": "allow",
      "rule": "read_file(src/**)",
      "created_ms": 7
    },
    {
      "id": "r2",
      "effect": "deny",
      "rule": "execute_command(rm \\*)",
      "created_ms": 0
    },
    {
      "id": "r3",
      "effect": "ask",
      "rule": "*",
      "created_ms": 0
    }
  ]
}
"#;
    assert_eq!(set.to_json(), expected);
    assert_eq!(PolicySet::from_json(&set.to_json()), Ok(set));
    assert_eq!(PolicySet::from_json(&PolicySet::new().to_json()), Ok(PolicySet::new()));
}

#[test]
fn an_entry_written_by_hand_needs_no_id_and_no_time() {
    let text = r#"{"rules":[{"effect":"deny","rule":"read_file"},{"id":"mine","effect":"allow","rule":"add"},
        {"id":"mine","effect":"allow","rule":"sub"}],"version":1}"#;
    let set = PolicySet::from_json(text).unwrap();
    assert_eq!(texts(&set), ["r1 deny read_file", "mine allow add", "r3 allow sub"]);
    assert!(set.rules().iter().all(|rule| rule.source == RuleSource::User && rule.created_ms == 0));
}

#[test]
fn r_61_a_corrupt_text_is_a_typed_error_that_says_what_to_do() {
    assert!(matches!(PolicySet::from_json("").unwrap_err(), PolicyError::Json(_)));
    assert!(matches!(PolicySet::from_json("{\"version\":1,\"ru").unwrap_err(), PolicyError::Json(_)));
    for text in [
        "{}",
        "3",
        "null",
        r#"{"version":1}"#,
        r#"{"rules":[]}"#,
        r#"{"version":1,"rules":{}}"#,
        r#"{"version":1,"rules":[],"deny":["read_file"]}"#,
        r#"{"version":1,"rules":[],"policies":[]}"#,
        r#"{"version":1,"policies":[]}"#,
        r#"{"rules":[],"policies":[]}"#,
        r#"{"policies":{}}"#,
    ] {
        assert_eq!(PolicySet::from_json(text), Err(PolicyError::Shape), "{text}");
    }
    for text in [r#"{"version":2,"rules":[]}"#, r#"{"version":2}"#] {
        assert_eq!(PolicySet::from_json(text), Err(PolicyError::Version("2".into())), "{text}");
    }
    assert!(PolicyError::Json("line 1".into()).to_string().contains("line 1"));
    assert!(PolicyError::Shape.to_string().contains(r#"{"version": 1, "rules": ["#));
    assert!(PolicyError::Version("2".into()).to_string().contains("version 2"));
}

#[test]
fn r_61_one_bad_entry_refuses_the_whole_text_and_is_named() {
    let good = r#"{"effect":"allow","rule":"add"}"#;
    for bad in [
        r#"{"effect":"allow"}"#,
        r#"{"effect":"maybe","rule":"add"}"#,
        r#"{"effect":"allow","rule":"add","deny":["x"]}"#,
        "5",
    ] {
        let error = PolicySet::from_json(&format!(r#"{{"version":1,"rules":[{good},{bad}]}}"#)).unwrap_err();
        let PolicyError::Entry { entry, problem } = &error else { panic!("{bad}: {error}") };
        assert_eq!(*entry, 2, "{bad}");
        assert!(error.to_string().contains(problem) && !problem.is_empty());
    }
    let text = format!(r#"{{"version":1,"rules":[{good},{{"effect":"deny","rule":"a b"}}]}}"#);
    let expected = PolicyError::Rule { entry: 2, problem: RuleError::ToolName("a b".into()) };
    assert_eq!(PolicySet::from_json(&text), Err(expected.clone()));
    assert!(expected.to_string().starts_with("entry 2 of the policies has a bad rule: 'a b'"));
}

#[test]
fn r_61_a_session_whose_rules_cannot_be_read_can_ask_before_everything() {
    let set = PolicySet::ask_always();
    assert_eq!(texts(&set), ["r1 ask *"]);
    assert!(set.asking(&spec("get_current_time", Risk::Safe), &[]).is_some());
}

#[test]
fn z_15_remembered_rules_load_again() {
    let mut stored = PolicySet::new();
    stored.add(allow("read_file(notes.md)").stamped(1_705_680_000_000));
    let loaded = PolicySet::from_json(&stored.to_json()).unwrap();
    assert_eq!(loaded, stored);
    assert!(loaded.allowing(&reader(), &[path("notes.md")]).is_some());
}

#[test]
fn more_rules_than_a_call_can_look_at_are_refused() {
    let file = |count: usize| {
        let entries: Vec<String> =
            (0..count).map(|n| format!(r#"{{"effect":"allow","rule":"t{n}"}}"#)).collect();
        format!(r#"{{"version":1,"rules":[{}]}}"#, entries.join(","))
    };
    assert_eq!(PolicySet::from_json(&file(RULES_MAX)).unwrap().rules().len(), RULES_MAX);
    let error = PolicySet::from_json(&file(RULES_MAX + 1)).unwrap_err();
    assert_eq!(error, PolicyError::TooMany(RULES_MAX + 1));
    assert!(error.to_string().contains("4097 entries"));
}

#[test]
fn rules_are_added_once_and_named_uniquely() {
    let mut set = PolicySet::new();
    assert_eq!(set.free_id(), "r1");
    assert_eq!(set.add(allow("a")), "r1");
    assert_eq!(set.add(allow("a").stamped(9)), "r1", "the same rule is not stored twice");
    assert_eq!(set.add(deny("a")), "r2");
    assert_eq!(set.add(allow("b")), "r3");
    assert_eq!(set.add(Rule { source: RuleSource::Flag, ..allow("a") }), "r4");
    assert_eq!(set.add(Rule { id: "mine".into(), ..allow("c") }), "mine");
    assert_eq!(set.add(Rule { id: "r2".into(), ..allow("d") }), "r6");
    assert_eq!(set.rules().len(), 6);
}

#[test]
fn a_removed_rule_is_gone_and_its_neighbours_stay() {
    let mut set = set([allow("a"), allow("b"), allow("c")]);
    assert_eq!(set.remove("r2").map(|rule| rule.to_string()), Some("b".into()));
    assert_eq!(set.remove("r2"), None);
    assert_eq!(texts(&set), ["r1 allow a", "r3 allow c"]);
    assert_eq!(set.free_id(), "r4", "r3 is taken");
    assert_eq!(set.get("r3").map(|rule| rule.to_string()), Some("c".into()));
    assert_eq!(set.get("r2"), None);
}

#[test]
fn a_project_can_tighten_but_never_loosen() {
    let user = set([allow("read_file(src/**)")]);
    let project = set([allow("*"), deny("read_file(secrets/**)"), ask("write_file")]);
    let both = user.with_project(&project);
    assert_eq!(
        texts(&both),
        ["r1 allow read_file(src/**)", "project-r2 deny read_file(secrets/**)", "project-r3 ask write_file"]
    );
    assert_eq!(both.rules()[0].source, RuleSource::User);
    assert!(both.rules()[1..].iter().all(|rule| rule.source == RuleSource::Project));
    assert_eq!(user.rules().len(), 1);
}

#[test]
fn each_effect_is_looked_for_in_its_own_rules() {
    let rules = set([allow("read_file(a)"), ask("read_file(b)"), deny("read_file(c)")]);
    let tool = reader();
    let found = |file: &str| {
        let targets = [path(file)];
        let id = |rule: Option<&Rule>| rule.map(|rule| rule.id.clone());
        (
            id(rules.allowing(&tool, &targets)),
            id(rules.asking(&tool, &targets)),
            id(rules.denying(&tool, &targets)),
        )
    };
    assert_eq!(found("a"), (Some("r1".into()), None, None));
    assert_eq!(found("b"), (None, Some("r2".into()), None));
    assert_eq!(found("c"), (None, None, Some("r3".into())));
}

#[test]
fn to_allow_all_targets_count_and_to_deny_or_ask_one_is_enough() {
    let rules = set([allow("read_file(a)"), ask("read_file(a)"), deny("read_file(a)")]);
    let targets = [path("a"), path("b")];
    assert!(rules.allowing(&reader(), &targets).is_none());
    assert!(rules.asking(&reader(), &targets).is_some());
    assert!(rules.denying(&reader(), &targets).is_some());
}

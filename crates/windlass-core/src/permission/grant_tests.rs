use super::super::case::{path, pattern, reader};
use super::*;

#[test]
fn a_grant_covers_its_call_and_no_other() {
    let mut grants = Grants::default();
    assert!(grants.covering(&reader(), &[path("a")]).is_none());
    grants.add(pattern("read_file(a)"));
    assert!(grants.covering(&reader(), &[path("a")]).is_some());
    assert!(grants.covering(&reader(), &[path("b")]).is_none());
}

#[test]
fn the_same_grant_is_kept_once() {
    let mut grants = Grants::default();
    for text in ["a", "b", "a"] {
        grants.add(pattern(text));
    }
    let kept: Vec<_> = grants.rules().iter().map(|rule| (rule.id.as_str(), rule.to_string())).collect();
    assert_eq!(kept, [("g1", "a".to_owned()), ("g2", "b".to_owned())]);
    assert!(grants.rules().iter().all(|rule| rule.source == RuleSource::Grant));
    assert!(grants.rules().iter().all(|rule| rule.effect == RuleEffect::Allow));
}

#[test]
fn what_was_asked_is_known_by_the_tool() {
    let mut grants = Grants::default();
    grants.note_asked("web_search");
    assert!(grants.was_asked("web_search"));
    assert!(!grants.was_asked("fetch_url"));
}

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn redactor() -> Redactor {
    Redactor::new(["hunter2-hunter2".into(), "hunter2".into(), "ab".into()])
}

#[test]
fn configured_secrets_are_taken_out_and_short_ones_are_not_looked_for() {
    assert_eq!(redactor().clean("key=hunter2-hunter2, again hunter2."), "key=***, again ***.");
    assert!(matches!(redactor().clean("about"), Cow::Borrowed("about")));
    assert_eq!(redactor().clean("hunter2"), "***");
}

#[test]
fn keys_of_well_known_forms_are_taken_out() {
    let plain = Redactor::default();
    for (text, cleaned) in [
        ("use sk-proj-abcdefghijklmnop123 now", "use *** now"),
        ("Authorization: Bearer abcdef.ghijkl-mnop", "Authorization: Bearer ***"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "***"),
        ("\"AIzaSyA1234567890abcdefghijklmnopqrstuv\"", "\"***\""),
        ("xoxb-1234567890-abcdef and AKIAIOSFODNN7EXAMPLE", "*** and ***"),
        ("github_pat_11ABCDEFG0abcdefghijkl", "***"),
        ("gsk_abcdefghijklmnopqrstuvwxyz and xai-abcdefghijklmnopqrstuvwxyz", "*** and ***"),
        ("tvly-dev-abcdefghijkl, glpat-abcdefghijklmnopqrst", "***, ***"),
        ("npm_abcdefghijklmnopqrstuvwxyz0123456789", "***"),
        ("cookie=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjMifQ.c2lnbmF0dXJl-_x; path=/", "cookie=***; path=/"),
    ] {
        assert_eq!(plain.clean(text), cleaned);
    }
}

#[test]
fn a_private_key_is_taken_out_whole_also_when_it_is_cut() {
    let plain = Redactor::default();
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----";
    assert_eq!(plain.clean(&format!("a {key} b")), "a *** b");
    assert_eq!(plain.clean("a -----BEGIN PRIVATE KEY-----\nMIIE"), "a ***");
    let public = "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----";
    assert_eq!(plain.clean(public), public);
}

#[test]
fn words_that_only_look_like_keys_stay() {
    let plain = Redactor::default();
    for text in [
        "task-force-of-seventeen-people",
        "Bearer of news",
        "sk-short",
        "xox",
        "a risk-averse-investor-would",
        "npm_config_user_agent",
        "eyJhbGciOiJIUzI1NiJ9 alone, eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjMifQ",
        "monkeyJourney.ofseveral.partsinit",
    ] {
        assert!(matches!(plain.clean(text), Cow::Borrowed(_)), "{text}");
    }
}

#[test]
fn what_is_registered_late_counts_for_all_who_share_the_registry() {
    let registry = SecretRegistry::default();
    let (early, values) = (registry.redactor(), registry.redactor().known_values());
    assert_eq!(early.clean("late-value"), "late-value");
    registry.add("late-value".into());
    registry.add("five!".into());
    assert_eq!(early.clean("a late-value, five!"), "a ***, five!");
    assert_eq!(values.clean("late-value sk-proj-abcdefghijklmnop123"), "*** sk-proj-abcdefghijklmnop123");
    registry.add("with \"quotes\"".into());
    assert_eq!(early.clean(r#"{"text":"with \"quotes\""}"#), r#"{"text":"***"}"#);
}

#[test]
fn a_registry_has_a_bound_and_keeps_what_came_first() {
    let registry: SecretRegistry =
        (0..5_000).map(|number| Secret::new(format!("secret-{number:05}"))).collect();
    let redactor = registry.redactor();
    for kept in ["secret-00000", "secret-02047", "secret-04999"] {
        assert_eq!(redactor.clean(kept), "***");
    }
    assert_eq!(redactor.clean("secret-02500"), "secret-02500");
}

#[test]
fn values_are_cleaned_in_all_their_places() {
    let mut value = json!({"a": ["hunter2", {"hunter2": 1}], "n": 2});
    redactor().clean_value(&mut value);
    assert_eq!(value, json!({"a": ["***", {"***": 1}], "n": 2}));
}

proptest! {
    #[test]
    fn a_planted_secret_never_comes_out_and_characters_stay_whole(
        before in "\\PC{0,20}", after in "\\PC{0,20}", tail in "[A-Za-z0-9]{32}",
    ) {
        let key = format!("sk-{tail}");
        let redactor = Redactor::new([Secret::new(tail.clone())]);
        let cleaned = redactor.clean(&format!("{before} {key} {after}")).into_owned();
        prop_assert!(!cleaned.contains(&tail));
        let kept = cleaned.ends_with(&format!(" {after}"));
        prop_assert!(kept || after.contains("sk-") || after.contains("earer"));
    }

    #[test]
    fn a_text_without_secrets_is_not_copied(text in "[ -,.:;a-r ]{0,60}") {
        prop_assume!(!text.contains("BEGIN"));
        let is_borrowed = matches!(Redactor::default().clean(&text), Cow::Borrowed(_));
        prop_assert!(is_borrowed || text.contains("bearer "));
    }
}

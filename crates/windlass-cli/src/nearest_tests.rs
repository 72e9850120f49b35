use super::*;

#[test]
fn the_nearest_name_is_found_whatever_its_case() {
    let known = ["model", "profile", "limits.steps_max"];
    assert_eq!(nearest("modle", known), Some("model"));
    assert_eq!(nearest("Profil", known), Some("profile"));
    assert_eq!(nearest("steps_max", known), Some("limits.steps_max"));
    assert_eq!(nearest("limit.step_max", known), Some("limits.steps_max"));
}

#[test]
fn what_is_like_nothing_gets_no_suggestion() {
    assert_eq!(nearest("zzz", ["model", "profile"]), None);
    assert_eq!(nearest("", ["model"]), None);
    assert_eq!(did_you_mean("rood", ["root"]).as_deref(), Some("did you mean 'root'?"));
}

#[test]
fn distances_count_the_changes_between_two_names() {
    let chars = |text: &str| text.chars().collect::<Vec<_>>();
    for (a, b, changes) in
        [("", "", 0), ("abc", "abc", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("ab", "ba", 2)]
    {
        assert_eq!(distance(&chars(a), &chars(b)), changes, "{a} {b}");
        assert_eq!(distance(&chars(b), &chars(a)), changes, "{b} {a}");
    }
}

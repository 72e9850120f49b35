//! What is found by a few letters, and what comes first.

use super::Pattern;

fn best<'a>(pattern: &str, candidates: &[&'a str]) -> Vec<&'a str> {
    let found = Pattern::new(pattern).best(candidates.iter().copied(), 10);
    found.into_iter().map(|found| candidates[found.index]).collect()
}

#[test]
fn letters_must_be_there_in_their_order() {
    assert_eq!(best("cmp", &["src/composer.rs", "src/pmc.rs", "README.md"]), ["src/composer.rs"]);
    assert!(best("xyz", &["src/composer.rs"]).is_empty());
}

#[test]
fn case_and_spaces_do_not_count() {
    assert_eq!(best("rEaD me", &["README.md"]), ["README.md"]);
    assert_eq!(best("straße", &["docs/STRASSE", "docs/Straße.md"]), ["docs/Straße.md"]);
}

#[test]
fn the_name_of_a_file_counts_more_than_its_folders() {
    let files = ["composer/tests/all/main.rs", "src/state/composer.rs", "src/composition/old/per.rs"];
    assert_eq!(best("composer", &files)[0], "src/state/composer.rs");
}

#[test]
fn beginnings_of_words_count_more_than_letters_inside() {
    assert_eq!(best("gft", &["src/gift.rs", "src/get_file_tree.rs"])[0], "src/get_file_tree.rs");
    assert_eq!(best("FT", &["after.rs", "FileTree.rs"])[0], "FileTree.rs");
}

#[test]
fn of_two_that_fit_the_shorter_comes_first() {
    assert_eq!(best("main.rs", &["crates/deep/down/src/main.rs.bak", "src/main.rs"])[0], "src/main.rs");
    assert_eq!(best("model", &["models", "model"])[0], "model");
}

#[test]
fn letters_may_be_spread_over_folders() {
    assert_eq!(best("upco", &["src/update/composer.rs", "src/view/mod.rs"]), ["src/update/composer.rs"]);
    assert_eq!(best("src/co", &["src/composer.rs", "src/update/composer.rs"])[0], "src/composer.rs");
}

#[test]
fn a_folder_is_found_by_its_name() {
    assert_eq!(best("update", &["src/update/stop.rs", "src/update/"])[0], "src/update/");
}

#[test]
fn nothing_to_look_for_shows_what_is_near_the_top() {
    assert_eq!(best("", &["a/b/c.rs", "README.md", "a/"]), ["README.md", "a/", "a/b/c.rs"]);
}

#[test]
fn places_are_those_of_the_letters_that_were_scored() {
    assert_eq!(Pattern::new("ab").places("a-xab"), Some(vec![3, 4]));
    assert_eq!(Pattern::new("語").places("日本語.md"), Some(vec![2]));
    assert_eq!(Pattern::new("md").places("日本語.md"), Some(vec![4, 5]));
    assert_eq!(Pattern::new("q").places("abc"), None);
}

#[test]
fn no_more_are_given_than_wanted() {
    let names: Vec<String> = (0..1_000).map(|number| format!("file-{number}.rs")).collect();
    let found = Pattern::new("file").best(names.iter().map(String::as_str), 7);
    assert_eq!(found.len(), 7);
    assert!(Pattern::new("file").best(names.iter().map(String::as_str), 0).is_empty());
}

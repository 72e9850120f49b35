use super::*;

#[test]
fn browsers_are_tried_in_the_order_of_the_variable_and_the_systems_last() {
    let tried = commands(Some("lynx:fire fox --new %s:"), "u");
    assert_eq!(tried[..2], [vec!["lynx", "u"], vec!["fire", "fox", "--new", "u"]]);
    assert_eq!(tried.len(), 3);
    assert_eq!(commands(None, "u"), [tried[2].clone()]);
    assert!(tried[2][0].ends_with("open"));
}

#[test]
fn the_next_browser_is_tried_when_one_is_not_there_or_fails() {
    let command = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<String>>();
    let (none, fails, works) = (command(&["windlass-no-browser"]), command(&["false"]), command(&["true"]));
    assert_eq!(try_each(vec![none.clone(), fails.clone(), works]), Ok(()));
    let why = try_each(vec![none, fails]).unwrap_err();
    assert!(why.starts_with("windlass-no-browser: ") && why.contains("; false: "), "{why}");
}

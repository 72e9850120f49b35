use super::*;

#[test]
fn an_address_that_stands_for_all_is_opened_on_this_machine() {
    let url = |address: &str| url_of(address.parse().unwrap());
    assert_eq!(url("127.0.0.1:4117"), "http://127.0.0.1:4117/");
    assert_eq!(url("0.0.0.0:80"), "http://127.0.0.1:80/");
    assert_eq!(url("[::]:80"), "http://[::1]:80/");
    assert_eq!(url("192.168.1.5:80"), "http://192.168.1.5:80/");
}

#[test]
fn a_token_is_a_piece_of_a_url_whatever_is_in_it() {
    assert_eq!(encode("aZ09-._~"), "aZ09-._~");
    assert_eq!(encode("a+b/c=d&#%ä"), "a%2Bb%2Fc%3Dd%26%23%25%C3%A4");
}

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

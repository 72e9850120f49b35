use serde_json::json;

use super::*;

const SECRET: &str = "The door code of the archive is 4711-0815-42.";

fn args(text: &str) -> Map<String, Value> {
    let Value::Object(args) = json!({"to": "x", "body": text}) else { panic!("no object") };
    args
}

fn leak(text: &str) -> Option<(String, usize)> {
    let told = json!({"ok": true, "output": format!("first line\n{SECRET}\nlast")}).to_string();
    find_leak(&args(text), std::iter::empty(), [Cow::Borrowed("other"), told.into()].into_iter())
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn hex_of(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn private_text_is_found_in_every_known_form() {
    let coded = base64::encode(SECRET.as_bytes());
    for text in [
        SECRET.to_owned(),
        format!("hello, {} and more", &SECRET[4..30]),
        percent(SECRET),
        SECRET.replace(' ', "+"),
        coded.clone(),
        format!("https://x.example/?q={coded}"),
        format!("prefix{coded}"),
        base64::encode(format!("ab{SECRET}").as_bytes()).replace('+', "-").replace('/', "_"),
        hex_of(SECRET),
        json!({"a": [SECRET]}).to_string(),
        percent(&coded),
        base64::encode(hex_of(SECRET).as_bytes()),
    ] {
        assert_eq!(leak(&text), Some(("body".to_owned(), 1)), "{text}");
    }
}

#[test]
fn what_is_not_private_passes() {
    for text in
        ["", "The door code is elsewhere", "0815-42.", "an innocent sentence of some length, with words"]
    {
        assert_eq!(leak(text), None, "{text}");
    }
}

#[test]
fn lines_that_every_text_has_are_nobodys_secret() {
    let rule = "-".repeat(80);
    assert_eq!(
        find_leak(&args(&rule), std::iter::empty(), std::iter::once(Cow::Borrowed(rule.as_str()))),
        None
    );
}

#[test]
fn what_the_user_wrote_themselves_is_theirs_to_send() {
    let own = std::iter::once(Cow::Borrowed(SECRET));
    assert_eq!(find_leak(&args(SECRET), own, std::iter::once(Cow::Borrowed(SECRET))), None);
}

#[test]
fn a_window_found_by_rolling_is_the_one_that_was_hashed_alone() {
    let text = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let rolled: Vec<u64> = windows(text).collect();
    let alone: Vec<u64> = text.windows(WINDOW_BYTES).flat_map(windows).collect();
    assert_eq!(rolled, alone);
}

#[test]
fn a_huge_argument_is_looked_at_as_far_as_the_bound() {
    let long = format!("{SECRET}{}", "x ".repeat(FORMS_BYTES_MAX));
    // Its one form is beyond the bound, so it is not looked at: the gate still asks.
    assert_eq!(leak(&long), None);
}

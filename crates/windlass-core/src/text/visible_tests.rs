use super::*;

#[derive(serde::Deserialize)]
struct Case {
    case: String,
    #[serde(rename = "in")]
    text: String,
    visible: String,
    line: String,
}

#[test]
fn every_case_of_the_fixture_is_shown_as_it_says() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../../../../fixtures/visible.json")).unwrap();
    assert!(cases.len() > 20);
    for Case { case, text, visible: whole, line } in cases {
        assert_eq!(visible(&text), whole, "{case}");
        assert_eq!(visible_line(&text), line, "{case}");
    }
}

#[test]
fn nothing_hidden_is_left_and_nothing_is_dropped() {
    for sign in '\0'..=char::MAX {
        let text = format!("a{sign}b");
        let shown = visible(&text);
        let line = visible_line(&text);
        assert!(!shown.contains(is_hidden) && !line.contains(is_hidden), "{sign:?}");
        assert!(!line.contains(['\n', '\t']), "{sign:?}");
        if is_hidden(sign) {
            assert_eq!(shown, format!("a\\u{{{:x}}}b", u32::from(sign)));
        }
    }
}

#[test]
fn a_text_without_anything_hidden_is_not_copied() {
    assert!(matches!(visible("two\nlines\tof text, ä日本"), Cow::Borrowed(_)));
    assert!(matches!(visible_line("one line, ä日本"), Cow::Borrowed(_)));
}

use proptest::prelude::*;

use super::*;

/// Tokens in one line: `+name`, `-name`, text in brackets.
fn shape(html: &str) -> String {
    let shown: Vec<String> = HtmlTokens::new(html)
        .map(|token| match token {
            HtmlToken::Text(text) => format!("[{text}]"),
            HtmlToken::Open(tag) => format!("+{}", tag.name),
            HtmlToken::Close(name) => format!("-{name}"),
        })
        .collect();
    shown.join(" ")
}

#[test]
fn tags_and_text_are_told_apart() {
    for (html, expected) in [
        ("<P>a<BR/>b</p >", "+p [a] +br [b] -p"),
        ("a < b && c <3 <", "[a < b && c <3 <]"),
        ("<a title='x>y' href=\"z\">t</a>", "+a [t] -a"),
        ("<!-- <b> --><i>x<!-->y<!--->z", "+i [x] [y] [z]"),
        ("<!doctype html><?xml version='1'?>x</ >y", "[x] [y]"),
        ("<script>if (a<b) '</b>' </ScRiPt >x", "+script [if (a<b) '</b>' ] -script [x]"),
        ("<script>never ends <b>", "+script [never ends <b>]"),
        ("<title>a <b> c</title>", "+title [a <b> c] -title"),
        ("<title></titles></title>", "+title [</titles>] -title"),
        ("x<b", "[x]"),
        ("<b x='", ""),
        ("<!-- never ends <b>", ""),
        ("é<b>ü", "[é] +b [ü]"),
        ("", ""),
    ] {
        assert_eq!(shape(html), expected, "{html}");
    }
}

#[test]
fn attributes_are_read_as_browsers_do() {
    let html = "<a HREF = \"a&amp;b\" x=1/2 hidden data-q='\"' = r='é>ü' href=second /=z empty=>";
    let Some(HtmlToken::Open(tag)) = HtmlTokens::new(html).next() else { panic!() };
    for (name, value) in [
        ("href", Some("a&b")),
        ("x", Some("1/2")),
        ("hidden", Some("")),
        ("data-q", Some("\"")),
        ("r", Some("é>ü")),
        ("empty", Some("")),
        ("missing", None),
    ] {
        assert_eq!(tag.attribute(name).as_deref(), value, "{name}");
    }
    assert!(!tag.is_closed());
    assert!(matches!(HtmlTokens::new("<svg/>").next(), Some(HtmlToken::Open(tag)) if tag.is_closed()));
}

proptest! {
    #[test]
    fn no_page_makes_it_panic_or_lose_its_place(html in "[<>/!?'\"=a-c é-]{0,80}") {
        let text: usize = HtmlTokens::new(&html).map(|token| match token {
            HtmlToken::Text(text) => text.len(),
            HtmlToken::Open(tag) => tag.name.len() + tag.attribute("a").map_or(0, |value| value.len()),
            HtmlToken::Close(name) => name.len(),
        }).sum();
        prop_assert!(text <= html.len());
    }
}

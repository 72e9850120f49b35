use super::*;

#[test]
fn text_of_others_cannot_speak_to_the_terminal() {
    assert_eq!(clean("plain ünïcode 漢字"), "plain ünïcode 漢字");
    assert_eq!(clean("a\u{1b}[31mred\u{7}\tb\r\nc"), "a\\u{1b}[31mred\\u{7}    b\\u{d}\nc");
    assert_eq!(clean("ab\u{202e}cd\u{9b}31m"), "ab\\u{202e}cd\\u{9b}31m");
}

#[test]
fn text_is_cut_by_columns_and_never_inside_a_sign() {
    assert_eq!(cut("abc", 3), "abc");
    assert_eq!(cut("abcd", 3), "ab…");
    assert_eq!(cut("漢字漢字", 5), "漢字…");
    assert_eq!(cut("👨‍👩‍👧 family", 4), "👨‍👩‍👧 …");
    assert_eq!(cut("abc", 0), "");
}

#[test]
fn the_first_line_with_something_on_it_stands_for_the_text() {
    assert_eq!(one_line("\n  \n  first\tword \nsecond"), "first    word");
}

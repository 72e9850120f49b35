use super::*;

#[test]
fn a_panic_without_words_still_has_a_text() {
    assert_eq!(panic_text(&7_u8), "the tool broke without a word");
    assert_eq!(panic_text(&"word"), "word");
}

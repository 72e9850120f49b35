use super::*;

#[test]
fn seconds_are_written_as_people_do() {
    let cases = [(12_000, "12"), (7_500, "7.5"), (250, "0.25"), (1, "0.001"), (0, "0"), (100_000, "100")];
    for (ms, text) in cases {
        assert_eq!(seconds(ms), text);
    }
}

#[test]
fn a_panic_without_words_still_has_a_text() {
    assert_eq!(panic_text(&7_u8), "the tool broke without a word");
    assert_eq!(panic_text(&"word"), "word");
}

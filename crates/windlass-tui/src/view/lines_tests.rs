use super::{chop, wrap};
use crate::text::width;

#[test]
fn chopped_lines_fit_and_lose_nothing() {
    for line in ["", "abc", "  two  blanks  ", "日本語のテキスト", "e\u{301}e\u{301}e\u{301}", "👩‍👩‍👧 family"]
    {
        for columns in 2..9 {
            let pieces = chop(line, columns);
            assert_eq!(pieces.concat(), line);
            assert!(pieces.iter().all(|piece| width(piece) <= columns), "{pieces:?} in {columns}");
        }
    }
}

#[test]
fn wrapped_lines_break_between_words() {
    assert_eq!(wrap("one two three", 8), ["one two", "three"]);
    assert_eq!(wrap("a longerword", 4), ["a", "long", "erwo", "rd"]);
    assert_eq!(wrap("one\n\ntwo", 9), ["one", "", "two"]);
}

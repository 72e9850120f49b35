//! What counts as commented-out code and what is prose.

use super::*;

#[test]
fn statements_in_comments_are_code_and_sentences_are_not() {
    assert!(is_code("// let x = call(1);"));
    assert!(is_code("// self.limits = Limits::default();"));
    assert!(!is_code("// The wire sends `{}` (an empty object);"));
    assert!(!is_code("/// let x = 1;"));
    assert!(!is_code("// done;"));
    assert!(!is_code("// x = 1 by convention"));
}

#[test]
fn marks_are_whole_words() {
    assert_eq!(mark_in(concat!("// TO", "DO: later")), Some(concat!("TO", "DO")));
    assert_eq!(mark_in("// TODOS_MAX and todo"), None);
}

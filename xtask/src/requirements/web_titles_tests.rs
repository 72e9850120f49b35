//! Which tests are found, and how they are called.

use super::*;

fn found(text: &str) -> Vec<(String, usize, bool)> {
    titles(text).into_iter().map(|title| (title.text, title.line, title.is_skipped)).collect()
}

#[test]
fn tests_are_found_whatever_their_quotes_and_lines() {
    let text =
        "it('S-25 shows a block', () => {});\n  test(\"R-30: two\", run);\ntest(\n  `S-31 three`,\n  run);\n";
    let expected = [("S-25 shows a block", 1), ("R-30: two", 2), ("S-31 three", 3)];
    assert_eq!(found(text), expected.map(|(title, line)| (title.to_owned(), line, false)));
    assert_eq!(found(r"it('S-1: it\'s here', f)"), [("S-1: it's here".to_owned(), 1, false)]);
}

#[test]
fn tests_with_cases_have_their_title_behind_the_cases() {
    let text = "it.each([['a', ')'], [f(1), 2]])('S-26 %s', run);\ntest.only('S-27', run);\n";
    assert_eq!(found(text), [("S-26 %s".to_owned(), 1, false), ("S-27".to_owned(), 2, false)]);
}

#[test]
fn tests_that_do_not_run_are_told() {
    let text = "it.skip('S-1', f);\ntest.todo('S-2');\nit.fails('S-3', f);\n";
    assert!(found(text).iter().all(|(_, _, is_skipped)| *is_skipped) && found(text).len() == 3);
}

#[test]
fn what_only_looks_like_a_test_is_none() {
    for other in [
        "// it('S-1', f)",
        " * test('S-1', f)",
        "await('S-1')",
        "submit('S-1')",
        "regex.test('S-1')",
        "it(title, f)",
        "describe('S-1', f)",
    ] {
        assert_eq!(found(other), [], "{other}");
    }
}

#[test]
fn files_of_tests_are_told_by_their_place() {
    assert!(is_web_test("web/src/view/session.test.ts") && is_web_test("web/e2e/chat.e2e.ts"));
    assert!(!is_web_test("web/src/view/session.ts") && !is_web_test("crates/a/x.test.ts"));
}

#[test]
fn a_title_fits_into_a_table() {
    let title = Title { text: "S-1 `a | b`".to_owned(), line: 1, is_skipped: false };
    assert_eq!(title.shown(), "S-1 'a / b'");
}

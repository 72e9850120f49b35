use super::*;

fn exact(old: &str, new: &str) -> TextEdit {
    TextEdit { old: Some(old.into()), new: new.into(), ..TextEdit::default() }
}

fn lines(start: usize, end: usize, new: &str) -> TextEdit {
    TextEdit { new: new.into(), start_line: Some(start), end_line: Some(end), ..TextEdit::default() }
}

fn patched(content: &str, edits: &[TextEdit]) -> String {
    apply("f", content, edits).unwrap()
}

fn refused(content: &str, edits: &[TextEdit]) -> ToolFailure {
    apply("f", content, edits).unwrap_err()
}

#[test]
fn edits_speak_of_the_text_as_it_was_whatever_their_order() {
    let content = "one\ntwo\nthree\n";
    let edits = [lines(3, 3, "3"), exact("one", "1\n1b"), lines(2, 2, "")];
    assert_eq!(patched(content, &edits), "1\n1b\n3\n");
}

#[test]
fn lines_are_inserted_before_after_and_into_nothing() {
    assert_eq!(patched("a\nb\n", &[lines(1, 0, "x")]), "x\na\nb\n");
    assert_eq!(patched("a\nb\n", &[lines(3, 2, "x")]), "a\nb\nx\n");
    assert_eq!(patched("a\nb", &[lines(3, 2, "x")]), "a\nb\nx");
    assert_eq!(patched("a\nb", &[lines(2, 2, "x")]), "a\nx");
    assert_eq!(patched("", &[lines(1, 0, "x")]), "x\n");
    assert_eq!(patched("a\n", &[lines(1, 0, "x"), lines(1, 0, "y")]), "x\ny\na\n");
}

#[test]
fn an_ambiguous_text_is_refused_with_count_and_places() {
    let failure = refused("a\nb\na\na\n", &[exact("a", "x")]);
    assert_eq!(failure.message, "Edit 1: 'old' matches 3 times in 'f' (at lines 1, 3, 4)");
    let edit = TextEdit { replace_all: Some(true), ..exact("a", "x") };
    assert_eq!(patched("a\nb\na\na\n", &[edit]), "x\nb\nx\nx\n");
}

#[test]
fn a_text_that_differs_in_white_space_is_refused_with_its_line() {
    let failure = refused("fn f() {\n\tbody\n}\n", &[exact("    body\n", "x")]);
    assert_eq!(failure.message, "Edit 1: 'old' was not found in 'f'");
    assert!(failure.hint.unwrap().starts_with("Line 2 is like"));
}

#[test]
fn overlapping_edits_are_refused() {
    let failure = refused("one two three\n", &[exact("two three", "x"), exact("one two", "y")]);
    assert_eq!(failure.message, "Edit 1: it touches the same text as edit 2");
}

#[test]
fn lines_that_do_not_exist_are_refused_with_the_number_of_lines() {
    for (start, end) in [(0, 0), (4, 4), (2, 3), (2, 0), (usize::MAX, 1)] {
        let failure = refused("a\nb\n", &[lines(start, end, "x")]);
        assert!(failure.message.ends_with("'f' has 2 lines"), "{}", failure.message);
    }
}

#[test]
fn an_edit_has_exactly_one_form() {
    let both = TextEdit { start_line: Some(1), ..exact("a", "b") };
    let none = TextEdit { new: "b".into(), ..TextEdit::default() };
    for edit in [both, none, exact("", "b"), exact("a", "a")] {
        assert!(refused("a\n", &[edit]).message.starts_with("Edit 1: "));
    }
}

#[test]
fn windows_line_ends_are_kept() {
    let content = "a\r\nb\r\nc\r\n";
    assert_eq!(patched(content, &[exact("a\nb", "x\ny\nz")]), "x\r\ny\r\nz\r\nc\r\n");
    assert_eq!(patched(content, &[lines(2, 2, "x")]), "a\r\nx\r\nc\r\n");
}

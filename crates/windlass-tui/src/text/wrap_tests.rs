use ratatui::style::{Modifier, Style};

use super::*;

fn texts(lines: &[Line<'_>]) -> Vec<String> {
    lines.iter().map(ToString::to_string).collect()
}

fn wrapped(text: &str, columns: usize) -> Vec<String> {
    texts(&wrap_spans(&[Span::raw(text)], columns, &[], &[]))
}

#[test]
fn words_stay_whole_as_long_as_they_fit() {
    assert_eq!(wrapped("the quick brown fox", 10), ["the quick", "brown fox"]);
    assert_eq!(wrapped("a  b", 10), ["a  b"]);
    assert_eq!(wrapped("exactly10! next", 10), ["exactly10!", "next"]);
    assert_eq!(wrapped("see incomprehensibilities", 8), ["see", "incompre", "hensibil", "ities"]);
    assert_eq!(wrapped("one\ntwo\n\nthree", 10), ["one", "two", "", "three"]);
    assert_eq!(wrapped("", 10), [""]);
}

#[test]
fn wide_signs_are_counted_and_may_end_a_line() {
    assert_eq!(wrapped("ab 漢字漢字", 7), ["ab 漢字", "漢字"]);
    assert_eq!(wrapped("👨‍👩‍👧👨‍👩‍👧", 3), ["👨‍👩‍👧", "👨‍👩‍👧"]);
}

#[test]
fn indents_hang() {
    let (first, hanging) = ([Span::raw("1. ")], [Span::raw("   ")]);
    let lines = wrap_spans(&[Span::raw("one two three")], 8, &first, &hanging);
    assert_eq!(texts(&lines), ["1. one", "   two", "   three"]);
}

#[test]
fn a_word_keeps_its_styles_and_is_not_broken_where_they_change() {
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let spans = [Span::raw("very foo"), Span::styled("bar", bold), Span::raw("baz end")];
    let lines = wrap_spans(&spans, 10, &[], &[]);
    assert_eq!(texts(&lines), ["very", "foobarbaz", "end"]);
    assert_eq!(lines[1].spans[1], Span::styled("bar", bold));
    assert_eq!(lines[1].spans.len(), 3);
}

#[test]
fn no_width_loses_text_or_time() {
    for columns in 0..4 {
        let text = "ab 漢 c\nd";
        let lines = wrap_spans(&[Span::raw(text)], columns, &[Span::raw("12345")], &[Span::raw("12")]);
        let joined: String = texts(&lines).concat().replace(['1', '2', '3', '4', '5', ' '], "");
        assert_eq!(joined, "ab漢cd", "{columns}");
    }
}

#[test]
fn code_is_broken_by_columns_and_keeps_its_blanks() {
    let lines = break_spans(&[Span::raw("  let x = 漢字;")], 8, &[Span::raw("  ")], &[Span::raw("╰ ")]);
    assert_eq!(texts(&lines), ["    let ", "╰ x = 漢", "╰ 字;"]);
    assert_eq!(texts(&break_spans(&[], 8, &[], &[])), [""]);
}

use super::*;

#[test]
fn each_row_of_what_is_quoted_has_a_gutter_however_it_is_broken() {
    assert_eq!(quote("one\n\n  two\n", 40), ["│ one", "│ ", "│   two"]);
    assert_eq!(quote("", 40), ["│ "]);
    assert_eq!(quote("abcdefghij", 7), ["│ abcd", "┊ efgh", "┊ ij"]);
    assert_eq!(quote("漢字漢字", 8), ["│ 漢字", "┊ 漢字"]);
    assert_eq!(quote_line("a\nb\tc", 40), ["│ a␊b␉c"]);
    // A family counts as its members: some terminals draw them one by one.
    assert_eq!(quote("👩‍👩‍👧👩‍👩‍👧", 9), ["│ 👩‍👩‍👧", "┊ 👩‍👩‍👧"]);
}

#[test]
fn blank_lines_at_the_end_are_shown_too() {
    assert_eq!(quote("a\n\n\n", 40), ["│ a", "│ ", "│ "]);
}

#[test]
fn a_line_that_is_told_never_begins_a_second_row_at_the_edge() {
    assert_eq!(hang("✓ abcdef", Some(7)), "✓ abcd\n  ef");
    assert_eq!(hang("! one\nTool: x\n  try: y", None), "! one\n  Tool: x\n  try: y");
    let coloured = style("✓").green().force_styling(true).to_string();
    assert_eq!(strip_ansi_codes(&hang(&format!("{coloured} abcdef"), Some(7))), "✓ abcd\n  ef");
}

#[test]
fn prose_is_indented_and_broken_wherever_its_pieces_end() {
    let mut flow = Flow::default();
    let shown: String = ["ab", "cd", "ef\n\ng", "h"].iter().map(|piece| flow.put(piece, 7)).collect();
    assert_eq!(shown, "  abcd\n  ef\n\n  gh");
    assert!(flow.is_mid_line());
    assert_eq!([flow.break_line(), flow.break_line()].concat(), "\n");
}

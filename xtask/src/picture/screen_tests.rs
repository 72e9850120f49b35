//! What tmux captures, read.

use super::*;

#[test]
fn looks_begin_and_end_where_they_are_said_to() {
    let screen = Screen::read("a\u{1b}[1m\u{1b}[38;5;80mb›\u{1b}[0m c\nd\u{1b}[7me\u{1b}[27m");
    let first: Vec<_> = screen.rows[0].iter().map(|piece| (piece.column, piece.text.as_str())).collect();
    assert_eq!(first, [(0, "a"), (1, "b›"), (3, " c")]);
    let bold = Look { colour: Some(80), is_bold: true, ..Look::default() };
    assert_eq!(screen.rows[0][1].look, bold);
    assert_eq!(screen.rows[0][2].look, Look::default());
    assert!(screen.rows[1][1].look.is_reversed);
}

#[test]
fn the_sixteen_old_colours_and_grounds_are_read_too() {
    let screen = Screen::read("\u{1b}[31;42mx\u{1b}[39;49my\u{1b}[97mz\u{1b}[38;2;1;2;3mw");
    let looks: Vec<_> = screen.rows[0].iter().map(|piece| (piece.look.colour, piece.look.ground)).collect();
    assert_eq!(looks, [(Some(1), Some(2)), (None, None), (Some(15), None), (None, None)]);
}

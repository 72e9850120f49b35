use super::*;

fn texts(rows: &[Vec<Piece>]) -> Vec<String> {
    rows.iter().map(|row| row.iter().map(|piece| piece.text.as_str()).collect()).collect()
}

#[test]
fn a_line_is_broken_after_words_and_within_those_that_are_too_long() {
    let wrapped = |text: &str, columns| texts(&wrap_pieces(&[Piece::new(Role::Text, text)], columns));
    assert_eq!(wrapped("one two three", 8), ["one two ", "three"]);
    assert_eq!(wrapped("abcdefgh", 3), ["abc", "def", "gh"]);
    assert_eq!(wrapped("  deep words here", 10), ["  deep ", "  words ", "  here"]);
    assert_eq!(wrapped("", 5), [""]);
    for columns in 0..12 {
        for row in wrapped("日本語 and ελληνικά, 👩‍👩‍👧 too", columns) {
            assert!(width(&row) <= columns.max(2), "{columns}: {row:?}");
        }
    }
}

#[test]
fn nothing_of_a_line_is_lost_but_blanks_at_breaks() {
    let line =
        StyledLine::new(Role::Strong, "alpha ").and(Role::Muted, "beta gamma ").and(Role::Code, "delta");
    for columns in 1..40 {
        let all: String = texts(&wrap_pieces(&line.0, columns)).concat();
        let letters = |text: &str| text.chars().filter(|sign| *sign != ' ').collect::<String>();
        assert_eq!(letters(&all), letters(&line.text()), "{columns}");
    }
}

#[test]
fn a_search_goes_from_place_to_place_and_round_the_end() {
    let lines = (0..100).map(|n| StyledLine::new(Role::Text, &format!("line {n}"))).collect();
    let mut pager = Pager::new("Lines", lines);
    pager.search = Some("LINE 5".into());
    let mut seen = Vec::new();
    for _ in 0..12 {
        let from = pager.scrolled + usize::from(!seen.is_empty());
        assert!(pager.seek(false, from, 40, 10));
        seen.push(pager.scrolled);
    }
    assert_eq!(seen, [5, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 5]);
    assert!(pager.seek(true, pager.scrolled, 40, 10));
    assert_eq!(pager.scrolled, 59);
    pager.search = Some("nowhere".into());
    assert!(!pager.seek(false, 0, 40, 10));
}

#[test]
fn escape_sequences_do_not_get_into_a_line() {
    assert_eq!(StyledLine::new(Role::Text, "a\u{1b}[31mb\nc").text(), "a␛[31mb c");
}

use super::*;

#[test]
fn what_goes_on_stands_under_the_first_word_of_its_line() {
    let line = StyledLine::new(TextRole::Muted, "  deep ").and(TextRole::Text, "words here");
    let rows = line.rows(10, Theme::default());
    assert_eq!(rows.iter().map(Line::to_string).collect::<Vec<_>>(), ["  deep", "  words", "  here"]);
    assert_eq!(StyledLine::default().rows(10, Theme::default()).len(), 1, "an empty line is a line");
}

#[test]
fn a_search_goes_from_place_to_place_and_round_the_end() {
    let lines = (0..100).map(|n| StyledLine::new(TextRole::Text, &format!("line {n}"))).collect();
    let mut pager = Pager::new("Lines", lines);
    let (room, theme) = (OverlayBox::on((40, 13)), Theme::default());
    assert_eq!(room.text_rows(), 10);
    pager.search = Some("LINE 5".into());
    let mut seen = Vec::new();
    for _ in 0..12 {
        let from = pager.scrolled + usize::from(!seen.is_empty());
        assert!(pager.seek(false, from, room, theme));
        seen.push(pager.scrolled);
    }
    assert_eq!(seen, [5, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 5]);
    assert!(pager.seek(true, pager.scrolled, room, theme));
    assert_eq!(pager.scrolled, 59);
    pager.search = Some("nowhere".into());
    assert!(!pager.seek(false, 0, room, theme));
}

#[test]
fn escape_sequences_do_not_get_into_a_line() {
    assert_eq!(StyledLine::new(TextRole::Text, "a\u{1b}[31mb\nc").text(), "a\\u{1b}[31mb c");
}

//! How lines fall into rows, and where the cursor is then.

use super::{cell_of, column_at, lay_out};

fn rows(text: &str, columns: usize) -> Vec<String> {
    let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    lay_out(&lines, columns).iter().map(|row| row.of(&lines[row.line]).to_owned()).collect()
}

#[test]
fn a_row_ends_at_a_word_where_it_can() {
    assert_eq!(rows("one two three", 8), ["one two ", "three"]);
    assert_eq!(rows("one\n\ntwo", 8), ["one", "", "two"]);
    assert_eq!(rows("", 8), [""]);
}

#[test]
fn a_word_that_is_longer_than_a_row_is_divided() {
    assert_eq!(rows("abcdefghij", 4), ["abcd", "efgh", "ij"]);
    assert_eq!(rows("a bcdefghij", 4), ["a ", "bcde", "fghi", "j"]);
}

#[test]
fn spaces_hang_over_the_end_of_a_row_and_never_begin_one() {
    assert_eq!(rows("abcd     ef", 4), ["abcd     ", "ef"]);
    let lines = ["abcd     ".to_owned()];
    let laid = lay_out(&lines, 4);
    assert_eq!(cell_of(&laid, &lines, 0, 9, 4), (0, 4));
}

#[test]
fn wide_signs_are_never_cut_in_half_and_need_no_spaces() {
    assert_eq!(rows("日本語の文章", 5), ["日本", "語の", "文章"]);
    assert_eq!(rows("ab日本", 5), ["ab日", "本"]);
    assert_eq!(rows("日", 1), ["日"]);
}

#[test]
fn a_sign_of_several_characters_stays_together() {
    let family = "👩\u{200d}👩\u{200d}👧";
    assert_eq!(rows(&format!("{family}{family}"), 2), [family, family]);
}

#[test]
fn a_tab_takes_its_columns() {
    let lines = ["\tx".to_owned()];
    assert_eq!(cell_of(&lay_out(&lines, 20), &lines, 0, 1, 20), (0, 4));
}

#[test]
fn every_place_has_a_cell_and_leads_back_to_its_place() {
    let lines: Vec<String> =
        ["one two three four", "", "日本語 and words", "abcdefghijklmnop"].map(str::to_owned).into();
    for columns in 1..20 {
        let laid = lay_out(&lines, columns);
        for (number, line) in lines.iter().enumerate() {
            for place in 0..=line.chars().count() {
                let (row, column) = cell_of(&laid, &lines, number, place, columns);
                assert!(column <= columns.max(2), "{columns}: {number},{place} is at {column}");
                let row = &laid[row];
                assert_eq!(row.line, number);
                // Spaces that hang over the end of a row share its last column.
                if column < columns {
                    assert_eq!(column_at(row, line, column), place, "{columns}: {line}");
                }
            }
        }
    }
}

use super::*;

#[test]
fn e_27_a_summary_has_three_items_of_two_hundred_characters() {
    let items = (0..9).map(|n| format!("{n}{}", "ä".repeat(300)));
    let summary = list_items("Text search", items, "nothing");
    let parts: Vec<&str> = summary.trim_start_matches("Text search results: ").split(" | ").collect();
    assert_eq!(parts.len(), 3);
    assert!(parts.iter().all(|part| part.chars().count() == 200 && part.ends_with('…')));
}

#[test]
fn e_26_r_10_a_summary_never_has_more_than_nine_hundred_characters() {
    let items = (0..3).map(|_| "€".repeat(500));
    assert_eq!(list_items(&"L".repeat(500), items, "").chars().count(), 900);
}

#[test]
fn e_28_items_are_joined_by_bars_on_one_line() {
    let items = ["a\nb".to_owned(), String::new(), "c".to_owned()];
    assert_eq!(list_items("File tree", items, "nothing"), "File tree results: a b | c");
    assert_eq!(list_items("File tree", Vec::new(), "File tree is empty"), "File tree is empty");
}

#[test]
fn r_43_cuts_by_bytes_are_on_character_boundaries_at_every_length() {
    let text = "aä€🦀é";
    for length in 0..20 {
        assert!(text.starts_with(head(text, length)) && head(text, length).len() <= length);
    }
}

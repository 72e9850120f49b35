use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn other_tools_are_summed_up_by_their_text() {
    let output = ToolOutput::json(json!({"a": 1})).with_text("Title\n\nA page.");
    assert_eq!(summarize("fetch_url", &output), "Fetch url results: Title A page.");
}

#[test]
fn e_26_r_10_a_summary_of_anything_is_at_most_900_characters() {
    let long = "ä😀é".repeat(10_000);
    for summary in [
        summarize("fetch_url", &ToolOutput::text(long.clone())),
        list_items("RAG search", vec![long.clone(); 4], ""),
        summarize(&long, &ToolOutput::text("x")),
    ] {
        assert!(summary.chars().count() <= 900, "{}", summary.chars().count());
    }
}

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

proptest! {
    #[test]
    fn r_10_cutting_keeps_a_prefix_within_the_limit(text in ".{0,60}", chars_max in 1usize..40) {
        let kept = cut(&text, chars_max);
        prop_assert!(kept.chars().count() <= chars_max);
        let prefix = kept.strip_suffix('…').unwrap_or(&kept);
        prop_assert!(text.starts_with(prefix));
        prop_assert!(one_line(&text, chars_max).chars().count() <= chars_max);
    }
}

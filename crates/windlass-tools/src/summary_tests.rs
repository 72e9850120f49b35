use proptest::prelude::*;
use serde_json::json;

use super::*;

fn hits(count: usize, snippet: &str) -> ToolOutput {
    let hit = |n| json!({"title": format!("T{n}"), "url": format!("https://e.org/{n}"), "snippet": snippet});
    ToolOutput::json((1..=count).map(hit).collect())
}

#[test]
fn e_28_web_search_items_are_title_url_snippet_joined_by_bars() {
    let summary = summarize("web_search", Ok(&hits(2, "text")));
    assert_eq!(summary, "Web search results: T1 https://e.org/1 text | T2 https://e.org/2 text");
}

#[test]
fn e_27_only_three_items_of_at_most_200_characters_are_told() {
    let summary = summarize("web_search", Ok(&hits(5, &"x".repeat(500))));
    let items: Vec<&str> = summary.trim_start_matches("Web search results: ").split(" | ").collect();
    assert_eq!(items.len(), 3);
    for item in items {
        assert_eq!(item.chars().count(), 200);
        assert!(item.ends_with('…'));
    }
}

#[test]
fn e_28_rag_chunks_and_stats_have_their_own_headings() {
    let chunks = ToolOutput::json(json!(["one\n two", "three"]));
    assert_eq!(summarize("rag_search", Ok(&chunks)), "RAG search results: one two | three");
    let stats = ToolOutput::json(json!({"cpu_percent": 1.5, "disk_percent": 40}));
    assert_eq!(summarize("system_stats", Ok(&stats)), "System stats: cpu_percent=1.5, disk_percent=40");
}

#[test]
fn e_29_empty_results_say_so() {
    let nothing = ToolOutput::json(json!([]));
    assert_eq!(summarize("web_search", Ok(&nothing)), "Web search returned no details");
    assert_eq!(summarize("rag_search", Ok(&nothing)), "RAG search returned no chunks");
}

#[test]
fn a_failure_is_told_with_its_reason() {
    let failure = ToolFailure::unavailable("web_search unavailable");
    assert_eq!(summarize("web_search", Err(&failure)), "web_search failed: web_search unavailable");
}

#[test]
fn other_tools_are_summed_up_by_their_text() {
    let output = ToolOutput::json(json!({"a": 1})).with_text("Title\n\nA page.");
    assert_eq!(summarize("fetch_url", Ok(&output)), "Fetch url results: Title A page.");
}

#[test]
fn e_26_r_10_a_summary_of_anything_is_at_most_900_characters() {
    let long = "ä😀é".repeat(10_000);
    let stats: Map<String, Value> = (0..100).map(|n| (format!("key{n}"), json!(long))).collect();
    let failure = ToolFailure::internal(long.clone());
    for summary in [
        summarize("fetch_url", Ok(&ToolOutput::text(long.clone()))),
        summarize("system_stats", Ok(&ToolOutput::json(Value::Object(stats)))),
        summarize("rag_search", Ok(&ToolOutput::json(json!([long, long, long, long])))),
        summarize("web_search", Err(&failure)),
        summarize(&long, Ok(&ToolOutput::text("x"))),
    ] {
        assert!(summary.chars().count() <= 900, "{}", summary.chars().count());
    }
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

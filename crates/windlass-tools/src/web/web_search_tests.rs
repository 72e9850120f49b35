use jiff::civil::date;

use super::*;

const TODAY: Date = date(2026, 1, 15);

fn args(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

fn spec() -> ToolSpec {
    crate::typed::port(WebSearch::new(WebSearchConfig::default())).spec().clone()
}

fn quest(value: Value) -> Result<(String, usize, SearchWindow), ToolFailure> {
    let given: WebSearchArgs = spec().read_args(&args(value))?;
    read_quest(&given, TODAY).map(|quest| (quest.query.to_owned(), quest.results_max, quest.window))
}

fn window(mut value: Value) -> Result<SearchWindow, ToolFailure> {
    value["query"] = json!("q");
    quest(value).map(|(_, _, window)| window)
}

#[test]
fn e_3_the_question_is_required_and_five_results_are_usual() {
    let usual = quest(json!({"query": "  python async "}));
    assert_eq!(usual, Ok(("python async".to_owned(), 5, SearchWindow::default())));
    let spec = spec();
    assert!(spec.requires("query") && !spec.requires("max_results"));
    assert_eq!(spec.property("max_results").unwrap()["default"], 5);
    for bad in [
        json!({"query": ""}),
        json!({"query": " "}),
        json!({"query": "x".repeat(401)}),
        json!({"query": "x", "max_results": 0}),
    ] {
        assert_eq!(quest(bad).unwrap_err().kind.word(), "invalid_args");
    }
}

#[test]
fn s_22_words_and_days_become_a_window() {
    let stretch = |freshness| SearchWindow { freshness: Some(freshness), after: None, before: None };
    assert_eq!(window(json!({"time_hint": "today"})), Ok(stretch(Freshness::Day)));
    assert_eq!(window(json!({"time_hint": "Last Week"})), Ok(stretch(Freshness::Week)));
    assert_eq!(window(json!({"time_hint": "last 3 months"})), Ok(stretch(Freshness::Year)));
    let years = SearchWindow { freshness: None, after: Some(date(2023, 1, 15)), before: None };
    assert_eq!(window(json!({"time_hint": "last 3 years"})), Ok(years));
    let days =
        SearchWindow { freshness: None, after: Some(date(2025, 1, 1)), before: Some(date(2025, 2, 1)) };
    let named = json!({"after": "2025-01-01", "before": "2025-02-01T00:00:00Z", "time_hint": "today"});
    assert_eq!(window(named), Ok(days));
    assert_eq!(window(json!({"time_hint": " ", "after": null})), Ok(SearchWindow::default()));
}

#[test]
fn s_22_what_is_no_time_is_refused_with_the_words_that_are() {
    let failure = window(json!({"time_hint": "soonish"})).unwrap_err();
    assert_eq!(failure.message, "time_hint 'soonish' is not understood");
    assert!(failure.expected.unwrap().contains("last N days"));
    for bad in [
        json!({"after": "yesterday"}),
        json!({"before": "2025-13-01"}),
        json!({"after": "é2025-01-01"}),
        json!({"after": "2025-02-01", "before": "2025-01-01"}),
    ] {
        assert_eq!(window(bad).unwrap_err().kind.word(), "invalid_args");
    }
}

#[test]
fn s_22_equal_searches_have_equal_keys() {
    let key = |value: Value| search_key(&args(value));
    let plain = key(json!({"query": "  Rust ASYNC "}));
    assert_eq!(plain, r#"{"q":"rust async","after":null,"before":null,"hint":null}"#);
    assert_eq!(plain, key(json!({"query": "rust async", "max_results": 9})));
    let dated = key(json!({"query": "x", "after": "2025-01-01", "time_hint": "Last Week"}));
    assert_eq!(dated, r#"{"q":"x","after":"2025-01-01","before":null,"hint":"last week"}"#);
    assert_ne!(plain, key(json!({"query": "rust async", "time_hint": "today"})));
    assert_ne!(dated, key(json!({"query": "x", "before": "2025-01-01", "time_hint": "Last Week"})));
}

#[test]
fn s_21_a_search_is_a_primary_search_tool_with_untrusted_output() {
    let spec = spec();
    assert_eq!((spec.category, spec.visibility), (Category::Search, Visibility::Primary));
    assert_eq!((spec.effects, spec.risk), (Effects::Read, Risk::Low));
    assert!(spec.untrusted_output && spec.aliases.contains(&"search_web".to_owned()));
    assert_eq!(spec.arg_aliases["num_results"], "max_results");
}

#[test]
fn an_output_has_the_list_the_text_and_the_links() {
    let hits = vec![SearchHit { title: "T".into(), url: "https://e.org/".into(), snippet: "S".into() }];
    let found = output("q", hits);
    assert_eq!(found.json, json!([{"title": "T", "url": "https://e.org/", "snippet": "S"}]));
    assert_eq!(found.readable(), "1. T\n   https://e.org/\n   S");
    assert_eq!(found.links[0].url, "https://e.org/");
    let nothing = output("q", Vec::new());
    assert_eq!(
        (nothing.json.clone(), nothing.readable().into_owned()),
        (json!([]), "No pages found for 'q'.".into())
    );
}

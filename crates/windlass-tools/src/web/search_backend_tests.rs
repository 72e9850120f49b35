use jiff::civil::date;

use super::*;

fn hit(title: &str, url: &str, snippet: &str) -> SearchHit {
    SearchHit { title: title.into(), url: url.into(), snippet: snippet.into() }
}

fn quest(window: SearchWindow) -> Quest<'static> {
    Quest { query: "rust & c++", results_max: 5, window }
}

fn freshness(freshness: Freshness) -> SearchWindow {
    SearchWindow { freshness: Some(freshness), ..SearchWindow::default() }
}

#[test]
fn e_21_each_servers_answer_becomes_title_url_snippet() {
    let searxng = json!({"query": "q", "number_of_results": 2, "unresponsive_engines": [["bing", "timeout"]], "results": [
        {"title": "A", "url": "https://a.org/", "content": "about <T> & a", "engine": "ddg", "publishedDate": null},
        {"title": "A again", "url": "https://a.org/", "content": "same page"},
        {"title": "Bad", "url": "javascript:alert(1)", "content": ""},
    ]});
    let brave = json!({"type": "search", "query": {"original": "q"}, "web": {"type": "search", "results": [
        {"title": "B &amp; C", "url": "https://b.org/", "description": "the <strong>best</strong>\n of b", "age": "1 day ago"},
    ]}});
    let tavily = json!({"query": "q", "answer": null, "response_time": 1.2, "results": [
        {"title": "T", "url": "http://t.org/", "content": "  about   t", "score": 0.9, "raw_content": null},
    ]});
    for (kind, answer, expected) in [
        (SearchBackendKind::Searxng, searxng, hit("A", "https://a.org/", "about <T> & a")),
        (SearchBackendKind::Brave, brave, hit("B & C", "https://b.org/", "the best of b")),
        (SearchBackendKind::Tavily, tavily, hit("T", "http://t.org/", "about t")),
    ] {
        assert_eq!(read_answer(kind, &answer, SearchWindow::default()), Ok(vec![expected]));
    }
}

#[test]
fn r_8_an_answer_that_is_no_answer_is_never_an_empty_list() {
    for (kind, answer) in [
        (
            SearchBackendKind::Searxng,
            json!({"results": [], "unresponsive_engines": [["google", "CAPTCHA"], ["bing", "timeout"]]}),
        ),
        (SearchBackendKind::Searxng, json!({})),
        (SearchBackendKind::Searxng, json!([])),
        (SearchBackendKind::Searxng, json!({"results": null})),
        (SearchBackendKind::Brave, json!({"error": {"code": "QUOTA"}})),
        (SearchBackendKind::Brave, json!({})),
        (SearchBackendKind::Brave, json!({"web": {}})),
        (SearchBackendKind::Tavily, json!({"detail": {"error": "Unauthorized"}})),
        (SearchBackendKind::Tavily, json!("down for maintenance")),
    ] {
        assert!(read_answer(kind, &answer, SearchWindow::default()).is_err(), "{answer}");
    }
    let down = json!({"results": [], "unresponsive_engines": [["google", "CAPTCHA"]]});
    let reason = read_answer(SearchBackendKind::Searxng, &down, SearchWindow::default()).unwrap_err();
    assert_eq!(reason, "no engine answered (google: CAPTCHA)");
}

#[test]
fn nothing_found_is_an_empty_list() {
    for (kind, answer) in [
        (SearchBackendKind::Searxng, json!({"results": [], "unresponsive_engines": []})),
        (SearchBackendKind::Brave, json!({"type": "search", "query": {}})),
        (SearchBackendKind::Brave, json!({"type": "search", "web": {"results": []}})),
        (SearchBackendKind::Tavily, json!({"results": []})),
    ] {
        assert_eq!(read_answer(kind, &answer, SearchWindow::default()), Ok(Vec::new()), "{answer}");
    }
}

#[test]
fn s_22_brave_gets_freshness_codes_or_dates() {
    let today = date(2026, 1, 15);
    let asked = |window: SearchWindow| {
        let mut url = Url::parse("http://b.test/res/v1/web/search").unwrap();
        put_brave(&mut url, &quest(window), today);
        url.query().unwrap().to_owned()
    };
    assert_eq!(asked(SearchWindow::default()), "q=rust+%26+c%2B%2B&count=5");
    for (stretch, code) in
        [(Freshness::Day, "pd"), (Freshness::Week, "pw"), (Freshness::Month, "pm"), (Freshness::Year, "py")]
    {
        assert!(asked(freshness(stretch)).ends_with(&format!("&freshness={code}")));
    }
    let since = SearchWindow { after: Some(date(2025, 12, 1)), ..SearchWindow::default() };
    assert!(asked(since).ends_with("&freshness=2025-12-01to2026-01-15"));
    let until = SearchWindow { before: Some(date(2020, 1, 1)), ..SearchWindow::default() };
    assert!(asked(until).ends_with("&freshness=1990-01-01to2020-01-01"));
}

#[test]
fn s_22_searxng_gets_the_stretch_that_covers_the_days_and_drops_what_is_older() {
    let asked = |window: SearchWindow| {
        let mut url = Url::parse("http://s.test/search").unwrap();
        put_searxng(&mut url, &quest(window), date(2026, 1, 15));
        url.query().unwrap().to_owned()
    };
    assert_eq!(asked(SearchWindow::default()), "q=rust+%26+c%2B%2B&format=json");
    assert!(asked(freshness(Freshness::Week)).ends_with("&time_range=week"));
    let since = SearchWindow { after: Some(date(2026, 1, 1)), before: None, freshness: None };
    assert!(asked(since).ends_with("&time_range=month"));
    let answer = json!({"results": [
        {"title": "old", "url": "https://o.org/", "publishedDate": "2025-12-31T10:00:00"},
        {"title": "new", "url": "https://n.org/", "publishedDate": "2026-01-02T10:00:00"},
        {"title": "undated", "url": "https://u.org/"},
    ]});
    let hits = read_answer(SearchBackendKind::Searxng, &answer, since).unwrap();
    assert_eq!(hits.iter().map(|hit| hit.title.as_str()).collect::<Vec<_>>(), ["new", "undated"]);
}

#[test]
fn s_22_tavily_gets_a_range_or_dates() {
    assert_eq!(tavily_body(&quest(freshness(Freshness::Month)))["time_range"], "month");
    let window =
        SearchWindow { freshness: None, after: Some(date(2025, 1, 2)), before: Some(date(2025, 3, 4)) };
    let body = tavily_body(&quest(window));
    assert_eq!(
        body,
        json!({"query": "rust & c++", "max_results": 5, "start_date": "2025-01-02", "end_date": "2025-03-04"})
    );
}

#[test]
fn a_stretch_covers_its_days() {
    for (days, word) in [
        (0, "day"),
        (1, "day"),
        (2, "week"),
        (7, "week"),
        (8, "month"),
        (31, "month"),
        (32, "year"),
        (366, "year"),
    ] {
        assert_eq!(Freshness::covering(days).unwrap().word(), word);
    }
    assert_eq!(Freshness::covering(367), None);
    assert_eq!(Freshness::covering(-1), None);
}

#[test]
fn a_server_that_is_half_configured_names_the_missing_key() {
    let backend = |kind, base_url: Option<&str>| SearchBackend {
        kind,
        base_url: base_url.map(str::to_owned),
        api_key: None,
    };
    let failure = address(&backend(SearchBackendKind::Searxng, None)).unwrap_err();
    assert_eq!(failure.message, "web_search unavailable");
    assert!(failure.hint.unwrap().contains("web_search.base_url"));
    assert!(address(&backend(SearchBackendKind::Brave, Some("nonsense"))).is_err());
    for kind in [SearchBackendKind::Brave, SearchBackendKind::Tavily] {
        assert!(keys(&backend(kind, None)).unwrap_err().hint.unwrap().contains("web_search.api_key"));
        assert!(address(&backend(kind, None)).is_ok());
    }
    assert!(keys(&backend(SearchBackendKind::Searxng, None)).unwrap().is_empty());
}

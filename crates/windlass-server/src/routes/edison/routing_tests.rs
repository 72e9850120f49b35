use super::*;

#[test]
fn e_40_e_41_agent_and_work_use_tools_unless_the_caller_says_no() {
    for mode in ["agent", "work"] {
        for (wished, tools) in [(None, true), (Some(true), true), (Some(false), false)] {
            let route = route(Some(mode), "Hello.", wished);
            assert_eq!(
                (route.mode.as_str(), route.tools_allowed, route.has_heuristic),
                (mode, tools, !tools)
            );
        }
    }
    let chat = route(Some("chat"), "search the web", Some(true));
    assert_eq!((chat.tools_allowed, chat.has_heuristic), (false, false));
}

#[test]
fn e_42_agent_intent_is_whole_words() {
    for message in ["Please SEARCH for cats", "look up the weather", "What is the latest on Rust?"] {
        let route = route(Some("auto"), message, None);
        assert_eq!((route.mode.as_str(), route.tools_allowed), ("agent", true), "{message}");
    }
    for message in ["Tell me about my research", "newsletter ideas", "Hello", ""] {
        assert_eq!(route(None, message, Some(true)).mode, "chat", "{message}");
    }
}

#[test]
fn e_41_the_query_is_what_stands_behind_the_asking() {
    let queries = [
        ("Search the web for rust async?", Some("rust async")),
        ("please google \"best tea\"!", Some("best tea")),
        ("could you look up tea", Some("tea")),
        ("What is the latest news?", Some("What is the latest news")),
        ("search", Some("search")),
        ("Tell me about tea", None),
        ("Übersuche, search for größe", Some("größe")),
    ];
    for (message, query) in queries {
        assert_eq!(search_query(message).as_deref(), query, "{message}");
    }
    assert!(
        search_query(&format!("search for {}", "x".repeat(1_000))).unwrap().chars().count()
            <= QUERY_CHARS_MAX
    );
}

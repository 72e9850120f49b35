use std::collections::HashMap;
use std::path::Path;

use serde_json::{Value, json};
use windlass_core::calls::envelope::render_whole;
use windlass_core::ports::search::{IndexProgress, SearchFailure, SearchKind, SearchScope, SymbolPlace};
use windlass_core::profile::Profile;
use windlass_core::protocol::tool::{ErrorKind, ToolOutcome};
use windlass_testkit::NullContext;

use crate::context::Bench;
use crate::project::Project;
use crate::shelf::{Shelf, passage};

const SEARCHES: [(&str, &str); 4] = [
    ("request_code_context", r#"{"token_budget": 1000, "hint": "rope"}"#),
    ("search_codebase", r#"{"query": "rope"}"#),
    ("find_symbol", r#"{"name": "haul"}"#),
    ("find_references", r#"{"name": "haul"}"#),
];

fn stock() -> Shelf {
    let files = (1..=30).map(|number| {
        let text = format!("fn haul_{number}() {{\n    rope(\"{}\");\n}}\n", "x".repeat(700));
        passage(&format!("src/file_{}.rs", number % 10), number, &text)
    });
    let mut passages = vec![passage("src/lib.rs", 3, "fn haul(rope: &Rope) { anchor(); }")];
    passages.extend(files);
    Shelf { passages, ..Shelf::default() }
}

fn bench() -> Bench {
    Bench::new(&stock().config().1)
}

#[tokio::test]
async fn p_12_p_17_an_outcome_of_ploke_is_query_number_and_ids_with_scores_and_texts_literally() {
    let (_, config) = Shelf { passages: stock().passages[..1].to_vec(), ..Shelf::default() }.config();
    let project = Project::configured(&[], &config);
    let args = json!({"token_budget": 1200, "hint": "anchor rope"});
    let outcome = ToolOutcome::ok(project.ok("request_code_context", args).await);
    let id = format!("{}#0:34", project.path("src/lib.rs").display());
    assert!(Path::new(&id).is_absolute());
    assert_eq!(
        render_whole(&Profile::ploke(), "request_code_context", &outcome),
        format!(
            r#"{{"ok":true,"query":"anchor rope","top_k":6,"results":[{{"id":"{id}","score":0.2,"text":"fn haul(rope: &Rope) {{ anchor(); }}"}}]}}"#
        )
    );
    let usual = render_whole(&Profile::default(), "request_code_context", &outcome);
    assert!(usual.contains("src/lib.rs:3 haul (rust)\\nfn haul(rope: &Rope) { anchor(); }"), "{usual}");
}

#[tokio::test]
async fn what_could_not_be_looked_at_is_told_to_the_model() {
    let notice = Some("The encoder is gone: found by words alone".to_owned());
    let bench = Bench::new(&Shelf { notice, ..stock() }.config().1);
    for (name, args) in &SEARCHES[..2] {
        let output = bench.call(name, serde_json::from_str(args).unwrap()).await.unwrap();
        assert!(output.readable().ends_with("[The encoder is gone: found by words alone]"), "{name}");
    }
}

#[tokio::test]
async fn p_13_the_query_is_the_hint_or_else_what_the_user_said_last() {
    let (shelf, config) = stock().config();
    let mut bench = Bench::new(&config);
    bench.context = NullContext::new().user_message("where is the rope hauled?").build();
    for (hint, query) in [
        (json!("anchor"), "anchor"),
        (json!("  "), "where is the rope hauled?"),
        (json!(null), "where is the rope hauled?"),
    ] {
        let args = json!({"token_budget": 1000, "hint": hint});
        let output = bench.call("request_code_context", args).await.unwrap();
        assert_eq!(output.json["query"], query);
    }
    let asked = shelf.asked.lock().unwrap();
    assert!(asked.iter().all(|query| query.scope == SearchScope::Project));
    assert!(asked.iter().all(|query| query.kind == SearchKind::Hybrid), "P-2, P-16");
}

#[tokio::test]
async fn p_13_without_a_hint_and_a_message_the_model_is_told_what_to_say() {
    let failure = bench().call("request_code_context", json!({"token_budget": 1000})).await.unwrap_err();
    assert_eq!((failure.kind, failure.field.as_deref()), (ErrorKind::InvalidArgs, Some("hint")));
}

#[tokio::test]
async fn p_13_a_message_longer_than_a_query_is_cut_and_never_inside_a_character() {
    let mut bench = bench();
    bench.context = NullContext::new().user_message(&format!("rope {}", "ü".repeat(9_000))).build();
    let output = bench.call("request_code_context", json!({"token_budget": 1000})).await.unwrap();
    let query = output.json["query"].as_str().unwrap();
    assert!(query.len() <= 4_000 && query.starts_with("rope ü") && query.ends_with('ü'));
}

#[tokio::test]
async fn p_14_p_16_a_budget_says_how_many_are_asked_for() {
    let bench = bench();
    for (budget, top_k) in
        [(0, 5), (999, 5), (1000, 5), (1199, 5), (1200, 6), (3999, 19), (4000, 20), (u32::MAX, 20)]
    {
        let args = json!({"token_budget": budget, "hint": "rope"});
        let output = bench.call("request_code_context", args).await.unwrap();
        assert_eq!(output.json["top_k"], top_k, "{budget}");
        assert_eq!(output.json["results"].as_array().unwrap().len(), top_k, "{budget}");
    }
    let wrong = json!({"token_budget": -1, "hint": "rope"});
    assert_eq!(bench.call("request_code_context", wrong).await.unwrap_err().kind, ErrorKind::InvalidArgs);
}

#[tokio::test]
async fn r_42_text_keeps_to_the_budget_in_all_and_of_each_file() {
    let bench = bench();
    for budget in [0_usize, 20, 60, 300, 1000, 2500, 4000] {
        let args = json!({"token_budget": budget, "hint": "rope"});
        let output = bench.call("request_code_context", args).await.unwrap();
        let text = output.text.unwrap();
        let (shown, rest) =
            text.split_once("\n\n[").unwrap_or_else(|| text.split_once('[').unwrap_or((&text, "")));
        assert!(shown.len() <= budget * 4, "{budget}: {shown}");
        assert_eq!(rest.contains("more did not fit into"), budget < 1000, "{budget}: {text}");
        let mut of_file: HashMap<&str, usize> = HashMap::new();
        for part in shown.split("\n\n").filter(|part| !part.is_empty()) {
            *of_file.entry(part.split_once(':').unwrap().0).or_default() += part.len();
        }
        assert!(
            of_file.values().all(|bytes| *bytes <= budget.div_ceil(2).max(budget.min(800)) * 4),
            "{budget}"
        );
    }
}

#[tokio::test]
async fn r_42_a_passage_that_alone_is_too_long_is_cut_between_characters() {
    let shelf = Shelf {
        passages: vec![passage("a.rs", 1, &format!("rope {}", "é".repeat(9_000)))],
        ..Shelf::default()
    };
    let bench = Bench::new(&shelf.config().1);
    let args = json!({"token_budget": 4000, "hint": "rope"});
    let text = bench.call("request_code_context", args).await.unwrap().text.unwrap();
    assert!(text.ends_with("é\n…") && text.len() <= 800 * 4, "{}", text.len());
}

#[tokio::test]
async fn p_15_p_18_r_8_without_an_index_or_with_a_broken_one_every_search_fails() {
    let broken = SearchFailure::Broken("a part of the index cannot be read".to_owned());
    let missing = SearchFailure::Missing("there is no index yet".to_owned());
    for (failure, kind) in [
        (None, ErrorKind::Unavailable),
        (Some(missing), ErrorKind::Unavailable),
        (Some(broken), ErrorKind::IoError),
    ] {
        let bench = match failure {
            None => Bench::default(),
            Some(_) => Bench::new(&Shelf { failure, ..stock() }.config().1),
        };
        for (tool, args) in SEARCHES {
            let args: Value = serde_json::from_str(args).unwrap();
            let failure = bench.call(tool, args).await.unwrap_err();
            assert_eq!(failure.kind, kind, "{tool}: {failure:?}");
            assert!(failure.hint.as_deref().unwrap().contains("search_text"), "{tool}");
            let outcome = ToolOutcome::failed(failure);
            let ploke: Value =
                serde_json::from_str(&render_whole(&Profile::ploke(), tool, &outcome)).unwrap();
            assert_eq!(ploke["ok"], false);
            assert!(ploke["error"].as_str().unwrap().len() > 10);
        }
    }
}

#[tokio::test]
async fn nothing_found_is_said_and_an_unfinished_index_too() {
    let indexing = Some(IndexProgress { done: 120, total: 400 });
    let bench = Bench::new(&Shelf { indexing, ..stock() }.config().1);
    for (tool, args) in [
        ("request_code_context", json!({"token_budget": 1000, "hint": "zebra"})),
        ("search_codebase", json!({"query": "zebra"})),
    ] {
        let text = bench.call(tool, args).await.unwrap().text.unwrap();
        assert!(text.starts_with("Nothing found.") && text.contains("120 of 400 files"), "{tool}: {text}");
    }
}

#[tokio::test]
async fn search_codebase_gives_passages_by_the_way_that_was_asked_for() {
    let (shelf, config) = stock().config();
    let bench = Bench::new(&config);
    for word in ["semantic", "structural", "hybrid"] {
        let args = json!({"query": "rope", "search_type": word, "limit": 2});
        let output = bench.call("search_codebase", args).await.unwrap();
        assert_eq!(output.json["search_type"], word);
        assert_eq!(output.json["results"].as_array().unwrap().len(), 2);
        assert_eq!(shelf.asked.lock().unwrap().last().unwrap().kind.word(), word);
        let text = output.text.unwrap();
        assert!(text.contains("src/lib.rs:3 haul (rust)\nfn haul(rope: &Rope)"), "{text}");
    }
    let args = json!({"query": "rope", "search_type": "lexical"});
    let failure = bench.call("search_codebase", args).await.unwrap_err();
    assert_eq!(failure.field.as_deref(), Some("search_type"));
}

#[tokio::test]
async fn names_are_found_where_they_are_defined_and_where_they_are_used() {
    let place = |kind: &str, line: u32| SymbolPlace {
        symbol: "Windlass::haul".to_owned(),
        kind: kind.to_owned(),
        path: "src/lib.rs".to_owned(),
        line,
        start: 0,
        end: 4,
        text: "    haul();".to_owned(),
    };
    let shelf =
        Shelf { places: vec![place("function", 3), place("call", 9), place("call", 12)], ..Shelf::default() };
    let bench = Bench::new(&shelf.config().1);
    let defined = bench.call("find_symbol", json!({"name": "haul"})).await.unwrap();
    assert_eq!(defined.text.as_deref(), Some("src/lib.rs:3 function Windlass::haul: haul();"));
    let used = bench.call("find_references", json!({"name": "haul", "limit": 1})).await.unwrap();
    assert_eq!(used.json["references"][0]["line"], 9);
    assert_eq!(used.json["references"].as_array().unwrap().len(), 1);
    let nothing = bench.call("find_symbol", json!({"name": "zebra"})).await.unwrap();
    assert!(nothing.text.unwrap().starts_with("Nothing in the index defines 'zebra'"));
}

#[tokio::test]
async fn z_4_what_is_read_written_or_edited_is_told_to_the_index() {
    let (shelf, config) = Shelf::default().config();
    let project = Project::configured(&[("src/a.rs", "one\n")], &config);
    let told = |count: usize| {
        let touched = shelf.touched.lock().unwrap().clone();
        assert_eq!(touched.len(), count, "{touched:?}");
        touched.last().cloned().unwrap_or_default()
    };
    let at = |path: &str| project.context.root.canonicalize().unwrap().join(path).display().to_string();
    project.read("src/a.rs").await;
    assert_eq!(told(1), at("src/a.rs"));
    project.ok("edit_file", json!({"path": "src/a.rs", "edits": [{"old": "one", "new": "two"}]})).await;
    assert_eq!(told(2), at("src/a.rs"));
    project.ok("write_file", json!({"path": "b.rs", "content": "three\n"})).await;
    assert_eq!(told(3), at("b.rs"));
    project.ok("undo_edit", json!({"path": "src/a.rs"})).await;
    assert_eq!(told(4), at("src/a.rs"));
    let _ = project.call("read_file", json!({"path": "nothing.rs"})).await.unwrap_err();
    told(4);
}

//! `search_text`.

use serde_json::{Value, json};
use windlass_core::protocol::tool::ErrorKind;

use crate::project::Project;

fn found(json: &Value) -> Vec<String> {
    let lines = json["matches"].as_array().unwrap();
    lines.iter().map(|line| format!("{}:{}", line["path"].as_str().unwrap(), line["line"])).collect()
}

#[tokio::test]
async fn matching_lines_come_with_path_and_number() {
    let project = Project::with(&[("a.rs", "fn one() {}\nlet x;\nfn two() {}\n"), ("b/c.rs", "// fn\r\n")]);
    let output = project.ok("search_text", json!({"pattern": r"\bfn\b"})).await;
    assert_eq!(found(&output.json), ["a.rs:1", "a.rs:3", "b/c.rs:1"]);
    assert_eq!(output.readable(), "a.rs:1: fn one() {}\na.rs:3: fn two() {}\nb/c.rs:1: // fn");
    assert_eq!(output.json["is_complete"], true);
    let summary = "Text search results: a.rs:1: fn one() {} | a.rs:3: fn two() {} | b/c.rs:1: // fn";
    assert_eq!(output.summary.as_deref(), Some(summary));
}

#[tokio::test]
async fn path_glob_case_and_literal_narrow_the_search() {
    let project = Project::with(&[("a.rs", "Word\na.b\naxb\n"), ("a.md", "word\n"), ("src/b.rs", "WORD\n")]);
    for (args, expected) in [
        (json!({"pattern": "word"}), vec!["a.md:1"]),
        (json!({"pattern": "word", "case": "insensitive"}), vec!["a.md:1", "a.rs:1", "src/b.rs:1"]),
        (json!({"pattern": "word", "case": "smart", "glob": "*.rs"}), vec!["a.rs:1", "src/b.rs:1"]),
        (json!({"pattern": "Word", "case": "smart"}), vec!["a.rs:1"]),
        (json!({"pattern": "word", "case": "insensitive", "glob": "!*.rs"}), vec!["a.md:1"]),
        (json!({"pattern": "WORD", "path": "src"}), vec!["src/b.rs:1"]),
        (json!({"pattern": "Word", "path": "a.rs"}), vec!["a.rs:1"]),
        (json!({"pattern": "a.b"}), vec!["a.rs:2", "a.rs:3"]),
        (json!({"pattern": "a.b", "is_literal": true}), vec!["a.rs:2"]),
    ] {
        let output = project.ok("search_text", args.clone()).await;
        assert_eq!(found(&output.json), expected, "{args}");
    }
}

#[tokio::test]
async fn context_lines_are_marked() {
    let project = Project::with(&[("a", "1\n2\nhit\n4\n5\n")]);
    let output = project.ok("search_text", json!({"pattern": "hit", "context": 1})).await;
    assert_eq!(output.readable(), "a-2- 2\na:3: hit\na-4- 4");
    assert_eq!(output.json["count"], 1);
}

#[tokio::test]
async fn ignored_binary_and_linked_files_are_not_searched() {
    let project =
        Project::with(&[("a", "hit"), ("b.log", "hit"), (".gitignore", "*.log"), ("target/c", "hit")]);
    project.put("binary", b"\0\0\0hit\n");
    project.link("link", "a");
    project.link("out", "../outside");
    let output = project.ok("search_text", json!({"pattern": "hit|OUTSIDE"})).await;
    assert_eq!(found(&output.json), ["a:1"]);
}

#[tokio::test]
async fn results_are_bounded_and_say_so() {
    let project = Project::with(&[("a", &"hit\n".repeat(1500))]);
    let output = project.ok("search_text", json!({"pattern": "hit"})).await;
    assert_eq!((&output.json["count"], output.is_truncated), (&json!(200), true));
    assert!(output.readable().ends_with("(stopped at 200 matches: narrow the pattern, path or glob)"));
    let output = project.ok("search_text", json!({"pattern": "hit", "max_results": 1000})).await;
    assert_eq!((&output.json["count"], &output.json["is_complete"]), (&json!(1000), &json!(false)));
    let more = json!({"pattern": "hit", "max_results": 5000});
    project.refused("search_text", more, ErrorKind::InvalidArgs).await;
    project.put("b", &b"rare\n".repeat(7));
    let output = project.ok("search_text", json!({"pattern": "rare", "max_results": 7})).await;
    assert_eq!((&output.json["is_complete"], output.is_truncated), (&json!(true), false));
}

#[tokio::test]
async fn r_43_long_lines_are_cut_between_characters() {
    let project = Project::with(&[("a", &format!("hit {}", "€".repeat(100_000)))]);
    let output = project.ok("search_text", json!({"pattern": "hit"})).await;
    let line = output.json["matches"][0]["text"].as_str().unwrap();
    assert_eq!((line.chars().count(), line.ends_with("€…")), (400, true));
}

#[tokio::test]
async fn utf_16_is_searched_as_text() {
    let project = Project::with(&[]);
    let bytes: Vec<u8> =
        b"\xFF\xFE".iter().copied().chain("x\nhit\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    project.put("wide", &bytes);
    assert_eq!(found(&project.ok("search_text", json!({"pattern": "hit"})).await.json), ["wide:2"]);
}

#[tokio::test]
async fn no_match_is_an_outcome_and_not_a_failure() {
    let project = Project::with(&[("a", "x")]);
    let output = project.ok("search_text", json!({"pattern": "none"})).await;
    assert_eq!(output.readable(), "No matches in 1 files.");
    assert_eq!(output.summary.as_deref(), Some("Text search returned no matches"));
}

#[tokio::test]
async fn bad_patterns_and_globs_are_the_callers_fault_and_say_why() {
    let project = Project::with(&[]);
    for args in [json!({"pattern": "("}), json!({"pattern": "a{999999999}"}), json!({"pattern": "a\nb"})] {
        let failure = project.refused("search_text", args, ErrorKind::InvalidArgs).await;
        assert_eq!(failure.field.as_deref(), Some("pattern"));
    }
    let failure = project.refused("search_text", json!({"pattern": "("}), ErrorKind::InvalidArgs).await;
    assert!(failure.message.contains("unclosed group"), "{}", failure.message);
    let args = json!({"pattern": "a", "glob": "["});
    project.refused("search_text", args, ErrorKind::InvalidArgs).await;
    project.refused("search_text", json!({"pattern": "a", "path": "none"}), ErrorKind::NotFound).await;
    let args = json!({"pattern": "a", "case": "loud"});
    project.refused("search_text", args, ErrorKind::InvalidArgs).await;
}

#[tokio::test]
async fn a_cancelled_search_ends() {
    let project = Project::with(&[("a", "x")]);
    project.context.cancel.cancel();
    project.refused("search_text", json!({"pattern": "x"}), ErrorKind::Cancelled).await;
}
